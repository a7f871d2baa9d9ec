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
from duelbench.spec.keys import Key, Keys, OfParameter, Tagged, by_name, parameter_keys
from duelbench.spec.kinds import ROUNDS, TRUTH, Choice, Either, OneOrMore, Whole, either, several
from duelbench.spec.problems import FAMILY_SEEDS, MATRIX
from duelbench.spec.reading import Kind, Reading, Schema, check_names, listed, named
from duelbench.spec.yaml_source import Value

MAX_ENTRIES = 10**6
"""Most entries of the matrices that are made for a world, together: the manifest holds them all."""


@dataclass(frozen=True)
class Segments:
    """The matrices of a world, in turn."""

    matrices: tuple[PreferenceMatrix, ...]
    content: Any  # what the spec asks for, with its defaults
    title: str


class _Segment(Kind):
    """One matrix of a world, which is no problem of its own."""

    def read(self, value: Value, at: Reading) -> Problem | None:
        return MATRIX.made(value, at)

    def json_schema(self) -> Schema:
        return {"$ref": "#/properties/matrix"}


def _matrix_of(problem: Problem) -> PreferenceMatrix:
    assert isinstance(problem.matrix, PreferenceMatrix)
    return problem.matrix


def _family_keys(name: str, family: makers.WorldFamily) -> Keys:
    """What a spec can say of a family of segments."""
    return Keys(
        {
            "family": Key(Choice((name,), "a family of segments"), fix="add one"),
            "count": Key(Whole(1, MAX_SEGMENTS, "segments"), "How many segments.", fix="add 'count: 4'"),
            **parameter_keys(family.parameters),
            "seed": Key(FAMILY_SEEDS, "Which of the worlds that could be drawn.", 0),
        },
        "{family: changing-winner, count: 4}",
        f"{family.description} ({family.source}).",
        "parameter",
        f" for {name}",
    )


_FAMILY = Tagged(
    "family", {name: _family_keys(name, family) for name, family in makers.FAMILIES.items()}, "a family of segments"
)


class _Segments(Kind):
    """A list of matrices, in which one may stand several times; or a family that draws them."""

    def read(self, value: Value, at: Reading) -> Segments | None:
        if isinstance(value, dict) and "family" in value:
            return self._drawn(value, at)
        if not isinstance(value, list):
            at.note(
                "must be a list of matrices, as in '[first.csv, second.csv]', or a family that draws them, as in "
                "'{family: changing-winner, count: 4}'"
            )
            return None
        found = [_Segment().read(item, here) for here, item in listed(value, at, most=MAX_SEGMENTS)]
        problems = [one for one in found if one is not None]
        if not problems or len(problems) < len(value):
            return None
        titles = [problem.title for problem in problems]
        shown = ", ".join(titles) if len(titles) <= 4 else f"{titles[0]}, {titles[1]}, ..., {titles[-1]}"
        return Segments(
            tuple(map(_matrix_of, problems)),
            [problem.content for problem in problems],
            shown if len(titles) == 1 else f"world of {shown}",
        )

    def _drawn(self, value: Value, at: Reading) -> Segments | None:
        said = _FAMILY.read(value, at)
        if said is None:
            return None
        parameters = {key: number for key, number in said.items() if key not in ("family", "count")}
        name, count, n_arms = said["family"], said["count"], said["n_arms"]
        most = MAX_ENTRIES // n_arms**2
        if count > most:
            at.below("count").note(f"must be at most {most} with {n_arms} arms, got {count}")
            return None
        world = makers.FAMILIES[name].make(segments=count, **parameters)
        details = ", ".join(f"{key}={number}" for key, number in parameters.items())
        return Segments(world.matrices, said, f"{count} segment{'s' if count > 1 else ''} of {name} ({details})")

    def json_schema(self) -> Schema:
        return either(several(_Segment().json_schema()), _FAMILY.json_schema())


class _Drift(Keys):
    """A staircase from one matrix to another."""

    def read(self, value: Value, at: Reading) -> Segments | None:
        said = self.read_whole(value, at)
        if said is None:
            return None
        first, last, steps = said["from"], said["to"], said["steps"]
        most = MAX_ENTRIES // _matrix_of(first).n_arms ** 2
        if steps > most:
            at.below("steps").note(f"must be at most {most} with {first.matrix.n_arms} arms, got {steps}")
            return None
        world = at.attempt(makers.drift, _matrix_of(first), _matrix_of(last), steps)
        content = {"from": first.content, "to": last.content, "steps": steps}
        title = f"drift from {first.title} to {last.title} in {steps} steps"
        return None if world is None else Segments(world.matrices, content, title)


_DRIFT = _Drift(
    {
        "from": Key(_Segment(), "The matrix at the beginning.", fix="add one"),
        "to": Key(_Segment(), "The matrix at the end.", fix="add one"),
        "steps": Key(Whole(2, MAX_SEGMENTS), "How many matrices, from the first to the last.", fix="add 'steps: 100'"),
    },
    "{from: first.csv, to: second.csv, steps: 100}",
    "A staircase from one matrix to another.",
)

_LIST_OF_ROUNDS = OneOrMore(ROUNDS, may_repeat=True)


