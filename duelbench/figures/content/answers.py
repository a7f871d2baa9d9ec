"""Answers of identification: after how many rounds each run had its own, and whether it was right."""

from dataclasses import dataclass

import numpy as np


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
