"""A world that changes: which matrix duels follow in which rounds, and by which matrix they are judged."""

import hashlib
import json
import reprlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import cycle, pairwise
from typing import Any

import numpy as np

from duelbench.bandits.problem.preferences import PreferenceMatrix
from duelbench.bandits.problem.scalar_bandit import ScalarBandit
from duelbench.bandits.problem.winners import condorcet_winner
from duelbench.errors import InputError


@dataclass(frozen=True)
class Segment:
    """Rounds in which nothing changes."""

    start: int  # the first round, 1-based
    matrix: PreferenceMatrix  # what regret is computed from
    outcomes: PreferenceMatrix  # what duels are drawn from: the same, but for outcomes that are corrupted


MAX_SEGMENTS = 100_000  # Most segments of a run: each is a call of the compiled loop


class Starts:
    """When the segments of a world begin."""

    is_random = False

    def rounds(self, n_segments: int, horizon: int, rng: np.random.Generator) -> list[tuple[int, int]]:
        """The first round (1-based) of each stay in a segment, and the segment's number (0-based), in order of time."""
        raise NotImplementedError

    def check(self, n_segments: int) -> None:
        """Raise an InputError unless ``n_segments`` segments can start so."""
        raise NotImplementedError

    def content(self) -> dict[str, Any]:
        """The starts in plain JSON types, as manifests hold them."""
        return dict(vars(self))

    @staticmethod
    def from_content(content: Mapping[str, Any]) -> "Starts":
        """The starts that `content` gave."""
        if "at" in content:
            return At(tuple(map(int, content["at"])))
        if "shares" in content:
            return Scaled(tuple(map(Fraction, content["shares"])))
        if "lengths" in content:
            return Pattern(tuple(map(int, content["lengths"])))
        over = None if content["over"] is None else int(content["over"])
        return (DrawnScaled if "scaled" in content else Drawn)(int(content["least"]), over)


def _check_increasing(given: Sequence[int | Fraction], n_segments: int) -> None:
    if len(given) != n_segments:
        raise InputError(f"the world has {n_segments} segments, but {len(given)} starts")
    for one, other in pairwise(given):
        if other <= one:
            raise InputError(f"the starts of a world increase, but {other} stands after {one}")


@dataclass(frozen=True)
class At(Starts):
    """Starts at given rounds, 1-based and increasing from 1."""

    starts: tuple[int, ...]

    def rounds(self, n_segments: int, horizon: int, rng: np.random.Generator) -> list[tuple[int, int]]:
        return [(start, m) for m, start in enumerate(self.starts)]

    def check(self, n_segments: int) -> None:
        if self.starts[:1] != (1,):
            raise InputError("the first segment of a world starts at round 1")
        _check_increasing(self.starts, n_segments)

    def content(self) -> dict[str, Any]:
        return {"at": list(self.starts)}


@dataclass(frozen=True)
class Scaled(Starts):
    """Starts that are shares of the horizon of each run, increasing from 0: floor(share T) + 1."""

    shares: tuple[Fraction, ...]

    def rounds(self, n_segments: int, horizon: int, rng: np.random.Generator) -> list[tuple[int, int]]:
        return [(int(share * horizon) + 1, m) for m, share in enumerate(self.shares)]

    def check(self, n_segments: int) -> None:
        if self.shares[:1] != (0,) or self.shares[-1] >= 1:
            raise InputError("the starts of a scaled world are shares of the horizon: the first is 0, the last below 1")
        _check_increasing(self.shares, n_segments)

    def content(self) -> dict[str, Any]:
        return {"shares": [str(share) for share in self.shares]}


def equal(n_segments: int) -> Scaled:
    """Segments of equal length: start_m = floor((m - 1) T / M) + 1.

    Examples
    --------
    >>> [start for start, _ in equal(3).rounds(3, 10, None)]
    [1, 4, 7]
    """
    return Scaled(tuple(Fraction(m, n_segments) for m in range(n_segments)))


