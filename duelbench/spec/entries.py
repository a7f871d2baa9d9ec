"""The ``algorithms`` of a spec: ids, parameters and labels, read and described for editors."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from duelbench.algorithms import registry
from duelbench.algorithms.contract import Algorithm, Parameter
from duelbench.errors import InputError, nearest
from duelbench.spec.experiment_spec import Entry
from duelbench.spec.naming import slug
from duelbench.spec.numerals import Whole, real_number, shown
from duelbench.spec.values import MAX_LISTED, Errors, items, kind, line, one_or_more, truth, whole, word
from duelbench.spec.yaml_source import Location, Value

ROUNDS = Whole(1, 10**15, "rounds")

_INTEGERS = Whole(-(2**63), 2**63 - 1)
"""What a compiled algorithm can take as an integer."""

_FIRST_HORIZON = 1000
"""Shortest default horizon of an algorithm that is run again for each one."""


@dataclass(frozen=True)
class _Draft:
    """An entry as written: checked, but without a label of its own unless one was given."""

    location: Location
    algorithm: Algorithm
    parameters: dict[str, Any]
    label: str | None
    horizons: tuple[int, ...]
    has_own_horizons: bool
    shuffle_arms: bool | None
    given: frozenset[str]


def read_entries(value: Value, horizon: int | None, *, shorten: bool = False) -> tuple[Entry, ...]:
    """The entries of the ``algorithms`` key.

    Parameters
    ----------
    value : tree of text
        One id, or a list of ids and of ``{id: {parameter: value, label: ..., horizons: ...}}``.
    horizon : int or None
        The experiment's; None while it is not known because it is wrong itself.
    shorten : bool
        Whether ``horizons`` beyond the experiment's end with it, instead of being a mistake.

    Raises
    ------
    ValueError, pydantic.ValidationError
        With every mistake in it.
    """
    if isinstance(value, dict):
        raise ValueError("is a list: begin every algorithm with '- ', as in '- rucb: {alpha: 0.51}'")
    reader = _Reader(horizon, shorten)
    drafts = [draft for at, item in items(value, MAX_LISTED) if (draft := reader.draft(item, at))]
    entries = _labelled(drafts)
    _check_different(drafts, entries, reader.errors)
    reader.errors.raise_any()
    return tuple(entries)


class _Reader:
    """Reads the items of the list one by one and collects their errors."""

    def __init__(self, horizon: int | None, shorten: bool) -> None:
        self.errors = Errors()
        self._horizon = horizon
        self._shorten = shorten
        self._ids = registry.ids()

    def draft(self, item: Value, at: Location) -> _Draft | None:
        """One item, or None where its algorithm or its label is not known."""
        named = self.errors.read(at, _name_and_content, item)
        if named is None:
            return None
        id, content = named
        inside = (*at, id) if isinstance(item, dict) else at
        algorithm = self.errors.read(inside, self._algorithm, id, at_key=isinstance(item, dict))
        if algorithm is None:
            return None
        if not isinstance(content, dict):
            example = f"{{label: {algorithm.name}}}"
            self.errors.add(inside, f"must be keys with values such as '{example}', not {kind(content)}")
            return None
        return self._described(algorithm, {str(name): value for name, value in content.items()}, inside)

    def _algorithm(self, id: str) -> Algorithm:
        if id not in self._ids:
            raise ValueError(f"{shown(id)} is not an algorithm{registry.suggestion(id)}")
        try:
            return registry.get(id)
        except InputError as error:
            # A plug-in that cannot be loaded.
            raise ValueError(str(error)) from None

    def _described(self, algorithm: Algorithm, given: dict[str, Value], at: Location) -> _Draft | None:
        """The algorithm with what is said about it."""
        before = len(self.errors)
        horizons = _default_horizons(algorithm, self._horizon)
        has_own_horizons = "horizons" in given
        if has_own_horizons:
            horizons = self._horizons(given.pop("horizons"), (*at, "horizons"))
        shuffle_arms = None
        if "shuffle_arms" in given:
            shuffle_arms = self.errors.read((*at, "shuffle_arms"), truth, given.pop("shuffle_arms"))
        label = None
        if "label" in given:
            label = self.errors.read((*at, "label"), line, given.pop("label"))
        parameters = self._parameters(algorithm, given, at)
        if label is None and len(self.errors) > before:
            # With the label that it would have without what is wrong, it might seem to stand twice.
            return None
        return _Draft(at, algorithm, parameters, label, horizons, has_own_horizons, shuffle_arms, frozenset(given))

    def _parameters(self, algorithm: Algorithm, given: dict[str, Value], at: Location) -> dict[str, Any]:
        """All parameters of the algorithm; those that are wrong keep their default and are noted."""
        checked = {}
        for name, value in given.items():
            parameter = algorithm.parameters.get(name)
            if parameter is None:
                self.errors.add((*at, name), _unknown_parameter(name, algorithm), at_key=True)
                continue
            try:
                checked[name] = parameter.check(parameter_value(value, parameter))
            except ValueError as error:
                self.errors.add((*at, name), str(error))
        return self.errors.read(at, algorithm.resolve, checked) or {}

    def _horizons(self, value: Value, at: Location) -> tuple[int, ...]:
        """The horizons given, without those that are wrong."""
        listed = self.errors.read(at, items, value) or []
        read = [self.errors.read((*at, *below), self._rounds, item) for below, item in listed]
        rounds = [t for t in read if t is not None]
        if len(set(rounds)) < len(rounds):
            self.errors.add(at, "names a horizon twice; remove one")
        if self._shorten and self._horizon is not None:
            rounds = list({min(t, self._horizon) for t in rounds})
        return tuple(sorted(rounds))

    def _rounds(self, value: Value) -> int:
        rounds = whole(value, ROUNDS)
        if self._horizon is not None and rounds > self._horizon and not self._shorten:
            raise ValueError(f"must be at most the horizon, {self._horizon:_} rounds, got {shown(value)}")
        return rounds


def _name_and_content(item: Value) -> tuple[str, Value]:
    """The id of an item and what is said about it, nothing being ``{}``."""
    if not isinstance(item, dict):
        return word(item, "the id of an algorithm"), {}
    if len(item) != 1:
        example = "- rucb: {alpha: 0.51}"
        raise ValueError(f"must be one algorithm, with its parameters indented below it, as in '{example}'")
    [(id, content)] = item.items()
    return word(id, "the id of an algorithm"), {} if content is None else content


def _unknown_parameter(name: str, algorithm: Algorithm) -> str:
    known = [*algorithm.parameters, "label", "horizons", "shuffle_arms"]
    hint = nearest(name, known) or f" (it has {', '.join(known)})"
    return f"unknown parameter {shown(name)} for {algorithm.id}{hint}"


def parameter_value(value: Value, parameter: Parameter) -> Any:
    """The text as the type of the parameter's default; `Parameter.check` judges the rest."""
    if value is None and parameter.default is None:
        return None
    if isinstance(parameter.default, bool):
        return truth(value)
    if isinstance(parameter.default, str):
        return word(value, "a name")
    if isinstance(parameter.default, int):
        return whole(value, _INTEGERS)
    return real_number(word(value, "a number"))


