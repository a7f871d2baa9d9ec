"""Building blocks of the models of specs: their base class, the types of their fields, mistakes with their location.

A type such as ``Annotated[int, Whole(1, 100, "runs")]`` reads text of a YAML file (``1e2``) and values of Python alike,
has its own messages, and describes itself in the JSON Schema. Pydantic collects all mistakes in a value, and `mistakes`
lists them.
"""

import unicodedata
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path
from typing import Annotated, Any, ClassVar, TypeVar

from pydantic import (
    BaseModel,
    ConfigDict,
    TypeAdapter,
    ValidationError,
    ValidationInfo,
    create_model,
    model_validator,
)
from pydantic.fields import Field, FieldInfo
from pydantic.json_schema import GenerateJsonSchema
from pydantic_core import InitErrorDetails, PydanticCustomError, core_schema

from duelbench.bandits.parameters import Parameter
from duelbench.bandits.problem.family import MatrixName, Numbers
from duelbench.common import mathematics
from duelbench.common.numerals import (
    LENGTH,
    form_of,
    inches,
    real_number,
    share,
    shown,
    truth,
    truth_of,
    whole_number,
    within,
    word,
)
from duelbench.errors import InputError, likeliest, nearest_or_all
from duelbench.experiments.spec.naming import FOLDER_NAME, MAX_LENGTH, folder_name
from duelbench.experiments.spec.yaml_source import MAX_MISTAKES_SHOWN, Location, Mistake

Schema = dict[str, Any]
T = TypeVar("T")
Fields = dict[str, tuple[Any, Any]]
"""Key -> the type of a field, and a `pydantic.Field` with its default and description."""


MAX_LISTED = 1000
"""The maximum number of algorithms or problems in a spec; each has a folder of results."""

MAX_TEXT = 200
"""The maximum length of a title or label, in characters."""


# --- mistakes ---


_KEY, _VALUE = "key", "value"
"""Types of the errors that `error_of` makes."""


def error_of(notes: Iterable[Mistake]) -> ValidationError:
    """Make an error for a validator to raise; pydantic prepends the location of the validated value to each mistake.

    Examples
    --------
    >>> mistakes(error_of([Mistake(("runs",), "must be at least 1")]))
    [Mistake(location=('runs',), message='must be at least 1', at_key=False)]
    """
    details: list[InitErrorDetails] = [
        {"type": PydanticCustomError(_KEY if at_key else _VALUE, message), "loc": location, "input": None}
        for location, message, at_key in notes
    ]
    return ValidationError.from_exception_data("spec", details)


def mistakes(error: ValidationError) -> list[Mistake]:
    """Return the mistakes in an error, in the order in which they were found.

    Examples
    --------
    >>> class Runs(Part):
    ...     until: Annotated[float, Share()]
    ...     most: Annotated[int, Whole(1, 100, "runs")] = 50
    >>> try:
    ...     Runs.model_validate({"until": "0%", "moost": "1e3"})
    ... except ValidationError as error:
    ...     for mistake in mistakes(error):
    ...         print(mistake.location, mistake.message)
    ('until',) must be from 0.001% to below 100%, got '0%'; write 2% or 0.02 for two per cent
    ('moost',) unknown key 'moost' (did you mean 'most'?)
    """
    return [Mistake(tuple(detail["loc"]), _message(detail), detail["type"] == _KEY) for detail in error.errors()]


def _message(detail: Any) -> str:
    """Return the message of an error of pydantic, which continues a sentence that starts with the name of a key."""
    message: str = detail["msg"]
    if detail["type"] in (_KEY, _VALUE):
        return message
    if detail["type"] == "value_error":
        return message.removeprefix("Value error, ")
    if detail["type"] == "literal_error":
        known = [text.strip("'") for text in detail["ctx"]["expected"].replace(" or ", ", ").split(", ")]
        return f"{shown(detail['input'])} is not one of the values{nearest_or_all(detail['input'], known)}"
    value = detail["input"]
    got = form_of(value) if isinstance(value, (list, tuple, dict)) or value is None else shown(value)
    return f"{message[0].lower()}{message[1:]}, got {got}"


