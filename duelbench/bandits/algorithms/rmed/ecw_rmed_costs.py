"""The costs of the draws of ECW-RMED, updated after each duel to save time; this changes no decision.

Row i2 has the pairs of arm i2 with its superiors j, at c_ij = r_ij / d_ij, cheapest first: Theorem 5 takes the pairs of
a proof from the front of the row. A duel that changes no sign changes one cost, in the row of the arm that is behind; a
duel that changes signs changes L of its arms, and so their rows and their entries in other rows, or all rows if L_(1)
changes. Rows are the same, to the last bit, as if they were computed anew.
"""

import math
from typing import NamedTuple

import numpy as np

from duelbench.bandits.kernels.decorators import inlined, not_inlined
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


class Costs(NamedTuple):
    """The rows; arrays are updated in place."""

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


def new_costs(n_arms: int) -> Costs:
    """Return costs that belong to no evidence yet."""
    return with_zeros(
        Costs,
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
