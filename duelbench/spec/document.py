"""The keys of a spec file: what each may hold, and its description for editors; and the JSON Schema made of them.

`KEYS` is read in its order, so that later ones can depend on earlier ones: regret on the matrices, batches of feedback,
checkpoints and algorithms on the horizon.
"""

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from duelbench.problem import round_losses
from duelbench.problem.worlds.losses import STATIC
from duelbench.problem.worlds.world import World
from duelbench.simulation.game import feedback_refusal
from duelbench.simulation.terms import Settings
from duelbench.spec.entries import ALGORITHMS
from duelbench.spec.experiment_spec import Entry, Sweep
from duelbench.spec.figure_key import BOUNDS, FIGURE
from duelbench.spec.fitting import regret_refusal
from duelbench.spec.identification import BUDGETS, IDENTIFY
from duelbench.spec.keys import Key, Keys
from duelbench.spec.kinds import (
    LINE,
    NAME,
    ROUNDS,
    TRUTH,
    UP_TO_HORIZON,
    by_form,
    choice,
    either,
    one_or_more,
    several,
    whole,
)
from duelbench.numerals import real_number, shown
from duelbench.spec.problems import BANDIT, MATRIX, PROBLEMS
from duelbench.spec.reading import Kind, Parsed, Reading, Schema, listed, word
from duelbench.spec.scales import PROBLEM_KEYS, scales_of
from duelbench.spec.sweeps import DELAY, SWEEP, is_swept
from duelbench.spec.worlds import WORLD, WORLDS
from duelbench.spec.yaml_source import Value
from duelbench.statistics.curves import FEWEST
from duelbench.statistics.interim import LEAST, MOST, RANKED, Until

MOST_RANKED = 100
"""Algorithms whose pairs can be compared within seconds."""


_REGRET = choice((*round_losses.NAMES, *STATIC), "a regret definition")


def _read_regret(value: Value, at: Reading) -> str | None:
    """A regret definition that every problem allows."""
    name: str = _REGRET.parse(value)
    is_scalar = at.draft.is_scalar
    if name not in STATIC and is_scalar is not None:
        round_losses.check_kind(name, is_scalar)
    for reason in filter(None, (regret_refusal(name, problem) for problem in at.draft.problems)):
        at.note(reason)
    return name


def _read_increasing(value: Value, at: Reading) -> tuple[int, ...]:
    """Increasing rounds up to the horizon."""
    rounds: list[int] = []
    for here, item in listed(value, at):
        t = UP_TO_HORIZON.read(item, here)
        if t is not None and rounds and t <= rounds[-1]:
            here.note(f"rounds must increase, but {t} stands after {rounds[-1]}")
        rounds += [] if t is None else [t]
    return tuple(rounds)


def _share(or_word: str = "") -> Parsed:
    """A part of a mean: per cent, or a number below 1; or else the word ``or_word``, which is None."""
    wanted = "a part of the mean, such as 2%" + (f", or the word {or_word}" if or_word else "")

    def parse(value: Value) -> float | None:
        text = word(value, wanted)
        if text == or_word:
            return None
        try:
            share = real_number(text.removesuffix("%").rstrip())
        except ValueError:
            raise ValueError(f"{shown(text)} is not {wanted}") from None
        share = share / 100 if text.endswith("%") else share
        if not 1e-5 <= share < 1:
            raise ValueError(f"must be from 0.001% to below 100%, got {shown(text)}; write 2% or 0.02 for two per cent")
        return float(share)

    pattern = r"[0-9]*\.?[0-9]+([eE][+-]?[0-9]+)?\s*%?"
    number: Schema = {"type": "number", "minimum": 1e-5, "exclusiveMaximum": 1}
    written = {"type": "string", "pattern": f"^({pattern}|{or_word})$" if or_word else f"^{pattern}$"}
    return Parsed(parse, {"anyOf": [number, written]})


