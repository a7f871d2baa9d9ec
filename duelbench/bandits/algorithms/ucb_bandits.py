"""Singleton bandit machines: ordinary bandits with rewards 0 or 1, to which dueling bandits can be reduced.

A machine chooses an arm and observes whether that arm was rewarded; its clock counts its observations. Several machines
share the arrays of one `Machines`.

References
----------
.. [1] N. Ailon, Z. Karnin, T. Joachims, "Reducing Dueling Bandits to Cardinal Bandits", ICML 2014, section 2.
"""

import math
from typing import NamedTuple

import numpy as np

from duelbench.bandits.algorithms.contract import Parameter
from duelbench.bandits.kernels.decorators import inlined, kernel
from duelbench.bandits.kernels.records import IntPerArm, with_zeros
from duelbench.bandits.kernels.sampling import draw_index

PARAMETERS = {
    "alpha": Parameter(
        3.0, "in the index of UCB machines, mean + sqrt((alpha + 2) ln t / (2 plays))", low=-2.0, low_open=True
    ),
    "unplayed": Parameter(None, "index of an arm that a machine never played; infinite unless given", low=0.0),
    "clock": Parameter(
        "own",
        "t of the index: own, the step of the machine, or round, as in a published program",
        choices=("own", "round"),
    ),
    "ties": Parameter(
        "random",
        "among arms of the largest index: random, or lowest index as in published programs",
        choices=("random", "lowest"),
    ),
}

NO_ARM = -1
ROUNDING = 1e-9  # Indices that differ by less than this fraction may be equal.

LONGEST = 2**20
"""After this many observations in a row, indices are computed again, so that rounding errors of `Machines.ahead` stay
far below `ROUNDING`."""

MANY = 16  # From this many arms on, vector instructions are faster.


class Machines(NamedTuple):
    """The memory of M machines about K arms; arrays are updated in place."""

    plays: np.ndarray  # (M, K) int64. The number of observations.
    rewards: np.ndarray  # (M, K) int64. The number of observed rewards 1.
    mean: np.ndarray  # (M, K) float64. rewards / plays; `unplayed` if an arm was never played.
    # (M, K) float64. sqrt(spread / plays), the factor of sqrt(ln t); 0 if an arm was never played.
    width: np.ndarray
    observed: np.ndarray  # (M,) int64. Row sums of plays.
    total: IntPerArm  # Column sums of plays.
    growth: np.ndarray  # (M,) float64. sqrt(ln t) for the number t of the machine's own next step.
    # (M, K) int32. If `unplayed` is infinite, the arms that a machine never played, in increasing order; the first
    # n_fresh entries of a row count.
    fresh: np.ndarray
    n_fresh: np.ndarray  # (M,) int64
    drawn: np.ndarray  # (M,) int64. Place in `fresh` of the arm that was drawn last.
    choice: np.ndarray  # (M,) int64. The latest arm that each machine chose by its index; NO_ARM before.
    # (M,) float64. If it is positive, only ``choice`` has the largest index. An observation of ``choice`` takes
    # ``cost`` from it, and a reward adds 1. Meanwhile ``mean`` and ``width`` of ``choice``, and ``growth``, may be out
    # of date. See `_get_ahead`.
    ahead: np.ndarray
    cost: np.ndarray  # (M,) float64. The amount that an observation of ``choice`` takes from ``ahead``.
    limit: np.ndarray  # (M,) int64. The largest ``observed`` for which ``ahead`` is valid.
    tied: IntPerArm  # Scratch: arms that share the largest index.
    # (K,) float64, (K,) int64. Scratch: the indices of one machine; the same memory.
    indices: np.ndarray
    bits: np.ndarray
    spread: float  # (alpha + 2) / 2
    unplayed: float  # Index of an unplayed arm; infinite in [1]_
    own_clock: bool  # Whether t is the number of the machine's own step, as in [1]_, and not the round
    lowest: bool  # Whether ties go to the lowest index instead of a random arm


