"""The common part of CW-RMED and ECW-RMED: Algorithm 1 of Komiyama, Honda and Nakagawa (ICML 2016), but for q*.

The arms of least L_i are the estimated Copeland winners; see `evidence` for L_i, `forced_draws` for line 4, `proofs`
for line 8, `candidate_lists` for L_C, L_R and L_N.
"""

import math
from typing import NamedTuple

import numpy as np

from duelbench.bandits.algorithms.contract import Parameter
from duelbench.bandits.algorithms.rmed import candidate_lists
from duelbench.bandits.algorithms.rmed.evidence import Evidence, add_duels, new_evidence, two_least
from duelbench.bandits.algorithms.rmed.forced_draws import NO_PAIR, Forced, forced_pair, mark, new_forced
from duelbench.bandits.algorithms.rmed.proofs import CHECKS, NO_ARM, Proofs, confident_arm, new_proofs
from duelbench.bandits.kernels.decorators import inlined, kernel
from duelbench.bandits.kernels.records import IntPerArm, IntPerPair, record
from duelbench.bandits.kernels.threshold_rounds import round_after

COMMON_PARAMETERS = {
    "alpha": Parameter(3.0, "a pair with fewer than alpha sqrt(ln t) duels is drawn at once", 0.0, low_open=True),
    "beta": Parameter(0.01, "a pair within beta / ln ln t of 1/2 is drawn at once", low=0.0),
    "forced": Parameter(
        "round",
        "round: such pairs are looked for in every round; loop: before each pass, each drawn once at most",
        choices=("round", "loop"),
    ),
    "check": Parameter(
        "R",
        "set of the test (3); R: (2), where draws beyond 1/d count as 1/d; R-box: (2) as printed, where no pair may "
        "have more; E: the smaller set of (4) and (5)",
        choices=CHECKS,
    ),
}


class Core(NamedTuple):
    """Memory between rounds, without the draws still required; arrays are updated in place."""

    evidence: Evidence  # see `evidence`
    forced: Forced  # see `forced_draws`
    proofs: Proofs  # see `proofs`
    lists: candidate_lists.CandidateLists  # of items: the pairs of different arms in private order, then self-pairs
    arms_of: np.ndarray  # (n_items, 2) int64. (i, j) of each item, with i > j, or i = j.
    item_of: IntPerPair  # The item of (i, j), and of (j, i).
    arm_order: IntPerArm  # The private order of the arms, in which ties are broken.
    memo: np.ndarray  # (1,) record of `new_core`


def new_core(n_arms, rng, alpha, beta, forced, check, ties="private"):
    """Memory before round 1; draws the private orders of the pairs (1, 0), (2, 0), (2, 1), ... and of the arms.

    With ``ties="index"`` nothing is drawn: the orders are those of this list and of the arms' indices.
    """
    listed = np.column_stack(np.tril_indices(n_arms, -1))
    n_pairs = len(listed)
    by_index = ties == "index"
    order = np.arange(n_pairs) if by_index else rng.permutation(n_pairs)
    arm_order = np.arange(n_arms) if by_index else rng.permutation(n_arms)
    arms_of = np.concatenate((listed[order], np.column_stack((arm_order, arm_order))))
    item_of = np.zeros((n_arms, n_arms), np.int64)
    item_of[arms_of[:, 0], arms_of[:, 1]] = np.arange(len(arms_of))
    item_of[arms_of[:, 1], arms_of[:, 0]] = np.arange(len(arms_of))
    return Core(
        evidence=new_evidence(n_arms),
        forced=new_forced(n_pairs, alpha, beta, every_round=forced == "round"),
        proofs=new_proofs(n_arms, check),
        lists=candidate_lists.new_lists(len(arms_of), n_pairs),
        arms_of=arms_of,
        item_of=item_of,
        arm_order=arm_order,
        memo=record(
            named=NO_ARM,  # the latest arm of line 9 or line 12, whose self-pair joined L_N
            stepped=False,  # whether the last round was a step of the pass that is not completed yet
        ),
    )


@inlined
def observe(core, first, second, first_wins, second_wins):
    """Count duels of two different arms; mark their pair, which may now be close to 1/2."""
    add_duels(core.evidence, first, second, first_wins, second_wins)
    mark(core.forced, core.item_of[first, second])


@inlined
def close_draw(core, log_t):
    """Lines 14 and 8, after the draw of the round before: `confident_arm`. (Line 14 matters for line 15 only.)"""
    core.memo[0].stepped = False
    core.lists.remaining[candidate_lists.present(core.lists)] = False
    return confident_arm(core, log_t)


@inlined
def advance_with(core, arm):
    """Lines 9, 12 and 15: add the self-pair of the assumed winner to L_N. Lines 5, 17-18: continue."""
    core.memo[0].named = arm
    item = core.item_of[arm, arm]
    if candidate_lists.is_open(core.lists, item):
        candidate_lists.add_to_next(core.lists, item)
    candidate_lists.advance(core.lists)


@inlined
def next_pair(core, t, confident):
    """Lines 4-6: return the pair of line 4, or the next pair of the pass, as (first, second, rounds).

    A lone self-pair (w, w) holds while w stays the first confident arm and line 4 requires nothing: confidence fails
    at the end of the first round t with ln t > slack, and later than now no arm before w becomes confident.
    """
    log_t = math.log(t)
    arms_of = core.arms_of
    item = forced_pair(core, t, log_t)  # line 4
    if item != NO_PAIR:
        return arms_of[item, 0], arms_of[item, 1], 1
    core.memo[0].stepped = True
    item = candidate_lists.present(core.lists)
    i = arms_of[item, 0]
    j = arms_of[item, 1]
    rounds = 1
    if i == j and i == confident and core.lists.place[0].n_current == 1:
        slack = core.proofs.slack[i]
        agenda = core.forced.agenda[0]
        if log_t <= slack and agenda.n_marked == 0:
            rounds = min(round_after(slack) + 1, agenda.due) - t
    return i, j, rounds


@kernel
def exploited_arm(core):
    """Return the arm named last if it is an estimated winner, else the first estimated winner in private order."""
    losses = core.evidence.losses
    fewest, _ = two_least(losses)
    named = core.memo[0].named
    if named != NO_ARM and losses[named] == fewest:
        return named
    for arm in core.arm_order:
        if losses[arm] == fewest:
            return arm
    return NO_ARM
