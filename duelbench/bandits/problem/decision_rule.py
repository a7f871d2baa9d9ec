"""A decision: a function f of N unknown means, each of which can be sampled.

Only f (``decide``) and ``losses`` are required; the other functions are replaced by simulation if they are left out::

    decide(decision, values) -> d                     f(x) for x = values, an index or a number >= 0
    independent(decision, low, high, e) -> bool       whether f cannot depend on x_e for low <= x <= high
    bound(decision, low, high) -> (d, loss)           a decision, and its largest cost for low <= x <= high
    losses(means, **parameters) -> array              the cost of each decision if these are the means

``decision`` is the NamedTuple that `start` returns: its parameters, and arrays for scratch work.
"""

from collections import namedtuple
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from duelbench.bandits.parameters import resolve


class Hooks(NamedTuple):
    """Optional functions of a decision, which replace slower defaults."""

    # follow(decision, values, e, before, d) -> f, which was d before values[e] changed from before; by default decide,
    # which is also called if values is a completely new point
    follow: Callable[..., int] | None = None
    # worth(decision, values, e, d) -> the value of parameter e as the decision, if f is d; by default values[e]
    worth: Callable[..., float] | None = None
    # narrowed(decision, explored, e, low, high): the interval of parameter e is no longer [low, high]; explored is an
    # Exploration of duelbench.bandits.algorithms.exploration.parameter_sets
    narrowed: Callable[..., None] | None = None
    # revise(decision, explored) -> whether anything new can be certain; drops the parameters that f is independent of.
    # By default each is tested
    revise: Callable[..., bool] | None = None
    # conclude(decision, explored, values, rng) -> the decision at the end of exploration; by default f at the means
    conclude: Callable[..., int] | None = None


NO_HOOKS = Hooks()


@dataclass(frozen=True)
class Decision:
    """A decision that problems name and algorithms explore.

    Parameters
    ----------
    decide, losses : callable
        See above. ``losses`` returns an array (n_decisions,) float64, 0 for the best ones.
    independent, bound : callable, optional
        See above; both may be too cautious (False, a larger loss), never too bold.
    parameters : mapping of str to Parameter
    names_parameter : bool
        Whether f(x) is the index of a mean (then exploration can be followed by exploitation), or another number.
    start : callable, optional
        ``start(n_parameters, **parameters)`` -> a NamedTuple of the class `state`.
    state : type, optional
        Compiled code finds these functions by the class. Without ``start`` and ``state`` a class is made that holds
        the parameters, for decisions in plain Python.
    compiled : bool
        True if all functions are compiled (decorated with `duelbench.bandits.kernels.decorators.kernel`).

    Examples
    --------
    Which of two halves of the means has the larger sum, in plain Python and without an independence test:

    >>> def half(decision, values):
    ...     return int(sum(values[: len(values) // 2]) < sum(values[len(values) // 2 :]))
    >>> def cost(means):
    ...     sums = np.array([means[: len(means) // 2].sum(), means[len(means) // 2 :].sum()])
    ...     return sums.max() - sums
    >>> heavier = Decision("heavier-half", "which half has the larger sum", half, cost, names_parameter=False)
    >>> heavier.decide(heavier.begin(4, {}), [0.1, 0.2, 0.9, 0.0])
    1
    """

    name: str
    description: str
    decide: Callable[..., int]
    losses: Callable[..., np.ndarray]
    independent: Callable[..., bool] | None = None
    bound: Callable[..., tuple[int, float]] | None = None
    parameters: Mapping[str, Any] = field(default_factory=dict)
    names_parameter: bool = True
    start: Callable[..., Any] | None = None
    state: type | None = None
    compiled: bool = False
    hooks: Hooks = NO_HOOKS

    def __post_init__(self) -> None:
        if self.compiled and (self.state is None or self.start is None):
            raise ValueError(f"{self.name}: a compiled decision has a class `state` of its own, which `start` returns")
        if self.state is None:
            fields: Any = ["n_parameters", *self.parameters]
            made = namedtuple("State", fields)  # type: ignore[misc]
            object.__setattr__(self, "state", made)
            object.__setattr__(self, "start", made)

    @cached_property
    def rules(self) -> dict[str, Callable[..., Any]]:
        """The functions that algorithms call during a run, by name."""
        functions = {"decide": self.decide, "independent": self.independent, "bound": self.bound}
        functions |= self.hooks._asdict()
        return {name: function for name, function in functions.items() if function is not None}

    def begin(self, n_parameters: int, parameters: Mapping[str, Any]) -> Any:
        """Return the NamedTuple that is the functions' first argument; a ValueError if there are too few means."""
        assert self.start is not None
        return self.start(n_parameters, **parameters)

    def resolve(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Return all parameters in order, with defaults for missing values; a ValueError names a wrong one."""
        return resolve(self.parameters, values, self.name, "the decision ")
