"""CW-RMED with several estimated winners: their cheapest proofs without a linear program.

In this case (2) is equivalent to (4) and (5), which Theorem 5 solves: see the page of CW-RMED, "The rule". With one
estimated winner, shares that satisfy (4) and (5) also satisfy (2), but usually cost more.
"""

import math

from duelbench.bandits.algorithms.rmed.proofs import NO_ARM
from duelbench.bandits.kernels.decorators import inlined, not_inlined

ROUNDING = 1e-9  # Numbers that differ by less than this, relatively, count as equal.


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
