"""Copeland Winners Relative Minimum Empirical Divergence (CW-RMED).

Plays the duels that are still missing in the cheapest proof that some arm is a Copeland winner.

Assumes that no two arms are equally strong. Anytime.

If no estimated winner is confident, the required proof is the optimal e = q* d of the linear program (2); if there are
several, item 1 of the choices on the page of CW-RMED says which. In the shares e_ij = q_ij d_ij, (2) is the least sum
of (r_ij / d_ij) e_ij such that every set of pairs whose reversal would depose the winner has shares of 1 in all. A
violated set is found by sorting, as for a rival and a level l only the pairs of least share matter. It is imposed by
the lexicographic dual simplex method, until there is none. Without a change of superiors a duel changes the costs of
one pair: the solution stays optimal while no reduced cost is negative, and otherwise a few steps follow.

This module has lines 11 and 15, and `copeland_rmed` all others. `select` starts with the lines after the duel of the
round before, 7-18, since outcomes may be late; then come line 4 and the next pair, lines 5-6.

References
----------
.. [1] J. Komiyama, J. Honda, H. Nakagawa, "Copeland Dueling Bandit Problem: Regret Lower Bound, Optimal Algorithm, and
   Computationally Efficient Algorithm", ICML 2016, Algorithm 1 (CW; the comments name its lines), equation (2),
   section 4.1.1.
"""

import math
from typing import NamedTuple

import numpy as np

from duelbench.bandits.algorithms.contract import Algorithm, Parameter
from duelbench.bandits.algorithms.rmed import copeland_rmed
from duelbench.bandits.algorithms.rmed.candidate_lists import add_to_next, is_open
from duelbench.bandits.algorithms.rmed.evidence import two_least
from duelbench.bandits.algorithms.rmed.proofs import CHECKS, NO_ARM
from duelbench.bandits.kernels import covering_lp
from duelbench.bandits.kernels.covering_lp import Program
from duelbench.bandits.kernels.decorators import inlined, kernel, not_inlined
from duelbench.bandits.kernels.records import IntPerArm, record

MOST_ARMS = 100  # With this many, the linear program takes 200 megabytes.
ROUNDING = 1e-9  # Numbers that differ by less than this, relatively, count as equal.


class PairCosts(NamedTuple):
    """The costs of the pairs; arrays are updated in place."""

    cost: np.ndarray  # (n_pairs,) float64. r / d of each pair, in private order; 0 for a pair at 1/2.
    effort: np.ndarray  # (n_pairs,) float64. 1 / d, as many draws; 1 for a pair at 1/2.
    signs: np.ndarray  # (1,) record: the versions of the signs that the ``costs``, and the ``program``, belong to.


class Plan(NamedTuple):
    """Line 11: the estimated winner with the cheapest proof, and its draws q*; arrays are updated in place."""

    costs: PairCosts  # The costs of draws
    program: Program  # Equation (2) for the only estimated winner, as it was last solved
    listed: np.ndarray  # (2, K) int64. Scratch: pairs of i1 with inferiors, and of i2 with superiors, by shares.
    sums: np.ndarray  # (2, K) float64. Scratch: sums of the smallest shares of either.
    chosen: np.ndarray  # (2 K,) int64. Scratch: the pairs of a constraint that fails.
    share: np.ndarray  # (n_pairs,) float64. e = q* d of the answer if there are several estimated winners
    superiors: IntPerArm  # Scratch of that
    item: np.ndarray  # (n_pairs,) int64. Pairs with q* > 0.
    draws: np.ndarray  # (n_pairs,) float64. Their q*, in draws per ln t.
    memo: np.ndarray  # (1,) record of `new_plan`


class State(NamedTuple):
    """Memory between rounds: that of Algorithm 1, and the draws still required."""

    core: copeland_rmed.Core
    plan: Plan


def new_plan(n_arms: int) -> Plan:
    """Return a plan that belongs to no evidence."""
    n_pairs = n_arms * (n_arms - 1) // 2
    return Plan(
        costs=PairCosts(np.zeros(n_pairs), np.ones(n_pairs), record(costs=-1, program=-1)),
        program=covering_lp.new_program(n_pairs, 2 * n_arms),
        listed=np.zeros((2, n_arms), np.int64),
        sums=np.zeros((2, n_arms)),
        chosen=np.zeros(2 * n_arms, np.int64),
        share=np.zeros(n_pairs),
        superiors=np.zeros(n_arms, np.int64),
        item=np.zeros(n_pairs, np.int64),
        draws=np.zeros(n_pairs),
        memo=record(
            version=-1,  # of the duels that the plan belongs to
            winner=NO_ARM,
            n_pairs=0,  # how many pairs have q* > 0
            n_solved=0,  # how often the program was solved
            n_given_up=0,  # how often its solution was given up
        ),
    )