class Notes:
    """Mistakes that are found while the parts of a spec are put together.

    Examples
    --------
    >>> notes = Notes()
    >>> notes.attempt(("runs",), whole_number, "0", 1, 10)
    >>> notes.mistakes
    [Mistake(location=('runs',), message="must be at least 1, got '0'", at_key=False)]
    """

    def __init__(self) -> None:
        self.mistakes: list[Mistake] = []

    def note(self, location: Location, message: str, at_key: bool = False) -> None:
        """Note a mistake in the value at a location, or in its key."""
        self.mistakes.append(Mistake(location, message, at_key))

    def attempt(self, location: Location, function: Callable[..., T], *arguments: Any) -> T | None:
        """Return ``function(*arguments)``, or None if it raises an error, which is noted."""
        try:
            return function(*arguments)
        except ValidationError as error:
            self.mistakes += [mistake._replace(location=location + mistake.location) for mistake in mistakes(error)]
        except (ValueError, InputError) as error:
            self.note(location, str(error))
        return None


# --- models ---


@dataclass(frozen=True)
class Together:
    """A rule on how a field combines with other keys of its model; part of the `Annotated` type of the field.

    Parameters
    ----------
    add : str
        For a required key: what to add if it is missing.
    unless : str
        The key that can replace this one.
    only_with : str
        The key without which this one has no meaning; or key and value, as in ``starts: random``.
    not_beside : tuple of str
        Keys that this one excludes.
    """

    add: str = ""
    unless: str = ""
    only_with: str = ""
    not_beside: tuple[str, ...] = ()


class _IfGiven:
    """The annotation of a field that may be left out, but not be empty."""

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> core_schema.CoreSchema:
        schema: Any = handler(source)
        if schema["type"] == "nullable":
            schema = schema["schema"]
        metadata = {**schema.get("metadata", {}), "is_absent_by_default": True}
        return {**schema, "metadata": metadata}


IfGiven = Annotated[T | None, _IfGiven()]
"""The type of a field that is None if its key is left out; a key that is present must have a value."""


