"""Aggregates over problems agree with SciPy's and with plain loops, and their intervals hold what they should."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import mannwhitneyu, norm, trim_mean

from duelbench.statistics.aggregates import (
    RESAMPLES,
    improvements,
    interquartile_mean,
    percentile_ends,
    profile,
    resamples,
)


def test_improvements_are_mann_and_whitneys_averaged_over_problems():
    rng = np.random.default_rng(4)
    samples = [rng.integers(0, 6, (n, 3)).astype(np.float64) for n in (7, 7, 12)]
    found = improvements(samples)
    for i, first in enumerate(samples):
        for j, second in enumerate(samples):
            by_problem = [
                mannwhitneyu(second[:, k], first[:, k], alternative="greater").statistic / (len(first) * len(second))
                for k in range(3)
            ]
            assert found[i, j] == pytest.approx(np.mean(by_problem))
    assert found + found.T == pytest.approx(np.ones((3, 3)))


def test_resamples_draw_runs_of_each_problem_by_itself_and_depend_on_key_and_size_alone():
    sample = np.arange(10.0).reshape(5, 2)  # even numbers on the first problem, odd ones on the second
    parts = [np.concatenate(own) for own in zip(*resamples([sample, sample + 100], [3, 4]), strict=True)]
    first, second = parts
    assert len(first) == RESAMPLES
    assert set(np.unique(first[..., 0])) == {0, 2, 4, 6, 8} and set(np.unique(first[..., 1])) == {1, 3, 5, 7, 9}
    assert np.mean(first[..., 0] == first[..., 1] - 1) < 0.5, "problems are drawn apart"
    (alone,) = (np.concatenate(own) for own in zip(*resamples([sample + 100], [4]), strict=True))
    assert alone.tolist() == second.tolist()
    assert np.mean(first, axis=(0, 1)) == pytest.approx([4, 5], abs=4 * 8**0.5 / (5 * RESAMPLES) ** 0.5)


def test_the_interquartile_mean_is_scipys_trimmed_mean_and_a_profile_counts_the_scores_up_to_each_place():
    for n in (1, 8, 41):
        scores = np.random.default_rng(n).lognormal(size=(5, n))
        assert interquartile_mean(scores) == pytest.approx([trim_mean(row, 0.25) for row in scores], rel=1e-12)
    scores, at = np.random.default_rng(2).integers(0, 9, (3, 20)) / 2, np.array([0.0, 1.3, 2.0, 9.0])
    assert profile(scores, at).tolist() == [[np.mean(row <= x) for x in at] for row in scores]


@pytest.mark.thorough
def test_the_interval_holds_the_true_interquartile_mean_of_skewed_scores():
    low, high = norm.ppf([0.25, 0.75])
    true = 2 * quad(lambda z: np.exp(z) * norm.pdf(z), low, high)[0]  # of lognormal scores
    rng, n_trials, held = np.random.default_rng(9), 300, 0
    for _ in range(n_trials):
        sample = rng.lognormal(size=(20, 2))
        drawn = np.concatenate([own.reshape(len(own), -1) for (own,) in resamples([sample], [0])])
        below, above = percentile_ends(interquartile_mean(drawn))
        held += below <= true <= above
    assert held / n_trials >= 0.93 - 3.3 * (0.05 * 0.95 / n_trials) ** 0.5
