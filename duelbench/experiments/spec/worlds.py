"""The ``world`` and ``worlds`` of a spec: matrices that follow one another, a drift, and outcomes that are flipped."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, Any, ClassVar

import numpy as np
from pydantic import Field, model_validator

from duelbench.bandits.parameters import Parameter
from duelbench.bandits.problem.preferences import PreferenceMatrix
from duelbench.bandits.problem.worlds import makers
from duelbench.bandits.problem.worlds.world import (
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
from duelbench.common.words import counted
from duelbench.errors import InputError
from duelbench.experiments.spec.experiment_spec import Problem
from duelbench.experiments.spec.fields import (
    ROUNDS,
    Choice,
    IfGiven,
    Named,
    Notes,
    OfParameter,
    OneOf,
    OneOrMore,
    Part,
    Reader,
    Rounds,
    Together,
    Truth,
    Whole,
    adapter,
    by_form,
    by_tag,
    error_of,
    parameter_fields,
    part_of,
)
from duelbench.experiments.spec.problems import FamilySeed, Maker, Matrix
from duelbench.experiments.spec.yaml_source import Location, Mistake

MAX_ENTRIES = 10**6
"""The maximum number of entries of all matrices that are made for a world; the manifest holds them all."""

# --- the keys ---


def _family_model(name: str, family: makers.WorldFamily) -> type[Part]:
    """Return the model of the keys of a family of segments."""
    count = Annotated[int, Whole(1, MAX_SEGMENTS, "segments"), Together(add="add 'count: 4'")]
    return part_of(
        f"segments {name}",
        Part,
        {
            "family": (Annotated[str, Choice([name], "a family of segments")], Field()),
            "count": (count, Field(description="How many segments.")),
            **parameter_fields(family.parameters),
            "seed": (FamilySeed, Field(0, description="Seed of the random world.")),
        },
        f"{family.description} ({family.source}).",
        example="{family: changing-winner, count: 4}",
        noun="parameter",
        owner=f" for {name}",
    )


_FAMILY_MODELS = {name: _family_model(name, family) for name, family in makers.FAMILIES.items()}
DrawnSegments = Annotated[Any, by_tag("family", _FAMILY_MODELS, "a family of segments")]
ListedSegments = Annotated[tuple[Matrix, ...], OneOrMore(at_most=MAX_SEGMENTS, may_repeat=True)]


def _segments_type(value: Any) -> Any:
    if isinstance(value, Mapping) and "family" in value:
        return DrawnSegments
    if isinstance(value, (list, tuple)):
        return ListedSegments
    raise ValueError(
        "must be a list of matrices, as in '[first.csv, second.csv]', or a family that draws them, as in "
        "'{family: changing-winner, count: 4}'"
    )


class Drift(Part):
    """A staircase from one matrix to another."""

    example: ClassVar[str] = "{from: first.csv, to: second.csv, steps: 100}"

    first: Matrix = Field(alias="from", description="The matrix at the beginning.")
    last: Matrix = Field(alias="to", description="The matrix at the end.")
    steps: Annotated[int, Whole(2, MAX_SEGMENTS), Together(add="add 'steps: 100'")] = Field(
        description="How many matrices, from the first to the last."
    )


def _interval(value: Any) -> tuple[int, int]:
    """Return the first and the last of some rounds."""
    if not isinstance(value, (list, tuple)) or len(value) != 2:
        raise ValueError("must be the first and the last round, as in '[1, 1000]'")
    first, last = adapter(tuple[Rounds, ...]).validate_python(value)
    if last < first:
        raise ValueError(f"must be the first and the last round, but {last} comes before {first}")
    return first, last


_TWO_ROUNDS = {"type": "array", "items": ROUNDS.json_schema(), "minItems": 2, "maxItems": 2}
_Interval = Annotated[tuple[int, int], Reader(_interval, _TWO_ROUNDS)]

_SHARE = Parameter(1.0, "probability that an outcome is flipped", low=0.0, high=1.0, low_open=True)


class Corruption(Part):
    """Outcomes of the Condorcet winner's duels that are flipped."""

    example: ClassVar[str] = "{budget: 100}"

    budget: IfGiven[Annotated[int, Whole(0, 10**15)]] = Field(
        None, description="How many wins of the Condorcet winner an adversary who sees all duels may flip in a run."
    )
    rounds: Annotated[IfGiven[_Interval], Together(not_beside=("budget",))] = Field(
        None,
        description="Instead of a budget, the first and the last round in which the winner's outcomes are flipped.",
    )
    share: Annotated[float, OfParameter(_SHARE), Together(only_with="rounds")] = Field(
        _SHARE.default, description="With rounds: the probability that an outcome is flipped."
    )

    @model_validator(mode="after")
    def _says_something(self) -> "Corruption":
        if self.budget is None and self.rounds is None:
            raise ValueError("needs a budget or rounds; write '{budget: 100}', or '{rounds: [1, 1000]}'")
        return self

    def content(self) -> dict[str, Any]:
        """Return the keys with their defaults; empty if nothing is flipped."""
        if self.rounds is not None:
            return {"rounds": list(self.rounds), "share": self.share}
        return {"budget": self.budget} if self.budget else {}


