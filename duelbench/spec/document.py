"""The keys of a spec file: what each may hold, and its description for editors.

`KEYS` is the one list of keys: it reads, and the JSON Schema comes from it. They are read in its order, so that later
ones can look at earlier ones: regret at the matrices, feedback delay, checkpoints and algorithms at the horizon.
"""

import json
from collections import Counter
from collections.abc import Iterator
from typing import Any

from duelbench.problem import round_losses
from duelbench.problem.worlds.losses import STATIC
from duelbench.problem.worlds.world import World
from duelbench.spec.entries import Algorithms
from duelbench.spec.figure_key import BOUNDS, FIGURE
from duelbench.spec.fitting import regret_refusal
from duelbench.spec.identification import IDENTIFY, Budgets
from duelbench.spec.keys import Key, Keys
from duelbench.spec.kinds import (
    LINE,
    NAME,
    ROUNDS,
    TRUTH,
    Choice,
    Either,
    OneOrMore,
    Parsed,
    UpToHorizon,
    Whole,
    either,
    several,
)
from duelbench.spec.numerals import real_number, shown
from duelbench.spec.problems import BANDIT, MATRIX, Problems
from duelbench.spec.reading import Kind, Reading, Schema, listed, word
from duelbench.spec.scales import PROBLEMS, Scales
from duelbench.spec.sweeps import SWEEP, is_swept
from duelbench.spec.worlds import WORLD, WORLDS
from duelbench.spec.yaml_source import Value
from duelbench.statistics.curves import FEWEST
from duelbench.statistics.interim import LEAST, MOST, RANKED, Until

MOST_RANKED = 100
"""Algorithms whose pairs can be looked at within seconds."""


class _Regret(Choice):
    """A regret definition that every problem allows."""

    def read(self, value: Value, at: Reading) -> str | None:
        name: str | None = super().read(value, at)
        if name is None:
            return None
        is_scalar, before = at.draft.is_scalar, len(at.draft.noted)
        if name not in STATIC and is_scalar is not None:
            at.attempt(round_losses.check_kind, name, is_scalar)
        if len(at.draft.noted) > before:
            return None
        for reason in filter(None, (regret_refusal(name, problem) for problem in at.draft.problems)):
            at.note(reason)
        return name


class _Increasing(Kind):
    """Increasing rounds up to the horizon."""

    def read(self, value: Value, at: Reading) -> tuple[int, ...]:
        rounds: list[int] = []
        for here, item in listed(value, at):
            t = UpToHorizon().read(item, here)
            if t is not None and rounds and t <= rounds[-1]:
                here.note(f"rounds must increase, but {t} stands after {rounds[-1]}")
            rounds += [] if t is None else [t]
        return tuple(rounds)

    def json_schema(self) -> Schema:
        return several(ROUNDS.json_schema())


class _Share(Parsed):
    """A part of a mean: per cent, or a number below 1; or else the word ``or_word``, which is None.

    Examples
    --------
    >>> from duelbench.spec.yaml_source import Scalar
    >>> [_Share().parse(Scalar(text)) for text in ("2%", "0.02", "12.5%")]
    [0.02, 0.02, 0.125]
    """

    def __init__(self, or_word: str = "") -> None:
        self._or_word = or_word
        self._wanted = "a part of the mean, such as 2%" + (f", or the word {or_word}" if or_word else "")

    def parse(self, value: Value) -> float | None:
        text = word(value, self._wanted)
        if text == self._or_word:
            return None
        try:
            share = real_number(text.removesuffix("%").rstrip())
        except ValueError:
            raise ValueError(f"{shown(text)} is not {self._wanted}") from None
        share = share / 100 if text.endswith("%") else share
        if not 1e-5 <= share < 1:
            raise ValueError(f"must be from 0.001% to below 100%, got {shown(text)}; write 2% or 0.02 for two per cent")
        return float(share)

    def json_schema(self) -> Schema:
        text = r"[0-9]*\.?[0-9]+([eE][+-]?[0-9]+)?\s*%?"
        pattern = f"^({text}|{self._or_word})$" if self._or_word else f"^{text}$"
        number: Schema = {"type": "number", "minimum": 1e-5, "exclusiveMaximum": 1}
        return {"anyOf": [number, {"type": "string", "pattern": pattern}]}


