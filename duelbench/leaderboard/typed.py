"""Build dataclasses from JSON, and check types, ranges and references on the way."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from math import inf
from types import NoneType, UnionType
from typing import Annotated, Any, Union, get_args, get_origin, get_type_hints

Check = Callable[[Any, Mapping[str, Any]], str | None]
"""In an annotation, beside a type: gets the value and the whole document, and returns what is wrong with the value."""

_WORDS = {str: "text", int: "whole number", float: "number", bool: "true or false", list: "list", dict: "mapping"}
_LARGEST = 2**63 - 1


def between(least: float, most: float = inf) -> Check:
    """Check that a number lies in a closed interval."""

    def check(value: Any, _: Mapping[str, Any]) -> str | None:
        if least <= value <= most:
            return None
        return f"{value!r} is {'less than' if value < least else 'more than'} it can be"

    return check


def place_in(name: str) -> Check:
    """Check that a number is a place (0-based) in a list of the document."""

    def check(value: Any, whole: Mapping[str, Any]) -> str | None:
        count = len(whole[name])
        return None if 0 <= value < count else f"{value!r} is no place in {name}, which has {count}"

    return check


def among(known: Collection[Any]) -> Check:
    """Check that a value is one of some others."""
    return lambda value, _: None if value in known else f"{value!r} is none of {', '.join(map(str, known))}"


def one_of(name: str) -> Check:
    """Check that a value is in a list of the document."""
    return lambda value, whole: among(whole[name])(value, whole)


def load(declared: Any, value: Any, where: str = "", whole: Mapping[str, Any] | None = None) -> Any:
    """Build a value of a declared type from JSON.

    Parameters
    ----------
    declared : type
        One of JSON's, ``list`` or ``dict`` of such, ``X | None``, a dataclass or a named tuple with such fields, or any
        of these with a `Check` in ``Annotated``. Fields of the document to which checks refer come first.
    value : object
        Plain JSON. Numbers stay as they are: a whole number is a float, too.
    where : str
        The place of the value, for messages.
    whole : mapping
        The document; by default the value.

    Raises
    ------
    ValueError
        With the place of the first value that is wrong.

    Examples
    --------
    >>> load(dict[str, list[float]], {"score": [1, 0.5, "0.25"]})
    Traceback (most recent call last):
        ...
    ValueError: score[2]: it is no number
    """
    whole = value if whole is None else whole
    origin, inner = get_origin(declared), get_args(declared)
    if origin is Annotated:
        loaded = load(inner[0], value, where, whole)
        wrong = inner[1](loaded, whole)
        if wrong:
            raise ValueError(f"{where}: {wrong}")
        return loaded
    if origin in (Union, UnionType):
        return None if value is None and NoneType in inner else load(inner[0], value, where, whole)
    if origin is list and isinstance(value, list):
        return [load(inner[0], one, f"{where}[{place}]", whole) for place, one in enumerate(value)]
    if origin is dict and isinstance(value, dict):
        return {
            load(inner[0], key, _at(where, key), whole): load(inner[1], one, _at(where, key), whole)
            for key, one in value.items()
        }
    if is_dataclass(declared) and isinstance(value, dict):
        return _load_fields(declared, value, where, whole)
    if hasattr(declared, "_fields") and isinstance(value, list):
        if len(value) != len(declared._fields):
            raise ValueError(f"{where}: it has {len(value)} values, not {len(declared._fields)}")
        named = zip(_hints(declared).values(), value, strict=True)
        return declared(*(load(hint, one, f"{where}[{place}]", whole) for place, (hint, one) in enumerate(named)))
    is_right = type(value) is declared or (declared is float and type(value) is int)
    # Not a number is not below the largest one either.
    if not is_right or (isinstance(value, int | float) and not -_LARGEST <= value <= _LARGEST):
        plain = origin or (dict if is_dataclass(declared) else list if hasattr(declared, "_fields") else declared)
        raise ValueError(f"{where}: it is no {_WORDS.get(plain, 'number')}")
    return value


def _load_fields(declared: Any, value: Mapping[str, Any], where: str, whole: Mapping[str, Any]) -> Any:
    hints = _hints(declared)
    needed = {one.name for one in fields(declared) if one.default is MISSING and one.default_factory is MISSING}
    wrong = [f"it lacks {name}" for name in sorted(needed - value.keys())]
    wrong += [f"it has {name}, which does not belong there" for name in sorted(value.keys() - hints.keys())]
    if wrong:
        raise ValueError(f"{where}: {wrong[0]}" if where else wrong[0])
    return declared(
        **{name: load(hint, value[name], _at(where, name), whole) for name, hint in hints.items() if name in value}
    )


def _at(where: str, name: str) -> str:
    return f"{where}.{name}" if where else name


@cache
def _hints(of: type) -> dict[str, Any]:
    return get_type_hints(of, include_extras=True)