ListOfRounds = Annotated[tuple[Rounds, ...], OneOrMore(may_repeat=True)]
_Order = Annotated[str, Choice(("equal", "random"), "equal, random, or a list of rounds")]


class WorldKeys(Part):
    """A world that changes."""

    example: ClassVar[str] = "{segments: [first.csv, second.csv], starts: equal}"

    segments: Annotated[
        IfGiven[Annotated[Any, OneOf(_segments_type, ListedSegments, DrawnSegments)]],
        Together(
            add="add 'segments: [first.csv, second.csv]', or 'drift: {from: ..., to: ..., steps: 100}'", unless="drift"
        ),
    ] = Field(
        None,
        description="Matrices that follow one another, each what `matrix` takes; or a family that draws them, as in "
        "{family: changing-winner, count: 4}.",
    )
    drift: Annotated[IfGiven[Drift], Together(not_beside=("segments",))] = Field(
        None, description="Instead of segments: from one matrix to another in equal steps."
    )
    starts: Annotated[
        Any, OneOf(by_form(other=_Order, list=ListOfRounds), _Order, ListOfRounds), Together(not_beside=("drift",))
    ] = Field(
        "equal",
        description="When segments start: equal (lengths), random, or the first round of each, as in [1, 5000].",
    )
    repeat: Annotated[IfGiven[ListOfRounds], Together(not_beside=("starts", "drift"))] = Field(
        None,
        description="Instead of starts: how many rounds each segment lasts, as in [100, 50]; after the last comes the "
        "first again.",
    )
    least: Annotated[Rounds, Together(only_with="starts: random")] = Field(
        1, description="With starts: random, the shortest length of a segment in rounds."
    )
    per_run: Annotated[Truth, Together(only_with="starts: random")] = Field(
        False, description="With starts: random, whether they are drawn for each run, or once for all."
    )
    timeline: Annotated[str, Choice(("absolute", "scaled"), "a timeline")] = Field(
        "absolute",
        description="For runs to smaller horizons: absolute, they end earlier in the same world; scaled, they go "
        "through all of it.",
    )
    corruption: IfGiven[Corruption] = Field(
        None,
        description="Outcomes of the Condorcet winner that are flipped: {budget: 100}, by an adversary who sees all "
        "duels; or {rounds: [1, 1000]}, whatever happens.",
    )

    @model_validator(mode="after")
    def _repeats_on_an_absolute_timeline(self) -> "WorldKeys":
        if self.repeat is not None and self.is_scaled:
            message = "scaled conflicts with 'repeat', whose lengths are rounds; remove it"
            raise error_of([Mistake(("timeline",), message, at_key=True)])
        return self

    @property
    def is_scaled(self) -> bool:
        """Whether shorter runs go through all of the world."""
        return self.timeline == "scaled"


