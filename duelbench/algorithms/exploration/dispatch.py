"""What an algorithm asks of a decision, whichever it is.

Compiled code finds the functions of a decision by the type of its NamedTuple, as the engine finds those of an
algorithm; plain Python by the same type. Where a decision does not say how to answer a question, the answer here is
made of `Decision.decide`, `Decision.independent` and `Decision.bound`.
"""

import inspect
from typing import Any

from numba import types
from numba.extending import overload, register_jitable

from duelbench import foreign
from duelbench.algorithms.exploration.parameter_sets import drop
from duelbench.kernels.decorators import INLINED_OPTIONS, KERNEL_OPTIONS, plain
from duelbench.problem.decision_rule import Decision

_decision_of: dict[type, Decision] = {}
_compiled_of: dict[type, Decision] = {}

kernel_or_plain = register_jitable(**KERNEL_OPTIONS)
"""Decorates what is compiled as a part of kernels and runs as plain Python when called from plain Python: functions
that ask a decision, which may be in plain Python itself."""

inlined_or_plain = register_jitable(**INLINED_OPTIONS)
"""The same for what is done in every round."""


def introduce(decision: Decision) -> None:
    """Make it known which decision a NamedTuple of type ``decision.state`` belongs to.

    Raises
    ------
    InputError
        When its functions cannot be called or found, or another decision's are found by the same type.
    """
    assert decision.state is not None
    if _decision_of.get(decision.state) is decision:
        return
    if foreign.modules([decision]):
        _check(decision)
    if decision.compiled:
        foreign.check_alone(decision, _compiled_of.setdefault(decision.state, decision))
    _decision_of[decision.state] = decision


def decision_of(state: type) -> Decision | None:
    """The decision that NamedTuples of this class belong to, if it is one's."""
    return _decision_of.get(state)


def _check(decision: Decision) -> None:
    """Whether the functions of a decision can be called as those below call them."""
    for name, function in decision.rules.items():
        arguments = inspect.signature(globals()[name]).parameters
        foreign.check_arguments(decision.name, function, arguments, by_name=decision.compiled)
    if decision.compiled:
        foreign.check_class(decision.name, decision.state, decision.rules.values())


def _function(decision: Any, name: str, otherwise: Any) -> Any:
    """A decision's own function, or ``otherwise``; for compiled code, given the Numba type of the NamedTuple."""
    if isinstance(decision, types.BaseNamedTuple):
        own = getattr(_decision_of[decision.instance_class], name)
        return plain(own) if own is not None else otherwise
    own = getattr(_decision_of[type(decision)], name)
    return own if own is not None else otherwise


def _is_decision(decision: Any) -> bool:
    return isinstance(decision, types.BaseNamedTuple)


def decide(decision, values):
    """f(x) for x = ``values``."""
    return _function(decision, "decide", None)(decision, values)


@overload(decide, jit_options=KERNEL_OPTIONS)
def _compile_decide(decision, values):
    return _function(decision, "decide", None) if _is_decision(decision) else None


def independent(decision, low, high, e):
    """Whether f cannot depend on x_e in the box; False where the decision has no such test."""
    return _function(decision, "independent", _never_independent)(decision, low, high, e)


def _never_independent(decision, low, high, e):
    return False


@overload(independent, jit_options=KERNEL_OPTIONS)
def _compile_independent(decision, low, high, e):
    return _function(decision, "independent", _never_independent) if _is_decision(decision) else None


def bound(decision, low, high):
    """A decision and the most that it can cost in the box; infinite where the decision does not say."""
    return _function(decision, "bound", _no_bound)(decision, low, high)


def _no_bound(decision, low, high):
    return 0, float("inf")


@overload(bound, jit_options=KERNEL_OPTIONS)
def _compile_bound(decision, low, high):
    return _function(decision, "bound", _no_bound) if _is_decision(decision) else None


