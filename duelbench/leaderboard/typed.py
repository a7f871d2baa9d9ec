"""Build dataclasses from JSON, and check types on the way."""

from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

_WORDS = {str: "text", int: "a whole number", bool: "true or false", list: "a list", dict: "a mapping"}
_LARGEST = 2**63 - 1


def load(declared: Any, value: Any, where: str = "") -> Any:
    """Build a value of a declared type from JSON.

    Parameters
    ----------
    declared : type
        One of JSON's, ``list`` or ``dict`` of such, ``X | None``, a dataclass or a named tuple with such fields.
    value : object
        Plain JSON. Numbers stay as they are: a whole number is a float, too.
    where : str
        The place of the value, for messages.

    Raises
    ------
    ValueError
        With the place of the first value that is wrong.

    Examples
    --------
    >>> load(dict[str, list[float]], {"score": [1, 0.5, "0.25"]})
    Traceback (most recent call last):
        ...
    ValueError: score[2]: must be a number
    """
    origin, inner = get_origin(declared), get_args(declared)
    if origin in (Union, UnionType):
        return None if value is None and NoneType in inner else load(inner[0], value, where)
    if origin is list and isinstance(value, list):
        return [load(inner[0], one, f"{where}[{place}]") for place, one in enumerate(value)]
    if origin is dict and isinstance(value, dict):
        return {key: load(inner[1], one, _at(where, key)) for key, one in value.items()}
    if is_dataclass(declared) and isinstance(value, dict):
        return _load_fields(declared, value, where)
    if hasattr(declared, "_fields") and isinstance(value, list):
        if len(value) != len(declared._fields):
            raise ValueError(f"{where}: it has {len(value)} values, not {len(declared._fields)}")
        named = zip(_hints(declared).values(), value, strict=True)
        return declared(*(load(hint, one, f"{where}[{place}]") for place, (hint, one) in enumerate(named)))
    is_right = type(value) is declared or (declared is float and type(value) is int)
    # NaN fails the comparisons, too.
    if not is_right or (isinstance(value, int | float) and not -_LARGEST <= value <= _LARGEST):
        plain = origin or (dict if is_dataclass(declared) else list if hasattr(declared, "_fields") else declared)
        raise ValueError(f"{where}: must be {_WORDS.get(plain, 'a number')}")
    return value


def _load_fields(declared: Any, value: Mapping[str, Any], where: str) -> Any:
    hints = _hints(declared)
    needed = {one.name for one in fields(declared) if one.default is MISSING and one.default_factory is MISSING}
    wrong = [f"it lacks {name}" for name in sorted(needed - value.keys())]
    wrong += [f"it has {name}, which does not belong there" for name in sorted(value.keys() - hints.keys())]
    if wrong:
        raise ValueError(f"{where}: {wrong[0]}" if where else wrong[0])
    return declared(
        **{name: load(hint, value[name], _at(where, name)) for name, hint in hints.items() if name in value}
    )


def _at(where: str, name: str) -> str:
    return f"{where}.{name}" if where else name


@cache
def _hints(of: type) -> dict[str, Any]:
    return get_type_hints(of)
