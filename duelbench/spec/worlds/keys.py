"""The ``world`` and ``worlds`` of a spec: matrices that follow one another, a drift, and outcomes that are flipped."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from duelbench.errors import InputError, likeliest
from duelbench.parameters import Parameter
from duelbench.problem.worlds.makers import drift
from duelbench.problem.worlds.world import MAX_SEGMENTS, Flipped, Pattern, World
from duelbench.spec.experiment_spec import Entry, Problem
from duelbench.spec.kinds import (
    MAX_LISTED,
    NAME,
    ROUNDS,
    TRUTH,
    Choice,
    Key,
    Keys,
    Kind,
    Posed,
    Reading,
    Schema,
    Whole,
    by_name,
)
from duelbench.spec.numerals import shown
from duelbench.spec.parameters import OfParameter
from duelbench.spec.worlds.segments import (
    MAX_ENTRIES,
    Interval,
    Lengths,
    ManySegments,
    Segment,
    StartsKind,
    equal_parts,
    matrix_of,
    starts_of,
)
from duelbench.spec.yaml_source import Value

TIMELINES = ("absolute", "scaled")
"""Whether a run to a smaller horizon ends earlier in the same world, or goes through all of it."""

_DRIFT = Keys(
    {
        "from": Key(Segment(), "The matrix at the beginning.", fix="add one"),
        "to": Key(Segment(), "The matrix at the end.", fix="add one"),
        "steps": Key(Whole(2, MAX_SEGMENTS), "How many matrices, from the first to the last.", fix="add 'steps: 100'"),
    },
    "{from: first.csv, to: second.csv, steps: 100}",
    "A staircase from one matrix to another.",
)

_SHARE = Parameter(1.0, "probability that an outcome is flipped", low=0.0, high=1.0, low_open=True)


class _Corruption(Keys):
    """Flips of a budget, or in given rounds."""

    def read(self, value: Value, at: Reading, into: dict[str, Any] | None = None) -> dict[str, Any] | None:
        before = len(at.draft.noted)
        said = super().read(value, at, into)
        if said is None or len(at.draft.noted) > before:
            return None
        if not said:
            at.note("says nothing; write '{budget: 100}', or '{rounds: [1, 1000]}'")
        return said if len(at.draft.noted) == before else None


_CORRUPTION = _Corruption(
    {
        "budget": Key(
            Whole(0, 10**15), "How many wins of the Condorcet winner an adversary who sees all duels may flip in a run."
        ),
        "rounds": Key(
            Interval(),
            "Instead of a budget, the first and the last round in which the winner's outcomes are flipped.",
            not_beside=("budget",),
        ),
        "share": Key(
            OfParameter(_SHARE),
            "With rounds: the probability that an outcome is flipped.",
            _SHARE.default,
            only_with="rounds",
        ),
    },
    "{budget: 100}",
    "Outcomes of the Condorcet winner's duels that are flipped.",
)


class _World(Keys):
    """A world that changes, once the horizon is known."""

    def read(self, value: Value, at: Reading, into: dict[str, Any] | None = None) -> None:
        """Make the world the one problem of the draft."""
        self.pose(value, at, "")

    def pose(self, value: Value, at: Reading, name: str) -> None:
        """Make the world called ``name`` a problem of the draft."""
        before = len(at.draft.noted)
        at.draft.posed.append(Posed(is_scalar=False))
        said = super().read(value, at)
        at.draft.asked.pop("", None)  # families of segments are not those of a sweep
        if isinstance(value, dict):
            _check_together({str(key): item for key, item in value.items()}, at)
        horizon = at.draft.keys.get("horizon")
        if not said or horizon is None or len(at.draft.noted) > before:
            return
        try:
            world, origin = _made(said, horizon)
        except InputError as error:
            at.note(str(error))
            return
        at.draft.problems.append(Problem(name, world, origin))


class _Worlds(Kind):
    """Names with worlds."""

    def read(self, value: Value, at: Reading) -> None:
        """Make the worlds the problems of the draft."""
        if not isinstance(value, dict) or not value:
            at.note("must be names with worlds, as in '{flip: {segments: [there.csv, back.csv]}}'")
            return
        if _is_one(value):
            at.note("is one world; use the key 'world', or give it a name, as in '{flip: {segments: ...}}'")
            return
        if len(value) > MAX_LISTED:
            at.note(f"lists {len(value)}, but at most {MAX_LISTED} are allowed")
            return
        taken: set[str] = set()
        for key, item in value.items():
            name, here = str(key), at.below(key)
            here.attempt(NAME.parse, key, at_key=True)
            if name.lower() in taken:
                here.note(f"the name {shown(name)} stands twice; give each world its own", at_key=True)
            taken.add(name.lower())
            WORLD.pose(item, here, name)
            worlds = (problem.matrix for problem in at.draft.problems if isinstance(problem.matrix, World))
            if sum(len(set(world.matrices)) * world.n_arms**2 for world in worlds) > MAX_ENTRIES:
                here.note(f"the matrices of the worlds up to here have more than {MAX_ENTRIES} entries together")
                return

    def json_schema(self) -> Schema:
        return by_name({"$ref": "#/properties/world"})


def _is_one(value: dict[Any, Value]) -> bool:
    """Whether keys and values are those of a world, and no names with worlds."""
    drift = value.get("drift")
    return isinstance(value.get("segments"), list) or (isinstance(drift, dict) and "from" in drift)


def _check_together(said: dict[str, Value], at: Reading) -> None:
    """Note what does not go together, and what is missing."""
    if not {"segments", "drift"} & {likeliest(key, WORLD.keys) for key in said}:
        at.note("needs matrices: add 'segments: [first.csv, second.csv]', or 'drift: {from: ..., to: ..., steps: 100}'")
    if "repeat" in said and said.get("timeline") == "scaled":
        at.below("timeline").note("scaled stands beside 'repeat', whose lengths are rounds; remove it", at_key=True)


def _made(said: dict[str, Any], horizon: int) -> tuple[World, dict[str, Any]]:
    """The world of a spec up to a horizon, and what the spec asks for, with its defaults; or `InputError`."""
    is_scaled = said.get("timeline") == "scaled"
    if "drift" in said:
        world, origin = _drifting(said["drift"], horizon, is_scaled)
    else:
        segments = said["segments"]
        starts, when = starts_of(said, len(segments.matrices), horizon)
        world = World(segments.matrices, starts, per_run=said.get("per_run", False), source=segments.told)
        if isinstance(starts, Pattern):
            again = f"of {', '.join(map(str, starts.lengths))} rounds, again and again"
            world = replace(world, source=f"{segments.told}, {again}")
        origin = {"segments": segments.content, **when}
    corruption = {name: what for name, what in said.get("corruption", {}).items() if what != 0}
    origin |= {"corruption": _plain(corruption)} if corruption else {}
    origin["timeline"] = "scaled" if is_scaled else "absolute"
    if "budget" in corruption:
        told = f"{world.source}, up to {corruption['budget']} outcomes flipped"
        return replace(world, flips=corruption["budget"], source=told), origin
    if "rounds" in corruption:
        (first, last), share = corruption["rounds"], corruption.get("share", 1.0)
        if last > horizon:
            raise InputError(f"outcomes are flipped up to round {last}, after the horizon, {horizon} rounds")
        flipped = Flipped(first, last, share, horizon if is_scaled else None)
        often = "" if share == 1 else f" with probability {share:g}"
        told = f"{world.source}, outcomes of rounds {first} to {last} flipped{often}"
        return replace(world, flipped=flipped, source=told), origin
    return world, origin


def _plain(corruption: dict[str, Any]) -> dict[str, Any]:
    """In JSON's types, with its defaults."""
    if "rounds" not in corruption:
        return corruption
    return {"rounds": list(corruption["rounds"]), "share": corruption.get("share", 1.0)}


