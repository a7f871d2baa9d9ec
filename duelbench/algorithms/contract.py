"""The contract of an algorithm: parameters, a state, and four functions.

An algorithm never sees the preference matrix, only duel outcomes::

    start(n_arms, horizon, rng, standing, **parameters) -> State   plain Python
    select(state, t, rng) -> (first, second, rounds)               compiled
    update(state, first, second, first_wins, second_wins)          compiled
    recommend(state) -> arm                                        compiled
    explored(state) -> int                                         compiled; pure exploration only
    answer(state) -> arm or NO_WINNER                              compiled; identification only
    rank(state, places)                                            compiled; rankings and sets of arms only

``t`` is the round being played, from 1. ``rounds`` is for how many consecutive rounds the decision stands, whatever
its duels show; the engine may cut it short (at the horizon, or when delayed feedback arrives), so a state derives
everything from ``t`` and never assumes that all its rounds were played. ``update`` only accumulates: outcomes may come
late and several at once. ``standing`` is False when the engine plays every decision for one round only; a rule that
draws the length of its decisions then draws plainly, round by round.
"""

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, get_args

from duelbench import third_party
from duelbench.algorithms.signatures import check_arguments, check_class
from duelbench.errors import InputError, nearest
from duelbench.kernels.never import NEVER
from duelbench.parameters import Parameter, resolve
from duelbench.problem.identification import TARGETS

__all__ = ["NEVER", "NO_WINNER", "UNANSWERED", "Algorithm", "Assumption", "Parameter"]


NO_WINNER = -1
"""What identification answers where it has found that there is no Condorcet winner."""

UNANSWERED = -2
"""What stands for the answer where a run was over before there was one."""

SEVERAL = -2
"""Both arms of a decision in which, round by round, one of several arms duels itself: see
`Algorithm.self_duel_probability`."""

ARGUMENTS = {
    "select": ("state", "t", "rng"),
    "update": ("state", "first", "second", "first_wins", "second_wins"),
    "recommend": ("state",),
    "explored": ("state",),
    "answer": ("state",),
    "rank": ("state", "places"),
    "self_duel_probability": ("state", "arm"),
    "pair_probability": ("state", "first", "second"),
}
"""What the engine calls an algorithm's functions with. Compiled functions must use these names."""

ASKED_BEFORE = ("refuses", "anytime_with", "name_with")
"""What is asked about an algorithm before it runs."""

