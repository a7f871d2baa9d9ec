"""DKWT for duels, and kt-knockout: a champion defends its place against one arm after another.

Whoever wins the test of champion and challenger meets the next arm; the champion of the last test is the answer. DKWT
tests by the comparator `doubling` with error g = delta / K, in stages of twice the length; kt-knockout by the
comparator `kt` with error delta / (K - 1), after every duel.

Assume a Condorcet winner, and that no pair is a tie. The answer is wrong with probability ``delta`` at most. Anytime.

References
----------
.. [1] B. Haddenhorst, V. Bengs, E. Hullermeier, "Identification of the Generalized Condorcet Winner in Multi-dueling
   Bandits", NeurIPS 2021; program bjoernhad/GCWidentification.
"""

import math
from typing import NamedTuple

import numpy as np

from duelbench.algorithms.contract import NEVER, Algorithm
from duelbench.algorithms.identification.parameters import DELTA
from duelbench.kernels.comparators import doubling, kt
from duelbench.kernels.comparators.running_test import FIRST, MIDDLE, OPEN, begin, count_duels, new_test
from duelbench.kernels.decorators import kernel


class State(NamedTuple):
    order: np.ndarray  # (K,) int64. The private order of the arms.
    place: np.ndarray  # (1,) int64. Place in ``order`` of the challenger; K once all arms have had their turn.
    test: np.ndarray  # (1,) record. The champion, the challenger, and their duels, in the running stage.
    stage: np.ndarray  # (1,) int64. From 1.
    has_stages: bool  # DKWT
    level: float  # Of DKWT g; of kt-knockout ln((K - 1) / delta)


def start(n_arms, horizon, rng, standing, *, delta):
    """State of DKWT before round 1; draws the private order of the arms."""
    return _state(rng.permutation(n_arms), True, delta / n_arms)


def start_kt(n_arms, horizon, rng, standing, *, delta):
    """State of kt-knockout before round 1; draws the private order of the arms."""
    return _state(rng.permutation(n_arms), False, math.log((n_arms - 1) / delta))


def _state(order, has_stages, level):
    return State(order, np.array([1]), new_test(order[0], order[1]), np.array([1]), has_stages, level)


@kernel
def select(state, t, rng):
    """The champion and its challenger, until their test, or its stage, could end."""
    test = state.test[0]
    if not _is_over(state):
        if state.has_stages:
            won = doubling.winner(state.level, state.stage[0], test.n, test.wins)
        else:
            won = kt.winner(state.level, test.n, test.wins)
        if won == MIDDLE:
            state.stage[0] += 1
            begin(state.test, test.first, test.second)
        elif won != OPEN:
            winner = test.first if won == FIRST else test.second
            state.stage[0] = 1
            state.place[0] += 1
            begin(state.test, winner, winner if _is_over(state) else state.order[state.place[0]])
    if _is_over(state):
        return test.first, test.first, NEVER
    if state.has_stages:
        return test.first, test.second, doubling.rounds_left(state.level, state.stage[0], test.n, test.wins)
    return test.first, test.second, kt.rounds_left(state.level, test.n, test.wins)


@kernel
def _is_over(state):
    """Whether all arms have had their turn."""
    return state.place[0] == state.order.size


@kernel
def recommend(state):
    """The champion."""
    return state.test[0].first


@kernel
def explored(state):
    """The champion, and the arms whose tests are not over; 0 when the answer is known."""
    return 0 if _is_over(state) else state.order.size - state.place[0] + 1


DKWT = Algorithm.of_module(
    __name__,
    "dkwt",
    "DKWT",
    "condorcet",
    "Haddenhorst, Bengs, Hullermeier 2021, DKWT for duels (authors' program)",
    answers=("condorcet",),
    parameters={"delta": DELTA},
    update=count_duels,
)

KT_KNOCKOUT = Algorithm.of_module(
    __name__,
    "kt-knockout",
    "kt-knockout",
    "condorcet",
    "duelbench",
    answers=("condorcet",),
    parameters={"delta": DELTA},
    start=start_kt,
    update=count_duels,
)
