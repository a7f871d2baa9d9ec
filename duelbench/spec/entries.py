"""The ``algorithms`` of a spec: ids, parameters and labels."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any

from duelbench.algorithms import registry
from duelbench.algorithms.contract import Algorithm
from duelbench.algorithms.stopping.rules import RULES
from duelbench.algorithms.stopping.stopped import PREFIX, stopped
from duelbench.errors import InputError
from duelbench.problem.identification import Question
from duelbench.spec.experiment_spec import Entry
from duelbench.spec.fitting import refusal
from duelbench.spec.identification.keys import (
    STOP,
    USUAL,
    can_be_stopped,
    rule_parameters,
    why_no_answer,
    why_no_rule,
    why_other_k,
    wrong_rule,
)
from duelbench.spec.kinds import (
    LINE,
    MAX_LISTED,
    TRUTH,
    Key,
    Keys,
    Kind,
    OneOrMore,
    Reading,
    Schema,
    UpToHorizon,
    listed,
    word,
)
from duelbench.spec.naming import slug
from duelbench.spec.numerals import shown
from duelbench.spec.parameters import parameter_keys
from duelbench.spec.yaml_source import Value

_FIRST_HORIZON = 1000
"""Shortest default horizon of an algorithm that is run again for each one."""


class _Horizons(OneOrMore):
    """Horizons of separate runs, in increasing order; at a scale, those beyond its end are its end."""

    def read(self, value: Value, at: Reading) -> tuple[int, ...]:
        if at.draft.is_scaled:
            read = [self.item.read(item, here) for here, item in listed(value, at)]
            return tuple(sorted({rounds for rounds in read if rounds is not None}))
        return tuple(sorted(super().read(value, at)))


def _algorithm_keys(algorithm: Algorithm) -> Keys:
    """What a spec can say of an algorithm."""
    clock = "anytime" if algorithm.anytime else "run again for each horizon"
    own = {
        "label": Key(LINE, "Name in legends; default the algorithm's own."),
        "horizons": Key(
            _Horizons(UpToHorizon(ends_with_scale=True)),
            "Rounds of separate runs, for an algorithm that uses the horizon; by default the powers of ten from 1000 "
            "up to the horizon, and the horizon.",
        ),
        "shuffle_arms": Key(TRUTH, "As for the experiment, for this algorithm alone."),
    }
    stop = {"stop": Key(STOP, STOP.description)} if can_be_stopped(algorithm) else {}
    return Keys(
        {**parameter_keys(algorithm.parameters), **stop, **own},
        f"{{label: {algorithm.name}}}",
        f"{algorithm.name}: assumes {algorithm.assumes}; {clock}. {algorithm.reference}",
        "parameter",
        f" for {algorithm.id}",
        {} if stop else {"stop": why_no_rule(algorithm)},
    )


class Algorithms(Kind):
    """One id, or a list of ids and of ``{id: {parameter: value, label: ..., horizons: ...}}``."""

    def read(self, value: Value, at: Reading) -> tuple[Entry, ...] | None:
        """The entries; None where anything is wrong with one of them."""
        before = len(at.draft.noted)
        if isinstance(value, dict):
            at.note("is a list: begin every algorithm with '- ', as in '- rucb: {alpha: 0.51}'")
            return None
        items = listed(value, at, most=MAX_LISTED)
        drafts = [draft for here, item in items if (draft := _draft(item, here))]
        at.draft.names_all_algorithms = 0 < len(items) == len(at.draft.algorithms)
        entries = _labelled([entry for _, entry in drafts])
        _check_different([here for here, _ in drafts], [entry for _, entry in drafts], entries)
        at.draft.labels += [entry.label for entry in entries]
        return tuple(entries) if len(at.draft.noted) == before else None

    def json_schema(self) -> Schema:
        algorithms = registry.algorithms()
        by_name = {
            "type": "string",
            "enum": list(algorithms),
            "description": "; ".join(f"{id}: {algorithm.name}" for id, algorithm in algorithms.items()),
        }
        with_parameters = {
            "type": "object",
            "properties": {
                id: {**_algorithm_keys(algorithm).json_schema(), "type": ["object", "null"]}
                for id, algorithm in algorithms.items()
            },
            "additionalProperties": False,
            "minProperties": 1,
            "maxProperties": 1,
        }
        return {"anyOf": [by_name, {"type": "array", "items": {"anyOf": [by_name, with_parameters]}, "minItems": 1}]}


def _draft(item: Value, at: Reading) -> tuple[Reading, Entry] | None:
    """An item of the list with its place, its label empty unless one was given; None where it is not known."""
    named = at.attempt(_name_and_content, item)
    if named is None:
        return None
    id, content = named
    here = at.below(id) if isinstance(item, dict) else at
    algorithm = here.attempt(_algorithm, id, at_key=isinstance(item, dict))
    if algorithm is None:
        return None
    at.draft.algorithms.append(algorithm)
    is_playable = at.draft.is_scalar is not None and _plays(algorithm, bool(at.draft.is_scalar), at)
    before = len(at.draft.noted)
    said = _algorithm_keys(algorithm).read(content, here)
    if said is None:
        at.draft.labels.append(algorithm.name)
        return None
    given = {str(name) for name in content} & {*algorithm.parameters} if isinstance(content, dict) else set()
    chosen = {name: said[name] for name in given if name in said}
    if "stop" in said:
        algorithm, of_rule = _stopped(algorithm, said["stop"], here)
        chosen |= of_rule
        given |= {f"{PREFIX}{name}" for name in said["stop"] if name != "rule"}
        at.draft.algorithms[-1] = algorithm
    question = at.draft.keys.get("identify")
    if question is not None:
        chosen = {**_parameters_of(question, algorithm), **chosen}
        why = why_no_answer(algorithm, question, at.draft.has_budget, at.draft.problems)
        if why is not None and is_playable:
            at.note(why)
        elif _looks_for_k(algorithm) and (why := why_other_k(algorithm, question, chosen.get("k", 1))):
            here.below("k").note(why)
    parameters = here.attempt(algorithm.resolve, chosen)
    label = said.get("label", "")
    is_right = len(at.draft.noted) == before
    if not label and not is_right:
        at.draft.labels.append(algorithm.name)
        # With the label that it would have without what is wrong, it might seem to stand twice.
        return None
    is_anytime = algorithm.anytime if parameters is None else algorithm.is_anytime(parameters)
    horizons = said.get("horizons") or _default_horizons(is_anytime, at.draft.keys)
    entry = Entry(
        algorithm, parameters or {}, label, "", horizons, "horizons" in said, said.get("shuffle_arms"), frozenset(given)
    )
    # Of a sweep it is not known yet what its algorithms will play.
    is_judged = is_right and is_playable and not at.draft.has_sweep
    if is_judged and (why := refusal(at.draft.problems, entry)) is not None:
        at.note(why)
    return here, entry


def _parameters_of(question: Question, algorithm: Algorithm) -> dict[str, Any]:
    """Values that the question gives to parameters: to delta, and to k where that is how many arms are looked for."""
    found: dict[str, Any] = {}
    if algorithm.explored is not None and "delta" in algorithm.parameters:
        found["delta"] = question.delta
    if _looks_for_k(algorithm) and question.k is not None:
        found["k"] = question.k
    return found


def _looks_for_k(algorithm: Algorithm) -> bool:
    """Whether the parameter k of an algorithm is how many arms it looks for."""
    return algorithm.rank is not None and "k" in algorithm.parameters


def _plays(algorithm: Algorithm, is_scalar: bool, at: Reading) -> bool:
    """Whether an algorithm plays scalar bandits, or else matrices; noted where it does not."""
    try:
        registry.check_plays(algorithm, is_scalar)
    except InputError as error:
        at.note(str(error))
        return False
    return True


def _name_and_content(item: Value) -> tuple[str, Value]:
    """The id of an item and what is said about it, nothing being ``{}``."""
    wanted = "the id of an algorithm, such as rucb"
    if not isinstance(item, dict):
        return word(item, wanted), {}
    if len(item) != 1:
        example = "- rucb: {alpha: 0.51}"
        raise ValueError(f"must be one algorithm, with its parameters indented below it, as in '{example}'")
    [(id, content)] = item.items()
    return word(id, wanted), {} if content is None else content


def _algorithm(id: str) -> Algorithm:
    known = registry.ids()
    if id not in known:
        raise ValueError(f"{shown(id)} is not an algorithm{_suggestion(id, known)}")
    try:
        return registry.get(id)
    except InputError as error:
        # A plug-in that cannot be loaded.
        raise ValueError(str(error)) from None


@lru_cache(maxsize=1000)
def _suggestion(id: str, known: tuple[str, ...]) -> str:
    """`registry.suggestion`, looked for once: a wrong id is wrong at every scale; ``known`` tells when others are."""
    return registry.suggestion(id)


def _stopped(algorithm: Algorithm, said: Mapping[str, Any], at: Reading) -> tuple[Algorithm, dict[str, Any]]:
    """The algorithm with the stopping rule that an entry asks for, and the rule's parameters."""
    if "rule" not in said:
        return algorithm, {}
    rule, question = RULES[said["rule"]], at.draft.keys.get("identify") or USUAL
    is_known = "identify" in at.draft.keys or not at.draft.has_question  # else what is asked is itself wrong
    if is_known and (wrong := wrong_rule(rule, question)) is not None:
        at.below("stop", "rule").note(wrong)
    own = {name: value for name, value in said.items() if name != "rule"}
    for name in own:
        if name not in rule.parameters:
            able = [other.id for other in RULES.values() if name in other.parameters]
            at.below("stop", name).note(f"is for the rule {' or '.join(able)}, not {rule.id}; remove it", at_key=True)
    return stopped(algorithm, rule.id), rule_parameters(rule, own, question)