ASKED = (*TARGETS, "top-k by borda")
"""What an algorithm may answer: see `duelbench.problem.identification.Question.asked`."""

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
        False when ``start`` uses the horizon, with default parameters; such an algorithm is run again for each horizon.
    parameters : mapping of str to Parameter
    reference : str
        The paper, and the algorithm's number in it.
    state : type
        The NamedTuple class that ``start`` returns; the engine finds the other functions by it.
    explored : callable, optional
        ``explored(state)`` -> how many parameters (or arms) are still explored; for pure exploration.
    answer : callable, optional
        ``answer(state)`` -> the answer that a run has ended with, or NO_WINNER; by default what it recommends.
    rank : callable, optional
        ``rank(state, places)`` fills the place of each arm, from 0, the best, in (K,) int64; for a set of k arms, 0 for
        those in it and 1 for the rest.
    plays : tuple of str
        ``duels`` of the arms of a matrix, ``samples`` of the arms of a scalar bandit. For these `start` has the keyword
        ``question``: the decision asked for and its parameters; the pair (i, 0) is a sample of arm i.
    trace_version : int
        Raised by every change that alters traces: results of another version are computed again.
    reads_self_duels : bool
        True when ``update`` wants the fair coin of a duel of an arm with itself.
    duel_by_duel : bool
        True when the duels of a decision are drawn one by one, so that standing decisions leave a trace bitwise as it
        is: for decisions that stand for few rounds. Otherwise how many are won is one binomial number.
    tells_together : bool
        True when outcomes of duels of one pair that are played before any of them is told must be told together.
    self_duel_probability : callable, optional
        For an algorithm that answers (SEVERAL, SEVERAL, rounds): in each of these rounds, independently, arm a duels
        itself with probability ``self_duel_probability(state, a)``. Compiled.
    pair_probability : callable, optional
        For an algorithm whose choice nothing ever touches: it plays the pair (i, j) in every round, independently, with
        probability ``pair_probability(state, i, j)``. The engine then plays many rounds at once. Compiled.
    compiled : bool
        False for an algorithm in plain Python, which the engine then plays without compiling.
    parts : tuple, optional
        Of an algorithm with a stopping rule: the algorithm without it, and the rule. They count among its code.
    refuses : callable, optional
        ``refuses(n_arms, horizon, **parameters)`` -> why it cannot play, in words, or None; asked often, before any
        run. Of scalar bandits it has the keyword ``question`` too.
    answers : tuple of str
        The questions that it answers, as in `duelbench.problem.identification.Question.asked`; a spec that asks for
        something else is refused. Empty where there is no limit.
    anytime_with : callable, optional
        ``anytime_with(**parameters)`` -> whether it plays without the horizon, where that depends on the parameters.
    name_with : callable, optional
        ``name_with(**parameters)`` -> what a legend says, where parameters make another rule of it.
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
    answer: Callable[..., int] | None = None
    rank: Callable[..., None] | None = None
    plays: tuple[str, ...] = ("duels",)
    trace_version: int = 1
    reads_self_duels: bool = False
    duel_by_duel: bool = False
    tells_together: bool = False
    self_duel_probability: Callable[..., float] | None = None
    pair_probability: Callable[..., float] | None = None
    compiled: bool = True
    parts: tuple[Any, ...] = ()
    refuses: Callable[..., str | None] | None = None
    answers: tuple[str, ...] = ()
    anytime_with: Callable[..., bool] | None = None
    name_with: Callable[..., str] | None = None

    @classmethod
    def of_module(cls, module: str, **fields: Any) -> "Algorithm":
        """The algorithm of a module that calls its functions as the contract does, and its class of states ``State``.

        ``module`` is ``__name__``, after the last function; ``fields`` are all others, and functions of another name.
        """
        there = vars(sys.modules[module])
        found = {name: there[name] for name in (*ARGUMENTS, "start", *ASKED_BEFORE) if name in there}
        return cls(**{"state": there.get("State"), **found, **fields})

    def named(self, parameters: Mapping[str, Any]) -> str:
        """What a legend says, with these parameters, and defaults for the rest."""
        if self.name_with is None:
            return self.name
        return self.name_with(**{name: parameters.get(name, p.default) for name, p in self.parameters.items()})

    def resolve(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """All parameters in the order of `parameters`: those given, checked, and defaults for the rest.

        Raises
        ------
        ValueError
            Naming the parameter that is unknown or out of range.
        """
        return resolve(self.parameters, given, self.id)

    def is_anytime(self, parameters: Mapping[str, Any]) -> bool:
        """Whether it plays without the horizon, with these parameters (all of them)."""
        return self.anytime if self.anytime_with is None else self.anytime_with(**parameters)

    @property
    def rules(self) -> dict[str, Callable[..., Any]]:
        """The functions that the engine calls in every run, by name: what makes two algorithms play alike."""
        functions = {name: getattr(self, name) for name in ARGUMENTS}
        return {name: function for name, function in functions.items() if function is not None}

    @cached_property
    def third_party_modules(self) -> tuple[str, ...]:
        """The modules that its functions and its class of states stand in, as far as they are not duelbench's."""
        return third_party.modules([self])

    def check(self) -> None:
        """Whether the functions can be called as the engine calls them.

        Raises
        ------
        InputError
            Naming the function's file and line, or what ``assumes`` and ``answers`` may be.
        """
        known = get_args(Assumption)
        if self.assumes not in known:
            hint = nearest(self.assumes, known)
            raise InputError(f"{self.id}: assumes is '{self.assumes}'{hint}; it is one of {', '.join(known)}")
        for asked in self.answers:
            if asked not in ASKED:
                raise InputError(
                    f"{self.id}: answers has '{asked}'{nearest(asked, ASKED)}; it is a tuple of {', '.join(ASKED)}"
                )
        for name, parameter in self.parameters.items():
            if not isinstance(parameter, Parameter):
                raise InputError(
                    f"{self.id}: the parameter {name} is {parameter!r}; write Parameter({parameter!r}, 'what it means')"
                )
        for name, function in self.rules.items():
            check_arguments(self.id, function, ARGUMENTS[name], by_name=self.compiled)
        keywords = [*self.parameters, *(["question"] if "samples" in self.plays else [])]
        check_arguments(self.id, self.start, ("n_arms", "horizon", "rng", "standing"), keywords)
        if self.refuses is not None:
            check_arguments(self.id, self.refuses, ("n_arms", "horizon"), keywords)
        for function in filter(None, (self.anytime_with, self.name_with)):
            check_arguments(self.id, function, (), self.parameters)
        check_class(self.id, self.state, self.rules.values(), self.compiled)