def new_machines(n_machines, n_arms, alpha=3.0, unplayed=None, clock="own", ties="random"):
    """Return machines without observations."""
    never_played = math.inf if unplayed is None else unplayed
    indices = np.zeros(n_arms)
    return with_zeros(
        Machines,
        n_arms,
        plays=np.zeros((n_machines, n_arms), np.int64),
        rewards=np.zeros((n_machines, n_arms), np.int64),
        mean=np.full((n_machines, n_arms), never_played),
        width=np.zeros((n_machines, n_arms)),
        observed=np.zeros(n_machines, np.int64),
        growth=np.zeros(n_machines),
        fresh=np.tile(np.arange(n_arms, dtype=np.int32), (n_machines, 1)),
        n_fresh=np.full(n_machines, n_arms if never_played == math.inf else 0),
        drawn=np.zeros(n_machines, np.int64),
        choice=np.full(n_machines, NO_ARM),
        ahead=np.zeros(n_machines),
        cost=np.ones(n_machines),
        limit=np.zeros(n_machines, np.int64),
        indices=indices,
        bits=indices.view(np.int64),
        spread=(alpha + 2) / 2,
        unplayed=never_played,
        own_clock=clock == "own",
        lowest=ties == "lowest",
    )


@kernel
def reset(machines, m):
    """Make machine ``m`` forget everything."""
    for i in range(machines.plays.shape[1]):
        machines.total[i] -= machines.plays[m, i]
        machines.plays[m, i] = 0
        machines.rewards[m, i] = 0
        machines.mean[m, i] = machines.unplayed
        machines.width[m, i] = 0.0
        machines.fresh[m, i] = i
    machines.n_fresh[m] = machines.plays.shape[1] if machines.unplayed == math.inf else 0
    machines.observed[m] = 0
    machines.growth[m] = 0.0
    machines.choice[m] = NO_ARM
    machines.ahead[m] = 0.0


@inlined
def observe(machines, m, arm, rewards, failures):
    """Let machine ``m`` observe ``rewards`` rewards 1 and ``failures`` rewards 0 of ``arm``."""
    if machines.plays[m, arm] == 0 and machines.n_fresh[m] > 0:
        _remove_fresh(machines, m, arm)
    machines.observed[m] += rewards + failures
    machines.total[arm] += rewards + failures
    machines.rewards[m, arm] += rewards
    machines.plays[m, arm] += rewards + failures
    last = machines.choice[m]
    if machines.ahead[m] > 0.0:
        if arm == last and machines.observed[m] <= machines.limit[m]:
            machines.ahead[m] += rewards - (rewards + failures) * machines.cost[m]
            if machines.ahead[m] > 0.0:
                return
        machines.ahead[m] = 0.0
        if arm != last:  # observed late
            _average(machines, m, last)
    _average(machines, m, arm)
    machines.growth[m] = math.sqrt(math.log(machines.observed[m] + 1))


@inlined
def _average(machines, m, arm):
    """Compute mean and width of a played arm."""
    plays = machines.plays[m, arm]
    machines.mean[m, arm] = machines.rewards[m, arm] / plays
    machines.width[m, arm] = math.sqrt(machines.spread / plays)


@kernel
def _remove_fresh(machines, m, arm):
    """Remove ``arm`` from the arms that machine ``m`` never played."""
    fresh = machines.fresh[m]
    machines.n_fresh[m] -= 1
    k = machines.drawn[m]
    if k > machines.n_fresh[m] or fresh[k] != arm:  # observed late, and others were drawn since
        k = 0
        while fresh[k] != arm:
            k += 1
    for place in range(k, machines.n_fresh[m]):
        fresh[place] = fresh[place + 1]


