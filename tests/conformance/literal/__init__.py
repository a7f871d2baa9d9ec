"""Slow, literal transcriptions of the algorithms: the oracles of the conformance tests.

``play`` lets one of them duel; the oracles themselves are in the modules of this package, one per algorithm.
"""

from typing import Protocol

import numpy as np


class Playable(Protocol):
    """What `play` needs of an oracle."""

    def choose(self, t: int) -> tuple[int, int]:
        """Pair (first, second) of 0-based arms to duel in round ``t`` (1-based)."""
        ...

    def observe(self, t: int, first: int, second: int, first_won: bool | None) -> None:
        """Take in the outcome of round ``t``.

        A self-duel's is None, unless the oracle has ``reads_self_duels = True``: then it is a fair coin's.
        """
        ...


def play(oracle: Playable, P: np.ndarray, horizon: int, duel_rng: np.random.Generator) -> list[tuple[int, int]]:
    """Duels of ``oracle`` in rounds 1 to ``horizon``.

    Parameters
    ----------
    oracle : Playable
        Fresh; it is played in place and remembers what it saw.
    P : (K, K) float64 array
        ``P[i, j]`` = Pr(arm i beats arm j).
    horizon : int
        Number of rounds.
    duel_rng : numpy.random.Generator
        Decides the duels: one ``random()`` for each duel of two arms, in order; for a self-duel none, or one,
        which a fair coin takes, if the oracle has ``reads_self_duels = True``.

    Returns
    -------
    list of (int, int)
        ``horizon`` pairs (first, second) of 0-based arms.
    """
    reads_self_duels = getattr(oracle, "reads_self_duels", False)
    pairs = []
    for t in range(1, horizon + 1):
        first, second = oracle.choose(t)
        first_won = None
        if first != second or reads_self_duels:
            first_won = bool(duel_rng.random() < (P[first, second] if first != second else 0.5))
        oracle.observe(t, first, second, first_won)
        pairs.append((int(first), int(second)))
    return pairs
