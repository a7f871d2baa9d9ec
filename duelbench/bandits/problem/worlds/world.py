"""A world that changes: the matrices of its segments, for drawing duels and for computing regret."""

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
    matrix: PreferenceMatrix  # the matrix for regret
    outcomes: PreferenceMatrix  # the matrix for duels: the same, unless outcomes are corrupted


MAX_SEGMENTS = 100_000  # Largest number of segments of a run: each is a call of the compiled loop


class Starts:
    """When the segments of a world start."""

    is_random = False

    def rounds(self, n_segments: int, horizon: int, rng: np.random.Generator) -> list[tuple[int, int]]:
        """Return the first round (1-based) and the segment (0-based) of each stay in a segment, in order of time."""
        raise NotImplementedError

    def check(self, n_segments: int) -> None:
        """Raise an InputError unless these starts are possible for ``n_segments`` segments."""
        raise NotImplementedError

    def content(self) -> dict[str, Any]:
        """Return the starts in plain JSON types, as in manifests."""
        return dict(vars(self))

    @staticmethod
    def from_content(content: Mapping[str, Any]) -> "Starts":
        """Read the starts from `content`."""
        if "at" in content:
            return At(tuple(map(int, content["at"])))
        if "shares" in content:
            return Scaled(tuple(map(Fraction, content["shares"])))
        if "lengths" in content:
            return Pattern(tuple(map(int, content["lengths"])))
        over = None if content["over"] is None else int(content["over"])
        return (DrawnScaled if "scaled" in content else Drawn)(int(content["least"]), over)


def _check_increasing(starts: Sequence[int | Fraction], n_segments: int) -> None:
    if len(starts) != n_segments:
        raise InputError(f"the world has {n_segments} segments, but {len(starts)} starts")
    for before, start in pairwise(starts):
        if start <= before:
            raise InputError(f"the starts of a world increase, but {start} comes after {before}")


