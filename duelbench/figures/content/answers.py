"""What an experiment has identified: how often its answers were right, when they came, and errors at budgets."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from duelbench.algorithms import registry
from duelbench.algorithms.contract import UNANSWERED
from duelbench.errors import InputError
from duelbench.problem.identification import Question, right_arms, scores_of, true_rank
from duelbench.problem.identification_bounds import least_duels
from duelbench.problem.preferences import PreferenceMatrix
from duelbench.results.answers import judged, with_own_delta
from duelbench.results.experiments import LoadedCell
from duelbench.spec.assumptions import lacking
from duelbench.statistics.answers import ErrorRate, Times, error_rate, mean_and_error, times_of


@dataclass(frozen=True)
class Identified:
    """The answers of one algorithm on one problem."""

    question: Question  # with the delta that this algorithm was given
    right: int  # runs
    unanswered: int
    # wrong runs among all of them. On several random matrices, on each of which runs are alike, its ends are 0 and 1.
    error: ErrorRate
    times: Times  # rounds before the answer
    # mean and standard error of the duels of two different arms, up to the horizon where there was no answer
    duels: tuple[float, float | None]
    # lower bound on the mean number of duels; None where no bound is known, and on several matrices
    least: float | None
    # what the algorithm assumes and a matrix does not have, in words: then delta is not guaranteed
    lacking: str | None = None

    @property
    def over_least(self) -> float | None:
        """Mean duels over the bound; None where either is not known."""
        return None if self.times.mean is None or self.least is None else self.duels[0] / self.least

    @property
    def is_above(self) -> bool:
        """Whether the runs show more errors than delta allows."""
        return self.error.is_above(self.question.delta)


@dataclass(frozen=True)
class AtBudget:
    """What is recommended after one budget."""

    budget: int  # rounds
    error: ErrorRate  # runs that recommend a wrong arm
    rank: tuple[float, float | None]  # mean and standard error of the true rank of the arm recommended, from 1
    # of the rank that the algorithm gives the true winner, from 1; None where it does not rank, and before the horizon
    winner_rank: tuple[float, float | None] | None
    difficulty: float  # (p - 1/2)^2 of the two arms of highest score


def identified(cells: Sequence[LoadedCell], question: Question) -> Identified | None:
    """The answers of an algorithm, on one matrix or several alike; None where it does not end with answers."""
    if any(cell.answers is None for cell in cells):
        return None
    asked = with_own_delta(cells[0], question)
    correct = np.concatenate([judged(cell, asked) for cell in cells])
    answered = np.concatenate([cell.answers != UNANSWERED for cell in cells if cell.answers is not None])
    wrong = int(np.count_nonzero(answered & ~correct))
    finished = np.concatenate([cell.finished for cell in cells if cell.finished is not None])
    matrix = cells[0].stored.matrix
    assert isinstance(matrix, PreferenceMatrix)
    is_one = len(cells) == 1
    error = error_rate(wrong, len(correct))
    return Identified(
        question=asked,
        right=int(np.count_nonzero(answered & correct)),
        unanswered=int(np.count_nonzero(~answered)),
        error=error if is_one else ErrorRate(wrong, len(correct), 0.0, 1.0),
        times=times_of(finished, cells[0].stored.horizon),
        duels=mean_and_error(np.concatenate([cell.real_duels for cell in cells]).astype(np.float64)),
        least=least_duels(matrix, asked) if is_one else None,
        lacking=next(filter(None, map(_lacking, cells)), None),
    )


def _lacking(cell: LoadedCell) -> str | None:
    """What the algorithm of a cell assumes and its matrix does not have; None also for a plug-in that is not loaded."""
    try:
        return lacking(registry.get(cell.stored.algorithm), cell.stored.matrix)
    except InputError:
        return None


def at_budgets(cell: LoadedCell, question: Question) -> tuple[AtBudget, ...]:
    """What is recommended after each checkpoint; of an algorithm that uses the horizon after the last one only."""
    matrix = cell.stored.matrix
    assert isinstance(matrix, PreferenceMatrix)
    right, scores = right_arms(matrix, question), scores_of(matrix, question)
    ranks = np.array([true_rank(scores, arm) for arm in range(matrix.n_arms)], np.float64)
    found = []
    for k, budget in enumerate(cell.rounds.tolist()):
        is_last = k == len(cell.rounds) - 1
        if not (is_last or cell.stored.anytime):
            continue
        recommended = cell.recommendations[:, k]
        wrong = int(np.count_nonzero(~right[recommended]))
        of_winner = None
        if is_last and cell.places is not None and right.any():
            of_winner = mean_and_error(cell.places[:, right].min(axis=1) + 1.0)
        error, rank = error_rate(wrong, cell.n_runs), mean_and_error(ranks[recommended])
        found.append(AtBudget(budget, error, rank, of_winner, _difficulty(matrix, question)))
    return tuple(found)


def _difficulty(matrix: PreferenceMatrix, question: Question) -> float:
    """(p - 1/2)^2 of the two arms of highest score."""
    best, second = np.argsort(-scores_of(matrix, question), kind="stable")[:2]
    return float((matrix.P[best, second] - 0.5) ** 2)
