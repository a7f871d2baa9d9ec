"""The parts of states: arrays with a number for each arm or pair of arms, and records with named fields."""

from functools import lru_cache
from typing import Annotated, Any, TypeVar

import numpy as np

IntPerArm = Annotated[np.ndarray, 1, np.int64]
FloatPerArm = Annotated[np.ndarray, 1, np.float64]
BoolPerArm = Annotated[np.ndarray, 1, np.bool_]
IntPerPair = Annotated[np.ndarray, 2, np.int64]
FloatPerPair = Annotated[np.ndarray, 2, np.float64]
BoolPerPair = Annotated[np.ndarray, 2, np.bool_]
"""Annotations of a state's fields: arrays of the shape (K,) or (K, K), with their dimensions and dtype."""

State = TypeVar("State")


def with_zeros(cls: type[State], n_arms: int, **fields: Any) -> State:
    """Return a state of the class ``cls`` with these ``fields``, and zeros in all others.

    Parameters
    ----------
    cls : type
        A NamedTuple class; each field with zeros has one of the annotations `IntPerArm`, `FloatPerPair`, ...
    n_arms : int
    **fields
        The values of all other fields.

    Examples
    --------
    >>> from typing import NamedTuple
    >>> class Votes(NamedTuple):
    ...     votes: IntPerArm
    ...     alpha: float
    >>> with_zeros(Votes, 3, alpha=0.5)
    Votes(votes=array([0, 0, 0]), alpha=0.5)
    """
    for name, annotation in cls.__annotations__.items():
        if name not in fields:
            n_dimensions, dtype = annotation.__metadata__
            fields[name] = np.zeros((n_arms,) * n_dimensions, dtype)
    return cls(**fields)


def record(**fields: Any) -> np.ndarray:
    """Return an array of shape (1,) with one record, whose fields can be set in compiled code.

    Each field is of the type of its first value: int64, float64 or bool.

    Examples
    --------
    >>> progress = record(stage=1, is_over=False)
    >>> progress[0].stage += 1
    >>> print(progress)
    [(2, False)]
    """
    dtype = _dtype(tuple(fields), tuple(map(type, fields.values())))
    return np.rec.array([tuple(fields.values())], dtype=dtype)


@lru_cache(maxsize=1000)
def _dtype(names: tuple[str, ...], types: tuple[type, ...]) -> np.dtype[Any]:
    return np.dtype(list(zip(names, types, strict=True)))
