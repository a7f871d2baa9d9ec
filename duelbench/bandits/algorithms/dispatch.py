"""Calls of an algorithm's functions, which are found by the class of its state."""

import reprlib
from operator import index
from typing import Any

from duelbench.bandits.algorithms.contract import NEVER, Algorithm
from duelbench.bandits.kernels.decorators import INLINED_OPTIONS, KERNEL_OPTIONS, PART_OPTIONS
from duelbench.bandits.kernels.dispatch_by_type import Dispatcher, found_by_type
from duelbench.bandits.third_party import place_of_function


class WrongAnswer(ValueError):
    """Raised if a function of an algorithm returns something invalid; the message says what."""


_algorithm_of = Dispatcher(Algorithm.check)

register = _algorithm_of.register
"""Register an algorithm for the class of its states: see `Dispatcher.register`."""


@found_by_type(lambda state: _algorithm_of[state].select, {**INLINED_OPTIONS, **PART_OPTIONS})
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


@_algorithm_of.function({**INLINED_OPTIONS, **PART_OPTIONS})
def update(state, first, second, first_wins, second_wins):
    """Tell the algorithm the outcomes of ``first_wins + second_wins`` duels of a pair."""


@found_by_type(lambda state: _algorithm_of[state].recommend, {**KERNEL_OPTIONS, **PART_OPTIONS})
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


@found_by_type(lambda state: _algorithm_of[state].recommend, {**INLINED_OPTIONS, **PART_OPTIONS})
def recommend_every_round(state):
    """Do the same as `recommend`, compiled for a call after every round."""
    return recommend(state)


@_algorithm_of.function({**KERNEL_OPTIONS, **PART_OPTIONS})
def explored(state):
    """Return how many parameters the algorithm still explores; 0 if it does not say."""
    return 0


def has_rule(state: type, name: str) -> bool:
    """Return whether the algorithm with states of this class has a function of this name."""
    return name in _algorithm_of[state].rules


@_algorithm_of.function({**KERNEL_OPTIONS, **PART_OPTIONS})
def self_duel_probability(state, arm):
    """Return the probability that ``arm`` is the one that duels itself, if one of several does."""
    return 0.0


@_algorithm_of.function({**KERNEL_OPTIONS, **PART_OPTIONS})
def pair_probability(state, first, second):
    """Return the probability of this pair in any round."""
    return 0.0


def shown(answer: Any) -> str:
    """Return an answer as text for a message."""
    return reprlib.repr(answer).replace(str(NEVER), "NEVER")