_COUNT = whole(1, 10**6, "runs")
_UNTIL = Keys(
    {
        "until": Key(
            _share(RANKED),
            "Run until half the length of the interval of each mean is this part of the mean, such as 2%; or, "
            "with the word ranked, until every two algorithms on a problem are ranked.",
            fix="add 'until: 2%' or 'until: ranked'",
        ),
        "least": Key(whole(FEWEST, 10**6, "runs"), "Runs at the first interim analysis.", LEAST),
        "most": Key(whole(FEWEST, 10**6, "runs"), "Runs at the last one, whatever it decides.", MOST),
        "margin": Key(
            _share(),
            "With until: ranked, two are done as well when neither mean is larger than the other by more than this "
            "part of it, such as 3%.",
            only_with=f"until: {RANKED}",
        ),
    },
    "{until: 2%}",
)


def _read_runs(value: Value, at: Reading) -> int | Until:
    """How many, or until when."""
    if isinstance(value, str) and (value.endswith("%") or value == RANKED):
        raise ValueError(f"is how many; until when is written as {{until: {value}}}")
    if not isinstance(value, dict):
        return int(_COUNT.parse(value))
    found = _UNTIL.read_whole(value, at)
    if found["least"] > found["most"]:
        raise ValueError(f"least, {found['least']}, is above most, {found['most']}; give one of them another value")
    return Until(found.get("until"), found["least"], found["most"], found.get("margin"))


_BOUNDS = one_or_more(choice(BOUNDS, "a lower bound"), at_least=0)


def _read_bounds(value: Value, at: Reading) -> tuple[str, ...] | None:
    if value != [] and any(isinstance(problem.matrix, World) for problem in at.draft.problems):
        raise ValueError("are those of one matrix; a world that changes has none; remove the key")
    if value != [] and at.draft.is_scalar:
        raise ValueError("are those of duels; scalar bandits have none; remove the key")
    return _BOUNDS.read(value, at)


