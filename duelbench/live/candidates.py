"""The algorithms that advice is about, how each comes to an answer, and what it names on many matrices.

A budget counts duels of two different arms: an arm's duels with itself cost nobody a judgement. So budgets are reached
at rounds that nobody knows beforehand, where no checkpoint can be: the algorithm is wrapped in one that counts.
"""

import contextlib
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from duelbench.algorithms import dispatch, registry
from duelbench.algorithms.contract import NEVER, Algorithm
from duelbench.algorithms.registry import UNTIL
from duelbench.algorithms.stopping.stopped import PREFIX, stopped
from duelbench.errors import InputError
from duelbench.kernels.decorators import inlined_or_plain
from duelbench.kernels.interpreting import interpreted
from duelbench.live.memory import record_earlier, whole_wins
from duelbench.live.player import warm_start
from duelbench.live.settings import RULE_AFTER_EARLIER_DUELS, STOP, has_own_test
from duelbench.problem.preferences import PreferenceMatrix
from duelbench.simulation import game
from duelbench.simulation.compiled_loops import mark_of_loop
from duelbench.simulation.run_log import new_log
from duelbench.simulation.streams import borrow, give_back, session_streams

USUAL = (
    *("d-ts-plus", "d-ts", "ecw-rmed", "kelly-elimination", "rucb"),
    *("rmed1", "ws-w", "self-sparring", "lucb-borda", "uniform"),
)
"""Simulated by default; those first that take longest to compile."""

MOST_ROUNDS = 10**6
"""Of a game, self-duels among them."""

INTERPRETED_NUMBERS = 10**6
"""Numbers that are computed, see `are_compiled`, up to which interpreting is quicker than compiling, about."""

NUMBERS_OF_A_DUEL = 100
"""What Python does for a duel whatever the number of arms takes as long as this many numbers, about."""

# --- algorithms that count ---

TALLY = np.dtype([("n_duels", np.int64), ("n_reached", np.int64), ("answered", np.int64), ("before", np.int64)])

NOT_ANSWERED = -1


class BudgetState(NamedTuple):
    """Memory of an algorithm, and what is counted; arrays are updated in place.

    The tally, (1,) TALLY, holds the duels so far, how many budgets were reached, after how many duels the algorithm had
    its answer (NOT_ANSWERED before), and how many earlier duels it knows, from which its clock goes on.
    """

    sampler: Any  # the algorithm's state
    budgets: np.ndarray  # duels of two different arms, increasing
    recommended: np.ndarray  # after each budget that was reached
    tally: np.ndarray


def counted(algorithm: Algorithm, budgets: np.ndarray) -> Algorithm:
    """The algorithm, which plays until its last budget, of increasing ones, is spent or it has an answer.

    A batch of duels ends at a budget. From the end on arm 0 duels itself, which the engine plays in one step.
    """
    dispatch.register(algorithm)

    def start(n_arms, horizon, rng, standing, **parameters):
        tally = np.rec.array([(0, 0, NOT_ANSWERED, 0)], dtype=TALLY)
        sampler = algorithm.start(n_arms, horizon, rng, standing, **parameters)
        return BudgetState(sampler, budgets, np.zeros(len(budgets), np.int64), tally)

    return replace(
        algorithm,
        id=f"{algorithm.id}-counted",
        state=BudgetState,
        start=start,
        select=select,
        update=update,
        recommend=recommend,
        explored=None,
        answer=None,
        rank=None,
        self_duel_probability=None,
        pair_probability=None,
        duel_by_duel=False,
        parts=(*algorithm.parts, algorithm),
    )


# Not kernels: the algorithm may be in plain Python, and then these are, too.


@inlined_or_plain
def select(state, t, rng):
    """The algorithm's decision, no longer than up to the next budget."""
    tally = state.tally[0]
    while tally.n_reached < state.budgets.size and tally.n_duels >= state.budgets[tally.n_reached]:
        state.recommended[tally.n_reached] = dispatch.recommend(state.sampler)
        tally.n_reached += 1
    first, second, rounds = dispatch.select(state.sampler, t + tally.before, rng)
    if first == second and rounds >= NEVER and tally.answered == NOT_ANSWERED:
        tally.answered = tally.n_duels
    if tally.answered != NOT_ANSWERED or tally.n_reached == state.budgets.size:
        return 0, 0, NEVER
    if first == second:
        return max(first, 0), max(second, 0), rounds  # below 0 they are SEVERAL: which of them is all the same here
    return first, second, min(rounds, state.budgets[tally.n_reached] - tally.n_duels)


@inlined_or_plain
def update(state, first, second, first_wins, second_wins):
    """Let duels count, here and for the algorithm."""
    if first != second:
        state.tally[0].n_duels += first_wins + second_wins
    dispatch.update(state.sampler, first, second, first_wins, second_wins)


@inlined_or_plain
def recommend(state):
    """What the algorithm recommends."""
    return dispatch.recommend(state.sampler)


# --- candidates ---


@dataclass(frozen=True)
class Candidate:
    """An algorithm with what ends it."""

    id: str  # without the rule that ends it
    algorithm: Algorithm  # with it
    parameters: dict[str, Any]  # those that are not as by default


def candidate(id: str, error: float, has_earlier: bool = False) -> Candidate:
    """An algorithm that ends with an answer, as a session does, wrong with probability ``error`` at most."""
    rule = RULE_AFTER_EARLIER_DUELS if has_earlier else STOP["rule"]
    if UNTIL in id and registry.is_known(id):
        raise InputError(f"'{id}': name the algorithm alone, {id.partition(UNTIL)[0]}; the rule is {rule}")
    algorithm = registry.get(id)
    if "duels" not in algorithm.plays:
        raise InputError(f"{id} plays no duels, and nobody can be asked to judge them")
    if has_own_test(algorithm) and not has_earlier:
        return Candidate(id, algorithm, {"delta": error})
    return Candidate(id, stopped(algorithm, rule), {f"{PREFIX}delta": error})


