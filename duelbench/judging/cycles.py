"""Finds cycles of preferences, and judges whose answers never change."""

from collections import deque

import numpy as np

from duelbench.bandits.statistics.bradley_terry import fit

MIN_ANSWERS = 3
"""Answers from which on a pair shows whether answers change."""

REPEATS_LEVEL = 1e-3
"""The probability, under independent answers, below which answers that never change are reported."""


def shortest_cycle(wins: np.ndarray) -> list[int]:
    """Return the shortest cycle of arms in which each leads against the next; empty if no cycle exists.

    Examples
    --------
    Arm 0 leads against 1, 1 against 2, and 2 against 0:

    >>> shortest_cycle(np.array([[0, 3, 1], [1, 0, 4], [2, 0, 0]]))
    [0, 1, 2]
    """
    leads = wins > wins.T
    cycles = [cycle for arm in range(len(wins)) if (cycle := _cycle_through(arm, leads))]
    return min(cycles, key=len, default=[])


def _cycle_through(start: int, leads: np.ndarray) -> list[int]:
    """Return the shortest cycle through an arm, by a breadth-first search."""
    paths = deque([[start]])
    reached = {start}
    while paths:
        path = paths.popleft()
        for arm in np.flatnonzero(leads[path[-1]]).tolist():
            if arm == start:
                return path
            if arm not in reached:
                reached.add(arm)
                paths.append([*path, arm])
    return []


def never_change(wins: np.ndarray, ties: np.ndarray) -> bool:
    """Return whether every pair with three or more answers, ties left out, always got the same answer.

    Pairs with fewer answers do not count; False if all pairs have fewer.

    Parameters
    ----------
    wins, ties : (K, K) float64
        ``wins[i, j]``: answers for arm i against arm j; ``ties`` is symmetric.
    """
    is_frequent = _is_frequent(wins)
    has_changed = (np.minimum(wins, wins.T) > 0) | (ties > 0)
    return bool(is_frequent.any() and not has_changed[is_frequent].any())


def only_repeat(wins: np.ndarray, ties: np.ndarray) -> bool:
    """Return whether answers `never_change`, and independent ones would with probability below `REPEATS_LEVEL`.

    Independent answers have the probabilities of a Bradley-Terry fit.

    Examples
    --------
    A judge who plays rock, paper, scissors. The fit has equal strengths: 9 answers to each of three pairs all agree
    with probability (2 / 2^9)^3.

    >>> circle = np.array([[0.0, 9.0, 0.0], [0.0, 0.0, 9.0], [9.0, 0.0, 0.0]])
    >>> only_repeat(circle, np.zeros((3, 3))), only_repeat(circle + circle.T / 9, np.zeros((3, 3)))
    (True, False)
    """
    if not never_change(wins, ties):
        return False
    is_frequent = _is_frequent(wins)
    p = fit(wins + ties / 2).probabilities[is_frequent]
    n = (wins + wins.T)[is_frequent]
    return bool(np.log(p**n + (1.0 - p) ** n).sum() < np.log(REPEATS_LEVEL))


def _is_frequent(wins: np.ndarray) -> np.ndarray:
    """Return the pairs i < j with `MIN_ANSWERS` answers or more, ties left out, as (K, K) bool."""
    return np.triu(wins + wins.T >= MIN_ANSWERS, 1)