class Part(BaseModel):
    """Base class of the models: keys with values; unknown keys are refused.

    Docstrings of models, and descriptions of fields, are what editors and the reference show.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, arbitrary_types_allowed=True)

    example: ClassVar[str] = ""
    """An example of such keys, for messages."""
    noun: ClassVar[str] = "key"
    """The word for a key in messages."""
    owner: ClassVar[str] = ""
    """The owner of the keys in messages, as in `` for rucb``."""
    refused: ClassVar[Mapping[str, str]] = {}
    """Keys that users might expect -> the reason why they do not exist."""
    at_least: ClassVar[int] = 0
    """The least number of keys."""

    @property
    def explicit(self) -> dict[str, Any]:
        """The values of keys that are not left out, by key, in the order of the fields."""
        fields = type(self).model_fields
        return {fields[name].alias or name: getattr(self, name) for name in fields if name in self.model_fields_set}

    def all_values(self) -> dict[str, Any]:
        """Return all values by key, defaults included."""
        return {field.alias or name: getattr(self, name) for name, field in type(self).model_fields.items()}

    @model_validator(mode="wrap")
    @classmethod
    def _in_words(cls, value: Any, handler: Callable[[Any], Any]) -> Any:
        if isinstance(value, cls):
            return value
        if not isinstance(value, Mapping) or len(value) < cls.at_least:
            raise ValueError(f"must be keys, as in '{cls.example}', not {form_of(value)}")
        notes: list[Mistake] = []
        part = None
        try:
            part = handler(value)
        except ValidationError as error:
            notes = [
                Mistake(tuple(detail["loc"]), _message(detail), detail["type"] == _KEY)
                for detail in error.errors()
                if detail["type"] not in ("missing", "extra_forbidden") or len(detail["loc"]) > 1
            ]
        notes += cls._wrong_keys(value, {mistake.location[0] for mistake in notes if mistake.location})
        if notes or part is None:
            raise error_of(notes)
        return part

    @classmethod
    def fields_by_key(cls) -> dict[str, FieldInfo]:
        """Return the fields by their keys."""
        return {field.alias or name: field for name, field in cls.model_fields.items()}

    @classmethod
    def meant_by(cls, keys: Iterable[object]) -> set[str]:
        """Return the known ones of these keys, and the known keys that misspelt ones are likely to mean."""
        known = cls.fields_by_key()
        names = [*map(str, keys)]
        unknown = [name for name in names if name not in known]
        # Comparing takes time, and further mistakes would not be shown.
        meant = {likeliest(name, known) for name in unknown[:MAX_MISTAKES_SHOWN]} - {""}
        return meant | {name for name in names if name in known}

    @classmethod
    def _wrong_keys(cls, data: Mapping[Any, Any], wrong: set[str | int]) -> Iterator[Mistake]:
        """Yield mistakes about unknown, missing and conflicting keys; ``wrong`` are the keys whose values are wrong."""
        known = cls.fields_by_key()
        unknown = [key for key in data if key not in known]
        for number, key in enumerate(unknown):
            yield Mistake(
                (str(key),), cls._refusal(key) if number < MAX_MISTAKES_SHOWN else f"unknown {cls.noun}", True
            )
        meant = cls.meant_by(unknown)
        present = {*data, *meant}
        missing = set()
        for key, field in known.items():
            rule = _together(field)
            if key not in present and (field.is_required() or rule.add) and rule.unless not in present:
                missing.add(key)
                yield Mistake((), f"the {cls.noun} '{key}' is missing; {rule.add or 'add it'}")
        for key, field in known.items():
            rule = _together(field)
            if key not in data:
                continue
            for excluded in rule.not_beside:
                if excluded in data:
                    yield Mistake((key,), f"conflicts with '{excluded}'; give one of the two", True)
            needed, _, value = rule.only_with.partition(": ")
            is_met = needed in data
            if needed and value:
                is_met = value == (data[needed] if needed in data else known[needed].default)
            if needed and not is_met and needed not in meant | missing | wrong:
                yield Mistake((key,), f"is for '{rule.only_with}'; remove it", True)

    @classmethod
    def __get_pydantic_json_schema__(cls, schema: Any, handler: Any) -> Schema:
        described = handler(schema)
        keys: Schema = handler.resolve_ref_schema(described)
        for key, field in cls.fields_by_key().items():
            if unless := _together(field).unless:
                keys["anyOf"] = [{"required": [key]}, {"required": [unless]}]
        if cls.at_least:
            keys["minProperties"] = cls.at_least
        return described

    @classmethod
    def _refusal(cls, key: object) -> str:
        if key in cls.refused:
            return cls.refused[str(key)]
        return f"unknown {cls.noun} {shown(key)}{cls.owner}{nearest_or_all(key, cls.fields_by_key())}"


P = TypeVar("P", bound=Part)


def part_of(name: str, base: type[P], fields: Fields, description: str = "", **texts: Any) -> type[P]:
    """Return a model that extends ``base`` by these fields; ``texts`` are the attributes of `Part` for messages."""
    # The name of a parameter may be one that pydantic uses: it is the alias of a field.
    definitions: dict[str, Any] = {
        f"key_{k}": (Annotated[kind, Field(alias=key)], field) for k, (key, (kind, field)) in enumerate(fields.items())
    }
    model: type[P] = create_model(name, __base__=base, __doc__=description or None, **definitions)
    for attribute, text in texts.items():
        setattr(model, attribute, text)
    return model


def read_keys(model: type[Part], data: Mapping[Any, Any], folder: Path) -> tuple[dict[str, Any], list[Mistake]]:
    """Return the values by key, defaults included, and the mistakes.

    Values without mistakes are returned even if others are wrong; in lists and mappings of names, wrong items are
    None.
    """
    try:
        part = model.model_validate(data, context={"folder": folder})
        return {key: value for key, value in part.all_values().items() if value is not None}, []
    except ValidationError as error:
        notes = mistakes(error)
    values = {}
    meant = model.meant_by(data)
    for key, field in model.fields_by_key().items():
        if key in data:
            with suppress(ValidationError):
                kind: Any = Annotated[(field.annotation, *field.metadata)]
                values[key] = adapter(kind).validate_python(data[key], context={"folder": folder, "is_lenient": True})
        elif key not in meant and not field.is_required() and field.default is not None:
            values[key] = field.default
    return values, notes


def _together(field: FieldInfo) -> Together:
    return next((rule for rule in field.metadata if isinstance(rule, Together)), Together())


@lru_cache(maxsize=500)
def adapter(kind: Any) -> TypeAdapter[Any]:
    """Return the validator of a type."""
    return TypeAdapter(kind, config=None if isinstance(kind, type) and issubclass(kind, BaseModel) else _CONFIG)


_CONFIG = ConfigDict(arbitrary_types_allowed=True)

# --- JSON Schema ---


class _Generator(GenerateJsonSchema):
    """Leaves out None as the default of keys that cannot be empty."""

    def default_schema(self, schema: Any) -> Schema:
        if schema["schema"].get("metadata", {}).get("is_absent_by_default"):
            return self.generate_inner(schema["schema"])
        return super().default_schema(schema)


def json_schema_of(kind: Any) -> Schema:
    """Return the JSON Schema of the values of a type, without references."""
    described = adapter(kind).json_schema(schema_generator=_Generator)
    schema: Schema = _plain(described, described.pop("$defs", {}))
    return schema


def _plain(part: Any, definitions: Mapping[Any, Any]) -> Any:
    """Return a part of a schema of pydantic without references, and without the titles that pydantic makes up."""
    if isinstance(part, list):
        return [_plain(item, definitions) for item in part]
    if not isinstance(part, dict):
        return part
    if "$ref" in part:
        name = part["$ref"].rpartition("/")[2]
        if name in definitions:
            others = {key: value for key, value in part.items() if key != "$ref"}
            return _plain({**definitions[name], **others}, definitions)
    if "$same" in part:
        return {"$ref": part["$same"]}
    return {
        key: _plain(value, definitions) for key, value in part.items() if key != "title" or not isinstance(value, str)
    }


def any_of(*schemas: Schema) -> Schema:
    """Return the JSON Schema of the values that match one of several schemas.

    Examples
    --------
    >>> any_of({"type": "null"}, {"anyOf": [{"type": "number"}, {"type": "string"}]})
    {'anyOf': [{'type': 'null'}, {'type': 'number'}, {'type': 'string'}]}
    """
    forms: list[Schema] = []
    for schema in schemas:
        forms += [form for form in (schema["anyOf"] if [*schema] == ["anyOf"] else [schema]) if form not in forms]
    return {"anyOf": forms} if len(forms) > 1 else forms[0]


# --- scalars ---


class Reader:
    """The annotation of a type whose values a function reads.

    Parameters
    ----------
    read : callable
        Converts a value; may raise a `ValueError` or an `InputError`.
    schema : mapping, or callable that returns one
        The JSON Schema.
    """

    def __init__(self, read: Callable[[Any], Any], schema: Schema | Callable[[], Schema]) -> None:
        self.read, self._schema = read, schema

    def json_schema(self) -> Schema:
        """Return the JSON Schema of the values."""
        return self._schema() if callable(self._schema) else self._schema

    def _read(self, value: Any) -> Any:
        try:
            return self.read(value)
        except InputError as error:
            raise ValueError(str(error)) from None  # pydantic collects no other kind of error

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> core_schema.CoreSchema:
        return core_schema.no_info_plain_validator_function(self._read)

    def __get_pydantic_json_schema__(self, schema: Any, handler: Any) -> Schema:
        return self.json_schema()


SPELLED: Schema = {"type": "string", "pattern": r"^[0-9][0-9_]*(\.[0-9_]*)?([eE]\+?[0-9]+)?$"}
"""JSON Schema of whole numbers that YAML reads as text, such as ``1_000_000``."""

SPELLED_REAL: Schema = {
    "type": "string",
    "pattern": r"^(?![+-]?0[0-9_]+$)[+-]?(?=\.?[0-9])[0-9_]*(\.[0-9_]*)?([eE][+-]?[0-9]+)?$",
}
"""JSON Schema of decimal numbers that YAML reads as text, such as ``'0.5'`` in quotes."""


def Whole(low: int, high: int, unit: str = "", high_text: str = "") -> Reader:
    """Return the reader of a whole number from ``low`` to ``high``.

    In messages, ``unit`` is what the number counts, and ``high_text`` replaces ``high``.

    Examples
    --------
    >>> adapter(Annotated[int, Whole(1, 10**6, "runs")]).validate_python("1e2")
    100
    """
    read = partial(whole_number, low=low, high=high, unit=unit, high_text=high_text)
    return Reader(read, number_schema("integer", low, high))


def Real(
    low: float | None = None, high: float | None = None, low_open: bool = False, high_open: bool = False
) -> Reader:
    """Return the reader of a number, between ``low`` and ``high`` if they are given; open ends are excluded."""
    ends = low, high, low_open, high_open
    return Reader(lambda value: within(real_number(value), *ends), number_schema("number", *ends))


def number_schema(
    kind: str | list[str], low: float | None, high: float | None, low_open: bool = False, high_open: bool = False
) -> Schema:
    """Return the JSON Schema of numbers with these ends; ``kind`` is integer or number, perhaps null."""
    schema: Schema = {"type": kind}
    if low is not None:
        schema["exclusiveMinimum" if low_open else "minimum"] = low
    if high is not None:
        schema["exclusiveMaximum" if high_open else "maximum"] = high
    return {"anyOf": [schema, SPELLED if "integer" in kind else SPELLED_REAL]}


def Share(wanted: str = "a share, such as 2%") -> Reader:
    """Return the reader of a share: per cent, or a number below 1."""
    written = {"type": "string", "pattern": r"^[0-9]*\.?[0-9]+([eE][+-]?[0-9]+)?\s*%?$"}
    number = {"type": "number", "minimum": 1e-5, "exclusiveMaximum": 1}
    return Reader(partial(share, wanted=wanted), any_of(number, written))


def Length(shortest: float = 1.0, longest: float = 40.0) -> Reader:
    """Return the reader of a length in inches, or with its unit, as in 3.25in or 8cm; it returns a text."""

    def read(value: Any) -> str:
        inches(value, shortest, longest)
        return str(value) if isinstance(value, str) else f"{value}in"

    return Reader(read, any_of({"type": "number"}, {"type": "string", "pattern": f"^{LENGTH}$"}))


def Word(wanted: str) -> Reader:
    """Return the reader of one word; ``wanted`` describes it in messages."""
    return Reader(partial(word, wanted=wanted), {"type": ["string", "number"]})


def File(wanted: str) -> Reader:
    """Return the reader of the path of a file; ``wanted`` describes it in messages."""

    def read(value: Any) -> Path:
        path = word(value, wanted)
        if not path:
            raise ValueError(f"is empty; write {wanted}")
        return Path(path)

    return Reader(read, {"type": "string", "minLength": 1})


def Choice(members: Sequence[str] | Mapping[str, str], wanted: str) -> Reader:
    """Return the reader of one of several words; ``wanted`` describes them in messages.

    Editors show the descriptions, if ``members`` has any.

    Examples
    --------
    >>> Choice({"linear": "equal steps", "log": "equal factors"}, "a scale").json_schema()
    {'enum': ['linear', 'log'], 'description': 'linear: equal steps; log: equal factors'}
    """

    def read(value: Any) -> str:
        name = str(value) if truth_of(value) is not None else word(value, wanted)
        if name not in members:
            raise ValueError(f"{shown(name)} is not {wanted}{nearest_or_all(name, members)}")
        return name

    schema: Schema = {"enum": list(members)}
    if isinstance(members, Mapping):
        schema["description"] = "; ".join(f"{name}: {text}" for name, text in members.items())
    return Reader(read, schema)


def OfParameter(parameter: Parameter, swept_as: str = "") -> Reader:
    """Return the reader of a parameter of an algorithm or a family.

    ``swept_as`` is the parameter's name in a `sweep`, for the hint if several values are given; empty if the parameter
    cannot be swept.
    """

    def read(value: Any) -> Any:
        if swept_as and isinstance(value, list) and not isinstance(parameter, Numbers):
            sweep = f"{{over: {swept_as}, values: [{', '.join(map(str, value)) or '...'}]}}"
            raise ValueError(f"must be one value; for several add 'sweep: {sweep}'")
        return parameter.read(value)

    return Reader(read, partial(_schema_of_parameter, parameter))


def _schema_of_parameter(parameter: Parameter) -> Schema:
    ends = parameter.low, parameter.high, parameter.low_open, parameter.high_open
    if isinstance(parameter, MatrixName):
        return {"type": "string", "minLength": 1}
    if isinstance(parameter, Numbers):
        number = number_schema("integer" if parameter.whole else "number", *ends)
        numbers = {"type": "array", "items": number, "minItems": max(parameter.fewest, 1)}
        return numbers if parameter.fewest > 1 else any_of(number, numbers)
    if parameter.choices is not None:
        return {"enum": list(parameter.choices)}
    if isinstance(parameter.default, bool):
        return {"type": "boolean"}
    kind = "integer" if isinstance(parameter.default, int) else "number"
    return number_schema([kind, "null"] if parameter.default is None else kind, *ends)


def parameter_fields(parameters: Mapping[str, Parameter], swept_as: str = "") -> Fields:
    """Return fields for parameters; ``swept_as`` is a name in a `sweep`, with ``{}`` in place of the parameter."""
    fields: Fields = {}
    for name, parameter in parameters.items():
        if isinstance(parameter, MatrixName):
            needed = Annotated[str, OfParameter(parameter), Together(add=f"add the {parameter.description}")]
            fields[name] = needed, Field(description=parameter.description)
        else:
            kind = Annotated[Any, OfParameter(parameter, swept_as.format(name))]
            fields[name] = kind, Field(parameter.default, description=parameter.description)
    return fields


def _line(value: Any) -> str:
    line = word(value, "text").strip()
    if not line:
        raise ValueError("is empty; write some text, or remove the key")
    if any(unicodedata.category(character) in ("Cc", "Zl", "Zp") for character in line):
        raise ValueError("must be one line of text")
    if len(line) > MAX_TEXT:
        raise ValueError(f"must have at most {MAX_TEXT} characters, not {len(line)}")
    mathematics.check(line)
    return line


_TEXT: Schema = {"type": ["string", "number"]}
ROUNDS = Whole(1, 10**15, "rounds")
Rounds = Annotated[int, ROUNDS]
Number = Annotated[float, Real()]
Positive = Annotated[float, Real(low=0, low_open=True)]
Truth = Annotated[bool, Reader(truth, {"type": "boolean"})]
"""True or false, in any of YAML's spellings but without quotes."""
Line = Annotated[str, Reader(_line, {**_TEXT, "minLength": 1, "maxLength": MAX_TEXT})]
"""Text for people, a title or a label: one line, not empty, at most `MAX_TEXT` characters."""
NAME = Reader(
    lambda value: folder_name(word(value, "a name")),
    {**_TEXT, "minimum": 0, "pattern": f"^{FOLDER_NAME}$", "maxLength": MAX_LENGTH},
)
Name = Annotated[str, NAME]
"""A word that can name a folder on every system."""

