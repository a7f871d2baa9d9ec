"""The ``world`` and ``worlds`` of a spec: matrices that follow one another, a drift, and outcomes that are flipped."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from duelbench.errors import InputError
from duelbench.parameters import Parameter
from duelbench.problem.preferences import PreferenceMatrix
from duelbench.problem.worlds import makers
from duelbench.problem.worlds.world import (
    MAX_SEGMENTS,
    At,
    Drawn,
    DrawnScaled,
    Flipped,
    Pattern,
    Scaled,
    Starts,
    World,
    equal,
)
from duelbench.spec.experiment_spec import Problem
from duelbench.spec.keys import Key, Keys, by_name, of_parameter, parameter_keys, tagged
from duelbench.spec.kinds import ROUNDS, TRUTH, by_form, choice, either, one_or_more, several, whole
from duelbench.spec.problems import FAMILY_SEEDS, matrix_problem
from duelbench.spec.reading import Kind, Reading, Wrong, check_names, listed, named
from duelbench.spec.yaml_source import Value

MAX_ENTRIES = 10**6
"""Most entries of the matrices that are made for a world, together: the manifest holds them all."""


@dataclass(frozen=True)
class Segments:
    """The matrices of a world, in turn."""

    matrices: tuple[PreferenceMatrix, ...]
    content: Any  # what the spec asks for, with its defaults
    title: str


_MATRIX = Kind(matrix_problem, {"$ref": "#/properties/matrix"})
"""One matrix of a world, which is not a problem of its own."""


def _family_keys(name: str, family: makers.WorldFamily) -> Keys:
    """What a spec can say of a family of segments."""
    return Keys(
        {
            "family": Key(choice((name,), "a family of segments"), fix="add one"),
            "count": Key(whole(1, MAX_SEGMENTS, "segments"), "How many segments.", fix="add 'count: 4'"),
            **parameter_keys(family.parameters),
            "seed": Key(FAMILY_SEEDS, "Which of the worlds that could be drawn.", 0),
        },
        "{family: changing-winner, count: 4}",
        description=f"{family.description} ({family.source}).",
        what="parameter",
        owner=f" for {name}",
    )


_FAMILY = tagged(
    "family", {name: _family_keys(name, family) for name, family in makers.FAMILIES.items()}, "a family of segments"
)


def _read_segments(value: Value, at: Reading) -> Segments:
    """A list of matrices, in which one may occur several times; or a family that draws them."""
    if isinstance(value, dict) and "family" in value:
        return _drawn(value, at)
    if not isinstance(value, list):
        raise ValueError(
            "must be a list of matrices, as in '[first.csv, second.csv]', or a family that draws them, as in "
            "'{family: changing-winner, count: 4}'"
        )
    with at.faultless():
        items = listed(value, at, most=MAX_SEGMENTS)
        problems: list[Problem] = [_MATRIX.read(item, here) for here, item in items]
    titles = [problem.title for problem in problems]
    shown = ", ".join(titles) if len(titles) <= 4 else f"{titles[0]}, {titles[1]}, ..., {titles[-1]}"
    return Segments(
        tuple(problem.preferences for problem in problems),
        [problem.content for problem in problems],
        shown if len(titles) == 1 else f"world of {shown}",
    )


def _drawn(value: Value, at: Reading) -> Segments:
    given = _FAMILY.reader(value, at)
    parameters = {key: number for key, number in given.items() if key not in ("family", "count")}
    name, count, n_arms = given["family"], given["count"], given["n_arms"]
    _check_size(count, n_arms, at.below("count"))
    world = makers.FAMILIES[name].make(segments=count, **parameters)
    details = ", ".join(f"{key}={number}" for key, number in parameters.items())
    return Segments(world.matrices, given, f"{count} segment{'s' if count > 1 else ''} of {name} ({details})")


def _check_size(n_matrices: int, n_arms: int, at: Reading) -> None:
    most = MAX_ENTRIES // n_arms**2
    if n_matrices > most:
        at.note(f"must be at most {most} with {n_arms} arms, got {n_matrices}")
        raise Wrong


def _drift(given: dict[str, Any], at: Reading) -> Segments:
    """A staircase from one matrix to another."""
    first, last, steps = given["from"], given["to"], given["steps"]
    _check_size(steps, first.matrix.n_arms, at.below("steps"))
    world = makers.drift(first.preferences, last.preferences, steps)
    content = {"from": first.content, "to": last.content, "steps": steps}
    return Segments(world.matrices, content, f"drift from {first.title} to {last.title} in {steps} steps")


_DRIFT = Keys(
    {
        "from": Key(_MATRIX, "The matrix at the beginning.", fix="add one"),
        "to": Key(_MATRIX, "The matrix at the end.", fix="add one"),
        "steps": Key(whole(2, MAX_SEGMENTS), "How many matrices, from the first to the last.", fix="add 'steps: 100'"),
    },
    "{from: first.csv, to: second.csv, steps: 100}",
    _drift,
    description="A staircase from one matrix to another.",
)

_LIST_OF_ROUNDS = one_or_more(ROUNDS, may_repeat=True)


def _read_interval(value: Value, at: Reading) -> tuple[int, int]:
    """The first and the last of some rounds."""
    if not isinstance(value, list) or len(value) != 2:
        raise ValueError("must be the first and the last round, as in '[1, 1000]'")
    with at.faultless():
        first, last = (ROUNDS.read(item, here) for here, item in listed(value, at))
    if last < first:
        raise ValueError(f"must be the first and the last round, but {last} comes before {first}")
    return first, last


_SHARE = Parameter(1.0, "probability that an outcome is flipped", low=0.0, high=1.0, low_open=True)


def _corruption(given: dict[str, Any], at: Reading) -> dict[str, Any]:
    """What a spec says of it, with its defaults; empty where nothing is flipped."""
    if "rounds" in given:
        return {"rounds": list(given["rounds"]), "share": given["share"]}
    if "budget" not in given:
        raise ValueError("says nothing; write '{budget: 100}', or '{rounds: [1, 1000]}'")
    return {"budget": given["budget"]} if given["budget"] else {}


_CORRUPTION = Keys(
    {
        "budget": Key(
            whole(0, 10**15), "How many wins of the Condorcet winner an adversary who sees all duels may flip in a run."
        ),
        "rounds": Key(
            Kind(_read_interval, {**several(ROUNDS.json_schema(), 2), "maxItems": 2}),
            "Instead of a budget, the first and the last round in which the winner's outcomes are flipped.",
            not_beside=("budget",),
        ),
        "share": Key(
            of_parameter(_SHARE),
            "With rounds: the probability that an outcome is flipped.",
            _SHARE.default,
            only_with="rounds",
        ),
    },
    "{budget: 100}",
    _corruption,
    description="Outcomes of the Condorcet winner's duels that are flipped.",
)


def _read_world(value: Value, at: Reading, name: str = "") -> None:
    """Make the world called ``name`` a problem of the draft, once the horizon is known."""
    at.draft.posed.append(False)
    given = _WORLD_KEYS.read_whole(value, at)
    horizon = at.draft.keys.get("horizon")
    if "repeat" in given and given["timeline"] == "scaled":
        at.below("timeline").note("scaled conflicts with 'repeat', whose lengths are rounds; remove it", at_key=True)
    elif horizon is not None:
        at.draft.problems.append(Problem(name, *_made(given, horizon)))


def _read_worlds(value: Value, at: Reading) -> None:
    """Make the worlds the problems of the draft."""
    if isinstance(value, dict) and _is_one(value):
        raise ValueError("is one world; use the key 'world', or give it a name, as in '{flip: {segments: ...}}'")
    items = named(value, at, "names with worlds, as in '{flip: {segments: [there.csv, back.csv]}}'")
    check_names(items, "world")
    for here, name, item in items:
        here.attempt(_read_world, item, here, name)
        worlds = (problem.matrix for problem in at.draft.problems if isinstance(problem.matrix, World))
        if sum(len(set(world.matrices)) * world.n_arms**2 for world in worlds) > MAX_ENTRIES:
            here.note(f"the matrices of the worlds up to here have more than {MAX_ENTRIES} entries together")
            return


def _is_one(value: dict[Any, Value]) -> bool:
    """Whether the keys describe one world, rather than being names of several."""
    drift = value.get("drift")
    return isinstance(value.get("segments"), list) or (isinstance(drift, dict) and "from" in drift)


def _made(given: dict[str, Any], horizon: int) -> tuple[World, dict[str, Any]]:
    """The world of a spec up to a horizon, and what the spec asks for, with its defaults; or `InputError`."""
    is_scaled = given["timeline"] == "scaled"
    way = "drift" if "drift" in given else "segments"
    segments: Segments = given[way]
    starts, origin = _starts(given, len(segments.matrices), horizon, is_scaled)
    corruption = given.get("corruption", {})
    flips, flipped, source = corruption.get("budget", 0), None, segments.title
    if isinstance(starts, Pattern):
        source += f", of {', '.join(map(str, starts.lengths))} rounds, again and again"
    if flips:
        source += f", up to {flips} outcomes flipped"
    if "rounds" in corruption:
        (first, last), share = corruption["rounds"], corruption["share"]
        if last > horizon:
            raise InputError(f"outcomes are flipped up to round {last}, after the horizon, {horizon} rounds")
        flipped = Flipped(first, last, share, horizon if is_scaled else None)
        often = "" if share == 1 else f" with probability {share:g}"
        source += f", outcomes of rounds {first} to {last} flipped{often}"
    return World(segments.matrices, starts, per_run=given["per_run"], flips=flips, flipped=flipped, source=source), {
        way: segments.content,
        **({} if way == "drift" else origin),
        **({"corruption": corruption} if corruption else {}),
        "timeline": given["timeline"],
    }


def _starts(given: dict[str, Any], n_segments: int, horizon: int, is_scaled: bool) -> tuple[Starts, dict[str, Any]]:
    """When segments begin, and what the spec asks for, with its defaults; `InputError` if after the horizon."""
    how = given["starts"]
    if "repeat" in given:
        lengths = given["repeat"] * n_segments if len(given["repeat"]) == 1 else given["repeat"]
        return Pattern(lengths), {"repeat": list(lengths)}
    if how == "random":
        least = given["least"]
        drawn = DrawnScaled(least, horizon) if is_scaled else Drawn(least, horizon)
        return drawn, {"starts": how, "least": least, "per_run": given["per_run"]}
    if how == "equal":
        shares = equal(n_segments)
        if n_segments > horizon and not is_scaled:
            raise InputError(f"has {n_segments} segments, more than the {horizon} rounds of a run")
        rounds = shares.rounds(n_segments, horizon, np.random.default_rng(0))
        return shares if is_scaled else At(tuple(start for start, _ in rounds)), {"starts": how}
    if how[-1] > horizon:
        raise InputError(f"a segment starts at round {how[-1]}, after the horizon, {horizon} rounds")
    starts = Scaled(tuple(Fraction(start - 1, horizon) for start in how)) if is_scaled else At(how)
    return starts, {"starts": list(how)}


_WORLD_KEYS = Keys(
    {
        "segments": Key(
            Kind(_read_segments, lambda: either(several(_MATRIX.json_schema()), _FAMILY.json_schema())),
            "Matrices that follow one another, each what `matrix` takes; or a family that draws them, as in {family: "
            "changing-winner, count: 4}.",
            fix="add 'segments: [first.csv, second.csv]', or 'drift: {from: ..., to: ..., steps: 100}'",
            unless="drift",
        ),
        "drift": Key(
            _DRIFT, "Instead of segments: from one matrix to another in equal steps.", not_beside=("segments",)
        ),
        "starts": Key(
            by_form(choice(("equal", "random"), "equal, random, or a list of rounds"), _LIST_OF_ROUNDS),
            "When segments begin: equal (lengths), random, or the first round of each, as in [1, 5000].",
            "equal",
            not_beside=("drift",),
        ),
        "repeat": Key(
            _LIST_OF_ROUNDS,
            "Instead of starts: how many rounds each segment lasts, as in [100, 50]; after the last comes the first "
            "again.",
            not_beside=("starts", "drift"),
        ),
        "least": Key(
            ROUNDS, "With starts: random, the shortest length of a segment in rounds.", 1, only_with="starts: random"
        ),
        "per_run": Key(
            TRUTH,
            "With starts: random, whether they are drawn for each run, or once for all.",
            False,
            only_with="starts: random",
        ),
        "timeline": Key(
            choice(("absolute", "scaled"), "a timeline"),
            "For runs to smaller horizons: absolute, they end earlier in the same world; scaled, they go through all "
            "of it.",
            "absolute",
        ),
        "corruption": Key(
            _CORRUPTION,
            "Outcomes of the Condorcet winner that are flipped: {budget: 100}, by an adversary who sees all duels; or "
            "{rounds: [1, 1000]}, whatever happens.",
        ),
    },
    "{segments: [first.csv, second.csv], starts: equal}",
)
WORLD = Kind(_read_world, _WORLD_KEYS.json_schema)
WORLDS = Kind(_read_worlds, by_name({"$ref": "#/properties/world"}))


def check(at: Reading) -> None:
    """Note what does not go together with the worlds of the draft."""
    draft = at.draft
    worlds = {problem.name: problem.matrix for problem in draft.problems if isinstance(problem.matrix, World)}
    if worlds and "identify" in draft.keys:
        at.below("identify").note("asks for the answer on one matrix, and a world that changes has several; remove it")
    sweep = draft.keys.get("sweep")
    if worlds and sweep is not None and sweep.over == "horizon":
        at.below("sweep").note("is over the horizon, and a world that changes has one; write a spec for each horizon")
    for name, world in worlds.items():
        for horizon in sorted({horizon for entry in draft.keys.get("algorithms", ()) for horizon in entry.horizons}):
            place = at.below("worlds", name) if name else at.below("world")
            if place.attempt(world.segments, horizon, np.random.default_rng(0)) is None:
                break