def refuses(n_arms, horizon, **parameters):
    """Return why it cannot play more than `MOST_ARMS` arms, or None."""
    if n_arms <= MOST_ARMS:
        return None
    return (
        f"it solves linear programs with a variable per pair of arms and takes {MOST_ARMS} arms at most, "
        f"not {n_arms}; ecw-rmed has no such limit"
    )


def start(n_arms, horizon, rng, standing, *, alpha, beta, forced, check):
    """Lines 1-2; draws the private orders of the pairs and of the arms."""
    return State(copeland_rmed.new_core(n_arms, rng, alpha, beta, forced, check), new_plan(n_arms))


@kernel
def select(state, t, rng):
    """Return the pair for round ``t``; a proven winner's self-duel holds until its proof fails or a draw is forced."""
    core = state.core
    confident = NO_ARM
    if core.memo[0].stepped:  # lines 7-18 for the pair that was drawn in round t - 1
        log_t = math.log(t - 1)
        confident = winner = copeland_rmed.close_draw(core, log_t)  # lines 14, 8
        if confident == NO_ARM:
            if state.plan.memo[0].version != core.evidence.version[0].duels:
                make_plan(core.evidence, core.arms_of, core.item_of, core.arm_order, state.plan)  # line 11
            winner = state.plan.memo[0].winner
            _add_missing(core.evidence.wins, core.arms_of, core.lists, state.plan, log_t)  # lines 11, 15
        copeland_rmed.advance_with(core, winner)  # lines 9, 12, 15; 5, 17-18
    return copeland_rmed.next_pair(core, t, confident)  # lines 4-6


@kernel
def update(state, first, second, first_wins, second_wins):
    """Count duels of two different arms."""
    core = state.core
    copeland_rmed.observe(core, first, second, first_wins, second_wins)
    costs = state.plan.costs
    if costs.signs[0].costs == core.evidence.version[0].signs:  # else all are computed anew
        item = core.item_of[first, second]
        _compute_cost(core.evidence, core.arms_of[item], costs, item)


@kernel
def recommend(state):
    """Return the arm whose self-pair joins L_N: of those that fewest arms beat empirically, the one named last."""
    return copeland_rmed.exploited_arm(state.core)


@not_inlined
def _add_missing(wins, arms_of, lists, plan, log_t):
    """Lines 11 and 15: the pairs with q* ln t > N join L_N."""
    for k in range(plan.memo[0].n_pairs):
        item = plan.item[k]
        if is_open(lists, item):
            i = arms_of[item, 0]
            j = arms_of[item, 1]
            plays = wins[i, j] + wins[j, i]
            if plan.draws[k] * log_t > plays:
                add_to_next(lists, item)


@not_inlined
def make_plan(evidence, arms_of, item_of, arm_order, plan):
    """Line 11: the estimated winner of least C*, and its q*."""
    memo = plan.memo[0]
    costs = plan.costs
    ahead = evidence.ahead
    losses = evidence.losses
    if costs.signs[0].costs != evidence.version[0].signs:
        for item in range(costs.cost.size):
            _compute_cost(evidence, arms_of[item], costs, item)
        costs.signs[0].costs = evidence.version[0].signs
    least, second = two_least(losses)
    share = plan.share
    if least == second:
        memo.winner = cheapest_of_several(ahead, losses, item_of, arm_order, least, costs, share, plan.superiors)
    else:
        i1 = 0
        while losses[i1] > least:
            i1 += 1
        memo.winner = i1
        if solve(evidence, item_of, i1, plan):
            share = plan.program.share
        else:
            memo.n_given_up += 1
            prove_directly(ahead, losses, item_of, i1, costs, share, plan.superiors)
    size = 0
    for item in range(share.size):
        if share[item] > covering_lp.TINY_SHARE:
            plan.item[size] = item
            plan.draws[size] = share[item] * costs.effort[item]
            size += 1
    memo.n_pairs = size
    memo.version = evidence.version[0].duels


