"""Lower bounds on the mean number of duels of identification algorithms.

Consider an algorithm that answers wrongly with probability at most delta on every matrix of a class. For each matrix P'
of the class whose right answer is not that of P, the numbers of duels of the pairs on P, N_ij, satisfy

    sum over pairs of E N_ij d(p_ij, p'_ij) >= kl(delta, 1 - delta) = (1 - 2 delta) ln((1 - delta) / delta),

and the bounds here are the least sums of E N_ij that satisfy it for the cheapest P'. They are for exact answers
(epsilon = 0).

References
----------
.. [1] E. Kaufmann, O. Cappe, A. Garivier, "On the Complexity of Best-Arm Identification in Multi-Armed Bandit Models",
   JMLR 2016: the inequality above.
.. [2] K. Jamieson, S. Katariya, A. Deshpande, R. Nowak, "Sparse Dueling Bandits", AISTATS 2015, Theorem 1: Borda.
"""

import math

import numpy as np
from numpy.typing import ArrayLike

from duelbench.bandits.problem import copeland_program, copeland_solver
from duelbench.bandits.problem.copeland_program import antisymmetric_gaps, divergence_to_half
from duelbench.bandits.problem.identification import Question
from duelbench.bandits.problem.preferences import PreferenceMatrix
from duelbench.bandits.problem.winners import as_array, borda_scores, condorcet_winner, copeland_winners, ties

BORDA_RANGE, BORDA_ARMS, BORDA_DELTA = (0.375, 0.625), 4, 0.15
"""Theorem 1 of [2]_ needs probabilities in this range, at least this many arms, and at most this delta."""


def relative_entropy(delta: float) -> float:
    """Return kl(delta, 1 - delta), in nats."""
    return (1 - 2 * delta) * math.log((1 - delta) / delta)


def sum_with_winner(P: PreferenceMatrix | ArrayLike) -> float | None:
    """Return the bound per nat if a Condorcet winner is known to exist; None if there is none.

    It is the sum over all other arms i of 1 / d(p_ij, 1/2), where j is the arm that beats i most clearly.

    Examples
    --------
    Two arms: 1 / d(1, 1/2) = 1 / ln 2.

    >>> round(sum_with_winner([[0.5, 1.0], [0.0, 0.5]]) * math.log(2), 12)
    1.0
    """
    winner = condorcet_winner(P)
    if winner is None:
        return None
    gaps = antisymmetric_gaps(as_array(P))
    clearest = np.where(gaps < 0, divergence_to_half(gaps), 0.0).max(axis=1)
    return math.fsum(1 / clearest[i] for i in range(len(clearest)) if i != winner)


def sum_copeland(P: PreferenceMatrix | ArrayLike) -> float | None:
    """Return the bound per nat for one Copeland winner; None if there are several, or ties.

    It is the optimum of the linear program of `duelbench.bandits.problem.copeland_program` with a cost of one for each
    duel.
    """
    winners = copeland_winners(P)
    if len(winners) > 1 or ties(P):
        return None
    values = as_array(P)
    return copeland_solver.solve(copeland_program.new_program(values, winners[0], np.ones(values.shape))).bound


def duels_borda(P: PreferenceMatrix | ArrayLike, delta: float) -> float | None:
    """Return the bound in duels for one Borda winner; None if Theorem 1 of [2]_ does not cover the matrix and delta.

    It is ln(1/(2 delta)) / 90 times the sum of 1/(b* - b_i)^2.
    """
    values = as_array(P)
    low, high = BORDA_RANGE
    is_covered = len(values) >= BORDA_ARMS and low <= values.min() and values.max() <= high and delta <= BORDA_DELTA
    scores = np.sort(borda_scores(P))
    behind = scores[-1] - scores[:-1]
    if not is_covered or behind.min() <= 0:
        return None
    return math.log(1 / (2 * delta)) / 90 * math.fsum(1 / behind**2)


def least_duels(P: PreferenceMatrix | ArrayLike, question: Question) -> float | None:
    """Return a lower bound on the mean number of duels of every algorithm; None if none is known.

    For ``condorcet`` it is the bound for algorithms that may assume a Condorcet winner, so it holds for all.
    """
    if question.epsilon > 0 or question.delta >= 0.5:
        return None
    if question.target == "borda":
        return duels_borda(P, question.delta)
    per_nat = {"condorcet": sum_with_winner, "copeland": sum_copeland}.get(question.target, lambda P: None)(P)
    return None if per_nat is None else relative_entropy(question.delta) * per_nat
