"""Ratios of means: what is in the interval is what two tests do not tell apart, and it holds the true ratio."""

import numpy as np
import pytest
from scipy.stats import t as student

from duelbench.statistics.differences import of_means
from duelbench.statistics.ratios import ratio_of_means


def _column(values):
    return np.array(values, dtype=np.float64)[:, np.newaxis]


def _fieller(x, y):
    """Fieller's ends, from the quadratic equation as textbooks have it."""
    n, g = len(x), student.ppf(0.975, len(x) - 1)
    (vxx, vxy), (_, vyy) = np.cov(x, y) / n
    a, b, c = y.mean() ** 2 - g**2 * vyy, x.mean() * y.mean() - g**2 * vxy, x.mean() ** 2 - g**2 * vxx
    return [(b - (b * b - a * c) ** 0.5) / a, (b + (b * b - a * c) ** 0.5) / a]


def test_without_skewness_the_ends_are_fiellers():
    rng = np.random.default_rng(3)
    half = rng.normal(size=(6, 2))
    x, y = (np.concatenate([half, -half]) + [10, 5]).T  # symmetric about the means, and so is x - r y
    ratio, low, high = ratio_of_means(_column(x), _column(y))
    assert ratio.item() == pytest.approx(2)
    assert [low.item(), high.item()] == pytest.approx(_fieller(x, y), abs=1e-9)


@pytest.mark.parametrize("seed", range(2))
def test_at_the_ends_the_difference_is_just_told_apart(seed):
    rng = np.random.default_rng(seed)
    x, y = rng.lognormal(0, 1, (2, 30))
    _, low, high = ratio_of_means(_column(x), _column(y))
    for end, inwards in ((low.item(), 1), (high.item(), -1)):
        assert of_means(x - end * y, np.zeros(30), paired=True).p == pytest.approx(0.05, abs=1e-4)
        assert of_means(x - (end + 0.01 * inwards) * y, np.zeros(30), paired=True).p > 0.05
    below, above = _fieller(x, y)
    assert low.item() <= below + 1e-9 and high.item() >= above - 1e-9


def test_an_algorithm_over_itself_is_one_without_doubt_and_multiples_are_too():
    sample = np.random.default_rng(1).lognormal(0, 1, (20, 3))
    for ends in ratio_of_means(sample, sample):
        assert ends.tolist() == [1, 1, 1]
    for ends in ratio_of_means(2 * sample, sample):
        assert ends == pytest.approx([2, 2, 2], rel=1e-6)
    # Where the second mean can be 0 there are no ends.
    ratio, low, high = ratio_of_means(_column([1, 2, 3, 2] * 2), _column([0, 0, 0, 0, 0, 0, 0, 1]))
    assert ratio.item() == 16 and np.isinf([low.item(), high.item()]).all()


@pytest.mark.parametrize(("law", "n", "least"), [("exponential", 20, 0.93), ("lognormal", 50, 0.945)])
def test_the_interval_holds_the_true_ratio(law, n, least):
    rng, n_trials = np.random.default_rng(7), 2000
    x, y = getattr(rng, law)(size=(2, n, n_trials))
    _, low, high = ratio_of_means(2 * x, y)
    # One correct test in a thousand is beyond the margin.
    assert np.mean((low <= 2) & (high >= 2)) >= least - 3.3 * (0.05 * 0.95 / n_trials) ** 0.5
