"""Whether a summary that was read has the types that its classes declare: what JSON gives may be anything."""

from collections.abc import Mapping, Sequence
from dataclasses import is_dataclass
from functools import cache
from types import NoneType, UnionType
from typing import Any, get_args, get_origin, get_type_hints

_WORDS = {str: "text", int: "whole number", float: "number", bool: "true or false", NoneType: "null"}
"""What JSON calls a type."""

_GIVEN = {float: (int, float)}
"""What stands for a type; by default the type alone, so that true is no number."""

_LARGEST = 2**63 - 1
"""Of whole numbers; no other number comes near it either. Not a number is not below it."""


def check_types(where: str, value: Any, declared: Any) -> None:
    """Check a value against a declared type, and so on all that it holds.

    Parameters
    ----------
    where : str
        The place of the value, for messages; may be empty.
    value : object
        Plain JSON, or a dataclass made of it.
    declared : type
        One of JSON's, ``list``, ``Sequence`` or ``Mapping`` of such, a dataclass with such fields, a union of these, or
        ``Any``.

    Raises
    ------
    ValueError
        With the place of the first value of another type.

    Examples
    --------
    >>> check_types("cells[2].runs", 50, int)
    >>> check_types("tables[0].score", [1, 0.5, "0.25"], list[float])
    Traceback (most recent call last):
        ...
    ValueError: tables[0].score[2]: it is no number
    """
    if declared is Any or type(value) in _GIVEN.get(declared, (declared,)):
        if isinstance(value, int | float) and not -_LARGEST <= value <= _LARGEST:
            raise ValueError(f"{where}: it is no {_WORDS[declared]}")
        _check_fields(where, value)
        return
    origin, inner = get_origin(declared), get_args(declared)
    if origin is UnionType:
        _check_one_of(where, value, inner)
    elif origin in (list, Sequence) and isinstance(value, list):
        for place, one in enumerate(value):
            check_types(f"{where}[{place}]", one, inner[0])
    elif origin is Mapping and isinstance(value, dict):
        for key, one in value.items():
            check_types(f"{where}.{key}" if where else key, one, inner[1])
    else:
        raise ValueError(f"{where}: it is no {_word(declared)}")


def _check_fields(where: str, value: Any) -> None:
    if is_dataclass(value):
        for name, declared in _hints(value.__class__).items():
            check_types(f"{where}.{name}" if where else name, getattr(value, name), declared)


def _check_one_of(where: str, value: Any, declared: Sequence[Any]) -> None:
    """A union is a type or nothing."""
    if value is None and NoneType in declared:
        return
    (something,) = (one for one in declared if one is not NoneType)
    check_types(where, value, something)


@cache
def _hints(of: type) -> dict[str, Any]:
    return get_type_hints(of)


def _word(declared: Any) -> str:
    origin = get_origin(declared)
    return _WORDS.get(declared) or ("mapping" if origin is Mapping else "list")
