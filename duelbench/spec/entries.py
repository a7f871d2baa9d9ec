"""The ``algorithms`` of a spec: ids, parameters and labels."""

import shlex
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from itertools import count, takewhile
from pathlib import Path
from typing import Any

from duelbench.algorithms import registry
from duelbench.algorithms.contract import Algorithm
from duelbench.algorithms.stopping.rules import RULES
from duelbench.algorithms.stopping.stopped import PREFIX, stopped
from duelbench.problem.identification import Question
from duelbench.simulation.terms import SETTINGS
from duelbench.spec.experiment_spec import Entry
from duelbench.spec.fitting import refusal
from duelbench.spec.identification import STOP, why_no_answer, wrong_rule
from duelbench.spec.keys import Key, Keys, parameter_keys
from duelbench.spec.kinds import LINE, TRUTH, UP_TO_HORIZON_OF_SCALE, one_or_more, several
from duelbench.spec.naming import slug
from duelbench.numerals import shown
from duelbench.spec.reading import MAX_LISTED, Kind, Reading, Schema, listed, word
from duelbench.spec.yaml_source import Value

_FIRST_HORIZON = 1000
"""Shortest default horizon of an algorithm that is run again for each one."""


def _read_horizons(value: Value, at: Reading) -> tuple[int, ...]:
    """Horizons of separate runs, in increasing order; at a scale, those beyond its end are its end."""
    horizons = one_or_more(UP_TO_HORIZON_OF_SCALE, may_repeat=at.draft.is_scaled)
    return tuple(sorted(set(horizons.read(value, at) or ())))


_HORIZONS = Kind(_read_horizons, one_or_more(UP_TO_HORIZON_OF_SCALE).json_schema)


def _algorithm_keys(algorithm: Algorithm) -> Keys:
    """What a spec can say of an algorithm."""
    clock = "anytime" if algorithm.anytime else "run again for each horizon"
    plays_duels = "duels" in algorithm.plays
    return Keys(
        {
            **parameter_keys(algorithm.parameters, f"{algorithm.id}.{{}}"),
            **({"stop": Key(STOP, STOP.description)} if plays_duels else {}),
            "label": Key(LINE, "Name in legends; default the algorithm's own."),
            "horizons": Key(
                _HORIZONS,
                "Rounds of separate runs, for an algorithm that uses the horizon; by default the powers of ten from "
                "1000 up to the horizon, and the horizon.",
            ),
            "shuffle_arms": Key(TRUTH, "As for the experiment, for this algorithm alone."),
        },
        f"{{label: {algorithm.name}}}",
        description=f"{algorithm.name}: assumes {algorithm.assumes}; {clock}. {algorithm.reference}",
        what="parameter",
        owner=f" for {algorithm.id}",
        refused={}
        if plays_duels
        else {"stop": f"{algorithm.id} plays no duels, which stopping rules need; remove 'stop'"},
    )


def _read_algorithms(value: Value, at: Reading) -> tuple[Entry, ...]:
    """One id, or a list of ids and of ``{id: {parameter: value, label: ..., horizons: ...}}``."""
    if isinstance(value, dict):
        raise ValueError("is a list: begin every algorithm with '- ', as in '- rucb: {alpha: 0.51}'")
    with at.faultless():
        drafts = [here.attempt(_draft, item, here) for here, item in listed(value, at, most=MAX_LISTED)]
        return tuple(_labelled([draft for draft in drafts if draft is not None]))


def _schema() -> Schema:
    algorithms = registry.algorithms()
    by_name = {"enum": list(algorithms)}
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
    return {"anyOf": [by_name, several({"anyOf": [by_name, with_parameters]})]}


ALGORITHMS = Kind(_read_algorithms, _schema)


def _draft(item: Value, at: Reading) -> tuple[Reading, Entry] | None:
    """An item of the list with its place, its label empty unless given; None where too little is right."""
    id, content = _name_and_content(item)
    here = at.below(id) if isinstance(item, dict) else at
    algorithm = here.attempt(_algorithm, id, at.draft.folder, at_key=isinstance(item, dict))
    if algorithm is None:
        return None
    draft = at.draft
    before = len(draft.noted)
    if draft.is_scalar is not None:
        at.attempt(registry.check_plays, algorithm, draft.is_scalar)
    is_playable = draft.is_scalar is not None and len(draft.noted) == before
    before = len(draft.noted)
    keys = _algorithm_keys(algorithm)
    options = keys.read(content, here)
    if options is None or not isinstance(content, dict):
        return None
    chosen = {name: options[name] for name in algorithm.parameters if name in options}
    given = {str(name) for name in content if name in algorithm.parameters}
    if "stop" in options:
        algorithm, of_rule = _stopped(algorithm, options["stop"], here)
        chosen |= of_rule
        given |= {f"{PREFIX}{name}" for name in options["stop"] if name != "rule"}
    question: Question | None = draft.keys.get("identify")
    if question is not None:
        # Whether the parameter k of the algorithm is how many arms it looks for.
        looks_for_k = algorithm.rank is not None and "k" in algorithm.parameters
        if algorithm.explored is not None and "delta" in algorithm.parameters:
            chosen.setdefault("delta", question.delta)
        if looks_for_k and question.k is not None:
            chosen.setdefault("k", question.k)
        asked, k = question.k or 1, chosen.get("k", 1)
        why = why_no_answer(algorithm, question, "budget" in draft.given, draft.problems)
        has_wrong_rule = not algorithm.parts and "stop" in keys.meant_by(content)
        if why is not None and is_playable and not has_wrong_rule:
            at.note(why)
        elif looks_for_k and k != asked:
            here.below("k").note(f"{id} looks for k = {k}, and 'identify' asks for {asked}; remove 'k'")
    parameters = here.attempt(algorithm.resolve, chosen)
    label = options.get("label", "")
    is_right = len(draft.noted) == before
    if not label and not is_right:
        # Without its wrong options its label might seem to appear twice.
        return None
    is_anytime = algorithm.anytime if parameters is None else algorithm.is_anytime(parameters)
    entry = Entry(
        algorithm,
        parameters or {},
        label,
        "",
        options.get("horizons") or _default_horizons(is_anytime, draft.keys),
        "horizons" in options,
        {name: options[name] for name in SETTINGS if name in options},
        frozenset(given),
    )
    # In a sweep the problems are not known yet.
    if is_right and is_playable and "sweep" not in draft.given and (why := refusal(draft.problems, entry)):
        at.note(why)
    return here, entry


