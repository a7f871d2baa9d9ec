"""The loop's questions to an algorithm, whichever it is: its functions are found by the class of its state."""

import reprlib
from collections.abc import Callable
from operator import index
from typing import Any

from duelbench.bandits.algorithms.contract import NEVER, Algorithm
from duelbench.bandits.kernels.decorators import INLINED_OPTIONS, KERNEL_OPTIONS, PART_OPTIONS
from duelbench.bandits.kernels.dispatch_by_type import ByState, found_by_type
from duelbench.bandits.third_party import place_of_function


class WrongAnswer(ValueError):
    """An answer of an algorithm makes no sense; the message says which."""


_algorithm_of = ByState(Algorithm.check)

register = _algorithm_of.register
"""Make known which algorithm a state belongs to: see `ByState.register`."""


def _own(name: str) -> Callable[[type], Callable[..., Any]]:
    """From the class of a state to its algorithm's function of this name."""
    return lambda state: getattr(_algorithm_of[state], name)


@found_by_type(_own("select"), {**INLINED_OPTIONS, **PART_OPTIONS})
def select(state, t, rng):
    """The algorithm's decision for round ``t``: (first, second, rounds)."""
    own = _algorithm_of[type(state)].select
    answer = own(state, t, rng)
    try:
        first, second, rounds = answer
        return index(first), index(second), index(rounds)  # compiled code has types
    except (TypeError, ValueError):
        raise WrongAnswer(
            f"{place_of_function(own)} returned {shown(answer)} in round {t}; it must return three whole numbers: the"
            " first arm, the second arm, and for how many rounds the decision stands"
        ) from None


@found_by_type(_own("update"), {**INLINED_OPTIONS, **PART_OPTIONS})
def update(state, first, second, first_wins, second_wins):
    """Tell the algorithm the outcomes of ``first_wins + second_wins`` duels of a pair."""
    _algorithm_of[type(state)].update(state, first, second, first_wins, second_wins)


@found_by_type(_own("recommend"), {**KERNEL_OPTIONS, **PART_OPTIONS})
def recommend(state):
    """The arm the algorithm would answer with now."""
    own = _algorithm_of[type(state)].recommend
    answer = own(state)
    try:
        return index(answer)
    except TypeError:
        raise WrongAnswer(
            f"{place_of_function(own)} returned {shown(answer)}; it must return an arm, a whole number"
        ) from None


@found_by_type(_own("recommend"), {**INLINED_OPTIONS, **PART_OPTIONS})
def recommend_every_round(state):
    """`recommend`, compiled to be asked after every round."""
    return recommend(state)


def _explored(state: type) -> Callable[..., int]:
    return _algorithm_of[state].explored or (lambda state: 0)


@found_by_type(_explored, {**KERNEL_OPTIONS, **PART_OPTIONS})
def explored(state):
    """How many parameters the algorithm still explores; 0 for one that does not say."""
    return _explored(type(state))(state)


def _is_duel_by_duel(state: type) -> Callable[..., bool]:
    return (lambda state: True) if _algorithm_of[state].duel_by_duel else (lambda state: False)


@found_by_type(_is_duel_by_duel, {**INLINED_OPTIONS, **PART_OPTIONS})
def is_duel_by_duel(state):
    """Whether the duels of a decision are drawn one by one; compiled code knows beforehand."""
    return _is_duel_by_duel(type(state))(state)


law_of_self_duels = _own("self_duel_probability")
"""From the class of a state to the algorithm's `self_duel_probability`; to None where it has none."""


@found_by_type(law_of_self_duels, {**KERNEL_OPTIONS, **PART_OPTIONS})
def self_duel_probability(state, arm):
    """The probability that ``arm`` is the one that duels itself, where one of several does."""
    own = law_of_self_duels(type(state))
    return own(state, arm) if own is not None else 0.0


law_of_pairs = _own("pair_probability")
"""From the class of a state to the algorithm's `pair_probability`; to None where it has none."""


@found_by_type(law_of_pairs, {**KERNEL_OPTIONS, **PART_OPTIONS})
def pair_probability(state, first, second):
    """The probability that a round's pair is this one."""
    return law_of_pairs(type(state))(state, first, second)


def shown(answer: Any) -> str:
    """An answer in a message."""
    return reprlib.repr(answer).replace(str(NEVER), "NEVER")
