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
    FEWEST,
    NO_ARM,
    NO_PAIR,
    PARAMETERS,
    SIGNS,
    Core,
    confident_arm,
    estimated_winners,
    forced_pair,
    new_core,
    observe,
    step,
)
from duelbench.algorithms.kernel import inlined, kernel
from duelbench.algorithms.passes import enlist, go_on, is_open, present, strike
from duelbench.algorithms.statistics import copeland_leader

VERSION, PRICED, TARGET, LEAST, N_STALE = 0, 1, 2, 3, 4  # places in Plan.memo

SURELY = 1e-9
"""Relative difference beyond which rounding errors cannot have changed an order."""


class Plan(NamedTuple):
    """The estimated winner that is cheapest to prove, and what its proof still asks for; arrays are updated in place.

    Row i2 of the program has the pairs of i2 with its superiors: those that show that i2 is no better than the winner.
    A row is priced, solved and looked at again only when something in it has changed.

    cost : (K, K) float64. cost[i2, j] = c_ij = r_ij / d_ij for each superior j of i2: Copeland regret of as many draws
        as raise q d by 1 / ln t.
    superiors : (K, K) int64. The superiors of each arm, cheapest first, equally dear ones in private order.
    size : (K,) int64. How many entries of each row of ``superiors`` count.
    losses : (K,) int64. L_i as they were when the rows were priced.
    stale : (K,) bool. Rows to be priced anew.
    stale_rows : (K,) int64. A list of them.
    revision : (K,) int64. Raised whenever something in a row has changed.
    part : (K, K) float64. part[i1, i2]: what row i2 adds to the constant of the estimated winner i1.
    part_revision : (K, K) int64. The revision of the row that each entry of ``part`` belongs to.
    constant : (K,) float64. Constants of the estimated winners, up to rounding.
    due : (K,) float64. No pair of the row has fewer draws than the plan asks for, and may be enlisted, while ln t is
        less; -inf for a row to be looked at.
    next_due : (1,) float64. The least of ``due``, or less.
    share : (K, K) float64. Scratch: e = q* d of the pairs i > j; zeros in between.
    memo : (5,) int64. The versions of the evidence that the plan belongs to, and that the prices belong to; the arm;
        the L_(1) of the prices; the number of stale rows.
    """

    cost: np.ndarray
    superiors: np.ndarray
    size: np.ndarray
    losses: np.ndarray
    stale: np.ndarray
    stale_rows: np.ndarray
    revision: np.ndarray
    part: np.ndarray
    part_revision: np.ndarray
    constant: np.ndarray
    due: np.ndarray
    next_due: np.ndarray
    share: np.ndarray
    memo: np.ndarray


class State(NamedTuple):
    """Memory between rounds: what all of Algorithm 1 needs, and the draws still asked for."""

    core: Core
    plan: Plan


