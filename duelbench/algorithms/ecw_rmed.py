"""Efficient Copeland Winners Relative Minimum Empirical Divergence (ECW-RMED).

Draws what is still missing to be sure of one Copeland winner: that it beats those arms it seems to beat, and that
every other arm is beaten often enough.

Assumes that no two arms are equally strong. Anytime. Parameters: ``alpha`` > 0, ``beta`` >= 0.

References
----------
.. [1] J. Komiyama, J. Honda, H. Nakagawa, "Copeland Dueling Bandit Problem: Regret Lower Bound, Optimal Algorithm, and
   Computationally Efficient Algorithm", ICML 2016, Algorithm 1 (ECW) and Theorem 5.
"""

import math
from typing import NamedTuple

import numpy as np

from duelbench.algorithms.contract import Algorithm
from duelbench.algorithms.copeland_rmed import (
    DUELS,
    NO_ARM,
    NO_PAIR,
    PARAMETERS,
    SIGNS,
    Core,
    confident_arm,
    forced_pair,
    new_core,
    observe,
    step,
    two_least,
)
from duelbench.algorithms.kernel import inlined, kernel
from duelbench.algorithms.passes import enlist, go_on, is_open, strike
from duelbench.algorithms.statistics import copeland_leader

VERSION, PRICED, TARGET, BUFFER, SIZE = 0, 1, 2, 3, 4  # places in Plan.memo


class Plan(NamedTuple):
    """The estimated winner that is cheapest to prove, and the draws q* that prove it; arrays are updated in place.

    cost : (K, K) float64. c_ij = r_ij / d_ij: Copeland regret of as many draws as raise q d by 1 / ln t; symmetric.
    superiors : (K, K) int64. The superiors of each arm, cheapest first, equally dear ones in private order; as many
        entries of a row count as the arm has superiors.
    share : (K, K) float64. Scratch: e = q* d of the pairs i > j; zeros in between.
    item : (2, n_pairs) int64. Two buffers: pairs with q* > 0.
    draws : (2, n_pairs) float64. Their q*, in draws per ln t.
    memo : (5,) int64. The versions of the evidence that the plan belongs to, and that the costs belong to; the arm;
        which buffer; how many pairs.
    """

    cost: np.ndarray
    superiors: np.ndarray
    share: np.ndarray
    item: np.ndarray
    draws: np.ndarray
    memo: np.ndarray


class State(NamedTuple):
    """Memory between rounds: what all of Algorithm 1 needs, and the draws still asked for."""

    core: Core
    plan: Plan


def new_plan(n_arms: int) -> Plan:
    """A plan that belongs to no evidence."""
    n_pairs = n_arms * (n_arms - 1) // 2
    return Plan(
        cost=np.zeros((n_arms, n_arms)),
        superiors=np.zeros((n_arms, n_arms), np.int64),
        share=np.zeros((n_arms, n_arms)),
        item=np.zeros((2, n_pairs), np.int64),
        draws=np.zeros((2, n_pairs)),
        memo=np.array([-1, -1, NO_ARM, 0, 0]),
    )


def start(n_arms, horizon, rng, standing, *, alpha, beta, forced, check):
    """State before round 1; draws the private orders of the pairs and of the arms."""
    return State(new_core(n_arms, rng, alpha, beta, forced, check), new_plan(n_arms))


@kernel
def select(state, t, rng):
    """Pair for round ``t``; a proven winner's self-duel stands until its proof fails or a draw is forced."""
    core = state.core
    confident = NO_ARM
    if core.stepped[0]:
        core.stepped[0] = False
        confident = _close_step(core, state.plan, math.log(t - 1))
    log_t = math.log(t)
    pair = forced_pair(core, t, log_t)
    if pair != NO_PAIR:
        return core.arms_of[pair, 0], core.arms_of[pair, 1], 1
    return step(core, t, log_t, confident)


@kernel
def update(state, first, second, first_wins, second_wins):
    """Count duels of two different arms."""
    observe(state.core, first, second, first_wins, second_wins)
    if state.plan.memo[PRICED] == state.core.evidence.version[SIGNS]:
        _price_again(state.core.evidence, state.core.item_of, state.plan, first, second)


@kernel
def recommend(state):
    """The arm that beats most arms empirically."""
    return copeland_leader(state.core.evidence.wins)


@inlined
def _close_step(core, plan, log_t):
    """Lines 7-15 for the step just made: draw up the next pass. The confident arm, or NO_ARM."""
    strike(core.passes)
    confident = confident_arm(core, log_t)
    target = confident
    if confident == NO_ARM:
        if plan.memo[VERSION] != core.evidence.version[DUELS]:
            _make_plan(core.evidence, core.arm_order, core.item_of, plan)
        target = plan.memo[TARGET]
        buffer = plan.memo[BUFFER]
        for k in range(plan.memo[SIZE]):
            item = plan.item[buffer, k]
            if is_open(core.passes, item):
                i = core.arms_of[item, 0]
                j = core.arms_of[item, 1]
                plays = core.evidence.wins[i, j] + core.evidence.wins[j, i]
                if plan.draws[buffer, k] * log_t > plays:
                    enlist(core.passes, item)
    if is_open(core.passes, core.item_of[target, target]):
        enlist(core.passes, core.item_of[target, target])
    go_on(core.passes)
    return confident


