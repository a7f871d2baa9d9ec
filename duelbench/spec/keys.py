"""Keys with values: which there are, what each may hold, and which go together; the keys of parameters."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from duelbench.errors import likeliest, nearest_or_all
from duelbench.parameters import Parameter
from duelbench.problem.family import MatrixName, Numbers
from duelbench.problem.matrix_files import MAX_ARMS
from duelbench.spec.kinds import (
    NAME,
    REAL,
    SPELLED,
    SPELLED_REAL,
    TRUTH,
    Choice,
    Parsed,
    Whole,
    either,
    several,
)
from duelbench.spec.numerals import shown
from duelbench.spec.reading import Kind, Reading, Schema, said, word
from duelbench.spec.yaml_source import MAX_SHOWN, Scalar, Value

UNSAID: Any = object()
"""No default that one could write."""


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
        schema = dict(self.kind.json_schema())
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

    def read(self, value: Value, at: Reading) -> Any:
        """What is right of the values as a dict, in the file's order, without defaults; None where there are none."""
        found = self.read_into({}, value, at)
        return {str(name): found[name] for name in value if name in found} if isinstance(value, dict) else None

    def read_whole(self, value: Value, at: Reading) -> dict[str, Any] | None:
        """All values by key, with defaults; None where anything is wrong."""
        before = len(at.draft.noted)
        found = self.read_into({}, value, at)
        return found if len(at.draft.noted) == before else None

    def read_into(self, found: dict[str, Any], value: Value, at: Reading) -> dict[str, Any]:
        """``found`` with what is right of the values, and with the defaults of those that are not given.

        Keys are read in the order of their declaration, and each value is put in at once, so that what is read later
        can look at it.
        """
        if not isinstance(value, dict) or len(value) < self.at_least:
            at.note(f"must be keys, as in '{self.example}', not {said(value)}")
            return found
        self._check_known(value, at)
        for name, key in self.keys.items():
            if name not in value:
                found |= {} if key.default is UNSAID else {name: key.default}
            elif (read := key.kind.read(value[Scalar(name)], at.below(name))) is not None:
                found[name] = read
        self._check_together(value, at)
        return found

    def _check_known(self, given: Mapping[Scalar, Value], at: Reading) -> None:
        """Note keys that there are not, and those that are missing, but for one that another was meant to be."""
        unknown = [name for name in given if name not in self.keys]
        for number, other in enumerate(unknown):
            # What will not be shown need not be compared with all the keys there are.
            at.below(other).note(self._refusal(other) if number < MAX_SHOWN else f"unknown {self.what}", at_key=True)
        missing = {
            name: key
            for name, key in self.keys.items()
            if key.fix and name not in given and (not key.unless or key.unless not in given)
        }
        meant = {likeliest(name, self.keys) for name in unknown} if missing else set()
        for name, key in missing.items():
            if not {name, key.unless} & meant - {""}:
                at.note(f"the {self.what} '{name}' is missing; {key.fix}")

    def _check_together(self, given: Mapping[Scalar, Value], at: Reading) -> None:
        """Note keys that exclude each other, and those that mean nothing without another."""
        wrong = {noted.location for noted in at.draft.noted}
        for name, key in self.keys.items():
            if name not in given:
                continue
            here = at.below(name)
            for excluded in key.not_beside:
                if excluded in given:
                    here.note(f"stands beside '{excluded}'; give one of the two", at_key=True)
            needed, _, wanted = key.only_with.partition(": ")
            if not needed or (needed in given and wanted in ("", given[Scalar(needed)])):
                continue
            is_told = at.below(needed).location in wrong if needed in given else bool(self.keys[needed].fix)
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


@dataclass(frozen=True)
class Tagged(Kind):
    """Keys of which one, the tag, says which others there are."""

    tag: str
    by_tag: Mapping[str, Keys]  # the tag's value -> the keys that there are then
    wanted: str  # what the tag names, for messages
    default: str = ""  # the tag where none is given; by default one must be

    def read(self, value: Value, at: Reading) -> dict[str, Any] | None:
        """All values by key, with defaults; None where anything is wrong."""
        assert isinstance(value, dict)
        said = value.get(Scalar(self.tag), Scalar(self.default))
        name = Choice(tuple(self.by_tag), self.wanted).read(said, at.below(self.tag))
        return None if name is None else self.by_tag[name].read_whole(value, at)

    def json_schema(self) -> Schema:
        return {"anyOf": [keys.json_schema() for keys in self.by_tag.values()]}


_INTEGERS = Whole(-(2**63), 2**63 - 1)
"""What a compiled algorithm can take as an integer."""


@dataclass(frozen=True)
class OfParameter(Parsed):
    """What a parameter takes: text of the type of its default, which `Parameter.check` judges."""

    parameter: Parameter

    def parse(self, value: Value) -> Any:
        parameter = self.parameter
        if value is None and parameter.default is None:
            return None
        if isinstance(parameter, Numbers):
            numbers = value if isinstance(value, list) else [value]
            return parameter.check([REAL.parse(number) for number in numbers[: MAX_ARMS + 1]])
        if isinstance(parameter, MatrixName):
            return parameter.check(word(value, "the path of a matrix file"))
        if isinstance(parameter.default, bool):
            return parameter.check(TRUTH.parse(value))
        if isinstance(parameter.default, str):
            return parameter.check(word(value, "a name"))
        return parameter.check((_INTEGERS if isinstance(parameter.default, int) else REAL).parse(value))

    def json_schema(self) -> Schema:
        parameter = self.parameter
        if isinstance(parameter, MatrixName):
            return {"type": "string", "minLength": 1}
        if isinstance(parameter, Numbers):
            number = _number(parameter, parameter.whole)
            numbers = several(number, max(parameter.fewest, 1))
            return numbers if parameter.fewest > 1 else either(number, numbers)
        if parameter.choices is not None:
            return {"enum": list(parameter.choices)}
        if isinstance(parameter.default, bool):
            return {"type": "boolean"}
        return _number(parameter, isinstance(parameter.default, int))


def _number(parameter: Parameter, is_whole: bool) -> Schema:
    kind = "integer" if is_whole else "number"
    schema: Schema = {"type": [kind, "null"] if parameter.default is None else kind}
    if parameter.low is not None:
        schema["exclusiveMinimum" if parameter.low_open else "minimum"] = parameter.low
    if parameter.high is not None:
        schema["exclusiveMaximum" if parameter.high_open else "maximum"] = parameter.high
    return {"anyOf": [schema, SPELLED if is_whole else SPELLED_REAL]}


def parameter_keys(parameters: Mapping[str, Parameter]) -> dict[str, Key]:
    """The keys of these parameters; a family cannot do without the matrix that a parameter names."""
    return {
        name: Key(OfParameter(one), one.description, UNSAID, f"add the {one.description}")
        if isinstance(one, MatrixName)
        else Key(OfParameter(one), one.description, one.default)
        for name, one in parameters.items()
    }