_NamedWorlds = Annotated[
    dict[str, WorldKeys],
    Named("names with worlds, as in '{flip: {segments: [there.csv, back.csv]}}'", "world"),
]


def _worlds_type(value: Any) -> Any:
    drift = value.get("drift") if isinstance(value, Mapping) else None
    is_drift = isinstance(drift, Mapping) and "from" in drift
    if is_drift or (isinstance(value, Mapping) and isinstance(value.get("segments"), (list, tuple))):
        raise ValueError("is one world; use the key 'world', or give it a name, as in '{flip: {segments: ...}}'")
    return _NamedWorlds


Worlds = Annotated[Any, OneOf(_worlds_type, _NamedWorlds)]

# --- the worlds ---


@dataclass(frozen=True)
class Segments:
    """The matrices of a world, in turn."""

    matrices: Sequence[PreferenceMatrix]
    content: Any  # the keys of the spec, with their defaults
    title: str


def make_world(name: str, keys: WorldKeys, horizon: int, maker: Maker) -> Problem:
    """Make the world ``name`` up to a horizon; raise a `ValueError` or an `InputError` if that is not possible."""
    segments = _drift(keys.drift, maker) if keys.drift is not None else _segments(keys.segments, maker)
    starts, origin = _starts(keys, len(segments.matrices), horizon)
    corruption = keys.corruption.content() if keys.corruption else {}
    flips, flipped, source = corruption.get("budget", 0), None, segments.title
    if isinstance(starts, Pattern):
        source += f", of {', '.join(map(str, starts.lengths))} rounds, again and again"
    if flips:
        source += f", up to {flips} outcomes flipped"
    if "rounds" in corruption:
        (first, last), share = corruption["rounds"], corruption["share"]
        if last > horizon:
            raise InputError(f"outcomes are flipped up to round {last}, after the horizon, {horizon} rounds")
        flipped = Flipped(first, last, share, horizon if keys.is_scaled else None)
        often = "" if share == 1 else f" with probability {share:g}"
        source += f", outcomes of rounds {first} to {last} flipped{often}"
    world = World(tuple(segments.matrices), starts, per_run=keys.per_run, flips=flips, flipped=flipped, source=source)
    return Problem(
        name,
        world,
        {
            **({"drift": segments.content} if keys.drift is not None else {"segments": segments.content, **origin}),
            **({"corruption": corruption} if corruption else {}),
            "timeline": keys.timeline,
        },
    )


def _segments(keys: Any, maker: Maker) -> Segments:
    if isinstance(keys, Part):
        return _drawn(keys)
    notes = Notes()
    made = [notes.attempt(("segments", k), maker.problem, "", item) for k, item in enumerate(keys)]
    if notes.mistakes:
        raise error_of(notes.mistakes)
    problems = [problem for problem in made if problem is not None]
    titles = [problem.title for problem in problems]
    shown = ", ".join(titles) if len(titles) <= 4 else f"{titles[0]}, {titles[1]}, ..., {titles[-1]}"
    return Segments(
        [problem.preferences for problem in problems],
        [problem.content for problem in problems],
        shown if len(titles) == 1 else f"world of {shown}",
    )


def _drawn(keys: Part) -> Segments:
    values = keys.explicit
    name, count = values["family"], values["count"]
    parameters = {key: value for key, value in keys.all_values().items() if key not in ("family", "count")}
    _check_size(count, parameters["n_arms"], ("segments", "count"))
    world = makers.FAMILIES[name].make(segments=count, **parameters)
    details = ", ".join(f"{key}={number}" for key, number in parameters.items())
    title = f"{counted(count, 'segment')} of {name} ({details})"
    return Segments(world.matrices, {"family": name, "count": count, **parameters}, title)


