"""Claims about the shares of runs above a value and the bands around a median."""

import numpy as np
import pytest
from scipy import stats

from duelbench.bandits.statistics.tails import (
    BANDS,
    bands_of,
    clopper_pearson,
    distribution,
    fewest_runs,
    locked,
    simultaneous_half_width,
    survival,
    upper_quantile,
)


def test_a_hundred_thousand_runs_are_few_points_each_of_them_exact():
    samples = np.random.default_rng(3).pareto(1.0, 100_000).round(3)
    x, above = survival(samples)
    assert len(x) < 350
    assert above.tolist() == [int((samples > value).sum()) for value in x]
    assert (x[0], x[-1]) == (samples.min(), samples.max())
    rarest = np.unique(samples)[-30:]
    assert np.isin(rarest, x).all(), "where few runs are above every step is drawn"
    steps = above[:-40] / above[1:-39]
    assert steps.max() < 1.1, "no step that could be seen is left out"


def test_a_distribution_counts_the_samples_up_to_each_and_keeps_few_of_many_steps():
    samples = np.random.default_rng(1).lognormal(size=10_000)
    x, count = distribution(samples)
    assert len(x) <= 501 and x[0] == samples.min() and x[-1] == samples.max()
    assert count.tolist() == [int((samples <= end).sum()) for end in x]
    assert np.diff(count).max() <= 21
    assert [part.tolist() for part in distribution(np.array([3.0, 1.0, 3.0]))] == [[1, 3], [1, 3]]


@pytest.mark.parametrize("n", [5, 60])
def test_the_band_around_a_distribution_holds_all_of_it_95_times_in_100(n):
    n_trials = 4000
    ordered = np.sort(np.random.default_rng(n).random((n_trials, n)), axis=1)  # uniform: the true share up to x is x
    steps = np.arange(n + 1) / n
    farthest = np.maximum(steps[1:] - ordered, ordered - steps[:-1]).max(axis=1)
    held = np.mean(farthest <= simultaneous_half_width(n))
    assert held >= 0.95 - 3.3 * (0.05 * 0.95 / n_trials) ** 0.5 and held <= 0.99


def test_the_interval_of_a_share_is_scipys_exact_one():
    low, high = clopper_pearson(np.arange(11), 10)
    scipys = [stats.binomtest(count, 10).proportion_ci(method="exact") for count in range(11)]
    assert low == pytest.approx([one.low for one in scipys]) and high == pytest.approx([one.high for one in scipys])


def test_a_band_needs_a_run_beyond_each_of_its_ends_and_an_upper_quantile_two():
    assert {band: fewest_runs(band) for band in BANDS} == {"50": 4, "90": 20, "99": 200, "99.9": 2000}
    assert [len(bands_of(n)) for n in (1, 3, 4, 19, 20, 199, 200, 1999, 2000)] == [0, 0, 1, 1, 2, 2, 3, 3, 4]
    for name, needed in [("99", 200), ("99.9", 2000)]:
        samples = np.arange(float(needed))
        assert upper_quantile(samples[:-1], name) is None
        assert upper_quantile(samples, name) == pytest.approx((needed - 1) * (1 - 2 / needed))


def test_locked_runs_recommend_no_winner_from_a_tenth_of_the_horizon_on():
    found = np.eye(5, dtype=bool)  # the winner is recommended at one of five rounds
    assert locked(np.array([1, 9, 10, 50, 100]), found).tolist() == [True, True, False, False, False]
    assert locked(np.array([7]), np.array([[True], [False]])).tolist() == [False, True]