def _default_horizons(is_anytime: bool, keys: Mapping[str, Any]) -> tuple[int, ...]:
    """The experiment's horizon; before it budgets, or one per decade, for an algorithm that is run again for each.

    What ends with an answer is asked for one, and not after how many rounds it would have had another.
    """
    horizon = keys.get("horizon")
    if horizon is None:
        return ()
    if is_anytime:
        return (horizon,)
    if keys.get("budget"):
        return tuple(keys["budget"])
    if keys.get("identify"):
        return (horizon,)
    decades = []
    rounds = _FIRST_HORIZON
    while rounds < horizon:
        decades.append(rounds)
        rounds *= 10
    return (*decades, horizon)


def _labelled(drafts: list[Entry]) -> list[Entry]:
    """The entries with labels: where an algorithm stands twice, its unusual parameters are part of the name."""
    uses = Counter(draft.algorithm.id for draft in drafts)
    labels = [draft.label or _default_label(draft, several=uses[draft.algorithm.id] > 1) for draft in drafts]
    return [
        replace(draft, label=label, slug=slug(label, draft.algorithm.id))
        for draft, label in zip(drafts, labels, strict=True)
    ]


def _default_label(draft: Entry, several: bool) -> str:
    known = draft.algorithm.parameters
    unusual = [f"{name}={value}" for name, value in draft.parameters.items() if value != known[name].default]
    name = draft.algorithm.named(draft.parameters)
    says_them = name != draft.algorithm.name
    return f"{name} ({', '.join(unusual)})" if several and unusual and not says_them else name


def _check_different(places: list[Reading], drafts: list[Entry], entries: list[Entry]) -> None:
    labels: set[str] = set()
    label_by_slug: dict[str, str] = {}
    for place, draft, entry in zip(places, drafts, entries, strict=True):
        at = place.below("label") if draft.label else place
        if entry.label in labels:
            at.note(f"the label {shown(entry.label)} stands twice; give each algorithm its own 'label'")
        elif entry.slug in label_by_slug:
            both = f"{shown(label_by_slug[entry.slug])} and {shown(entry.label)}"
            at.note(f"the labels {both} give the same folder '{entry.slug}'; change one")
        labels.add(entry.label)
        label_by_slug.setdefault(entry.slug, entry.label)
