"""Singleton bandit machines: ordinary bandits with rewards 0 or 1, to which dueling bandits can be reduced.

A machine is asked for an arm and observes whether that arm was rewarded; its clock counts what it has observed.
Several machines share the arrays of one `Machines`.

References
----------
.. [1] N. Ailon, Z. Karnin, T. Joachims, "Reducing Dueling Bandits to Cardinal Bandits", ICML 2014, section 2.
"""

import math
from typing import NamedTuple

import numpy as np

from duelbench.algorithms.contract import Parameter
from duelbench.kernels.decorators import inlined, kernel
from duelbench.kernels.sampling import draw_index

ALPHA = Parameter(
    3.0, "of the UCB machines, whose index is mean + sqrt((alpha + 2) ln t / (2 plays))", low=-2.0, low_open=True
)
UNPLAYED = Parameter(None, "index of an arm that a machine never played; infinite unless given", low=0.0)
CLOCK = Parameter(
    "own", "t of the index: own, the step of the machine, or round, as in a published program", choices=("own", "round")
)
TIES = Parameter(
    "random",
    "among arms of the largest index: random, or lowest index as in published programs",
    choices=("random", "lowest"),
)


class Machines(NamedTuple):
    """What M machines remember of K arms; arrays are updated in place.

    plays, rewards : (M, K) int64. Rewards that were observed, and how many of them were 1.
    mean : (M, K) float64. rewards / plays; `unplayed` where an arm was never played.
    width : (M, K) float64. sqrt(spread / plays), to be multiplied by sqrt(ln t); 0 where an arm was never played.
    observed : (M,) int64. Row sums of plays.
    total : (K,) int64. Column sums of plays.
    growth : (M,) float64. sqrt(ln t), t being the number of the machine's own next step.
    fresh : (M, K) int32. Arms that a machine never played, in increasing order, where their index is infinite; the
        first n_fresh entries of a row count.
    n_fresh : (M,) int64.
    drawn : (M,) int64. Place in `fresh` of the arm that was drawn last.
    choice : (M,) int64. The arm that each machine asked for last, unplayed ones left out.
    steady : (M,) bool. Whether it had asked for the same arm before.
    tied : (K,) int64. Scratch: arms that share the largest index.
    spread : float. (alpha + 2) / 2.
    unplayed : float. Index of an unplayed arm; infinite in [1]_.
    own_clock : bool. Whether t is the number of the machine's own step, as in [1]_, and not the round.
    lowest : bool. Whether ties go to the lowest index and not to chance.
    """

    plays: np.ndarray
    rewards: np.ndarray
    mean: np.ndarray
    width: np.ndarray
    observed: np.ndarray
    total: np.ndarray
    growth: np.ndarray
    fresh: np.ndarray
    n_fresh: np.ndarray
    drawn: np.ndarray
    choice: np.ndarray
    steady: np.ndarray
    tied: np.ndarray
    spread: float
    unplayed: float
    own_clock: bool
    lowest: bool


def new_machines(
    n_machines: int,
    n_arms: int,
    alpha: float = 3.0,
    unplayed: float | None = None,
    clock: str = "own",
    ties: str = "random",
) -> Machines:
    """Machines that know nothing.

    Examples
    --------
    >>> new_machines(1, 2).mean.tolist(), new_machines(1, 2, unplayed=1.0).mean.tolist()
    ([[inf, inf]], [[1.0, 1.0]])
    """
    index = math.inf if unplayed is None else unplayed
    return Machines(
        plays=np.zeros((n_machines, n_arms), np.int64),
        rewards=np.zeros((n_machines, n_arms), np.int64),
        mean=np.full((n_machines, n_arms), index),
        width=np.zeros((n_machines, n_arms)),
        observed=np.zeros(n_machines, np.int64),
        total=np.zeros(n_arms, np.int64),
        growth=np.zeros(n_machines),
        fresh=np.tile(np.arange(n_arms, dtype=np.int32), (n_machines, 1)),
        n_fresh=np.full(n_machines, n_arms if index == math.inf else 0),
        drawn=np.zeros(n_machines, np.int64),
        choice=np.zeros(n_machines, np.int64),
        steady=np.zeros(n_machines, np.bool_),
        tied=np.zeros(n_arms, np.int64),
        spread=(alpha + 2) / 2,
        unplayed=index,
        own_clock=clock == "own",
        lowest=ties == "lowest",
    )


