"""Knockout: rounds of sequential tests between random pairs, each round more exact than the one before.

Assumes a total order with (gamma-relaxed) strong stochastic transitivity and the stochastic triangle inequality. With
probability 1 - ``delta`` no arm beats the answer by more than ``epsilon``. Anytime.

References
----------
.. [1] M. Falahatgar, A. Orlitsky, V. Pichapati, A. T. Suresh, "Maximum Selection and Ranking under Noisy Comparisons",
   ICML 2017; not read. The rule is that of programs by others: see the page.
"""

from typing import NamedTuple

import numpy as np

from duelbench.algorithms.contract import NEVER, Algorithm, Parameter
from duelbench.algorithms.identification import bracket as brackets
from duelbench.algorithms.identification.bracket import Bracket
from duelbench.algorithms.identification.parameters import DELTA, EPSILON
from duelbench.kernels.comparators import interval
from duelbench.kernels.comparators.running_test import OPEN, count_duels
from duelbench.kernels.decorators import kernel
from duelbench.kernels.sampling import shuffle


class State(NamedTuple):
    bracket: Bracket  # The knock-out
    test: np.ndarray  # (1,) record. The match that is running: that of the bracket.
    round: np.ndarray  # (1,) int64. The running round of the knock-out, from 1; 0 before the first.
    epsilon: float
    delta: float
    gamma: float


def start(n_arms, horizon, rng, standing, *, epsilon, delta, gamma):
    """State before round 1; draws the private order of the arms."""
    bracket = brackets.new_bracket(rng.permutation(n_arms))
    return State(bracket, bracket.test, np.zeros(1, np.int64), epsilon, delta, gamma)


@kernel
def select(state, t, rng):
    """The pair whose match is running, for as long as it cannot end; when one arm is left, that arm."""
    bracket = state.bracket
    tally = bracket.tally[0]
    match = state.test[0]
    is_over = state.round[0] == 0
    if not is_over and tally.n_in > 1:
        middle, slack, level, most = _match_of_round(state, state.round[0])
        won = interval.winner(middle, slack, level, most, match.n, match.wins)
        is_over = won != OPEN and brackets.end_match(bracket, won)
    if is_over and tally.n_in > 1:  # the next round
        state.round[0] += 1
        shuffle(bracket.arms, tally.n_in, rng)
        brackets.begin_round(bracket, tally.n_in // 2)
    if tally.n_in == 1:
        return bracket.arms[0], bracket.arms[0], NEVER
    middle, slack, level, most = _match_of_round(state, state.round[0])
    return match.first, match.second, interval.rounds_left(middle, slack, level, most, match.n, match.wins)


@kernel
def _match_of_round(state, round):
    """The test of round i = 1, 2, ...: epsilon_i = (2^(1/3) - 1) epsilon / (gamma 2^(i/3)), delta_i = delta / 2^i."""
    epsilon = (2.0 ** (1.0 / 3.0) - 1.0) * state.epsilon / (state.gamma * 2.0 ** (round / 3.0))
    return interval.better_up_to(epsilon, state.delta / 2.0**round)


@kernel
def recommend(state):
    """Whoever has come furthest in the knock-out."""
    return brackets.front_runner(state.bracket)


@kernel
def explored(state):
    """The arms that have lost no match; 0 when one is left."""
    return 0 if state.bracket.tally[0].n_in == 1 else brackets.n_left(state.bracket)


KNOCKOUT = Algorithm.of_module(
    __name__,
    "knockout",
    "Knockout",
    "total order",
    "Falahatgar, Orlitsky, Pichapati, Suresh 2017, after programs by others",
    answers=("condorcet",),
    parameters={
        "epsilon": EPSILON,
        "delta": DELTA,
        "gamma": Parameter(1.0, "how far strong stochastic transitivity is relaxed", low=1.0, high=1e6),
    },
    update=count_duels,
)
