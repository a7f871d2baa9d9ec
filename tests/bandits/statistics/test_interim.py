"""Claims about interim analyses: when they are, what they decide, and that only the runs asked for count."""

from itertools import combinations

import numpy as np
import pytest
from scipy import stats

from duelbench.bandits.statistics.differences import holm, of_means
from duelbench.bandits.statistics.interim import ABOVE, BELOW, OPEN, PRECISE, WITHIN, Until, judge


def _normal(seed, *means, n=400, spread=1.0):
    rng = np.random.default_rng(seed)
    return [rng.normal(mean, spread, n) for mean in means]


def _literal(rule, samples):
    """Who is told apart, and at which analysis: at every analysis Holm's method on all pairs that are left."""
    left, found = list(combinations(range(len(samples)), 2)), {}
    for n in rule.analyses:
        p = [stats_p(samples[i][:n], samples[j][:n]) for i, j in left]
        adjusted = [min(1.0, len(rule.analyses) * one) for one in holm(p)]
        apart = [pair for pair, one in zip(left, adjusted, strict=True) if one < 0.05]
        found |= dict.fromkeys(apart, n)
        left = [pair for pair in left if pair not in apart]
    return found


def stats_p(first, second):
    return of_means(first, second, paired=True).p


def test_analyses_grow_by_half_end_with_the_most_runs_and_share_the_error_of_5_per_cent():
    assert Until(None).analyses[:6] == (20, 30, 45, 68, 102, 153) and Until(None).analyses[-2:] == (3936, 5000)
    assert Until(None, least=50, most=50).analyses == (50,)
    assert Until(None, least=8, most=9).analyses == (8, 9)
    for rule in (Until(0.02), Until(None, most=100), Until(None, 8, 10)):
        assert rule.error * len(rule.analyses) == pytest.approx(0.05)


@pytest.mark.parametrize("seed", range(6))
def test_pairs_are_told_apart_at_the_analyses_at_which_a_literal_transcription_tells_them_apart(seed):
    samples = _normal(seed, 10, 10.2, 10.4, 11)
    rule = Until(None, 10, 400)
    judged = judge(rule, samples)
    assert {one.members: one.runs for one in judged.findings if not one.is_open} == _literal(rule, samples)
    for one in judged.findings:
        i, j = one.members
        end = samples[i][: one.runs].mean() - samples[j][: one.runs].mean()
        assert one.verdict in (OPEN, BELOW if end < 0 else ABOVE)


def test_runs_beyond_those_asked_for_change_nothing():
    samples = _normal(5, 10, 10.3, 10.6)
    for rule in (Until(None, 10, 400), Until(0.02, 10, 400), Until(None, 10, 400, margin=0.1)):
        judged = judge(rule, samples)
        assert judged.is_over and min(judged.needed) < 400
        others = [np.r_[one[:n], np.full(50, 1e6)] for one, n in zip(samples, judged.needed, strict=True)]
        assert judge(rule, others) == judged


def test_analyses_go_as_far_as_there_are_runs_without_a_gap_in_the_decisions():
    samples = _normal(5, 10, 10.3, 10.6)
    rule = Until(None, 10, 400)
    whole, n_runs = judge(rule, samples), [0, 0, 0]
    for _ in range(len(rule.analyses) + 1):
        judged = judge(rule, [one[:n] for one, n in zip(samples, n_runs, strict=True)])
        assert judged.is_over == (n_runs == list(judged.needed))
        n_runs = list(judged.needed)
    assert judged == whole


def test_what_was_told_apart_gives_its_error_away_only_where_there_is_no_margin():
    """Five pairs that are far apart and one with p between 0.05 / 6 and 0.05: Holm tells it apart, Bonferroni not."""
    p_wanted, noise, first = 0.02, np.tile([-1.0, 1.0], 10), np.arange(50.0, 70.0)
    shift = stats.t.ppf(1 - p_wanted / 2, 19) / 19**0.5
    samples = [first, first + noise + shift, first + 100, first + 200]
    assert stats_p(samples[0], samples[1]) == pytest.approx(p_wanted)
    verdicts = {
        margin: {one.members: one.verdict for one in judge(Until(None, 20, 20, margin), samples).findings}
        for margin in (None, 0.0001)
    }
    assert verdicts[None][0, 1] == BELOW and verdicts[0.0001][0, 1] == OPEN
    assert verdicts[None][2, 3] == verdicts[0.0001][2, 3] == BELOW


def test_the_others_do_not_wait_for_one_that_cannot_go_on():
    samples = _normal(3, 10, 10.2, 10.1)
    cut = [samples[0], samples[1], samples[2][:12]]
    waiting = judge(Until(None, 10, 400), cut)
    assert not waiting.is_over
    judged = judge(Until(None, 10, 400), cut, lost=[2])
    assert judged.is_over
    assert {one.members: one.runs for one in judged.findings}[0, 1] == judged.needed[0] == judged.needed[1] > 15
    assert judged.needed[2] == 10


def test_a_mean_is_known_when_half_of_students_interval_is_short_enough():
    """9 and 11 in turn have no skewness, mean 10 and standard error 1 / sqrt(n - 1)."""
    sample, rule = np.tile([9.0, 11.0], 200), Until(0.02, 20, 400)
    half = {n: stats.t.ppf(1 - rule.error / 2, n - 1) / (n - 1) ** 0.5 for n in rule.analyses if n % 2 == 0}
    enough = next(n for n in half if half[n] <= 0.2)
    (found,) = judge(rule, [sample]).findings
    assert (found.verdict, found.runs) == (PRECISE, enough)
    assert found.half_width == pytest.approx(half[enough] / 10)
    assert (found.estimate.low, found.estimate.high) == pytest.approx((10 - half[enough], 10 + half[enough]))
    # Half of the interval of 20 runs is 1.3 times as wide as wanted: 34 runs, so the analysis is at 45.
    (found,) = judge(Until(half[20] / 10 / 1.3, 20, 400), [sample[:20]]).findings
    assert found.verdict == OPEN
    last = judge(Until(1e-5, 20, 100), [sample])
    assert last.is_over and last.needed == (100,) and last.findings[0].verdict == OPEN


def test_within_the_margin_is_a_statement_about_both_sides():
    """Two tests on one side: a - 1.1 b and b - 1.1 a are both below 0, each with a p-value below the error."""
    for mean in (103, 120):
        first, second = _normal(7, 100, mean, n=20, spread=5)
        (found,) = judge(Until(None, 20, 20, margin=0.1), [first, second]).findings
        students = [stats.ttest_1samp(a - 1.1 * b, 0) for a, b in ((first, second), (second, first))]
        is_within = all(one.statistic < 0 and one.pvalue < 0.05 for one in students)
        assert (found.verdict == WITHIN) == is_within == (mean == 103)
