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

from duelbench.algorithms.contract import Algorithm, Parameter
from duelbench.algorithms.rmed.candidate_lists import enlist, go_on, is_open, present, strike
from duelbench.algorithms.rmed.copeland_rmed import (
    DUELS,
    FEWEST,
    N_WINNERS,
    NO_ARM,
    NO_PAIR,
    PARAMETERS,
    SIGNS,
    Core,
    confident_arm,
    exploited_arm,
    forced_pair,
    new_core,
    observe,
    step,
)
from duelbench.kernels.decorators import inlined, kernel, not_inlined

VERSION, PRICED, TARGET, LEAST = 0, 1, 2, 3  # places in Plan.memo

SURELY = 1e-9
"""Relative difference beyond which rounding errors cannot have changed an order."""


class Rows(NamedTuple):
    """The program (4)-(7), arm by arm; arrays are updated in place.

    Row i2 has the pairs of i2 with its superiors, from which must follow that i2 is no better than the winner. A row is
    priced, solved and looked at again only when something in it has changed.

    cost : (K, K) float64. cost[i2, j] = c_ij = r_ij / d_ij for each superior j of i2: Copeland regret of as many draws
        as raise q d by 1 / ln t.
    superiors : (K, K) int64. The superiors of each arm, cheapest first, equally dear ones in private order; as many
        entries of a row count as ``losses`` says.
    losses : (K,) int64. L_i when the rows were priced.
    stale : (K,) bool. Rows to be priced anew.
    revision : (K,) int64. Raised whenever something in a row has changed.
    due : (K,) float64. While ln t is less, no pair of the row both has too few draws and may be enlisted; -inf for a
        row to be looked at.
    next_due : (1,) float64. The least of ``due``, or less.
    """

    cost: np.ndarray
    superiors: np.ndarray
    losses: np.ndarray
    stale: np.ndarray
    revision: np.ndarray
    due: np.ndarray
    next_due: np.ndarray


class Plan(NamedTuple):
    """The estimated winner that is cheapest to prove; arrays are updated in place.

    rows : the draws q* that prove it are solved for row by row, where they are asked for.
    part : (K, K) float64. part[i1, i2]: what row i2 adds to the constant of the estimated winner i1.
    part_revision : (K, K) int64. The revision of the row that each entry of ``part`` belongs to.
    share : (K, K) float64. Scratch: e = q* d of the pairs i > j; zeros in between.
    memo : (4,) int64. The versions of the evidence that the plan belongs to, and that the prices belong to; the arm;
        the L_(1) of the prices.
    """

    rows: Rows
    part: np.ndarray
    part_revision: np.ndarray
    share: np.ndarray
    memo: np.ndarray


class State(NamedTuple):
    """Memory between rounds: what all of Algorithm 1 needs, and the draws still asked for."""

    core: Core
    plan: Plan


def new_plan(n_arms: int) -> Plan:
    """A plan that belongs to no evidence."""
    return Plan(
        rows=Rows(
            cost=np.zeros((n_arms, n_arms)),
            superiors=np.zeros((n_arms, n_arms), np.int64),
            losses=np.zeros(n_arms, np.int64),
            stale=np.zeros(n_arms, np.bool_),
            revision=np.ones(n_arms, np.int64),
            due=np.full(n_arms, -math.inf),
            next_due=np.array([-math.inf]),
        ),
        part=np.zeros((n_arms, n_arms)),
        part_revision=np.zeros((n_arms, n_arms), np.int64),
        share=np.zeros((n_arms, n_arms)),
        memo=np.array([-1, -1, NO_ARM, -1]),
    )


def start(n_arms, horizon, rng, standing, *, alpha, beta, forced, check, ties):
    """State before round 1; draws the private orders of the pairs and of the arms, if they are to be private."""
    return State(new_core(n_arms, rng, alpha, beta, forced, check, ties), new_plan(n_arms))


