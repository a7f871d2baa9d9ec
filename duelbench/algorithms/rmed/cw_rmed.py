"""Copeland Winners Relative Minimum Empirical Divergence (CW-RMED).

Draws what is still missing in the cheapest proof that some arm is a Copeland winner.

Assumes that no two arms are equally strong. Anytime. Parameters: ``alpha`` > 0, ``beta`` >= 0.

The proof asked for when no estimated winner is confident is the optimal e = q* d of the linear program (2). Where it
is not unique: of several estimated winners of least C*, the first in the private order of the arms (a later one only
if its constant is less by more than one part in 10^9); of several e of least cost, one of least sum e / d; of those,
the lexicographically smallest e in the private order of the pairs. A pair at 1/2 is in no constraint: its e is 0.

References
----------
.. [1] J. Komiyama, J. Honda, H. Nakagawa, "Copeland Dueling Bandit Problem: Regret Lower Bound, Optimal Algorithm, and
   Computationally Efficient Algorithm", ICML 2016, Algorithm 1 (CW), equation (2) and Theorems 2 and 6.
"""

import math
from typing import NamedTuple

import numpy as np

from duelbench.algorithms.contract import Algorithm, Parameter
from duelbench.algorithms.rmed.candidate_lists import enlist, go_on, is_open, strike
from duelbench.algorithms.rmed.copeland_rmed import (
    CHECKS,
    DUELS,
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
    two_least,
)
from duelbench.kernels.covering_lp import TINY_SHARE, Program, begin, impose, is_given_up, new_program, reprice, settle
from duelbench.kernels.decorators import inlined, kernel, not_inlined

VERSION, PRICED, POSED, TARGET, SIZE, SOLVED, GIVEN_UP = 0, 1, 2, 3, 4, 5, 6  # places in Plan.memo

MOST_ARMS = 100
"""With so many, the linear program takes 200 megabytes."""

ROUNDING = 1e-9
"""Numbers that differ by less than this, relatively, count as equal."""


class Search(NamedTuple):
    """Scratch of the search for a constraint that fails.

    inferiors, superiors : (K,) int64. Pairs of i1 with its inferiors, and of i2 with its superiors, by their shares.
    sums : (2, K) float64. Sums of the smallest shares of either.
    chosen : (2 K,) int64. The pairs of the constraint.
    """

    inferiors: np.ndarray
    superiors: np.ndarray
    sums: np.ndarray
    chosen: np.ndarray


class Proof(NamedTuple):
    """What a proof costs, and one in the sense of (4) and (5); arrays are updated in place.

    cost : (n_pairs,) float64. r / d of each pair, in private order: Copeland regret of as many draws as raise q d by
        1 / ln t; 0 for a pair at 1/2.
    effort : (n_pairs,) float64. 1 / d, as many draws; 1 for a pair at 1/2.
    share : (n_pairs,) float64. e = q* d of the proof.
    chosen : (K,) int64. Scratch.
    """

    cost: np.ndarray
    effort: np.ndarray
    share: np.ndarray
    chosen: np.ndarray


class Plan(NamedTuple):
    """The estimated winner that is cheapest to prove, and the draws q* that prove it; arrays are updated in place.

    proof : Proof. The costs, and the answer where there are several estimated winners.
    program : Program. Equation (2) for the only estimated winner, as it was last solved.
    search : Search.
    item : (n_pairs,) int64. Pairs with q* > 0.
    draws : (n_pairs,) float64. Their q*, in draws per ln t.
    memo : (7,) int64. The versions of the evidence that the plan belongs to, that the costs belong to, and that the
        program belongs to; the arm; how many pairs; how often the program was solved; how often that was given up.
    """

    proof: Proof
    program: Program
    search: Search
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
        proof=Proof(np.zeros(n_pairs), np.ones(n_pairs), np.zeros(n_pairs), np.zeros(n_arms, np.int64)),
        program=new_program(n_pairs, 2 * n_arms),
        search=Search(
            np.zeros(n_arms, np.int64),
            np.zeros(n_arms, np.int64),
            np.zeros((2, n_arms)),
            np.zeros(2 * n_arms, np.int64),
        ),
        item=np.zeros(n_pairs, np.int64),
        draws=np.zeros(n_pairs),
        memo=np.array([-1, -1, -1, NO_ARM, 0, 0, 0]),
    )


