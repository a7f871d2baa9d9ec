"""Claims about means and bands."""

import numpy as np
import pytest
from scipy import stats

from duelbench.statistics.curves import (
    BANDS,
    FEWEST,
    confidence_interval,
    of_ends,
    proportion_interval,
    summarise,
)

TWO_ROUNDS = np.array([10, 100])
FOUR_RUNS = np.array([[0.0, 10.0], [2.0, 10.0], [4.0, 10.0], [6.0, 50.0]])


def test_the_mean_is_over_runs_at_each_round():
    curve = summarise(TWO_ROUNDS, FOUR_RUNS)
    assert curve.mean.tolist() == [3.0, 20.0]
    assert curve.runs.tolist() == [4, 4]


def test_standard_deviation_and_error_divide_by_one_run_less():
    # First round: deviations -3, -1, 1, 3, so the variance is 20 / 3.
    deviation = np.sqrt(20 / 3)
    std = summarise(TWO_ROUNDS, FOUR_RUNS, "std")
    sem = summarise(TWO_ROUNDS, FOUR_RUNS, "sem")
    assert std.high[0] == pytest.approx(3 + deviation, rel=1e-15)
    assert std.low[0] == pytest.approx(3 - deviation, rel=1e-15)
    assert sem.high[0] == pytest.approx(3 + deviation / 2, rel=1e-15)
    assert sem.low[0] == pytest.approx(3 - deviation / 2, rel=1e-15)


def test_quartiles_stand_around_the_median_also_where_the_mean_leaves_them():
    curve = summarise(TWO_ROUNDS, FOUR_RUNS, "iqr")
    assert (curve.low.tolist(), curve.line.tolist(), curve.high.tolist()) == ([1.5, 10.0], [3.0, 10.0], [4.5, 20.0])
    outlier = summarise(np.array([1]), np.array([[1.0], [2.0], [3.0], [4.0], [101.0]]), "iqr")
    assert outlier.low[0] < outlier.line[0] == 3 < outlier.high[0] < outlier.mean[0]
    assert summarise(TWO_ROUNDS, FOUR_RUNS, "sem").line.tolist() == [3.0, 20.0]


def test_fewer_runs_than_make_an_interval_have_their_range_drawn():
    runs = np.random.default_rng(4).lognormal(size=(FEWEST, 3))
    rounds = np.array([1, 10, 100])
    few = summarise(rounds, runs[:-1])
    assert few.band == "range"
    assert few.low.tolist() == runs[:-1].min(axis=0).tolist() and few.high.tolist() == runs[:-1].max(axis=0).tolist()
    assert summarise(rounds, runs).band == "ci95"
    assert summarise(rounds, runs, "range").high.tolist() == runs.max(axis=0).tolist()


def test_runs_on_one_matrix_count_as_one_observation_of_the_mean():
    # Sixteen matrices with means 0 to 15, the same 50 runs around each.
    games = np.repeat(np.arange(16), 50)
    regret = games + np.tile(np.linspace(-1, 1, 50), 16)
    pooled = summarise(np.array([10]), regret[:, None], "ci95", games)
    low, high = confidence_interval(np.arange(16.0)[:, None])
    assert (pooled.low, pooled.high) == (pytest.approx(low), pytest.approx(high))
    assert (pooled.runs.tolist(), pooled.games) == ([800], 16)
    assert summarise(np.array([10]), regret[:, None], "iqr", games).high[0] == np.quantile(regret, 0.75)
    few = summarise(np.array([10]), regret[:100, None], "ci95", games[:100])
    assert (few.band, few.low[0], few.high[0]) == ("range", pytest.approx(0), pytest.approx(1))


def test_one_run_has_no_band_and_equal_runs_one_of_no_height():
    for band in BANDS:
        alone, equal = summarise(TWO_ROUNDS, FOUR_RUNS[:1], band), summarise(TWO_ROUNDS, np.full((5, 2), 7.25), band)
        assert alone.band == "none"
        assert alone.low.tolist() == alone.mean.tolist() == alone.high.tolist()
        assert equal.low.tolist() == equal.mean.tolist() == equal.high.tolist() == [7.25, 7.25]
    with pytest.raises(ValueError, match="band must be one of"):
        summarise(TWO_ROUNDS, FOUR_RUNS, "ci90")


def test_the_interval_of_a_symmetric_sample_is_students():
    sample = np.array([[-3.0], [-1.0], [0.0], [1.0], [3.0]]) + 10
    expected = stats.t.interval(0.95, 4, loc=10, scale=stats.sem(sample[:, 0]))
    low, high = confidence_interval(sample)
    assert (low[0], high[0]) == pytest.approx(expected, rel=1e-12)


