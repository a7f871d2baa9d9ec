"""The values of a spec: words, numbers, one of several names, lists."""

import unicodedata
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from duelbench.errors import nearest_or_all
from duelbench.spec.naming import FOLDER_NAME, MAX_LENGTH
from duelbench.numerals import decimal_number, is_whole, real_number, shown
from duelbench.spec.reading import Kind, Parsed, Reading, Schema, listed, name_of, scalar, word
from duelbench.spec.yaml_source import Value

MAX_TEXT = 200
"""Longest title or label, in characters."""


def several(item: Schema, at_least: int = 1) -> Schema:
    """JSON Schema of a list of items."""
    return {"type": "array", "items": item, "minItems": at_least}


def either(*schemas: Schema) -> Schema:
    """JSON Schema of what one of these describes.

    Examples
    --------
    >>> either({"type": "null"}, {"anyOf": [{"type": "number"}, {"type": "string"}]})
    {'anyOf': [{'type': 'null'}, {'type': 'number'}, {'type': 'string'}]}
    """
    return {"anyOf": [one for schema in schemas for one in schema.get("anyOf", [schema])]}


# --- words ---


def text(wanted: str) -> Parsed:
    """One word; ``wanted`` says what it stands for."""
    return Parsed(lambda value: word(value, wanted), {"type": ["string", "number"]})


def file_path(wanted: str) -> Parsed:
    """The path of a file; ``wanted`` says of which."""

    def parse(value: Value) -> Path:
        path = word(value, wanted)
        if not path:
            raise ValueError(f"is empty; write {wanted}")
        return Path(path)

    return Parsed(parse, {"type": "string", "minLength": 1})


def choice(known: Sequence[str], wanted: str) -> Parsed:
    """One of the known names; ``wanted`` says of what."""

    def parse(value: Value) -> str:
        name = str(scalar(value, wanted))
        if name not in known:
            raise ValueError(f"{shown(name)} is not {wanted}{nearest_or_all(name, known)}")
        return name

    return Parsed(parse, {"enum": list(known)})


def _line(value: Value) -> str:
    line = word(value, "text").strip()
    if not line:
        raise ValueError("is empty; write some text, or remove the key")
    if any(unicodedata.category(character) in ("Cc", "Zl", "Zp") for character in line):
        raise ValueError("must be one line of text")
    if len(line) > MAX_TEXT:
        raise ValueError(f"must have at most {MAX_TEXT} characters, not {len(line)}")
    return line


def _truth(value: Value) -> bool:
    truth = scalar(value, "true or false").truth
    if truth is None:
        raise ValueError(f"must be true or false (without quotes), got {shown(value)}")
    return truth


NAME = Parsed(
    name_of, {"type": ["string", "number"], "minimum": 0, "pattern": f"^{FOLDER_NAME}$", "maxLength": MAX_LENGTH}
)
LINE = Parsed(_line, {"type": ["string", "number"], "minLength": 1, "maxLength": MAX_TEXT})
"""Text for people, a title or a label: one line, something to see, at most `MAX_TEXT` characters."""

TRUTH = Parsed(_truth, {"type": "boolean"})
"""True or false, in any of YAML's spellings but without quotes."""

# --- numbers ---

SPELLED: Schema = {"type": "string", "pattern": r"^[0-9][0-9_]*(\.[0-9_]*)?([eE]\+?[0-9]+)?$"}
"""JSON Schema of whole numbers that are text to it, such as ``1_000_000``."""

SPELLED_REAL: Schema = {
    "type": "string",
    "pattern": r"^(?![+-]?0[0-9_]+$)[+-]?(?=\.?[0-9])[0-9_]*(\.[0-9_]*)?([eE][+-]?[0-9]+)?$",
}
"""JSON Schema of decimal numbers that are text to it, such as ``'0.5'`` in quotes."""

_IN_DIGITS = ", a truth value; write the number in digits"

REAL = Parsed(
    lambda value: real_number(word(value, "a number", _IN_DIGITS)), {"anyOf": [{"type": "number"}, SPELLED_REAL]}
)


def whole(low: int, high: int, unit: str = "", high_text: str = "") -> Parsed:
    """Whole numbers from ``low`` to ``high``, both included; ``unit`` is what they count.

    Examples
    --------
    >>> from duelbench.spec.yaml_source import Scalar
    >>> rounds = whole(1, 10**15, "rounds")
    >>> [rounds.parse(Scalar(text)) for text in ("1000000", "1_000_000", "1e6", "1.0e6")]
    [1000000, 1000000, 1000000, 1000000]
    >>> rounds.parse(Scalar("0"))
    Traceback (most recent call last):
    ...
    ValueError: must be at least 1, got '0'
    """
    wanted = f"a whole number{' of ' + unit if unit else ''}"

    def parse(value: Value) -> int:
        text = word(value, wanted, _IN_DIGITS)
        number = decimal_number(text, wanted)  # ranges are checked before it is known to be small
        if not is_whole(number):
            raise ValueError(f"{shown(text)} is not {wanted}")
        if number < low:
            raise ValueError(f"must be at least {low}, got {shown(text)}")
        if number > high:
            raise ValueError(f"must be at most {high_text or f'{high:_}'}, got {shown(text)}")
        return int(number)

    return Parsed(parse, {"anyOf": [{"type": "integer", "minimum": low, "maximum": high}, SPELLED]})


ROUNDS = whole(1, 10**15, "rounds")


def _up_to_horizon(value: Value, at: Reading, ends_with_scale: bool = False) -> int:
    rounds: int = ROUNDS.parse(value)
    horizon = at.draft.keys.get("horizon")
    if horizon is None or rounds <= horizon:
        return rounds
    if ends_with_scale and at.draft.is_scaled:
        return int(horizon)
    raise ValueError(f"must be at most the horizon, {horizon:_} rounds, got {shown(value)}")


UP_TO_HORIZON = Kind(_up_to_horizon, ROUNDS.json_schema)
"""A number of rounds up to the horizon, if that is known."""

UP_TO_HORIZON_OF_SCALE = Kind(lambda value, at: _up_to_horizon(value, at, True), ROUNDS.json_schema)
"""The same; rounds beyond the horizon of a scale are its horizon, and no mistake."""

# --- lists ---


def one_or_more(item: Kind, at_least: int = 1, may_repeat: bool = False) -> Kind:
    """An item or a list of such, as a tuple of what is right."""

    def read(value: Value, at: Reading) -> tuple[Any, ...]:
        found: list[Any] = []
        for here, one in listed(value, at, at_least):
            known = item.read(one, here)
            if known in found and not may_repeat:
                here.note(f"'{known}' appears twice; remove one")
            elif known is not None:
                found.append(known)
        return tuple(found)

    return Kind(read, lambda: either(item.json_schema(), several(item.json_schema(), at_least)))


def by_form(scalar: Kind, list_: Kind) -> Kind:
    """A list, or a scalar, as which any other form is read, too."""
    return Kind(
        lambda value, at: (list_ if isinstance(value, list) else scalar).read(value, at),
        lambda: either(scalar.json_schema(), list_.json_schema()),
    )
