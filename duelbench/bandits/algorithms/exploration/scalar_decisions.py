"""Decisions about N unknown means: the best arm, the (m + 1)-th best, how many lie in an interval.

Of the paper of `savage`: sections 2 and 3.1, appendix B.5 of the extended version. Ties go to the lowest index.
"""

import math
from typing import NamedTuple

import numpy as np

from duelbench.bandits.algorithms.contract import Parameter
from duelbench.bandits.algorithms.exploration.parameter_sets import drop
from duelbench.bandits.kernels.decorators import inlined, kernel
from duelbench.bandits.kernels.sampling import draw_highest, highest
from duelbench.bandits.problem.decision_rule import Decision, Hooks
from duelbench.errors import InputError, nearest


class Argmax(NamedTuple):
    """f(x) = argmax x."""

    lowest_high: np.ndarray  # (1,) float64. The lowest b_i of W since the last test.
    highest_low: np.ndarray  # (1,) float64. The highest a_i of all since the last test.


def start_argmax(n_parameters):
    """Return the decision before the first sample."""
    return Argmax(np.ones(1), np.zeros(1))


@kernel
def decide_argmax(decision, values):
    """Return the parameter with the highest value."""
    return highest(values)


@inlined
def follow_argmax(decision, values, e, before, d):
    """Return the parameter with the highest value; all values are compared only if that of the leader has fallen."""
    if e == d:
        return highest(values) if values[e] < before else d
    return e if values[e] > values[d] or (values[e] == values[d] and e < d) else d


@kernel
def independent_argmax(decision, low, high, e):
    """Return whether e is surely not better than some other parameter, or surely as good as all others."""
    other_low = -math.inf
    other_high = -math.inf
    for k in range(low.size):
        if k != e:
            other_low = max(other_low, low[k])
            other_high = max(other_high, high[k])
    return high[e] <= other_low or other_high <= low[e]


@inlined
def narrowed_argmax(decision, explored, e, low, high):
    """Update the extremes."""
    decision.lowest_high[0] = min(decision.lowest_high[0], explored.high[e])
    decision.highest_low[0] = max(decision.highest_low[0], explored.low[e])


@inlined
def revise_argmax(decision, explored):
    """Test W unless the lowest b_i is above the highest a_i, as no test can succeed then; return whether it tested."""
    if decision.lowest_high[0] > decision.highest_low[0]:
        return False
    _drop_surely_ranked(decision, explored)
    return True


@kernel
def _drop_surely_ranked(decision, explored):
    """Test those of W that the highest a of all does not rule out."""
    low = explored.low
    high = explored.high
    highest_low = low[highest(low)]
    lowest_high = math.inf
    for k in range(explored.place[0].n_listed):
        i = explored.listed[k]
        may_be = high[i] <= highest_low or low[i] == highest_low
        if may_be and not explored.gone[i] and independent_argmax(decision, low, high, i):
            drop(explored, i)
        if not explored.gone[i]:
            lowest_high = min(lowest_high, high[i])
    # A single arm leaves when it is surely better than all others, and they are not in W: it is tested every time.
    decision.lowest_high[0] = lowest_high if explored.place[0].n_left > 1 else -math.inf
    decision.highest_low[0] = highest_low


@kernel
def bound_argmax(decision, low, high):
    """Return the parameter of highest lower or upper bound, whichever another may exceed by less, and by how much."""
    d = highest(low)
    loss = _most_missing(low, high, d)
    optimistic = highest(high)
    if optimistic != d and loss > 0.0:
        optimistic_loss = _most_missing(low, high, optimistic)
        if optimistic_loss < loss:
            return optimistic, optimistic_loss
    return d, loss


@kernel
def _most_missing(low, high, d):
    """Return by how much another parameter may exceed d."""
    missing = 0.0
    for i in range(high.size):
        if i != d:
            missing = max(missing, high[i] - low[d])
    return missing


