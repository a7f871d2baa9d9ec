"""Winners of a preference matrix: Copeland, Condorcet, Borda; their scores, and the gaps.

Every function takes a `PreferenceMatrix`, or a (K, K) array, which is not checked. Arm i beats arm j if
``P[i, j] > 1/2``, exactly; in a tie, ``P[i, j] = 1/2``, neither beats the other. Arms are 0-based.

Examples
--------
>>> P = [[0.5, 0.6, 0.5], [0.4, 0.5, 0.7], [0.5, 0.3, 0.5]]
>>> inferior_counts(P).tolist(), superior_counts(P).tolist(), copeland_winners(P), borda_winners(P), ties(P)
([1, 1, 0], [0, 1, 1], (0, 1), (0, 1), [(0, 2)])

References
----------
.. [1] M. Zoghi, Z. Karnin, S. Whiteson, M. de Rijke, "Copeland Dueling Bandits", NIPS 2015, section 2:
   Copeland and Condorcet winners.
.. [2] J. Komiyama, J. Honda, H. Nakagawa, "Copeland Dueling Bandit Problem: Regret Lower Bound, Optimal
   Algorithm, and Computationally Efficient Algorithm", ICML 2016, section 2: superiors and inferiors.
"""

import math

import numpy as np
from numpy.typing import ArrayLike

from duelbench.bandits.problem.preferences import PreferenceMatrix

BORDA_TOLERANCE = 1e-12
"""Borda scores closer than this are equal: they are means of rounded numbers, exact to about 1e-16."""


def as_array(P: PreferenceMatrix | ArrayLike) -> np.ndarray:
    """Return the (K, K) float64 array of a preference matrix, which may be an array already."""
    return P.P if isinstance(P, PreferenceMatrix) else np.asarray(P, dtype=np.float64)


def inferior_counts(P: PreferenceMatrix | ArrayLike) -> np.ndarray:
    """Return how many arms each arm beats, (K,) int64: the Copeland score unnormalised."""
    return np.count_nonzero(as_array(P) > 0.5, axis=1)


def superior_counts(P: PreferenceMatrix | ArrayLike) -> np.ndarray:
    """Return how many arms beat each arm, (K,) int64: L_i of [2]_."""
    return np.count_nonzero(as_array(P) < 0.5, axis=1)


def copeland_scores(P: PreferenceMatrix | ArrayLike) -> np.ndarray:
    """Return the share of the other arms that each arm beats, (K,) float64 in [0, 1].

    Examples
    --------
    >>> copeland_scores([[0.5, 0.6, 0.5], [0.4, 0.5, 0.7], [0.5, 0.3, 0.5]]).tolist()
    [0.5, 0.5, 0.0]
    """
    beaten = inferior_counts(P)
    return beaten / (len(beaten) - 1)


def copeland_winners(P: PreferenceMatrix | ArrayLike) -> tuple[int, ...]:
    """Return the arms that beat the most arms, in increasing order; always at least one."""
    beaten = inferior_counts(P)
    return tuple(np.flatnonzero(beaten == beaten.max()).tolist())


def condorcet_winner(P: PreferenceMatrix | ArrayLike) -> int | None:
    """Return the arm that beats every other arm, or None if there is none.

    Examples
    --------
    >>> condorcet_winner([[0.5, 0.6, 0.6], [0.4, 0.5, 0.7], [0.4, 0.3, 0.5]])
    0
    >>> condorcet_winner([[0.5, 0.6, 0.5], [0.4, 0.5, 0.7], [0.5, 0.3, 0.5]]) is None
    True
    """
    beaten = inferior_counts(P)
    best = int(beaten.argmax())
    return best if beaten[best] == len(beaten) - 1 else None


def borda_scores(P: PreferenceMatrix | ArrayLike) -> np.ndarray:
    """Return the probability that each arm beats a random other arm, (K,) float64: the mean of ``P[i, j]`` over j != i.

    Examples
    --------
    >>> borda_scores([[0.5, 0.75, 0.25], [0.25, 0.5, 0.5], [0.75, 0.5, 0.5]]).tolist()
    [0.5, 0.375, 0.625]
    """
    values = as_array(P)
    # fsum rounds once, so that the scores do not depend on the order of the arms.
    totals = [math.fsum(row) for row in (values - 0.5 * np.eye(len(values))).tolist()]
    return np.array(totals) / (len(values) - 1)


def borda_winners(P: PreferenceMatrix | ArrayLike) -> tuple[int, ...]:
    """Return the arms of highest Borda score (within `BORDA_TOLERANCE`), in increasing order."""
    scores = borda_scores(P)
    return tuple(np.flatnonzero(scores >= scores.max() - BORDA_TOLERANCE).tolist())


def gaps(P: PreferenceMatrix | ArrayLike) -> np.ndarray:
    """Return the gaps Delta[i, j] = ``P[i, j] - 1/2``, (K, K) float64 in [-1/2, 1/2]."""
    return as_array(P) - 0.5


def min_gap(P: PreferenceMatrix | ArrayLike) -> float:
    """Return the smallest absolute gap of two different arms, that is of the hardest duel; 0 if there is a tie."""
    i, j = closest_pair(P)
    return float(np.abs(gaps(P))[[i, j], [j, i]].min())


def closest_pair(P: PreferenceMatrix | ArrayLike) -> tuple[int, int]:
    """Return the pair (i, j), i < j, of smallest gap; the first in lexicographic order if there are several.

    Examples
    --------
    >>> closest_pair([[0.5, 0.75, 1.0], [0.25, 0.5, 0.625], [0.0, 0.375, 0.5]])
    (1, 2)
    """
    distances = np.abs(gaps(P))
    # Both halves, because P[i, j] and 1 - P[j, i] can differ in the last digit.
    nearer = np.minimum(distances, distances.T)
    i, j = np.triu_indices(len(nearer), k=1)
    first = int(nearer[i, j].argmin())
    return int(i[first]), int(j[first])


def ties(P: PreferenceMatrix | ArrayLike) -> list[tuple[int, int]]:
    """Return the pairs (i, j), i < j, with ``P[i, j]`` exactly 1/2, in lexicographic order."""
    i, j = np.nonzero(np.triu(as_array(P) == 0.5, k=1))
    return list(zip(i.tolist(), j.tolist(), strict=True))
