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
its duels show; the engine may cut it short (at the horizon, or when late outcomes arrive), so a state derives
everything from ``t`` and never assumes that all its rounds were played. ``update`` only accumulates: outcomes may come
late and several at once. ``standing`` is False when the engine plays every decision for one round only; a rule that
draws the length of its decisions then draws plainly, round by round.
"""

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, get_args

from duelbench.bandits import third_party
from duelbench.bandits.algorithms.signatures import check_arguments, check_class
from duelbench.bandits.kernels.never import NEVER
from duelbench.bandits.parameters import Parameter, resolve
from duelbench.bandits.problem.identification import TARGETS
from duelbench.errors import InputError, nearest

__all__ = ["NEVER", "NO_WINNER", "UNANSWERED", "Algorithm", "Assumption", "Parameter"]


NO_WINNER = -1  # What identification answers where it has found that there is no Condorcet winner.
UNANSWERED = -2  # What stands for the answer where a run was over before there was one.

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

BEFORE_A_RUN = ("refuses", "anytime_with", "name_with")  # What is called before an algorithm runs.

QUESTIONS = (*TARGETS, "top-k by borda")
"""The questions that an algorithm may answer: see `duelbench.bandits.problem.identification.Question.asked`."""

Assumption = Literal["nothing", "condorcet", "copeland", "total order", "borda"]
Source = Literal["paper", "program", "description", "own"]


@dataclass(frozen=True)
class Algorithm:
    """An algorithm as the registry lists it and the engine plays it; its functions are those of the contract above."""

    id: str  # what a spec says: d-ts-plus
    name: str  # what a legend says: D-TS+
    assumes: Assumption  # what the preference matrix must have for the algorithm's promise to hold
    anytime: bool  # False when ``start`` uses the horizon, with default parameters: run again for each horizon
    parameters: Mapping[str, Parameter]
    reference: str  # the paper, and the algorithm's number in it
    state: type  # the NamedTuple class that ``start`` returns; the engine finds the other functions by it
    start: Callable[..., Any]
    select: Callable[..., tuple[int, int, int]]
    update: Callable[..., None]
    recommend: Callable[..., int]
    explored: Callable[..., int] | None = None  # how many parameters (or arms) are still explored
    answer: Callable[..., int] | None = None  # the answer that a run has ended with; by default what it recommends
    # Fills the place of each arm, from 0, the best, in (K,) int64; for a set, 0 for arms in it and 1 for others.
    rank: Callable[..., None] | None = None
    # "duels" of the arms of a matrix, "samples" of the arms of a scalar bandit: then ``start`` and ``refuses`` have the
    # keyword ``question``, the decision asked for and its parameters, and the pair (i, 0) is a sample of arm i.
    plays: tuple[str, ...] = ("duels",)
    trace_version: int = 1  # raised by every change that alters traces: results are computed again
    reads_self_duels: bool = False  # whether ``update`` wants the fair coin of a duel of an arm with itself
    # Whether the duels of a decision are drawn one by one, so that standing decisions leave a trace bitwise as it is:
    # for decisions that stand for few rounds. Otherwise how many are won is one binomial number.
    duel_by_duel: bool = False
    # Whether outcomes of one pair that were played before any of them was reported must be reported together.
    tells_together: bool = False
    # For an algorithm that answers (SEVERAL, SEVERAL, rounds): the probability with which, in each of these rounds,
    # independently, an arm duels itself. Compiled.
    self_duel_probability: Callable[..., float] | None = None
    # For an algorithm whose choice nothing ever touches: the probability with which it plays a pair, independently, in
    # every round. The engine then plays many rounds at once. Compiled.
    pair_probability: Callable[..., float] | None = None
    compiled: bool = True  # False for an algorithm in plain Python
    parts: tuple[Any, ...] = ()  # with a stopping rule, the algorithm without it and the rule: its code is theirs, too
    # ``refuses(n_arms, horizon, **parameters)`` -> why it cannot play, in words, or None; asked often, before any run.
    refuses: Callable[..., str | None] | None = None
    answers: tuple[str, ...] = ()  # the questions that it answers, as in `Question.asked`; empty for all
    # ``anytime_with(**parameters)`` -> whether it plays without the horizon, where that depends on the parameters.
    anytime_with: Callable[..., bool] | None = None
    name_with: Callable[..., str] | None = None  # ``name_with(**parameters)`` -> another name for a legend
    # Colour, dashes and marker of its curve, by the names of `duelbench.experiments.figures.drawing.style`; by default
    # derived from the id. No two algorithms have the same dashes and marker.
    look: tuple[str, str, str] | None = None
    # What its literal transcription in the tests was written from, or compared with line by line: the paper, a program
    # that its authors or others published, a description at second hand, or nothing but ideas of our own.
    source: Source = "own"
    # Whether it only counts wins and losses, whoever chose the pairs: then earlier duels can be given to it. Others
    # would take them for duels of their own.
    learns_from_any_pair: bool = False

    @classmethod
    def of_module(
        cls, module: str, id: str, name: str, assumes: Assumption, reference: str, anytime: bool = True, **fields: Any
    ) -> "Algorithm":
        """The algorithm that a module declares, after its last function.

        Found by their names in ``module``, its ``__name__``: the class ``State``, ``PARAMETERS``, and functions, also
        with the id behind their name, as in ``start_d_ts``. ``fields`` are all others.
        """
        there = vars(sys.modules[module])
        found = {"state": there.get("State"), "parameters": there.get("PARAMETERS", {})}
        for function in (*ARGUMENTS, "start", *BEFORE_A_RUN):
            for spelling in (f"{function}_{id.replace('-', '_')}", function):
                if spelling in there:
                    found.setdefault(function, there[spelling])
        own = {"id": id, "name": name, "assumes": assumes, "reference": reference, "anytime": anytime}
        return cls(**{**found, **own, **fields})

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
        """The modules outside duelbench that define its functions and its class of states."""
        return third_party.modules([self])

    def check(self) -> None:
        """Whether the functions can be called as the engine calls them.

        Raises
        ------
        InputError
            Naming the function's file and line, or what ``assumes``, ``answers`` or a default may be.
        """
        known = get_args(Assumption)
        if self.assumes not in known:
            hint = nearest(self.assumes, known)
            raise InputError(f"{self.id}: assumes is '{self.assumes}'{hint}; it is one of {', '.join(known)}")
        for question in self.answers:
            if question not in QUESTIONS:
                hint = nearest(question, QUESTIONS)
                raise InputError(f"{self.id}: answers has '{question}'{hint}; it is a tuple of {', '.join(QUESTIONS)}")
        for name, parameter in self.parameters.items():
            if not isinstance(parameter, Parameter):
                raise InputError(
                    f"{self.id}: the parameter {name} is {parameter!r}; write Parameter({parameter!r}, 'what it means')"
                )
            try:
                parameter.check(parameter.default)
            except ValueError as error:
                raise InputError(
                    f"{self.id}: the default of the parameter {name} {error}; change one of them"
                ) from None
        for name, function in self.rules.items():
            check_arguments(self.id, function, ARGUMENTS[name], by_name=self.compiled)
        keywords = [*self.parameters, *(["question"] if "samples" in self.plays else [])]
        check_arguments(self.id, self.start, ("n_arms", "horizon", "rng", "standing"), keywords)
        if self.refuses is not None:
            check_arguments(self.id, self.refuses, ("n_arms", "horizon"), keywords)
        for function in filter(None, (self.anytime_with, self.name_with)):
            check_arguments(self.id, function, (), self.parameters)
        check_class(self.id, self.state, self.rules.values(), self.compiled)
