"""The functions of a decision, found by the type of its NamedTuple, with defaults for those that it does not have.

See `duelbench.bandits.problem.decision_rule`.
"""

import inspect

from duelbench.bandits.algorithms.exploration.parameter_sets import drop
from duelbench.bandits.algorithms.signatures import check_arguments, check_class
from duelbench.bandits.kernels.decorators import INLINED_OPTIONS, KERNEL_OPTIONS, kernel_or_plain
from duelbench.bandits.kernels.dispatch_by_type import Dispatcher
from duelbench.bandits.problem.decision_rule import Decision


def _check(decision: Decision) -> None:
    """Check that the functions of a decision can be called as they are below."""
    for name, function in decision.rules.items():
        arguments = inspect.signature(globals()[name]).parameters
        check_arguments(decision.name, function, arguments, by_name=decision.compiled)
    if decision.compiled:
        check_class(decision.name, decision.state, decision.rules.values(), compiled=True)


decision_of = Dispatcher(_check)  # the decision that NamedTuples of a class belong to
register = decision_of.register


@decision_of.function(KERNEL_OPTIONS)
def decide(decision, values):
    """Return f(x) for x = ``values``; every decision must have this function."""


@decision_of.function(KERNEL_OPTIONS)
def independent(decision, low, high, e):
    """Return whether f cannot depend on x_e in the box; False if the decision has no such test."""
    return False


@decision_of.function(KERNEL_OPTIONS)
def bound(decision, low, high):
    """Return a decision and the most that it can cost in the box; infinite if the decision does not say."""
    return 0, float("inf")


@decision_of.function(INLINED_OPTIONS)
def follow(decision, values, e, before, d):
    """Return f(x) for x = ``values``; it was ``d`` before ``values[e]`` changed from ``before``."""
    return decide(decision, values)


@decision_of.function(INLINED_OPTIONS)
def worth(decision, values, e, d):
    """Return the worth of parameter e as the decision, if f is ``d``; by default its value."""
    return values[e]


@decision_of.function(INLINED_OPTIONS)
def narrowed(decision, explored, e, low, high):
    """Update the decision after the interval of parameter e, which was [low, high], has changed."""


@decision_of.function(INLINED_OPTIONS)
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


@decision_of.function(KERNEL_OPTIONS)
def conclude(decision, explored, values, rng):
    """Return the final decision of exploration; by default f at the means."""
    return decide(decision, values)
