"""borda: identifies the arms of largest Borda score by intervals for the probabilities of all pairs.

Each pair has an interval that holds its probability at all times with probability 1 - 2 delta / (K (K - 1))
(`duelbench.bandits.kernels.threshold_evidence`); an arm's score lies between the mean of its low ends and the mean of
its high ends. The rule answers when the low ends of k scores are at most epsilon below the high ends of all others.
"""

import math
from typing import NamedTuple

import numpy as np

from duelbench.bandits.algorithms.contract import NO_WINNER, Parameter
from duelbench.bandits.algorithms.stopping.duels import Duels, clear_new, new_duels, update
from duelbench.bandits.algorithms.stopping.rule import DELTA, Rule, rank_by_wins
from duelbench.bandits.kernels.decorators import kernel
from duelbench.bandits.kernels.never import NEVER
from duelbench.bandits.kernels.records import FloatPerArm, FloatPerPair, record, with_zeros
from duelbench.bandits.kernels.searching import to_try
from duelbench.bandits.kernels.threshold_evidence import lower_end, upper_end

INTERVALS = ("mixture", "stitched", "union")  # in the order of MIXTURE, STITCHED and UNION
ROUNDING = 1e-12  # ends that differ by at most this count as equal
FURTHEST = 2**40  # `rounds_to_next` looks no further ahead
SLACK = 1e-9  # tolerance for scores that may be reached, so that rounding errors never skip the round of the answer


class BordaTests(NamedTuple):
    duels: Duels
    low: FloatPerPair  # low[i, j]: the low end of the probability that i beats j; 0 on the diagonal.
    # The ends of the scores.
    score_low: FloatPerArm
    score_high: FloatPerArm
    # Scratch: optimistic ends, as if one arm had won and also lost all further duels of a pair.
    best_low: FloatPerArm
    best_high: FloatPerArm
    stand: np.ndarray  # (1,) record of `new_tests`. How close the rule is to its answer.
    log_inverse: float  # ln(K (K - 1) / (2 delta))
    epsilon: float
    k: int
    kind: int  # The place in INTERVALS


def new_tests(n_arms, delta, epsilon, k, intervals):
    """Return the tests before any duel: every score lies between 0 and 1."""
    return with_zeros(
        BordaTests,
        n_arms,
        duels=new_duels(n_arms),
        score_high=np.ones(n_arms),
        stand=record(
            n_left=n_arms,  # how many arms may still be in the answer, 0 once it is known
            bar=0.0,  # once it is known: its arms have low ends >= bar - epsilon, all others high ends <= bar
        ),
        log_inverse=math.log(n_arms * (n_arms - 1) / 2 / delta),
        epsilon=epsilon,
        k=k,
        kind=INTERVALS.index(intervals),
    )


def refuses(n_arms, delta, epsilon, k, intervals):
    """Return why it cannot answer, or None."""
    return None if 1 <= k < n_arms else f"k must be from 1 to {n_arms - 1}, got {k}"


@kernel
def settle(tests):
    """Update the intervals of pairs with new outcomes, and test whether the scores are separated."""
    duels = tests.duels
    if n_left(tests) == 0 or duels.n_new[0] == 0:
        return
    for k in range(duels.n_new[0]):
        i = duels.pairs[k, 0]
        j = duels.pairs[k, 1]
        tests.low[i, j] = lower_end(duels.wins[i, j], duels.wins[j, i], tests.log_inverse, tests.kind)
        tests.low[j, i] = lower_end(duels.wins[j, i], duels.wins[i, j], tests.log_inverse, tests.kind)
    clear_new(duels)
    n_arms = tests.low.shape[0]
    for i in range(n_arms):
        lowest = 0.0
        loses = 0.0
        for j in range(n_arms):
            if j != i:
                lowest += tests.low[i, j]
                loses += tests.low[j, i]
        tests.score_low[i] = lowest / (n_arms - 1)
        tests.score_high[i] = 1.0 - loses / (n_arms - 1)
    bar = _bar(tests.score_low, tests.score_high, tests.k, tests.epsilon)
    if bar >= 0.0:
        tests.stand[0].n_left = 0
        tests.stand[0].bar = bar
    else:
        tests.stand[0].n_left = _n_open(tests)