def restart(decision, values):
    """``values`` is another point than before."""
    _function(decision, "restart", _nothing)(decision, values)


def _nothing(decision, values):
    pass


@overload(restart, jit_options=KERNEL_OPTIONS)
def _compile_restart(decision, values):
    return _function(decision, "restart", _nothing) if _is_decision(decision) else None


def follow(decision, values, e, before):
    """``values[e]`` has changed; it was ``before``."""
    _function(decision, "follow", _follow_nothing)(decision, values, e, before)


def _follow_nothing(decision, values, e, before):
    pass


@overload(follow, jit_options=INLINED_OPTIONS)
def _compile_follow(decision, values, e, before):
    return _function(decision, "follow", _follow_nothing) if _is_decision(decision) else None


def announced(decision, values):
    """f(x) for x = ``values``, of which all changes since `restart` have been followed."""
    return _function(decision, "announced", decide)(decision, values)


@overload(announced, jit_options=INLINED_OPTIONS)
def _compile_announced(decision, values):
    if not _is_decision(decision):
        return None
    return _function(decision, "announced", plain(_decision_of[decision.instance_class].decide))


def worth(decision, values, e):
    """What parameter e would be worth as the decision; its value where the decision does not say."""
    return _function(decision, "worth", _own_value)(decision, values, e)


def _own_value(decision, values, e):
    return values[e]


@overload(worth, jit_options=INLINED_OPTIONS)
def _compile_worth(decision, values, e):
    return _function(decision, "worth", _own_value) if _is_decision(decision) else None


def feasible(decision, values):
    """Whether x = ``values`` can be the truth; True for a box."""
    return _function(decision, "feasible", _always)(decision, values)


def _always(decision, values):
    return True


@overload(feasible, jit_options=KERNEL_OPTIONS)
def _compile_feasible(decision, values):
    return _function(decision, "feasible", _always) if _is_decision(decision) else None


def narrowed(decision, explored, e, low, high):
    """The interval of parameter e is another one; it was [low, high]."""
    _function(decision, "narrowed", _narrowed_nothing)(decision, explored, e, low, high)


def _narrowed_nothing(decision, explored, e, low, high):
    pass


@overload(narrowed, jit_options=INLINED_OPTIONS)
def _compile_narrowed(decision, explored, e, low, high):
    return _function(decision, "narrowed", _narrowed_nothing) if _is_decision(decision) else None


def may_drop(decision, explored):
    """Whether independence tests could show anything new; True where the decision does not say."""
    return _function(decision, "may_drop", _always)(decision, explored)


@overload(may_drop, jit_options=INLINED_OPTIONS)
def _compile_may_drop(decision, explored):
    return _function(decision, "may_drop", _always_may_drop) if _is_decision(decision) else None


def _always_may_drop(decision, explored):
    return True


def revise(decision, explored):
    """Step 4: W <- W without the parameters that f is independent of."""
    _function(decision, "revise", _test_each)(decision, explored)


@kernel_or_plain
def _test_each(decision, explored):
    """Every parameter of W is tested by itself."""
    for k in range(explored.place[0].n_listed):
        e = explored.listed[k]
        if not explored.gone[e] and independent(decision, explored.low, explored.high, e):
            drop(explored, e)


@overload(revise, jit_options=KERNEL_OPTIONS)
def _compile_revise(decision, explored):
    return _function(decision, "revise", _test_each) if _is_decision(decision) else None


def conclude(decision, explored, values, rng):
    """The decision that exploration ends with; f at the means where the decision does not say."""
    return _function(decision, "conclude", _conclude_with_f)(decision, explored, values, rng)


@kernel_or_plain
def _conclude_with_f(decision, explored, values, rng):
    return announced(decision, values)


@overload(conclude, jit_options=KERNEL_OPTIONS)
def _compile_conclude(decision, explored, values, rng):
    return _function(decision, "conclude", _conclude_with_f) if _is_decision(decision) else None
