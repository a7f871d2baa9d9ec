"""The ``algorithms`` of a spec: ids, parameters and labels."""

import ast
import shlex
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count, takewhile
from pathlib import Path
from typing import Annotated, Any, ClassVar

from pydantic import Field, ValidationError, ValidationInfo
from pydantic_core import core_schema

from duelbench.bandits.algorithms import registry
from duelbench.bandits.algorithms.contract import Algorithm
from duelbench.bandits.algorithms.stopping.rules import RULES
from duelbench.bandits.algorithms.stopping.stopped import PREFIX, stopped
from duelbench.bandits.problem.identification import Question
from duelbench.bandits.simulation.terms import SETTINGS
from duelbench.common.numerals import shown, word
from duelbench.errors import InputError
from duelbench.experiments.spec.experiment_spec import Entry, Problem
from duelbench.experiments.spec.fields import (
    MAX_LISTED,
    IfGiven,
    Line,
    Notes,
    OneOf,
    OneOrMore,
    Part,
    Rounds,
    Schema,
    Truth,
    error_of,
    mistakes,
    parameter_fields,
    part_of,
)
from duelbench.experiments.spec.fitting import refusal
from duelbench.experiments.spec.identification import Stop, why_no_answer, wrong_rule
from duelbench.experiments.spec.naming import slug
from duelbench.experiments.spec.yaml_source import Location, Mistake

_FIRST_HORIZON = 1000
"""The shortest default horizon of an algorithm that is run again for each horizon."""

# --- the keys ---


class AlgorithmKeys(Part):
    """Keys of an algorithm in a spec, in addition to its parameters."""

    noun: ClassVar[str] = "parameter"
    algorithm: ClassVar[Algorithm]

    label: IfGiven[Line] = Field(None, description="Name in legends; by default the algorithm's name.")
    horizons: IfGiven[Annotated[tuple[Rounds, ...], OneOrMore(may_repeat=True)]] = Field(
        None,
        description="Rounds of separate runs, for an algorithm that uses the horizon; by default the powers of ten "
        "from 1000 up to the horizon, and the horizon.",
    )
    shuffle_arms: IfGiven[Truth] = Field(None, description="As for the experiment, for this algorithm alone.")


class DuelingKeys(AlgorithmKeys):
    """Keys of an algorithm that plays duels."""

    stop: IfGiven[Stop] = Field(None, description=Stop.__doc__)


_models: dict[str, type[AlgorithmKeys]] = {}
"""The models made so far, by the id of the algorithm."""


def algorithm_model(algorithm: Algorithm) -> type[AlgorithmKeys]:
    """Return the model of the keys of an algorithm in a spec."""
    if algorithm.id not in _models or _models[algorithm.id].algorithm is not algorithm:
        _models[algorithm.id] = _model(algorithm)
    return _models[algorithm.id]


def _model(algorithm: Algorithm) -> type[AlgorithmKeys]:
    clock = "anytime" if algorithm.anytime else "run again for each horizon"
    plays_duels = "duels" in algorithm.plays
    no_stop = f"{algorithm.id} plays no duels, which stopping rules need; remove 'stop'"
    return part_of(
        algorithm.id,
        DuelingKeys if plays_duels else AlgorithmKeys,
        parameter_fields(algorithm.parameters, f"{algorithm.id}.{{}}"),
        f"{algorithm.name}: assumes {algorithm.assumes}; {clock}. {algorithm.reference}",
        example=f"{{label: {algorithm.name}}}",
        owner=f" for {algorithm.id}",
        refused={} if plays_duels else {"stop": no_stop},
        algorithm=algorithm,
    )


