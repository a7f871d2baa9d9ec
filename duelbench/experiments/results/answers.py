"""Answers of runs whose experiment has ``identify``: which are right, and when they came."""

from collections.abc import Sequence
from dataclasses import replace
from functools import cache

import numpy as np

from duelbench.bandits.algorithms.contract import UNANSWERED
from duelbench.bandits.problem.identification import Question, is_right, right_arms
from duelbench.bandits.problem.preferences import PreferenceMatrix
from duelbench.experiments.results.experiments import LoadedCell


def answer_columns(cell: LoadedCell, question: Question, has_budget: bool) -> dict[str, np.ndarray]:
    """Return the columns about answers for a table of runs, each (n_runs,).

    ``answer`` is `Trace.answer`, and ``answered_after`` the rounds before the answer; both are nan without an answer.
    ``right`` (bool) is False without an answer; with ``has_budget`` it judges the final recommendation.
    """
    assert isinstance(cell.stored.matrix, PreferenceMatrix)
    answers, finished = cell.answers, cell.finished
    no_answer = np.full(cell.n_runs, np.nan)
    if has_budget:
        right = right_arms(cell.stored.matrix, question)[cell.recommended]
    elif answers is None:
        right = np.zeros(cell.n_runs, bool)
    else:
        right = judged(cell, question) & (answers != UNANSWERED)
    return {
        "answer": no_answer if answers is None else answers,
        "answered_after": no_answer if finished is None else np.where(finished > 0, finished - 1.0, np.nan),
        "right": right,
    }


def judged(cell: LoadedCell, question: Question) -> np.ndarray:
    """Return whether the current answer of each run is right, (n_runs,) bool.

    A ranking or a set counts as it is, even if the run has not answered yet.
    """
    matrix = cell.stored.matrix
    assert cell.answers is not None and isinstance(matrix, PreferenceMatrix)

    @cache  # most runs have the same few answers
    def is_right_answer(answer: int, places: Sequence[int] | None) -> bool:
        return is_right(matrix, question, answer, places)

    places: list[tuple[int, ...] | None] = [None] * cell.n_runs
    if question.is_ranked and cell.places is not None:
        places = [tuple(row) for row in cell.places.tolist()]
    return np.array([is_right_answer(*answer) for answer in zip(cell.answers.tolist(), places, strict=True)], bool)


def with_own_delta(cell: LoadedCell, question: Question) -> Question:
    """Return the question, with the delta of the cell's algorithm if the algorithm has one."""
    parameters = cell.stored.identity.parameters
    delta = parameters.get("stop_delta", parameters.get("delta"))
    return question if delta is None else replace(question, delta=float(delta))
