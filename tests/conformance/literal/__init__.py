"""Slow, literal transcriptions of the algorithms: the oracles of the conformance tests.

``play`` lets one of them duel, ``sample`` plays one on a scalar bandit. The oracles themselves are in the modules of
this package; each module says in ``ORACLES``, by id, whose oracles they are and how both are played: a `Transcription`.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np


class Playable(Protocol):
    """What `play` needs of an oracle that duels."""

    def choose(self, t: int) -> tuple[int, int]:
        """Pair (first, second) of 0-based arms to duel in round ``t`` (1-based)."""

    def observe(self, t: int, first: int, second: int, first_won: bool | None) -> None:
        """Take in the outcome of round ``t``: None for a self-duel, a fair coin's with ``reads_self_duels = True``."""


class Case(NamedTuple):
    """More games of an algorithm, on these matrices alone, with these parameters and defaults for the rest."""

    matrices: Mapping[str, Any]
    parameters: Mapping[str, Any] = {}
    horizon: int = 1200


class Transcription(NamedTuple):
    """How an algorithm is played beside its transcription so that both draw the same, and what it does not promise."""

    make: Callable[..., Playable]  # make(n_arms, horizon, rng, **parameters) makes the oracle
    parameters: Mapping[str, Any] = {}  # given to both, where the defaults would not show the whole rule in the games
    matrices: Mapping[str, np.ndarray] = {}  # played beside `matrices.MATRICES`
    cases: tuple[Case, ...] = ()  # further games, each added because it notices a fault that the others miss
    standing: bool = True  # False where decisions that stand for several rounds draw otherwise than rounds do
    by_the_engine: bool = True  # False where the engine draws which of several arms duels itself from its own stream
    # True where standing decisions change a trace, because a batch of duels, or the length of a decision, is one draw;
    # a test of the algorithm itself then compares their laws
    draws_differ: bool = False
    settles: bool = True  # False where rounds go on costing decisions when nothing is left to learn


class Asker(Protocol):
    """What `sample` needs of an oracle on a scalar bandit."""

    def choose(self, t: int) -> int | None:
        """0-based arm to sample in round ``t`` (1-based); None once exploration has ended."""

    def observe(self, t: int, i: int, one: bool) -> None:
        """Take in the sample of round ``t``: 1 or 0."""

    def announce(self) -> int:
        """The decision announced after the samples so far."""

    def explored(self) -> int:
        """How many arms are still explored."""


class Sampled(NamedTuple):
    """One round: the arm sampled, and what is announced and still explored afterwards."""

    arm: int
    announced: int
    explored: int


def play(
    oracle: Playable, P: np.ndarray, horizon: int, duel_rng: np.random.Generator, first_round: int = 1
) -> list[tuple[int, int]]:
    """The pair (first, second) that ``oracle`` duels in each of the rounds ``first_round`` to ``horizon``.

    ``duel_rng`` decides the duels: one ``random()`` for each whose outcome the oracle reads, in order.
    """
    reads_self_duels = getattr(oracle, "reads_self_duels", False)
    pairs = []
    for t in range(first_round, horizon + 1):
        first, second = oracle.choose(t)
        first_won = None
        if first != second or reads_self_duels:
            first_won = bool(duel_rng.random() < (P[first, second] if first != second else 0.5))
        oracle.observe(t, first, second, first_won)
        pairs.append((int(first), int(second)))
    return pairs


def sample(oracle: Asker, means: Sequence[float], horizon: int, sample_rng: np.random.Generator) -> list[Sampled]:
    """Rounds 1 to ``horizon`` of ``oracle`` on a scalar bandit, or fewer where exploration ends: ``random()`` each."""
    rounds: list[Sampled] = []
    while len(rounds) < horizon:
        t = len(rounds) + 1
        arm = oracle.choose(t)
        if arm is None:
            break
        oracle.observe(t, arm, bool(sample_rng.random() < means[arm]))
        rounds.append(Sampled(arm, oracle.announce(), oracle.explored()))
    return rounds