def refuses(n_arms, horizon, **parameters):
    """Why it cannot play so many arms: `MOST_ARMS` is the limit."""
    if n_arms <= MOST_ARMS:
        return None
    return (
        f"it solves linear programs with a variable per pair of arms and takes {MOST_ARMS} arms at most, "
        f"not {n_arms}; ecw-rmed has no such limit"
    )


def start(n_arms, horizon, rng, standing, *, alpha, beta, forced, check):
    """State before round 1; draws the private orders of the pairs and of the arms."""
    return State(new_core(n_arms, rng, alpha, beta, forced, check), new_plan(n_arms))


@kernel
def select(state, t, rng):
    """Pair for round ``t``; a proven winner's self-duel stands until its proof fails or a draw is forced."""
    core = state.core
    passes = core.passes
    confident = NO_ARM
    if core.stepped[0]:  # lines 7-15 for the step just made: draw up the next pass
        core.stepped[0] = False
        log_t = math.log(t - 1)
        strike(passes)
        confident = confident_arm(core, log_t)
        target = confident
        if confident == NO_ARM:
            plan = state.plan
            if plan.memo[VERSION] != core.evidence.version[DUELS]:
                make_plan(core.evidence, core.arms_of, core.item_of, core.arm_order, plan)
            target = plan.memo[TARGET]
            _enlist_missing(core.evidence.wins, core.arms_of, passes, plan.item[: plan.memo[SIZE]], plan.draws, log_t)
        core.named[0] = target
        if is_open(passes, core.item_of[target, target]):
            enlist(passes, core.item_of[target, target])
        go_on(passes)
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
        item = state.core.item_of[first, second]
        _price(state.core.evidence, state.core.arms_of[item], state.plan.proof, item)


@kernel
def recommend(state):
    """The arm whose self-duels are enlisted: of those that fewest arms beat empirically, the one named last."""
    return exploited_arm(state.core)


@not_inlined
def _enlist_missing(wins, arms_of, passes, items, draws, log_t):
    """Line 15: enlist those of ``items`` with q* ln t > N."""
    for k in range(items.size):
        item = items[k]
        if is_open(passes, item):
            i = arms_of[item, 0]
            j = arms_of[item, 1]
            plays = wins[i, j] + wins[j, i]
            if draws[k] * log_t > plays:
                enlist(passes, item)


@not_inlined
def make_plan(evidence, arms_of, item_of, arm_order, plan):
    """Line 11: the estimated winner of least C*, and its q*.

    Examples
    --------
    Arm 0 has won all of three duels: d = ln 2, r = 1/2. The proof asks for 1 / d draws per ln t, at C* = 1 / (2 ln 2).

    >>> core = new_core(2, np.random.default_rng(0), 3.0, 0.01, "round", "R")
    >>> observe(core, 0, 1, 3, 0)
    >>> plan = new_plan(2)
    >>> make_plan(core.evidence, core.arms_of, core.item_of, core.arm_order, plan)
    >>> int(plan.memo[TARGET]), plan.draws.tolist() == [1 / math.log(2)]
    (0, True)
    >>> prove_directly(core.evidence.ahead, core.evidence.losses, core.item_of, 0, plan.proof) == 1 / (2 * math.log(2))
    True
    >>> find_set(core.evidence.ahead, core.evidence.losses, core.item_of, 0, np.zeros(1), plan.search)
    1
    """
    memo = plan.memo
    proof = plan.proof
    losses = evidence.losses
    if memo[PRICED] != evidence.version[SIGNS]:
        for item in range(proof.cost.size):
            _price(evidence, arms_of[item], proof, item)
        memo[PRICED] = evidence.version[SIGNS]
    least, second = two_least(losses)
    share = proof.share
    if least == second:
        memo[TARGET] = _cheapest_of_several(evidence.ahead, losses, item_of, arm_order, least, proof)
    else:
        i1 = 0
        while losses[i1] > least:
            i1 += 1
        memo[TARGET] = i1
        if solve(evidence, item_of, i1, plan):
            share = plan.program.share
        else:
            memo[GIVEN_UP] += 1
            prove_directly(evidence.ahead, losses, item_of, i1, proof)
    _take_down(plan, share)
    memo[VERSION] = evidence.version[DUELS]


