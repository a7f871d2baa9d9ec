"""What the values of a spec may be. A `Kind` says it once: it reads the text of a file and describes itself to editors.

What is wrong is noted at its place, and reading goes on: all mistakes of a file are told at once. What a value may be
can depend on what was read before; the `Reading` that kinds are handed knows it.
"""

import unicodedata
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from duelbench.errors import likeliest, nearest_or_all
from duelbench.spec.naming import FOLDER_NAME, MAX_LENGTH, folder_name
from duelbench.spec.numerals import decimal_number, is_whole, real_number, shown
from duelbench.spec.yaml_source import MAX_SHOWN, Location, Noted, Scalar, Value

if TYPE_CHECKING:
    from duelbench.algorithms.contract import Algorithm
    from duelbench.spec.experiment_spec import Problem

T = TypeVar("T")
Schema = dict[str, Any]

MAX_LISTED = 1000
"""Most algorithms or problems of a spec: each is a folder of results."""

MAX_TEXT = 200
"""Longest title or label, in characters."""


class Posed(NamedTuple):
    """What is known of a problem even where something is wrong with it."""

    is_scalar: bool  # a scalar bandit, and no matrix
    family: str | None = ""  # '' for a matrix of none, None where that is not known


@dataclass
class Draft:
    """What is known of a spec while it is read."""

    folder: Path = Path()  # what paths are relative to
    stem: str = ""  # the file's name without its ending
    is_scaled: bool = False  # whether it is read at one of its scales
    has_sweep: bool = False  # whether the key is there, right or wrong; as with the next two
    has_budget: bool = False
    has_question: bool = False
    keys: dict[str, Any] = field(default_factory=dict)  # what was read of its keys
    problems: list["Problem"] = field(default_factory=list)  # those that are right
    posed: list[Posed] = field(default_factory=list)  # all that were asked for
    asked: dict[str, dict[str, Value]] = field(default_factory=dict)  # problem of a family -> its keys, as text
    n_entries: int = 0  # of the matrices so far
    n_generated: int = 0  # of those that families generated
    algorithms: list["Algorithm"] = field(default_factory=list)  # that were named, whatever their parameters
    names_all_algorithms: bool = False  # whether none was unknown
    labels: list[str] = field(default_factory=list)  # without parameters in parentheses, where these are wrong
    noted: list[Noted] = field(default_factory=list)  # what is wrong

    @property
    def is_scalar(self) -> bool | None:
        """Whether the problems are scalar bandits; None where there are none, or of both kinds."""
        kinds = {posed.is_scalar for posed in self.posed}
        return kinds.pop() if len(kinds) == 1 else None


@dataclass(frozen=True)
class Reading:
    """The place in a file that is being read, and the draft of the spec.

    Examples
    --------
    >>> at = Reading().below("rucb", "alpha")
    >>> Whole(1, 9).read(Scalar("0"), at)
    >>> at.draft.noted
    [Noted(location=('rucb', 'alpha'), message="must be at least 1, got '0'", at_key=False)]
    """

    draft: Draft = field(default_factory=Draft)
    location: Location = ()

    def below(self, *steps: str | int) -> "Reading":
        """A place inside of this one."""
        return Reading(self.draft, (*self.location, *steps))

    def note(self, message: str, *, at_key: bool = False) -> None:
        """Note a mistake in the value here, or in its key."""
        self.draft.noted.append(Noted(self.location, message, at_key))

    def attempt(self, reader: Callable[..., T], *arguments: Any, at_key: bool = False) -> T | None:
        """What ``reader(*arguments)`` returns, or None after noting the `ValueError` that it raised."""
        try:
            return reader(*arguments)
        except ValueError as error:
            self.note(str(error), at_key=at_key)
            return None


class Kind(ABC):
    """What a value may be."""

    @abstractmethod
    def read(self, value: Value, at: Reading) -> Any:
        """The value, or what is right of it; None where nothing is. What is wrong is noted."""

    @abstractmethod
    def json_schema(self) -> Schema:
        """JSON Schema of the values, as far as they do not depend on other keys."""


class Parsed(Kind):
    """What a value may be that is right or wrong as a whole, whatever stands elsewhere."""

    @abstractmethod
    def parse(self, value: Value) -> Any:
        """The value; raises `ValueError` with a reason that makes a sentence after the key's name."""

    def read(self, value: Value, at: Reading) -> Any:
        return at.attempt(self.parse, value)


