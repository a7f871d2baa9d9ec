"""Relative Upper Confidence Bound (RUCB).

Duels an arm that may be the Condorcet winner against the arm that most plausibly beats it.

Assumes a Condorcet winner. Anytime.

References
----------
.. [1] M. Zoghi, S. Whiteson, R. Munos, M. de Rijke, "Relative Upper Confidence Bound for the K-Armed Dueling Bandit
   Problem", ICML 2014, Algorithm 1.
"""

import math
from typing import NamedTuple

import numpy as np

from duelbench.algorithms import statistics
from duelbench.algorithms.contract import Algorithm, Parameter
from duelbench.algorithms.kernel import kernel
from duelbench.algorithms.statistics import (
    Bounds,
    advance,
    choose_index,
    column_crossing,
    copeland_leader,
    most_optimistic,
)

NO_ARM = -1


class State(NamedTuple):
    """Memory between rounds; arrays are updated in place.

    bounds : which upper bounds u_ij are below 1/2.
    champion : (1,) int64. The set B of [1]_: one arm, or NO_ARM when empty.
    unplayed : float. u_ij of a pair that never dueled.
    favour_champion : bool. The published rule; False is the first arXiv version, which has no B.
    """

    bounds: Bounds
    champion: np.ndarray
    unplayed: float
    favour_champion: bool


def start(n_arms, horizon, rng, standing, *, alpha, unplayed, variant):
    """State before round 1."""
    return State(statistics.new_bounds(n_arms, alpha), np.array([NO_ARM]), unplayed, variant == "icml")


@kernel
def select(state, t, rng):
    """Pair (c, d) for round ``t``; a settled (c, c) stands until some u_jc reaches 1/2."""
    bounds = state.bounds
    advance(bounds, t)  # lines 5-6
    contender = bounds.n_below == 0  # line 7: u_cj >= 1/2 for all j
    n_contenders = contender.sum()
    c = _champion(state, contender, n_contenders, rng)
    d = most_optimistic(bounds, c, math.log(t), state.unplayed, rng)  # line 12
    if n_contenders == 1 and d == c:
        return c, d, column_crossing(bounds, c) - t
    return c, d, 1


@kernel
def _champion(state, contender, n_contenders, rng):
    """Lines 8-11: the first arm."""
    b = state.champion[0]
    if b != NO_ARM and not contender[b]:  # line 9: B <- B & C
        b = NO_ARM
    c = b
    if n_contenders == 0:  # line 8
        c = rng.integers(0, contender.size)
    elif n_contenders == 1:  # line 10
        c = b = choose_index(contender, 1, rng)
    elif b == NO_ARM or not state.favour_champion:
        c = choose_index(contender, n_contenders, rng)
    elif rng.random() >= 0.5:  # line 11
        contender[b] = False
        c = choose_index(contender, n_contenders - 1, rng)
    state.champion[0] = b
    return c


@kernel
def update(state, first, second, first_wins, second_wins):
    """Line 13."""
    statistics.add_duels(state.bounds, first, second, first_wins, second_wins)


@kernel
def recommend(state):
    """The arm that beats most arms empirically."""
    return copeland_leader(state.bounds.wins)


RUCB = Algorithm(
    id="rucb",
    name="RUCB",
    assumes="condorcet",
    anytime=True,
    parameters={
        "alpha": Parameter(0.51, "exploration rate", low=0.5, low_open=True),
        "unplayed": Parameter(2.0, "upper bound of a pair that never dueled; the papers' x/0 := 1 gives 2", low=1.0),
        "variant": Parameter("icml", "icml, or arxiv: the first version, without the set B", choices=("icml", "arxiv")),
    },
    reference="Zoghi, Whiteson, Munos, de Rijke 2014, Algorithm 1",
    state=State,
    start=start,
    select=select,
    update=update,
    recommend=recommend,
)
