"""A stopping rule on any algorithm: the same decisions, until what they have shown suffices for an answer.

The rule counts the outcomes that the algorithm is told, and nothing else. A decision that stands for many rounds is cut
where the rule could speak, and not before: so the law of the round in which it answers is that of the game played round
by round. From then on the answer duels itself.
"""

from dataclasses import replace
from typing import Any, NamedTuple

from duelbench.algorithms.contract import NEVER, NO_WINNER, Algorithm
from duelbench.algorithms.stopping.e_condorcet import (
    Tests,
    is_decided,
    n_left,
    new_tests,
    rounds_to_next,
    settle,
    tell,
    verdict,
)
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
        answer=answer,
        self_duel_probability=None if law is None else self_duel_probability,
        pair_probability=None,
        duel_by_duel=False,
    )


@kernel
def select(state, t, rng):
    """The answer, or the algorithm's decision up to the first round in which the rule could speak."""
    settle(state.tests)
    if is_decided(state.tests):
        last = recommend(state)
        return last, last, NEVER
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
    last = verdict(state.tests) if is_decided(state.tests) else NO_WINNER
    return last if last != NO_WINNER else dispatch.recommend(state.sampler)


@kernel
def explored(state):
    """The arms that may still be the answer; 0 when it is known."""
    return n_left(state.tests)


@kernel
def answer(state):
    """The arm that is left, or that there is no Condorcet winner."""
    return verdict(state.tests)


@kernel
def self_duel_probability(state, arm):
    return dispatch.self_duel_probability(state.sampler, arm)
