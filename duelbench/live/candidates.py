"""The algorithms that advice is about, how each comes to an answer, and what it names on many matrices."""

import contextlib
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from duelbench.algorithms import registry
from duelbench.algorithms.contract import Algorithm
from duelbench.algorithms.registry import UNTIL
from duelbench.algorithms.stopping.stopped import PREFIX, stopped
from duelbench.errors import InputError
from duelbench.kernels.interpreting import interpreted
from duelbench.live.counted import NOT_ANSWERED, Counted, counted
from duelbench.live.memory import tell_rule
from duelbench.live.settings import HORIZON
from duelbench.problem.preferences import PreferenceMatrix
from duelbench.simulation import game
from duelbench.simulation.run_log import new_log
from duelbench.simulation.streams import borrow, give_back

USUAL = (
    *("d-ts-plus", "d-ts", "ecw-rmed", "kelly-elimination", "rucb", "strongest-superior"),
    *("rmed1", "e-elimination", "ws-w", "self-sparring", "lucb-borda", "uniform"),
)
"""Those that are simulated where nobody asks for others; those first that take longest to compile."""

RULE = "e-condorcet"
"""Ends those that have no test of their own for the question who wins."""

ANSWERS = {"condorcet", "copeland"}
"""The questions of which an algorithm's own answer counts."""

INTERPRETED_NUMBERS = 10**6
"""Matrices times duels times K^2 up to which playing interpreted is quicker than compiling, about."""


@dataclass(frozen=True)
class Candidate:
    """An algorithm with what ends it.

    Parameters
    ----------
    id : str
        Without the rule that ends it.
    algorithm : Algorithm
        With it.
    parameters : dict
        All that is not as it is by default.
    """

    id: str
    algorithm: Algorithm
    parameters: dict[str, Any]

    @property
    def rule(self) -> str | None:
        """The stopping rule; None where the algorithm has a test of its own."""
        return None if self.algorithm.id == self.id else RULE


def candidate(id: str, error: float) -> Candidate:
    """An algorithm that ends with an answer, which is wrong with probability ``error`` at most.

    Parameters
    ----------
    id : str
    error : float
        Between 0 and 1, both excluded.

    Raises
    ------
    InputError
        When there is no such algorithm, or it cannot be asked for a winner by duels.

    Examples
    --------
    >>> candidate("rucb", 0.05).algorithm.id, candidate("kelly-elimination", 0.05).algorithm.id
    ('rucb-until-e-condorcet', 'kelly-elimination')
    """
    if UNTIL in id and registry.is_known(id):
        raise InputError(f"'{id}': name the algorithm alone, {id.partition(UNTIL)[0]}; the rule is {RULE}")
    algorithm = registry.get(id)
    if "duels" not in algorithm.plays:
        raise InputError(f"{id} plays no duels, and nobody can be asked to judge them")
    if ANSWERS & set(algorithm.answers) and "delta" in algorithm.parameters:
        return Candidate(id, algorithm, {"delta": error})
    return Candidate(id, stopped(algorithm, RULE), {f"{PREFIX}delta": error})


@dataclass(frozen=True)
class Played:
    """What an algorithm names on several matrices after several budgets.

    Parameters
    ----------
    named : (n_matrices, n_budgets) int64
        The arm.
    answered : (n_matrices, n_budgets) bool
        Whether the answer was there by then.
    duels : (n_matrices,) int64
        Before the answer or the last budget, whichever came first.
    """

    named: np.ndarray
    answered: np.ndarray
    duels: np.ndarray


def play(
    chosen: Candidate,
    matrices: Sequence[np.ndarray] | np.ndarray,
    budgets: Sequence[int],
    seed: int,
    wins: np.ndarray | None = None,
) -> Played:
    """Play a candidate once on each matrix.

    Parameters
    ----------
    chosen : Candidate
    matrices : (n, K, K) float64
    budgets : sequence of int
        Duels of two different arms, increasing.
    seed : int
        The matrix m is played with run m of the seed, by all candidates.
    wins : (K, K) float64, optional
        ``wins[i, j]`` = how often i had beaten j before, of which the stopping rule is told; half
        a win is left out. The algorithm is not, nor is its own test.

    Returns
    -------
    Played

    Raises
    ------
    InputError
        When the algorithm cannot play so many arms.

    Examples
    --------
    Arm 1 always wins, and after a few duels nobody doubts it.

    >>> played = play(candidate("rucb", 0.05), np.array([[[0.5, 0.0], [1.0, 0.5]]]), [2, 50], 0)
    >>> played.named.tolist(), played.answered.tolist()
    ([[1, 1]], [[False, True]])
    """
    parameters = chosen.algorithm.resolve(chosen.parameters)
    is_anytime = chosen.algorithm.is_anytime(parameters)
    # What uses the horizon is told the budget; each budget is then a game of its own.
    games = [(list(budgets), HORIZON)] if is_anytime else [([budget], budget) for budget in budgets]
    n_numbers = sum(own[-1] for own, _ in games) * len(matrices) * len(matrices[0]) ** 2
    how = interpreted(math.inf) if n_numbers <= INTERPRETED_NUMBERS else contextlib.nullcontext()
    named, answered = [], []
    duels = np.zeros(len(matrices), np.int64)
    with how:
        for own, horizon in games:
            runs = [_run(chosen, parameters, P, own, horizon, (seed, m), wins) for m, P in enumerate(matrices)]
            named.append(np.array([run.named for run in runs]))
            answered.append(np.array([run.answered for run in runs]))
            duels = np.array([run.duels for run in runs])
    return Played(np.concatenate(named, axis=1), np.concatenate(answered, axis=1), duels)


@dataclass(frozen=True)
class _Run:
    named: np.ndarray
    answered: np.ndarray
    duels: int


def _run(
    chosen: Candidate,
    parameters: dict[str, Any],
    P: np.ndarray,
    budgets: list[int],
    horizon: int,
    seed_and_run: tuple[int, int],
    wins: np.ndarray | None,
) -> _Run:
    """One game on one matrix."""
    problem = PreferenceMatrix(P)
    game.check(chosen.algorithm, problem, horizon, parameters)
    marks = np.array(budgets, np.int64)
    random = borrow(*seed_and_run)
    arms = random.arms.permutation(problem.n_arms)
    playing, state = game.begin(counted(chosen.algorithm, marks), problem, horizon, random.algorithm, True, parameters)
    if wins is not None and chosen.rule is not None:
        tell_rule(state.sampler.tests, wins[np.ix_(arms, arms)])
    log = new_log(np.array([horizon], np.int64), np.zeros((1, problem.n_arms, problem.n_arms)))
    game.play(playing, state, problem, log, random, arms)
    give_back(random)
    return _ended(state, int(log.recommended[-1]), arms, marks)


def _ended(state: Counted, last: int, arms: np.ndarray, budgets: np.ndarray) -> _Run:
    """What was named after each budget: the answer from the answer on, and after the end what was recommended last."""
    tally = state.tally[0]
    answered = (budgets >= tally.answered) & (tally.answered != NOT_ANSWERED)
    is_over = answered | (np.arange(len(budgets)) >= tally.n_reached)
    return _Run(np.where(is_over, last, arms[state.recommended]), answered, int(tally.n_duels))