class _Runs(Kind):
    """How many, or until when."""

    _COUNT = Whole(1, 10**6, "runs")
    _UNTIL = Keys(
        {
            "until": Key(
                _Share(RANKED),
                "Play until half the length of the interval of each mean is this part of the mean, such as 2%; or, "
                "with the word ranked, until every two algorithms on a problem are told apart.",
                fix="add 'until: 2%' or 'until: ranked'",
            ),
            "least": Key(Whole(FEWEST, 10**6, "runs"), "Runs at the first look.", LEAST),
            "most": Key(Whole(FEWEST, 10**6, "runs"), "Runs at the last look, whatever is decided then.", MOST),
            "margin": Key(
                _Share(),
                "With until: ranked, two are done as well when neither mean is larger than the other by more than this "
                "part of it, such as 3%.",
                only_with=f"until: {RANKED}",
            ),
        },
        "{until: 2%}",
    )

    def read(self, value: Value, at: Reading) -> int | Until | None:
        if isinstance(value, str) and (value.endswith("%") or value == RANKED):
            at.note(f"is how many; until when is written as {{until: {value}}}")
            return None
        if not isinstance(value, dict):
            return at.attempt(self._COUNT.parse, value)
        found = self._UNTIL.read_whole(value, at)
        if found is None:
            return None
        if found["least"] > found["most"]:
            at.note(f"least, {found['least']}, is above most, {found['most']}; give one of them another value")
            return None
        return Until(found.get("until"), found["least"], found["most"], found.get("margin"))

    def json_schema(self) -> Schema:
        return either(self._COUNT.json_schema(), self._UNTIL.json_schema())


class _Bounds(OneOrMore):
    """Bounds on the regret of duels."""

    def read(self, value: Value, at: Reading) -> tuple[str, ...]:
        if value != [] and any(isinstance(problem.matrix, World) for problem in at.draft.problems):
            at.note("are those of one matrix; a world that changes has none; remove the key")
            return ()
        if value != [] and at.draft.is_scalar:
            at.note("are those of duels; scalar bandits have none; remove the key")
            return ()
        return super().read(value, at)


KEYS: dict[str, Key] = {
    "name": Key(NAME, "Folder under results/. Default: the file's name without its ending."),
    "title": Key(LINE, "Title of the figure. Default: the name."),
    "matrix": Key(
        MATRIX,
        "The preference matrix: the path of a file, relative to this one; the name of one that comes with duelbench, "
        "such as cyclic; a family, {family: linear, n_arms: 64}; or "
        "fetched data, {source: mslr-informational, arms: [2, 4, 3, 1, 5]}. For several: `problems`.",
    ),
    "problem": Key(
        BANDIT,
        "A scalar bandit instead of a matrix: {means: [0.9, 0.5 x 5], decision: rigged, m: 1}, or the path of a YAML "
        "file with these keys.",
    ),
    "problems": Key(
        Problems(),
        "Several matrices: a list of what `matrix` takes, or a mapping of names to it; the names become folders of "
        "results.",
    ),
    "identify": Key(
        IDENTIFY,
        "What the algorithms are to find out, as in {target: condorcet, delta: 0.05}: `report` then says how often the "
        "answer was right, and after how many duels it came.",
    ),
    "budget": Key(
        Budgets(),
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
        _Runs(),
        "Independent runs of each algorithm on each matrix; or until when, as in {until: 2%} or {until: ranked, "
        "most: 1000}.",
        100,
    ),
    "seed": Key(
        Whole(0, 2**128 - 1, high_text="2^128 - 1"),
        "Together with a run's number it determines all that is random in the run.",
        0,
    ),
    "shuffle_arms": Key(
        TRUTH, "Present the arms in another order in each run, so that none gains from its place.", True
    ),
    "feedback_delay": Key(UpToHorizon(), "Deliver the outcomes of duels after every so many rounds; 1 is at once.", 1),
    "regret": Key(
        OneOrMore(_Regret((*round_losses.NAMES, *STATIC), "a regret definition")),
        "Regret definitions to record; figures show the first one. Default: copeland; of scalar bandits announced.",
        ("copeland",),
    ),
    "checkpoints": Key(
        Either(Whole(1, 10**5, "checkpoints"), _Increasing()),
        "How many rounds to record regret at, spaced evenly in log t, or a list of these rounds. The horizon is always "
        "one of them.",
        200,
    ),
    "bounds": Key(
        _Bounds(Choice(BOUNDS, "a lower bound"), at_least=0),
        "Asymptotic bounds C log t to draw and to compare with in reports, each where it is a bound on the regret "
        "shown: copeland and condorcet are lower bounds, ecw is what ECW-RMED needs.",
        (),
    ),
    "algorithms": Key(
        Algorithms(),
        "The algorithms to compare: ids, or {id: {parameter: value, label: ..., horizons: ...}}.",
        fix="add what to compare, as in 'algorithms: [rucb, d-ts]'",
    ),
    "sweep": Key(
        SWEEP,
        "One setting that takes several values, as in {over: feedback_delay, values: [1, 10, 100]} or "
        "{over: n_arms, values: [3, 6, 12], games: 25}; figures show regret at the horizon against it.",
    ),
    "figure": Key(
        FIGURE,
        "What `plot` draws, by default {kind: regret}, or {kind: sweep} beside the key sweep. Changing it plays no run "
        "again.",
    ),
}
SCALES = Scales(KEYS)
KEYS["scales"] = Key(
    SCALES,
    "Other sizes of the experiment: names with the keys that they replace, as in {quick: {runs: 5, horizon: 1e4}}. "
    "`duelbench run --scale quick` puts its results into <name>-quick; horizons of algorithms beyond the scale's end "
    "with it.",
)