@dataclass(frozen=True)
class At(Starts):
    """Starts at fixed rounds, 1-based and increasing from 1."""

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
    """Random starts: all segments have at least ``least`` rounds, and all such divisions are equally likely.

    For M segments in T rounds, M - 1 different cuts are drawn from {1, ..., T - M (least - 1) - 1}; the lengths of the
    segments are the differences between cuts, plus ``least`` - 1. T is ``over``, by default the horizon of each run.
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
            raise InputError("the shortest segment of a world has at least one round")


@dataclass(frozen=True)
class DrawnScaled(Drawn):
    """Random starts drawn for ``over`` rounds, and scaled to the horizon of each run.

    A start s becomes floor((s - 1) T / over) + 1 in a run to T rounds; segments shorter than a round are left out.
    """

    def rounds(self, n_segments: int, horizon: int, rng: np.random.Generator) -> list[tuple[int, int]]:
        assert self.over is not None
        unscaled = super().rounds(n_segments, self.over, rng)
        # If several segments start at the same round, only the last one has rounds.
        return list({(start - 1) * horizon // self.over + 1: m for start, m in unscaled}.items())

    def content(self) -> dict[str, Any]:
        return {**vars(self), "scaled": True}


@dataclass(frozen=True)
class Pattern(Starts):
    """Segments of these lengths, in rounds, repeated until the horizon.

    Examples
    --------
    >>> Pattern((2, 3)).rounds(2, 9, None)
    [(1, 0), (3, 1), (6, 0), (8, 1)]
    """

    lengths: tuple[int, ...]

    def rounds(self, n_segments: int, horizon: int, rng: np.random.Generator) -> list[tuple[int, int]]:
        if horizon > MAX_SEGMENTS * sum(self.lengths) // n_segments:
            raise InputError(
                f"a pattern of {sum(self.lengths)} rounds is repeated too often in {horizon} rounds:"
                f" a run has at most {MAX_SEGMENTS} segments; take longer ones"
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
            raise InputError("each segment of a pattern has at least one round")
        if len(self.lengths) != n_segments:
            raise InputError(f"the world has {n_segments} segments, but {len(self.lengths)} lengths")

    def content(self) -> dict[str, Any]:
        return {"lengths": list(self.lengths)}


@dataclass(frozen=True)
class Flipped:
    """Rounds in which each outcome of the Condorcet winner's duels is flipped with probability ``share``."""

    first: int  # first and last of the rounds, 1-based
    last: int
    share: float = 1.0  # in (0, 1]
    over: int | None = None  # the horizon that the rounds are for; they are scaled to others. None: never scaled

    def __post_init__(self) -> None:
        if not (1 <= self.first <= self.last and 0 < self.share <= 1):
            raise InputError(
                "outcomes are flipped from a round, 1 or later, to that round or a later one, with a probability in"
                f" (0, 1]; got rounds {self.first} to {self.last}, probability {self.share:g}"
            )

    def bounds(self, horizon: int) -> tuple[int, int]:
        """Return the first and the last flipped round of a run; none is flipped if the last is before the first."""
        if self.over is None:
            return self.first, self.last
        return (self.first - 1) * horizon // self.over + 1, self.last * horizon // self.over

    def outcomes(self, matrix: PreferenceMatrix, winner: int) -> PreferenceMatrix:
        """Return ``matrix``, from which duels are drawn, with the outcomes of arm ``winner`` (0-based) flipped.

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
        """Divide segments at the start and the end of the flipped rounds; each must have a Condorcet winner."""
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
    """A sequence of preference matrices; a world with one matrix never changes.

    Parameters
    ----------
    matrices : sequence of PreferenceMatrix or array_like
        The matrices for regret, segment by segment. All have the same arms.
    starts : Starts, or sequence of int
        When segments start; numbers are their first rounds, as in `At`.
    outcomes : sequence of PreferenceMatrix or array_like, optional
        The matrices for drawing duels; by default ``matrices``.
    per_run : bool
        Whether random starts are drawn for each run; otherwise once for all runs.
    flips : int
        How many outcomes of a run an adversary may flip. It sees all duels, and flips a win of the Condorcet winner w
        against j with probability 4 D / (1 + 2 D), D = p_wj - 1/2, so that w wins with probability 1/2 - D as long as
        flips are left [1]_.
    source : str, optional
        Where the world comes from.
    flipped : Flipped, optional
        Fixed rounds in which outcomes are flipped.

    References
    ----------
    .. [1] A. Agarwal, S. Agarwal, P. Patil, "Stochastic Dueling Bandits with Adversarial Corruption", ALT 2021,
       appendix C.

    Examples
    --------
    Two arms that swap places in the middle:

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
        # The only way to fill a frozen dataclass.
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
        hashes = [[matrix.sha256 for matrix in matrices] for matrices in (self.matrices, self.outcomes)]
        starts = [type(self.starts).__name__, {name: str(value) for name, value in vars(self.starts).items()}]
        flipped = None if self.flipped is None else list(vars(self.flipped).values())
        canonical = [hashes, starts, self.per_run, self.flips, flipped]
        return hashlib.sha256(json.dumps(canonical, sort_keys=True).encode()).hexdigest()

    def content(self) -> dict[str, Any]:
        """Return the world in plain JSON types, as in manifests: each matrix once, the starts and the flips."""
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
        """Read a world from `content`; wrong content raises InputError, ValueError, LookupError or TypeError."""
        matrices = [PreferenceMatrix(P, names) for P in content["matrices"]]
        segments, outcomes = (tuple(matrices[k] for k in content[name]) for name in ("segments", "outcomes"))
        flipped = Flipped(**content["flipped"]) if content.get("flipped") is not None else None
        starts = Starts.from_content(content["starts"])
        return cls(segments, starts, outcomes, bool(content["per_run"]), int(content["flips"]), source, flipped)

    def segments(self, horizon: int, rng: np.random.Generator) -> list[Segment]:
        """Return the segments of a run in order of time; an InputError if the horizon is too short for them."""
        stays = self.starts.rounds(len(self.matrices), horizon, rng)
        segments = [Segment(start, self.matrices[m], self.outcomes[m]) for start, m in stays if start <= horizon]
        for before, segment in pairwise(segments):
            if segment.start <= before.start:
                raise InputError(
                    f"with a horizon of {horizon} rounds, two segments of the world start at round {segment.start};"
                    " take fewer segments or a longer horizon"
                )
        return self.flipped.divided(segments, horizon) if self.flipped else segments


def _as_matrices(matrices: Any) -> tuple[PreferenceMatrix, ...]:
    if isinstance(matrices, PreferenceMatrix) or not isinstance(matrices, Iterable):
        raise InputError(
            "a world has several matrices, as in World((P, R), equal(2)); with a single one write World((P,), ...)"
        )
    return tuple(matrix if isinstance(matrix, PreferenceMatrix) else PreferenceMatrix(matrix) for matrix in matrices)


def _as_starts(starts: Any) -> Starts:
    if isinstance(starts, Starts):
        return starts
    if isinstance(starts, Sequence) and all(isinstance(start, int | np.integer) for start in starts):
        return At(tuple(map(int, starts)))
    raise InputError(f"the starts of a world are equal(2), or first rounds, as in [1, 50]; got {reprlib.repr(starts)}")


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
"""The problems that a run can be played on."""


def at_first(problem: AnyProblem) -> PreferenceMatrix | ScalarBandit:
    """Return the problem of the first rounds of a run: for a world, its first matrix."""
    return problem.matrices[0] if isinstance(problem, World) else problem
