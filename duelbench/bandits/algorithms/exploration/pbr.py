"""Preference-Based Racing with Copeland's ranking (PBR-CO), for one winner.

Duels all pairs of a list A once, sweep after sweep. A pair leaves A when it is decided, or when both of its arms are
surely among the best kappa = 1 arms or surely not. Once A is empty, an arm that beats most arms empirically plays all
later rounds.

Assumes that no two arms are evenly matched (a relevant pair would duel forever). Needs the horizon.

References
----------
.. [1] R. Busa-Fekete, B. Szorenyi, P. Weng, W. Cheng, E. Hullermeier, "Top-k Selection based on Adaptive Sampling of
   Noisy Preferences", ICML 2013, Algorithm 1 and Procedure 2.
"""

import math
from typing import NamedTuple

import numpy as np

from duelbench.bandits.algorithms.contract import NEVER, Algorithm, Parameter
from duelbench.bandits.algorithms.exploration import parameter_sets as sets
from duelbench.bandits.algorithms.exploration.parameter_sets import DELTA, NO_ARM, Certain, Exploration
from duelbench.bandits.kernels.decorators import kernel
from duelbench.bandits.kernels.records import BoolPerArm, IntPerArm, with_zeros
from duelbench.bandits.kernels.sampling import draw_highest, highest


class State(NamedTuple):
    explored: Exploration  # what is known of each p_ij; A is the list of those still sampled
    certain: Certain  # w_i = `sure` and z_i = K - 1 - `possible`
    decision: np.ndarray  # (1,) int64. The arm that plays all rounds after the race; NO_ARM during the race.
    marked: BoolPerArm  # Scratch: the set C + D.
    score: IntPerArm  # Scratch: how many arms each arm beats empirically.
    n_max: float  # No pair is dueled more often than this, plus one
    tight: bool  # Whether an arm needs only the certain results that are necessary; the printed rules ask for one more


def start(n_arms, horizon, rng, standing, *, rule, delta, n_max):
    """Return the state before round 1: A = all pairs."""
    failure = 1 / horizon if delta is None else delta
    most = float(horizon) if n_max is None else n_max
    return with_zeros(
        State,
        n_arms,
        explored=sets.new_exploration(n_arms * (n_arms - 1) // 2, math.log(2 * n_arms**2 * most / failure)),
        certain=sets.new_certain(n_arms),
        decision=np.array([NO_ARM]),
        n_max=most,
        tight=rule == "tight",
    )


@kernel
def select(state, t, rng):
    """Return the pair of A whose turn it is, A being revised after each sweep; in the end the final decision."""
    explored, changes = state.explored, state.certain.changes[0]
    if state.decision[0] == NO_ARM and sets.sweep_is_over(explored):
        if changes.n_flips > 0:
            changes.n_flips = 0
            _revise(state)
        if explored.place[0].n_left == 0 or explored.place[0].sweep + 1 > state.n_max:
            _count_scores(state)
            state.decision[0] = draw_highest(state.score, rng)  # B, ties at random
    d = state.decision[0]
    if d != NO_ARM:
        return d, d, NEVER
    e = sets.next_parameter(explored)
    return state.certain.arms[e, 0], state.certain.arms[e, 1], 1


@kernel
def update(state, first, second, first_wins, second_wins):
    """Count the duels of the pair; y_ij, u_ij and l_ij follow."""
    explored = state.explored
    e = sets.pair_number(first, second, state.marked.size)
    low, high = explored.low[e], explored.high[e]
    sets.add_samples(explored, e, first_wins, second_wins)
    sets.count_narrowed(state.certain, explored, e, low, high)


@kernel
def recommend(state):
    """Return the arm that beats most arms empirically (lowest index on ties); after the race the decision."""
    if state.decision[0] != NO_ARM:
        return state.decision[0]
    _count_scores(state)
    return highest(state.score)


@kernel
def _revise(state):
    """A <- A \\ {(i, j) : i and j in C + D, or 1/2 not in [l_ij, u_ij]}."""
    explored, certain = state.explored, state.certain
    for i in range(state.marked.size):
        selected, discarded = is_selected_or_discarded(certain, i, state.tight)
        state.marked[i] = selected or discarded
    for k in range(explored.place[0].n_listed):
        e = explored.listed[k]
        both = state.marked[certain.arms[e, 0]] and state.marked[certain.arms[e, 1]]
        if both or sets.settled(explored.low[e], explored.high[e]) != 0:
            sets.drop(explored, e)


@kernel
def is_selected_or_discarded(certain, i, tight):
    """Return whether i is in C, surely among the kappa = 1 best; and whether in D, surely not among them.

    Tight: K - kappa <= #{j : K - 1 - z_j < w_i}, and kappa <= #{j : K - 1 - w_j < z_i}. Printed: K for K - 1, < for <=.
    """
    margin = 0 if tight else 1
    worse = 0
    better = 0
    for j in range(certain.sure.size):
        worse += certain.possible[j] + margin < certain.sure[i]  # possible = K - 1 - z
        better += certain.possible[i] + margin < certain.sure[j]
    return worse >= certain.sure.size - 1 + margin, better >= 1 + margin


@kernel
def _count_scores(state):
    """How many arms each arm beats empirically."""
    arms = state.certain.arms
    state.score[:] = 0
    for e in range(state.explored.samples.size):
        lead = 2 * state.explored.ones[e] - state.explored.samples[e]
        state.score[arms[e, 0]] += lead > 0
        state.score[arms[e, 1]] += lead < 0


PBR_COPELAND = Algorithm.of_module(
    __name__,
    "pbr-copeland",
    "PBR (Copeland)",
    "copeland",
    "Busa-Fekete, Szorenyi, Weng, Cheng, Hullermeier 2013, Algorithm 1 and Procedure 2",
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
    look=("olive", "dash-dot", ">"),
    source="paper",
)
