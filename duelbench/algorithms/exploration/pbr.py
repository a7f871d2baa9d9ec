"""Preference-Based Racing with Copeland's ranking (PBR-CO), for one winner.

Duels all pairs of a list A once, sweep after sweep. A pair leaves A when it is decided, or when both of its arms are
surely among the best kappa = 1 arms or surely not. When A is empty, an arm that beats most arms in the counts is played
permanently.

Assumes that no two arms are evenly matched (one that matters is dueled without end). Needs the horizon.

Pairs are taken as unordered: i < j in lexicographic order, first = i, second = j, one duel informing about both. Drawn,
where more than one outcome is possible: the final arm, uniformly, among those that beat most arms, in increasing index.

References
----------
.. [1] R. Busa-Fekete, B. Szorenyi, P. Weng, W. Cheng, E. Hullermeier, "Top-k Selection based on Adaptive Sampling of
   Noisy Preferences", ICML 2013, Algorithm 1 and Procedure 2.
"""

import math
from typing import NamedTuple

import numpy as np

from duelbench.algorithms.contract import NEVER, Algorithm, Parameter
from duelbench.algorithms.exploration.parameter_sets import (
    DELTA,
    NO_ARM,
    Pairs,
    add_duels,
    drop,
    empirical_leader,
    empirical_score,
    new_pairs,
    next_parameter,
    sweep_is_over,
    verdict,
)
from duelbench.kernels.decorators import kernel
from duelbench.kernels.sampling import draw_member


class State(NamedTuple):
    """Memory between rounds; arrays are updated in place."""

    # what is known of the p_ij; A is the list of those still sampled, w_i = `sure` and z_i = K - 1 - `possible`.
    pairs: Pairs
    decision: np.ndarray  # (1,) int64. The arm to be played from then on; NO_ARM during the race.
    marked: np.ndarray  # (K,) bool. Scratch: the set C + D, and at the end B.
    n_max: float  # No pair is dueled more often than this, plus one
    # bool. Whether an arm needs only the certain results that are necessary; the printed rules ask for one more.
    tight: bool


def start(n_arms, horizon, rng, standing, *, rule, delta, n_max):
    """State before round 1: A = all pairs."""
    failure = 1 / horizon if delta is None else delta
    most = float(horizon) if n_max is None else n_max
    return State(
        pairs=new_pairs(n_arms, math.log(2 * n_arms**2 * most / failure)),
        decision=np.array([NO_ARM]),
        marked=np.zeros(n_arms, np.bool_),
        n_max=most,
        tight=rule == "tight",
    )


@kernel
def select(state, t, rng):
    """The pair of A whose turn it is, A being revised after each sweep; in the end the final decision."""
    pairs = state.pairs
    if state.decision[0] == NO_ARM and sweep_is_over(pairs.explored):
        if pairs.news[0].n_flips > 0:
            pairs.news[0].n_flips = 0
            _revise(state)
        if pairs.explored.place[0].n_left == 0 or pairs.explored.place[0].sweep + 1 > state.n_max:
            state.decision[0] = _answer(state, rng)
    d = state.decision[0]
    if d != NO_ARM:
        return d, d, NEVER
    e = next_parameter(pairs.explored)
    return pairs.arms[e, 0], pairs.arms[e, 1], 1


@kernel
def update(state, first, second, first_wins, second_wins):
    """Count the duels of the pair; y_ij, u_ij and l_ij follow."""
    add_duels(state.pairs, first, second, first_wins, second_wins)


@kernel
def recommend(state):
    """The arm that beats most arms in the counts (lowest index on ties); after the race the decision."""
    d = state.decision[0]
    return empirical_leader(state.pairs) if d == NO_ARM else d


@kernel
def _revise(state):
    """A <- A \\ {(i, j) : i and j in C + D, or 1/2 not in [l_ij, u_ij]}."""
    pairs = state.pairs
    explored = pairs.explored
    for i in range(state.marked.size):
        state.marked[i] = is_selected(pairs, i, state.tight) or is_discarded(pairs, i, state.tight)
    for k in range(explored.place[0].n_listed):
        e = explored.listed[k]
        both = state.marked[pairs.arms[e, 0]] and state.marked[pairs.arms[e, 1]]
        if both or verdict(explored.low[e], explored.high[e]) != 0:
            drop(explored, e)


@kernel
def is_selected(pairs, i, tight):
    """Whether i is in C: surely among the kappa = 1 best.

    Printed: K - kappa < #{j : K - z_j < w_i}, which never holds for kappa = 1, since i is not better than itself.
    Tight: K - kappa <= #{j : K - 1 - z_j < w_i}.
    """
    n_arms = pairs.sure.size
    count = 0
    for j in range(n_arms):
        best_of_j = pairs.possible[j] if tight else pairs.possible[j] + 1  # K - 1 - z_j or K - z_j
        count += best_of_j < pairs.sure[i]
    return n_arms - 1 <= count if tight else n_arms - 1 < count


@kernel
def is_discarded(pairs, i, tight):
    """Whether i is in D: surely not among the kappa = 1 best.

    Printed: kappa < #{j : K - w_j < z_i}. Tight: kappa <= #{j : K - 1 - w_j < z_i}.
    """
    n_arms = pairs.sure.size
    z_i = n_arms - 1 - pairs.possible[i]
    count = 0
    for j in range(n_arms):
        losses_of_j = n_arms - 1 - pairs.sure[j] if tight else n_arms - pairs.sure[j]  # K - 1 - w_j or K - w_j
        count += losses_of_j < z_i
    return count >= 1 if tight else count > 1


@kernel
def _answer(state, rng):
    """B: the kappa = 1 arms with most y_ij > 1/2, ties at random."""
    best = empirical_score(state.pairs, empirical_leader(state.pairs))
    count = 0
    for i in range(state.marked.size):
        state.marked[i] = empirical_score(state.pairs, i) == best
        count += state.marked[i]
    return draw_member(state.marked, count, rng)


PBR_COPELAND = Algorithm.of_module(
    __name__,
    id="pbr-copeland",
    name="PBR (Copeland)",
    assumes="copeland",
    anytime=False,
    parameters={
        "rule": Parameter(
            "paper",
            "who is surely best or not: paper, as printed; tight, exact (see the page)",
            choices=("paper", "tight"),
        ),
        "delta": DELTA,
        "n_max": Parameter(None, "duels of a pair after which the race is ended; T unless given", low=1.0),
    },
    reference="Busa-Fekete, Szorenyi, Weng, Cheng, Hullermeier 2013, Algorithm 1 and Procedure 2",
)
