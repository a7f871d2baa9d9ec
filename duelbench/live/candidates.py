"""The algorithms that advice is about, how each comes to an answer, and what it names on many matrices."""

import contextlib
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from duelbench.algorithms import registry
from duelbench.algorithms.contract import Algorithm
from duelbench.algorithms.registry import UNTIL
from duelbench.algorithms.stopping.stopped import PREFIX, stopped
from duelbench.errors import InputError
from duelbench.kernels.interpreting import interpreted
from duelbench.live.counted import NOT_ANSWERED, Counted, counted
from duelbench.live.memory import tell_rule, whole_wins
from duelbench.live.player import tell_before
from duelbench.problem.preferences import PreferenceMatrix
from duelbench.simulation import game
from duelbench.simulation.compiled_loops import mark_of_loop
from duelbench.simulation.run_log import new_log
from duelbench.simulation.streams import borrow, give_back, session_streams

USUAL = (
    *("d-ts-plus", "d-ts", "ecw-rmed", "kelly-elimination", "rucb", "strongest-superior"),
    *("rmed1", "e-elimination", "ws-w", "self-sparring", "lucb-borda", "uniform"),
)
"""Those that are simulated where nobody asks for others; those first that take longest to compile."""

RULE = "e-condorcet"
"""Ends those that have no test of their own for the question who wins."""

ANSWERS = {"condorcet", "copeland"}
"""The questions of which an algorithm's own answer counts."""

MOST_ROUNDS = 10**6
"""Of a game, those in which an arm duels itself among them."""

INTERPRETED_NUMBERS = 10**6
"""Numbers that are computed, see `are_compiled`, up to which playing interpreted is quicker than compiling, about."""

NUMBERS_OF_A_DUEL = 100
"""So many numbers take as long as what Python does for a duel whatever the number of arms, about."""


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
        ``wins[i, j]`` = how often i had beaten j before. The stopping rule is told, and so is the algorithm where it
        learns from any pair (`duelbench.live.player.LEARNS_FROM_ANY_PAIR`), as in a session with these wins; a test
        of its own is not. A fair coin decides ties that are left over, in each game on its own.

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
    games = _games(chosen, budgets)
    is_long = is_warm(chosen) or are_compiled(chosen, len(matrices), len(matrices[0]), budgets, wins)
    how = contextlib.nullcontext() if is_long else interpreted(math.inf)
    named, answered = [], []
    duels = np.zeros(len(matrices), np.int64)
    with how:
        for own, horizon in games:
            runs = [_run(chosen, parameters, P, own, horizon, (seed, m), wins) for m, P in enumerate(matrices)]
            named.append(np.array([run.named for run in runs]))
            answered.append(np.array([run.answered for run in runs]))
            duels = np.array([run.duels for run in runs])
    mark = _mark(chosen) if is_long else None
    if mark is not None:
        mark.touch()
    return Played(np.concatenate(named, axis=1), np.concatenate(answered, axis=1), duels)


def _games(chosen: Candidate, budgets: Sequence[int]) -> list[tuple[list[int], int]]:
    """The budgets of each game on a matrix, and its horizon.

    What uses the horizon is told the budget; each budget is then a game of its own.
    """
    if chosen.algorithm.is_anytime(chosen.algorithm.resolve(chosen.parameters)):
        return [(list(budgets), MOST_ROUNDS)]
    return [([budget], budget) for budget in budgets]


def are_compiled(
    chosen: Candidate, n_matrices: int, n_arms: int, budgets: Sequence[int], wins: np.ndarray | None = None
) -> bool:
    """Whether `play` compiles these games, for they are long.

    A duel costs K^2 numbers at most, and `NUMBERS_OF_A_DUEL`. The rule's evidence of a pair takes as many numbers as
    the square root of its duels, where it is even: of all pairs once, then of one after each duel.

    Examples
    --------
    >>> rucb = candidate("rucb", 0.05)
    >>> are_compiled(rucb, 10, 3, [20]), are_compiled(rucb, 10_000, 3, [20])
    (False, True)
    >>> are_compiled(rucb, 10, 3, [20], np.array([[0, 1e9, 0], [1e9, 0, 0], [0, 0, 0]]))
    True
    """
    of_evidence = 0.0 if wins is None else math.sqrt((wins + wins.T).max())
    duels = [own[-1] for own, _ in _games(chosen, budgets)]
    of_a_matrix = sum(n * (n_arms**2 + NUMBERS_OF_A_DUEL) + (n_arms**2 + n) * of_evidence for n in duels)
    return chosen.algorithm.compiled and n_matrices * of_a_matrix > INTERPRETED_NUMBERS


def is_warm(chosen: Candidate) -> bool:
    """Whether the compiled code of a candidate is kept on disk, or there is nothing to compile."""
    import numba

    if getattr(numba.config, "DISABLE_JIT", False) or not chosen.algorithm.compiled:
        return True
    mark = _mark(chosen)
    return mark is not None and mark.exists()


def _mark(chosen: Candidate) -> Path | None:
    """The file that is there when it has been compiled."""
    return mark_of_loop(counted(chosen.algorithm, np.zeros(0, np.int64)), "compiled")


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
        coins, _ = session_streams(*seed_and_run)
        own = whole_wins(wins[np.ix_(arms, arms)], coins)
        tell_rule(state.sampler.tests, own)
        state.tally[0].before = tell_before(registry.get(chosen.id), state.sampler.sampler, own)
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
