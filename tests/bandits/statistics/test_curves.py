"""Claims about means and bands."""

import numpy as np
import pytest
from scipy import stats

from duelbench.bandits.statistics.curves import (
    BANDS,
    FEWEST,
    confidence_interval,
    proportion_interval,
    summarise,
)

TWO_ROUNDS = np.array([10, 100])
FOUR_RUNS = np.array([[0.0, 10.0], [2.0, 10.0], [4.0, 10.0], [6.0, 50.0]])


def test_means_deviations_errors_and_quartiles_are_those_of_four_runs():
    # First round: deviations -3, -1, 1, 3, so the variance is 20 / 3. The second mean leaves the quartiles.
    bands = {name: summarise(TWO_ROUNDS, FOUR_RUNS, name) for name in ("std", "sem", "iqr")}
    for name, half in {"std": (20 / 3) ** 0.5, "sem": (5 / 3) ** 0.5}.items():
        assert bands[name].mean.tolist() == [3.0, 20.0]
        assert bands[name].runs.tolist() == [4, 4]
        assert (bands[name].low[0], bands[name].high[0]) == pytest.approx((3 - half, 3 + half), rel=1e-15)
    assert [part.tolist() for part in (bands["iqr"].low, bands["iqr"].median, bands["iqr"].high)] == [
        *([1.5, 10.0], [3.0, 10.0], [4.5, 20.0]),
    ]


def test_fewer_runs_than_make_an_interval_have_their_range_drawn_and_more_stay_inside_of_it():
    runs = np.random.default_rng(4).lognormal(0, 1.5, size=(20, 100))
    rounds = np.arange(100)
    few = summarise(rounds, runs[: FEWEST - 1])
    least, most = runs[: FEWEST - 1].min(axis=0), runs[: FEWEST - 1].max(axis=0)
    assert (few.band, few.low.tolist(), few.high.tolist()) == ("range", least.tolist(), most.tolist())
    for n_runs in (FEWEST, 20):
        curve, sample = summarise(rounds, runs[:n_runs]), runs[:n_runs]
        assert curve.band == "ci95"
        assert np.all(sample.min(axis=0) <= curve.low) and np.all(curve.low < curve.mean)
        assert np.all(curve.mean < curve.high) and np.all(curve.high <= sample.max(axis=0))


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


def test_the_interval_inverts_halls_transformation():
    # g1(T) = T + g T^2 / (3 sqrt n) + g^2 T^3 / (27 n) + g / (6 sqrt n) takes T = (mean - end) / sem back to +-t.
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


@pytest.mark.parametrize("n_runs", [30, 100])
def test_the_interval_holds_the_true_mean_95_times_in_100(n_runs):
    rng, shape = np.random.default_rng(20), (n_runs, 2000)
    least, most = stats.binom.ppf([0.001, 0.999], 2000, 0.95)
    for true_mean, draw in [(0, rng.standard_normal), (1, rng.standard_exponential)]:
        low, high = confidence_interval(draw(shape))
        assert least <= int(np.sum((low <= true_mean) & (true_mean <= high))) <= most, true_mean