def _default_horizons(algorithm: Algorithm, horizon: int | None) -> tuple[int, ...]:
    """The experiment's horizon; before it one per decade for an algorithm that is run again for each."""
    if horizon is None:
        return ()
    if algorithm.anytime:
        return (horizon,)
    decades = []
    rounds = _FIRST_HORIZON
    while rounds < horizon:
        decades.append(rounds)
        rounds *= 10
    return (*decades, horizon)


def _labelled(drafts: list[_Draft]) -> list[Entry]:
    """Entries with labels: where an algorithm stands twice, its unusual parameters are part of the name."""
    uses = Counter(draft.algorithm.id for draft in drafts)
    entries = []
    for draft in drafts:
        label = draft.label or _default_label(draft, several=uses[draft.algorithm.id] > 1)
        folder = slug(label, draft.algorithm.id)
        entries.append(
            Entry(
                draft.algorithm,
                draft.parameters,
                label,
                folder,
                draft.horizons,
                draft.has_own_horizons,
                draft.shuffle_arms,
                draft.given,
            )
        )
    return entries


def _default_label(draft: _Draft, several: bool) -> str:
    known = draft.algorithm.parameters
    unusual = [f"{name}={value}" for name, value in draft.parameters.items() if value != known[name].default]
    return f"{draft.algorithm.name} ({', '.join(unusual)})" if several and unusual else draft.algorithm.name