# --- lists, and types that depend on the form of the value ---


@dataclass(frozen=True)
class OneOrMore:
    """The annotation of a ``tuple[X, ...]`` that is written as a list, or as a single value for a list of one."""

    at_least: int = 1
    at_most: int | None = None
    may_repeat: bool = False
    is_judged_by_item: bool = False  # whether correct items are used even if others are wrong

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> core_schema.CoreSchema:
        return core_schema.with_info_wrap_validator_function(self._read, handler(source))

    def _read(self, value: Any, handler: Callable[[Any], tuple[Any, ...]], info: ValidationInfo) -> tuple[Any, ...]:
        if not isinstance(value, (list, tuple)):
            try:
                return handler([value])
            except ValidationError as error:
                raise error_of(m._replace(location=m.location[1:]) for m in mistakes(error)) from None
        check_length(value, self.at_least, self.at_most)
        if self.is_judged_by_item and _is_lenient(info):
            return tuple(_or_none(lambda item: handler([item])[0], item) for item in value)
        items = handler(list(value))
        repeated = [k for k, item in enumerate(items) if item in items[:k]] if not self.may_repeat else []
        if repeated:
            raise error_of(Mistake((k,), f"'{items[k]}' appears twice; remove one") for k in repeated)
        return items

    def __get_pydantic_json_schema__(self, schema: Any, handler: Any) -> Schema:
        several = handler(schema["schema"])
        item = several["items"]
        return any_of(item, {"type": "array", "items": item, "minItems": self.at_least})