class _Item:
    """The annotation of an item of the list: an id, or ``{id: {parameter: value, label: ..., horizons: ...}}``."""

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> core_schema.CoreSchema:
        return core_schema.with_info_plain_validator_function(self._read)

    def _read(self, value: Any, info: ValidationInfo) -> AlgorithmKeys:
        folder = info.context["folder"] if info.context else Path()
        id, content = _id_and_keys(value)
        location: Location = (id,) if isinstance(value, Mapping) else ()
        try:
            model = algorithm_model(_algorithm(id, folder))
        except (ValueError, InputError) as error:
            raise error_of([Mistake(location, str(error), at_key=bool(location))]) from None
        try:
            keys: AlgorithmKeys = model.model_validate(content)
            return keys
        except ValidationError as error:
            raise error_of(m._replace(location=location + m.location) for m in mistakes(error)) from None

    def __get_pydantic_json_schema__(self, schema: Any, handler: Any) -> Schema:
        return {}  # `duelbench.experiments.spec.schema` adds the algorithms


def _id_and_keys(item: Any) -> tuple[str, Any]:
    """Return the id of an item and its keys, empty if it has none."""
    wanted = "the id of an algorithm, such as rucb"
    if not isinstance(item, Mapping):
        return word(item, wanted), {}
    if len(item) != 1:
        example = "- rucb: {alpha: 0.51}"
        raise ValueError(f"must be one algorithm, with its parameters indented below it, as in '{example}'")
    [(id, content)] = item.items()
    return word(id, wanted), {} if content is None else content


def _algorithm(id: str, folder: Path) -> Algorithm:
    if id not in registry.ids():
        plug_in = next((path for path in sorted(folder.glob("*.py")) if _declares(path, id)), None)
        hint = f" (is it the one in {plug_in}? then add `--plug-in {shlex.quote(str(plug_in))}`)" if plug_in else ""
        raise ValueError(f"{shown(id)} is not an algorithm{hint or registry.suggestion(id)}")
    return registry.get(id)


def _declares(path: Path, id: str) -> bool:
    """Return whether a Python file declares an algorithm of this id: by `Algorithm` or `Algorithm.of_module`."""
    try:
        tree = ast.parse(path.read_bytes())
    except (OSError, SyntaxError, ValueError, RecursionError):
        return False
    for call in ast.walk(tree):
        if isinstance(call, ast.Call) and ast.unparse(call.func).endswith(("Algorithm", "Algorithm.of_module")):
            values = [*call.args, *(keyword.value for keyword in call.keywords if keyword.arg == "id")]
            if any(isinstance(value, ast.Constant) and value.value == id for value in values):
                return True
    return False


Items = Annotated[
    tuple[Annotated[AlgorithmKeys, _Item()], ...],
    OneOrMore(1, MAX_LISTED, may_repeat=True, is_judged_by_item=True),
]


def _algorithms_type(value: Any) -> Any:
    if isinstance(value, Mapping):
        raise ValueError("is a list: begin every algorithm with '- ', as in '- rucb: {alpha: 0.51}'")
    return Items


Algorithms = Annotated[Any, OneOf(_algorithms_type, Items)]


def algorithm_models() -> dict[str, type[AlgorithmKeys]]:
    """Return the models of all algorithms by their ids."""
    return {id: algorithm_model(algorithm) for id, algorithm in registry.algorithms().items()}


# --- the entries ---


@dataclass(frozen=True)
class Setting:
    """The rest of a spec, as far as it is known, on which entries depend."""

    problems: Sequence[Problem]
    is_scalar: bool | None  # whether the problems are scalar bandits; None if that is not known
    horizon: int | None
    budget: Sequence[int]
    question: Question | None
    present: frozenset[str]  # the keys of the spec, right or wrong
    is_scaled: bool = False  # whether the spec is read at one of its scales


def make_entries(
    items: Sequence[AlgorithmKeys | None], written: Any, setting: Setting, notes: Notes
) -> tuple[Entry, ...] | None:
    """Return the entries; None, with notes, if anything is wrong. ``written`` is the value in the file."""
    before = len(notes.mistakes)
    drafts = []
    for k, keys in enumerate(items):
        if keys is None:
            continue
        item = written[k] if isinstance(written, (list, tuple)) else written
        at: Location = ("algorithms", k) if isinstance(written, (list, tuple)) else ("algorithms",)
        here: Location = (*at, keys.algorithm.id) if isinstance(item, Mapping) else at
        entry = _Draft(keys, item, setting, at, here, notes).entry()
        if entry is not None:
            drafts.append((here, entry))
    entries = _labelled(drafts, notes)
    return tuple(entries) if len(notes.mistakes) == before and None not in items else None


