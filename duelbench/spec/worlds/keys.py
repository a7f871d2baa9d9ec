"""The ``world`` of a spec: matrices that follow one another, a drift, and an adversary who flips outcomes."""

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from duelbench.errors import InputError, likeliest
from duelbench.problem.preferences import PreferenceMatrix
from duelbench.problem.worlds.makers import MAX_SEGMENTS, drift
from duelbench.problem.worlds.world import At, Drawn, Scaled, Starts, World, equal
from duelbench.spec.experiment_spec import Entry, Problem
from duelbench.spec.kinds import (
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
    listed,
)
from duelbench.spec.problems import MATRIX
from duelbench.spec.yaml_source import Value

MAX_ENTRIES = 10**6
"""Most entries of the matrices of a drift, together: the manifest holds them all."""

TIMELINES = ("absolute", "scaled")
"""Whether a run to a smaller horizon ends earlier in the same world, or goes through all of it."""


class _Segment(Kind):
    """One matrix of a world, which is no problem of its own."""

    def read(self, value: Value, at: Reading) -> Problem | None:
        if isinstance(value, dict) and "means" in value:
            at.note("is a scalar bandit; the segments of a world are matrices")
            return None
        return MATRIX.made(value, at)

    def json_schema(self) -> Schema:
        return {"$ref": "#/properties/matrix"}


class _Segments(Kind):
    """A list of matrices, in which one may stand several times."""

    def read(self, value: Value, at: Reading) -> list[Problem] | None:
        if not isinstance(value, list):
            at.note("must be a list of matrices, as in '[first.csv, second.csv]'")
            return None
        found = [_Segment().read(item, here) for here, item in listed(value, at, most=MAX_SEGMENTS)]
        right = [one for one in found if one is not None]
        return right if right and len(right) == len(value) else None

    def json_schema(self) -> Schema:
        return {"type": "array", "items": _Segment().json_schema(), "minItems": 1}


class _Starts(Kind):
    """How starts are found, or the rounds themselves."""

    _HOW = Choice(("equal", "random"), "equal, random, or a list of rounds")

    def read(self, value: Value, at: Reading) -> str | tuple[int, ...] | None:
        if not isinstance(value, list):
            how: str | None = self._HOW.read(value, at)
            return how
        rounds = [ROUNDS.read(item, here) for here, item in listed(value, at)]
        return None if None in rounds else tuple(t for t in rounds if t is not None)

    def json_schema(self) -> Schema:
        return {"anyOf": [self._HOW.json_schema(), {"type": "array", "items": ROUNDS.json_schema(), "minItems": 1}]}


_DRIFT = Keys(
    {
        "from": Key(_Segment(), "The matrix at the beginning.", mend="add one"),
        "to": Key(_Segment(), "The matrix at the end.", mend="add one"),
        "steps": Key(Whole(2, MAX_SEGMENTS), "How many matrices, from the first to the last.", mend="add 'steps: 100'"),
    },
    "{from: first.csv, to: second.csv, steps: 100}",
    "A staircase from one matrix to another.",
)

_CORRUPTION = Keys(
    {
        "budget": Key(
            Whole(0, 10**15),
            "How many wins of the Condorcet winner an adversary may flip in a run.",
            mend="add 'budget: 100'",
        )
    },
    "{budget: 100}",
    "An adversary who sees all duels.",
)


class _World(Keys):
    """A world that changes, once the horizon is known."""

    def read(self, value: Value, at: Reading, into: dict[str, Any] | None = None) -> None:
        """Make the world the one problem of the draft."""
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
        at.draft.problems.append(Problem("", world, origin))


def _check_together(said: dict[str, Value], at: Reading) -> None:
    """Note what does not go together, and what is missing."""
    if not {"segments", "drift"} & {likeliest(key, WORLD.keys) for key in said}:
        at.note("needs matrices: add 'segments: [first.csv, second.csv]', or 'drift: {from: ..., to: ..., steps: 100}'")
    if "segments" in said and "drift" in said:
        at.below("drift").note("stands beside 'segments'; give one of the two", at_key=True)
    if "drift" in said and "starts" in said:
        at.below("starts").note("is for segments; the steps of a drift are equally long; remove it", at_key=True)
    for name in ("least", "per_run"):
        if name in said and said.get("starts") != "random":
            at.below(name).note("is for 'starts: random'; remove it", at_key=True)


