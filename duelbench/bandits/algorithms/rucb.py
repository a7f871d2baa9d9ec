"""Relative Upper Confidence Bound (RUCB).

Duels an arm that may be the Condorcet winner against the arm that most plausibly beats it.

Assumes a Condorcet winner. Anytime.

References
----------
.. [1] M. Zoghi, S. Whiteson, R. Munos, M. de Rijke, "Relative Upper Confidence Bound for the K-Armed Dueling Bandit
   Problem", ICML 2014, Algorithm 1 (the comments name its lines).
"""

import math
from typing import NamedTuple

import numpy as np

from duelbench.bandits.algorithms.contract import Algorithm, Parameter
from duelbench.bandits.kernels import confidence_bounds
from duelbench.bandits.kernels.confidence_bounds import (
    Bounds,
    advance,
    column_crossing,
    list_most_optimistic,
    most_optimistic,
)
from duelbench.bandits.kernels.decorators import kernel
from duelbench.bandits.kernels.records import BoolPerArm
from duelbench.bandits.kernels.sampling import draw_index, draw_member
from duelbench.bandits.kernels.win_counts import copeland_leader

NO_ARM = -1


class State(NamedTuple):
    """Memory between rounds; arrays are updated in place."""

    bounds: Bounds  # which upper bounds u_ij are below 1/2
    champion: np.ndarray  # (1,) int64. The set B of [1]_: one arm, or NO_ARM if it is empty.
    contender: BoolPerArm  # Scratch: the set C.
    unplayed: float  # u_ij of a pair that never dueled
    favour_champion: bool  # Whether B is used, as published; the first arXiv version has no B
    lowest_challenger: bool  # Whether the lowest index wins ties in line 13, instead of a random arm


def start(n_arms, horizon, rng, standing, *, alpha, unplayed, variant, ties):
    """Return the state before round 1."""
    return State(
        bounds=confidence_bounds.new_bounds(n_arms, alpha),
        champion=np.array([NO_ARM]),
        contender=np.zeros(n_arms, np.bool_),
        unplayed=unplayed,
        favour_champion=variant == "icml",
        lowest_challenger=ties == "lowest",
    )


@kernel
def restart(state, rng):
    """Reset the state to that before round 1."""
    confidence_bounds.clear(state.bounds)
    state.champion[0] = NO_ARM


@kernel
def select(state, t, rng):
    """Return the pair (c, d) for round ``t``; if only c is left, (c, c) stands until some u_jc reaches 1/2."""
    bounds = state.bounds
    advance(bounds, t)  # lines 4-5
    n_contenders = 0
    for i in range(bounds.n_below.size):  # line 6: u_cj >= 1/2 for all j
        state.contender[i] = bounds.n_below[i] == 0
        n_contenders += state.contender[i]
    c = _champion(state, n_contenders, rng)
    if state.lowest_challenger:
        d = _lowest_most_optimistic(state, c, math.log(t))
    else:
        d = most_optimistic(bounds, c, math.log(t), state.unplayed, rng)  # line 13
    if n_contenders == 1 and d == c:
        return c, d, column_crossing(bounds, c) - t
    return c, d, 1


@kernel
def _champion(state, n_contenders, rng):
    """Choose the first arm (lines 7-12)."""
    contender = state.contender
    b = state.champion[0]
    if b != NO_ARM and not contender[b]:  # line 8: B <- B & C
        b = NO_ARM
    c = b
    if n_contenders == 0:  # line 7
        c = draw_index(contender.size, rng)
    elif n_contenders == 1:  # line 9
        c = b = draw_member(contender, 1, rng)
    elif b == NO_ARM or not state.favour_champion:
        c = draw_member(contender, n_contenders, rng)
    elif rng.random() >= 0.5:  # line 11
        contender[b] = False
        c = draw_member(contender, n_contenders - 1, rng)
    state.champion[0] = b
    return c


@kernel
def _lowest_most_optimistic(state, c, log_t):
    """Line 13, but the lowest index wins all ties, including ties between c and other arms."""
    bounds = state.bounds
    bounds.barred[c] = True
    count, largest = list_most_optimistic(bounds, c, log_t, state.unplayed, 0.5)
    bounds.barred[c] = False
    if count == 0:
        return c
    return min(c, bounds.tied[0]) if largest == 0.5 else bounds.tied[0]


@kernel
def update(state, first, second, first_wins, second_wins):
    """Line 14."""
    confidence_bounds.add_duels(state.bounds, first, second, first_wins, second_wins)


@kernel
def recommend(state):
    """Return the arm that beats most arms empirically."""
    return copeland_leader(state.bounds.wins)


PARAMETERS = {
    "alpha": Parameter(0.51, "exploration rate", low=0.0, low_open=True, proven_above=0.5),
    "unplayed": Parameter(2.0, "upper bound for a pair that never dueled; the papers' x/0 := 1 gives 2", low=1.0),
    "variant": Parameter("icml", "icml, or arxiv: the first version, without the set B", choices=("icml", "arxiv")),
    "ties": Parameter(
        "random",
        "which of tied challengers duels: random; lowest, the lowest index, as in a published program",
        choices=("random", "lowest"),
    ),
}

RUCB = Algorithm.of_module(
    __name__,
    "rucb",
    "RUCB",
    "condorcet",
    "Zoghi, Whiteson, Munos, de Rijke 2014, Algorithm 1",
    look=("green", "dashed", "^"),
    learns_from_any_pair=True,
    source="paper",
)
