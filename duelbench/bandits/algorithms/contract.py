"""The contract of an algorithm: parameters, a state, and four functions.

An algorithm never sees the preference matrix, only duel outcomes::

    start(n_arms, horizon, rng, standing, **parameters) -> State   plain Python
    select(state, t, rng) -> (first, second, rounds)               compiled
    update(state, first, second, first_wins, second_wins)          compiled
    recommend(state) -> arm                                        compiled
    explored(state) -> int                                         compiled; pure exploration only
    answer(state) -> arm or NO_WINNER                              compiled; identification only
    rank(state, places)                                            compiled; rankings and sets of arms only

``t`` is the current round, from 1. ``rounds`` is the number of consecutive rounds for which the decision holds,
whatever the outcomes of its duels; the engine may cut it short (at the horizon, or when late outcomes arrive), so a
state derives everything from ``t`` and never assumes that all these rounds were played. ``update`` only accumulates:
outcomes may come late, and several at once. ``standing`` is False if the engine plays every decision for one round
only; an algorithm that draws the length of its decisions then draws round by round instead.
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
from duelbench.bandits.problem.identification import NO_WINNER, TARGETS
from duelbench.errors import InputError, nearest

__all__ = ["NEVER", "NO_WINNER", "UNANSWERED", "Algorithm", "Assumption", "Parameter"]

UNANSWERED = -2  # The answer of a run that ended before the algorithm had one.

SEVERAL = -2
"""Both arms of a decision in which one of several arms duels itself, drawn anew in each round: see
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
"""The arguments of an algorithm's functions. Compiled functions must use these names."""

BEFORE_A_RUN = ("refuses", "anytime_with", "name_with")  # Functions that are called before a run.

QUESTIONS = (*TARGETS, "top-k by borda")
"""The questions that an algorithm can answer: see `duelbench.bandits.problem.identification.Question.asked`."""

Assumption = Literal["nothing", "condorcet", "copeland", "total order", "borda"]
Source = Literal["paper", "program", "description", "own"]


