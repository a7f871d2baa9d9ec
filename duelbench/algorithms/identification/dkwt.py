"""DKWT for duels: a champion defends its place against one arm after another, in stages of twice the length.

Each test is the comparator `doubling` with error g = delta / K; its winner meets the next arm. A Condorcet winner has
at most K - 1 tests, and no other outcome than its victory in all of them makes it the answer.

Assumes a Condorcet winner, and that no pair is a tie. Exact: the answer is wrong with probability ``delta`` at most.
Anytime. By the program that its authors have published; each stage has duels of its own here.

Drawn: ``start`` draws the private order, ``rng.permutation(K)``.

References
----------
.. [1] B. Haddenhorst, V. Bengs, E. Hullermeier, "Identification of the Generalized Condorcet Winner in Multi-dueling
   Bandits", NeurIPS 2021; program bjoernhad/GCWidentification.
"""

from typing import NamedTuple

import numpy as np

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
from duelbench.kernels.comparators import doubling
from duelbench.kernels.comparators.running_test import begin, count_duels
from duelbench.kernels.comparators.verdicts import MIDDLE, OPEN
from duelbench.kernels.decorators import kernel


class State(NamedTuple):
    """Memory between rounds; arrays are updated in place."""

    line: Succession  # Whose turn it is, and the duels of the running stage
    stage: np.ndarray  # (1,) int64. From 1.
    g: float  # Probability of a wrong verdict in one test


def start(n_arms, horizon, rng, standing, *, delta):
    """State before round 1; draws the private order of the arms."""
    return State(new_succession(n_arms, rng), np.array([1]), delta / n_arms)


@kernel
def select(state, t, rng):
    """The champion and its challenger, for what is left of the stage."""
    running = state.line.test[0]
    if not is_over(state.line):
        verdict = doubling.verdict(state.g, state.stage[0], running.n, running.wins)
        if verdict == MIDDLE:
            state.stage[0] += 1
            begin(state.line.test, running.first, running.second)
        elif verdict != OPEN:
            state.stage[0] = 1
            pass_on(state.line, verdict)
    if is_over(state.line):
        return champion(state.line), champion(state.line), NEVER
    rounds = doubling.rounds_left(state.g, state.stage[0], running.n, running.wins)
    return running.first, running.second, rounds


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


DKWT = Algorithm.of_module(
    __name__,
    id="dkwt",
    name="DKWT",
    assumes="condorcet",
    answers=("condorcet",),
    anytime=True,
    parameters={"delta": DELTA},
    reference="Haddenhorst, Bengs, Hullermeier 2021, DKWT for duels (authors' program)",
)