def test_the_interval_inverts_halls_transformation():
    # g1(T) = T + g T^2 / (3 sqrt n) + g^2 T^3 / (27 n) + g / (6 sqrt n) takes T = (mean - end) / sem back to
    # +-t.
    sample = np.random.default_rng(5).exponential(size=(30, 4))
    n, mean = 30, sample.mean(axis=0)
    sem = stats.sem(sample, axis=0)
    g = stats.skew(sample, axis=0)
    for end, sign in zip(confidence_interval(sample), (1, -1), strict=True):
        T = (mean - end) / sem
        g1 = T + g * T**2 / (3 * np.sqrt(n)) + g**2 * T**3 / (27 * n) + g / (6 * np.sqrt(n))
        np.testing.assert_allclose(g1, sign * stats.t.ppf(0.975, n - 1), rtol=1e-10)


def _students(sample):
    mean, half = sample.mean(axis=0), stats.t.ppf(0.975, len(sample) - 1) * stats.sem(sample, axis=0)
    return mean - half, mean + half


@pytest.mark.parametrize("n_runs", [8, 100])
def test_one_costly_run_takes_no_end_twice_as_far_from_the_mean_as_students(n_runs):
    costly = 10.0 ** np.arange(1, 7)
    sample = np.concatenate([np.random.default_rng(2).normal(400, 100, (n_runs - 1, 1)) + 0 * costly, [400 + costly]])
    for mirrored in (sample, -sample):
        (low, high), (plain_low, plain_high) = confidence_interval(mirrored), _students(mirrored)
        mean = mirrored.mean(axis=0)
        assert np.all(high - mean < 2 * (plain_high - mean)) and np.all(mean - low < 2 * (mean - plain_low))


@pytest.mark.parametrize("n_runs", [2, 8, 20])
def test_the_band_stays_between_the_smallest_and_the_largest_run(n_runs):
    sample = np.random.default_rng(7).lognormal(0, 1.5, (n_runs, 500))
    curve = summarise(np.arange(500), sample)
    assert np.all(sample.min(axis=0) <= curve.low) and np.all(curve.low < curve.mean)
    assert np.all(curve.mean < curve.high) and np.all(curve.high <= sample.max(axis=0))


@pytest.mark.parametrize("n_runs", [8, 100])
def test_the_band_has_no_spikes_when_one_run_takes_off(n_runs):
    # One of the runs stays on a wrong arm from round 1000 on and costs half a duel per round. Where Student's interval
    # grows by 58% at most from one checkpoint to the next, this one never doubles, and once it is longer, it stays so.
    rounds = np.unique(np.geomspace(1, 1e6, 146).astype(int))[1:]
    regret = np.random.default_rng(3).normal(50, 5, (n_runs, 1)) * np.log(rounds)
    regret[0] += np.maximum(0, rounds - 1000) / 2
    curve, (_, plain_high) = summarise(rounds, regret), _students(regret)
    above, below = curve.high - curve.mean, curve.mean - curve.low
    assert max((above[1:] / above[:-1]).max(), (below[1:] / below[:-1]).max()) < 2
    assert np.diff(above / (plain_high - curve.mean)).min() > -1e-3


def test_a_probability_has_an_interval_where_all_runs_were_right():
    low, high = proportion_interval(np.array([0.0, 0.5, 1.0]), 100)
    assert (low[0], high[2]) == (pytest.approx(0, abs=1e-15), pytest.approx(1))
    assert high[0] == pytest.approx(1 - low[2]) == pytest.approx(1.96**2 / (100 + 1.96**2), rel=1e-4)
    expected = stats.binomtest(50, 100).proportion_ci(method="wilson")
    assert (low[1], high[1]) == pytest.approx(expected, rel=1e-12)
    for n in range(1, 100):
        low, high = proportion_interval(np.array([0.0, 1.0]), n)
        assert low[0] == 0.0 and high[1] == 1.0 and low[1] > 0.0 and high[0] < 1.0


LAWS = {
    "normal": (lambda rng, shape: rng.normal(5, 2, shape), 5.0),
    "gamma, skewness 1": (lambda rng, shape: rng.gamma(4, 1, shape), 4.0),
    "exponential, skewness 2": (lambda rng, shape: rng.exponential(1, shape), 1.0),
}


@pytest.mark.parametrize("n_runs", [30, 100])
@pytest.mark.parametrize("law", LAWS)
def test_the_interval_holds_the_true_mean_95_times_in_100(law, n_runs):
    draw, true_mean = LAWS[law]
    samples = draw(np.random.default_rng(20), (n_runs, 2000))
    low, high = confidence_interval(samples)
    covered = int(np.sum((low <= true_mean) & (true_mean <= high)))
    least, most = stats.binom.ppf([0.001, 0.999], 2000, 0.95)
    assert least <= covered <= most


def test_horizons_run_again_become_one_point_each():
    short = summarise(np.array([1, 10]), np.array([[0.0, 1.0], [0.0, 3.0]]), "sem")
    long = summarise(np.array([1, 100]), np.array([[0.0, 8.0]]), "sem")
    both = of_ends([short, long])
    assert both.rounds.tolist() == [10, 100]
    assert both.mean.tolist() == [2.0, 8.0]
    assert both.low.tolist() == [1.0, 8.0]
    assert both.runs.tolist() == [2, 1]
    assert both.band == "sem"
