"""The functions of a decision, found by the type of its NamedTuple, with defaults for those that it does not have.

See `duelbench.bandits.problem.decision_rule`.
"""

import functools
import inspect
from collections.abc import Callable, Mapping
from typing import Any

from duelbench.bandits.algorithms.exploration.parameter_sets import drop
from duelbench.bandits.algorithms.signatures import check_arguments, check_class
from duelbench.bandits.kernels.decorators import INLINED_OPTIONS, KERNEL_OPTIONS, kernel_or_plain
from duelbench.bandits.kernels.dispatch_by_type import ByState, found_by_type
from duelbench.bandits.problem.decision_rule import Decision


def _check(decision: Decision) -> None:
    """Check that the functions of a decision can be called as they are below."""
    for name, function in decision.rules.items():
        arguments = inspect.signature(globals()[name]).parameters
        check_arguments(decision.name, function, arguments, by_name=decision.compiled)
    if decision.compiled:
        check_class(decision.name, decision.state, decision.rules.values(), compiled=True)


decision_of = ByState(_check)  # the decision that NamedTuples of a class belong to
register = decision_of.register


def _question(options: Mapping[str, Any]) -> Callable[..., Any]:
    """Decorate a function so that it calls the decision's function of this name; its body is the default."""

    def decorate(answer: Callable[..., Any]) -> Callable[..., Any]:
        name = answer.__name__

        def function_of(state: type) -> Callable[..., Any]:
            return decision_of[state].rules.get(name, answer)

        @functools.wraps(answer)
        def ask(decision: Any, *arguments: Any) -> Any:
            return function_of(type(decision))(decision, *arguments)

        return found_by_type(function_of, options)(ask)

    return decorate


@_question(KERNEL_OPTIONS)
def decide(decision, values):
    """Return f(x) for x = ``values``; every decision must have this function."""


@_question(KERNEL_OPTIONS)
def independent(decision, low, high, e):
    """Return whether f cannot depend on x_e in the box; False if the decision has no such test."""
    return False


@_question(KERNEL_OPTIONS)
def bound(decision, low, high):
    """Return a decision and the most that it can cost in the box; infinite if the decision does not say."""
    return 0, float("inf")


@_question(INLINED_OPTIONS)
def follow(decision, values, e, before, d):
    """Return f(x) for x = ``values``; it was ``d`` before ``values[e]`` changed from ``before``."""
    return decide(decision, values)


@_question(INLINED_OPTIONS)
def worth(decision, values, e, d):
    """Return the worth of parameter e as the decision, if f is ``d``; by default its value."""
    return values[e]


@_question(INLINED_OPTIONS)
def narrowed(decision, explored, e, low, high):
    """Update the decision after the interval of parameter e, which was [low, high], has changed."""


@_question(INLINED_OPTIONS)
def revise(decision, explored):
    """Line 4 of SAVAGE: drop from W what f is independent of; return whether anything new can be certain."""
    drop_independent(decision, explored)
    return True


@kernel_or_plain
def drop_independent(decision, explored):
    """Test each parameter of W."""
    for k in range(explored.place[0].n_listed):
        e = explored.listed[k]
        if not explored.gone[e] and independent(decision, explored.low, explored.high, e):
            drop(explored, e)


@_question(KERNEL_OPTIONS)
def conclude(decision, explored, values, rng):
    """Return the final decision of exploration; by default f at the means."""
    return decide(decision, values)
