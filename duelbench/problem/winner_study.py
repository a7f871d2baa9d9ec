"""Winners of random parts of a matrix: how often one beats all others, how many there are, what other notions say.

References
----------
.. [1] M. Zoghi, Z. Karnin, S. Whiteson, M. de Rijke, "Copeland Dueling Bandits", NIPS 2015, appendix C.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from duelbench.errors import InputError
from duelbench.problem.family import Draws
from duelbench.problem.preferences import PreferenceMatrix
from duelbench.problem.winners import (
    borda_winners,
    condorcet_winner,
    copeland_winners,
    superior_counts,
    von_neumann_winner,
)


@dataclass(frozen=True)
class SizeStudy:
    """What random sets of one size have shown.

    Parameters
    ----------
    n_arms : int
        Of each set.
    draws : int
        How many sets.
    condorcet : float
        Share of the sets with a Condorcet winner.
    winners : float
        Mean number of Copeland winners (C in [1]_).
    losses : float
        Mean number of arms that beat a Copeland winner (L_C in [1]_).
    winners_1, winners_2, winners_more : float
        Share of the sets with one, two, and three or more Copeland winners.
    losses_0, losses_1, losses_more : float
        Share of the sets in which no arm, one, and two or more beat a Copeland winner; where ties make winners differ,
        the one that most arms beat.
    borda, random_walk, von_neumann : float
        Share of the sets in which a winner by that notion is a Copeland winner: the arm of the highest Borda score; the
        one visited most often by `random_walk`; the one of the highest probability in the maximin strategy.
    """

    n_arms: int
    draws: int
    condorcet: float
    winners: float
    losses: float
    winners_1: float
    winners_2: float
    winners_more: float
    losses_0: float
    losses_1: float
    losses_more: float
    borda: float
    random_walk: float
    von_neumann: float


def study(matrix: PreferenceMatrix, sizes: Sequence[int], draws: int, seed: int = 0) -> list[SizeStudy]:
    """Draw sets of arms of a matrix, all alike, and look at their winners.

    Parameters
    ----------
    matrix : PreferenceMatrix
    sizes : sequence of int
        Arms of a set, each from 2 to the number of arms of the matrix.
    draws : int
        Sets of each size.
    seed : int
        0 <= seed < 2**128. The sets of a size do not depend on the other sizes.

    Raises
    ------
    InputError
        When a size is out of range.

    Examples
    --------
    Of two arms without a tie one always beats the other; of three that beat each other in a circle none does.

    >>> circle = PreferenceMatrix([[0.5, 0.9, 0.1], [0.1, 0.5, 0.9], [0.9, 0.1, 0.5]])
    >>> [(row.n_arms, row.condorcet, row.winners, row.losses) for row in study(circle, [2, 3], draws=4)]
    [(2, 1.0, 1.0, 0.0), (3, 0.0, 3.0, 1.0)]
    """
    for size in sizes:
        if not 2 <= size <= matrix.n_arms:
            raise InputError(
                f"sets of {size} arms cannot be drawn from {matrix.n_arms}: sizes are 2 to {matrix.n_arms}"
            )
    return [_study_size(matrix.P, size, draws, seed) for size in sizes]


def _study_size(P: np.ndarray, size: int, draws: int, seed: int) -> SizeStudy:
    random = Draws(f"winner-study {size}", seed)
    facts = []
    for _ in range(draws):
        arms = random.subset(size, len(P))
        facts.append(_facts(P[np.ix_(arms, arms)]))
    means = np.array(facts, dtype=float).mean(axis=0).tolist()
    return SizeStudy(size, draws, *means)


def _facts(P: np.ndarray) -> tuple[float, ...]:
    """The fields of `SizeStudy` from ``condorcet`` on, of one set."""
    winners = copeland_winners(P)
    losses = superior_counts(P)[list(winners)]
    most_losses = losses.max()
    walk, strategy = random_walk(P), von_neumann_winner(P)
    return (
        condorcet_winner(P) is not None,
        len(winners),
        float(losses.mean()),
        len(winners) == 1,
        len(winners) == 2,
        len(winners) > 2,
        most_losses == 0,
        most_losses == 1,
        most_losses > 1,
        bool(set(borda_winners(P)) & set(winners)),
        int(np.argmax(walk)) in winners,
        int(np.argmax(strategy)) in winners,
    )


def random_walk(P: np.ndarray) -> np.ndarray:
    """How often a random walk visits each arm: from i it meets an arm j drawn uniformly, and goes there where j wins.

    Parameters
    ----------
    P : ndarray, shape (K, K)

    Returns
    -------
    ndarray, shape (K,), float64
        The stationary distribution; where there are several, the one of least Euclidean norm.

    Examples
    --------
    Of two arms the better one, which wins with 3/4, is visited three times as often.

    >>> random_walk(np.array([[0.5, 0.75], [0.25, 0.5]])).round(9).tolist()
    [0.75, 0.25]
    """
    n_arms = len(P)
    step = np.asarray(P, dtype=float).T / n_arms
    np.fill_diagonal(step, 0)
    np.fill_diagonal(step, 1 - step.sum(axis=1))
    equations = np.vstack([step.T - np.eye(n_arms), np.ones(n_arms)])
    return np.linalg.lstsq(equations, np.append(np.zeros(n_arms), 1.0), rcond=None)[0]