@not_inlined
def solve(evidence, item_of, i1, plan):
    """Solve (2) in ``plan.program`` for i1, the only estimated winner; return False if it was given up."""
    program = plan.program
    costs = plan.costs
    if costs.signs[0].program != evidence.version[0].signs:  # the sets of (2) depend on signs alone
        costs.signs[0].program = evidence.version[0].signs
        covering_lp.set_up(program, costs.cost, costs.effort)
    elif covering_lp.change_costs(program, costs.cost, costs.effort):
        return True
    else:
        covering_lp.settle(program)
    plan.memo[0].n_solved += 1
    while not program.memo[0].given_up:
        size = find_set(
            evidence.ahead, evidence.losses, item_of, i1, program.share, plan.listed, plan.sums, plan.chosen
        )
        if size == 0:
            return True
        covering_lp.impose(program, plan.chosen, size)
    costs.signs[0].program = -1
    return False


@inlined
def _compute_cost(evidence, arms, costs, item):
    """Return the cost c = r / d, r_ij = (L_i + L_j - 2 L_(1)) / (2 (K - 1)), and effort 1 / d of a pair of ``arms``."""
    i = arms[0]
    j = arms[1]
    costs.cost[item] = 0.0
    costs.effort[item] = 1.0
    if evidence.ahead[i, j] != 0:
        least, _ = two_least(evidence.losses)
        regret = (evidence.losses[i] + evidence.losses[j] - 2 * least) / (2 * (evidence.losses.size - 1))
        costs.cost[item] = regret / evidence.divergence[i, j]
        costs.effort[item] = 1.0 / evidence.divergence[i, j]


@not_inlined
def find_set(ahead, losses, item_of, i1, share, listed, sums, chosen):
    """Section 4.1.1: write the pairs of a violated constraint of (2) to ``chosen``; return their number, 0 for none.

    As in `proofs.lead`, for a rival i2 and a level l only the pairs of least share matter.
    """
    least, second = two_least(losses)
    lost = listed[0]
    gained = listed[1]
    a = sums[0]
    b = sums[1]
    deepest = 0.0
    size = 0
    for i2 in range(losses.size):
        if i2 == i1:
            continue
        n_a = _list_rivals(ahead[i1], item_of[i1], 1, i2, share, lost, a)
        n_b = _list_rivals(ahead[i2], item_of[i2], -1, i1, share, gained, b)
        pair = item_of[i1, i2]
        for level in range(max(0, least - 1), second + 1):
            for flips in range(2 if ahead[i1, i2] > 0 else 1):
                n_i = level + 1 - least - flips
                n_s = max(0, losses[i2] - level - flips)
                if 0 <= n_i <= n_a and n_s <= n_b:
                    missing = 1.0 - a[n_i] - b[n_s] - flips * share[pair]
                    depth = missing * missing / (n_i + n_s + flips)
                    if missing > covering_lp.TINY_SHARE and depth > deepest:
                        deepest = depth
                        size = n_i + n_s + flips
                        for k in range(n_i):
                            chosen[k] = lost[k]
                        for k in range(n_s):
                            chosen[n_i + k] = gained[k]
                        chosen[n_i + n_s] = pair  # after the last valid entry if flips is 0
    return size


@inlined
def _list_rivals(ahead, items, sign, excluded, share, listed, sums):
    """List the pairs with j != ``excluded`` and ahead[j] == ``sign``, smallest share first, and the sums of shares."""
    n = 0
    for j in range(items.size):
        if ahead[j] == sign and j != excluded:
            item = items[j]
            k = n
            while k > 0 and share[listed[k - 1]] > share[item]:
                listed[k] = listed[k - 1]
                k -= 1
            listed[k] = item
            n += 1
    sums[0] = 0.0
    for k in range(n):
        sums[k + 1] = sums[k] + share[listed[k]]
    return n


# --- several estimated winners: their cheapest proofs without a linear program ---
#
# Then the constraints with l = L_(1) ask for e = 1 of every pair that the winner leads, those with l = L_(1) - 1 are
# (5), and all others contain such a pair and follow. So (2) is equivalent to (4) and (5), which Theorem 5 solves, and
# C* is C^E* (Theorem 6). With one estimated winner, shares that satisfy (4) and (5) also satisfy (2), but usually cost
# more.