@dataclass(frozen=True)
class Algorithm:
    """An algorithm in the registry, which the engine plays; its functions follow the contract above."""

    id: str  # its name in specs: d-ts-plus
    name: str  # its name in legends: D-TS+
    assumes: Assumption  # the assumption about the preference matrix under which its guarantee holds
    anytime: bool  # False if ``start`` uses the horizon, with default parameters: then each horizon is a run of its own
    parameters: Mapping[str, Parameter]
    reference: str  # the paper, and the algorithm's number in it
    state: type  # the NamedTuple class that ``start`` returns; the engine finds the other functions by it
    start: Callable[..., Any]
    select: Callable[..., tuple[int, int, int]]
    update: Callable[..., None]
    recommend: Callable[..., int]
    explored: Callable[..., int] | None = None  # the number of parameters (or arms) that are still explored
    answer: Callable[..., int] | None = None  # the answer at the end of a run; by default the recommended arm
    # Writes the place of each arm, 0 for the best, to (K,) int64; for a set, 0 for its members and 1 for other arms.
    rank: Callable[..., None] | None = None
    # "duels" of the arms of a matrix, "samples" of the arms of a scalar bandit. With samples, ``start`` and ``refuses``
    # take the keyword ``question``, the decision and its parameters, and the pair (i, 0) is a sample of arm i.
    plays: tuple[str, ...] = ("duels",)
    trace_version: int = 1  # raised by every change that alters traces: results are computed again
    reads_self_duels: bool = False  # whether ``update`` needs the fair coin of a duel of an arm with itself
    # Whether the duels of a decision are drawn one by one, so that a decision for several rounds gives the same trace,
    # bit for bit: for decisions that hold for few rounds. Otherwise the number of wins is drawn as one binomial number.
    duel_by_duel: bool = False
    # Whether outcomes of one pair that were played before any of them was reported must be reported together.
    tells_together: bool = False
    # For an algorithm that returns (SEVERAL, SEVERAL, rounds): the probability that an arm duels itself, independently
    # in each of these rounds. Compiled.
    self_duel_probability: Callable[..., float] | None = None
    # For an algorithm that chooses without regard to outcomes: the probability that it plays a pair, independently in
    # every round. The engine then plays many rounds at once. Compiled.
    pair_probability: Callable[..., float] | None = None
    compiled: bool = True  # False for an algorithm in plain Python
    parts: tuple[Any, ...] = ()  # with a stopping rule: the algorithm and the rule, whose code counts as its own
    # ``refuses(n_arms, horizon, **parameters)`` -> why it cannot play, in words, or None; called often, before any run.
    refuses: Callable[..., str | None] | None = None
    answers: tuple[str, ...] = ()  # the questions that it answers, as in `Question.asked`; empty for all
    # ``anytime_with(**parameters)`` -> whether it plays without the horizon, if that depends on the parameters.
    anytime_with: Callable[..., bool] | None = None
    name_with: Callable[..., str] | None = None  # ``name_with(**parameters)`` -> another name for a legend
    # Colour, dashes and marker of its curve, by the names of `duelbench.experiments.figures.drawing.style`; by default
    # derived from the id. No two algorithms have the same dashes and marker.
    look: tuple[str, str, str] | None = None
    # The source of its literal transcription in the tests: the paper, a program that its authors or others published,
    # a secondary description, or our own ideas only.
    source: Source = "own"
    # Whether it only counts wins and losses, whoever chose the pairs: then you can give it earlier duels. Other
    # algorithms would take them for duels of their own.
    learns_from_any_pair: bool = False

    @classmethod
    def of_module(
        cls, module: str, id: str, name: str, assumes: Assumption, reference: str, anytime: bool = True, **fields: Any
    ) -> "Algorithm":
        """Return the algorithm that a module declares; call it after the module's last function.

        It takes from ``module``, a ``__name__``: the class ``State``, ``PARAMETERS``, and the functions of the
        contract, also if the id follows their name, as in ``start_d_ts``. ``fields`` are all other fields.
        """
        attributes = vars(sys.modules[module])
        declared = {"state": attributes.get("State"), "parameters": attributes.get("PARAMETERS", {})}
        for function in (*ARGUMENTS, "start", *BEFORE_A_RUN):
            for spelling in (f"{function}_{id.replace('-', '_')}", function):
                if spelling in attributes:
                    declared.setdefault(function, attributes[spelling])
        arguments = {"id": id, "name": name, "assumes": assumes, "reference": reference, "anytime": anytime}
        return cls(**{**declared, **arguments, **fields})

    def named(self, parameters: Mapping[str, Any]) -> str:
        """Return the name in legends with these parameters, and defaults for the rest."""
        if self.name_with is None:
            return self.name
        return self.name_with(**{name: parameters.get(name, p.default) for name, p in self.parameters.items()})

    def resolve(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Return all parameters in the order of `parameters`: these values, checked, and defaults for the rest.

        Raises
        ------
        ValueError
            Naming the parameter that is unknown or out of range.
        """
        return resolve(self.parameters, values, self.id)

    def is_anytime(self, parameters: Mapping[str, Any]) -> bool:
        """Return whether it plays without the horizon, with these parameters (all of them)."""
        return self.anytime if self.anytime_with is None else self.anytime_with(**parameters)

    @property
    def rules(self) -> dict[str, Callable[..., Any]]:
        """The functions that the engine calls in every run, by name; algorithms with the same rules play alike."""
        functions = {name: getattr(self, name) for name in ARGUMENTS}
        return {name: function for name, function in functions.items() if function is not None}

    @cached_property
    def third_party_modules(self) -> tuple[str, ...]:
        """The modules outside duelbench that define its functions and its class of states."""
        return third_party.modules([self])

    def check(self) -> None:
        """Check that the engine can call the functions.

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