@dataclass(frozen=True)
class Drawn(Starts):
    """Starts that are drawn: all lengths are at least ``least``, and all such divisions are equally likely.

    Of the M segments of T rounds, M - 1 different cuts are drawn from {1, ..., T - M (least - 1) - 1}; the lengths are
    their differences plus ``least`` - 1. T is ``over``, by default the horizon of each run.
    """

    least: int = 1
    over: int | None = None
    is_random = True

    def rounds(self, n_segments: int, horizon: int, rng: np.random.Generator) -> list[tuple[int, int]]:
        horizon = self.over or horizon
        spare = horizon - n_segments * (self.least - 1)
        if spare < n_segments:
            raise InputError(
                f"the world has {n_segments} segments of at least {self.least} rounds, more than the {horizon} rounds"
                " of a run; take fewer, shorter ones, or a longer horizon"
            )
        cuts = np.sort(rng.choice(spare - 1, n_segments - 1, replace=False)) + 1
        starts = cuts + np.arange(1, n_segments) * (self.least - 1) + 1
        return [(1, 0), *((int(start), m) for m, start in enumerate(starts, 1))]

    def check(self, n_segments: int) -> None:
        if self.least < 1:
            raise InputError("the shortest segment of a world has one round at least")


@dataclass(frozen=True)
class DrawnScaled(Drawn):
    """Starts that are drawn as of a run to ``over`` rounds, and in each run stand at the same shares of its horizon.

    A start s becomes floor((s - 1) T / over) + 1 in a run to T rounds; segments shorter than a round are left out.
    """

    def rounds(self, n_segments: int, horizon: int, rng: np.random.Generator) -> list[tuple[int, int]]:
        assert self.over is not None
        whole = super().rounds(n_segments, self.over, rng)
        # Of segments that begin at one round the last stays: the others have no round.
        return list({(start - 1) * horizon // self.over + 1: m for start, m in whole}.items())

    def content(self) -> dict[str, Any]:
        return {**vars(self), "scaled": True}


@dataclass(frozen=True)
class Pattern(Starts):
    """Segments of these lengths, in rounds, that follow one another again and again.

    Examples
    --------
    >>> Pattern((2, 3)).rounds(2, 9, None)
    [(1, 0), (3, 1), (6, 0), (8, 1)]
    """

    lengths: tuple[int, ...]

    def rounds(self, n_segments: int, horizon: int, rng: np.random.Generator) -> list[tuple[int, int]]:
        if horizon > MAX_SEGMENTS * sum(self.lengths) // n_segments:
            raise InputError(
                f"segments of {sum(self.lengths)} rounds together, again and again, are too many for {horizon} rounds:"
                f" a run has at most {MAX_SEGMENTS}; take longer ones"
            )
        stays, start = [], 1
        for m in cycle(range(n_segments)):
            if start > horizon:
                break
            stays.append((start, m))
            start += self.lengths[m]
        return stays

    def check(self, n_segments: int) -> None:
        if min(self.lengths, default=0) < 1:
            raise InputError("each segment of a pattern has one round at least")
        if len(self.lengths) != n_segments:
            raise InputError(f"the world has {n_segments} segments, but {len(self.lengths)} lengths")

    def content(self) -> dict[str, Any]:
        return {"lengths": list(self.lengths)}


@dataclass(frozen=True)
class Flipped:
    """Rounds in which each outcome of the Condorcet winner's duels is flipped with probability ``share``."""

    first: int  # of the rounds, 1-based
    last: int
    share: float = 1.0  # in (0, 1]
    over: int | None = None  # the horizon that the rounds are of: others have the same share of theirs. None: of any

    def __post_init__(self) -> None:
        if not (1 <= self.first <= self.last and 0 < self.share <= 1):
            raise InputError(
                "outcomes are flipped from a round, 1 or later, to that round or a later one, with a probability in"
                f" (0, 1]; got rounds {self.first} to {self.last}, probability {self.share:g}"
            )

    def bounds(self, horizon: int) -> tuple[int, int]:
        """The first and the last round of a run; none are flipped where the last comes before the first."""
        if self.over is None:
            return self.first, self.last
        return (self.first - 1) * horizon // self.over + 1, self.last * horizon // self.over

    def outcomes(self, matrix: PreferenceMatrix, winner: int) -> PreferenceMatrix:
        """``matrix``, which duels are drawn from, with the outcomes of arm ``winner`` (0-based) flipped.

        Examples
        --------
        >>> Flipped(1, 9, share=0.25).outcomes(PreferenceMatrix([[0.5, 1.0], [0.0, 0.5]]), 0).P.tolist()
        [[0.5, 0.75], [0.25, 0.5]]
        """
        P = matrix.P.copy()
        P[winner] = (1 - self.share) * matrix.P[winner] + self.share * matrix.P[:, winner]
        P[:, winner] = 1 - P[winner]
        P[winner, winner] = 0.5
        return PreferenceMatrix(P, matrix.names)

    def divided(self, segments: list[Segment], horizon: int) -> list[Segment]:
        """The segments, divided where flipped rounds begin and end; each has a Condorcet winner."""
        first, last = self.bounds(horizon)
        ends = [*(segment.start - 1 for segment in segments[1:]), horizon]
        divided = []
        for segment, end in zip(segments, ends, strict=True):
            for start in sorted({segment.start} | {t for t in (first, last + 1) if segment.start < t <= end}):
                outcomes = segment.outcomes
                if first <= start <= last:
                    winner = condorcet_winner(segment.matrix)
                    assert winner is not None
                    outcomes = self.outcomes(outcomes, winner)
                divided.append(Segment(start, segment.matrix, outcomes))
        return divided


@dataclass(frozen=True, eq=False)
class World:
    """Preference matrices that follow one another; a world with one never changes.

    Parameters
    ----------
    matrices : sequence of PreferenceMatrix or array_like
        What regret is computed from, segment by segment. All with the same arms.
    starts : Starts, or sequence of int
        When segments begin; numbers are their first rounds, as in `At`.
    outcomes : sequence of PreferenceMatrix or array_like, optional
        What duels are drawn from; by default ``matrices``.
    per_run : bool
        Whether random starts are drawn for each run; otherwise once for all runs.
    flips : int
        How many outcomes of a run an adversary may flip, who sees all duels. Of the Condorcet winner w against j it
        flips a win with probability 4 D / (1 + 2 D), D = p_wj - 1/2, so that w wins with probability 1/2 - D as long as
        flips are left [1]_.
    source : str, optional
        Where it comes from.
    flipped : Flipped, optional
        Rounds fixed in advance in which outcomes are flipped.

    References
    ----------
    .. [1] A. Agarwal, S. Agarwal, P. Patil, "Stochastic Dueling Bandits with Adversarial Corruption", ALT 2021,
       appendix C.

    Examples
    --------
    Two arms that change places in the middle:

    >>> first, second = PreferenceMatrix([[0.5, 0.9], [0.1, 0.5]]), PreferenceMatrix([[0.5, 0.1], [0.9, 0.5]])
    >>> world = World((first, second), equal(2))
    >>> [(segment.start, float(segment.matrix.P[0, 1])) for segment in world.segments(100, np.random.default_rng(0))]
    [(1, 0.9), (51, 0.1)]
    """

    matrices: tuple[PreferenceMatrix, ...]
    starts: Starts
    outcomes: tuple[PreferenceMatrix, ...] = ()
    per_run: bool = False
    flips: int = 0
    source: str | None = None
    flipped: Flipped | None = None

    def __post_init__(self) -> None:
        # A frozen dataclass can be filled in no other way.
        object.__setattr__(self, "matrices", _as_matrices(self.matrices))
        object.__setattr__(self, "outcomes", _as_matrices(self.outcomes) or self.matrices)
        object.__setattr__(self, "starts", _as_starts(self.starts))
        if not self.matrices:
            raise InputError("a world needs at least one matrix")
        n_matrices, n_outcomes = len(self.matrices), len(self.outcomes)
        if n_outcomes != n_matrices:
            raise InputError(f"the world has {n_matrices} matrices, but {n_outcomes} that its duels are drawn from")
        _check_arms((*self.matrices, *self.outcomes))
        self.starts.check(len(self.matrices))
        if self.flips < 0:
            raise InputError(f"the number of outcomes that may be flipped is 0 or more, got {self.flips}")
        if self.flips and self.flipped:
            raise InputError("outcomes are flipped in rounds fixed in advance, or as long as a budget lasts, not both")
        for number, matrix in enumerate(self.matrices if self.flips or self.flipped else (), 1):
            if condorcet_winner(matrix) is None:
                raise InputError(
                    f"outcomes of the Condorcet winner are to be flipped, and segment {number} of the world has none"
                )

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the arms."""
        return self.matrices[0].names

    @property
    def n_arms(self) -> int:
        """The number of arms, K."""
        return self.matrices[0].n_arms

    @cached_property
    def sha256(self) -> str:
        """SHA-256 of all numbers, 64 hexadecimal digits: matrices, starts and flips, without names and source."""
        hashes = [[matrix.sha256 for matrix in some] for some in (self.matrices, self.outcomes)]
        starts = [type(self.starts).__name__, {name: str(value) for name, value in vars(self.starts).items()}]
        flipped = None if self.flipped is None else list(vars(self.flipped).values())
        canonical = [hashes, starts, self.per_run, self.flips, flipped]
        return hashlib.sha256(json.dumps(canonical, sort_keys=True).encode()).hexdigest()

    def content(self) -> dict[str, Any]:
        """The world in plain JSON types, as manifests hold it: the matrices, each once, and what happens when."""
        different = {matrix.sha256: matrix for matrix in (*self.matrices, *self.outcomes)}
        places = {sha256: k for k, sha256 in enumerate(different)}
        return {
            "matrices": [matrix.P.tolist() for matrix in different.values()],
            "segments": [places[matrix.sha256] for matrix in self.matrices],
            "outcomes": [places[matrix.sha256] for matrix in self.outcomes],
            "starts": self.starts.content(),
            "per_run": self.per_run,
            "flips": self.flips,
            "flipped": None if self.flipped is None else vars(self.flipped),
        }

    @classmethod
    def from_content(cls, content: Mapping[str, Any], names: Sequence[str], source: str | None) -> "World":
        """The world that `content` gave; where it is none, an InputError, ValueError or LookupError, or a TypeError."""
        matrices = [PreferenceMatrix(P, names) for P in content["matrices"]]
        segments, outcomes = (tuple(matrices[k] for k in content[name]) for name in ("segments", "outcomes"))
        flipped = Flipped(**content["flipped"]) if content.get("flipped") is not None else None
        starts = Starts.from_content(content["starts"])
        return cls(segments, starts, outcomes, bool(content["per_run"]), int(content["flips"]), source, flipped)

    def segments(self, horizon: int, rng: np.random.Generator) -> list[Segment]:
        """The segments of a run, in order of time, up to its horizon; an InputError where it is too short for them."""
        stays = self.starts.rounds(len(self.matrices), horizon, rng)
        found = [Segment(start, self.matrices[m], self.outcomes[m]) for start, m in stays if start <= horizon]
        for one, other in pairwise(found):
            if other.start <= one.start:
                raise InputError(
                    f"with a horizon of {horizon} rounds, two segments of the world begin at round {other.start};"
                    " take fewer segments or a longer horizon"
                )
        return self.flipped.divided(found, horizon) if self.flipped else found


def _as_matrices(given: Any) -> tuple[PreferenceMatrix, ...]:
    if isinstance(given, PreferenceMatrix) or not isinstance(given, Iterable):
        raise InputError("a world is of several matrices, as in World((P, R), equal(2)); one alone is World((P,), ...)")
    return tuple(one if isinstance(one, PreferenceMatrix) else PreferenceMatrix(one) for one in given)


def _as_starts(given: Any) -> Starts:
    if isinstance(given, Starts):
        return given
    if isinstance(given, Sequence) and all(isinstance(start, int | np.integer) for start in given):
        return At(tuple(map(int, given)))
    raise InputError(f"the starts of a world are equal(2), or first rounds, as in [1, 50]; got {reprlib.repr(given)}")


def _check_arms(matrices: Sequence[PreferenceMatrix]) -> None:
    first = matrices[0]
    for number, matrix in enumerate(matrices[1:], 2):
        if matrix.names != first.names:
            differ = f"{matrix.n_arms} arms and matrix 1 has {first.n_arms}"
            if matrix.n_arms == first.n_arms:
                arm = next(k for k in range(first.n_arms) if matrix.names[k] != first.names[k])
                differ = f"'{matrix.names[arm]}' where matrix 1 has '{first.names[arm]}'"
                numbers = tuple(map(str, range(first.n_arms)))
                if numbers in (matrix.names, first.names):
                    named = matrix if first.names == numbers else first
                    differ += f"; give the one without names the header line of the other, {','.join(named.names)}"
            raise InputError(f"the matrices of a world have the same arms, but matrix {number} has {differ}")


AnyProblem = PreferenceMatrix | ScalarBandit | World
"""What a run can be played on."""


def at_first(problem: AnyProblem) -> PreferenceMatrix | ScalarBandit:
    """What the rounds of a run begin with: of a world its first matrix."""
    return problem.matrices[0] if isinstance(problem, World) else problem
