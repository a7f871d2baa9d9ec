"""Matrices, runs up to their answers, and what is claimed of these."""

import numpy as np
from scipy import stats

import duelbench

HORIZON = 10**8
"""Standing decisions make the rest of a run free."""

CERTAIN = np.triu(np.ones((4, 4)), 1) + 0.5 * np.eye(4)
"""Each arm surely beats all later ones."""

CYCLIC = np.array([[0.5, 0.6, 0.6, 0.6], [0.4, 0.5, 0.9, 0.1], [0.4, 0.1, 0.5, 0.9], [0.4, 0.9, 0.1, 0.5]])
"""Arm 0 beats the others, which beat each other in a circle."""

STEEP = np.where(np.triu(np.ones((4, 4)), 1) > 0, 0.8, np.where(np.eye(4) > 0, 0.5, 0.2))
"""Each arm beats all later ones with probability 0.8."""


def runs_of(algorithm, P, runs, **options):
    """Traces of so many runs, each of which has come to its end."""
    options = {"horizon": HORIZON, "shuffle_arms": True, "checkpoints": 1, **options}
    traces = [duelbench.simulate(algorithm, P, run=run, **options) for run in range(runs)]
    assert all(trace.finished > 0 for trace in traces)
    return traces


def stopping_times(algorithm, P, runs, **options):
    """The number of rounds before the answer, in each of so many runs."""
    return np.array([trace.finished - 1 for trace in runs_of(algorithm, P, runs, **options)])


def assert_no_more_wrong_answers_than(delta, wrong, runs):
    """At the level 1e-4."""
    assert stats.binomtest(wrong, runs, delta, alternative="greater").pvalue > 1e-4


def begin(algorithm, n_arms, horizon=10**6, seed=0, **parameters):
    """(state, generator) before round 1."""
    rng = np.random.default_rng(seed)
    return algorithm.start(n_arms, horizon, rng, True, **algorithm.resolve(parameters)), rng


def decision(algorithm, state, t=1, rng=None):
    """What `select` answers, in plain numbers."""
    return tuple(int(x) for x in algorithm.select(state, t, rng or np.random.default_rng(0)))
