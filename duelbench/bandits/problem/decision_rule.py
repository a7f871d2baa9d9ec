"""A decision: a function f of N unknown means, of which samples can be taken one mean at a time.

Only f (``decide``) and what decisions cost are needed; the rest is found by simulation where it is not given::

    decide(decision, values) -> d                     f(x) for x = values, an index or a number >= 0
    independent(decision, low, high, e) -> bool       whether f cannot depend on x_e for low <= x <= high
    bound(decision, low, high) -> (d, loss)           a decision, and the most that it can cost for low <= x <= high
    losses(means, **parameters) -> array              what each decision costs where the means are these

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
    """Optional functions of a decision, quicker than the defaults or in their place."""

    # follow(decision, values, e, before, d) -> f, which was d before values[e] changed from before; by default decide,
    # which is also called where values is a new point altogether
    follow: Callable[..., int] | None = None
    # worth(decision, values, e, d) -> what parameter e would be worth as the decision, f being d; by default values[e]
    worth: Callable[..., float] | None = None
    # narrowed(decision, explored, e, low, high): the interval of parameter e is no longer [low, high]; explored is an
    # Exploration of duelbench.bandits.algorithms.exploration.parameter_sets
    narrowed: Callable[..., None] | None = None
    # revise(decision, explored) -> whether anything can be certain that was not before; drops the parameters that f is
    # independent of. By default each is tested
    revise: Callable[..., bool] | None = None
    # conclude(decision, explored, values, rng) -> what exploration ends with; by default f at the means
    conclude: Callable[..., int] | None = None


NO_HOOKS = Hooks()


@dataclass(frozen=True)
class Decision:
    """A decision as problems name it and algorithms explore for it.

    Parameters
    ----------
    decide, losses : callable
        See above. ``losses`` returns an array (n_decisions,) float64, 0 for the best ones.
    independent, bound : callable, optional
        See above; both may say too little (False, a greater loss), never too much.
    parameters : mapping of str to Parameter
    names_parameter : bool
        Whether f(x) is the index of a mean (then exploration can be followed by exploitation), or another number.
    start : callable, optional
        ``start(n_parameters, **parameters)`` -> a NamedTuple of the class `state`.
    state : type, optional
        By the class compiled code finds these functions. Without ``start`` and ``state`` a class is made that holds
        the parameters; it serves decisions in plain Python.
    compiled : bool
        True where all functions are compiled (decorated with `duelbench.bandits.kernels.decorators.kernel`).

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
        own = {"decide": self.decide, "independent": self.independent, "bound": self.bound, **self.hooks._asdict()}
        return {name: function for name, function in own.items() if function is not None}

    def begin(self, n_parameters: int, parameters: Mapping[str, Any]) -> Any:
        """The NamedTuple that the functions take first; a ValueError where there are too few means for it."""
        assert self.start is not None
        return self.start(n_parameters, **parameters)

    def resolve(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """All parameters in their order: those given, checked, and defaults; a ValueError names one that is wrong."""
        return resolve(self.parameters, given, self.name, "the decision ")