@inlined
def largest_index(machines, m, t, rng):
    """Return the arm that machine ``m`` (SBM-UCB) chooses in round ``t``: the largest index, ties at random."""
    if machines.ahead[m] > 0.0:
        return machines.choice[m]
    if machines.n_fresh[m] > 0:
        machines.drawn[m] = 0 if machines.lowest else draw_index(machines.n_fresh[m], rng)
        return np.int64(machines.fresh[m, machines.drawn[m]])
    mean = machines.mean[m]
    width = machines.width[m]
    growth = machines.growth[m] if machines.own_clock else math.sqrt(math.log(t))
    if machines.tied.size < MANY:
        count, rival = _list_among_few(mean, width, growth, machines.tied)
    else:
        count, rival = _list_among_many(mean, width, growth, machines.indices, machines.bits, machines.tied)
    arm = machines.tied[0 if machines.lowest else draw_index(count, rng)]
    if count == 1 and machines.own_clock:
        _get_ahead(machines, m, arm, rival)
    machines.choice[m] = arm
    return arm


@inlined
def _get_ahead(machines, m, arm, rival):
    """Compute how long the index of ``arm`` surely stays above all others, the largest of which is ``rival``.

    After k <= plays / 4 more observations with w rewards its index is at least mean + (w - k mean) / (plays + k)
    + width sqrt(ln t) (1 - k / (2 plays)), and all others are at most rival + k rise: the difference, times plays + k,
    is at least ahead + w - k cost.
    """
    plays = machines.plays[m, arm]
    growth = machines.growth[m]
    t = machines.observed[m] + 1
    mean = machines.mean[m, arm]
    bonus = machines.width[m, arm] * growth
    index = mean + bonus
    rise = 0.5 * rival / (t * growth * growth)
    machines.ahead[m] = plays * (index - rival - ROUNDING * index)
    machines.cost[m] = mean + 1.25 * (0.5 * bonus + plays * rise)
    machines.limit[m] = machines.observed[m] + min(plays // 4, LONGEST)


@inlined
def sure_rounds(machines, m):
    """Return for how many rounds machine ``m`` surely chooses the arm that `largest_index` has just returned."""
    if machines.ahead[m] <= 0.0:
        return 1
    failures = int(machines.ahead[m] / machines.cost[m])
    return 1 + min(failures, machines.limit[m] - machines.observed[m])


@inlined
def _list_among_few(mean, width, growth, tied):
    """List the arms with the largest mean + width growth, lowest first; return how many, and the second largest."""
    largest = second = -math.inf
    count = 0
    for i in range(mean.size):
        index = mean[i] + width[i] * growth
        count = 0 if index > largest else count
        tied[count] = i
        count += index >= largest
        lesser = largest if index > largest else index
        second = lesser if lesser > second else second
        largest = index if index > largest else largest
    return count, second


@inlined
def _list_among_many(mean, width, growth, indices, bits, tied):
    """Do the same with vector instructions: the bits of numbers >= 0, read as integers, have the same order."""
    for i in range(indices.size):
        indices[i] = mean[i] + width[i] * growth
    largest = bits[0]
    for i in range(bits.size):
        largest = max(largest, bits[i])
    count = where = 0
    for i in range(bits.size):
        count += bits[i] == largest
        where += i if bits[i] == largest else 0
    tied[0] = where
    if count > 1:
        count = 0
        for i in range(bits.size):
            tied[count] = i
            count += bits[i] == largest
        return count, indices[tied[0]]
    second = 0
    for i in range(bits.size):
        second = max(second, bits[i] if bits[i] != largest else 0)
    bits[0] = second
    return count, indices[0]


@kernel
def largest_sample(rewards, failures, weight, rng):
    """Return the arm with the largest of the samples theta_i ~ Beta(1 + weight rewards[i], 1 + weight failures[i])."""
    best = 0
    largest = -1.0
    for i in range(rewards.size):
        theta = rng.beta(1.0 + weight * rewards[i], 1.0 + weight * failures[i])
        if theta > largest:
            largest = theta
            best = i
    return best