def _made(said: dict[str, Any], horizon: int) -> tuple[World, dict[str, Any]]:
    """The world of a spec up to a horizon, and what the spec asks for, with its defaults.

    Raises
    ------
    InputError
        When it cannot be.
    """
    is_scaled = said.get("timeline") == "scaled"
    if "drift" in said:
        world, origin = _drifting(said["drift"], horizon, is_scaled)
    else:
        world, origin = _of_segments(said, horizon, is_scaled)
    flips = said.get("corruption", {}).get("budget", 0)
    if flips:
        origin["corruption"] = {"budget": flips}
    origin["timeline"] = "scaled" if is_scaled else "absolute"
    adversary = f", {flips} outcomes flipped" if flips else ""
    return replace(world, flips=flips, source=f"{world.source}{adversary}"), origin


def _drifting(said: dict[str, Any], horizon: int, is_scaled: bool) -> tuple[World, dict[str, Any]]:
    first, last, steps = said["from"], said["to"], said["steps"]
    matrix = _matrix(first)
    if steps * matrix.n_arms**2 > MAX_ENTRIES:
        raise InputError(
            f"a drift of {matrix.n_arms} arms has at most {MAX_ENTRIES // matrix.n_arms**2} steps, got {steps}"
        )
    world = drift(matrix, _matrix(last), steps)
    starts = _equal(steps, horizon, is_scaled)
    told = f"drift from {first.title} to {last.title} in {steps} steps"
    return replace(world, starts=starts, outcomes=(), source=told), {
        "drift": {"from": first.content, "to": last.content, "steps": steps}
    }


def _of_segments(said: dict[str, Any], horizon: int, is_scaled: bool) -> tuple[World, dict[str, Any]]:
    problems, how = said["segments"], said.get("starts", "equal")
    origin: dict[str, Any] = {"segments": [problem.content for problem in problems]}
    starts: Starts
    if how == "equal":
        starts = _equal(len(problems), horizon, is_scaled)
        origin["starts"] = how
    elif how == "random":
        least, per_run = said.get("least", 1), said.get("per_run", False)
        starts = Drawn(least, None if is_scaled else horizon)
        origin |= {"starts": how, "least": least, "per_run": per_run}
    else:
        starts = _listed(how, horizon, is_scaled)
        origin["starts"] = list(how)
    titles = [problem.title for problem in problems]
    shown = ", ".join(titles) if len(titles) <= 4 else f"{titles[0]}, {titles[1]}, ..., {titles[-1]}"
    told = shown if len(titles) == 1 else f"world of {shown}"
    matrices = tuple(_matrix(problem) for problem in problems)
    return World(matrices, starts, per_run=said.get("per_run", False), source=told), origin


def _matrix(problem: Problem) -> PreferenceMatrix:
    assert isinstance(problem.matrix, PreferenceMatrix)
    return problem.matrix


def _equal(n_segments: int, horizon: int, is_scaled: bool) -> Starts:
    shares = equal(n_segments)
    if is_scaled:
        return shares
    if n_segments > horizon:
        raise InputError(f"has {n_segments} segments, more than the {horizon} rounds of a run")
    return At(tuple(start for start, _ in shares.rounds(n_segments, horizon, np.random.default_rng(0))))


def _listed(rounds: tuple[int, ...], horizon: int, is_scaled: bool) -> Starts:
    if rounds[-1] > horizon:
        raise InputError(f"a segment starts at round {rounds[-1]}, after the horizon, {horizon} rounds")
    return Scaled(tuple(Fraction(start - 1, horizon) for start in rounds)) if is_scaled else At(rounds)


def why_too_short(world: World, entries: tuple[Entry, ...] | list[Entry]) -> str | None:
    """Why the runs of an entry are too short for a world, in words; None where none is."""
    for horizon in sorted({horizon for entry in entries for horizon in entry.horizons}):
        try:
            world.segments(horizon, np.random.default_rng(0))
        except InputError as error:
            return str(error)
    return None


WORLD = _World(
    {
        "segments": Key(_Segments(), "Matrices that follow one another; each is what `matrix` takes."),
        "drift": Key(_DRIFT, "Instead of segments: from one matrix to another in equal steps."),
        "starts": Key(
            _Starts(),
            "When segments begin: equal (lengths), random, or the first round of each, as in [1, 5000].",
            "equal",
        ),
        "least": Key(ROUNDS, "With starts: random, the shortest length of a segment in rounds.", 1),
        "per_run": Key(TRUTH, "With starts: random, whether they are drawn for each run, or once for all.", False),
        "timeline": Key(
            Choice(TIMELINES, "a timeline"),
            "For runs to smaller horizons: absolute, they end earlier in the same world; scaled, they go through all "
            "of it.",
            "absolute",
        ),
        "corruption": Key(_CORRUPTION, "An adversary who flips wins of the Condorcet winner, as in {budget: 100}."),
    },
    "{segments: [first.csv, second.csv], starts: equal}",
)
