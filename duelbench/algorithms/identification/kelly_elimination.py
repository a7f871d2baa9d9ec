"""Kelly elimination: the duel that is expected to bring arms nearest to being out.

Against each arm bets a gambler, who has shown that it is not the Condorcet winner once the wealth is 1 / delta (the
rule e-bets, `duelbench.algorithms.stopping.e_bets`). What the gamblers believe of the pairs chooses the duels, too. If
i is not the winner, a duel with j is expected to add about E max(f_ij, 0)^2 / 2 to ln M_i, with f_ij = 1 - 2 p_ij.
Divided by what ln M_i lacks of ln(1 / delta) this is i's share of the way to go. The pair is played whose two shares,
of those of its arms that are in, have the largest sum. Arms that are out may be opponents of those in.

Assumes a Condorcet winner. Exact: the answer is wrong with probability ``delta`` at most, by the rule e-bets. Anytime.
"""

from typing import NamedTuple

import numpy as np

from duelbench.algorithms.contract import NEVER, NO_WINNER, Algorithm
from duelbench.algorithms.identification.parameters import DELTA
from duelbench.algorithms.stopping.e_bets import Bets, expected_square, likeliest, new_tests, settle, tell
from duelbench.algorithms.stopping.e_condorcet import is_decided, n_left, verdict
from duelbench.kernels.decorators import kernel


class State(NamedTuple):
    """Memory between rounds; arrays are updated in place."""

    bets: Bets  # The gamblers, by places in the private order
    order: np.ndarray  # (K,) int64. The arm of each place.
    place: np.ndarray  # (K,) int64. The place of each arm.
    share: np.ndarray  # (K, K) float64. Scratch space: the share of the way of i in a duel with j; 0 where i is out.


def start(n_arms, horizon, rng, standing, *, delta):
    """State before round 1; draws the private order of the arms."""
    order = rng.permutation(n_arms)
    return State(new_tests(n_arms, delta), order, np.argsort(order), np.zeros((n_arms, n_arms)))


@kernel
def select(state, t, rng):
    """The pair that is expected to bring arms nearest to being out."""
    settle(state.bets)
    if is_decided(state.bets):
        last = recommend(state)
        return last, last, NEVER
    share = state.share
    bets = state.bets
    n_arms = state.order.size
    for i in range(n_arms):
        missing = bets.log_level - bets.log_wealth[i]
        for j in range(n_arms):
            if j != i:
                share[i, j] = expected_square(bets, i, j) / missing if bets.is_in[i] else 0.0
    best_i = 0
    best_j = 1
    for i in range(n_arms):
        for j in range(i + 1, n_arms):
            if share[i, j] + share[j, i] > share[best_i, best_j] + share[best_j, best_i]:
                best_i = i
                best_j = j
    return state.order[best_i], state.order[best_j], 1


@kernel
def update(state, first, second, first_wins, second_wins):
    """Pay the gamblers, who learn from the outcomes."""
    tell(state.bets, state.place[first], state.place[second], first_wins, second_wins)


@kernel
def recommend(state):
    """The arm most likely to be the winner, among those that are in."""
    return state.order[likeliest(state.bets)]


@kernel
def explored(state):
    """The arms that may still be the answer; 0 when it is known."""
    return n_left(state.bets)


@kernel
def answer(state):
    """The arm that is left, or that there is no Condorcet winner."""
    last = verdict(state.bets)
    return last if last == NO_WINNER else state.order[last]


KELLY_ELIMINATION = Algorithm.of_module(
    __name__,
    id="kelly-elimination",
    name="Kelly elimination",
    assumes="condorcet",
    answers=("condorcet",),
    anytime=True,
    parameters={"delta": DELTA},
    reference="duelbench",
)
