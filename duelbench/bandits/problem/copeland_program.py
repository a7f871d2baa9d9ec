"""The linear program (2) of [1]_: how often each pair must duel until i1 is proven to be a Copeland winner.

Pair (i, j) must duel q_ij times per ln T. With the weights e_ij = q_ij d(p_ij, 1/2), the program is: minimise the sum
of c_ij e_ij, c_ij = r_ij / d(p_ij, 1/2), such that 0 <= e <= 1 and, for every rival i2 and level l, every set of n
inferiors j of i1 and N superiors j of i2 other than i1 satisfies

    sum of e_{i1,j} over the inferiors + sum of e_{i2,j} over the superiors >= 1,

where n = l + 1 - L1, and N = max(0, L_i2 - l), or max(0, L_i2 - l - 1) if i2 is among the inferiors. All constraints
that differ only in their sets make one *family* of a rival, a level and one of the two cases. The separation oracle,
`least_sums`, finds the least sum of each family; a sum below 1 is a violated constraint. `copeland_solver` finds the
optimum.

References
----------
.. [1] J. Komiyama, J. Honda, H. Nakagawa, "Copeland Dueling Bandit Problem: Regret Lower Bound, Optimal Algorithm, and
   Computationally Efficient Algorithm", ICML 2016: Theorem 2 and section 4.1.1; Theorem 5 for `efficient_weights`.
"""

from typing import NamedTuple

import numpy as np

WITHOUT, WITH = 0, 1
"""The two cases of a family: rival i2 is not among the inferiors of i1 that are counted, or is among them."""


class Program(NamedTuple):
    """The linear program (2) of one winner i1. Arms are 0-based."""

    winner: int  # i1
    losses: np.ndarray  # (K,) int64. L_i, how many arms beat each arm
    levels: np.ndarray  # (n_levels,) int64. The l of (2)
    inferiors: np.ndarray  # (K,) bool. I_{i1}: the arms that i1 beats
    superiors: np.ndarray  # (K, K) bool. [i2, j]: whether j is in S_{i2} without i1; row i1 is empty
    cost: np.ndarray  # (K, K) float64. c_ij, symmetric; 0 for ties and on the diagonal
    order: np.ndarray  # (K, K) int64. In each row the superiors come first, in increasing order of cost
    prefix: np.ndarray  # (K, K + 1) float64. [i2, h] = cost of the h cheapest superiors; infinite if there are fewer


def divergence_to_half(gap: np.ndarray) -> np.ndarray:
    """Return the Bernoulli divergence d(p, 1/2) for p = 1/2 + gap, in [0, ln 2], to a few units in the last place.

    Near 1/2, this is more exact than `duelbench.bandits.kernels.divergence.kl_to_half`, which takes p, not the gap.

    Examples
    --------
    d(1, 1/2) = ln 2. For small gaps it is 2 gap^2.

    >>> (divergence_to_half(np.array([0.0, -0.5, 1e-9])) / [1, np.log(2), 2e-18]).round(6).tolist()
    [0.0, 1.0, 1.0]
    """
    x = np.minimum(np.abs(2 * np.asarray(gap, dtype=np.float64)), 1.0)
    # With x = 2 gap, d = ((1 + x) ln(1 + x) + (1 - x) ln(1 - x)) / 2, which cancels almost entirely near x = 0.
    low = np.minimum(x, 0.5)
    high = np.where(x < 1, x, 0.0)
    close = np.log1p(-low * low) / 2 + low * np.arctanh(low)
    far = np.where(x < 1, ((1 + high) * np.log1p(high) + (1 - high) * np.log1p(-high)) / 2, np.log(2.0))
    return np.where(x <= 0.5, close, far)


def antisymmetric_gaps(P: np.ndarray) -> np.ndarray:
    """Return the gaps (P[i, j] - P[j, i]) / 2; those of (i, j) and (j, i) are bitwise opposite."""
    return (P - P.T) / 2


def new_program(P: np.ndarray, winner: int, duel_costs: np.ndarray | None = None) -> Program:
    """Return the program of a winner, an arm that is beaten by the fewest arms.

    ``duel_costs`` are the costs of a duel of each pair, (K, K), symmetric; by default its Copeland regret r_ij.

    Examples
    --------
    Arm 0 beats both others, arm 1 beats arm 2: L = 0, 1, 2, and arm 2 has the superior 1 beside arm 0.

    >>> program = new_program(np.array([[0.5, 0.7, 0.7], [0.3, 0.5, 0.7], [0.3, 0.3, 0.5]]), 0)
    >>> program.losses.tolist(), program.levels.tolist(), np.argwhere(program.superiors).tolist()
    ([0, 1, 2], [0, 1], [[2, 1]])
    """
    gaps = antisymmetric_gaps(P)
    n_arms = len(gaps)
    losses = np.count_nonzero(gaps < 0, axis=1)
    least, second = np.sort(losses)[:2].tolist()
    if duel_costs is None:
        duel_costs = (losses[:, np.newaxis] + losses[np.newaxis, :] - 2 * least) / (2 * (n_arms - 1))
    divergence = divergence_to_half(gaps)
    cost = np.divide(duel_costs, divergence, out=np.zeros_like(gaps), where=divergence > 0)
    superiors = gaps < 0
    superiors[:, winner] = superiors[winner] = False
    expensive_last = np.where(superiors, cost, np.inf)
    order = np.argsort(expensive_last, axis=1, kind="stable")
    prefix = np.zeros((n_arms, n_arms + 1))
    np.cumsum(np.take_along_axis(expensive_last, order, axis=1), axis=1, out=prefix[:, 1:])
    levels = np.arange(max(0, least - 1), second + 1)
    return Program(winner, losses, levels, gaps[winner] > 0, superiors, cost, order, prefix)


