"""A stopping rule on any algorithm: the same decisions, until what they have shown suffices for an answer.

The rule counts the outcomes that the algorithm is told, and nothing else. A decision that stands for many rounds is cut
where the rule could speak, and not before: so the law of the round in which it answers is that of the game played round
by round. From then on the answer duels itself.
"""

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from duelbench.algorithms.contract import NEVER, Algorithm
from duelbench.algorithms.identification.e_condorcet import Tests, new_tests, only_arm, rounds_to_next, settle, tell
from duelbench.kernels.decorators import kernel
from duelbench.simulation import dispatch


class Stopped(NamedTuple):
    """Memory of an algorithm and of the rule that ends it.

    sampler : The state of the algorithm.
    tests : What the rule knows.
    """

    sampler: Any
    tests: Tests


class StoppedSeveral(NamedTuple):
    """`Stopped`, for algorithms of which one of several arms duels itself."""

    sampler: Any
    tests: Tests


def stopped(algorithm: Algorithm, delta: float) -> Algorithm:
    """The algorithm with the rule e-condorcet, which answers wrongly with probability ``delta`` at most."""
    dispatch.register(algorithm)
    law = algorithm.self_duel_probability
    state = Stopped if law is None else StoppedSeveral

    def start(n_arms, horizon, rng, standing, **parameters):
        return state(algorithm.start(n_arms, horizon, rng, standing, **parameters), new_tests(n_arms, delta))

    return replace(
        algorithm,
        id=f"{algorithm.id}-until-e-condorcet",
        state=state,
        start=start,
        select=select,
        update=update,
        recommend=recommend,
        explored=explored,
        self_duel_probability=None if law is None else self_duel_probability,
        pair_probability=None,
        duel_by_duel=False,
    )


@kernel
def select(state, t, rng):
    """The answer, or the algorithm's decision up to the first round in which the rule could speak."""
    settle(state.tests)
    answer = only_arm(state.tests)
    if answer >= 0:
        return answer, answer, NEVER
    first, second, rounds = dispatch.select(state.sampler, t, rng)
    if first == second:
        return first, second, min(rounds, NEVER - 1)  # an end of the algorithm's own is no answer
    if rounds > 1:
        rounds = min(rounds, rounds_to_next(state.tests, first, second))
    return first, second, rounds


@kernel
def update(state, first, second, first_wins, second_wins):
    """Tell both."""
    if first != second:
        tell(state.tests, first, second, first_wins, second_wins)
    dispatch.update(state.sampler, first, second, first_wins, second_wins)


@kernel
def recommend(state):
    """The answer; before it, what the algorithm recommends."""
    answer = only_arm(state.tests)
    return answer if answer >= 0 else dispatch.recommend(state.sampler)


@kernel
def explored(state):
    """The arms that may still be the answer; 0 when it is known."""
    n_in = state.tests.count[0].n_in
    return n_in if n_in != 1 else 0


@kernel
def self_duel_probability(state, arm):
    return dispatch.self_duel_probability(state.sampler, arm)