def said(value: Value) -> str:
    """What a value is, in the words of a message.

    Examples
    --------
    >>> said(["a"])
    'a list'
    """
    if not value:
        return "empty"
    if isinstance(value, list):
        return "a list"
    return "keys with values" if isinstance(value, dict) else "text"


def scalar(value: Value, wanted: str) -> Scalar:
    """The text of a scalar; ``wanted`` says what it stands for."""
    if value is None:
        raise ValueError(f"has no value; write {wanted}, or remove it")
    if not isinstance(value, Scalar):
        raise ValueError(f"must be {wanted}, not {said(value)}")
    return value


def word(value: Value, wanted: str, fix: str = "; write '{}' in quotes") -> str:
    """Text that is not one of the words that YAML takes for true or false; ``fix`` says what to do about those."""
    text = scalar(value, wanted)
    if text.truth is not None:
        read = f"but YAML reads a bare {text} as {str(text.truth).lower()}"
        raise ValueError(f"must be {wanted}, {read}{fix.format(text)}")
    return str(text)


@dataclass(frozen=True)
class Word(Parsed):
    """One word; ``wanted`` says what it stands for."""

    wanted: str

    def parse(self, value: Value) -> str:
        return word(value, self.wanted)

    def json_schema(self) -> Schema:
        return {"type": ["string", "number"]}


class FolderName(Word):
    """A word that can name a folder on every system."""

    def parse(self, value: Value) -> str:
        return folder_name(super().parse(value))

    def json_schema(self) -> Schema:
        text = {"pattern": f"^{FOLDER_NAME}$", "maxLength": MAX_LENGTH}
        return {"type": ["string", "number"], "minimum": 0, **text}


class FilePath(Word):
    """The path of a file."""

    def parse(self, value: Value) -> Path:  # type: ignore[override]
        text = super().parse(value)
        if not text:
            raise ValueError(f"is empty; write {self.wanted}")
        return Path(text)

    def json_schema(self) -> Schema:
        return {"type": "string", "minLength": 1}


class Line(Parsed):
    """Text for people, a title or a label: one line, something to see, at most `MAX_TEXT` characters."""

    def parse(self, value: Value) -> str:
        text = word(value, "text").strip()
        if not text:
            raise ValueError("is empty; write some text, or remove the key")
        if any(unicodedata.category(character) in ("Cc", "Zl", "Zp") for character in text):
            raise ValueError("must be one line of text")
        if len(text) > MAX_TEXT:
            raise ValueError(f"must have at most {MAX_TEXT} characters, not {len(text)}")
        return text

    def json_schema(self) -> Schema:
        return {"type": ["string", "number"], "minLength": 1, "maxLength": MAX_TEXT}


class Truth(Parsed):
    """True or false, in any of YAML's spellings but without quotes."""

    def parse(self, value: Value) -> bool:
        text = scalar(value, "true or false")
        if text.truth is None:
            raise ValueError(f"must be true or false (without quotes), got {shown(text)}")
        return text.truth

    def json_schema(self) -> Schema:
        return {"type": "boolean"}


_IN_DIGITS = ", a truth value; write the number in digits"


