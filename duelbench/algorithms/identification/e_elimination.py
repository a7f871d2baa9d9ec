"""e-elimination and Strongest superior: whose duels show who is not the Condorcet winner.

The rule e-condorcet (`duelbench.algorithms.stopping.e_condorcet`) says which arms are out; the last one is the
answer.

e-elimination plays every pair in turn, as Condorcet SAVAGE does, and skips those with an arm that is out. Strongest
superior: to show that an arm is not the winner one pair is enough, that with the arm that beats it most clearly. The
arms that are in take turns, all but the leader, against which its own test speaks least; whose turn it is meets the arm
to which it would lose most clearly, were the probabilities what a draw from their posteriors says.

Assume a Condorcet winner. Exact: the answer is wrong with probability ``delta`` at most. Anytime.
"""

from typing import NamedTuple

import numpy as np

from duelbench.algorithms.contract import NEVER, Algorithm
from duelbench.algorithms.identification.parameters import DELTA
from duelbench.algorithms.stopping import e_condorcet
from duelbench.algorithms.stopping.e_condorcet import Tests, is_decided, leader, n_left
from duelbench.algorithms.stopping.told import tell
from duelbench.kernels.decorators import kernel


class State(NamedTuple):
    """Memory between rounds; arrays are updated in place."""

    tests: Tests  # The tests of all arms, and the duels
    order: np.ndarray  # (K,) int64. The private order of the arms.
    # (2,) int64. Places in ``order``: of the two arms that dueled last, or of the arm whose turn is next.
    turn: np.ndarray
    against_superior: bool  # Strongest superior


def start(n_arms, horizon, rng, standing, *, delta):
    """State of e-elimination before round 1; draws the private order of the arms."""
    return State(e_condorcet.new_tests(n_arms, delta), rng.permutation(n_arms), np.zeros(2, np.int64), False)


def start_superior(n_arms, horizon, rng, standing, *, delta):
    """State of Strongest superior before round 1; draws the private order of the arms."""
    return start(n_arms, horizon, rng, standing, delta=delta)._replace(against_superior=True)


@kernel
def select(state, t, rng):
    """The next pair; where two arms are in, e-elimination plays them until one of them can be out."""
    tests = state.tests
    e_condorcet.settle(tests)
    if is_decided(tests):
        last = leader(tests, state.order)
        return last, last, NEVER
    if state.against_superior:
        i = _next_in_turn(state, leader(tests, state.order))
        return i, _strongest_superior(tests.told.wins, i, rng), 1
    i, j = _next_pair(state)
    return i, j, e_condorcet.rounds_to_next(tests, i, j) if n_left(tests) == 2 else 1


@kernel
def _next_pair(state):
    """The pair of arms that are in after the last one, in the order of places."""
    last = state.order.size - 1
    is_in = state.tests.is_in
    a = state.turn[0]
    b = state.turn[1]
    while True:
        if b < last and is_in[state.order[a]]:
            b += 1
        else:
            a = a + 1 if a + 1 < last else 0
            b = a + 1
        if is_in[state.order[a]] and is_in[state.order[b]]:
            state.turn[0] = a
            state.turn[1] = b
            return state.order[a], state.order[b]


@kernel
def _next_in_turn(state, top):
    """The next arm in private order that is in and is not ``top``."""
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
    """The arm that its own test speaks against least, among those in."""
    return leader(state.tests, state.order)


@kernel
def explored(state):
    """The arms that may still be the answer; 0 when it is known."""
    return n_left(state.tests)


@kernel
def answer(state):
    """The arm that is left, or that there is no Condorcet winner."""
    return e_condorcet.verdict(state.tests)


E_ELIMINATION = Algorithm.of_module(
    __name__,
    id="e-elimination",
    name="e-elimination",
    assumes="condorcet",
    answers=("condorcet",),
    anytime=True,
    parameters={"delta": DELTA},
    reference="duelbench",
)

STRONGEST_SUPERIOR = Algorithm.of_module(
    __name__,
    id="strongest-superior",
    name="Strongest superior",
    assumes="condorcet",
    answers=("condorcet",),
    anytime=True,
    parameters={"delta": DELTA},
    reference="duelbench",
    start=start_superior,
)