DOCUMENT = Keys(
    KEYS, "horizon: 1e6", "An experiment of duelbench: algorithms, run many times each, on preference matrices."
)


def check_runs(at: Reading) -> None:
    """Note what keeps the number of runs of the draft from being decided while they are played."""
    keys = at.draft.keys
    rule, sweep, entries = keys.get("runs"), keys.get("sweep"), keys.get("algorithms") or ()
    if not isinstance(rule, Until):
        return
    if sweep is not None and sweep.games > 1:
        at.below("runs").note(
            "more runs on the same random matrices do not tell what others would show: with the games of a sweep give"
            " a number of runs"
        )
    if rule.share is not None or "algorithms" not in keys:
        return
    here = at.below("runs", "until")
    if len(entries) < 2:
        here.note("one algorithm alone cannot be ranked: add another, or write a part of the mean, as 2%")
    if len(entries) > MOST_RANKED:
        here.note(f"at most {MOST_RANKED} algorithms can be ranked, not {len(entries)}: make several specs")
    if sweep is not None and not sweep.problems and not all(is_swept(sweep.over, entry) for entry in entries):
        here.note(
            f"ranks the algorithms at each value, and some of them have none of {sweep.over}; write a part of the mean,"
            " as 2%"
        )
    ends = {entry.label: max(entry.horizons, default=None) for entry in entries}
    if sweep is None and len(set(ends.values())) > 1:
        listed = ", ".join(f"{label} {end}" for label, end in ends.items())
        here.note(f"what is ranked must have one horizon ({listed}); write a part of the mean, as 2%")
    played = [(one.algorithm.id, sorted(one.parameters.items()), one.shuffle_arms) for one in entries]
    twins = [one.label for one, own in zip(entries, played, strict=True) if played.count(own) > 1]
    if twins and rule.margin is None:
        here.note(f"{' and '.join(twins)} are one algorithm, whose runs are the same; remove all but one")


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
    one_of = {"oneOf": [{"required": [key]} for key in PROBLEMS]}
    described = {"$schema": DRAFT, "title": "duelbench experiment", **DOCUMENT.json_schema(), **one_of}
    return _said_once(described)


SHORTEST = 60
"""Characters from which on a part of the schema is worth a definition of its own."""


def _said_once(described: Schema) -> Schema:
    """The same schema, in which parts that occur several times are definitions that the others refer to."""
    texts = Counter(text for _, text in _parts("", described))
    definitions: dict[str, Any] = {}
    names: dict[str, str] = {}
    for key, text in _parts("", described):
        if texts[text] > 1 and len(text) >= SHORTEST and text not in names:
            taken = sum(name.partition("-")[0] == key for name in names.values())
            names[text] = f"{key}-{taken + 1}" if taken else key

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

    referring = refer(described)
    return {**referring, "$defs": dict(sorted(definitions.items()))} if definitions else referring


def _parts(key: str, part: Any) -> Iterator[tuple[str, str]]:
    """All objects in a schema, each with the last key that leads to it and its text as JSON."""
    if isinstance(part, dict):
        yield key, json.dumps(part)
        for name, value in part.items():
            yield from _parts(name, value)
    elif isinstance(part, list):
        for value in part:
            yield from _parts(key, value)
