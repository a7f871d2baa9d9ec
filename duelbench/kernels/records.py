"""Records of a state: what changes by name, in an array of one, which kernels update in place."""

from functools import lru_cache
from typing import Any

import numpy as np


def record(**fields: Any) -> np.ndarray:
    """A (1,) array of one record: int64, float64 and bool fields, by their first values.

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