@inlined
def _price(evidence, arms, proof, item):
    """Cost c = r / d, with r_ij = (L_i + L_j - 2 L_(1)) / (2 (K - 1)), and effort 1 / d of a pair of ``arms``."""
    i = arms[0]
    j = arms[1]
    proof.cost[item] = 0.0
    proof.effort[item] = 1.0
    if evidence.ahead[i, j] != 0:
        least, _ = two_least(evidence.losses)
        regret = (evidence.losses[i] + evidence.losses[j] - 2 * least) / (2 * (evidence.losses.size - 1))
        proof.cost[item] = regret / evidence.divergence[i, j]
        proof.effort[item] = 1.0 / evidence.divergence[i, j]


@inlined
def _take_down(plan, share):
    """Turn shares into pairs and their q*."""
    size = 0
    for item in range(share.size):
        if share[item] > TINY_SHARE:
            plan.item[size] = item
            plan.draws[size] = share[item] * plan.proof.effort[item]
            size += 1
    plan.memo[SIZE] = size


@not_inlined
def solve(evidence, item_of, i1, plan):
    """Bring ``plan.program`` to the optimum of (2) for i1, the only estimated winner. False where it was given up."""
    program = plan.program
    memo = plan.memo
    if memo[POSED] != evidence.version[SIGNS]:
        memo[POSED] = evidence.version[SIGNS]
        begin(program, plan.proof.cost, plan.proof.effort)
    elif reprice(program, plan.proof.cost, plan.proof.effort):
        return True
    else:
        settle(program)
    memo[SOLVED] += 1
    while not is_given_up(program):
        size = find_set(evidence.ahead, evidence.losses, item_of, i1, program.share, plan.search)
        if size == 0:
            return True
        impose(program, plan.search.chosen, size)
    memo[POSED] = -1
    return False


@not_inlined
def find_set(ahead, losses, item_of, i1, share, search):
    """A constraint of (2) that fails: writes its pairs to ``search.chosen``. How many they are, 0 where none fails.

    See `copeland_rmed.lead`: for a rival i2 and a level l the pairs of least share matter, l + 1 - L_(1) inferiors of
    i1 and L_i2 - l superiors of i2, one fewer where i2 is among the inferiors.
    """
    least, second = two_least(losses)
    lost = search.inferiors
    gained = search.superiors
    a = search.sums[0]
    b = search.sums[1]
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
                    if missing > TINY_SHARE and depth > deepest:
                        deepest = depth
                        size = n_i + n_s + flips
                        for k in range(n_i):
                            search.chosen[k] = lost[k]
                        for k in range(n_s):
                            search.chosen[n_i + k] = gained[k]
                        search.chosen[n_i + n_s] = pair  # beyond the end where it does not count
    return size


@inlined
def _list_rivals(ahead, items, sign, excluded, share, listed, sums):
    """Pairs ``items[j]`` of arms j with ahead[j] == ``sign``, j != excluded, smallest share first. How many they are.

    ``sums[n]`` is what the first n of them have.
    """
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


