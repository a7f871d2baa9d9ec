"""The bracket of a knock-out: neighbours meet, the winners advance, in rounds, until one arm is left.

How a match ends is up to the algorithm. Arms beyond the matches of a round pass free, behind the winners.
"""

from typing import NamedTuple

import numpy as np

from duelbench.kernels.comparators.running_test import FIRST, begin, new_test
from duelbench.kernels.decorators import kernel
from duelbench.kernels.records import IntPerArm, record, with_zeros


class Bracket(NamedTuple):
    order: np.ndarray  # (K,) int64. All arms in private order, in which ties are broken.
    # (K,) int64. The arms of the running round: places 2m and 2m + 1 are match m. Winners so far take the first places.
    arms: np.ndarray
    survived: IntPerArm  # How many rounds each arm has survived.
    wins: IntPerArm  # Duels that each arm has won in its match of the running round, once that is over.
    test: np.ndarray  # (1,) record. The match that is running.
    tally: np.ndarray  # (1,) record of `new_bracket`


def new_bracket(order):
    """A bracket of all arms in this order, before its first round."""
    n_arms = order.size
    return with_zeros(
        Bracket,
        n_arms,
        order=order,
        arms=order.copy(),
        test=new_test(order[0], order[1]),
        tally=record(
            n_in=n_arms,  # how many arms play the running round
            n_matches=0,  # how many matches it has
            n_over=0,  # how many of them are over
        ),
    )


@kernel
def begin_round(bracket, n_matches):
    """Begin the next round, of ``n_matches``, and its first match."""
    bracket.wins[:] = 0
    tally = bracket.tally[0]
    tally.n_matches = n_matches
    tally.n_over = 0
    begin(bracket.test, bracket.arms[0], bracket.arms[1])


@kernel
def end_match(bracket, won):
    """Send the winner on, and begin the next match of the round; whether there is none, and the round is over."""
    match = bracket.test[0]
    tally = bracket.tally[0]
    winner = match.first if won == FIRST else match.second
    bracket.wins[winner] = match.wins if won == FIRST else match.n - match.wins
    _goes_on(bracket, tally.n_over, winner)
    tally.n_over += 1
    if tally.n_over < tally.n_matches:
        begin(bracket.test, bracket.arms[2 * tally.n_over], bracket.arms[2 * tally.n_over + 1])
        return False
    for place in range(2 * tally.n_matches, tally.n_in):
        _goes_on(bracket, place - tally.n_matches, bracket.arms[place])
    tally.n_in -= tally.n_matches
    tally.n_over = 0
    return True


@kernel
def _goes_on(bracket, place, arm):
    bracket.arms[place] = arm
    bracket.survived[arm] += 1


@kernel
def n_left(bracket):
    """How many arms have lost no match."""
    return bracket.tally[0].n_in - bracket.tally[0].n_over


@kernel
def front_runner(bracket):
    """The arm that has survived most rounds; of several, the one with most wins in the running round."""
    best = bracket.order[0]
    for place in range(1, bracket.order.size):
        arm = bracket.order[place]
        ahead = bracket.survived[arm] - bracket.survived[best]
        if ahead > 0 or (ahead == 0 and _wins(bracket, arm) > _wins(bracket, best)):
            best = arm
    return best


@kernel
def _wins(bracket, arm):
    """The duels that an arm has won in the running round."""
    match = bracket.test[0]
    if arm == match.first:
        return match.wins
    if arm == match.second:
        return match.n - match.wins
    return bracket.wins[arm]
