"""NTS, Noisy Tournament Sampling: the Condorcet winner, or that there is none, by sequential tests of pairs.

A knock-out leaves one arm without a defeat: it is tested against every arm that it has not met, and is the answer if it
beats them all. With its first defeat every arm has one, and the answer is that there is no Condorcet winner.

A test is Wald's sequential probability ratio test of p = 1/2 + h against 1/2 - h. The likelihood ratio is
((1/2 + h) / (1/2 - h)) to the power of the lead, so the test ends when one arm leads by enough wins.
The paper's eq. (7) requires one more win, unless the necessary lead is a whole number: see the page of NTS. With K = 20
and delta = h = 0.05 that costs 3% to 5% more duels a test.

Assumes that no pair is closer than ``h`` (low noise), and no Condorcet winner. Anytime.

References
----------
.. [1] B. Haddenhorst, V. Bengs, J. Brandt, E. Hullermeier, "Testification of Condorcet Winners in Dueling Bandits", UAI
   2021: Noisy Tournament Sampling, algorithms 1, 3 and 6, but for eq. (7).
"""

import math
from typing import NamedTuple

import numpy as np

from duelbench.bandits.algorithms.contract import NEVER, NO_WINNER, Algorithm, Parameter
from duelbench.bandits.algorithms.stopping.rule import DELTA
from duelbench.bandits.kernels.decorators import kernel, plain
from duelbench.bandits.kernels.records import record

NO_ARM = -1


class State(NamedTuple):
    order: np.ndarray  # (K,) int64. All arms in private order, in which ties are broken.
    # (K,) int64. The arms of the current round: places 2m and 2m + 1 are match m. Winners so far take the first places.
    arms: np.ndarray
    beaten_by: np.ndarray  # (K,) int64. The arm that has won a test against each arm, or NO_ARM.
    n_beaten: np.ndarray  # (K,) int64. How many tests each arm has won.
    test: np.ndarray  # (1,) record of `start`. The test that is running.
    round: np.ndarray  # (1,) record of `start`. The current round of the knock-out.
    lead: int  # The lead that ends a test


def start(n_arms, horizon, rng, standing, *, delta, h):
    """Return the state before round 1, with a random private order of the arms."""
    order = rng.permutation(n_arms)
    return State(
        order=order,
        arms=order.copy(),
        beaten_by=np.full(n_arms, NO_ARM),
        n_beaten=np.zeros(n_arms, np.int64),
        test=record(
            first=order[0],
            second=order[1],
            n=0,  # duels
            wins=0,  # of the first arm
        ),
        round=record(
            n_arms=n_arms,  # how many arms play the round
            n_matches=plain(preliminary_matches)(n_arms),  # how many matches it has
            n_over=0,  # how many of them are over
        ),
        lead=lead_needed(h, delta / n_arms),
    )


def lead_needed(h, error):
    """Return the lead that ends a test: the least whole number above ln(1 / error - 1) / ln((1/2 + h) / (1/2 - h)).

    If the arms are further apart than ``h``, the wrong one wins with a probability below ``error``.

    Examples
    --------
    For h = 1/4 the ratio is 3 to the power of the lead: it exceeds (1 - 1/10) / (1/10) = 9 by a lead of 3, and 8
    by one of 2.

    >>> lead_needed(0.25, 0.0999), lead_needed(0.25, 1 / 9)
    (3, 2)
    """
    lead = math.log((1.0 - error) / error) / math.log((0.5 + h) / (0.5 - h))
    return math.floor(lead) + 1


@kernel
def preliminary_matches(n_arms):
    """Return K - 2^(D - 1), D = ceil(log2 K): the matches that leave a power of two, or half of one."""
    left = 1
    while 2 * left < n_arms:
        left *= 2
    return n_arms - left


