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
from duelbench.bandits.algorithms.rmed import copeland_rmed, ecw_rmed_costs
from duelbench.bandits.algorithms.rmed.candidate_lists import add_to_next, is_open, present
from duelbench.bandits.algorithms.rmed.ecw_rmed_costs import SURELY, Costs
from duelbench.bandits.algorithms.rmed.proofs import NO_ARM
from duelbench.bandits.kernels.decorators import inlined, kernel, not_inlined
from duelbench.bandits.kernels.records import FloatPerPair, record


class State(NamedTuple):
    """Memory between rounds: that of Algorithm 1, and the proof that line 11 requires."""

    core: copeland_rmed.Core  # the memory of Algorithm 1
    costs: Costs  # The costs of the pairs of each arm with its superiors
    choice: np.ndarray  # (1,) record of `start`
    share: FloatPerPair  # Scratch: e = q* d of the pairs i > j.


def start(n_arms, horizon, rng, standing, *, alpha, beta, forced, check, ties):
    """Lines 1-2; draws the private orders of the pairs and of the arms, if they are to be private."""
    return State(
        core=copeland_rmed.new_core(n_arms, rng, alpha, beta, forced, check, ties),
        costs=ecw_rmed_costs.new_costs(n_arms),
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
    ecw_rmed_costs.keep_costs(core.evidence, core.item_of, state.costs, first, second, before)


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
        ecw_rmed_costs.compute_costs(evidence, item_of, costs, tally.fewest)
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