@dataclass(frozen=True)
class Whole(Parsed):
    """Whole numbers from ``low`` to ``high``, both included; ``unit`` is what they count.

    Examples
    --------
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
        text = word(value, wanted, _IN_DIGITS)
        number = decimal_number(text, wanted)  # ranges are checked before it is known to be small
        if not is_whole(number):
            raise ValueError(f"{shown(text)} is not {wanted}")
        if number < self.low:
            raise ValueError(f"must be at least {self.low}, got {shown(text)}")
        if number > self.high:
            raise ValueError(f"must be at most {self.high_text or f'{self.high:_}'}, got {shown(text)}")
        return int(number)

    def json_schema(self) -> Schema:
        return {"anyOf": [{"type": "integer", "minimum": self.low, "maximum": self.high}, SPELLED]}


SPELLED: Schema = {"type": "string", "pattern": r"^[0-9][0-9_]*(\.[0-9_]*)?([eE]\+?[0-9]+)?$"}
"""JSON Schema of whole numbers that are text to it, such as ``1_000_000``."""

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


SPELLED_REAL: Schema = {
    "type": "string",
    "pattern": r"^(?![+-]?0[0-9_]+$)[+-]?(?=\.?[0-9])[0-9_]*(\.[0-9_]*)?([eE][+-]?[0-9]+)?$",
}
"""JSON Schema of decimal numbers that are text to it, such as ``'0.5'`` in quotes."""


class Real(Parsed):
    """A decimal number."""

    def parse(self, value: Value) -> float | int:
        return real_number(word(value, "a number", _IN_DIGITS))

    def json_schema(self) -> Schema:
        return {"anyOf": [{"type": "number"}, SPELLED_REAL]}


@dataclass(frozen=True)
class Choice(Parsed):
    """One of the known names; ``wanted`` says of what."""

    known: tuple[str, ...]
    wanted: str

    def parse(self, value: Value) -> str:
        text = str(scalar(value, self.wanted))
        if text not in self.known:
            raise ValueError(f"{shown(text)} is not {self.wanted}{nearest_or_all(text, self.known)}")
        return text

    def json_schema(self) -> Schema:
        return {"type": "string", "enum": list(self.known)}


def listed(value: Value, at: Reading, at_least: int = 1, most: int | None = None) -> list[tuple[Reading, Value]]:
    """The items of a list, each with its place; a lone value as if it were a list of one.

    Examples
    --------
    >>> [(here.location, item) for here, item in listed([Scalar("a"), Scalar("b")], Reading())]
    [((0,), 'a'), ((1,), 'b')]
    >>> [(here.location, item) for here, item in listed(Scalar("a"), Reading())]
    [((), 'a')]
    """
    if not isinstance(value, list):
        return [(at, value)]
    if len(value) < at_least:
        at.note("is an empty list; name at least one")
    if most is not None and len(value) > most:
        at.note(f"lists {len(value)}, but at most {most} are allowed")
        return []
    return [(at.below(k), item) for k, item in enumerate(value)]


@dataclass(frozen=True)
class OneOrMore(Kind):
    """An item or a list of different ones, as a tuple."""

    item: Kind
    at_least: int = 1

    def read(self, value: Value, at: Reading) -> tuple[Any, ...]:
        found: list[Any] = []
        for here, item in listed(value, at, self.at_least):
            read = self.item.read(item, here)
            if read in found:
                here.note(f"'{read}' stands twice; remove one")
            elif read is not None:
                found.append(read)
        return tuple(found)

    def json_schema(self) -> Schema:
        item = self.item.json_schema()
        return {"anyOf": [item, {"type": "array", "items": item, "minItems": self.at_least}]}


class _Unsaid:
    """No default that one could write."""


UNSAID = _Unsaid()


class Key(NamedTuple):
    """A key: what its value may be, what it means, and what holds where it is not given."""

    kind: Kind
    description: str = ""  # for editors
    default: Any = UNSAID  # where there is one that could be written
    fix: str = ""  # for a key that must be there: what to add
    unless: str = ""  # the key that can stand instead of it
    not_beside: tuple[str, ...] = ()  # keys that it excludes
    only_with: str = ""  # the key without which it has no meaning, or key and value, as in "starts: random"

    def json_schema(self) -> Schema:
        """JSON Schema of the value."""
        schema = self.kind.json_schema()
        if self.description:
            schema["description"] = self.description
        if self.default is not UNSAID:
            schema["default"] = list(self.default) if isinstance(self.default, tuple) else self.default
        return schema


@dataclass(frozen=True)
class Keys(Kind):
    """Keys with values."""

    keys: Mapping[str, Key]
    example: str  # such keys, for messages
    description: str = ""  # for editors
    what: str = "key"  # what messages call a key
    owner: str = ""  # and of what
    refused: Mapping[str, str] = field(default_factory=dict)  # keys that one might expect -> why there are none
    at_least: int = 0  # how many must be given

    def read(self, value: Value, at: Reading, into: dict[str, Any] | None = None) -> Any:
        """What is right of the values as a dict, in the file's order; None where there are no keys.

        Keys are read in the order of their declaration; with ``into`` each is put in there at once, so that what is
        read later can look at it, and so are the defaults of those that are not given.
        """
        if not isinstance(value, dict) or len(value) < self.at_least:
            at.note(f"must be keys, as in '{self.example}', not {said(value)}")
            return None
        given = {str(key): item for key, item in value.items()}
        unknown = [name for name in given if name not in self.keys]
        for number, name in enumerate(unknown):
            # What will not be shown need not be compared with all the keys there are.
            at.below(name).note(self._refusal(name) if number < MAX_SHOWN else f"unknown {self.what}", at_key=True)
        missing = {
            name: key
            for name, key in self.keys.items()
            if key.fix and name not in given and (not key.unless or key.unless not in given)
        }
        meant = {likeliest(name, self.keys) for name in unknown} if missing else ()
        for name, key in missing.items():
            if name not in meant:
                at.note(f"the {self.what} '{name}' is missing; {key.fix}")
        found = {} if into is None else into
        for name, key in self.keys.items():
            if name not in given:
                found |= {} if into is None or key.default is UNSAID else {name: key.default}
            elif (read := key.kind.read(given[name], at.below(name))) is not None:
                found[name] = read
        self._check_together(given, at)
        return {name: found[name] for name in given if name in found}

    def read_whole(self, value: Value, at: Reading) -> dict[str, Any] | None:
        """The values by key, with defaults; None where anything is wrong."""
        before = len(at.draft.noted)
        found: dict[str, Any] = {}
        Keys.read(self, value, at, found)
        return found if len(at.draft.noted) == before else None

    def _check_together(self, given: Mapping[str, Value], at: Reading) -> None:
        """Note keys that exclude each other, and those that mean nothing without another."""
        wrong = {noted.location for noted in at.draft.noted}
        for name in [name for name in self.keys if name in given]:
            key, here = self.keys[name], at.below(name)
            for other in key.not_beside:
                if other in given:
                    here.note(f"stands beside '{other}'; give one of the two", at_key=True)
            other, _, value = key.only_with.partition(": ")
            if not other or (other in given and value in ("", given[other])):
                continue
            is_told = at.below(other).location in wrong if other in given else bool(self.keys[other].fix)
            if not is_told:  # that the other one is wrong, or missing
                here.note(f"is for '{key.only_with}'; remove it", at_key=True)

    def _refusal(self, key: str) -> str:
        if key in self.refused:
            return self.refused[key]
        return f"unknown {self.what} {shown(key)}{self.owner}{nearest_or_all(key, self.keys)}"

    def json_schema(self) -> Schema:
        schema: Schema = {"type": "object"}
        if self.description:
            schema["description"] = self.description
        schema["properties"] = {name: key.json_schema() for name, key in self.keys.items()}
        if required := [name for name, key in self.keys.items() if key.fix and not key.unless]:
            schema["required"] = required
        for name, key in self.keys.items():
            if key.unless:
                schema["anyOf"] = [{"required": [name]}, {"required": [key.unless]}]
        schema["additionalProperties"] = False
        return schema | ({"minProperties": self.at_least} if self.at_least else {})


def by_name(item: Schema) -> Schema:
    """JSON Schema of names with what ``item`` describes."""
    return {
        "type": "object",
        "additionalProperties": item,
        "propertyNames": NAME.json_schema(),
        "minProperties": 1,
    }


class AsItStands(Kind):
    """Anything; it is not judged here."""

    def read(self, value: Value, at: Reading) -> Value:
        return value

    def json_schema(self) -> Schema:
        return {}


@dataclass(frozen=True)
class Tagged(Kind):
    """Keys of which one, the tag, says which others there are."""

    tag: str
    by_tag: Mapping[str, Keys]  # the tag's value -> the keys that there are then
    wanted: str  # what the tag names, for messages
    default: str = ""  # the tag where none is given; by default one must be

    def read(self, value: dict[Scalar, Value], at: Reading) -> dict[str, Any]:  # type: ignore[override]
        """What is right of the values, by key; without the tag where it is wrong."""
        tag = Scalar(self.tag)
        name = Choice(tuple(self.by_tag), self.wanted).read(value.get(tag, Scalar(self.default)), at.below(self.tag))
        if name is not None:
            return {**(self.by_tag[name].read(value, at) or {}), self.tag: name}
        return self._of_any().read(value, at) or {}

    def _of_any(self) -> Keys:
        """The keys that there are with one tag or another; only those of all tags are judged."""
        several = list(self.by_tag.values())
        found = {name: Key(AsItStands()) for keys in several for name in keys.keys}
        common = {
            name: key
            for name, key in several[0].keys.items()
            if name != self.tag and all(name in keys.keys for keys in several)
        }
        return Keys(found | common, several[0].example, what=several[0].what)

    def json_schema(self) -> Schema:
        return {"anyOf": [keys.json_schema() for keys in self.by_tag.values()]}


NAME = FolderName("a name")
LINE = Line()
TRUTH = Truth()
REAL = Real()
