"""Checks, before anything runs, that the algorithms, problems and definitions of regret of a spec are compatible."""

import time
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from duelbench.bandits import third_party
from duelbench.bandits.algorithms.contract import Algorithm
from duelbench.bandits.problem import round_losses
from duelbench.bandits.problem.preferences import PreferenceMatrix
from duelbench.bandits.problem.regret import DEFINITIONS
from duelbench.bandits.problem.scalar_bandit import ScalarBandit
from duelbench.bandits.problem.winners import condorcet_winner
from duelbench.bandits.problem.worlds import losses
from duelbench.bandits.problem.worlds.world import AnyProblem, World, at_first
from duelbench.bandits.simulation import game
from duelbench.errors import InputError
from duelbench.experiments.spec.experiment_spec import Entry, Problem, Sweep

BUDGET_SECONDS = 2.0
"""The time limit for starting plug-ins without `refuses`, in all; after it, only their runs show what they refuse."""

_answers: dict[tuple[Any, ...], str | None] = {}
_spent = 0.0


def why_not(algorithm: Algorithm, parameters: Mapping[str, Any], problem: AnyProblem, horizon: int) -> str | None:
    """Return why an algorithm cannot play a problem, in words; None if it can, as far as is known before running.

    Calls `Algorithm.refuses`; starts a plug-in that has none.

    Examples
    --------
    >>> from duelbench.bandits.algorithms import registry
    >>> rucb = registry.get("rucb")
    >>> why_not(rucb, rucb.resolve({}), PreferenceMatrix([[0.5, 0.9], [0.1, 0.5]]), 1000) is None
    True
    """
    problem = at_first(problem)
    question = (problem.decision.name, repr(problem.parameters)) if isinstance(problem, ScalarBandit) else None
    case = (algorithm.id, repr(parameters), problem.n_arms, question, horizon)
    if case not in _answers:
        _answers[case] = _try_start(algorithm, parameters, problem, horizon)
    return _answers[case]


def _try_start(
    algorithm: Algorithm, parameters: Mapping[str, Any], problem: PreferenceMatrix | ScalarBandit, horizon: int
) -> str | None:
    global _spent
    try:
        game.check(algorithm, problem, horizon, parameters)
        if algorithm.refuses is None and algorithm.third_party_modules and _spent < BUDGET_SECONDS:
            began = time.monotonic()
            game.begin(algorithm, problem, horizon, np.random.default_rng(0), True, parameters)
            _spent += time.monotonic() - began
    except InputError as error:
        return str(error)
    except (Exception, SystemExit) as error:  # whatever a plug-in raises
        place = third_party.place_of(error)
        return f"{algorithm.id} cannot start: {type(error).__name__}: {error}{f' ({place})' if place else ''}"
    return None


def refusal(problems: Iterable[Problem], entry: Entry) -> str | None:
    """Return why an entry cannot play one of the problems to one of its horizons; None if it can."""
    answers = (
        why_not(entry.algorithm, entry.parameters, problem.matrix, horizon)
        for problem in problems
        for horizon in entry.horizons
    )
    return next(filter(None, answers), None)


def sweep_refusals(sweep: Sweep, entries: Iterable[Entry], horizon: int) -> list[str]:
    """Return why algorithms cannot play a value of a sweep, a sentence for each of these algorithms."""
    first_refusals = (next(_at_values(sweep, entry, horizon), None) for entry in entries)
    return [why for why in first_refusals if why is not None]


def _at_values(sweep: Sweep, entry: Entry, horizon: int) -> Iterator[str]:
    """Yield why an algorithm cannot play values of a sweep, a sentence for each of these values."""
    for problem in sweep.problems or sweep.bases:
        for value in [problem.point.value] if problem.point else sweep.values:
            swept, rounds = entry, horizon
            if not sweep.problems:
                swept, rounds = sweep.settings(entry, value, horizon)
            answer = why_not(swept.algorithm, swept.parameters, problem.matrix, rounds)
            if answer is not None:
                yield f"at {sweep.over} = {value}, {answer}"


def regret_refusal(name: str, problem: Problem) -> str | None:
    """Return why a problem does not allow a regret definition; None if it does."""
    definition = DEFINITIONS.get(name) or round_losses.ANNOUNCED.get(name)
    matrix = problem.matrix
    try:
        if isinstance(matrix, World):
            losses.check(name, matrix)
        elif name in losses.STATIC:
            return f"'{name}' is for a world that changes, the key 'world'"
        elif definition is None or not definition.needs_condorcet_winner or isinstance(matrix, ScalarBandit):
            round_losses.check(name, matrix)
        elif condorcet_winner(matrix) is None:
            return f"'{name}' needs a Condorcet winner; {problem.described} has none"
    except InputError as error:
        return f"{problem.name}: {error}" if problem.name and isinstance(matrix, World) else str(error)
    return None
