"""Efficient Copeland Winners Relative Minimum Empirical Divergence (ECW-RMED).

Plays the duels that are still missing to prove one Copeland winner: that it beats the arms that it seems to beat, and
that enough arms beat every other arm.

Assumes that no two arms are equally strong. Anytime.

This module has lines 11 and 15, and `copeland_rmed` all others. `select` starts with the lines after the duel of the
round before, 7-18, since outcomes may be late; then come line 4 and the next pair, lines 5-6.

References
----------
.. [1] J. Komiyama, J. Honda, H. Nakagawa, "Copeland Dueling Bandit Problem: Regret Lower Bound, Optimal Algorithm, and
   Computationally Efficient Algorithm", ICML 2016, Algorithm 1 (ECW; the comments name its lines) and Theorem 5.
"""

import math
from typing import NamedTuple

import numpy as np

from duelbench.bandits.algorithms.contract import Algorithm, Parameter
from duelbench.bandits.algorithms.rmed import copeland_rmed
from duelbench.bandits.algorithms.rmed.candidate_lists import add_to_next, is_open, present
from duelbench.bandits.algorithms.rmed.proofs import NO_ARM
from duelbench.bandits.kernels.decorators import inlined, kernel, not_inlined
from duelbench.bandits.kernels.records import (
    BoolPerArm,
    FloatPerArm,
    FloatPerPair,
    IntPerArm,
    IntPerPair,
    record,
    with_zeros,
)

SURELY = 1e-9  # Relative difference beyond which rounding errors cannot have changed an order.


class RowCosts(NamedTuple):
    """The costs of the pairs of each arm with its superiors, in rows; arrays are updated in place."""

    cost: FloatPerPair  # cost[i2, j] = c_ij, j a superior of i2: regret of as many draws as raise q d by 1 / ln t
    # The superiors of each arm, cheapest first, equally expensive ones in private order; ``losses`` entries count.
    superiors: IntPerPair
    losses: IntPerArm  # L_i when the rows were computed.
    stale: BoolPerArm  # Rows that must be computed anew.
    revision: IntPerArm  # Raised whenever something in a row has changed.
    due: FloatPerArm  # While ln t is less, no pair of the row joins L_N; -inf for a row to check.
    part: FloatPerPair  # part[i1, i2]: the part of row i2 in the constant of the estimated winner i1.
    part_revision: IntPerPair  # The revision of the row that each entry of ``part`` belongs to.
    memo: np.ndarray  # (1,) record: the ``version`` of the signs and the L_(1), ``fewest``, that the costs belong to.


class State(NamedTuple):
    """Memory between rounds: that of Algorithm 1, and the proof that line 11 requires."""

    core: copeland_rmed.Core  # the memory of Algorithm 1
    costs: RowCosts  # The costs of the pairs of each arm with its superiors
    choice: np.ndarray  # (1,) record of `start`
    share: FloatPerPair  # Scratch: e = q* d of the pairs i > j.


def start(n_arms, horizon, rng, standing, *, alpha, beta, forced, check, ties):
    """Lines 1-2; draws the private orders of the pairs and of the arms, if they are to be private."""
    return State(
        core=copeland_rmed.new_core(n_arms, rng, alpha, beta, forced, check, ties),
        costs=new_costs(n_arms),
        choice=record(
            version=-1,  # of the duels that the choice belongs to
            winner=NO_ARM,  # the estimated winner that line 11 chose last
        ),
        share=np.zeros((n_arms, n_arms)),
    )


