"""What the tests of several families compare: laws of the regret, and duels with a literal transcription's."""

import math
from collections import Counter

import numpy as np
from scipy import stats

import duelbench
from tests.conformance.literal import play
from tests.conformance.players import OneDrawIntegers, pairs_played

CHECKPOINTS = [30, 100, 300, 1000, 3000]


def regrets(algorithm, matrix, runs, horizon=3000, checkpoints=CHECKPOINTS, **options):
    """Copeland regret at the checkpoints, shape (runs, checkpoints), with shuffled arms."""
    return np.array(
        [
            duelbench.simulate(
                algorithm, matrix, horizon=horizon, run=run, checkpoints=checkpoints, shuffle_arms=True, **options
            ).regret[0]
            for run in range(runs)
        ]
    )


def growth(algorithm, matrix, runs, horizon, **options):
    """R(2 T) / R(T) for T = ``horizon``, of the mean over runs."""
    R = regrets(algorithm, matrix, runs, 2 * horizon, [horizon], **options).mean(axis=0)
    return R[1] / R[0]


def assert_same_distribution(a, b):
    """Two-sample tests at every checkpoint, each at the level 1e-5: of the distribution, and of the mean."""
    for k in range(a.shape[1]):
        assert stats.ks_2samp(a[:, k], b[:, k]).pvalue > 1e-5, f"checkpoint {k}"
        error = math.hypot(stats.sem(a[:, k]), stats.sem(b[:, k]))
        assert abs(a[:, k].mean() - b[:, k].mean()) < 4.5 * error + 1e-12, f"checkpoint {k}"


def assert_standing_decisions_change_no_law(algorithm, matrix, runs, **options):
    """Regret with and without standing decisions, on different seeds."""
    on = regrets(algorithm, matrix, runs, seed=1, **options)
    off = regrets(algorithm, matrix, runs, seed=2, standing_decisions=False, **options)
    assert_same_distribution(on, off)


def assert_same_duels(algorithm, make_oracle, P, seeds, horizon, standing=True, **parameters):
    """The algorithm plays the duels of a literal transcription, given the same draws."""
    P = np.array(P)
    for seed in range(seeds):
        oracle = make_oracle(len(P), horizon, OneDrawIntegers(np.random.default_rng(seed)))
        expected = play(oracle, P, horizon, np.random.default_rng([seed, 1]))
        own, duels = np.random.default_rng(seed), np.random.default_rng([seed, 1])
        played = pairs_played(algorithm, P, horizon, own, duels, standing=standing, **parameters)
        differs = next((t for t, pair in enumerate(expected) if pair != played[t]), None)
        assert differs is None, f"seed {seed}: round {differs + 1}: {played[differs]}, not {expected[differs]}"


def state_after(algorithm, n_arms, wins, standing=True, **parameters):
    """A fresh state that has seen ``wins[i, j]`` victories of i over j, and has decided nothing yet."""
    state = algorithm.start(n_arms, 1, np.random.default_rng(0), standing, **algorithm.resolve(parameters))
    for (i, j), count in wins.items():
        algorithm.update(state, i, j, count, 0)
    return state


def decide(algorithm, state, t, seed=0):
    """The decision for round ``t``, in Python's numbers."""
    return tuple(int(x) for x in algorithm.select(state, t, np.random.default_rng(seed)))


def assert_pairs(algorithm, state, t, law, draws=3000):
    """Decided again and again, with nothing learnt, round ``t`` is of these pairs with these probabilities."""
    rng = np.random.default_rng(20140621)
    counts = Counter(tuple(int(x) for x in algorithm.select(state, t, rng)[:2]) for _ in range(draws))
    assert set(counts) <= {pair for pair, p in law.items() if p > 0}
    for pair, p in law.items():
        assert abs(counts[pair] / draws - p) <= 5 * math.sqrt(p * (1 - p) / draws), pair