@dataclass(frozen=True)
class Played:
    """What an algorithm names on several matrices after several budgets."""

    named: np.ndarray  # (n_matrices, n_budgets) int64: the arm
    answered: np.ndarray  # (n_matrices, n_budgets) bool: whether the answer was there by then
    duels: np.ndarray  # (n_matrices,) int64: before the answer or the last budget, whichever came first


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
    budgets : sequence of int
        Duels of two different arms, increasing.
    seed : int
        The matrix m is played with run m of the seed, by all candidates.
    wins : (K, K) float64, optional
        Earlier duels: ``wins[i, j]`` = how often i had beaten j. They count for the stopping rule, which must be that
        of ``has_earlier``, and the algorithm is warm-started where it can be, as in a session. A fair coin decides ties
        that are left over, in each game on its own.

    Examples
    --------
    Arm 1 always wins, and after a few duels nobody doubts it.

    >>> played = play(candidate("rucb", 0.05), np.array([[[0.5, 0.0], [1.0, 0.5]]]), [2, 50], 0)
    >>> played.named.tolist(), played.answered.tolist()
    ([[1, 1]], [[False, True]])
    """
    is_long = is_warm(chosen) or are_compiled(chosen, len(matrices), len(matrices[0]), budgets, wins)
    named, answered = [], []
    with contextlib.nullcontext() if is_long else interpreted(math.inf):
        for own, horizon in _games(chosen, budgets):
            runs = [_run(chosen, P, own, horizon, (seed, m), wins) for m, P in enumerate(matrices)]
            named.append(np.array([run[0] for run in runs]))
            answered.append(np.array([run[1] for run in runs]))
            duels = np.array([run[2] for run in runs], np.int64)
    if is_long and (mark := _mark(chosen)) is not None:
        mark.touch()
    return Played(np.concatenate(named, axis=1), np.concatenate(answered, axis=1), duels)


def _games(chosen: Candidate, budgets: Sequence[int]) -> list[tuple[list[int], int]]:
    """The budgets of each game on a matrix, and its horizon: the budget, for what uses it, in a game for each."""
    if chosen.algorithm.is_anytime(chosen.algorithm.resolve(chosen.parameters)):
        return [(list(budgets), MOST_ROUNDS)]
    return [([budget], budget) for budget in budgets]


def are_compiled(
    chosen: Candidate, n_matrices: int, n_arms: int, budgets: Sequence[int], wins: np.ndarray | None = None
) -> bool:
    """Whether `play` compiles these games, for they are long.

    A duel costs K^2 numbers at most, and `NUMBERS_OF_A_DUEL`. The rule's evidence of a pair takes as many numbers as
    the square root of its duels, where it is even: of all pairs once, then of one after each duel.
    """
    of_evidence = 0.0 if wins is None else math.sqrt((wins + wins.T).max())
    duels = [own[-1] for own, _ in _games(chosen, budgets)]
    of_a_matrix = sum(n * (n_arms**2 + NUMBERS_OF_A_DUEL) + (n_arms**2 + n) * of_evidence for n in duels)
    return chosen.algorithm.compiled and n_matrices * of_a_matrix > INTERPRETED_NUMBERS


def is_warm(chosen: Candidate) -> bool:
    """Whether the compiled code of a candidate is cached, or there is nothing to compile."""
    import numba

    if getattr(numba.config, "DISABLE_JIT", False) or not chosen.algorithm.compiled:
        return True
    mark = _mark(chosen)
    return mark is not None and mark.exists()


def _mark(chosen: Candidate) -> Path | None:
    """The file that is there when it has been compiled."""
    return mark_of_loop(counted(chosen.algorithm, np.zeros(0, np.int64)), "compiled")


def _run(
    chosen: Candidate,
    P: np.ndarray,
    budgets: list[int],
    horizon: int,
    seed_and_run: tuple[int, int],
    wins: np.ndarray | None,
) -> tuple[np.ndarray, np.ndarray, int]:
    """One game on one matrix: `Played.named`, ``answered`` and ``duels`` of it."""
    problem = PreferenceMatrix(P)
    parameters = chosen.algorithm.resolve(chosen.parameters)
    game.check(chosen.algorithm, problem, horizon, parameters)
    marks = np.array(budgets, np.int64)
    random = borrow(*seed_and_run)
    arms = random.arms.permutation(problem.n_arms)
    playing, state = game.begin(counted(chosen.algorithm, marks), problem, horizon, random.algorithm, True, parameters)
    if wins is not None:
        coins, _ = session_streams(*seed_and_run)
        own = whole_wins(wins[np.ix_(arms, arms)], coins)
        record_earlier(state.sampler.tests, own)
        state.tally[0].before = warm_start(registry.get(chosen.id), state.sampler.sampler, own)
    log = new_log(np.array([horizon], np.int64), np.zeros((1, problem.n_arms, problem.n_arms)))
    game.play(playing, state, problem, log, random, arms)
    give_back(random)
    tally = state.tally[0]
    answered = (marks >= tally.answered) & (tally.answered != NOT_ANSWERED)
    is_over = answered | (np.arange(len(marks)) >= tally.n_reached)  # after the end counts what was recommended last
    return np.where(is_over, int(log.recommended[-1]), arms[state.recommended]), answered, int(tally.n_duels)
