"""POCOWISTA and TRA-POCOWISTA: the Copeland winner, by tests of the pairs that may still tell who it is.

co_i counts the arms that arm i is known to beat, po_i those that it may still beat: K - 1 without those that it is
known to lose to. The answer is an arm with co at least the po of every other arm. Until there is one, the arm of
largest po meets the arm of largest co among those that it is undecided against, by the comparator `ppr`.

POCOWISTA assumes nothing but that no pair is a tie. TRA-POCOWISTA assumes a total order, and concludes from each test
all that follows if victories are transitive. Both are wrong with probability ``delta`` at most, and anytime.

References
----------
.. [1] V. Bengs, B. Haddenhorst, E. Hullermeier, "Identifying Copeland Winners in Dueling Bandits with Indifferences",
   AISTATS 2024, arXiv 2310.00750; program bengsV/COWI_Ident.
"""

import math
from typing import NamedTuple

import numpy as np

from duelbench.algorithms.contract import NEVER, Algorithm, Parameter
from duelbench.algorithms.identification.parameters import DELTA
from duelbench.kernels.comparators import ppr
from duelbench.kernels.comparators.running_test import FIRST, OPEN, begin, count_duels, new_test
from duelbench.kernels.decorators import kernel
from duelbench.kernels.records import BoolPerArm, BoolPerPair, with_zeros
from duelbench.kernels.sampling import draw_member


class State(NamedTuple):
    beats: BoolPerPair  # Whether arm i is known to beat arm j.
    # (K,) int64. How many arms each is known to beat, and may still beat.
    co: np.ndarray
    po: np.ndarray
    order: np.ndarray  # (K,) int64. The private order of the arms.
    test: np.ndarray  # (1,) record. The running test; of arm 0 with itself before the first.
    candidates: BoolPerArm  # Scratch space.
    log_level: float  # ln of the density at which a test ends
    closes: bool  # Whether what follows by transitivity is known


def new_state(n_arms, rng, level, closes):
    """Nothing is known; draws the private order of the arms."""
    return with_zeros(
        State,
        n_arms,
        co=np.zeros(n_arms, np.int64),
        po=np.full(n_arms, n_arms - 1),
        order=rng.permutation(n_arms),
        test=new_test(0, 0),
        log_level=math.log(level),
        closes=closes,
    )


def start(n_arms, horizon, rng, standing, *, delta, categories):
    """State before round 1; draws the private order of the arms."""
    pairs = n_arms * (n_arms - 1) / 2
    return new_state(n_arms, rng, delta / pairs / (categories - 1), False)


def start_tra(n_arms, horizon, rng, standing, *, delta, categories):
    """The same for TRA-POCOWISTA."""
    tests = n_arms * math.log(n_arms)
    return new_state(n_arms, rng, delta / tests / (categories - 1), True)


@kernel
def select(state, t, rng):
    """The pair under test, until the test could end; the answer once it is known."""
    running = state.test[0]
    if running.first != running.second:
        won = ppr.winner(state.log_level, running.n, running.wins)
        if won == FIRST:
            learn(state, running.first, running.second)
        elif won != OPEN:
            learn(state, running.second, running.first)
        if won != OPEN:
            begin(state.test, 0, 0)
    best = recommend(state)
    if is_winner(state, best):
        return best, best, NEVER
    if running.first == running.second:
        _next_test(state, rng)
    return running.first, running.second, ppr.rounds_left(state.log_level, running.n, running.wins)


@kernel
def learn(state, winner, loser):
    """Enter who beats whom; if it ``closes`` also that all who beat the winner beat all who lose to the loser."""
    if not state.closes:
        _enter(state, winner, loser)
        return
    for i in range(state.co.size):
        if i == winner or state.beats[i, winner]:
            for j in range(state.co.size):
                if (j == loser or state.beats[loser, j]) and not state.beats[i, j]:
                    _enter(state, i, j)


@kernel
def _enter(state, winner, loser):
    state.beats[winner, loser] = True
    state.co[winner] += 1
    state.po[loser] -= 1


@kernel
def is_winner(state, best):
    """Whether no other arm can have a larger Copeland score than ``best`` has already."""
    largest = 0
    for i in range(state.po.size):
        if i != best:
            largest = max(largest, state.po[i])
    return state.co[best] >= largest


@kernel
def _next_test(state, rng):
    """The arm i of largest po, and the arm of largest co among those that i is undecided against."""
    most = state.po.size
    count = 0
    while count == 0:
        most -= 1
        for i in range(state.po.size):
            state.candidates[i] = state.po[i] == most
            count += state.candidates[i]
    first = draw_member(state.candidates, count, rng)
    most = state.co.size
    count = 0
    while count == 0:
        most -= 1
        for j in range(state.co.size):
            untested = j != first and not state.beats[first, j] and not state.beats[j, first]
            state.candidates[j] = untested and state.co[j] == most
            count += state.candidates[j]
    begin(state.test, first, draw_member(state.candidates, count, rng))


@kernel
def recommend(state):
    """The arm of largest co; among several a sure winner, if there is one, else the first in private order."""
    best = state.order[0]
    for i in state.order:
        if state.co[i] > state.co[best] or (
            state.co[i] == state.co[best] and is_winner(state, i) and not is_winner(state, best)
        ):
            best = i
    return best


@kernel
def explored(state):
    """The arms that may still be the answer, with po at least the largest co; 0 once it is known."""
    best = recommend(state)
    count = 0
    for i in range(state.po.size):
        count += state.po[i] >= state.co[best]
    return 0 if is_winner(state, best) else count


PARAMETERS = {
    "delta": DELTA,
    "categories": Parameter(3, "outcomes of a duel that delta is shared out among: 3 as published, 2", choices=(3, 2)),
}

POCOWISTA = Algorithm.of_module(
    __name__,
    "pocowista",
    "POCOWISTA",
    "nothing",
    "Bengs, Haddenhorst, Hullermeier 2024, POCOWISTA (authors' program)",
    answers=("copeland", "condorcet"),
    parameters=PARAMETERS,
    update=count_duels,
)

TRA_POCOWISTA = Algorithm.of_module(
    __name__,
    "tra-pocowista",
    "TRA-POCOWISTA",
    "total order",
    "Bengs, Haddenhorst, Hullermeier 2024, TRA-POCOWISTA (authors' program)",
    answers=("copeland", "condorcet"),
    parameters=PARAMETERS,
    start=start_tra,
    update=count_duels,
)
