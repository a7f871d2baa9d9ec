"""Which runs of an experiment that identifies were right, and when they answered."""

import numpy as np

from duelbench.algorithms.contract import UNANSWERED
from duelbench.problem.identification import Question, is_right, right_arms
from duelbench.problem.preferences import PreferenceMatrix
from duelbench.results.experiments import LoadedCell


def answer_columns(cell: LoadedCell, question: Question, has_budget: bool) -> dict[str, np.ndarray]:
    """What the runs of a cell have answered; ``has_budget`` says to judge what is recommended at the end instead.

    Columns of (n_runs,): ``answer`` as `Trace.answer`, nan without one; ``answered_after``, the
    rounds before the answer, nan without one; ``right``, bool, False without an answer.
    """
    assert isinstance(cell.stored.matrix, PreferenceMatrix)
    answers, finished = cell.answers, cell.finished
    nothing = np.full(cell.n_runs, np.nan)
    if has_budget:
        right = right_arms(cell.stored.matrix, question)[cell.recommended]
    elif answers is None:
        right = np.zeros(cell.n_runs, bool)
    else:
        right = judged(cell, question) & (answers != UNANSWERED)
    return {
        "answer": nothing if answers is None else answers,
        "answered_after": nothing if finished is None else np.where(finished > 0, finished - 1.0, np.nan),
        "right": right,
    }


def judged(cell: LoadedCell, question: Question) -> np.ndarray:
    """Which runs have the right answer, (n_runs,) bool; equal answers are judged once.

    A ranking or a set is judged as it stands, whether the run has answered or not.
    """
    assert cell.answers is not None and isinstance(cell.stored.matrix, PreferenceMatrix)
    known: dict[tuple[int, ...], bool] = {}
    found = []
    for run, answer in enumerate(cell.answers.tolist()):
        places = cell.places[run].tolist() if question.is_ranked and cell.places is not None else None
        key = (answer, *(places or ()))
        if key not in known:
            known[key] = is_right(cell.stored.matrix, question, answer, places)
        found.append(known[key])
    return np.array(found, bool)


def with_own_delta(cell: LoadedCell, question: Question) -> Question:
    """The question with the delta of the algorithm's own parameters."""
    parameters = cell.stored.identity.parameters
    delta = parameters.get("stop_delta", parameters.get("delta"))
    return question if delta is None else Question(**{**vars(question), "delta": float(delta)})