@kernel
def reset(machines, m):
    """Machine ``m`` forgets everything."""
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


@inlined
def observe(machines, m, arm, rewards, blanks):
    """Machine ``m`` observes that ``arm`` was rewarded ``rewards`` times, and not rewarded ``blanks`` times."""
    if machines.plays[m, arm] == 0 and machines.n_fresh[m] > 0:
        _strike(machines, m, arm)
    machines.observed[m] += rewards + blanks
    machines.total[arm] += rewards + blanks
    machines.rewards[m, arm] += rewards
    machines.plays[m, arm] += rewards + blanks
    plays = machines.plays[m, arm]
    machines.mean[m, arm] = machines.rewards[m, arm] / plays
    machines.width[m, arm] = math.sqrt(machines.spread / plays)
    machines.growth[m] = math.sqrt(math.log(machines.observed[m] + 1))


@kernel
def _strike(machines, m, arm):
    """``arm`` is not unplayed any more."""
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
    """The arm that machine ``m`` (SBM-UCB) asks for in round ``t``: the one with the largest index.

    Drawn, where several arms share the largest index: one of them, uniformly in increasing index. Unplayed arms share
    an infinite one.

    Examples
    --------
    Arm 0 was rewarded, arm 1 was not, and arm 2 is unplayed. After a reward for arm 2, it is on a par with arm 0.

    >>> machines = new_machines(1, 3)
    >>> observe(machines, 0, 0, 1, 0)
    >>> observe(machines, 0, 1, 0, 1)
    >>> rng = np.random.default_rng(0)
    >>> int(largest_index(machines, 0, 3, rng))
    2
    >>> observe(machines, 0, 2, 1, 0)
    >>> sorted({int(largest_index(machines, 0, 4, rng)) for _ in range(100)})
    [0, 2]
    """
    if machines.n_fresh[m] > 0:
        machines.drawn[m] = 0 if machines.lowest else draw_index(machines.n_fresh[m], rng)
        return np.int64(machines.fresh[m, machines.drawn[m]])
    growth = machines.growth[m] if machines.own_clock else math.sqrt(math.log(t))
    last = machines.choice[m]
    if machines.steady[m] and _is_largest(machines.mean[m], machines.width[m], growth, last):
        return last
    count = _list_largest(machines.mean[m], machines.width[m], growth, machines.tied)
    arm = machines.tied[0 if machines.lowest else draw_index(count, rng)]
    machines.steady[m] = arm == last
    machines.choice[m] = arm
    return arm


@inlined
def _is_largest(mean, width, growth, arm):
    """Whether mean + width growth of ``arm`` is larger than that of all others. Quick where it is, time after time."""
    index = mean[arm] + width[arm] * growth
    rivals = 0
    for i in range(mean.size):
        if i != arm and mean[i] + width[i] * growth >= index:
            rivals += 1
    return rivals == 0


@inlined
def _list_largest(mean, width, growth, tied):
    """List the arms with the largest mean + width growth in increasing order; returns how many there are.

    Every arm is written down, in the place of a former one unless that is on a par with it: without branches, see
    "Rules" in docs/performance.md.
    """
    largest = -math.inf
    count = 0
    for i in range(mean.size):
        index = mean[i] + width[i] * growth
        count = 0 if index > largest else count
        tied[count] = i
        count += index >= largest
        largest = index if index > largest else largest
    return count


@kernel
def largest_sample(rewards, blanks, weight, rng):
    """The arm with the largest of the samples theta_i ~ Beta(1 + weight rewards[i], 1 + weight blanks[i]).

    Drawn: theta_i in increasing i, each time.

    Parameters
    ----------
    rewards, blanks : (K,) int64
    weight : float
        What a reward counts; 1 in Thompson sampling.

    Examples
    --------
    Samples of Beta(1, 10^6 + 1) and Beta(10^6 + 1, 1):

    >>> million = 10**6
    >>> counts = np.array([0, million])
    >>> largest_sample(counts, million - counts, 1.0, np.random.default_rng(0))
    1
    """
    best = 0
    largest = -1.0
    for i in range(rewards.size):
        theta = rng.beta(1.0 + weight * rewards[i], 1.0 + weight * blanks[i])
        if theta > largest:
            largest = theta
            best = i
    return best