@kernel
def conclude_argmax(decision, explored, values, rng):
    """Return a parameter of the highest mean, at random."""
    return draw_highest(values, rng)


def losses_argmax(means):
    """Return how much lower each mean is than the highest."""
    return means.max() - means


ARGMAX = Decision(
    name="argmax",
    description="the arm with the highest mean",
    decide=decide_argmax,
    losses=losses_argmax,
    independent=independent_argmax,
    bound=bound_argmax,
    start=start_argmax,
    state=Argmax,
    compiled=True,
    hooks=Hooks(follow=follow_argmax, narrowed=narrowed_argmax, revise=revise_argmax, conclude=conclude_argmax),
)


class Rigged(NamedTuple):
    """f(x) = the (m + 1)-th best: the m best are rigged and worth nothing."""

    m: int
    top: np.ndarray  # (m + 2,) int64, or (N,) if that is less. Scratch: the first of some order.


def start_rigged(n_parameters, *, m):
    """Return the decision before the first sample."""
    if n_parameters <= m:
        raise ValueError(f"rigged: m = {m} leaves nothing of {n_parameters} means; it must be less than their number")
    return Rigged(m, np.zeros(min(m + 2, n_parameters), np.int64))


@kernel
def decide_rigged(decision, values):
    """Return the parameter at place m + 1 in decreasing order of values; equal ones in increasing order."""
    _first_in_order(decision.top, values)
    return decision.top[decision.m]


@kernel
def _first_in_order(top, values):
    """Fill ``top`` with the indices of the highest values in decreasing order; equal ones by increasing index."""
    n_top = 0
    for i in range(values.size):
        if n_top == top.size and values[i] <= values[top[n_top - 1]]:
            continue
        place = n_top if n_top < top.size else n_top - 1
        while place > 0 and values[i] > values[top[place - 1]]:
            if place < top.size:
                top[place] = top[place - 1]
            place -= 1
        top[place] = i
        n_top = min(n_top + 1, top.size)


@kernel
def independent_rigged(decision, low, high, e):
    """Return whether e is surely not among the m + 1 best, or surely among the m best.

    As in the paper, this is False if e surely is f.
    """
    above = 0
    below = 0
    for k in range(low.size):
        if k != e:
            above += high[e] <= low[k]
            below += high[k] <= low[e]
    return above >= decision.m + 1 or below >= low.size - decision.m


@kernel
def bound_rigged(decision, low, high):
    """Return the parameter that costs least at worst, and how much that is."""
    m = decision.m
    top = decision.top
    _first_in_order(top, low)
    sure_above = low[top[m - 1]] if m > 0 else math.inf
    _first_in_order(top, high)
    at = high[top[m]]  # the (m + 1)-th and the (m + 2)-th highest of all
    after = high[top[m + 1]] if top.size > m + 1 else -math.inf
    best = 0
    loss = math.inf
    for d in range(low.size):
        cost = max(0.0, (after if high[d] >= at else at) - low[d])  # to the (m + 1)-th best of the others
        if high[d] >= sure_above:  # among the m best d is worth nothing
            cost = max(cost, min(high[d], at))
        if cost < loss:
            best = d
            loss = cost
    return best, loss


@inlined
def follow_rigged(decision, values, e, before, d):
    """Return f(x), which is the same as long as the changed value stays on the same side of it."""
    mark = values[d]
    was_above = before > mark or (before == mark and e < d)
    if e != d and was_above == (values[e] > mark or (values[e] == mark and e < d)):
        return d
    return decide_rigged(decision, values)


@inlined
def worth_rigged(decision, values, e, d):
    """Return the worth of e: 0 if it is among the m best."""
    is_among_best = values[e] > values[d] or (values[e] == values[d] and e < d)
    return 0.0 if is_among_best else values[e]