@kernel
def select(state, t, rng):
    """Return the pair under test, for as long as the test cannot end; the answer when it is known."""
    test = state.test[0]
    ahead = 2 * test.wins - test.n
    if abs(ahead) >= state.lead and not _is_over(state):
        _end_test(state, ahead > 0)
    if _is_over(state):
        last = recommend(state)
        return last, last, NEVER
    return test.first, test.second, state.lead - abs(2 * test.wins - test.n)


@kernel
def _end_test(state, first_won):
    """Record the winner of the test, and start the next one unless the answer is known."""
    test = state.test[0]
    winner = test.first if first_won else test.second
    loser = test.second if first_won else test.first
    state.beaten_by[loser] = winner
    state.n_beaten[winner] += 1
    if state.round[0].n_arms > 1:
        _advance(state, winner)
    if state.round[0].n_arms == 1 and not _is_over(state):
        _begin_test(state, state.arms[0], _next_unmet(state))


@kernel
def _begin_test(state, first, second):
    test = state.test[0]
    test.first = first
    test.second = second
    test.n = 0
    test.wins = 0


@kernel
def _advance(state, winner):
    """Send the winner to the next round, and start the next match of the knock-out, if one is left.

    Arms beyond the matches of a round pass free, behind the winners.
    """
    r = state.round[0]
    state.arms[r.n_over] = winner
    r.n_over += 1
    if r.n_over == r.n_matches:
        for place in range(2 * r.n_matches, r.n_arms):
            state.arms[place - r.n_matches] = state.arms[place]
        r.n_arms -= r.n_matches
        r.n_matches = preliminary_matches(r.n_arms)
        r.n_over = 0
    if r.n_arms > 1:
        _begin_test(state, state.arms[2 * r.n_over], state.arms[2 * r.n_over + 1])


@kernel
def _next_unmet(state):
    """Return the first arm in private order that the candidate has not met."""
    candidate = state.arms[0]
    place = 0
    while state.order[place] == candidate or state.beaten_by[state.order[place]] == candidate:
        place += 1
    return state.order[place]


@kernel
def _is_over(state):
    """Return whether the arm that is left of the knock-out has beaten all others, or lost."""
    candidate = state.arms[0]
    return state.round[0].n_arms == 1 and (
        state.n_beaten[candidate] == state.n_beaten.size - 1 or state.beaten_by[candidate] != NO_ARM
    )


@kernel
def update(state, first, second, first_wins, second_wins):
    """Count duels of the pair under test; late outcomes of other pairs belong to no test."""
    test = state.test[0]
    if first == test.first and second == test.second:
        test.n += first_wins + second_wins
        test.wins += first_wins


@kernel
def recommend(state):
    """Return the unbeaten arm that has won most tests, or if every arm is beaten, the arm that has."""
    best = NO_ARM
    most = -1
    for arm in state.order:
        quality = state.n_beaten[arm] + (state.n_beaten.size if state.beaten_by[arm] == NO_ARM else 0)
        if quality > most:
            most = quality
            best = arm
    return best


@kernel
def explored(state):
    """Return the arms that are unbeaten; 0 when the answer is known."""
    return 0 if _is_over(state) else state.round[0].n_arms - state.round[0].n_over


@kernel
def answer(state):
    """Return the arm that has beaten all others, or that there is no Condorcet winner."""
    candidate = state.arms[0]
    return candidate if state.beaten_by[candidate] == NO_ARM else NO_WINNER


NTS = Algorithm.of_module(
    __name__,
    "nts",
    "NTS",
    "nothing",
    "Haddenhorst, Bengs, Brandt, Hullermeier 2021, Algorithms 1, 3 and 6, but for eq. (7)",
    answers=("condorcet",),
    parameters={
        "delta": DELTA,
        # The default is that of the experiments of [1]. Below the least value no run is long enough.
        "h": Parameter(0.05, "gap that the arms in question exceed", low=1e-7, high=0.5, high_open=True),
    },
    look=("vermilion", "solid", ">"),
    source="paper",
)
