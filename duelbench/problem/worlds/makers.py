"""Worlds by name: what changes, and how.

References
----------
.. [1] P. Kolpaczki, V. Bengs, E. Hüllermeier, "Non-Stationary Dueling Bandits", 2022; the program of its authors.
.. [2] J. Suk, "Non-Stationary Dueling Bandits", the program joesuk/nonstationary-duel.
"""

import math

import numpy as np

from duelbench.errors import InputError
from duelbench.problem.family import Draws
from duelbench.problem.preferences import PreferenceMatrix
from duelbench.problem.upper_triangle import from_upper
from duelbench.problem.worlds.world import Starts, World, equal

MAX_SEGMENTS = 100_000
"""Most segments of a world: each is a call of the compiled loop."""


def drift(first: PreferenceMatrix, last: PreferenceMatrix, steps: int) -> World:
    """A staircase from one matrix to another: step k of S has (1 - x) A + x B, x = k / (S - 1), k = 0, ..., S - 1.

    Parameters
    ----------
    first, last : PreferenceMatrix
        A and B, with the same arms.
    steps : int
        S, at least 2; all last equally long.

    Raises
    ------
    InputError
        When the matrices have different arms, or there are too few or too many steps.

    Examples
    --------
    >>> A, B = PreferenceMatrix([[0.5, 1.0], [0.0, 0.5]]), PreferenceMatrix([[0.5, 0.0], [1.0, 0.5]])
    >>> [float(matrix.P[0, 1]) for matrix in drift(A, B, 5).matrices]
    [1.0, 0.75, 0.5, 0.25, 0.0]
    """
    if not 2 <= steps <= MAX_SEGMENTS:
        raise InputError(f"a drift has from 2 to {MAX_SEGMENTS} steps, got {steps}")
    World((first, last), equal(2))  # refuses matrices of different arms
    shares = [k / (steps - 1) for k in range(steps)]
    return World(tuple(_between(first, last, x) for x in shares), equal(steps))


def _between(first: PreferenceMatrix, last: PreferenceMatrix, x: float) -> PreferenceMatrix:
    """(1 - x) A + x B above the diagonal; what is below adds up to 1 with it."""
    above = np.triu_indices(first.n_arms, 1)
    upper = (1 - x) * first.P[above] + x * last.P[above]
    return PreferenceMatrix(from_upper(first.n_arms, upper), first.names)


def crossing(first: PreferenceMatrix, last: PreferenceMatrix, i: int, j: int) -> float:
    """The share x of a drift at which arm i and arm j (0-based) are alike; nan where that is nowhere in (0, 1).

    Examples
    --------
    >>> A, B = PreferenceMatrix([[0.5, 0.8], [0.2, 0.5]]), PreferenceMatrix([[0.5, 0.4], [0.6, 0.5]])
    >>> round(crossing(A, B, 0, 1), 12)
    0.75
    """
    fall = last.P[i, j] - first.P[i, j]
    x = (0.5 - first.P[i, j]) / fall if fall else math.nan
    return float(x) if 0 < x < 1 else math.nan


def changing_winner(n_arms: int, segments: int, p_min: float, seed: int, starts: Starts | None = None) -> World:
    """Random matrices with a Condorcet winner that is another one in each segment, as the program of [1]_ makes them.

    The winner w differs from the one before and beats arm j with probability p_min + (1 - p_min) u, u uniform on
    [0, 1), but for one random arm, which it beats with probability p_min; all other pairs are uniform on [0, 1). A step
    of that program which forces one entry to change by exactly a given amount is left out.

    Parameters
    ----------
    n_arms : int
        At least 2.
    segments : int
    p_min : float
        In (1/2, 1].
    seed : int
        0 <= seed < 2**128.
    starts : Starts, optional
        By default segments of equal length.

    Raises
    ------
    InputError
        When an argument makes no sense.

    Examples
    --------
    >>> world = changing_winner(4, 3, 0.6, seed=1)
    >>> [float(np.sort(P.P[w])[1]) for P, w in zip(world.matrices, (1, 3, 1))]
    [0.6, 0.6, 0.6]
    """
    if n_arms < 2 or not 1 <= segments <= MAX_SEGMENTS or not 0.5 < p_min <= 1:
        raise InputError(
            f"a world with changing winners has 2 arms at least, from 1 to {MAX_SEGMENTS} segments, and"
            f" 1/2 < p_min <= 1; got {n_arms} arms, {segments} segments, p_min = {p_min:g}"
        )
    draws = Draws("changing-winner", seed)
    winner, matrices = -1, []
    for _ in range(segments):
        winner = _another(winner, n_arms, float(draws.uniform(1)[0]))
        matrices.append(_with_winner(draws, n_arms, winner, p_min))
    return World(tuple(matrices), starts or equal(segments))


def _another(arm: int, n_arms: int, u: float) -> int:
    """An arm other than ``arm``, all alike; any arm where that is -1."""
    if arm < 0:
        return int(u * n_arms)
    other = int(u * (n_arms - 1))
    return other + (other >= arm)


def _with_winner(draws: Draws, n_arms: int, winner: int, p_min: float) -> PreferenceMatrix:
    upper = draws.uniform(n_arms * (n_arms - 1) // 2)
    P = from_upper(n_arms, upper)
    wins = p_min + (1 - p_min) * draws.uniform(n_arms)
    wins[_another(winner, n_arms, float(draws.uniform(1)[0]))] = p_min
    P[:, winner] = 1 - wins
    P[winner] = 1 - P[:, winner]
    P[winner, winner] = 0.5
    return PreferenceMatrix(P)