def _check_size(n_matrices: int, n_arms: int, location: Location) -> None:
    most = MAX_ENTRIES // n_arms**2
    if n_matrices > most:
        raise error_of([Mistake(location, f"must be at most {most} with {n_arms} arms, got {n_matrices}")])


def _drift(keys: Drift, maker: Maker) -> Segments:
    notes = Notes()
    first = notes.attempt(("drift", "from"), maker.problem, "", keys.first)
    last = notes.attempt(("drift", "to"), maker.problem, "", keys.last)
    if first is None or last is None:
        raise error_of(notes.mistakes)
    _check_size(keys.steps, first.matrix.n_arms, ("drift", "steps"))
    world = makers.drift(first.preferences, last.preferences, keys.steps)
    content = {"from": first.content, "to": last.content, "steps": keys.steps}
    return Segments(world.matrices, content, f"drift from {first.title} to {last.title} in {keys.steps} steps")


def _starts(keys: WorldKeys, n_segments: int, horizon: int) -> tuple[Starts, dict[str, Any]]:
    """Return the starts of segments, and their keys with defaults; raise an `InputError` if a start is too late."""
    starts = keys.starts
    if keys.repeat is not None:
        lengths = keys.repeat * n_segments if len(keys.repeat) == 1 else keys.repeat
        return Pattern(lengths), {"repeat": list(lengths)}
    if starts == "random":
        drawn = DrawnScaled(keys.least, horizon) if keys.is_scaled else Drawn(keys.least, horizon)
        return drawn, {"starts": starts, "least": keys.least, "per_run": keys.per_run}
    if starts == "equal":
        shares = equal(n_segments)
        if n_segments > horizon and not keys.is_scaled:
            raise InputError(f"has {n_segments} segments, more than the {horizon} rounds of a run")
        rounds = shares.rounds(n_segments, horizon, np.random.default_rng(0))
        return shares if keys.is_scaled else At(tuple(start for start, _ in rounds)), {"starts": starts}
    if starts[-1] > horizon:
        raise InputError(f"a segment starts at round {starts[-1]}, after the horizon, {horizon} rounds")
    content = {"starts": list(starts)}
    if keys.is_scaled:
        return Scaled(tuple(Fraction(start - 1, horizon) for start in starts)), content
    return At(starts), content


def make_worlds(worlds: Mapping[str, WorldKeys | None], horizon: int, maker: Maker, notes: Notes) -> list[Problem]:
    """Return the worlds of the key ``worlds``, without those that are wrong."""
    problems: list[Problem] = []
    n_entries = 0
    for name, keys in worlds.items():
        problem = None if keys is None else notes.attempt(("worlds", name), make_world, name, keys, horizon, maker)
        if problem is None:
            continue
        problems.append(problem)
        assert isinstance(problem.matrix, World)
        n_entries += len(set(problem.matrix.matrices)) * problem.matrix.n_arms**2
        if n_entries > MAX_ENTRIES:
            message = f"the matrices of the worlds up to here have more than {MAX_ENTRIES} entries together"
            notes.note(("worlds", name), message)
            break
    return problems


def check_worlds(problems: Sequence[Problem], keys: Mapping[str, Any], notes: Notes) -> None:
    """Note keys that conflict with worlds; ``keys`` are the values of the spec's other keys."""
    worlds = {problem.name: problem.matrix for problem in problems if isinstance(problem.matrix, World)}
    if worlds and keys.get("identify") is not None:
        notes.note(("identify",), "needs one matrix, but a world that changes has several; remove it")
    if worlds and keys.get("sweep") is not None and keys["sweep"].over == "horizon":
        notes.note(
            ("sweep",), "is over the horizon, but a world that changes has a fixed one; write a spec for each horizon"
        )
    horizons = sorted({horizon for entry in keys.get("entries") or () for horizon in entry.horizons})
    for name, world in worlds.items():
        location = ("worlds", name) if name else ("world",)
        for horizon in horizons:
            if notes.attempt(location, world.segments, horizon, np.random.default_rng(0)) is None:
                break