def _drifting(said: dict[str, Any], horizon: int, is_scaled: bool) -> tuple[World, dict[str, Any]]:
    first, last, steps = said["from"], said["to"], said["steps"]
    matrix = matrix_of(first)
    if steps * matrix.n_arms**2 > MAX_ENTRIES:
        raise InputError(
            f"a drift of {matrix.n_arms} arms has at most {MAX_ENTRIES // matrix.n_arms**2} steps, got {steps}"
        )
    world = drift(matrix, matrix_of(last), steps)
    told = f"drift from {first.title} to {last.title} in {steps} steps"
    return replace(world, starts=equal_parts(steps, horizon, is_scaled), outcomes=(), source=told), {
        "drift": {"from": first.content, "to": last.content, "steps": steps}
    }


def why_too_short(world: World, entries: Sequence[Entry]) -> str | None:
    """Why the runs of an entry are too short for a world, in words; None where none is."""
    for horizon in sorted({horizon for entry in entries for horizon in entry.horizons}):
        try:
            world.segments(horizon, np.random.default_rng(0))
        except InputError as error:
            return str(error)
    return None


WORLD = _World(
    {
        "segments": Key(
            ManySegments(),
            "Matrices that follow one another, each what `matrix` takes; or a family that draws them, as in {family: "
            "changing-winner, count: 4}.",
        ),
        "drift": Key(
            _DRIFT, "Instead of segments: from one matrix to another in equal steps.", not_beside=("segments",)
        ),
        "starts": Key(
            StartsKind(),
            "When segments begin: equal (lengths), random, or the first round of each, as in [1, 5000].",
            "equal",
            not_beside=("drift",),
        ),
        "repeat": Key(
            Lengths(),
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
            Choice(TIMELINES, "a timeline"),
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
WORLDS = _Worlds()