KEYS: dict[str, Key] = {
    "name": Key(NAME, "Folder under results/. Default: the file's name without its ending."),
    "title": Key(LINE, "Title of the figure. Default: the name."),
    "matrix": Key(
        MATRIX,
        "The preference matrix: the path of a file, relative to this one; the name of one that comes with duelbench, "
        "such as cyclic; its rows, [[0.5, 0.9], [0.1, 0.5]]; a family, {family: linear, n_arms: 64}; or fetched data, "
        "{source: mslr-informational, arms: [2, 4, 3, 1, 5]}. For several: `problems`.",
    ),
    "problem": Key(
        BANDIT,
        "A scalar bandit instead of a matrix: {means: [0.9, 0.5 x 5], decision: rigged, m: 1}, or the path of a YAML "
        "file with these keys.",
    ),
    "problems": Key(
        PROBLEMS,
        "Several matrices: a list of what `matrix` takes, or a mapping of names to it; the names become folders of "
        "results.",
    ),
    "identify": Key(
        IDENTIFY,
        "What the algorithms are to find out, as in {target: condorcet, delta: 0.05}: `report` then says how often the "
        "answer was right, and after how many duels it came.",
    ),
    "budget": Key(
        BUDGETS,
        "Numbers of rounds after which the recommended arm is judged, as in [2K, 10K, 1000], K being the number of "
        "arms; instead of horizon and checkpoints.",
    ),
    "horizon": Key(
        ROUNDS,
        "Rounds (duels) of each run, such as 1e6 or 1_000_000.",
        fix="add the number of rounds, as in 'horizon: 1e6'",
        unless="budget",
    ),
    "world": Key(  # after the horizon, which it divides
        WORLD,
        "A world that changes instead of a matrix: {segments: [first.csv, second.csv], starts: equal}, or {drift: "
        "{from: first.csv, to: second.csv, steps: 100}}; and corruption: {budget: 100}.",
    ),
    "worlds": Key(
        WORLDS,
        "Several worlds that change: a mapping of names to what `world` takes; the names become folders of results.",
    ),
    "runs": Key(
        Kind(_read_runs, lambda: either(_COUNT.json_schema(), _UNTIL.json_schema())),
        "Independent runs of each algorithm on each matrix; or until when, as in {until: 2%} or {until: ranked, "
        "most: 1000}.",
        100,
    ),
    "seed": Key(
        whole(0, 2**128 - 1, high_text="2^128 - 1"),
        "Determines, together with a run's number, all that is random in the run.",
        0,
    ),
    "shuffle_arms": Key(
        TRUTH, "Present the arms in another order in each run, so that none gains from its place.", True
    ),
    "feedback_batch": Key(
        UP_TO_HORIZON, "Rounds after which the outcomes of their duels are delivered together; 1 is at once.", 1
    ),
    "feedback_delay": Key(
        DELAY, "How many rounds late each outcome is delivered; 0 is at once. Goes with feedback_batch 1 only.", 0
    ),
    "regret": Key(
        one_or_more(Kind(_read_regret, _REGRET.json_schema())),
        "Regret definitions to record; figures show the first one. Default: copeland; of scalar bandits announced.",
        ("copeland",),
    ),
    "checkpoints": Key(
        by_form(whole(1, 10**5, "checkpoints"), Kind(_read_increasing, several(ROUNDS.json_schema()))),
        "How many rounds to record regret at, spaced evenly in log t, or a list of these rounds. The horizon is always "
        "one of them.",
        200,
    ),
    "bounds": Key(
        Kind(_read_bounds, _BOUNDS.json_schema()),
        "Asymptotic bounds C log t to draw and to compare with in reports, each where it is a bound on the regret "
        "shown: copeland and condorcet are lower bounds, ecw is what ECW-RMED needs.",
        (),
    ),
    "algorithms": Key(
        ALGORITHMS,
        "The algorithms to compare: ids, or {id: {parameter: value, label: ..., horizons: ...}}.",
        fix="add what to compare, as in 'algorithms: [rucb, d-ts]'",
    ),
    "sweep": Key(
        SWEEP,
        "One setting that takes several values, as in {over: feedback_batch, values: [1, 10, 100]} or "
        "{over: n_arms, values: [3, 6, 12], games: 25}; figures show regret at the horizon against it.",
    ),
    "figure": Key(
        FIGURE,
        "What `plot` draws: by default {kind: regret}, or {kind: sweep} with a sweep. Changing it repeats no run.",
    ),
}
KEYS["scales"] = Key(
    scales_of(KEYS),
    "Other sizes of the experiment: names with the keys that they replace, as in {quick: {runs: 5, horizon: 1e4}}. "
    "`duelbench run --scale quick` puts its results into <name>-quick; horizons of algorithms beyond the scale's end "
    "with it.",
)

DOCUMENT = Keys(
    KEYS,
    "horizon: 1e6",
    description="An experiment of duelbench: algorithms, run many times each, on preference matrices.",
)


def check_runs(at: Reading) -> None:
    """Note why the number of runs cannot be decided by interim analyses."""
    keys = at.draft.keys
    rule, sweep, entries = keys.get("runs"), keys.get("sweep"), keys.get("algorithms") or ()
    if not isinstance(rule, Until):
        return
    if sweep is not None and sweep.games > 1:
        at.below("runs").note(
            "more runs on the same random matrices do not tell what others would show: with the games of a sweep give"
            " a number of runs"
        )
    if rule.share is None and "algorithms" in keys:
        for why in _why_unranked(rule, sweep, entries):
            at.below("runs", "until").note(why)


def check_feedback(at: Reading) -> None:
    """Note why algorithms cannot be played with the feedback asked for."""
    keys = at.draft.keys
    sweep = keys.get("sweep")
    settings = Settings.of({name: value for name, value in keys.items() if value is not None})
    place = at.below("feedback_delay")
    if sweep is not None and sweep.over == "feedback_delay":
        settings = Settings(feedback_delay=max(filter(None, sweep.values), default=0))
        place = at.below("sweep", "over")
    why = (feedback_refusal(entry.algorithm, settings) for entry in keys.get("algorithms") or ())
    for sentence in dict.fromkeys(filter(None, why)):
        place.note(sentence)


