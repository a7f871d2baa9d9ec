"""What pure exploration promises: the decision it ends with costs more than epsilon with probability delta at most.
The share of wrong decisions among all runs is tested against delta by the exact binomial law, one-sided: a promise that
is just kept fails once in 10^4 tests. That the test can fail is shown with radii that are far too small.
"""

import dataclasses
import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import pytest
from scipy import stats

import duelbench
from duelbench.bandits.algorithms import registry
from duelbench.bandits.algorithms.contract import Algorithm
from duelbench.bandits.problem.winners import borda_winners, condorcet_winner, copeland_winners

DELTA = 0.1
RUNS, SLOW_RUNS, BROKEN_RUNS = 1000, 20_000, 400

CYCLE = [[0.5, 0.6, 0.6, 0.6], [0.4, 0.5, 0.9, 0.1], [0.4, 0.1, 0.5, 0.9], [0.4, 0.9, 0.1, 0.5]]
TWO_WINNERS = [[0.5, 0.3, 0.8, 0.7], [0.7, 0.5, 0.35, 0.8], [0.2, 0.65, 0.5, 0.4], [0.3, 0.2, 0.6, 0.5]]
NOT_CONDORCET = [[0.5, 0.45, 0.8, 0.8], [0.55, 0.5, 0.52, 0.52], [0.2, 0.48, 0.5, 0.6], [0.2, 0.48, 0.4, 0.5]]


class Promise(NamedTuple):
    """An algorithm that promises (epsilon, delta), what it is played on, and how many parameters that has."""

    id: str
    problem: Any
    n_parameters: int
    options: Mapping[str, Any] = {}
    horizon: int = 10**5

    def wrong(self) -> set[int]:
        """The decisions that cost more than epsilon."""
        if self.id in RIGHT:
            return set(range(self.problem.n_arms)) - set(RIGHT[self.id](self.problem))
        return {d for d, loss in enumerate(self.problem.losses) if loss > self.options.get("epsilon", 0) + 1e-12}


RIGHT = {
    "savage-copeland": copeland_winners,
    "savage-condorcet": lambda P: [condorcet_winner(P)],
    "savage-borda": borda_winners,
}


def matrix(rows):
    return duelbench.PreferenceMatrix(rows)


bandit = duelbench.scalar_bandit
PROMISES = {
    "argmax": Promise("savage", bandit([0.7, 0.55, 0.5, 0.2]), 4),
    "argmax, tests at times": Promise("savage", bandit([0.7, 0.55, 0.5, 0.2]), 4, {"test_every": 25}),
    "argmax, anytime": Promise("savage", bandit([0.7, 0.55, 0.5, 0.2]), 4, {"eta": "anytime"}),
    "argmax, epsilon": Promise("savage", bandit([0.6, 0.58, 0.45, 0.4]), 4, {"epsilon": 0.1}),
    "rigged": Promise("savage", bandit([0.9, 0.7, 0.5, 0.2], "rigged", m=1), 4),
    "rigged, epsilon": Promise("savage", bandit([0.9, 0.65, 0.6, 0.2], "rigged", m=1), 4, {"epsilon": 0.2}),
    "counting": Promise("savage", bandit([0.5, 0.25, 0.8], "counting"), 3),
    "counting, epsilon": Promise("savage", bandit([0.5, 0.41, 0.59, 0.8, 0.2], "counting"), 5, {"epsilon": 1}),
    "elimination": Promise("elimination", bandit([0.7, 0.5, 0.4, 0.4]), 4),
    "copeland": Promise("savage-copeland", matrix(CYCLE), 6),
    "copeland, two winners": Promise("savage-copeland", matrix(TWO_WINNERS), 6, {"accept": "empty"}),
    "copeland, until certain": Promise("savage-copeland", matrix(TWO_WINNERS), 6, {"accept": "singleton"}),
    "condorcet": Promise("savage-condorcet", matrix(CYCLE), 6),
    "borda": Promise("savage-borda", matrix(NOT_CONDORCET), 4),
}


def broken(promise: Promise) -> Algorithm:
    """The algorithm with a radius an eighth as wide, or, where it has ln t^2 in it, of next to nothing at t = 1.

    Another delta has that effect.
    """
    algorithm = registry.get(promise.id)
    n, horizon = promise.n_parameters, promise.horizon
    too_bold = DELTA * (2 * n * horizon / DELTA) ** (1 - 1 / 8**2)
    if promise.id == "elimination":
        too_bold = 4 * n / 1.05
    elif "eta" in promise.options:
        too_bold = math.pi**2 * n / 3 / 1.05

    def start(*args, **parameters):
        return algorithm.start(*args, **{**parameters, "delta": too_bold})

    return dataclasses.replace(algorithm, start=start)


def wrong_decisions(promise: Promise, runs: int, algorithm: Algorithm | None = None) -> int:
    """How many of ``runs`` runs end with a wrong decision; nearly all must end."""
    wrong = promise.wrong()
    n_ended = n_wrong = 0
    for run in range(runs):
        trace = duelbench.simulate(
            algorithm or promise.id,
            promise.problem,
            horizon=promise.horizon,
            seed=1013,
            run=run,
            checkpoints=1,
            shuffle_arms=True,
            delta=DELTA,
            **promise.options,
        )
        n_ended += trace.finished > 0
        n_wrong += trace.finished > 0 and int(trace.recommended[-1]) in wrong
    assert n_ended >= 0.9 * runs
    return n_wrong


def is_kept(n_wrong: int, runs: int) -> bool:
    return stats.binomtest(n_wrong, runs, DELTA, alternative="greater").pvalue > 1e-4


@pytest.mark.thorough
@pytest.mark.parametrize("name", PROMISES)
def test_a_wrong_decision_has_probability_delta_at_most(name):
    assert is_kept(wrong_decisions(PROMISES[name], RUNS), RUNS)


@pytest.mark.thorough
@pytest.mark.usefixtures("untried")
@pytest.mark.parametrize("name", ["argmax", "elimination", "copeland"])
def test_a_radius_that_is_too_small_is_noticed(name):
    assert not is_kept(wrong_decisions(PROMISES[name], BROKEN_RUNS, broken(PROMISES[name])), BROKEN_RUNS)


@pytest.mark.slow
@pytest.mark.parametrize("name", PROMISES)
def test_a_wrong_decision_has_probability_delta_at_most_in_many_runs(name):
    assert is_kept(wrong_decisions(PROMISES[name], SLOW_RUNS), SLOW_RUNS)
