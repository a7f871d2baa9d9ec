"""Aggregates over problems agree with SciPy's and with plain loops, and their intervals hold what they should."""

import numpy as np
import pytest
from scipy.stats import mannwhitneyu, trim_mean

from duelbench.statistics.aggregates import (
    RESAMPLES,
    improvements,
    interquartile_mean,
    percentile_ends,
    profile,
    resamples,
)


@pytest.mark.parametrize("n", [1, 8, 41])
def test_the_interquartile_mean_is_the_mean_trimmed_by_a_quarter_at_each_end(n):
    scores = np.random.default_rng(n).lognormal(size=(5, n))
    assert interquartile_mean(scores) == pytest.approx([trim_mean(row, 0.25) for row in scores], rel=1e-12)


def test_a_profile_counts_the_scores_up_to_each_place():
    scores, at = np.random.default_rng(2).integers(0, 9, (3, 20)) / 2, np.array([0.0, 1.3, 2.0, 9.0])
    counted = [[np.mean([score <= x for score in row]) for x in at] for row in scores]
    assert profile(scores, at).tolist() == counted


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
            plain = np.mean(
                [[(a < b) + (a == b) / 2 for a in first[:, k] for b in second[:, k]] for k in range(3)], axis=1
            )
            assert found[i, j] == pytest.approx(np.mean(by_problem)) and found[i, j] == pytest.approx(np.mean(plain))
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


@pytest.mark.thorough
def test_the_interval_holds_the_true_interquartile_mean_of_skewed_scores():
    n = 20
    # Of lognormal scores: the mean between the quartiles, by numerical integration of exp(z) over normal z.
    from scipy.integrate import quad
    from scipy.stats import norm

    low, high = norm.ppf([0.25, 0.75])
    true = 2 * quad(lambda z: np.exp(z) * norm.pdf(z), low, high)[0]
    rng, n_trials, held = np.random.default_rng(9), 300, 0
    for _ in range(n_trials):
        sample = rng.lognormal(size=(n, 2))
        drawn = np.concatenate([own.reshape(len(own), -1) for (own,) in resamples([sample], [0])])
        below, above = percentile_ends(interquartile_mean(drawn))
        held += below <= true <= above
    assert held / n_trials >= 0.93 - 3.3 * (0.05 * 0.95 / n_trials) ** 0.5
