"""Keys with values: which there are, what each may hold, and which go together; the keys of parameters."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from duelbench.errors import likeliest, nearest_or_all
from duelbench.parameters import Parameter
from duelbench.problem.family import MatrixName, Numbers
from duelbench.problem.matrix_files import MAX_ARMS
from duelbench.spec.kinds import NAME, REAL, SPELLED, SPELLED_REAL, TRUTH, choice, either, several, whole
from duelbench.numerals import shown
from duelbench.spec.reading import Kind, Parsed, Reading, Schema, form_of, word
from duelbench.spec.yaml_source import MAX_SHOWN, Scalar, Value

UNSAID: Any = object()
"""For keys without a default that a spec could contain."""


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
    """Keys with values.

    The value is what ``then(found, at)`` makes of all values by key, with defaults, once they are right. Without
    ``then`` it is a dict of what is right and given, in the file's order.
    """

    keys: Mapping[str, Key]
    example: str  # such keys, for messages
    then: Callable[[dict[str, Any], Reading], Any] | None = None
    description: str = ""  # for editors
    what: str = "key"  # what messages call a key
    owner: str = ""  # and of what
    refused: Mapping[str, str] = field(default_factory=dict)  # keys that one might expect -> why there are none
    at_least: int = 0  # how many must be given

    def reader(self, value: Value, at: Reading) -> Any:
        if self.then is not None:
            return self.then(self.read_whole(value, at), at)
        found = self.read_into({}, value, at)
        assert isinstance(value, dict)
        return {str(name): found[name] for name in value if name in found}

    def read_whole(self, value: Value, at: Reading) -> dict[str, Any]:
        """All values by key, with defaults; `Wrong` where anything is."""
        with at.faultless():
            return self.read_into({}, value, at)

    def read_into(self, found: dict[str, Any], value: Value, at: Reading) -> dict[str, Any]:
        """``found`` with the valid values, and the defaults of keys that are neither given nor misspelt.

        Keys are read in the order of their declaration, and each value is put in at once, so that what is read later
        can look at it.
        """
        if not isinstance(value, dict) or len(value) < self.at_least:
            raise ValueError(f"must be keys, as in '{self.example}', not {form_of(value)}")
        meant = self._check_known(value, at)
        for name, key in self.keys.items():
            if name not in value:
                found |= {} if key.default is UNSAID or name in meant else {name: key.default}
            elif (read := key.kind.read(value[Scalar(name)], at.below(name))) is not None:
                found[name] = read
        self._check_together(value, meant, at)
        return found

    def _check_known(self, given: Mapping[Scalar, Value], at: Reading) -> set[str]:
        """Note unknown keys, and those that are missing; return those that unknown ones are likely to mean."""
        unknown = [name for name in given if name not in self.keys]
        for number, other in enumerate(unknown):
            # What will not be shown need not be compared with all keys.
            at.below(other).note(self._refusal(other) if number < MAX_SHOWN else f"unknown {self.what}", at_key=True)
        meant = self.meant_by(unknown[:MAX_SHOWN])
        for name, key in self.keys.items():
            if key.fix and not {name, key.unless} & {*given, *meant}:
                at.note(f"the {self.what} '{name}' is missing; {key.fix}")
        return meant

    def meant_by(self, given: Iterable[object]) -> set[str]:
        """The keys that given ones are, or are likely to mean."""
        return {likeliest(name, self.keys) for name in given} - {""}

    def _refusal(self, key: str) -> str:
        if key in self.refused:
            return self.refused[key]
        return f"unknown {self.what} {shown(key)}{self.owner}{nearest_or_all(key, self.keys)}"

    def _check_together(self, given: Mapping[Scalar, Value], misspelt: set[str], at: Reading) -> None:
        """Note keys that exclude each other, and those that mean nothing without another."""
        wrong = {noted.location for noted in at.draft.noted}
        for name, key in self.keys.items():
            if name not in given:
                continue
            here = at.below(name)
            for excluded in key.not_beside:
                if excluded in given:
                    here.note(f"conflicts with '{excluded}'; give one of the two", at_key=True)
            needed, _, wanted = key.only_with.partition(": ")
            if not needed or needed in misspelt or (needed in given and wanted in ("", given[Scalar(needed)])):
                continue
            is_noted = at.below(needed).location in wrong if needed in given else bool(self.keys[needed].fix)
            if not is_noted:  # that the other one is wrong, or missing
                here.note(f"is for '{key.only_with}'; remove it", at_key=True)

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
    return {"type": "object", "additionalProperties": item, "propertyNames": NAME.json_schema(), "minProperties": 1}


def tagged(tag: str, by_tag: Mapping[str, Keys], wanted: str, default: str = "") -> Kind:
    """Keys of which one, the tag, says which others there are; all of them must be right.

    Parameters
    ----------
    by_tag : mapping
        The tag's value -> the keys that there are then.
    wanted : str
        What the tag names, for messages.
    default : str
        The tag where none is given; by default one must be.
    """
    name_of_tag = choice(tuple(by_tag), wanted)

    def read(value: Value, at: Reading) -> dict[str, Any]:
        assert isinstance(value, dict)
        with at.faultless():
            given = next((key for key in value if likeliest(key, (tag,))), Scalar(tag))  # perhaps misspelt
            name = name_of_tag.read(value.get(given, Scalar(default)), at.below(given))
        return by_tag[name].read_whole(value, at)

    return Kind(read, lambda: {"anyOf": [keys.json_schema() for keys in by_tag.values()]})


# --- parameters ---

_INTEGERS = whole(-(2**63), 2**63 - 1)
"""What a compiled algorithm can take as an integer."""


def of_parameter(parameter: Parameter, swept_as: str = "") -> Parsed:
    """What a parameter takes: text of the type of its default, which `Parameter.check` judges.

    ``swept_as`` is its name in a `sweep`, for the hint where several values are given; empty if it cannot be swept.
    """

    def parse(value: Value) -> Any:
        if swept_as and isinstance(value, list) and not isinstance(parameter, Numbers):
            values = ", ".join(map(str, value)) or "..."
            raise ValueError(f"must be one value; for several add 'sweep: {{over: {swept_as}, values: [{values}]}}'")
        return parameter.check(_typed(value, parameter))

    return Parsed(parse, lambda: _schema_of(parameter))


def _typed(value: Value, parameter: Parameter) -> Any:
    if value is None and parameter.default is None:
        return None
    if isinstance(parameter, Numbers):
        numbers = value if isinstance(value, list) else [value]
        return [REAL.parse(number) for number in numbers[: MAX_ARMS + 1]]
    if isinstance(parameter, MatrixName):
        return word(value, "the path of a matrix file")
    if isinstance(parameter.default, bool):
        return TRUTH.parse(value)
    if isinstance(parameter.default, str):
        return word(value, "a name")
    return (_INTEGERS if isinstance(parameter.default, int) else REAL).parse(value)


def _schema_of(parameter: Parameter) -> Schema:
    if isinstance(parameter, MatrixName):
        return {"type": "string", "minLength": 1}
    if isinstance(parameter, Numbers):
        number = _schema_of_number(parameter, parameter.whole)
        numbers = several(number, max(parameter.fewest, 1))
        return numbers if parameter.fewest > 1 else either(number, numbers)
    if parameter.choices is not None:
        return {"enum": list(parameter.choices)}
    if isinstance(parameter.default, bool):
        return {"type": "boolean"}
    return _schema_of_number(parameter, isinstance(parameter.default, int))


def _schema_of_number(parameter: Parameter, is_whole: bool) -> Schema:
    kind = "integer" if is_whole else "number"
    schema: Schema = {"type": [kind, "null"] if parameter.default is None else kind}
    if parameter.low is not None:
        schema["exclusiveMinimum" if parameter.low_open else "minimum"] = parameter.low
    if parameter.high is not None:
        schema["exclusiveMaximum" if parameter.high_open else "maximum"] = parameter.high
    return {"anyOf": [schema, SPELLED if is_whole else SPELLED_REAL]}


def parameter_keys(parameters: Mapping[str, Parameter], swept_as: str = "") -> dict[str, Key]:
    """The keys of these parameters; a family cannot do without the matrix that a parameter names.

    ``swept_as`` is the name of one in a `sweep`, with ``{}`` for the parameter.
    """
    return {
        name: Key(of_parameter(one), one.description, fix=f"add the {one.description}")
        if isinstance(one, MatrixName)
        else Key(of_parameter(one, swept_as.format(name)), one.description, one.default)
        for name, one in parameters.items()
    }