def _why_unranked(rule: Until, sweep: Sweep | None, entries: Sequence[Entry]) -> Iterator[str]:
    """What keeps algorithms from being ranked."""
    if len(entries) < 2:
        yield "one algorithm alone cannot be ranked: add another, or write a part of the mean, as 2%"
    if len(entries) > MOST_RANKED:
        yield f"at most {MOST_RANKED} algorithms can be ranked, not {len(entries)}: make several specs"
    if sweep is not None and not sweep.problems and not all(is_swept(sweep.over, entry) for entry in entries):
        yield f"ranks the algorithms at each value, and some have none of {sweep.over}; write a part of the mean, as 2%"
    ends = {entry.label: max(entry.horizons, default=None) for entry in entries}
    if sweep is None and len(set(ends.values())) > 1:
        listed = ", ".join(f"{label} {end}" for label, end in ends.items())
        yield f"what is ranked must have one horizon ({listed}); write a part of the mean, as 2%"
    played = [(one.algorithm.id, sorted(one.parameters.items()), sorted(one.settings.items())) for one in entries]
    twins = [one.label for one, own in zip(entries, played, strict=True) if played.count(own) > 1]
    if twins and rule.margin is None:
        yield f"{' and '.join(twins)} are one algorithm, whose runs are the same; remove all but one"


DRAFT = "http://json-schema.org/draft-07/schema#"
"""The newest draft that yaml-language-server supports."""


def schema() -> Schema:
    """JSON Schema (draft 7) of a spec file, with all algorithms, plug-ins included.

    It knows the names, types and ranges of everything; what depends on other files or on two keys together,
    only `duelbench.spec.load.load` checks.

    Examples
    --------
    >>> described = schema()
    >>> described["properties"]["runs"]["default"], described["required"]
    (100, ['algorithms'])
    """
    one_of = {"oneOf": [{"required": [key]} for key in PROBLEM_KEYS]}
    described = {"$schema": DRAFT, "title": "duelbench experiment", **DOCUMENT.json_schema(), **one_of}
    return _said_once(described)


REFERENCE = 30
"""Characters of a reference to a definition, roughly."""


def _said_once(described: Schema) -> Schema:
    """The same schema, in which parts that occur several times are definitions that the others refer to."""
    parts = list(_parts("", described))
    uses = Counter(text for _, text in parts)
    names: dict[str, str] = {}
    taken: Counter[str] = Counter()
    for key, text in parts:
        saved = (uses[text] - 1) * len(text) - (uses[text] + 1) * REFERENCE
        if saved > 0 and text not in names:
            taken[key] += 1
            names[text] = f"{key}-{taken[key]}" if taken[key] > 1 else key
    definitions: dict[str, Any] = {}

    def refer(part: Any, is_definition: bool = False) -> Any:
        if isinstance(part, list):
            return [refer(one) for one in part]
        if not isinstance(part, dict):
            return part
        name = None if is_definition else names.get(json.dumps(part))
        if name is None:
            return {key: refer(value) for key, value in part.items()}
        if name not in definitions:
            definitions[name] = refer(part, is_definition=True)
        return {"$ref": f"#/$defs/{name}"}

    return {**refer(described), "$defs": dict(sorted(definitions.items()))}


def _parts(key: str, part: Any) -> Iterator[tuple[str, str]]:
    """All objects in a schema, each with the last key that leads to it and its text as JSON."""
    if isinstance(part, dict):
        if key != "properties":  # names of keys, and no schema: a reference there would be one more name
            yield key, json.dumps(part)
        for name, value in part.items():
            yield from _parts(name, value)
    elif isinstance(part, list):
        for value in part:
            yield from _parts(key, value)