def _is_lenient(info: ValidationInfo) -> bool:
    return bool(info.context and info.context.get("is_lenient"))


def _or_none(read: Callable[[Any], Any], item: Any) -> Any:
    try:
        return read(item)
    except ValidationError:
        return None


@dataclass(frozen=True)
class Named:
    """The annotation of a ``dict[str, X]`` whose keys are names of folders.

    Parameters
    ----------
    wanted : str
        A description of the mapping, for messages.
    noun : str
        The word for an item, for messages.
    """

    wanted: str
    noun: str
    at_most: int = MAX_LISTED

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> core_schema.CoreSchema:
        return core_schema.with_info_wrap_validator_function(self._read, handler(source))

    def _read(self, value: Any, handler: Callable[[Any], dict[str, Any]], info: ValidationInfo) -> dict[str, Any]:
        if not isinstance(value, Mapping) or not value:
            raise ValueError(f"must be {self.wanted}, not {form_of(value)}")
        check_length(value, 1, self.at_most)
        if _is_lenient(info):
            return {str(name): _or_none(lambda item: handler({"": item})[""], item) for name, item in value.items()}
        notes = Notes()
        for name in value:
            with_key = Notes()
            with_key.attempt((str(name),), NAME.read, name)
            notes.mistakes += [mistake._replace(at_key=True) for mistake in with_key.mistakes]
        note_repeated(notes, [((str(name),), str(name)) for name in value], self.noun)
        items = notes.attempt((), handler, {str(name): item for name, item in value.items()})
        if notes.mistakes or items is None:
            raise error_of(notes.mistakes)
        return items

    def __get_pydantic_json_schema__(self, schema: Any, handler: Any) -> Schema:
        item = handler(schema["schema"])["additionalProperties"]
        names = NAME.json_schema()
        return {"type": "object", "additionalProperties": item, "propertyNames": names, "minProperties": 1}