@kernel
def select(state, t, rng):
    """Pair for round ``t``; a proven winner's self-duel stands until its proof fails or a draw is forced."""
    core = state.core
    passes = core.passes
    confident = NO_ARM
    if core.stepped[0]:  # lines 7-15 for the step just made: draw up the next pass
        core.stepped[0] = False
        log_t = math.log(t - 1)
        rows = state.plan.rows
        for arm in core.arms_of[present(passes)]:  # the pair may be enlisted again
            rows.due[arm] = -math.inf
        rows.next_due[0] = -math.inf
        strike(passes)
        confident = confident_arm(core, log_t)
        target = confident
        if confident == NO_ARM:
            if not _is_drawn_up(core.evidence, core.winners, core.tally, state.plan.memo):
                _draw_up(core.evidence, core.item_of, core.winners, core.tally, state.plan, core.sums[0])
            target = state.plan.memo[TARGET]
            if log_t >= rows.next_due[0]:
                _enlist_missing(core.evidence, passes, core.item_of, rows, target, log_t)
        core.named[0] = target
        item = core.item_of[target, target]
        if is_open(passes, item):
            enlist(passes, item)
        go_on(passes)
    log_t = math.log(t)
    pair = forced_pair(core, t, log_t)
    if pair != NO_PAIR:
        return core.arms_of[pair, 0], core.arms_of[pair, 1], 1
    return step(core, t, log_t, confident)


@kernel
def update(state, first, second, first_wins, second_wins):
    """Count duels of two different arms."""
    core = state.core
    rows = state.plan.rows
    memo = state.plan.memo
    ahead = core.evidence.ahead
    before = ahead[first, second]
    observe(core, first, second, first_wins, second_wins)
    after = ahead[first, second]
    if after != before:
        rows.stale[first] = True
        rows.stale[second] = True
    elif after != 0:
        loser = second if after > 0 else first
        if memo[PRICED] == core.evidence.version[SIGNS]:
            _price_again(core.evidence, core.item_of, rows, loser, first + second - loser, memo[LEAST])
        else:
            rows.stale[loser] = True


@kernel
def recommend(state):
    """The arm whose self-duels are enlisted: of those that fewest arms beat empirically, the one named last."""
    return exploited_arm(state.core)


@inlined
def _is_drawn_up(evidence, winners, tally, memo):
    """Whether the plan's arm is that of line 11: no duel since, or it is the only estimated winner, as it was."""
    if memo[VERSION] == evidence.version[DUELS]:
        return True
    return tally[N_WINNERS] == 1 and memo[TARGET] == winners[0] and memo[PRICED] == evidence.version[SIGNS]


@not_inlined
def _draw_up(evidence, item_of, winners, tally, plan, constants):
    """Line 11: let the plan's arm be the estimated winner of least C^E*, the first in private order among equals."""
    memo = plan.memo
    n_winners = tally[N_WINNERS]
    if memo[PRICED] != evidence.version[SIGNS]:
        price(evidence, item_of, plan.rows, tally[FEWEST], memo)
    target = winners[0] if n_winners == 1 else cheapest_winner(evidence, winners, n_winners, plan, constants)
    if target != memo[TARGET]:
        memo[TARGET] = target
        plan.rows.due[:] = -math.inf
    memo[VERSION] = evidence.version[DUELS]


@not_inlined
def _enlist_missing(evidence, passes, item_of, rows, i1, log_t):
    """Line 15: enlist the pairs with q* ln t > N, in those rows where there may be any.

    For each row it is noted at which ln t the next of its pairs will have too few draws, if nothing else changes.
    """
    due = rows.due
    next_due = math.inf
    for i2 in range(due.size):
        if log_t >= due[i2]:
            row_due = math.inf
            left, share, _ = solve_row(evidence.ahead, evidence.losses, rows, i1, i2)
            place = -1 if evidence.ahead[i1, i2] > 0 else 0  # place -1: the pair (i1, i2), e = 1
            while left > 0 or place < 0:
                j = i1 if place < 0 else rows.superiors[i2, place]
                item = item_of[i2, j]
                if is_open(passes, item) and (place < 0 or j != i1):
                    draws = (1.0 if place < 0 else share) / evidence.divergence[i2, j]
                    plays = evidence.wins[i2, j] + evidence.wins[j, i2]
                    if draws * log_t > plays:
                        enlist(passes, item)
                    else:
                        row_due = min(row_due, plays / draws * (1.0 - SURELY))
                left -= j != i1
                place += 1
            due[i2] = row_due
        next_due = min(next_due, due[i2])
    rows.next_due[0] = next_due