def new_plan(n_arms: int) -> Plan:
    """A plan that belongs to no evidence."""
    return Plan(
        cost=np.zeros((n_arms, n_arms)),
        superiors=np.zeros((n_arms, n_arms), np.int64),
        size=np.zeros(n_arms, np.int64),
        losses=np.zeros(n_arms, np.int64),
        stale=np.zeros(n_arms, np.bool_),
        stale_rows=np.zeros(n_arms, np.int64),
        revision=np.ones(n_arms, np.int64),
        part=np.zeros((n_arms, n_arms)),
        part_revision=np.zeros((n_arms, n_arms), np.int64),
        constant=np.zeros(n_arms),
        due=np.full(n_arms, -math.inf),
        next_due=np.array([-math.inf]),
        share=np.zeros((n_arms, n_arms)),
        memo=np.array([-1, -1, NO_ARM, -1, 0]),
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
    evidence = state.core.evidence
    plan = state.plan
    before = evidence.ahead[first, second]
    observe(state.core, first, second, first_wins, second_wins)
    ahead = evidence.ahead[first, second]
    loser = second if ahead > 0 else first
    if ahead != before:
        set_stale(plan, first)
        set_stale(plan, second)
    elif ahead != 0 and plan.memo[PRICED] == evidence.version[SIGNS]:
        _price_again(evidence, state.core.item_of, plan, loser, first + second - loser)
    elif ahead != 0:
        set_stale(plan, loser)


@kernel
def recommend(state):
    """The arm that beats most arms empirically."""
    return copeland_leader(state.core.evidence.wins)


@inlined
def _close_step(core, plan, log_t):
    """Lines 7-15 for the step just made: draw up the next pass. The confident arm, or NO_ARM."""
    item = present(core.passes)
    strike(core.passes)
    _look_at(plan, core.arms_of[item, 0])  # the pair may be enlisted again
    _look_at(plan, core.arms_of[item, 1])
    confident = confident_arm(core, log_t)
    target = confident
    if confident == NO_ARM:
        if plan.memo[VERSION] != core.evidence.version[DUELS]:
            _make_plan(core, plan)
        target = plan.memo[TARGET]
        if log_t >= plan.next_due[0]:
            _enlist_missing(core, plan, target, log_t)
    if is_open(core.passes, core.item_of[target, target]):
        enlist(core.passes, core.item_of[target, target])
    go_on(core.passes)
    return confident


@inlined
def _look_at(plan, i2):
    plan.due[i2] = -math.inf
    plan.next_due[0] = -math.inf


@inlined
def _enlist_missing(core, plan, i1, log_t):
    """Line 15: enlist the pairs with q* ln t > N, in those rows where there may be any."""
    next_due = math.inf
    for i2 in range(plan.due.size):
        if log_t >= plan.due[i2]:
            plan.due[i2] = _enlist_from_row(core, plan, i1, i2, log_t)
        next_due = min(next_due, plan.due[i2])
    plan.next_due[0] = next_due


@inlined
def _enlist_from_row(core, plan, i1, i2, log_t):
    """Enlist the pairs of row i2 with q* ln t > N; the ln t at which the next one will have too few draws."""
    due = math.inf
    if core.evidence.ahead[i1, i2] > 0:
        due = _enlist_if_missing(core, i1, i2, 1.0, log_t)
    left, share, _ = solve_row(core.evidence, plan, i1, i2)
    place = 0
    while left > 0:
        j = plan.superiors[i2, place]
        place += 1
        if j != i1:
            left -= 1
            due = min(due, _enlist_if_missing(core, j, i2, share, log_t))
    return due


@inlined
def _enlist_if_missing(core, i, j, share, log_t):
    """Enlist a pair if q* ln t > N; otherwise the ln t before which this surely does not change."""
    item = core.item_of[i, j]
    if not is_open(core.passes, item):
        return math.inf
    draws = share / core.evidence.divergence[i, j]
    plays = core.evidence.wins[i, j] + core.evidence.wins[j, i]
    if draws * log_t > plays:
        enlist(core.passes, item)
        return math.inf
    return plays / draws * (1.0 - SURELY)


@inlined
def _make_plan(core, plan):
    """Line 11: the estimated winner of least C^E*, the first in private order among equals."""
    memo = plan.memo
    evidence = core.evidence
    if memo[PRICED] != evidence.version[SIGNS] or memo[N_STALE] > 0:
        price(core, plan)
    n_winners = estimated_winners(core)
    target = core.winners[0]
    if n_winners > 1:
        target = _cheapest_winner(core, plan, n_winners)
    if target != memo[TARGET]:
        memo[TARGET] = target
        plan.due[:] = -math.inf
        plan.next_due[0] = -math.inf
    memo[VERSION] = evidence.version[DUELS]


@kernel
def _cheapest_winner(core, plan, n_winners):
    """The estimated winner of least constant; constants that are close are added up in the order of the pairs."""
    lowest = math.inf
    for k in range(n_winners):
        i1 = core.winners[k]
        plan.constant[i1] = _constant(core.evidence, plan, i1)
        lowest = min(lowest, plan.constant[i1])
    limit = lowest * (1.0 + SURELY)
    target = NO_ARM
    close = 0
    for k in range(n_winners):
        if plan.constant[core.winners[k]] <= limit:
            target = core.winners[k]
            close += 1
    if close == 1:
        return target
    lowest = math.inf
    for k in range(n_winners):
        i1 = core.winners[k]
        if plan.constant[i1] <= limit:
            minimise(core.evidence, i1, plan)
            constant = take_down(core.evidence, plan)
            if constant < lowest:
                lowest = constant
                target = i1
    return target


@inlined
def _constant(evidence, plan, i1):
    """C^E* of i1, up to rounding, from the parts that the rows add to it."""
    total = 0.0
    for i2 in range(plan.size.size):
        if plan.part_revision[i1, i2] != plan.revision[i2]:
            plan.part_revision[i1, i2] = plan.revision[i2]
            part = 0.0
            if evidence.ahead[i1, i2] > 0:
                part = plan.cost[i2, i1]
            if i2 != i1:
                part += solve_row(evidence, plan, i1, i2)[2]
            plan.part[i1, i2] = part
        total += plan.part[i1, i2]
    return total


@inlined
def set_stale(plan, i2):
    """Row i2 has to be priced before the next plan is made."""
    if not plan.stale[i2]:
        plan.stale[i2] = True
        plan.stale_rows[plan.memo[N_STALE]] = i2
        plan.memo[N_STALE] += 1


@kernel
def price(core, plan):
    """Price anew what has changed: all if L_(1) has; if the L_i of an arm has, its row and its entries elsewhere."""
    evidence = core.evidence
    estimated_winners(core)
    least = core.tally[FEWEST]
    n_arms = evidence.losses.size
    if least != plan.memo[LEAST]:
        plan.memo[LEAST] = least
        for i2 in range(n_arms):
            set_stale(plan, i2)
    for i in range(n_arms):
        if evidence.losses[i] != plan.losses[i]:
            set_stale(plan, i)
    for i in range(n_arms):
        if evidence.losses[i] != plan.losses[i]:
            plan.losses[i] = evidence.losses[i]
            for i2 in range(n_arms):
                if evidence.ahead[i, i2] > 0 and not plan.stale[i2]:
                    _price_again(evidence, core.item_of, plan, i2, i)
    for k in range(plan.memo[N_STALE]):
        _price_row(evidence, core.item_of, plan, plan.stale_rows[k])
        plan.stale[plan.stale_rows[k]] = False
    plan.memo[N_STALE] = 0
    plan.memo[PRICED] = evidence.version[SIGNS]


@inlined
def _cost(evidence, i, j, least):
    """c_ij, with r_ij = (L_i + L_j - 2 L_(1)) / (2 (K - 1))."""
    regret = (evidence.losses[i] + evidence.losses[j] - 2 * least) / (2 * (evidence.losses.size - 1))
    return regret / evidence.divergence[i, j]


@inlined
def _price_row(evidence, item_of, plan, i2):
    """All costs of row i2, and the superiors of i2 in their order; those it had are nearly in order."""
    row = plan.superiors[i2]
    cost = plan.cost[i2]
    n = 0
    for k in range(plan.size[i2]):
        j = row[k]
        cost[j] = -1.0  # j is no newcomer
        if evidence.ahead[i2, j] < 0:
            row[n] = j
            n += 1
    for j in range(cost.size):
        if evidence.ahead[i2, j] < 0:
            if cost[j] >= 0.0:
                row[n] = j
                n += 1
            cost[j] = _cost(evidence, j, i2, plan.memo[LEAST])
        else:
            cost[j] = 0.0
    plan.size[i2] = n
    for place in range(1, n):
        j = row[place]
        k = place
        while k > 0 and _is_before(cost, item_of, j, row[k - 1]):
            row[k] = row[k - 1]
            k -= 1
        row[k] = j
    plan.revision[i2] += 1
    _look_at(plan, i2)


@inlined
def _price_again(evidence, item_of, plan, i2, j):
    """The cost of one superior j of i2, and its place in the row."""
    row = plan.superiors[i2]
    cost = plan.cost[i2]
    k = 0
    above = plan.size[i2] - 1
    while k < above:  # halving
        middle = (k + above) // 2
        if _is_before(cost, item_of, row[middle], j):
            k = middle + 1
        else:
            above = middle
    cost[j] = _cost(evidence, j, i2, plan.memo[LEAST])
    while k > 0 and _is_before(cost, item_of, j, row[k - 1]):
        row[k] = row[k - 1]
        k -= 1
    while k < plan.size[i2] - 1 and _is_before(cost, item_of, row[k + 1], j):
        row[k] = row[k + 1]
        k += 1
    row[k] = j
    plan.revision[i2] += 1
    _look_at(plan, i2)


@inlined
def _is_before(cost, item_of, i, j):
    """Whether i is cheaper than j, or equally dear and earlier in private order (that of the self-pairs)."""
    return cost[i] < cost[j] or (cost[i] == cost[j] and item_of[i, i] < item_of[j, j])


@inlined
def solve_row(evidence, plan, i1, i2):
    """Theorem 5 for row i2 and the estimated winner i1: (h, share, cost).

    Of the superiors S other than i1 that i2 has, it may seem to lose k = |S| - (L_i2 - L_i1 + 1) at most: the h > k
    cheapest of them get e = 1 / (h - k) each, with the h of least cost (the smallest among equals). Costs increase, so
    that a cost above the least mean so far ends the search: from there on means only rise.
    """
    losses = evidence.losses
    is_superior = evidence.ahead[i1, i2] > 0
    k = losses[i2] - is_superior - (losses[i2] - losses[i1] + 1)
    if k < 0 or i1 == i2:
        return 0, 0.0, 0.0  # so many superiors i2 does not have
    best = 0
    h = 0
    lowest = math.inf
    total = 0.0
    for place in range(plan.size[i2]):
        j = plan.superiors[i2, place]
        if j == i1:
            continue
        if plan.cost[i2, j] > lowest * (1.0 + 1e-6):
            break
        h += 1
        total += plan.cost[i2, j]
        if h > k and total / (h - k) < lowest:
            lowest = total / (h - k)
            best = h
    return best, 1.0 / (best - k), lowest


@kernel
def minimise(evidence, i1, plan):
    """Write to ``plan.share`` the e = q d that prove the estimated winner i1 at least regret (Theorem 5).

    Every arm that i1 beats must be proven so: e = 1. For the others see `solve_row`. Needs the prices.
    """
    for i2 in range(evidence.losses.size):
        if evidence.ahead[i1, i2] > 0:
            plan.share[max(i1, i2), min(i1, i2)] = 1.0
        best, share, _ = solve_row(evidence, plan, i1, i2)
        for place in range(plan.size[i2]):
            j = plan.superiors[i2, place]
            if j != i1 and best > 0:
                plan.share[max(i2, j), min(i2, j)] = share
                best -= 1


@kernel
def take_down(evidence, plan):
    """The constant C^E* of ``plan.share``, which is cleared."""
    constant = 0.0
    for i in range(evidence.losses.size):
        for j in range(i):
            if plan.share[i, j] > 0.0:
                cost = plan.cost[i, j] if evidence.ahead[i, j] < 0 else plan.cost[j, i]
                constant += cost * plan.share[i, j]
                plan.share[i, j] = 0.0
    return constant


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
