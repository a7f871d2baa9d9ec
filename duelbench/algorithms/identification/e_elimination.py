"""e-elimination: every pair in turn, as long as both of its arms may still be the answer.

The rule e-condorcet (`duelbench.algorithms.stopping.e_condorcet`) says which arms are out; pairs with such an arm are
skipped. This is how Condorcet SAVAGE samples, with another rule. A pair that is skipped can no longer speak against the
arm that is left: where arms that are out would beat the others clearly, plain turns are quicker.

Assumes a Condorcet winner. Exact: the answer is wrong with probability ``delta`` at most. Anytime.

Drawn: ``start`` draws the private order of the arms. The pairs come in the order of their first arm there, then of
their second.
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
    rounds_to_next,
    settle,
    tell,
    verdict,
)
from duelbench.kernels.decorators import kernel


class State(NamedTuple):
    """Memory between rounds; arrays are updated in place."""

    tests: Tests  # The tests of all arms, and the duels
    order: np.ndarray  # (K,) int64. The private order of the arms.
    pair: np.ndarray  # (2,) int64. The places in ``order`` of the two arms that dueled last.


def start(n_arms, horizon, rng, standing, *, delta):
    """State before round 1; draws the private order of the arms."""
    return State(new_tests(n_arms, delta), rng.permutation(n_arms), np.zeros(2, np.int64))


@kernel
def select(state, t, rng):
    """The next pair of two arms that are in; the last such pair until one of them can be out."""
    settle(state.tests)
    if is_decided(state.tests):
        last = leader(state.tests, state.order)
        return last, last, NEVER
    i, j = _next_pair(state)
    return i, j, rounds_to_next(state.tests, i, j) if n_left(state.tests) == 2 else 1


@kernel
def _next_pair(state):
    """The pair after the last one, in the order of places; two arms at least are in."""
    last = state.order.size - 1
    is_in = state.tests.is_in
    a = state.pair[0]
    b = state.pair[1]
    while True:
        if b < last and is_in[state.order[a]]:
            b += 1
        else:
            a = a + 1 if a + 1 < last else 0
            b = a + 1
        if is_in[state.order[a]] and is_in[state.order[b]]:
            state.pair[0] = a
            state.pair[1] = b
            return state.order[a], state.order[b]


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
    return verdict(state.tests)


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