@not_inlined
def cheapest_winner(evidence, winners, n_winners, plan, constants):
    """The estimated winner of least constant; constants that are close are added up again in the order of the pairs."""
    lowest = math.inf
    for k in range(n_winners):
        constants[k] = _constant(evidence, plan, winners[k])
        lowest = min(lowest, constants[k])
    limit = lowest * (1.0 + SURELY)
    target = NO_ARM
    close = 0
    for k in range(n_winners):
        if constants[k] <= limit:
            target = winners[k]
            close += 1
    if close == 1:
        return target
    lowest = math.inf
    for k in range(n_winners):
        if constants[k] <= limit:
            minimise(evidence, winners[k], plan)
            constant = take_down(evidence.ahead, plan)
            if constant < lowest:
                lowest = constant
                target = winners[k]
    return target


@inlined
def _constant(evidence, plan, i1):
    """C^E* of i1, up to rounding, from the parts that the rows add to it."""
    revision = plan.rows.revision
    part = plan.part[i1]
    part_revision = plan.part_revision[i1]
    total = 0.0
    for i2 in range(revision.size):
        if part_revision[i2] != revision[i2]:
            part_revision[i2] = revision[i2]
            part[i2] = solve_row(evidence.ahead, evidence.losses, plan.rows, i1, i2)[2]
            if evidence.ahead[i1, i2] > 0:
                part[i2] += plan.rows.cost[i2, i1]
        total += part[i2]
    return total


@not_inlined
def price(evidence, item_of, rows, least, memo):
    """Price anew what has changed: all if L_(1) has; if the L_i of an arm has, its row and its entries elsewhere."""
    ahead = evidence.ahead
    losses = evidence.losses
    n_arms = losses.size
    for i in range(n_arms):
        if least != memo[LEAST] or losses[i] != rows.losses[i]:
            rows.stale[i] = True
    for i in range(n_arms):
        if losses[i] != rows.losses[i]:
            for i2 in range(n_arms):
                if ahead[i, i2] > 0 and not rows.stale[i2]:
                    _price_again(evidence, item_of, rows, i2, i, least)
    for i2 in range(n_arms):
        if rows.stale[i2]:
            _price_row(evidence, item_of, rows, i2, least)
            rows.stale[i2] = False
    memo[LEAST] = least
    memo[PRICED] = evidence.version[SIGNS]


@inlined
def _cost(divergence, losses, i, j, least):
    """c_ij, with r_ij = (L_i + L_j - 2 L_(1)) / (2 (K - 1))."""
    regret = (losses[i] + losses[j] - 2 * least) / (2 * (losses.size - 1))
    return regret / divergence[i, j]


@inlined
def _price_row(evidence, item_of, rows, i2, least):
    """All costs of row i2, and the superiors of i2 in their order; those it had are nearly in order."""
    ahead = evidence.ahead[i2]
    row = rows.superiors[i2]
    cost = rows.cost[i2]
    n = 0
    for k in range(rows.losses[i2]):
        j = row[k]
        cost[j] = -1.0  # j is no newcomer
        if ahead[j] < 0:
            row[n] = j
            n += 1
    for j in range(ahead.size):
        newcomer = ahead[j] < 0 and cost[j] >= 0.0
        if newcomer:
            row[n] = j
            n += 1
        cost[j] = _cost(evidence.divergence, evidence.losses, i2, j, least) if ahead[j] < 0 else 0.0
    rows.losses[i2] = n
    for place in range(1, n):
        _move_up(cost, item_of, row, place)
    rows.revision[i2] += 1
    rows.due[i2] = -math.inf


