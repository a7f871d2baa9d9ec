"""Worlds that change, and what the duels of a run cost there: for transcriptions made for such worlds."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from . import Playable, play

MATRICES = Path(__file__).parents[3] / "matrices"
MSLR5 = np.loadtxt(MATRICES / "mslr5-condorcet.csv", delimiter=",")
CYCLIC = np.loadtxt(MATRICES / "cyclic.csv", delimiter=",")
WORLDS = {"mslr5-condorcet": [MSLR5], "cyclic": [CYCLIC], "flip4": [MSLR5, MSLR5[::-1, ::-1]] * 2}


class Segment(NamedTuple):
    """Duels by ``P`` in rounds ``first`` to ``last``, counted from 1."""

    first: int
    last: int
    P: np.ndarray


def segments(world: Sequence[np.ndarray], horizon: int) -> list[Segment]:
    """The matrices of ``world`` one after the other, for equally many of ``horizon`` rounds.

    Examples
    --------
    The m-th of M starts at floor((m - 1) T / M) + 1:

    >>> [(s.first, s.last) for s in segments([CYCLIC] * 3, 10)]
    [(1, 3), (4, 6), (7, 10)]
    """
    M = len(world)
    starts = [m * horizon // M + 1 for m in range(M)] + [horizon + 1]
    return [Segment(starts[m], starts[m + 1] - 1, P) for m, P in enumerate(world)]


def regret(oracle: Playable, world: Sequence[np.ndarray], horizon: int, duel_rng, definition) -> float:
    """What the duels of ``oracle`` in ``world`` cost by ``definition``, a function of segments and their counts."""
    parts = segments(world, horizon)
    counts = []
    for part in parts:
        pairs = play(oracle, part.P, part.last, duel_rng, part.first)
        K = len(part.P)
        numbers = [i * K + j for i, j in pairs]
        counts.append(np.bincount(numbers, minlength=K * K).reshape(K, K))
    return float(definition(parts, counts))


def winner(P: np.ndarray) -> int:
    """The Condorcet winner."""
    (w,) = [i for i in range(len(P)) if all(P[i, j] > 0.5 for j in range(len(P)) if j != i)]
    return w


def borda_scores(P: np.ndarray) -> np.ndarray:
    """(K,) means of P(i, j) over j != i."""
    return (P.sum(axis=1) - 0.5) / (len(P) - 1)


def condorcet(parts, counts) -> float:
    """Half of the winner's advantages over both arms of each duel, winner by segment."""
    total = 0.0
    for part, n in zip(parts, counts, strict=True):
        advantage = part.P[winner(part.P)] - 0.5
        total += (n * (advantage[:, None] + advantage[None, :]) / 2).sum()
    return total


def weak_binary(parts, counts) -> float:
    """Number of duels without the winner of their segment."""
    return sum(
        np.delete(np.delete(n, winner(part.P), 0), winner(part.P), 1).sum()
        for part, n in zip(parts, counts, strict=True)
    )


def borda_static(parts, counts) -> float:
    """What the Borda scores of the best fixed arm add up to, beyond the means of the duels."""
    fixed = sum((part.last - part.first + 1) * borda_scores(part.P) for part in parts)
    played = 0.0
    for part, n in zip(parts, counts, strict=True):
        b = borda_scores(part.P)
        played += (n * (b[:, None] + b[None, :]) / 2).sum()
    return fixed.max() - played
