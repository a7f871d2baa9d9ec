"""The contract of a stopping rule.

A rule has a NamedTuple of its own, its tests, which counts the outcomes of duels, however the pairs were chosen::

    start(n_arms, **parameters) -> tests          plain Python; makes all arrays
    update(tests, i, j, wins, losses)             compiled; only counts outcomes
    settle(tests)                                 compiled; tests the outcomes so far, unless the answer is known
    n_left(tests) -> int                          compiled; the number of arms that may be the answer, 0 if it is known
    rounds_to_next(tests, i, j) -> int            compiled; fewer further duels of i and j cannot change anything
    answer(tests) -> arm or NO_WINNER             compiled; the answer, once it is known
    rank(tests, places)                           plain Python; optional: the place of each arm
    refuses(n_arms, **parameters) -> why or None  plain Python; optional

The functions of this module call the functions of the rule to which the tests belong.
"""

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from duelbench.bandits.algorithms.contract import Assumption
from duelbench.bandits.kernels.decorators import INLINED_OPTIONS, KERNEL_OPTIONS, PART_OPTIONS
from duelbench.bandits.kernels.dispatch_by_type import Dispatcher
from duelbench.bandits.parameters import Parameter

CALLED = ("update", "settle", "n_left", "rounds_to_next", "answer")
"""The functions that are called during a run."""

DELTA = Parameter(0.05, "probability of a wrong answer", low=1e-15, high=1.0, high_open=True)
"""A parameter of rules, and of algorithms that end with an answer. With less than ``low``, no run is long enough."""


@dataclass(frozen=True)
class Rule:
    """A stopping rule with the functions above."""

    id: str  # its name in specs
    description: str  # when it answers, in one line
    targets: tuple[str, ...]  # the questions that it answers, of `duelbench.bandits.problem.identification`
    state: type  # the class of its tests, by which its functions are found
    parameters: Mapping[str, Parameter]
    start: Callable[..., Any]
    update: Callable[..., None]
    settle: Callable[..., None]
    n_left: Callable[..., int]
    rounds_to_next: Callable[..., int]
    answer: Callable[..., int]
    rank: Callable[..., None] | None = None
    refuses: Callable[..., str | None] | None = None
    trace_version: int = 0  # raised by every change that alters when it answers, or what
    assumes: Assumption = "nothing"  # of the matrix, for delta to hold
    compiled: bool = field(default=True, init=False)

    @classmethod
    def of_module(cls, module: str, **fields: Any) -> "Rule":
        """Return the rule of a module: its functions with the names above, `new_tests` as ``start``, and ``fields``."""
        attributes = vars(sys.modules[module])
        functions = {name: attributes[name] for name in (*CALLED, "rank", "refuses") if name in attributes}
        return cls(**{"start": attributes["new_tests"], **functions, **fields})

    @property
    def rules(self) -> dict[str, Callable[..., Any]]:
        """The functions that are called during a run, by name."""
        return {name: getattr(self, name) for name in CALLED}


_rule_of = Dispatcher(lambda _rule: None)

register = _rule_of.register
"""Register a rule for the class of its tests: see `Dispatcher.register`."""


@_rule_of.function({**INLINED_OPTIONS, **PART_OPTIONS})
def update(tests, i, j, wins, losses):
    """Count duels of two different arms, of which i has won ``wins``."""


@_rule_of.function({**KERNEL_OPTIONS, **PART_OPTIONS})
def settle(tests):
    """Test the outcomes so far; nothing changes once the answer is known."""


@_rule_of.function({**KERNEL_OPTIONS, **PART_OPTIONS})
def n_left(tests):
    """Return how many arms may still be the answer, or a part of it; 0 once it is known."""


@_rule_of.function({**KERNEL_OPTIONS, **PART_OPTIONS})
def rounds_to_next(tests, i, j):
    """Return the fewest further duels of i and j after which anything can change."""


@_rule_of.function({**KERNEL_OPTIONS, **PART_OPTIONS})
def answer(tests):
    """Return the answer once it is known: an arm, or NO_WINNER."""


def fill_places(tests: Any, places: Any) -> None:
    """Fill in the place of each arm: by the rule, or if it has no ranking, by the duels so far."""
    rank = _rule_of[type(tests)].rank
    if rank is not None:
        rank(tests, places)
    else:
        rank_by_wins(tests.wins, places)


def rank_by_wins(wins: Any, places: Any) -> None:
    """Rank arms by how many others they are ahead of in wins, then by the sum of their shares of wins.

    Examples
    --------
    >>> import numpy as np
    >>> places = np.empty(3, np.int64)
    >>> rank_by_wins(np.array([[0, 2, 0], [1, 0, 0], [1, 1, 0]]), places)
    >>> places.tolist()
    [1, 2, 0]
    """
    n_arms = len(places)
    others = [[j for j in range(n_arms) if j != i] for i in range(n_arms)]
    n = wins + wins.T
    beaten = [sum(wins[i, j] > wins[j, i] for j in others[i]) for i in range(n_arms)]
    shares = [sum(wins[i, j] / n[i, j] if n[i, j] else 0.5 for j in others[i]) for i in range(n_arms)]
    order = sorted(range(n_arms), key=lambda i: (-beaten[i], -shares[i], i))
    for place, arm in enumerate(order):
        places[arm] = place
