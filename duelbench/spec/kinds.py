"""The values of a spec: words, numbers, one of several names, lists. A kind reads text and has a JSON Schema."""

import unicodedata
from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from duelbench.errors import nearest_or_all
from duelbench.spec.naming import FOLDER_NAME, MAX_LENGTH
from duelbench.spec.numerals import decimal_number, is_whole, real_number, shown
from duelbench.spec.reading import Kind, Reading, Schema, listed, name_of, scalar, word
from duelbench.spec.yaml_source import Value

MAX_TEXT = 200
"""Longest title or label, in characters."""


class Parsed(Kind):
    """What a value may be that is right or wrong as a whole, whatever stands elsewhere."""

    @abstractmethod
    def parse(self, value: Value) -> Any:
        """The value; raises `ValueError` with a reason that makes a sentence after the key's name."""

    def read(self, value: Value, at: Reading) -> Any:
        return at.attempt(self.parse, value)


class Read(Parsed):
    """What a function reads, which raises `ValueError`.

    Examples
    --------
    >>> from duelbench.spec.yaml_source import Scalar
    >>> NAME.parse(Scalar("mslr5"))
    'mslr5'
    """

    def __init__(self, parse: Callable[[Value], Any], schema: Schema) -> None:
        self._parse, self._schema = parse, schema

    def parse(self, value: Value) -> Any:
        return self._parse(value)

    def json_schema(self) -> Schema:
        return self._schema


def text(wanted: str) -> Read:
    """One word; ``wanted`` says what it stands for."""
    return Read(lambda value: word(value, wanted), {"type": ["string", "number"]})


def file_path(wanted: str) -> Read:
    """The path of a file; ``wanted`` says of which."""

    def parse(value: Value) -> Path:
        path = word(value, wanted)
        if not path:
            raise ValueError(f"is empty; write {wanted}")
        return Path(path)

    return Read(parse, {"type": "string", "minLength": 1})


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


_IN_DIGITS = ", a truth value; write the number in digits"

SPELLED: Schema = {"type": "string", "pattern": r"^[0-9][0-9_]*(\.[0-9_]*)?([eE]\+?[0-9]+)?$"}
"""JSON Schema of whole numbers that are text to it, such as ``1_000_000``."""

SPELLED_REAL: Schema = {
    "type": "string",
    "pattern": r"^(?![+-]?0[0-9_]+$)[+-]?(?=\.?[0-9])[0-9_]*(\.[0-9_]*)?([eE][+-]?[0-9]+)?$",
}
"""JSON Schema of decimal numbers that are text to it, such as ``'0.5'`` in quotes."""

NAME = Read(
    name_of, {"type": ["string", "number"], "minimum": 0, "pattern": f"^{FOLDER_NAME}$", "maxLength": MAX_LENGTH}
)
LINE = Read(_line, {"type": ["string", "number"], "minLength": 1, "maxLength": MAX_TEXT})
"""Text for people, a title or a label: one line, something to see, at most `MAX_TEXT` characters."""

TRUTH = Read(_truth, {"type": "boolean"})
"""True or false, in any of YAML's spellings but without quotes."""

REAL = Read(
    lambda value: real_number(word(value, "a number", _IN_DIGITS)), {"anyOf": [{"type": "number"}, SPELLED_REAL]}
)


@dataclass(frozen=True)
class Whole(Parsed):
    """Whole numbers from ``low`` to ``high``, both included; ``unit`` is what they count.

    Examples
    --------
    >>> from duelbench.spec.yaml_source import Scalar
    >>> rounds = Whole(1, 10**15, "rounds")
    >>> [rounds.parse(Scalar(text)) for text in ("1000000", "1_000_000", "1e6", "1.0e6")]
    [1000000, 1000000, 1000000, 1000000]
    >>> rounds.parse(Scalar("0"))
    Traceback (most recent call last):
    ...
    ValueError: must be at least 1, got '0'
    """

    low: int
    high: int
    unit: str = ""
    high_text: str = ""

    def parse(self, value: Value) -> int:
        wanted = f"a whole number{' of ' + self.unit if self.unit else ''}"
        said = word(value, wanted, _IN_DIGITS)
        number = decimal_number(said, wanted)  # ranges are checked before it is known to be small
        if not is_whole(number):
            raise ValueError(f"{shown(said)} is not {wanted}")
        if number < self.low:
            raise ValueError(f"must be at least {self.low}, got {shown(said)}")
        if number > self.high:
            raise ValueError(f"must be at most {self.high_text or f'{self.high:_}'}, got {shown(said)}")
        return int(number)

    def json_schema(self) -> Schema:
        return {"anyOf": [{"type": "integer", "minimum": self.low, "maximum": self.high}, SPELLED]}


ROUNDS = Whole(1, 10**15, "rounds")


@dataclass(frozen=True)
class UpToHorizon(Kind):
    """A number of rounds up to the horizon, as far as that is known."""

    ends_with_scale: bool = False  # rounds beyond the horizon of a scale end with it, instead of being a mistake

    def read(self, value: Value, at: Reading) -> int | None:
        rounds: int | None = ROUNDS.read(value, at)
        horizon = at.draft.keys.get("horizon")
        if rounds is None or horizon is None or rounds <= horizon:
            return rounds
        if self.ends_with_scale and at.draft.is_scaled:
            return int(horizon)
        at.note(f"must be at most the horizon, {horizon:_} rounds, got {shown(value)}")
        return None

    def json_schema(self) -> Schema:
        return ROUNDS.json_schema()


@dataclass(frozen=True)
class Choice(Parsed):
    """One of the known names; ``wanted`` says of what."""

    known: tuple[str, ...]
    wanted: str

    def parse(self, value: Value) -> str:
        name = str(scalar(value, self.wanted))
        if name not in self.known:
            raise ValueError(f"{shown(name)} is not {self.wanted}{nearest_or_all(name, self.known)}")
        return name

    def json_schema(self) -> Schema:
        return {"type": "string", "enum": list(self.known)}


@dataclass(frozen=True)
class OneOrMore(Kind):
    """An item or a list of such, as a tuple."""

    item: Kind
    at_least: int = 1
    may_repeat: bool = False

    def read(self, value: Value, at: Reading) -> tuple[Any, ...]:
        found: list[Any] = []
        for here, item in listed(value, at, self.at_least):
            read = self.item.read(item, here)
            if read in found and not self.may_repeat:
                here.note(f"'{read}' stands twice; remove one")
            elif read is not None:
                found.append(read)
        return tuple(found)

    def json_schema(self) -> Schema:
        return one_or_more(self.item.json_schema(), self.at_least)


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


def one_or_more(item: Schema, at_least: int = 1) -> Schema:
    """JSON Schema of an item or a list of such."""
    return either(item, several(item, at_least))


@dataclass(frozen=True)
class Either(Kind):
    """What depends on the form of a value: a scalar, a list or keys; what is of no such form is read as a scalar."""

    scalar: Kind
    several: Kind | None = None
    keys: Kind | None = None

    def read(self, value: Value, at: Reading) -> Any:
        kind = self.several if isinstance(value, list) else self.keys if isinstance(value, dict) else None
        return (kind or self.scalar).read(value, at)

    def json_schema(self) -> Schema:
        return either(*(kind.json_schema() for kind in (self.scalar, self.several, self.keys) if kind))