@kernel
def _bar(low, high, k, epsilon):
    """Return a high end h such that k arms have low ends >= h - epsilon, and all others high ends <= h; or -1."""
    n_arms = low.size
    for b in range(n_arms):
        bar = high[b]
        n_forced = 0
        n_able = 0
        is_possible = True
        for i in range(n_arms):
            is_able = low[i] >= bar - epsilon - ROUNDING
            if high[i] > bar:
                n_forced += 1
                is_possible = is_possible and is_able
            elif i != b and is_able:
                n_able += 1
        if is_possible and n_forced <= k <= n_forced + n_able:
            return bar
    return -1.0


@kernel
def _n_open(tests):
    """Return the number of arms that may be in the answer: those that fewer than k others surely exceed."""
    n_arms = tests.score_low.size
    n_open = 0
    for i in range(n_arms):
        n_better = 0
        for j in range(n_arms):
            n_better += tests.score_low[j] > tests.score_high[i]
        n_open += n_better < tests.k
    return n_open


@kernel
def n_left(tests):
    """Return how many arms may still be in the answer; 0 once it is known."""
    return tests.stand[0].n_left


@kernel
def rounds_to_next(tests, i, j):
    """Return the fewest further duels of i and j after which the scores can be separated, at most FURTHEST."""
    too_few, enough = 0, NEVER
    while enough - too_few > 1:
        m = to_try(too_few, enough)
        if m >= FURTHEST or _can_end(tests, i, j, m):
            enough = m
        else:
            too_few = m
    return enough


@kernel
def _can_end(tests, i, j, m):
    """Return whether the scores could be separated after m duels of i and j, if i both won and lost all of them.

    This is an optimistic bound.
    """
    wins = tests.duels.wins[i, j]
    losses = tests.duels.wins[j, i]
    n_others = tests.low.shape[0] - 1
    for arm in range(n_others + 1):
        tests.best_low[arm] = tests.score_low[arm]
        tests.best_high[arm] = tests.score_high[arm]
    risen = (lower_end(wins + m, losses, tests.log_inverse, tests.kind) - tests.low[i, j]) / n_others
    fallen = (1.0 - tests.low[j, i] - upper_end(wins, losses + m, tests.log_inverse, tests.kind)) / n_others
    tests.best_low[i] += risen
    tests.best_high[j] -= risen
    tests.best_high[i] -= fallen
    tests.best_low[j] += fallen
    return _bar(tests.best_low, tests.best_high, tests.k, tests.epsilon + SLACK) >= 0.0


@kernel
def answer(tests):
    """Return the first arm of the answer in the order of `_precedes`, once the answer is known."""
    best = NO_WINNER
    for i in range(tests.score_low.size):
        if best == NO_WINNER or _precedes(tests, i, best):
            best = i
    return best


@kernel
def _precedes(tests, i, j):
    """Return whether i is in the answer if j is: high ends above the bar come first, then higher low ends."""
    bar = tests.stand[0].bar
    is_above = tests.score_high[i] > bar
    if is_above != (tests.score_high[j] > bar):
        return is_above
    return tests.score_low[i] > tests.score_low[j]


def rank(tests, places):
    """Fill in 0 for the arms of the answer, 1 for all others; until it is known, places by the duels so far."""
    if n_left(tests) > 0:
        rank_by_wins(tests.duels.wins, places)
        return
    bar = tests.stand[0].bar
    order = sorted(range(len(places)), key=lambda i: (tests.score_high[i] <= bar, -tests.score_low[i], i))
    for place, arm in enumerate(order):
        places[arm] = int(place >= tests.k)


BORDA = Rule.of_module(
    __name__,
    id="borda",
    description="the intervals of the Borda scores are apart",
    targets=("borda", "top-k by borda"),
    state=BordaTests,
    parameters={
        "delta": DELTA,
        "epsilon": Parameter(0.0, "how far from the best score", low=0.0, high=0.5, high_open=True),
        "k": Parameter(1, "how many arms", low=1),
        "intervals": Parameter("mixture", "which intervals of probabilities", choices=INTERVALS),
    },
    update=update,
)