def total_cost(program: Program, weights: np.ndarray) -> float:
    """Return the objective: the sum over pairs of cost times weight; ``weights`` is (K, K) and symmetric."""
    return float(np.triu(program.cost * weights).sum())


def family_sizes(program: Program, case: int) -> tuple[np.ndarray, np.ndarray]:
    """Return how many pairs of i1, (n_levels,), and of the rival, (n_levels, K), the constraints of a family have."""
    return (
        program.levels + 1 - program.losses[program.winner],
        np.maximum(0, program.losses - program.levels[:, np.newaxis] - case),
    )


def least_sums(program: Program, weights: np.ndarray) -> np.ndarray:
    """Return the least sum of each family of constraints (separation oracle); below 1, a constraint is violated.

    The sums are by case, level and rival, (2, n_levels, K); infinite if there is no constraint. ``weights`` is
    symmetric.
    """
    n_arms = len(program.losses)
    arms = np.arange(n_arms)
    of_rival = _prefix_sums(np.sort(np.where(program.superiors, weights, np.inf), axis=1))
    winner_weights = np.where(program.inferiors, weights[program.winner], np.inf)
    by_weight = np.argsort(winner_weights, kind="stable")
    rank = np.empty(n_arms, dtype=np.int64)
    rank[by_weight] = arms
    # Entry n is the sum of the n smallest, infinite if there are fewer.
    smallest = np.append(_prefix_sums(winner_weights[by_weight][np.newaxis])[0], np.inf)
    sums = np.full((2, len(program.levels), n_arms), np.inf)
    for case in (WITHOUT, WITH):
        of_winner, needed = family_sizes(program, case)
        for k, n in enumerate(of_winner.tolist()):
            if case == WITHOUT:
                sums_of_winner = _smallest_of_others(smallest, winner_weights, rank, n)
            elif n >= 1:
                sums_of_winner = winner_weights + _smallest_of_others(smallest, winner_weights, rank, n - 1)
            else:
                continue
            sums[case, k] = sums_of_winner + of_rival[arms, needed[k]]
    sums[:, :, program.winner] = np.inf
    return sums


def _prefix_sums(rows: np.ndarray) -> np.ndarray:
    """Return the sums of the first 0, 1, 2, ... entries of each row."""
    return np.concatenate((np.zeros((len(rows), 1)), np.cumsum(rows, axis=1)), axis=1)


def _smallest_of_others(smallest: np.ndarray, weights: np.ndarray, rank: np.ndarray, n: int) -> np.ndarray:
    """Return, for each arm, the sum of the n smallest weights of i1's pairs other than that with the arm."""
    is_among = (rank < n) & np.isfinite(weights)
    return np.where(is_among, smallest[n + 1] - np.where(is_among, weights, 0.0), smallest[n])


def least_constraint(
    program: Program, weights: np.ndarray, case: int, level: int, rival: int
) -> tuple[list[int], list[int]]:
    """Return the constraint that has the least sum in a family: its inferiors of i1 and its superiors of i2.

    ``level`` is the index in ``program.levels``. Arms are 0-based.
    """
    of_winner, of_rival = family_sizes(program, case)
    n = int(of_winner[level]) - case
    others = [j for j in np.flatnonzero(program.inferiors).tolist() if j != rival]
    chosen = sorted(others, key=lambda j: weights[program.winner, j])[:n]
    lost_to = np.flatnonzero(program.superiors[rival]).tolist()
    superiors = sorted(lost_to, key=lambda j: weights[rival, j])[: int(of_rival[level, rival])]
    return sorted([*chosen, rival] if case == WITH else chosen), sorted(superiors)


def efficient_weights(program: Program) -> np.ndarray:
    """Return the weights that are the optimum of (4) and (5) by Theorem 5, symmetric, (K, K).

    Inferiors of i1 have the weight 1, and the h cheapest pairs of each rival have equal weights. The weights satisfy
    every constraint of (2) as well (Theorem 6).

    Examples
    --------
    A circle in which each arm beats the next: L = 1, 1, 1. Arm 2 beats arm 0, so that arm 0 has to show that it beats
    arm 1 and that one arm beats arm 2, which arm 1 does.

    >>> circle = np.array([[0.5, 0.7, 0.3], [0.3, 0.5, 0.7], [0.7, 0.3, 0.5]])
    >>> efficient_weights(new_program(circle, 0)).tolist()
    [[0.0, 1.0, 0.0], [1.0, 0.0, 1.0], [0.0, 1.0, 0.0]]
    """
    n_arms = len(program.losses)
    weights = np.zeros((n_arms, n_arms))
    weights[program.winner, program.inferiors] = 1.0
    for rival in np.flatnonzero(np.arange(n_arms) != program.winner):
        n_superiors = int(np.count_nonzero(program.superiors[rival]))
        surplus = n_superiors - int(program.losses[rival] - program.losses[program.winner] + 1)  # k of (6)
        if surplus < 0:
            continue
        h = np.arange(surplus + 1, n_superiors + 1)
        cheapest = int(h[np.argmin(program.prefix[rival, h] / (h - surplus))])
        weights[rival, program.order[rival, :cheapest]] = 1 / (cheapest - surplus)
    return np.maximum(weights, weights.T)


def feasible(program: Program, weights: np.ndarray) -> np.ndarray | None:
    """Return the weights scaled up, to at most 1, until no constraint is violated; None if a sum is 0."""
    least = float(least_sums(program, weights).min())
    if least <= 0:
        return None
    return np.minimum(1.0, weights / min(1.0, least))