@kernel
def select(state, t, rng):
    """Return the pair for round ``t``; a proven winner's self-duel holds until its proof fails or a draw is forced."""
    core = state.core
    confident = NO_ARM
    if core.memo[0].stepped:  # lines 7-18 for the pair that was drawn in round t - 1
        log_t = math.log(t - 1)
        for arm in core.arms_of[present(core.lists)]:  # its pair leaves L_R, so that it may join L_N
            state.costs.due[arm] = -math.inf
        confident = winner = copeland_rmed.close_draw(core, log_t)  # lines 14, 8
        if confident == NO_ARM:
            winner = _cheapest_winner(state)  # line 11
            _add_missing(core.evidence, core.lists, core.item_of, state.costs, winner, log_t)  # lines 11, 15
        copeland_rmed.advance_with(core, winner)  # lines 9, 12, 15; 5, 17-18
    return copeland_rmed.next_pair(core, t, confident)  # lines 4-6


@kernel
def update(state, first, second, first_wins, second_wins):
    """Count duels of two different arms."""
    core = state.core
    before = core.evidence.ahead[first, second]
    copeland_rmed.observe(core, first, second, first_wins, second_wins)
    keep_costs(core.evidence, core.item_of, state.costs, first, second, before)


@kernel
def recommend(state):
    """Return the arm whose self-pair joins L_N: of those that fewest arms beat empirically, the one named last."""
    return copeland_rmed.exploited_arm(state.core)


@inlined
def _cheapest_winner(state):
    """Line 11: the estimated winner of least C^E*, the first in private order among equals."""
    evidence = state.core.evidence
    proofs = state.core.proofs
    choice = state.choice[0]
    if choice.version != evidence.version[0].duels and not (
        proofs.tally[0].n_winners == 1
        and proofs.winners[0] == choice.winner
        and state.costs.memo[0].version == evidence.version[0].signs
    ):
        _choose_winner(evidence, state.core.item_of, proofs, state.costs, state.choice, state.share)
    return choice.winner


@not_inlined
def _choose_winner(evidence, item_of, proofs, costs, choices, share):
    """Do line 11 after a change."""
    choice = choices[0]
    tally = proofs.tally[0]
    if costs.memo[0].version != evidence.version[0].signs:
        compute_costs(evidence, item_of, costs, tally.fewest)
    winners = proofs.winners[: tally.n_winners]
    winner = winners[0]
    if winners.size > 1:
        winner = cheapest_winner(evidence, winners, costs, share, proofs.sums[0])
    if winner != choice.winner:
        choice.winner = winner
        costs.due[:] = -math.inf
    choice.version = evidence.version[0].duels


@not_inlined
def cheapest_winner(evidence, winners, costs, share, constants):
    """Return the estimated winner of least constant; close constants are added up again in the order of the pairs."""
    lowest = math.inf
    for k in range(winners.size):
        constants[k] = _constant(evidence, costs, winners[k])
        lowest = min(lowest, constants[k])
    limit = lowest * (1.0 + SURELY)
    cheapest = NO_ARM
    close = 0
    for k in range(winners.size):
        if constants[k] <= limit:
            cheapest = winners[k]
            close += 1
    if close == 1:
        return cheapest
    lowest = math.inf
    for k in range(winners.size):
        if constants[k] <= limit:
            constant = minimise(evidence, winners[k], costs, share)
            if constant < lowest:
                lowest = constant
                cheapest = winners[k]
    return cheapest


@inlined
def _constant(evidence, costs, i1):
    """Return C^E* of i1, up to rounding, as the sum of its rows' parts; only changed rows are solved again."""
    part = costs.part[i1]
    part_revision = costs.part_revision[i1]
    total = 0.0
    for i2 in range(part.size):
        if part_revision[i2] != costs.revision[i2]:
            part_revision[i2] = costs.revision[i2]
            part[i2] = solve_row(evidence.ahead, evidence.losses, costs, i1, i2)[2]
            if evidence.ahead[i1, i2] > 0:
                part[i2] += costs.cost[i2, i1]
        total += part[i2]
    return total


