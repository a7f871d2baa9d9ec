"""Calls of an algorithm's functions, which are found by the class of its state."""

import reprlib
from collections.abc import Callable
from operator import index
from typing import Any

from duelbench.bandits.algorithms.contract import NEVER, Algorithm
from duelbench.bandits.kernels.decorators import INLINED_OPTIONS, KERNEL_OPTIONS, PART_OPTIONS
from duelbench.bandits.kernels.dispatch_by_type import ByState, found_by_type
from duelbench.bandits.third_party import place_of_function


class WrongAnswer(ValueError):
    """Raised if a function of an algorithm returns something invalid; the message says what."""


_algorithm_of = ByState(Algorithm.check)

register = _algorithm_of.register
"""Register an algorithm for the class of its states: see `ByState.register`."""


def _function_named(name: str) -> Callable[[type], Callable[..., Any]]:
    """Return a function that maps the class of a state to its algorithm's function of this name."""
    return lambda state: getattr(_algorithm_of[state], name)


@found_by_type(_function_named("select"), {**INLINED_OPTIONS, **PART_OPTIONS})
def select(state, t, rng):
    """Return the algorithm's decision for round ``t``: (first, second, rounds)."""
    function = _algorithm_of[type(state)].select
    answer = function(state, t, rng)
    try:
        first, second, rounds = answer
        return index(first), index(second), index(rounds)  # compiled code has types
    except (TypeError, ValueError):
        raise WrongAnswer(
            f"{place_of_function(function)} returned {shown(answer)} in round {t}; it must return three whole numbers:"
            " the first arm, the second arm, and the number of rounds for which the decision holds"
        ) from None


@found_by_type(_function_named("update"), {**INLINED_OPTIONS, **PART_OPTIONS})
def update(state, first, second, first_wins, second_wins):
    """Tell the algorithm the outcomes of ``first_wins + second_wins`` duels of a pair."""
    _algorithm_of[type(state)].update(state, first, second, first_wins, second_wins)


@found_by_type(_function_named("recommend"), {**KERNEL_OPTIONS, **PART_OPTIONS})
def recommend(state):
    """Return the arm that the algorithm recommends now."""
    function = _algorithm_of[type(state)].recommend
    answer = function(state)
    try:
        return index(answer)
    except TypeError:
        raise WrongAnswer(
            f"{place_of_function(function)} returned {shown(answer)}; it must return an arm, a whole number"
        ) from None


@found_by_type(_function_named("recommend"), {**INLINED_OPTIONS, **PART_OPTIONS})
def recommend_every_round(state):
    """Do the same as `recommend`, compiled for a call after every round."""
    return recommend(state)


def _explored(state: type) -> Callable[..., int]:
    return _algorithm_of[state].explored or (lambda state: 0)


@found_by_type(_explored, {**KERNEL_OPTIONS, **PART_OPTIONS})
def explored(state):
    """Return how many parameters the algorithm still explores; 0 if it does not say."""
    return _explored(type(state))(state)


def _is_duel_by_duel(state: type) -> Callable[..., bool]:
    return (lambda state: True) if _algorithm_of[state].duel_by_duel else (lambda state: False)


@found_by_type(_is_duel_by_duel, {**INLINED_OPTIONS, **PART_OPTIONS})
def is_duel_by_duel(state):
    """Return whether the duels of a decision are drawn one by one; a constant in compiled code."""
    return _is_duel_by_duel(type(state))(state)


self_duel_probability_of = _function_named("self_duel_probability")
"""Maps the class of a state to the algorithm's `self_duel_probability`, or None if it has none."""


@found_by_type(self_duel_probability_of, {**KERNEL_OPTIONS, **PART_OPTIONS})
def self_duel_probability(state, arm):
    """Return the probability that ``arm`` is the one that duels itself, if one of several does."""
    function = self_duel_probability_of(type(state))
    return function(state, arm) if function is not None else 0.0


pair_probability_of = _function_named("pair_probability")
"""Maps the class of a state to the algorithm's `pair_probability`, or None if it has none."""


@found_by_type(pair_probability_of, {**KERNEL_OPTIONS, **PART_OPTIONS})
def pair_probability(state, first, second):
    """Return the probability of this pair in any round."""
    return pair_probability_of(type(state))(state, first, second)


def shown(answer: Any) -> str:
    """Return an answer as text for a message."""
    return reprlib.repr(answer).replace(str(NEVER), "NEVER")