class _Draft:
    """An item of the list on its way to an entry; ``here`` is the location of its keys."""

    def __init__(
        self, keys: AlgorithmKeys, written: Any, setting: Setting, at: Location, here: Location, notes: Notes
    ) -> None:
        self.keys, self.written, self.setting = keys, written, setting
        self.at, self.here, self.notes = at, here, notes
        self.values = keys.explicit

    def entry(self) -> Entry | None:
        """Return the entry, its label empty unless the spec gives one; None if too much of it is wrong."""
        setting, notes, values = self.setting, self.notes, self.values
        algorithm = self.keys.algorithm
        before = len(notes.mistakes)
        if setting.is_scalar is not None:
            notes.attempt(self.at, registry.check_plays, algorithm, setting.is_scalar)
        is_playable = setting.is_scalar is not None and len(notes.mistakes) == before
        chosen = {name: values[name] for name in algorithm.parameters if name in values}
        explicit = {name for name in values if name in algorithm.parameters}
        stop: Stop | None = values.get("stop")
        if stop is not None:
            algorithm, rule_parameters = self._stopped(algorithm, stop)
            chosen |= rule_parameters
            explicit |= {f"{PREFIX}{name}" for name in stop.explicit if name != "rule"}
        if setting.question is not None:
            chosen = self._answering(algorithm, setting.question, chosen, is_playable)
        parameters = notes.attempt(self.here, algorithm.resolve, chosen)
        horizons = self._horizons()
        is_right = len(notes.mistakes) == before
        label = values.get("label", "")
        if not label and not is_right:
            return None  # without the wrong keys, its default label may repeat another
        is_anytime = algorithm.anytime if parameters is None else algorithm.is_anytime(parameters)
        entry = Entry(
            algorithm,
            parameters or {},
            label,
            "",
            horizons or _default_horizons(is_anytime, setting),
            "horizons" in values,
            {name: values[name] for name in SETTINGS if name in values},
            frozenset(explicit),
        )
        # In a sweep the problems are not known yet.
        if is_right and is_playable and "sweep" not in setting.present and (why := refusal(setting.problems, entry)):
            notes.note(self.at, why)
        return entry

    def _stopped(self, algorithm: Algorithm, stop: Stop) -> tuple[Algorithm, dict[str, Any]]:
        """Return the algorithm with the stopping rule of the entry, and the rule's parameters."""
        rule = RULES[stop.rule]
        setting = self.setting
        question = setting.question or Question("condorcet")
        is_known = setting.question is not None or "identify" not in setting.present  # else the question is wrong
        if is_known and (wrong := wrong_rule(rule, question)) is not None:
            self.notes.note((*self.here, "stop", "rule"), wrong)
        options = {name: value for name, value in stop.explicit.items() if name != "rule"}
        for name in options:
            if name not in rule.parameters:
                able = [candidate.id for candidate in RULES.values() if name in candidate.parameters]
                message = f"is for the rule {' or '.join(able)}, not {rule.id}; remove it"
                self.notes.note((*self.here, "stop", name), message, at_key=True)
        implied = {
            "delta": question.delta,
            "epsilon": question.epsilon,
            "target": question.target,
            "k": question.k or 1,
        }
        values = {**implied, **options}
        parameters = {f"{PREFIX}{name}": values[name] for name in rule.parameters if name in values}
        return stopped(algorithm, rule.id), parameters

    def _answering(
        self, algorithm: Algorithm, question: Question, chosen: dict[str, Any], is_playable: bool
    ) -> dict[str, Any]:
        """Return the parameters, with those that a question decides; note if the algorithm does not answer it."""
        # Whether the parameter k of the algorithm is the number of arms that it looks for.
        looks_for_k = algorithm.rank is not None and "k" in algorithm.parameters
        defaults: dict[str, Any] = {}
        if algorithm.explored is not None and "delta" in algorithm.parameters:
            defaults["delta"] = question.delta
        if looks_for_k and question.k is not None:
            defaults["k"] = question.k
        chosen = {**defaults, **chosen}
        wanted_k, k = question.k or 1, chosen.get("k", 1)
        why = why_no_answer(algorithm, question, "budget" in self.setting.present, self.setting.problems)
        if why is not None and is_playable:
            self.notes.note(self.at, why)
        elif looks_for_k and k != wanted_k:
            message = f"{algorithm.id} looks for k = {k}, but 'identify' has k = {wanted_k}; remove 'k'"
            self.notes.note((*self.here, "k"), message)
        return chosen

    def _horizons(self) -> tuple[int, ...]:
        """Return the horizons of separate runs, increasing; at a scale, those beyond its horizon become its horizon."""
        horizon, is_scaled = self.setting.horizon, self.setting.is_scaled
        horizons: list[int] = []
        is_list = "horizons" in self.values and isinstance(self.written[self.keys.algorithm.id]["horizons"], list)
        for k, rounds in enumerate(self.values.get("horizons", ())):
            is_beyond = horizon is not None and rounds > horizon
            location = (*self.here, "horizons", *([k] if is_list else []))
            if is_beyond and not is_scaled:
                self.notes.note(location, f"must be at most the horizon, {horizon:_} rounds, got {rounds:_}")
            elif rounds in horizons and not is_scaled:
                self.notes.note(location, f"'{rounds}' appears twice; remove one")
            horizons.append(horizon if is_beyond and horizon is not None else rounds)
        return tuple(sorted(set(horizons)))