@not_inlined
def minimise(evidence, i1, costs, share):
    """Theorem 5: write the e = q* d that prove i1 at least regret, 1 for its inferiors; return that regret."""
    share[:] = 0.0
    for i2 in range(evidence.losses.size):
        if evidence.ahead[i1, i2] > 0:
            share[max(i1, i2), min(i1, i2)] = 1.0
        left, e, _ = solve_row(evidence.ahead, evidence.losses, costs, i1, i2)
        for place in range(costs.losses[i2]):
            j = costs.superiors[i2, place]
            if j != i1 and left > 0:
                share[max(i2, j), min(i2, j)] = e
                left -= 1
    constant = 0.0
    for i in range(share.shape[0]):
        for j in range(i):
            constant += (costs.cost[i, j] if evidence.ahead[i, j] < 0 else costs.cost[j, i]) * share[i, j]
    return constant


@kernel
def solve_row(ahead, losses, costs, i1, i2):
    """Theorem 5 for the superiors of i2, and the estimated winner i1: (h, share, cost).

    Of the superiors S != i1 of i2, it may seem to lose k = |S| - (L_i2 - L_i1 + 1) at most: the h > k cheapest of them
    get e = 1 / (h - k) each, with the h of least cost (the smallest among equals).
    """
    is_superior = ahead[i1, i2] > 0
    k = losses[i2] - is_superior - (losses[i2] - losses[i1] + 1)
    if k < 0 or i1 == i2:
        return 0, 0.0, 0.0  # i2 has too few superiors
    row = costs.superiors[i2]
    cost = costs.cost[i2]
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
def _add_missing(evidence, lists, item_of, costs, i1, log_t):
    """Lines 11 and 15: add the pairs with q* ln t > N to L_N; only the rows that are due are searched."""
    for i2 in range(costs.due.size):
        if log_t >= costs.due[i2]:
            due = math.inf
            left, share, _ = solve_row(evidence.ahead, evidence.losses, costs, i1, i2)
            place = -1 if evidence.ahead[i1, i2] > 0 else 0  # place -1: the pair (i1, i2), e = 1
            while left > 0 or place < 0:
                j = i1 if place < 0 else costs.superiors[i2, place]
                item = item_of[i2, j]
                if is_open(lists, item) and (place < 0 or j != i1):
                    draws = (1.0 if place < 0 else share) / evidence.divergence[i2, j]
                    plays = evidence.wins[i2, j] + evidence.wins[j, i2]
                    if draws * log_t > plays:
                        add_to_next(lists, item)
                    else:
                        due = min(due, plays / draws * (1.0 - SURELY))
                left -= j != i1
                place += 1
            costs.due[i2] = due


# --- the costs of draws, updated after each duel to save time; this changes no decision ---
#
# Row i2 has the pairs of arm i2 with its superiors j, at c_ij = r_ij / d_ij, cheapest first: Theorem 5 takes the pairs
# of a proof from the front of the row. A duel that changes no sign changes one cost, in the row of the arm that is
# behind; a duel that changes signs changes L of its arms, and so their rows and their entries in other rows, or all
# rows if L_(1) changes. Rows are the same, to the last bit, as if they were computed anew.


def new_costs(n_arms: int) -> RowCosts:
    """Return costs that belong to no evidence yet."""
    return with_zeros(
        RowCosts,
        n_arms,
        revision=np.ones(n_arms, np.int64),
        due=np.full(n_arms, -math.inf),
        memo=record(version=-1, fewest=-1),
    )


@inlined
def keep_costs(evidence, item_of, costs, first, second, before):
    """Update the costs after duels of two arms; ``first`` was ahead (1), behind (-1) or neither (0) ``before``."""
    after = evidence.ahead[first, second]
    if after != before:
        costs.stale[first] = True
        costs.stale[second] = True
    elif after != 0:
        loser = second if after > 0 else first
        memo = costs.memo[0]
        if memo.version == evidence.version[0].signs:
            _update_cost(evidence, item_of, costs, loser, first + second - loser, memo.fewest)
        else:
            costs.stale[loser] = True