@inlined
def _make_plan(evidence, arm_order, item_of, plan):
    """Line 11: the estimated winner of least C^E*, the first in private order among equals, and its q*."""
    memo = plan.memo
    if memo[PRICED] != evidence.version[SIGNS]:
        price(evidence, arm_order, plan)
    least, _ = two_least(evidence.losses)
    lowest = math.inf
    for i1 in arm_order:
        if evidence.losses[i1] == least:
            minimise(evidence, i1, plan)
            spare = 1 - memo[BUFFER]
            constant, size = take_down(evidence, item_of, plan, spare)
            if constant < lowest:
                lowest = constant
                memo[TARGET] = i1
                memo[BUFFER] = spare
                memo[SIZE] = size
    memo[VERSION] = evidence.version[DUELS]


@kernel
def price(evidence, arm_order, plan):
    """All costs, and the superiors of every arm in their order."""
    least, _ = two_least(evidence.losses)
    for i2 in range(evidence.losses.size):
        row = plan.superiors[i2]
        cost = plan.cost[i2]
        n = 0
        for j in arm_order:
            if evidence.ahead[j, i2] != 0:
                cost[j] = _cost(evidence, j, i2, least)
            if evidence.ahead[j, i2] > 0:
                k = n
                while k > 0 and cost[row[k - 1]] > cost[j]:
                    row[k] = row[k - 1]
                    k -= 1
                row[k] = j
                n += 1
    plan.memo[PRICED] = evidence.version[SIGNS]


@inlined
def _cost(evidence, i, j, least):
    """c_ij, with r_ij = (L_i + L_j - 2 L_(1)) / (2 (K - 1))."""
    regret = (evidence.losses[i] + evidence.losses[j] - 2 * least) / (2 * (evidence.losses.size - 1))
    return regret / evidence.divergence[i, j]


@inlined
def _price_again(evidence, item_of, plan, first, second):
    """After duels of a pair that changed nobody's superiors: its cost, and its place among the loser's superiors."""
    if evidence.ahead[first, second] != 0:
        j = first if evidence.ahead[first, second] > 0 else second
        i2 = second if j == first else first
        least, _ = two_least(evidence.losses)
        price = _cost(evidence, j, i2, least)
        plan.cost[j, i2] = price
        plan.cost[i2, j] = price
        row = plan.superiors[i2]
        cost = plan.cost[i2]
        k = 0
        while row[k] != j:
            k += 1
        while k > 0 and _is_before(cost, item_of, j, row[k - 1]):
            row[k] = row[k - 1]
            k -= 1
        while k < evidence.losses[i2] - 1 and _is_before(cost, item_of, row[k + 1], j):
            row[k] = row[k + 1]
            k += 1
        row[k] = j


@inlined
def _is_before(cost, item_of, i, j):
    """Whether i is cheaper than j, or equally dear and earlier in private order (that of the self-pairs)."""
    return cost[i] < cost[j] or (cost[i] == cost[j] and item_of[i, i] < item_of[j, j])


@inlined
def minimise(evidence, i1, plan):
    """Write to ``plan.share`` the e = q d that prove the estimated winner i1 at least regret (Theorem 5).

    Every arm that i1 beats must be proven so: e = 1. Of the superiors S other than i1 that another arm i2 has, it may
    seem to lose k = |S| - (L_i2 - L_i1 + 1) at most: the h > k cheapest of them get e = 1 / (h - k) each, with the h
    of least cost (the smallest among equals). Needs the prices.
    """
    losses = evidence.losses
    for i2 in range(losses.size):
        if evidence.ahead[i1, i2] > 0:
            plan.share[max(i1, i2), min(i1, i2)] = 1.0
        if i2 == i1:
            continue
        is_superior = evidence.ahead[i1, i2] > 0
        k = losses[i2] - is_superior - (losses[i2] - losses[i1] + 1)
        if k < 0:
            continue  # so many superiors i2 does not have
        best = 0
        h = 0
        lowest = math.inf
        total = 0.0
        for place in range(losses[i2]):
            j = plan.superiors[i2, place]
            if j != i1:
                h += 1
                total += plan.cost[i2, j]
                if h > k and total / (h - k) < lowest:
                    lowest = total / (h - k)
                    best = h
        share = 1.0 / (best - k)
        for place in range(losses[i2]):
            j = plan.superiors[i2, place]
            if j != i1 and best > 0:
                plan.share[max(i2, j), min(i2, j)] = share
                best -= 1


@inlined
def take_down(evidence, item_of, plan, buffer):
    """Turn ``plan.share`` into pairs and their q*, and clear it. The constant C^E*, and how many pairs."""
    constant = 0.0
    size = 0
    for i in range(evidence.losses.size):
        for j in range(i):
            if plan.share[i, j] > 0.0:
                constant += plan.cost[i, j] * plan.share[i, j]
                plan.item[buffer, size] = item_of[i, j]
                plan.draws[buffer, size] = plan.share[i, j] / evidence.divergence[i, j]
                plan.share[i, j] = 0.0
                size += 1
    return constant, size


ECW_RMED = Algorithm(
    id="ecw-rmed",
    name="ECW-RMED",
    assumes="copeland",
    anytime=True,
    parameters=PARAMETERS,
    reference="Komiyama, Honda, Nakagawa 2016, Algorithm 1 (ECW)",
    state=State,
    start=start,
    select=select,
    update=update,
    recommend=recommend,
)
