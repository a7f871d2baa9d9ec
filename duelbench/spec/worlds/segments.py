"""The segments of a world in a spec: which matrices, and when each begins."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from duelbench.errors import InputError
from duelbench.problem.preferences import PreferenceMatrix
from duelbench.problem.worlds.makers import FAMILIES, WorldFamily
from duelbench.problem.worlds.world import MAX_SEGMENTS, At, Drawn, DrawnScaled, Pattern, Scaled, Starts, equal
from duelbench.spec.experiment_spec import Problem
from duelbench.spec.kinds import ROUNDS, Choice, Key, Keys, Kind, Reading, Schema, Tagged, Whole, listed
from duelbench.spec.parameters import parameter_keys
from duelbench.spec.problems import FAMILY_SEEDS, MATRIX
from duelbench.spec.yaml_source import Scalar, Value

MAX_ENTRIES = 10**6
"""Most entries of the matrices that are made for a world, together: the manifest holds them all."""


@dataclass(frozen=True)
class Segments:
    """The matrices of a world, in turn."""

    matrices: tuple[PreferenceMatrix, ...]
    content: Any  # what the spec asks for, with its defaults
    told: str  # that in words


class Segment(Kind):
    """One matrix of a world, which is no problem of its own."""

    def read(self, value: Value, at: Reading) -> Problem | None:
        if isinstance(value, dict) and "means" in value:
            at.note("is a scalar bandit; the segments of a world are matrices")
            return None
        return MATRIX.made(value, at)

    def json_schema(self) -> Schema:
        return {"$ref": "#/properties/matrix"}


def _family_keys(name: str, family: WorldFamily) -> Keys:
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


FAMILY = Tagged("family", {name: _family_keys(name, one) for name, one in FAMILIES.items()}, "a family of segments")


class ManySegments(Kind):
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
        found = [Segment().read(item, here) for here, item in listed(value, at, most=MAX_SEGMENTS)]
        problems = [one for one in found if one is not None]
        if not problems or len(problems) < len(value):
            return None
        titles = [problem.title for problem in problems]
        shown = ", ".join(titles) if len(titles) <= 4 else f"{titles[0]}, {titles[1]}, ..., {titles[-1]}"
        told = shown if len(titles) == 1 else f"world of {shown}"
        return Segments(tuple(map(matrix_of, problems)), [problem.content for problem in problems], told)

    def _drawn(self, value: dict[Scalar, Value], at: Reading) -> Segments | None:
        before = len(at.draft.noted)
        said = FAMILY.read(value, at)
        if len(at.draft.noted) > before:
            return None
        name, count, seed = said["family"], said["count"], said.get("seed", 0)
        family = FAMILIES[name]
        parameters = {key: said.get(key, one.default) for key, one in family.parameters.items()}
        most = MAX_ENTRIES // parameters["n_arms"] ** 2
        if count > most:
            at.below("count").note(f"must be at most {most} with {parameters['n_arms']} arms, got {count}")
            return None
        world = family.make(segments=count, seed=seed, **parameters)
        details = ", ".join(f"{key}={number}" for key, number in {**parameters, "seed": seed}.items())
        told = f"{count} segment{'s' if count > 1 else ''} of {name} ({details})"
        return Segments(world.matrices, {"family": name, "count": count, **parameters, "seed": seed}, told)

    def json_schema(self) -> Schema:
        several = {"type": "array", "items": Segment().json_schema(), "minItems": 1}
        return {"anyOf": [several, *FAMILY.json_schema()["anyOf"]]}


def matrix_of(problem: Problem) -> PreferenceMatrix:
    """The matrix of a segment."""
    assert isinstance(problem.matrix, PreferenceMatrix)
    return problem.matrix


class StartsKind(Kind):
    """How starts are found, or the rounds themselves."""

    _HOW = Choice(("equal", "random"), "equal, random, or a list of rounds")

    def read(self, value: Value, at: Reading) -> str | tuple[int, ...] | None:
        if not isinstance(value, list):
            how: str | None = self._HOW.read(value, at)
            return how
        return _rounds(value, at)

    def json_schema(self) -> Schema:
        return {"anyOf": [self._HOW.json_schema(), _SOME_ROUNDS]}


class Lengths(Kind):
    """How many rounds each segment lasts; one number for all."""

    def read(self, value: Value, at: Reading) -> tuple[int, ...] | None:
        return _rounds(value, at)

    def json_schema(self) -> Schema:
        return {"anyOf": [*ROUNDS.json_schema()["anyOf"], _SOME_ROUNDS]}


class Interval(Kind):
    """The first and the last of some rounds."""

    def read(self, value: Value, at: Reading) -> tuple[int, int] | None:
        if not isinstance(value, list) or len(value) != 2:
            at.note("must be the first and the last round, as in '[1, 1000]'")
            return None
        rounds = _rounds(value, at)
        if rounds is None:
            return None
        first, last = rounds
        if last < first:
            at.note(f"must be the first and the last round, but {last} comes before {first}")
            return None
        return first, last

    def json_schema(self) -> Schema:
        return {**_SOME_ROUNDS, "minItems": 2, "maxItems": 2}


_SOME_ROUNDS: Schema = {"type": "array", "items": ROUNDS.json_schema(), "minItems": 1}


def _rounds(value: Value, at: Reading) -> tuple[int, ...] | None:
    """A list of rounds; None where something is wrong with one."""
    rounds = [ROUNDS.read(item, here) for here, item in listed(value, at)]
    return tuple(t for t in rounds if t is not None) if rounds and None not in rounds else None


def starts_of(said: dict[str, Any], n_segments: int, horizon: int) -> tuple[Starts, dict[str, Any]]:
    """When segments begin, and what the spec asks for, with its defaults; `InputError` if after the horizon."""
    is_scaled, how = said.get("timeline") == "scaled", said.get("starts", "equal")
    if "repeat" in said:
        lengths = said["repeat"] * n_segments if len(said["repeat"]) == 1 else said["repeat"]
        return Pattern(lengths), {"repeat": list(lengths)}
    if how == "equal":
        return equal_parts(n_segments, horizon, is_scaled), {"starts": how}
    if how == "random":
        least, per_run = said.get("least", 1), said.get("per_run", False)
        drawn = DrawnScaled(least, horizon) if is_scaled else Drawn(least, horizon)
        return drawn, {"starts": how, "least": least, "per_run": per_run}
    if how[-1] > horizon:
        raise InputError(f"a segment starts at round {how[-1]}, after the horizon, {horizon} rounds")
    starts = Scaled(tuple(Fraction(start - 1, horizon) for start in how)) if is_scaled else At(how)
    return starts, {"starts": list(how)}


def equal_parts(n_segments: int, horizon: int, is_scaled: bool) -> Starts:
    """Segments of equal length; `InputError` if there are more than rounds."""
    shares = equal(n_segments)
    if is_scaled:
        return shares
    if n_segments > horizon:
        raise InputError(f"has {n_segments} segments, more than the {horizon} rounds of a run")
    return At(tuple(start for start, _ in shares.rounds(n_segments, horizon, np.random.default_rng(0))))
