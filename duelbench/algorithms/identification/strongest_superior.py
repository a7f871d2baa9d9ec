"""Strongest superior: each arm that may still be the answer meets the arm that beats it most clearly.

To show that arm i is not the Condorcet winner, one pair is enough: that with its strongest superior, where a duel tells
most. The leader is the arm that its own test speaks against least. The others that are in take turns; whose turn it is
meets the arm to which it would lose most clearly, were the probabilities what a draw from their posteriors says. Arms
that are out may be that arm.

Assumes a Condorcet winner. Exact: the answer is wrong with probability ``delta`` at most, by the rule e-condorcet
(`duelbench.algorithms.stopping.e_condorcet`). Anytime.

Drawn: ``start`` draws the private order of the arms, in which they take turns and ties of the leader are broken;
``select`` draws theta_ij for j != i in increasing order of j.
"""

from typing import NamedTuple

import numpy as np

from duelbench.algorithms.contract import NEVER, Algorithm
from duelbench.algorithms.identification.parameters import DELTA
from duelbench.algorithms.stopping.e_condorcet import (
    Tests,
    is_decided,
    leader,
    n_left,
    new_tests,
    settle,
    tell,
    verdict,
)
from duelbench.kernels.decorators import kernel


class State(NamedTuple):
    """Memory between rounds; arrays are updated in place."""

    tests: Tests  # The tests of all arms, and the duels
    order: np.ndarray  # (K,) int64. The private order of the arms.
    turn: np.ndarray  # (1,) int64. Place in ``order`` of the arm whose turn is next.


def start(n_arms, horizon, rng, standing, *, delta):
    """State before round 1; draws the private order of the arms."""
    return State(new_tests(n_arms, delta), rng.permutation(n_arms), np.zeros(1, np.int64))


@kernel
def select(state, t, rng):
    """The next arm that is in, other than the leader, and the arm by which a draw from the posteriors has it beaten."""
    settle(state.tests)
    top = leader(state.tests, state.order)
    if is_decided(state.tests):
        return top, top, NEVER
    i = _next_in_turn(state, top)
    return i, _strongest_superior(state.tests.wins, i, rng), 1


@kernel
def _next_in_turn(state, top):
    """The next arm in private order that is in and is not ``top``; two arms at least are in."""
    while True:
        i = state.order[state.turn[0]]
        state.turn[0] = (state.turn[0] + 1) % state.order.size
        if i != top and state.tests.is_in[i]:
            return i


@kernel
def _strongest_superior(wins, i, rng):
    """argmin of theta_ij ~ Beta(W_ij + 1/2, W_ji + 1/2) over j != i."""
    strongest = -1
    least = 2.0
    for j in range(wins.shape[0]):
        if j != i:
            theta = rng.beta(wins[i, j] + 0.5, wins[j, i] + 0.5)
            if theta < least:
                least = theta
                strongest = j
    return strongest


@kernel
def update(state, first, second, first_wins, second_wins):
    """Count the outcomes."""
    tell(state.tests, first, second, first_wins, second_wins)


@kernel
def recommend(state):
    """The leader."""
    return leader(state.tests, state.order)


@kernel
def explored(state):
    """The arms that may still be the answer; 0 when it is known."""
    return n_left(state.tests)


@kernel
def answer(state):
    """The arm that is left, or that there is no Condorcet winner."""
    return verdict(state.tests)


STRONGEST_SUPERIOR = Algorithm.of_module(
    __name__,
    id="strongest-superior",
    name="Strongest superior",
    assumes="condorcet",
    answers=("condorcet",),
    anytime=True,
    parameters={"delta": DELTA},
    reference="duelbench",
)