def note_repeated(notes: Notes, names: Iterable[tuple[Location, str]], noun: str) -> None:
    """Note names that occur twice; capital letters count as small ones, as in some file systems."""
    taken: set[str] = set()
    for location, name in names:
        if name and name.lower() in taken:
            notes.note(location, f"the name {shown(name)} appears twice; give each {noun} its own", at_key=True)
        taken.add(name.lower())


def check_length(items: Collection[Any], at_least: int = 1, at_most: int | None = None) -> None:
    """Refuse a list that is too short or too long."""
    if len(items) < at_least:
        raise ValueError("is an empty list; name at least one")
    if at_most is not None and len(items) > at_most:
        raise ValueError(f"lists {len(items)}, but at most {at_most} are allowed")


class OneOf:
    """The annotation of a type of several forms: messages are about the form that was meant.

    Parameters
    ----------
    choose : callable
        Returns the one of ``types`` that a value is meant to have; may raise a `ValueError`.

    Examples
    --------
    >>> Runs = Annotated[Any, OneOf(by_form(other=Rounds, list=tuple[Rounds, ...]), Rounds, tuple[Rounds, ...])]
    >>> adapter(Runs).validate_python(["1e3", "2"])
    (1000, 2)
    """

    def __init__(self, choose: Callable[[Any], Any], *types: Any) -> None:
        self._choose, self._types = choose, types

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> core_schema.CoreSchema:
        return core_schema.with_info_plain_validator_function(self._read)

    def __get_pydantic_json_schema__(self, schema: Any, handler: Any) -> Schema:
        return any_of(*(json_schema_of(kind) for kind in self._types))

    def _read(self, value: Any, info: ValidationInfo) -> Any:
        return adapter(self._choose(value)).validate_python(value, context=info.context)


def by_form(*, other: Any, list: Any = None, keys: Any = None) -> Callable[[Any], Any]:
    """Make a function that chooses a type by the form of a value: a list, keys with values, or any other."""

    def choose(value: Any) -> Any:
        is_list = isinstance(value, (tuple, [].__class__))
        kind = list if is_list else keys if isinstance(value, Mapping) else None
        return other if kind is None else kind

    return choose


def by_tag(tag: str, models: Mapping[str, Any], wanted: str, default: str = "") -> OneOf:
    """Return the annotation of keys of which one, the tag, determines the others.

    Parameters
    ----------
    models : mapping
        The tag's value -> the model of the keys.
    wanted : str
        Describes the tag in messages.
    default : str
        The tag if none is given; if this is empty, a tag is required.
    """
    names = Choice([*models], wanted)

    def choose(value: Any) -> Any:
        key = next((key for key in value if likeliest(key, (tag,))), tag)  # perhaps misspelt
        try:
            return models[names.read(value.get(key, default))]
        except ValueError as error:
            raise error_of([Mistake((str(key),), str(error))]) from None

    return OneOf(choose, *models.values())