def _default_horizons(is_anytime: bool, setting: Setting) -> tuple[int, ...]:
    """Return the experiment's horizon and, for an algorithm that uses it, the budgets or powers of ten below it."""
    horizon = setting.horizon
    if horizon is None:
        return ()
    if not is_anytime and setting.budget:
        return tuple(setting.budget)
    if is_anytime or setting.question is not None:  # a run that ends with an answer needs no shorter ones
        return (horizon,)
    decades = takewhile(lambda rounds: rounds < horizon, (_FIRST_HORIZON * 10**k for k in count()))
    return (*decades, horizon)


def _labelled(drafts: list[tuple[Location, Entry]], notes: Notes) -> list[Entry]:
    """Return the entries with labels; if an algorithm occurs twice, default labels name its non-default parameters."""
    uses = Counter(draft.algorithm.id for _, draft in drafts)
    entries: list[Entry] = []
    label_of_folder: dict[str, str] = {}
    labels: set[str] = set()
    for here, draft in drafts:
        location = (*here, "label") if draft.label else here
        label = draft.label or _default_label(draft, several=uses[draft.algorithm.id] > 1)
        folder = slug(label, draft.algorithm.id)
        if label in labels:
            notes.note(location, f"the label {shown(label)} appears twice; give each algorithm its own 'label'")
        elif folder in label_of_folder:
            both = f"{shown(label_of_folder[folder])} and {shown(label)}"
            notes.note(location, f"the labels {both} give the same folder '{folder}'; change one")
        labels.add(label)
        label_of_folder.setdefault(folder, label)
        entries.append(replace(draft, label=label, slug=folder))
    return entries


def _default_label(draft: Entry, several: bool) -> str:
    algorithm = draft.algorithm
    name = algorithm.named(draft.parameters)
    if not several or name != algorithm.name:
        return name
    parameters = draft.parameters.items()
    unusual = [f"{key}={value}" for key, value in parameters if value != algorithm.parameters[key].default]
    return f"{name} ({', '.join(unusual)})" if unusual else name
