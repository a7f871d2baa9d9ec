"""RankEl: PAC rank elicitation with Copeland's ranking. A reconstruction: the paper was not read.

Sorts the arms by how many others they beat empirically, and duels the undecided pairs of all arms that may be in the
wrong order, sweep after sweep, until fewer than rho pairs may be in the wrong order. The top arm then plays all later
rounds. Arm i is below j if d_i + s_i < d_j, with d_i = #{k : p_ik > 1/2 + eps} and s_i = #{k : |p_ik - 1/2| <= eps}.

Assumes that no two arms are evenly matched, unless eps > 0. Needs the horizon, for delta alone.

References
----------
.. [1] R. Busa-Fekete, B. Szorenyi, E. Hullermeier, "PAC Rank Elicitation through Adaptive Sampling of Stochastic
   Pairwise Preferences", AAAI 2014.
"""

import math
from typing import NamedTuple

import numpy as np

from duelbench.bandits.algorithms.contract import NEVER, Algorithm, Parameter
from duelbench.bandits.algorithms.exploration import parameter_sets as sets
from duelbench.bandits.algorithms.exploration.parameter_sets import DELTA, NO_ARM, Exploration
from duelbench.bandits.kernels.decorators import inlined, kernel
from duelbench.bandits.kernels.records import BoolPerArm, FloatPerArm, IntPerArm, with_zeros
from duelbench.bandits.kernels.sampling import draw_member


class State(NamedTuple):
    explored: Exploration  # what is known of the p_ij of the pairs i < j; the list of a sweep
    arms: np.ndarray  # (N, 2) int64. i and j of each pair.
    score: IntPerArm  # #{k : y_ik > 1/2}.
    low_ds: IntPerArm  # lowDS_i = #{k : l_ik >= 1/2 - eps}, a lower bound on d_i + s_i.
    up_d: np.ndarray  # (K,) int64. upD_i = #{k : u_ik > 1/2 + eps}, an upper bound on d_i.
    mean: FloatPerArm  # Scratch: the mean of the y_ik, k != i; 1/2 for a pair that never dueled.
    ranking: np.ndarray  # (K,) int64. tau, the best first.
    unranked: BoolPerArm  # Scratch: arms without a place in tau.
    equal: BoolPerArm  # Scratch: unranked arms that tie for the next place in tau.
    is_bad: BoolPerArm  # Whether the arm is one of a pair that may be in the wrong order.
    stale: np.ndarray  # (1,) bool. Whether the ranking or the list of the sweep may have changed.
    decision: np.ndarray  # (1,) int64. The arm that plays all later rounds; NO_ARM until the ranking is good enough.
    eps: float
    rho: float


def start(n_arms, horizon, rng, standing, *, eps, rho, delta):
    """Return the state before round 1; the first sweep is still to be listed."""
    arms = sets.all_pairs(n_arms)
    failure = 1 / horizon if delta is None else delta
    explored = sets.new_exploration(len(arms), math.log(5 * n_arms**2 / (4 * failure)), power=4.0)
    explored.place[0].n_listed = 0
    return with_zeros(
        State,
        n_arms,
        explored=explored,
        arms=arms,
        up_d=np.full(n_arms, n_arms - 1),
        ranking=np.arange(n_arms),
        stale=np.ones(1, np.bool_),
        decision=np.array([NO_ARM]),
        eps=eps,
        rho=rho,
    )


@kernel
def select(state, t, rng):
    """Return the next pair of the sweep, or the top arm at the end; after each sweep, rank arms and list pairs."""
    explored = state.explored
    if state.stale[0] and state.decision[0] == NO_ARM and sets.sweep_is_over(explored):
        state.stale[0] = _rank(state, rng)
        if _count_bad(state) < state.rho:
            state.decision[0] = state.ranking[0]
        else:
            _list_next_sweep(state)
    d = state.decision[0]
    if d != NO_ARM:
        return d, d, NEVER
    e = sets.next_parameter(explored)
    return state.arms[e, 0], state.arms[e, 1], 1


@kernel
def update(state, first, second, first_wins, second_wins):
    """Count the duels of the pair, and update the scores and bounds of its two arms."""
    explored = state.explored
    e = sets.pair_number(first, second, state.score.size)
    led = _leads(state, e)
    could = _may_win(state, e)
    sets.add_samples(explored, e, first_wins, second_wins)
    leads = _leads(state, e)
    can = _may_win(state, e)
    if leads == led and can == could:
        return
    state.stale[0] = True
    state.score[first] += leads[0] - led[0]
    state.score[second] += leads[1] - led[1]
    state.up_d[first] += can[0] - could[0]
    state.up_d[second] += can[1] - could[1]
    # l_ij >= 1/2 - eps if and only if not u_ji > 1/2 + eps.
    state.low_ds[first] -= can[1] - could[1]
    state.low_ds[second] -= can[0] - could[0]


