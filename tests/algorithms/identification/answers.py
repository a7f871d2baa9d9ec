"""Runs up to their answers: how many rounds they took, what the answer was, and what is claimed of both."""

import numpy as np
from scipy import stats

import duelbench
from duelbench.algorithms.contract import NEVER

CYCLIC = np.array([[0.5, 0.6, 0.6, 0.6], [0.4, 0.5, 0.9, 0.1], [0.4, 0.1, 0.5, 0.9], [0.4, 0.9, 0.1, 0.5]])


def stopping_times(algorithm, P, runs, right=0, horizon=10**6, **options):
    """(rounds before the answer, shape (runs,); how many answers were wrong). Every run must end."""
    traces = [
        duelbench.simulate(algorithm, P, horizon=horizon, run=run, checkpoints=1, **options) for run in range(runs)
    ]
    assert all(trace.finished for trace in traces)
    return np.array([trace.finished - 1 for trace in traces]), sum(trace.recommended[-1] != right for trace in traces)


def assert_no_more_wrong_answers_than(delta, wrong, runs):
    """At the level 1e-4."""
    assert stats.binomtest(wrong, runs, delta, alternative="greater").pvalue > 1e-4


def begin(algorithm, n_arms, horizon=10**6, seed=0, **parameters):
    """(state, generator) before round 1."""
    rng = np.random.default_rng(seed)
    return algorithm.start(n_arms, horizon, rng, True, **algorithm.resolve(parameters)), rng


def play_to_the_answer(algorithm, P, horizon=10**6, seed=0, **parameters):
    """(state, rounds) when the algorithm first says NEVER, by an engine of a few lines."""
    state, rng = begin(algorithm, len(P), horizon, seed, **parameters)
    duels = np.random.default_rng([seed, 1])
    t = 1
    while True:
        first, second, rounds = algorithm.select(state, t, rng)
        if rounds == NEVER:
            return state, t - 1
        assert t < horizon
        if first != second:
            wins = int(duels.binomial(rounds, P[first][second]))
            algorithm.update(state, first, second, wins, rounds - wins)
        t += rounds


def decision(algorithm, state, t=1, rng=None):
    """What `select` answers, in plain numbers."""
    return tuple(int(x) for x in algorithm.select(state, t, rng or np.random.default_rng(0)))