def _check_different(drafts: list[_Draft], entries: list[Entry], errors: Errors) -> None:
    labels: set[str] = set()
    label_by_slug: dict[str, str] = {}
    for draft, entry in zip(drafts, entries, strict=True):
        at = (*draft.location, "label") if draft.label else draft.location
        if entry.label in labels:
            errors.add(at, f"the label {shown(entry.label)} stands twice; give each algorithm its own 'label'")
        elif entry.slug in label_by_slug:
            both = f"{shown(label_by_slug[entry.slug])} and {shown(entry.label)}"
            errors.add(
                at,
                f"the labels {both} give the same folder '{entry.slug}'; change one",
            )
        labels.add(entry.label)
        label_by_slug.setdefault(entry.slug, entry.label)


def entries_json_schema(algorithms: Mapping[str, Algorithm]) -> dict[str, Any]:
    """JSON Schema of what `read_entries` accepts."""
    by_name = {
        "type": "string",
        "enum": list(algorithms),
        "description": "; ".join(f"{id}: {algorithm.name}" for id, algorithm in algorithms.items()),
    }
    with_parameters = {
        "type": "object",
        "properties": {id: _algorithm_json_schema(algorithm) for id, algorithm in algorithms.items()},
        "additionalProperties": False,
        "minProperties": 1,
        "maxProperties": 1,
    }
    either = {"type": "array", "items": {"anyOf": [by_name, with_parameters]}, "minItems": 1}
    return {"anyOf": [by_name, either]}


def _algorithm_json_schema(algorithm: Algorithm) -> dict[str, Any]:
    clock = "anytime" if algorithm.anytime else "run again for each horizon"
    return {
        "type": ["object", "null"],
        "description": f"{algorithm.name}: assumes {algorithm.assumes}; {clock}. {algorithm.reference}",
        "properties": {
            **{name: parameter_json_schema(parameter) for name, parameter in algorithm.parameters.items()},
            "label": {
                "type": ["string", "number"],
                "description": f"Name in legends; default {algorithm.name}.",
            },
            "horizons": {
                **one_or_more(ROUNDS.json_schema()),
                "description": "Rounds of separate runs, for an algorithm that uses the horizon; by default "
                "the powers of ten from 1000 up to the horizon, and the horizon.",
            },
            "shuffle_arms": {"type": "boolean", "description": "As for the experiment, for this algorithm alone."},
        },
        "additionalProperties": False,
    }


def parameter_json_schema(parameter: Parameter) -> dict[str, Any]:
    schema: dict[str, Any] = {"description": parameter.description, "default": parameter.default}
    if parameter.choices is not None:
        return {**schema, "enum": list(parameter.choices)}
    if isinstance(parameter.default, bool):
        return {**schema, "type": "boolean"}
    if parameter.low is not None:
        schema["exclusiveMinimum" if parameter.low_open else "minimum"] = parameter.low
    if parameter.high is not None:
        schema["exclusiveMaximum" if parameter.high_open else "maximum"] = parameter.high
    number = "integer" if isinstance(parameter.default, int) else "number"
    return {**schema, "type": [number, "null"] if parameter.default is None else number}