@inlined
def _cheapest_of_several(ahead, losses, item_of, arm_order, least, proof):
    """With several estimated winners, (2) is (4) and (5), and Theorem 5 solves it: the winner of least constant.

    The constraints of (2) with l = L_(1) and another estimated winner as i2 ask for e = 1 of every pair in which i1 is
    ahead; those with l = L_(1) - 1 are (5); all others contain a pair in which i1 is ahead, and so follow.
    """
    best = NO_ARM
    lowest = math.inf
    for i1 in arm_order:
        if losses[i1] == least:
            constant = prove_directly(ahead, losses, item_of, i1, proof)
            if _compare(constant, lowest) < 0:
                lowest = constant
                best = i1
    prove_directly(ahead, losses, item_of, best, proof)
    return best


@not_inlined
def prove_directly(ahead, losses, item_of, i1, proof):
    """Write to ``proof.share`` the e that satisfy (4) and (5) for i1 at least cost (Theorem 5). That cost.

    Every arm that i1 beats must be proven so: e = 1. Of the superiors S other than i1 that another arm i2 has, it may
    seem to lose k = |S| - (L_i2 - L_i1 + 1) at most: the h > k cheapest of them get e = 1 / (h - k) each.
    """
    cost = proof.cost
    share = proof.share
    share[:] = 0.0
    constant = 0.0
    for i2 in range(losses.size):
        if ahead[i1, i2] > 0:
            item = item_of[i1, i2]
            share[item] = 1.0
            constant += cost[item]
        if i2 != i1:
            n = _list_superiors(ahead[i2], item_of[i2], i1, proof)
            k = n - (losses[i2] - losses[i1] + 1)
            if k >= 0:  # otherwise i2 does not have so many superiors
                h = _best_number(proof, n, k)
                for place in range(h):
                    item = proof.chosen[place]
                    share[item] = 1.0 / (h - k)
                    constant += cost[item] / (h - k)
    return constant


@inlined
def _list_superiors(ahead, items, i1, proof):
    """Write to ``proof.chosen`` the pairs of an arm with its superiors but i1, cheapest first. How many they are.

    Of equally dear ones the one of less effort goes first, then the one that is later in private order.
    """
    chosen = proof.chosen
    n = 0
    for j in range(items.size):
        if ahead[j] < 0 and j != i1:
            k = n
            while k > 0 and _goes_before(proof, items[j], chosen[k - 1]):
                chosen[k] = chosen[k - 1]
                k -= 1
            chosen[k] = items[j]
            n += 1
    return n


@inlined
def _goes_before(proof, item, other):
    if proof.cost[item] != proof.cost[other]:
        return proof.cost[item] < proof.cost[other]
    if proof.effort[item] != proof.effort[other]:
        return proof.effort[item] < proof.effort[other]
    return item > other


@inlined
def _best_number(proof, n, k):
    """The h > k for which the first h of ``proof.chosen``, with e = 1 / (h - k) each, cost least.

    Among equals it is the one of least effort, then that of the lexicographically smallest e: a larger h makes e
    smaller but for the pairs that it adds, so it is better unless one of these is the first in private order.
    """
    best = 0
    first_of_best = 0
    least_cost = math.inf
    least_effort = math.inf
    first = proof.cost.size
    cost = 0.0
    effort = 0.0
    for h in range(1, n + 1):
        item = proof.chosen[h - 1]
        first = min(first, item)
        cost += proof.cost[item]
        effort += proof.effort[item]
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
    """-1 where ``new`` is less, 0 where it is equal but for rounding errors, 1 where it is more."""
    if new == old or abs(new - old) <= ROUNDING * new:
        return 0
    return -1 if new < old else 1


CW_RMED = Algorithm(
    id="cw-rmed",
    name="CW-RMED",
    assumes="copeland",
    anytime=True,
    parameters={
        **PARAMETERS,
        "check": Parameter(
            "R",
            "set of the test (3); R: (2), where draws beyond 1/d count as 1/d; R-box: (2) as printed, where no pair "
            "may have more",
            choices=CHECKS[:2],
        ),
    },
    reference="Komiyama, Honda, Nakagawa 2016, Algorithm 1 (CW)",
    state=State,
    start=start,
    select=select,
    update=update,
    recommend=recommend,
    trace_version=3,
    refuses=refuses,
)
