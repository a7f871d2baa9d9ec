"""Line 8 of CW-RMED and ECW-RMED: the test (3) whether the duels so far prove that an arm is a Copeland winner.

A constraint says that a total weight is at least ln t. The least total weight of all constraints, the slack of an
estimated winner i1, is computed once after each duel, and i1 is proven as long as ln t does not exceed it.
"""

import math
from typing import NamedTuple

import numpy as np

from duelbench.bandits.algorithms.rmed.evidence import two_least
from duelbench.bandits.kernels.decorators import inlined, not_inlined
from duelbench.bandits.kernels.records import FloatPerArm, IntPerArm, record, with_zeros

NO_ARM = -1

CHECKS = ("R", "R-box", "E")
CAPPED, BOXED, EFFICIENT = 0, 1, 2  # indices of CHECKS


class Proofs(NamedTuple):
    """The estimated winners (the arms of least L_i) and the state of their proofs; arrays are updated in place."""

    winners: IntPerArm  # The estimated winners in private order; the first n_winners entries count.
    tally: np.ndarray  # (1,) record of `new_proofs`
    # For an estimated winner i1, the largest ln t at which it passes the test (3), or, if it has
    # failed, some smaller ln t.
    slack: FloatPerArm
    slack_version: IntPerArm  # The version of the duels that each entry of `slack` belongs to.
    # For each i1, the arm i2 that (3) was tested for last; if it failed, it is likely to fail for
    # the same arm again.
    rival: IntPerArm
    sums: np.ndarray  # (2, K) float64. Scratch.
    check: int  # Place in CHECKS of the set that the test uses


def new_proofs(n_arms: int, check: str) -> Proofs:
    """Return proofs in which nothing is listed or proven yet."""
    return with_zeros(
        Proofs,
        n_arms,
        tally=record(
            version=-1,  # of the signs that this and the list of winners belong to
            n_winners=0,
            fewest=0,  # L_(1)
            second=0,  # L_(2)
        ),
        slack_version=np.full(n_arms, -1),
        sums=np.zeros((2, n_arms)),
        check=CHECKS.index(check),
    )


@inlined
def confident_arm(core, log_t):
    """Line 8: return the first estimated winner, in private order, that the duels so far prove, or NO_ARM."""
    evidence = core.evidence
    proofs = core.proofs
    tally = proofs.tally[0]
    slack = proofs.slack
    if tally.version != evidence.version[0].signs:
        tally.version = evidence.version[0].signs
        _list_winners(evidence.losses, core.arm_order, proofs.winners, proofs.tally)
    if proofs.check == BOXED:
        for i in range(slack.size):
            if evidence.weight[i, evidence.by_weight[i, -1]] > log_t:
                return NO_ARM
    for k in range(tally.n_winners):
        i1 = proofs.winners[k]
        if proofs.slack_version[i1] != evidence.version[0].duels:
            proofs.slack_version[i1] = evidence.version[0].duels
            slack[i1] = _slack_down_to(evidence, i1, proofs, log_t)
        if log_t <= slack[i1]:
            return i1
    return NO_ARM


@not_inlined
def _list_winners(losses, arm_order, winners, tallies):
    """Record the estimated winners in private order, their number, L_(1) and L_(2)."""
    tally = tallies[0]
    tally.fewest, tally.second = two_least(losses)
    n = 0
    for i1 in arm_order:
        if losses[i1] == tally.fewest:
            winners[n] = i1
            n += 1
    tally.n_winners = n


@inlined
def _slack_down_to(evidence, i1, proofs, log_t):
    """Return the slack of i1, or an upper bound below ``log_t``: it stops at the first i2 that shows one."""
    n_arms = proofs.rival.size
    tally = proofs.tally[0]
    result = math.inf
    i2 = proofs.rival[i1]
    for _ in range(n_arms):
        if i2 != i1 and result >= log_t:
            if proofs.check == EFFICIENT:
                ahead_by = efficient_lead(evidence, i1, i2, proofs.sums)
            else:
                ahead_by = lead(evidence, i1, i2, tally.fewest, tally.second, proofs.sums)
            result = min(result, ahead_by)
            proofs.rival[i1] = i2
        i2 = i2 + 1 if i2 + 1 < n_arms else 0
    return result


@inlined
def lead(evidence, i1, i2, least, second, sums):
    """Return the lead of i1, of least L_i, over i2: the least total weight over the constraints of (2), or inf.

    Such a constraint is a set of pairs whose reversal would give i1 at least l + 1 superiors and i2 at most l:
    l + 1 - L_(1) inferiors of i1, and L_i2 - l superiors of i2 other than i1, one fewer if i2 is among those
    inferiors. For given l the lightest pairs matter.
    """
    a = sums[0]
    b = sums[1]
    losses_2 = evidence.losses[i2]
    weight = evidence.weight[i1, i2]
    flips = evidence.ahead[i1, i2] > 0
    n_a = _add_up(evidence, i1, 1, i2, second + 1 - least, a)
    n_b = _add_up(evidence, i2, -1, i1, losses_2 - max(0, least - 1), b)
    result = math.inf
    for level in range(max(0, least - 1), second + 1):
        n_i = level + 1 - least
        n_s = max(0, losses_2 - level)
        if n_i <= n_a and n_s <= n_b:
            result = min(result, a[n_i] + b[n_s])
        n_s = max(0, losses_2 - level - 1)
        if flips and 1 <= n_i <= n_a + 1 and n_s <= n_b:
            result = min(result, weight + a[n_i - 1] + b[n_s])
    return result


@inlined
def efficient_lead(evidence, i1, i2, sums):
    """Do the same as `lead` with (4) and (5): the pair itself if i1 beats i2, and L_i2 - L_i1 + 1 superiors."""
    result = evidence.weight[i1, i2] if evidence.ahead[i1, i2] > 0 else math.inf
    n_s = evidence.losses[i2] - evidence.losses[i1] + 1
    if n_s <= _add_up(evidence, i2, -1, i1, n_s, sums[1]):
        result = min(result, sums[1, n_s])
    return result


@inlined
def _add_up(evidence, i, ahead, excluded, most, sums):
    """Set sums[n] to the weight of the n <= ``most`` lightest pairs (i, j) of this sign; return the last n.

    Pairs with j = ``excluded`` do not count.
    """
    signs = evidence.ahead[i]
    weight = evidence.weight[i]
    n = 0
    total = 0.0
    sums[0] = 0.0
    for j in evidence.by_weight[i]:
        if n >= most:
            break
        counts = signs[j] == ahead and j != excluded
        total += weight[j] if counts else 0.0
        n += 1 if counts else 0
        sums[n] = total
    return n
