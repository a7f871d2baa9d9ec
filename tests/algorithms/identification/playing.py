"""Runs of algorithms of identification up to their answer."""

from typing import NamedTuple

import numpy as np

from duelbench.algorithms.contract import Algorithm
from duelbench.problem.preferences import PreferenceMatrix
from duelbench.simulation.game import begin, play
from duelbench.simulation.run_log import new_log
from duelbench.simulation.streams import streams

LONG = 10**9
"""Rounds of a run; once there is an answer they cost nothing, unless every round is played as a decision of its own."""


class Ending(NamedTuple):
    """How a run ends.

    duels : int. The rounds before the answer.
    answer : int. The arm, or NO_WINNER.
    recommended : int. The arm that is recommended in the end.
    """

    duels: int
    answer: int
    recommended: int


def ending(
    algorithm: Algorithm, P, run: int, seed: int = 0, standing: bool = True, delay: int = 1, **parameters
) -> Ending:
    """One run, without shuffled arms; it must end."""
    problem = PreferenceMatrix(np.array(P))
    horizon = LONG if standing else 20_000
    random = streams(seed, run)
    log = new_log(np.array([horizon]), np.zeros((1, problem.n_arms, problem.n_arms)), explores=True)
    algorithm, state = begin(algorithm, problem, horizon, random.algorithm, standing, algorithm.resolve(parameters))
    play(algorithm, state, problem, log, random, feedback_delay=delay, standing=standing)
    (finished,) = log.finished
    assert finished > 0, "unanswered"
    answer = algorithm.recommend if algorithm.answer is None else algorithm.answer
    return Ending(int(finished) - 1, int(answer(state)), int(log.recommended[-1]))


def endings(algorithm: Algorithm, P, runs: int, **options) -> list[Ending]:
    """Runs 0, 1, ... of `ending`."""
    return [ending(algorithm, P, run, **options) for run in range(runs)]


def durations(algorithm: Algorithm, P, runs: int, **options) -> np.ndarray:
    """The duels up to the answer, shape (runs,)."""
    return np.array([one.duels for one in endings(algorithm, P, runs, **options)])