class _Interval(Kind):
    """The first and the last of some rounds."""

    def read(self, value: Value, at: Reading) -> tuple[int, int] | None:
        if not isinstance(value, list) or len(value) != 2:
            at.note("must be the first and the last round, as in '[1, 1000]'")
            return None
        first, last = (ROUNDS.read(item, here) for here, item in listed(value, at))
        if first is None or last is None:
            return None
        if last < first:
            at.note(f"must be the first and the last round, but {last} comes before {first}")
            return None
        return first, last

    def json_schema(self) -> Schema:
        return {**several(ROUNDS.json_schema(), 2), "maxItems": 2}


_SHARE = Parameter(1.0, "probability that an outcome is flipped", low=0.0, high=1.0, low_open=True)


class _Corruption(Keys):
    """Flips of a budget, or in given rounds, as a spec says it with its defaults; empty where nothing is flipped."""

    def read(self, value: Value, at: Reading) -> dict[str, Any] | None:
        said = self.read_whole(value, at)
        if said is None or "rounds" in said:
            return said and {"rounds": list(said["rounds"]), "share": said["share"]}
        if "budget" not in said:
            at.note("says nothing; write '{budget: 100}', or '{rounds: [1, 1000]}'")
            return None
        return {"budget": said["budget"]} if said["budget"] else {}


_CORRUPTION = _Corruption(
    {
        "budget": Key(
            Whole(0, 10**15), "How many wins of the Condorcet winner an adversary who sees all duels may flip in a run."
        ),
        "rounds": Key(
            _Interval(),
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

    def read(self, value: Value, at: Reading, name: str = "") -> None:
        """Make the world called ``name`` a problem of the draft."""
        at.draft.posed.append(False)
        said = self.read_whole(value, at)
        horizon = at.draft.keys.get("horizon")
        if said is None or horizon is None:
            return
        if "repeat" in said and said["timeline"] == "scaled":
            at.below("timeline").note("scaled stands beside 'repeat', whose lengths are rounds; remove it", at_key=True)
        elif (made := at.attempt(_made, said, horizon)) is not None:
            at.draft.problems.append(Problem(name, *made))


class _Worlds(Kind):
    """Names with worlds."""

    def read(self, value: Value, at: Reading) -> None:
        """Make the worlds the problems of the draft."""
        if isinstance(value, dict) and _is_one(value):
            at.note("is one world; use the key 'world', or give it a name, as in '{flip: {segments: ...}}'")
            return
        items = named(value, at, "names with worlds, as in '{flip: {segments: [there.csv, back.csv]}}'")
        check_names(items, "world")
        for here, name, item in items:
            WORLD.read(item, here, name)
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


def _made(said: dict[str, Any], horizon: int) -> tuple[World, dict[str, Any]]:
    """The world of a spec up to a horizon, and what the spec asks for, with its defaults; or `InputError`."""
    is_scaled = said["timeline"] == "scaled"
    way = "drift" if "drift" in said else "segments"
    segments: Segments = said[way]
    starts, origin = _starts(said, len(segments.matrices), horizon, is_scaled)
    corruption = said.get("corruption", {})
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
    return World(segments.matrices, starts, per_run=said["per_run"], flips=flips, flipped=flipped, source=source), {
        way: segments.content,
        **({} if way == "drift" else origin),
        **({"corruption": corruption} if corruption else {}),
        "timeline": said["timeline"],
    }


def _starts(said: dict[str, Any], n_segments: int, horizon: int, is_scaled: bool) -> tuple[Starts, dict[str, Any]]:
    """When segments begin, and what the spec asks for, with its defaults; `InputError` if after the horizon."""
    how = said["starts"]
    if "repeat" in said:
        lengths = said["repeat"] * n_segments if len(said["repeat"]) == 1 else said["repeat"]
        return Pattern(lengths), {"repeat": list(lengths)}
    if how == "random":
        least = said["least"]
        drawn = DrawnScaled(least, horizon) if is_scaled else Drawn(least, horizon)
        return drawn, {"starts": how, "least": least, "per_run": said["per_run"]}
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


WORLD = _World(
    {
        "segments": Key(
            _Segments(),
            "Matrices that follow one another, each what `matrix` takes; or a family that draws them, as in {family: "
            "changing-winner, count: 4}.",
            fix="add 'segments: [first.csv, second.csv]', or 'drift: {from: ..., to: ..., steps: 100}'",
            unless="drift",
        ),
        "drift": Key(
            _DRIFT, "Instead of segments: from one matrix to another in equal steps.", not_beside=("segments",)
        ),
        "starts": Key(
            Either(Choice(("equal", "random"), "equal, random, or a list of rounds"), _LIST_OF_ROUNDS),
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
            Choice(("absolute", "scaled"), "a timeline"),
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


def check(at: Reading) -> None:
    """Note what does not go together with the worlds of the draft."""
    draft = at.draft
    worlds = {problem.name: problem.matrix for problem in draft.problems if isinstance(problem.matrix, World)}
    if worlds and "identify" in draft.given:
        at.below("identify").note("asks for the answer on one matrix, and a world that changes has several; remove it")
    sweep = draft.keys.get("sweep")
    if worlds and sweep is not None and sweep.over == "horizon":
        at.below("sweep").note("is over the horizon, and a world that changes has one; write a spec for each horizon")
    for name, world in worlds.items():
        for horizon in sorted({horizon for entry in draft.keys.get("algorithms", ()) for horizon in entry.horizons}):
            place = at.below("worlds", name) if name else at.below("world")
            if place.attempt(world.segments, horizon, np.random.default_rng(0)) is None:
                break
