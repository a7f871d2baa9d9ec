"""kt-knockout: a champion defends its place against one arm after another, by evidence on the sign of each gap.

DKWT with another test: the comparator `kt` with error delta / (K - 1), which looks after every duel. A Condorcet winner
has at most K - 1 tests, so that it loses one of them with probability delta at most.

Assumes a Condorcet winner. Exact: the answer is wrong with probability ``delta`` at most. Anytime.

Drawn: ``start`` draws the private order, ``rng.permutation(K)``.
"""

import math
from typing import NamedTuple

from duelbench.algorithms.contract import NEVER, Algorithm
from duelbench.algorithms.identification.parameters import DELTA
from duelbench.algorithms.identification.succession import (
    Succession,
    champion,
    is_over,
    n_left,
    new_succession,
    pass_on,
)
from duelbench.kernels.comparators import kt
from duelbench.kernels.comparators.running_test import count_duels
from duelbench.kernels.comparators.verdicts import OPEN
from duelbench.kernels.decorators import kernel


class State(NamedTuple):
    """Memory between rounds; arrays are updated in place."""

    line: Succession  # Whose turn it is, and the duels of the running test
    log_level: float  # ln((K - 1) / delta)


def start(n_arms, horizon, rng, standing, *, delta):
    """State before round 1; draws the private order of the arms."""
    return State(new_succession(n_arms, rng), math.log((n_arms - 1) / delta))


@kernel
def select(state, t, rng):
    """The champion and its challenger, until their test could end."""
    running = state.line.test[0]
    if not is_over(state.line):
        verdict = kt.verdict(state.log_level, running.n, running.wins)
        if verdict != OPEN:
            pass_on(state.line, verdict)
    if is_over(state.line):
        return champion(state.line), champion(state.line), NEVER
    return running.first, running.second, kt.rounds_left(state.log_level, running.n, running.wins)


@kernel
def update(state, first, second, first_wins, second_wins):
    """Count the outcomes of the pair under test."""
    count_duels(state.line.test, first, second, first_wins, second_wins)


@kernel
def recommend(state):
    """The champion."""
    return champion(state.line)


@kernel
def explored(state):
    """The arms that may still be the answer; 0 when it is known."""
    return n_left(state.line)


KT_KNOCKOUT = Algorithm.of_module(
    __name__,
    id="kt-knockout",
    name="kt-knockout",
    assumes="condorcet",
    answers=("condorcet",),
    anytime=True,
    parameters={"delta": DELTA},
    reference="duelbench",
)
