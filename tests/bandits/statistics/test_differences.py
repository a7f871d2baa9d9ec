"""Claims about differences between two samples."""

import numpy as np
import pytest
from scipy import stats

from duelbench.bandits.statistics.differences import fewest_for, holm, of_means, of_quantiles


def _statistics():
    return {
        "mean": lambda a, b: of_means(a, b, paired=True),
        "mean, not paired": lambda a, b: of_means(a, b, paired=False),
        "median": lambda a, b: of_quantiles(a, b, 0.5),
        "0.9-quantile": lambda a, b: of_quantiles(a, b, 0.9),
    }


@pytest.mark.parametrize("statistic", _statistics())
def test_p_fits_the_interval_which_moves_and_turns_round_with_the_samples(statistic):
    rng, seen = np.random.default_rng(8), set()
    for shift in np.repeat(np.linspace(0, 4, 20), 3):
        a, b = rng.lognormal(size=(2, 40))
        found = _statistics()[statistic](a + shift, b)
        different = not found.low <= 0 <= found.high
        assert (found.p < 0.05) == different
        seen.add(different)
        scaled, back = _statistics()[statistic](10 * (a + shift) + 5, 10 * b), _statistics()[statistic](b, a + shift)
        assert (scaled.low, scaled.high) == pytest.approx((10 * found.low + 5, 10 * found.high + 5))
        assert (found.low, found.high, found.p) == pytest.approx((-back.high, -back.low, back.p))
    assert seen == {True, False}


def test_equal_differences_leave_nothing_to_doubt():
    a = np.array([1.0, 5.0, 9.0])
    assert of_means(a + 2, a, paired=True).p == 0 and of_means(a + 2, a, paired=True).low == 2
    same = of_means(a, a, paired=True)
    assert (same.low, same.high, same.p) == (0, 0, 1)


def test_a_quantile_has_two_ends_from_as_many_runs_on_as_it_says():
    for share in (0.5, 0.9, 0.1):
        n = fewest_for(share)
        assert np.isfinite([of_quantiles(np.arange(n), np.arange(n), share).low]).all()
        assert not np.isfinite(of_quantiles(np.arange(n - 1), np.arange(n - 1), share).low)


def test_holms_p_values_are_between_the_plain_ones_and_bonferronis():
    p = [0.2, 0.001, 0.04, 0.012]
    adjusted = holm(p)
    assert adjusted == pytest.approx([0.2, 0.004, 0.08, 0.036])
    assert all(plain <= corrected <= min(1, 4 * plain) for plain, corrected in zip(p, adjusted, strict=True))
    assert holm([]) == []


def test_the_interval_of_a_mean_is_students_or_welchs_without_skewness_and_holds_it_with():
    even = np.array([1.0, 2.0, 3.0, 4.0, 5.0])
    skewed, other = np.random.default_rng(4).lognormal(size=(2, 25))
    for a, b in ((even, 3 * even - 8), (skewed, other)):
        for found, scipys in (
            (of_means(a, b, paired=True), stats.ttest_rel(a, b)),
            (of_means(a, b, paired=False), stats.ttest_ind(a, b, equal_var=False)),
        ):
            low, high = scipys.confidence_interval(0.95)
            assert found.low <= low + 1e-12 and high - 1e-12 <= found.high and found.p >= scipys.pvalue - 1e-12
            if a is even:
                assert (found.low, found.high, found.p) == pytest.approx((low, high, scipys.pvalue))


def test_one_huge_run_moves_a_median_and_its_interval_little():
    a, b = np.random.default_rng(1).normal(100, 5, (2, 50))
    before = of_quantiles(a, b, 0.5)
    after = of_quantiles(np.append(a, 1e6), np.append(b, 100), 0.5)
    assert abs(after.low - before.low) < 2 and abs(after.high - before.high) < 2