def _name_and_content(item: Value) -> tuple[str, Value]:
    """The id of an item and its options, by default ``{}``."""
    wanted = "the id of an algorithm, such as rucb"
    if not isinstance(item, dict):
        return word(item, wanted), {}
    if len(item) != 1:
        example = "- rucb: {alpha: 0.51}"
        raise ValueError(f"must be one algorithm, with its parameters indented below it, as in '{example}'")
    [(id, content)] = item.items()
    return word(id, wanted), {} if content is None else content


def _algorithm(id: str, folder: Path) -> Algorithm:
    if id not in registry.ids():
        plug_in = next((path for path in sorted(folder.glob("*.py")) if _names(path, id)), None)
        hint = f" (is it the one in {plug_in}? then add `--plug-in {shlex.quote(str(plug_in))}`)" if plug_in else ""
        raise ValueError(f"{shown(id)} is not an algorithm{hint or registry.suggestion(id)}")
    return registry.get(id)


def _names(path: Path, id: str) -> bool:
    """Whether a Python file contains the id in quotes."""
    try:
        text = path.read_text(encoding="utf-8", errors="replace") if path.is_file() else ""
    except OSError:
        return False
    return f'"{id}"' in text or f"'{id}'" in text


def _stopped(algorithm: Algorithm, options: Mapping[str, Any], at: Reading) -> tuple[Algorithm, dict[str, Any]]:
    """The algorithm with the stopping rule that an entry asks for, and the rule's parameters."""
    if "rule" not in options:
        return algorithm, {}
    rule = RULES[options["rule"]]
    question = at.draft.keys.get("identify") or Question("condorcet")
    is_known = "identify" in at.draft.keys or "identify" not in at.draft.given  # else what is asked is itself wrong
    if is_known and (wrong := wrong_rule(rule, question)) is not None:
        at.below("stop", "rule").note(wrong)
    own = {name: value for name, value in options.items() if name != "rule"}
    for name in own:
        if name not in rule.parameters:
            able = [other.id for other in RULES.values() if name in other.parameters]
            at.below("stop", name).note(f"is for the rule {' or '.join(able)}, not {rule.id}; remove it", at_key=True)
    asked = {"delta": question.delta, "epsilon": question.epsilon, "target": question.target, "k": question.k or 1}
    given = {**asked, **own}
    return stopped(algorithm, rule.id), {f"{PREFIX}{name}": given[name] for name in rule.parameters if name in given}


def _default_horizons(is_anytime: bool, keys: Mapping[str, Any]) -> tuple[int, ...]:
    """The experiment's horizon; before it budgets, or one per decade, for an algorithm that is run again for each."""
    horizon = keys.get("horizon")
    if horizon is None:
        return ()
    if not is_anytime and keys.get("budget"):
        return tuple(keys["budget"])
    if is_anytime or keys.get("identify"):  # what ends with an answer is run once
        return (horizon,)
    decades = takewhile(lambda rounds: rounds < horizon, (_FIRST_HORIZON * 10**k for k in count()))
    return (*decades, horizon)


def _labelled(drafts: list[tuple[Reading, Entry]]) -> list[Entry]:
    """The entries with labels: where an algorithm occurs twice, with the parameters that are not the default."""
    uses = Counter(draft.algorithm.id for _, draft in drafts)
    entries: list[Entry] = []
    labels: set[str] = set()
    label_by_slug: dict[str, str] = {}
    for place, draft in drafts:
        at = place.below("label") if draft.label else place
        label = draft.label or _default_label(draft, several=uses[draft.algorithm.id] > 1)
        folder = slug(label, draft.algorithm.id)
        if label in labels:
            at.note(f"the label {shown(label)} appears twice; give each algorithm its own 'label'")
        elif folder in label_by_slug:
            both = f"{shown(label_by_slug[folder])} and {shown(label)}"
            at.note(f"the labels {both} give the same folder '{folder}'; change one")
        labels.add(label)
        label_by_slug.setdefault(folder, label)
        entries.append(replace(draft, label=label, slug=folder))
    return entries


def _default_label(draft: Entry, several: bool) -> str:
    algorithm = draft.algorithm
    name = algorithm.named(draft.parameters)
    if not several or name != algorithm.name:
        return name
    given = draft.parameters.items()
    unusual = [f"{key}={value}" for key, value in given if value != algorithm.parameters[key].default]
    return f"{name} ({', '.join(unusual)})" if unusual else name