@not_inlined
def cheapest_of_several(ahead, losses, item_of, arm_order, least, costs, share, chosen):
    """Line 11: return the one of several estimated winners, with ``least`` losses, of least C*; write its proof."""
    best = NO_ARM
    lowest = math.inf
    for i1 in arm_order:
        if losses[i1] == least:
            constant = prove_directly(ahead, losses, item_of, i1, costs, share, chosen)
            if _compare(constant, lowest) < 0:
                lowest = constant
                best = i1
    prove_directly(ahead, losses, item_of, best, costs, share, chosen)
    return best


@not_inlined
def prove_directly(ahead, losses, item_of, i1, costs, share, chosen):
    """Write the e that satisfy (4) and (5) for i1 at least cost (Theorem 5) to ``share``; return that cost.

    As `ecw_rmed.solve_row`: e = 1 for the inferiors of i1, and 1 / (h - k) for h > k superiors of each other arm.
    """
    cost = costs.cost
    share[:] = 0.0
    constant = 0.0
    for i2 in range(losses.size):
        if ahead[i1, i2] > 0:
            item = item_of[i1, i2]
            share[item] = 1.0
            constant += cost[item]
        if i2 != i1:
            n = _list_superiors(ahead[i2], item_of[i2], i1, costs, chosen)
            k = n - (losses[i2] - losses[i1] + 1)
            if k >= 0:  # otherwise i2 has too few superiors
                h = _best_number(costs, chosen, n, k)
                for place in range(h):
                    item = chosen[place]
                    share[item] = 1.0 / (h - k)
                    constant += cost[item] / (h - k)
    return constant


@inlined
def _list_superiors(ahead, items, i1, costs, chosen):
    """List the pairs of an arm with its superiors except i1 in ``chosen``, cheapest first; return their number."""
    n = 0
    for j in range(items.size):
        if ahead[j] < 0 and j != i1:
            k = n
            while k > 0 and _goes_before(costs, items[j], chosen[k - 1]):
                chosen[k] = chosen[k - 1]
                k -= 1
            chosen[k] = items[j]
            n += 1
    return n


@inlined
def _goes_before(costs, item, rival):
    if costs.cost[item] != costs.cost[rival]:
        return costs.cost[item] < costs.cost[rival]
    if costs.effort[item] != costs.effort[rival]:
        return costs.effort[item] < costs.effort[rival]
    return item > rival


@inlined
def _best_number(costs, chosen, n, k):
    """Return the h > k for which the first h of ``chosen``, with e = 1 / (h - k) each, cost least.

    Among equals, the one of least effort, then that of the lexicographically smallest e: the larger h, unless one of
    the pairs that it adds is the first in private order.
    """
    best = 0
    first_of_best = 0
    least_cost = math.inf
    least_effort = math.inf
    first = costs.cost.size
    cost = 0.0
    effort = 0.0
    for h in range(1, n + 1):
        item = chosen[h - 1]
        first = min(first, item)
        cost += costs.cost[item]
        effort += costs.effort[item]
        if h > k:
            order = _compare(cost / (h - k), least_cost)
            if order == 0:
                order = _compare(effort / (h - k), least_effort)
            if order < 0 or (order == 0 and first == first_of_best):
                best = h
                first_of_best = first
                least_cost = cost / (h - k)
                least_effort = effort / (h - k)
    return best


@inlined
def _compare(new, old):
    """Return -1 if ``new`` is less, 0 if it is equal up to rounding errors, 1 if it is more."""
    if new == old or abs(new - old) <= ROUNDING * new:
        return 0
    return -1 if new < old else 1


PARAMETERS = {
    **copeland_rmed.COMMON_PARAMETERS,
    "check": Parameter(
        "R",
        "set of the test (3); R: (2), where draws beyond 1/d count as 1/d; R-box: (2) as printed, where no pair "
        "may have more",
        choices=CHECKS[:2],
    ),
}


CW_RMED = Algorithm.of_module(
    __name__,
    "cw-rmed",
    "CW-RMED",
    "copeland",
    "Komiyama, Honda, Nakagawa 2016, Algorithm 1 (CW)",
    trace_version=3,
    look=("blue", "dashed", "d"),
    learns_from_any_pair=True,
    source="paper",
)