@not_inlined
def compute_costs(evidence, item_of, costs, fewest):
    """Compute changed costs: all if L_(1) has changed; if L_i of an arm has, its row and its entries in other rows."""
    ahead = evidence.ahead
    losses = evidence.losses
    n_arms = losses.size
    memo = costs.memo[0]
    for i in range(n_arms):
        if fewest != memo.fewest or losses[i] != costs.losses[i]:
            costs.stale[i] = True
    for i in range(n_arms):
        if losses[i] != costs.losses[i]:
            for i2 in range(n_arms):
                if ahead[i, i2] > 0 and not costs.stale[i2]:
                    _update_cost(evidence, item_of, costs, i2, i, fewest)
    for i2 in range(n_arms):
        if costs.stale[i2]:
            _compute_row(evidence, item_of, costs, i2, fewest)
            costs.stale[i2] = False
    memo.fewest = fewest
    memo.version = evidence.version[0].signs


@inlined
def _cost(divergence, losses, i, j, fewest):
    """Return c_ij, with r_ij = (L_i + L_j - 2 L_(1)) / (2 (K - 1))."""
    regret = (losses[i] + losses[j] - 2 * fewest) / (2 * (losses.size - 1))
    return regret / divergence[i, j]


@inlined
def _compute_row(evidence, item_of, costs, i2, fewest):
    """Compute all costs of row i2, and sort its superiors; the previous ones are nearly in order."""
    ahead = evidence.ahead[i2]
    row = costs.superiors[i2]
    cost = costs.cost[i2]
    n = 0
    for k in range(costs.losses[i2]):
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
        cost[j] = _cost(evidence.divergence, evidence.losses, i2, j, fewest) if ahead[j] < 0 else 0.0
    costs.losses[i2] = n
    for place in range(1, n):
        _move_up(cost, item_of, row, place)
    costs.revision[i2] += 1
    costs.due[i2] = -math.inf


@inlined
def _update_cost(evidence, item_of, costs, i2, j, fewest):
    """Compute the cost of one superior j of i2, and its place in the row."""
    row = costs.superiors[i2]
    cost = costs.cost[i2]
    last = costs.losses[i2] - 1
    k = 0
    above = last
    while k < above:  # halving, to the place of j
        middle = (k + above) // 2
        if _is_before(cost, item_of, row[middle], j):
            k = middle + 1
        else:
            above = middle
    cost[j] = _cost(evidence.divergence, evidence.losses, i2, j, fewest)
    while k < last and _is_before(cost, item_of, row[k + 1], j):
        row[k] = row[k + 1]
        k += 1
    row[k] = j
    _move_up(cost, item_of, row, k)
    costs.revision[i2] += 1
    costs.due[i2] = -math.inf


@inlined
def _move_up(cost, item_of, row, place):
    """Move the arm at this place forward to its place in the order."""
    j = row[place]
    while place > 0 and _is_before(cost, item_of, j, row[place - 1]):
        row[place] = row[place - 1]
        place -= 1
    row[place] = j


@inlined
def _is_before(cost, item_of, i, j):
    """Return whether i is cheaper than j, or equally expensive and earlier in private order (of the self-pairs)."""
    return cost[i] < cost[j] or (cost[i] == cost[j] and item_of[i, i] < item_of[j, j])


PARAMETERS = {
    **copeland_rmed.COMMON_PARAMETERS,
    "ties": Parameter(
        "private",
        "what comes first among equals; private: an order drawn before round 1; index: the lower index, which "
        "tells the algorithm something where arms are not shuffled (Wu and Liu's Figure 4(c))",
        choices=("private", "index"),
    ),
}


ECW_RMED = Algorithm.of_module(
    __name__,
    "ecw-rmed",
    "ECW-RMED",
    "copeland",
    "Komiyama, Honda, Nakagawa 2016, Algorithm 1 (ECW)",
    trace_version=3,
    look=("black", "dash-dot", "d"),
    learns_from_any_pair=True,
    source="paper",
)
