"""Pure exploration: unknown probabilities that are sampled in turn, their intervals, and the set of undecided ones.

SAVAGE, preference-based racing and rank elicitation share this. A parameter is a probability mu_e, and a duel is a
sample of it. The parameters of the set W are sampled in increasing order, sweep after sweep.
"""

import math
from typing import NamedTuple

import numpy as np

from duelbench.bandits.algorithms.contract import Parameter
from duelbench.bandits.kernels.decorators import inlined, kernel
from duelbench.bandits.kernels.records import record

NO_ARM = -1

DELTA = Parameter(None, "failure probability; 1/T unless given", low=0.0, high=1.0, low_open=True, high_open=True)


class Exploration(NamedTuple):
    """The samples and intervals of N parameters, and whose turn it is."""

    samples: np.ndarray  # (N,) int64. t_e: samples of parameter e.
    ones: np.ndarray  # (N,) int64. How many of them were 1.
    low: np.ndarray  # (N,) float64. a_e of the interval [a_e, b_e]; at first 0.
    high: np.ndarray  # (N,) float64. b_e; at first 1.
    listed: np.ndarray  # (N,) int64. W at the start of this sweep, in increasing order; the first n_listed count.
    gone: np.ndarray  # (N,) bool. Which of them have left W since.
    place: np.ndarray  # (1,) record of `new_exploration`
    log_term: float  # ln(eta / delta) = log_term + power ln t_e; see `radius`
    power: float
    nested: bool  # Whether an interval is intersected with all earlier ones


def new_exploration(n_parameters: int, log_term: float, power: float = 0.0, nested: bool = False) -> Exploration:
    """Return the state before the first sample: W holds all parameters."""
    return Exploration(
        samples=np.zeros(n_parameters, np.int64),
        ones=np.zeros(n_parameters, np.int64),
        low=np.zeros(n_parameters),
        high=np.ones(n_parameters),
        listed=np.arange(n_parameters),
        gone=np.zeros(n_parameters, np.bool_),
        place=record(
            cursor=0,  # place in the list of the parameter whose turn is next
            n_listed=n_parameters,
            n_left=n_parameters,  # the size of W
            sweep=0,  # sweeps completed before this one
        ),
        log_term=log_term,
        power=power,
        nested=nested,
    )


@kernel
def radius(samples, log_term, power):
    """c(t) = sqrt(ln(eta / delta) / (2t)), half the width of an interval; ln(eta / delta) = log_term + power ln t."""
    if power > 0.0:
        log_term += power * math.log(samples)
    return math.sqrt(log_term / (2 * samples))


@inlined
def add_samples(explored, e, ones, zeros):
    """Count samples of parameter e and revise its interval; of an empty one, keep the point nearest to the mean."""
    explored.ones[e] += ones
    explored.samples[e] += ones + zeros
    mean = explored.ones[e] / explored.samples[e]
    c = radius(explored.samples[e], explored.log_term, explored.power)
    low = max(0.0, mean - c)
    high = min(1.0, mean + c)
    if explored.nested:
        former_low = explored.low[e]
        former_high = explored.high[e]
        low = max(low, former_low)
        high = min(high, former_high)
        if low > high:
            low = high = min(max(mean, former_low), former_high)
    explored.low[e] = low
    explored.high[e] = high


@inlined
def sweep_is_over(explored):
    """Return whether the last parameter of the list has had its turn (before the first sweep: no)."""
    return explored.place[0].cursor == explored.place[0].n_listed


@inlined
def is_due(explored, test_every):
    """Return whether to revise W now: always for ``test_every`` = 0, else after every ``test_every`` sweeps."""
    return test_every == 0 or (sweep_is_over(explored) and (explored.place[0].sweep + 1) % test_every == 0)


@inlined
def next_parameter(explored):
    """Return the parameter of W whose turn it is, and on to the next; W must not be empty."""
    place = explored.place[0]
    while True:
        if place.cursor == place.n_listed:
            _begin_sweep(explored)
        e = explored.listed[place.cursor]
        place.cursor += 1
        if not explored.gone[e]:
            break
    return e


@kernel
def _begin_sweep(explored):
    """Start over with the parameters that are left."""
    place = explored.place[0]
    if place.n_left < place.n_listed:
        kept = 0
        for k in range(place.n_listed):
            e = explored.listed[k]
            if not explored.gone[e]:
                explored.listed[kept] = e
                kept += 1
        place.n_listed = kept
    place.cursor = 0
    place.sweep += 1


@inlined
def drop(explored, e):
    """Drop e from W, and continue the sweep."""
    if not explored.gone[e]:
        explored.gone[e] = True
        explored.place[0].n_left -= 1


class Certain(NamedTuple):
    """The certain results of K arms whose pairs i < j, in lexicographic order, are the parameters."""

    arms: np.ndarray  # (N, 2) int64. i and j of each pair.
    sure: np.ndarray  # (K,) int64. How many arms i surely beats: #{j : a_ij > 1/2}, with a_ji = 1 - b_ij.
    possible: np.ndarray  # (K,) int64. How many arms i may beat: those that do not surely beat it.
    changes: np.ndarray  # (1,) record: how many pairs changed since the last tests (n_flips), and which did last.


def new_certain(n_arms: int) -> Certain:
    """Return the certain results before the first duel: everything is possible and nothing sure."""
    return Certain(
        arms=all_pairs(n_arms),
        sure=np.zeros(n_arms, np.int64),
        possible=np.full(n_arms, n_arms - 1),
        changes=record(n_flips=0, last_flip=0),
    )


def all_pairs(n_arms: int) -> np.ndarray:
    """Return the pairs i < j in lexicographic order, (N, 2) int64."""
    return np.column_stack(np.triu_indices(n_arms, 1))


@inlined
def pair_number(i, j, n_arms):
    """Return the place of the pair i < j among all pairs in lexicographic order."""
    return i * (2 * n_arms - i - 1) // 2 + j - i - 1


@kernel
def settled(low, high):
    """Return 1 if i surely beats j (a > 1/2), -1 if j surely beats i (b < 1/2), else 0."""
    if low > 0.5:
        return 1
    return -1 if high < 0.5 else 0


@inlined
def count_narrowed(certain, explored, e, low, high):
    """Count a change in what is certain about pair e, whose interval was [low, high]."""
    before = settled(low, high)
    after = settled(explored.low[e], explored.high[e])
    if after != before:
        _count(certain, certain.arms[e, 0], certain.arms[e, 1], before, -1)
        _count(certain, certain.arms[e, 0], certain.arms[e, 1], after, 1)
        certain.changes[0].n_flips += 1
        certain.changes[0].last_flip = e


@kernel
def _count(known, i, j, outcome, sign):
    """Add the certain result of the pair i < j to the counts (``sign`` = 1), or subtract it (-1)."""
    if outcome == 1:
        known.sure[i] += sign
        known.possible[j] -= sign
    elif outcome == -1:
        known.sure[j] += sign
        known.possible[i] -= sign