@inlined
def _price_again(evidence, item_of, rows, i2, j, least):
    """The cost of one superior j of i2, and its place in the row."""
    row = rows.superiors[i2]
    cost = rows.cost[i2]
    last = rows.losses[i2] - 1
    k = 0
    above = last
    while k < above:  # halving, to the place of j
        middle = (k + above) // 2
        if _is_before(cost, item_of, row[middle], j):
            k = middle + 1
        else:
            above = middle
    cost[j] = _cost(evidence.divergence, evidence.losses, i2, j, least)
    while k < last and _is_before(cost, item_of, row[k + 1], j):
        row[k] = row[k + 1]
        k += 1
    row[k] = j
    _move_up(cost, item_of, row, k)
    rows.revision[i2] += 1
    rows.due[i2] = -math.inf


@inlined
def _move_up(cost, item_of, row, place):
    """Move the arm at this place in front of all that it is before."""
    j = row[place]
    while place > 0 and _is_before(cost, item_of, j, row[place - 1]):
        row[place] = row[place - 1]
        place -= 1
    row[place] = j


@inlined
def _is_before(cost, item_of, i, j):
    """Whether i is cheaper than j, or equally dear and earlier in private order (that of the self-pairs)."""
    return cost[i] < cost[j] or (cost[i] == cost[j] and item_of[i, i] < item_of[j, j])


@kernel
def solve_row(ahead, losses, rows, i1, i2):
    """Theorem 5 for row i2 and the estimated winner i1: (h, share, cost).

    Of the superiors S other than i1 that i2 has, it may seem to lose k = |S| - (L_i2 - L_i1 + 1) at most: the h > k
    cheapest of them get e = 1 / (h - k) each, with the h of least cost (the smallest among equals). Costs increase, so
    that a cost above the least mean so far ends the search: from there on means only rise.
    """
    is_superior = ahead[i1, i2] > 0
    k = losses[i2] - is_superior - (losses[i2] - losses[i1] + 1)
    if k < 0 or i1 == i2:
        return 0, 0.0, 0.0  # so many superiors i2 does not have
    row = rows.superiors[i2]
    cost = rows.cost[i2]
    best = 0
    h = 0
    lowest = math.inf
    total = 0.0
    for place in range(losses[i2]):
        j = row[place]
        if cost[j] > lowest * (1.0 + 1e-6):
            break
        if j != i1:
            h += 1
            total += cost[j]
            if h > k and total / (h - k) < lowest:
                lowest = total / (h - k)
                best = h
    return best, 1.0 / (best - k), lowest


@not_inlined
def minimise(evidence, i1, plan):
    """Write to ``plan.share`` the e = q d that prove the estimated winner i1 at least regret (Theorem 5).

    Every arm that i1 beats must be proven so: e = 1. For the others see `solve_row`. Needs the prices.
    """
    rows = plan.rows
    for i2 in range(evidence.losses.size):
        if evidence.ahead[i1, i2] > 0:
            plan.share[max(i1, i2), min(i1, i2)] = 1.0
        best, share, _ = solve_row(evidence.ahead, evidence.losses, rows, i1, i2)
        for place in range(rows.losses[i2]):
            j = rows.superiors[i2, place]
            if j != i1 and best > 0:
                plan.share[max(i2, j), min(i2, j)] = share
                best -= 1


@not_inlined
def take_down(ahead, plan):
    """The constant C^E* of ``plan.share``, which is cleared."""
    constant = 0.0
    share = plan.share
    cost = plan.rows.cost
    for i in range(ahead.shape[0]):
        for j in range(i):
            if share[i, j] > 0.0:
                constant += (cost[i, j] if ahead[i, j] < 0 else cost[j, i]) * share[i, j]
                share[i, j] = 0.0
    return constant


ECW_RMED = Algorithm(
    id="ecw-rmed",
    name="ECW-RMED",
    assumes="copeland",
    anytime=True,
    parameters={
        **PARAMETERS,
        "ties": Parameter(
            "private",
            "what comes first among equals; private: an order drawn before round 1; index: the lower index, which "
            "tells the algorithm something where arms are not shuffled (Wu and Liu's Figure 4(c))",
            choices=("private", "index"),
            later=True,
        ),
    },
    reference="Komiyama, Honda, Nakagawa 2016, Algorithm 1 (ECW)",
    state=State,
    start=start,
    select=select,
    update=update,
    recommend=recommend,
    trace_version=3,
)