@inlined
def _leads(state, e):
    """Return whether i has won more than half of the duels of the pair i < j, and whether j has: 1 or 0."""
    ahead = 2 * state.explored.ones[e] - state.explored.samples[e]
    return int(ahead > 0), int(ahead < 0)


@inlined
def _may_win(state, e):
    """Return whether u_ij > 1/2 + eps, and u_ji > 1/2 + eps: 1 or 0. The pair is settled unless both hold."""
    return int(state.explored.high[e] > 0.5 + state.eps), int(state.explored.low[e] < 0.5 - state.eps)


@kernel
def recommend(state):
    """Return the arm that beats most arms empirically, of these the highest mean; at the end the top arm."""
    if state.decision[0] != NO_ARM:
        return state.decision[0]
    best = 0
    for i in range(1, state.score.size):
        if state.score[i] > state.score[best] or (
            state.score[i] == state.score[best] and _mean(state, i) > _mean(state, best)
        ):
            best = i
    return best


@kernel
def _mean(state, i):
    """Return the mean of y_ik over all k other than i."""
    n_arms = state.score.size
    total = 0.0
    for k in range(n_arms):
        if k != i:
            e = sets.pair_number(min(i, k), max(i, k), n_arms)
            n = state.explored.samples[e]
            won = state.explored.ones[e] if i < k else n - state.explored.ones[e]
            total += won / n if n > 0 else 0.5
    return total / (n_arms - 1)


@kernel
def _rank(state, rng):
    """Compute tau: arms by score, then by mean, then at random; return whether any two have the same score."""
    n_arms = state.score.size
    shared = False
    for i in range(n_arms):
        state.unranked[i] = True
        state.mean[i] = _mean(state, i)
    for place in range(n_arms):
        best = NO_ARM
        for i in range(n_arms):
            if state.unranked[i] and (best == NO_ARM or _is_above(state, i, best)):
                best = i
        n_with_score = 0
        count = 0
        for i in range(n_arms):
            has_score = state.unranked[i] and state.score[i] == state.score[best]
            state.equal[i] = has_score and state.mean[i] == state.mean[best]
            n_with_score += has_score
            count += state.equal[i]
        shared = shared or n_with_score > 1
        chosen = draw_member(state.equal, count, rng)
        state.unranked[chosen] = False
        state.ranking[place] = chosen
    return shared


@inlined
def _is_above(state, i, j):
    """Return whether i comes before j without any draw."""
    if state.score[i] != state.score[j]:
        return state.score[i] > state.score[j]
    return state.mean[i] > state.mean[j]


@kernel
def _count_bad(state):
    """Return |bad|, bad = {(a, b) : a above b in tau and lowDS_a < upD_b}, and mark the arms that occur in it."""
    ranking = state.ranking
    for i in range(ranking.size):
        state.is_bad[i] = False
    count = 0
    for place in range(ranking.size):
        a = ranking[place]
        for below in range(place + 1, ranking.size):
            b = ranking[below]
            if state.low_ds[a] < state.up_d[b]:
                count += 1
                state.is_bad[a] = True
                state.is_bad[b] = True
    return count


@kernel
def _list_next_sweep(state):
    """List the unsettled pairs {i, j} of which i or j occurs in bad."""
    explored = state.explored
    size = 0
    for e in range(explored.samples.size):
        first_may, second_may = _may_win(state, e)
        if first_may and second_may and (state.is_bad[state.arms[e, 0]] or state.is_bad[state.arms[e, 1]]):
            explored.listed[size] = e
            size += 1
    explored.place[0].cursor = 0
    explored.place[0].n_listed = size
    explored.place[0].n_left = size


RANKEL_COPELAND = Algorithm.of_module(
    __name__,
    "rankel-copeland",
    "RankEl (Copeland)",
    "copeland",
    "after Busa-Fekete, Szorenyi, Hullermeier 2014; a reconstruction, the paper was not read",
    anytime=False,
    parameters={
        "eps": Parameter(0.0, "gaps of at most eps count as ties", low=0.0, high=0.5, high_open=True),
        "rho": Parameter(1, "exploration ends when fewer than rho pairs of arms may be in the wrong order", low=1),
        "delta": DELTA,
    },
    look=("blue", "dash-dot-dot", "<"),
    source="own",
)
