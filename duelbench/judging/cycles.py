"""Cycles of preferences, and answers that never change: what a session must not take for a winner or for evidence."""

from collections import deque

import numpy as np

from duelbench.bandits.statistics.bradley_terry import fit

OFTEN = 3
"""Pairs with fewer answers say nothing about whether answers change."""

REPEATS_LEVEL = 1e-3
"""The probability, under independent answers, below which answers that never change are reported."""


def shortest_cycle(wins: np.ndarray) -> list[int]:
    """Return the shortest cycle of arms of which each leads against the next; empty if there is none.

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
    """The shortest cycle through an arm, by a breadth-first search."""
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
    """Return whether no pair with three winners or more has ever got two different answers.

    Pairs with ties alone do not count.

    Parameters
    ----------
    wins, ties : (K, K) float64
        ``wins[i, j]``: answers for arm i against arm j; ``ties`` is symmetric.
    """
    is_often = _is_often(wins)
    has_changed = (np.minimum(wins, wins.T) > 0) | (ties > 0)
    return bool(is_often.any() and not has_changed[is_often].any())


def only_repeat(wins: np.ndarray, ties: np.ndarray) -> bool:
    """Return whether answers `never_change` although this is improbable, at the level `REPEATS_LEVEL`.

    The probability is that of independent answers with the strengths of a Bradley-Terry fit.

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
    is_often = _is_often(wins)
    p = fit(wins + ties / 2).probabilities[is_often]
    n = (wins + wins.T)[is_often]
    return bool(np.log(p**n + (1.0 - p) ** n).sum() < np.log(REPEATS_LEVEL))


def _is_often(wins: np.ndarray) -> np.ndarray:
    """Which pairs i < j have `OFTEN` winners or more."""
    return np.triu(wins + wins.T >= OFTEN, 1)
