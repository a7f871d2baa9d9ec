"""Answers of identification: after how many rounds each run had its own, and whether it was right."""

from dataclasses import dataclass

import numpy as np

from duelbench.errors import InputError
from duelbench.figures.content.answers import with_own_delta
from duelbench.figures.content.finals import longest
from duelbench.figures.content.panels import check_number_of_panels
from duelbench.problem.identification import Question
from duelbench.problem.identification_bounds import least_duels
from duelbench.problem.preferences import PreferenceMatrix
from duelbench.results.answers import judged
from duelbench.results.experiments import Experiment, LoadedCell


@dataclass(frozen=True, eq=False)
class Answers:
    """The answers of one algorithm on one problem.

    Parameters
    ----------
    problem, algorithm, label : str
    rounds : (n_runs,) float64
        Before the answer; infinite for runs without one.
    is_right : (n_runs,) bool
        False for runs without an answer.
    planned : int
        How many runs the spec asks for.
    horizon : int
        After so many rounds nobody waited any longer.
    delta : float
        The probability of a wrong answer that is allowed.
    bound : float, optional
        A lower bound on the mean number of duels before the answer, where one is known.
    """

    problem: str
    algorithm: str
    label: str
    rounds: np.ndarray
    is_right: np.ndarray
    planned: int
    horizon: int
    delta: float
    bound: float | None = None

    @property
    def runs(self) -> int:
        """How many runs there are."""
        return len(self.rounds)

    @property
    def n_answered(self) -> int:
        """How many have an answer."""
        return int(np.isfinite(self.rounds).sum())

    @property
    def n_wrong(self) -> int:
        """How many have a wrong one."""
        return self.n_answered - int(self.is_right.sum())

    @property
    def mean(self) -> float:
        """Rounds before the answer, mean over the runs; infinite where one has none, nan without runs."""
        return float(self.rounds.mean()) if self.runs else float("nan")


def answer_times(experiment: Experiment) -> list[Answers]:
    """The answers of every algorithm on every problem that ends with one; the others are left out.

    Raises
    ------
    InputError
        When the spec does not ask for answers, no algorithm gives any, or there are too many problems for a figure.
    """
    question = question_of(experiment)
    if "budget" in experiment.results.spec:
        raise InputError(f"{experiment.name} has budgets, in place of answers; --kind error draws what they are worth")
    cells = [cell for cell in longest(experiment.cells) if cell.finished is not None]
    if not cells:
        raise InputError(f"{experiment.name}: no algorithm ends with an answer; give one the key 'stop'")
    check_number_of_panels(experiment, len({cell.stored.problem for cell in cells}))
    return [_answers(cell, question) for cell in cells]


def question_of(experiment: Experiment) -> Question:
    """What the algorithms are to find out.

    Raises
    ------
    InputError
        When the spec does not say.
    """
    question = experiment.results.question
    if question is None:
        raise InputError(
            f"{experiment.name} does not say what is to be found out; add 'identify: {{target: condorcet}}' to its spec"
            " and run it again: what was played is used again"
        )
    return question


def _answers(cell: LoadedCell, question: Question) -> Answers:
    stored, asked = cell.stored, with_own_delta(cell, question)
    assert cell.finished is not None and isinstance(stored.matrix, PreferenceMatrix)
    return Answers(
        stored.problem,
        stored.algorithm,
        stored.label,
        np.where(cell.finished > 0, cell.finished - 1.0, np.inf),
        judged(cell, asked) & (cell.finished > 0),
        stored.n_runs,
        stored.horizon,
        asked.delta,
        least_duels(stored.matrix, asked),
    )
