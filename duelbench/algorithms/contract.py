"""What an algorithm is: parameters, a state, and four functions.

An algorithm never sees the preference matrix, only duel outcomes::

    start(n_arms, horizon, rng, standing, **parameters) -> State   plain Python
    select(state, t, rng) -> (first, second, rounds)               compiled
    update(state, first, second, first_wins, second_wins)          compiled
    recommend(state) -> arm                                        compiled
    explored(state) -> int                                         compiled; pure exploration only

``t`` is the round being played, from 1. ``rounds`` is for how many consecutive rounds the decision stands, whatever
its duels show; the engine may cut it short (at the horizon, or when delayed feedback arrives), so a state derives
everything from ``t`` and never assumes that all its rounds were played. ``update`` only accumulates: outcomes may come
late and several at once. ``standing`` is False when the engine plays every decision for one round only; a rule that
draws the length of its decisions then draws plainly, round by round.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from duelbench.parameters import Parameter, resolve

__all__ = ["NEVER", "Algorithm", "Assumption", "Parameter"]

NEVER = 2**62
"""Rounds that a decision stands which nothing can change, and the round of an event that does not come."""

SEVERAL = -2
"""Both arms of a decision in which, round by round, one of several arms duels itself: see
`Algorithm.self_duel_probability`."""


class UnfitQuestion(ValueError):
    """Raised by `start`: the algorithm cannot answer such a question."""


Assumption = Literal["nothing", "condorcet", "copeland", "total order", "borda"]


@dataclass(frozen=True)
class Algorithm:
    """An algorithm as the registry lists it and the engine plays it.

    Parameters
    ----------
    id, name : str
        ``id`` is what a spec says (``d-ts-plus``), ``name`` what a legend says (``D-TS+``).
    assumes : str
        What the preference matrix must have for the algorithm's promise to hold.
    anytime : bool
        False when ``start`` uses the horizon; such an algorithm is run anew for each horizon of a curve.
    parameters : mapping of str to Parameter
    reference : str
        The paper, and the algorithm's number in it.
    state : type
        The NamedTuple class that ``start`` returns; the engine finds the other functions by it.
    trace_version : int
        Raised by every change that alters traces: results of another version are computed anew.
    explored : callable, optional
        ``explored(state)`` -> how many parameters (or arms) are still explored; for algorithms of pure exploration.
    plays : tuple of str
        The problems it can play: ``duels`` of the arms of a matrix, ``samples`` of the arms of a scalar bandit. For
        these `start` has the keyword ``question``: the decision asked for and its parameters; ``n_arms`` is N, the
        pair (i, 0) a sample of arm i, and what is recommended a decision.
    reads_self_duels : bool
        True when ``update`` wants the fair coin of a duel of an arm with itself.
    self_duel_probability : callable, optional
        For an algorithm that answers (SEVERAL, SEVERAL, rounds): in each of these rounds, independently, one of several
        arms duels itself, arm a with probability ``self_duel_probability(state, a)``. Compiled.
    compiled : bool
        False for an algorithm in plain Python, which the engine then plays without compiling.
    """

    id: str
    name: str
    assumes: Assumption
    anytime: bool
    parameters: Mapping[str, Parameter]
    reference: str
    state: type
    start: Callable[..., Any]
    select: Callable[..., tuple[int, int, int]]
    update: Callable[..., None]
    recommend: Callable[..., int]
    explored: Callable[..., int] | None = None
    plays: tuple[str, ...] = ("duels",)
    trace_version: int = 1
    reads_self_duels: bool = False
    self_duel_probability: Callable[..., float] | None = None
    compiled: bool = True

    def resolve(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """All parameters in the order of `parameters`: those given, checked, and defaults for the rest.

        Raises
        ------
        ValueError
            Naming the parameter that is unknown or out of range.
        """
        return resolve(self.parameters, given, self.id)