@kernel
def revise_rigged(decision, explored):
    """Test those of W that the (m + 1)-th highest a and the (N - m)-th lowest b of all parameters do not rule out."""
    low = explored.low
    high = explored.high
    _first_in_order(decision.top, low)
    enough_above = low[decision.top[decision.m]]
    _first_in_order(decision.top, high)
    enough_below = high[decision.top[decision.m]]
    for k in range(explored.place[0].n_listed):
        i = explored.listed[k]
        may_be = high[i] <= enough_above or enough_below <= low[i]
        if may_be and not explored.gone[i] and independent_rigged(decision, low, high, i):
            drop(explored, i)
    return True


def losses_rigged(means, *, m):
    """Return the worth of the (m + 1)-th best minus the worth of each: the m best are worth nothing."""
    worth = means.copy()
    order = np.argsort(-means, kind="stable")
    worth[order[:m]] = 0.0
    return worth[order[m]] - worth


RIGGED = Decision(
    name="rigged",
    description="the arm with the (m + 1)-th highest mean; the m highest are rigged and worth nothing",
    decide=decide_rigged,
    losses=losses_rigged,
    independent=independent_rigged,
    bound=bound_rigged,
    parameters={"m": Parameter(4, "how many arms are rigged", low=0)},
    start=start_rigged,
    state=Rigged,
    compiled=True,
    hooks=Hooks(follow=follow_rigged, worth=worth_rigged, revise=revise_rigged),
)


class Counting(NamedTuple):
    """f(x) = how many x_i lie strictly between ``above`` and ``below``."""

    above: float
    below: float


def start_counting(n_parameters, *, above, below):
    """Return the decision before the first sample."""
    if not above < below:
        raise ValueError(f"counting: above = {above:g} must be less than below = {below:g}")
    return Counting(above, below)


@kernel
def decide_counting(decision, values):
    """Return how many values lie in the interval."""
    inside = 0
    for i in range(values.size):
        inside += decision.above < values[i] < decision.below
    return inside


@kernel
def independent_counting(decision, low, high, e):
    """Return whether the value is surely inside or surely outside the interval."""
    is_outside = high[e] <= decision.above or low[e] >= decision.below
    return is_outside or (low[e] > decision.above and high[e] < decision.below)


@kernel
def bound_counting(decision, low, high):
    """Return the middle of how many are surely and possibly inside, and how far off it may be."""
    sure = 0
    possible = 0
    for i in range(low.size):
        sure += low[i] > decision.above and high[i] < decision.below
        possible += high[i] > decision.above and low[i] < decision.below
    d = (sure + possible) // 2
    return d, float(possible - d)


@inlined
def follow_counting(decision, values, e, before, d):
    """Return the count after one value may have entered or left the interval."""
    comes_in = int(decision.above < values[e] < decision.below)
    return d + comes_in - int(decision.above < before < decision.below)


def losses_counting(means, *, above, below):
    """Return how far each number from 0 to N is from the right one."""
    right = np.count_nonzero((above < means) & (means < below))
    return np.abs(np.arange(means.size + 1) - right).astype(np.float64)


COUNTING = Decision(
    name="counting",
    description="how many means lie between two values",
    decide=decide_counting,
    losses=losses_counting,
    independent=independent_counting,
    bound=bound_counting,
    parameters={
        "above": Parameter(0.4, "lower end of the interval, not in it", low=0.0, high=1.0),
        "below": Parameter(0.6, "upper end of the interval, not in it", low=0.0, high=1.0),
    },
    names_parameter=False,
    start=start_counting,
    state=Counting,
    compiled=True,
    hooks=Hooks(follow=follow_counting),
)


DECISIONS: dict[str, Decision] = {decision.name: decision for decision in (ARGMAX, RIGGED, COUNTING)}


def get(name: str) -> Decision:
    """Return the decision called ``name``; an InputError if there is none, naming the nearest.

    Examples
    --------
    >>> get("rigged").resolve({"m": 2})
    {'m': 2}
    """
    if name not in DECISIONS:
        hint = nearest(name, DECISIONS) or f" (there are {', '.join(DECISIONS)})"
        raise InputError(f"there is no decision '{name}'{hint}")
    return DECISIONS[name]
