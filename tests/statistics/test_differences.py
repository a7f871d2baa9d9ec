"""Claims about differences between two samples."""

import numpy as np
import pytest
from scipy import stats

from duelbench.statistics.differences import fewest_for, holm, of_means, of_quantiles

SKEWED = np.random.default_rng(4).lognormal(size=(2, 25))


def _statistics():
    return {
        "mean": lambda a, b: of_means(a, b, paired=True),
        "mean, not paired": lambda a, b: of_means(a, b, paired=False),
        "median": lambda a, b: of_quantiles(a, b, 0.5),
        "0.9-quantile": lambda a, b: of_quantiles(a, b, 0.9),
    }


def test_the_interval_of_a_mean_holds_students_and_welchs():
    a, b = SKEWED
    for found, scipys in (
        (of_means(a, b, paired=True), stats.ttest_rel(a, b)),
        (of_means(a, b[:20], paired=False), stats.ttest_ind(a, b[:20], equal_var=False)),
    ):
        students = scipys.confidence_interval(0.95)
        assert found.low <= students.low + 1e-12 and students.high - 1e-12 <= found.high
        assert found.p >= scipys.pvalue - 1e-12


def test_without_skewness_they_are_students_and_welchs():
    a = np.array([1.0, 2.0, 3.0, 4.0, 5.0])
    found, scipys = of_means(a, np.zeros(5), paired=True), stats.ttest_1samp(a, 0.0)
    assert (found.low, found.high) == pytest.approx(scipys.confidence_interval(0.95))
    assert found.p == pytest.approx(scipys.pvalue)
    found, scipys = of_means(a, 3 * a - 8, paired=False), stats.ttest_ind(a, 3 * a - 8, equal_var=False)
    assert (found.low, found.high) == pytest.approx(scipys.confidence_interval(0.95))
    assert found.p == pytest.approx(scipys.pvalue)


@pytest.mark.parametrize("statistic", _statistics())
def test_p_is_below_5_per_cent_exactly_where_the_interval_is_without_0(statistic):
    rng, seen = np.random.default_rng(8), set()
    for shift in np.repeat(np.linspace(0, 4, 20), 3):
        a, b = rng.lognormal(size=(2, 40))
        found = _statistics()[statistic](a + shift, b)
        different = not found.low <= 0 <= found.high
        assert (found.p < 0.05) == different
        seen.add(different)
    assert seen == {True, False}


@pytest.mark.parametrize("statistic", _statistics())
def test_a_shift_moves_the_interval_a_scale_stretches_it_and_exchanging_the_samples_turns_it_round(statistic):
    a, b = np.random.default_rng(8).lognormal(size=(2, 40))
    of = _statistics()[statistic]
    first, second, back = of(a, b), of(10 * a + 5, 10 * b), of(b, a)
    assert (second.low, second.high) == pytest.approx((10 * first.low + 5, 10 * first.high + 5))
    assert (first.low, first.high, first.p) == pytest.approx((-back.high, -back.low, back.p))


def test_equal_differences_leave_nothing_to_doubt():
    a = np.array([1.0, 5.0, 9.0])
    assert of_means(a + 2, a, paired=True).p == 0 and of_means(a + 2, a, paired=True).low == 2
    same = of_means(a, a, paired=True)
    assert (same.low, same.high, same.p) == (0, 0, 1)


def test_pairs_make_a_mean_more_precise_where_matrices_differ_more_than_algorithms():
    rng = np.random.default_rng(2)
    of_matrix = rng.lognormal(5, 1, 50)
    a, b = of_matrix + rng.normal(1, 1, 50), of_matrix + rng.normal(0, 1, 50)
    assert of_means(a, b, paired=True).p < 0.05 < of_means(a, b, paired=False).p


def test_a_quantile_has_two_ends_from_as_many_runs_on_as_it_says():
    for share in (0.5, 0.9, 0.1):
        n = fewest_for(share)
        assert np.isfinite([of_quantiles(np.arange(n), np.arange(n), share).low]).all()
        assert not np.isfinite(of_quantiles(np.arange(n - 1), np.arange(n - 1), share).low)


def test_one_huge_run_moves_a_median_and_its_interval_little():
    a, b = np.random.default_rng(1).normal(100, 5, (2, 50))
    before = of_quantiles(a, b, 0.5)
    after = of_quantiles(np.append(a, 1e6), np.append(b, 100), 0.5)
    assert abs(after.low - before.low) < 2 and abs(after.high - before.high) < 2


def test_holms_p_values_are_between_the_plain_ones_and_bonferronis():
    p = [0.2, 0.001, 0.04, 0.012]
    adjusted = holm(p)
    assert adjusted == pytest.approx([0.2, 0.004, 0.08, 0.036])
    assert all(plain <= corrected <= min(1, 4 * plain) for plain, corrected in zip(p, adjusted, strict=True))
    assert holm([]) == []
