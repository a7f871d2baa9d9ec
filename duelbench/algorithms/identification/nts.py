"""NTS, Noisy Tournament Sampling: the Condorcet winner, or that there is none, by sequential tests of pairs.

A knock-out leaves one arm without a defeat: it is tested against every arm that it has not met, and is the answer if it
beats them all. With its first defeat every arm has one, and the answer is that there is no Condorcet winner.

Assumes that no pair is closer than ``h`` (low noise), and no Condorcet winner. Anytime.

References
----------
.. [1] B. Haddenhorst, V. Bengs, J. Brandt, E. Hullermeier, "Testification of Condorcet Winners in Dueling Bandits", UAI
   2021: Noisy Tournament Sampling, with algorithms 1, 3 and 6 of the supplement.
"""

from typing import NamedTuple

import numpy as np

from duelbench.algorithms.contract import NEVER, NO_WINNER, Algorithm
from duelbench.algorithms.identification.bracket import Bracket, begin_round, end_match, n_left, new_bracket
from duelbench.algorithms.identification.parameters import DELTA, H
from duelbench.kernels.comparators import sprt
from duelbench.kernels.comparators.running_test import FIRST, OPEN, begin, count_duels
from duelbench.kernels.decorators import kernel, plain

NOBODY = -1


class State(NamedTuple):
    bracket: Bracket  # The knock-out
    test: np.ndarray  # (1,) record. The test that is running: that of the bracket.
    beaten_by: np.ndarray  # (K,) int64. The arm that has won a test against each arm; NOBODY where there is none.
    n_beaten: np.ndarray  # (K,) int64. How many tests each arm has won.
    lead: int  # The lead that ends a test


def start(n_arms, horizon, rng, standing, *, delta, h):
    """State before round 1; draws the private order of the arms."""
    bracket = new_bracket(rng.permutation(n_arms))
    plain(begin_round)(bracket, plain(preliminary_matches)(n_arms))
    return State(
        bracket=bracket,
        test=bracket.test,
        beaten_by=np.full(n_arms, NOBODY),
        n_beaten=np.zeros(n_arms, np.int64),
        lead=plain(sprt.lead_needed)(h, delta / n_arms),
    )


@kernel
def preliminary_matches(n_arms):
    """K - 2^(D - 1), D = ceil(log2 K): the matches that leave a power of two, or half of one."""
    left = 1
    while 2 * left < n_arms:
        left *= 2
    return n_arms - left


@kernel
def select(state, t, rng):
    """The pair under test, for as long as the test cannot end; the answer when it is known."""
    tally = state.bracket.tally[0]
    test = state.test[0]
    won = sprt.winner(state.lead, test.n, test.wins)
    if won != OPEN and not _is_over(state):
        winner = test.first if won == FIRST else test.second
        loser = test.second if won == FIRST else test.first
        state.beaten_by[loser] = winner
        state.n_beaten[winner] += 1
        if tally.n_in > 1 and end_match(state.bracket, won) and tally.n_in > 1:
            begin_round(state.bracket, preliminary_matches(tally.n_in))
        if tally.n_in == 1 and not _is_over(state):
            begin(state.test, state.bracket.arms[0], _next_unmet(state))
    if _is_over(state):
        last = recommend(state)
        return last, last, NEVER
    return test.first, test.second, sprt.rounds_left(state.lead, test.n, test.wins)


@kernel
def _next_unmet(state):
    """The first arm in private order that the candidate has not met."""
    order = state.bracket.order
    candidate = state.bracket.arms[0]
    place = 0
    while order[place] == candidate or state.beaten_by[order[place]] == candidate:
        place += 1
    return order[place]


@kernel
def _is_over(state):
    """Whether the arm that is left of the knock-out has beaten all others, or lost."""
    candidate = state.bracket.arms[0]
    return state.bracket.tally[0].n_in == 1 and (
        state.n_beaten[candidate] == state.n_beaten.size - 1 or state.beaten_by[candidate] != NOBODY
    )


@kernel
def recommend(state):
    """The unbeaten arm that has won most tests; when every arm is beaten, the arm that has."""
    best = -1
    most = -1
    for arm in state.bracket.order:
        quality = state.n_beaten[arm] + (state.n_beaten.size if state.beaten_by[arm] == NOBODY else 0)
        if quality > most:
            most = quality
            best = arm
    return best


@kernel
def explored(state):
    """The arms that are unbeaten; 0 when the answer is known."""
    return 0 if _is_over(state) else n_left(state.bracket)


@kernel
def answer(state):
    """The arm that has beaten all others, or that there is no Condorcet winner."""
    candidate = state.bracket.arms[0]
    return candidate if state.beaten_by[candidate] == NOBODY else NO_WINNER


NTS = Algorithm.of_module(
    __name__,
    "nts",
    "NTS",
    "nothing",
    "Haddenhorst, Bengs, Brandt, Hullermeier 2021, Noisy Tournament Sampling",
    answers=("condorcet",),
    parameters={"delta": DELTA, "h": H},
    update=count_duels,
)
