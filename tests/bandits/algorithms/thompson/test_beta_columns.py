"""Tables for posteriors: what they draw has the posterior's law, and they have room."""

import numpy as np
import pytest
from scipy import stats

from duelbench.bandits.algorithms.thompson import beta_columns

POSTERIORS = [(0, 0), (1, 0), (0, 7), (36, 0), (3, 2), (30, 28), (300, 200), (40, 60), (2, 40), (12_000, 11_500)]


def table(won, lost):
    columns = np.zeros((beta_columns.MOST_COLUMNS, 4))
    return columns, beta_columns.fill_columns(columns, won, lost)


@pytest.mark.parametrize(("won", "lost"), POSTERIORS)
def test_samples_have_the_law_of_the_posterior_above_half(won, lost):
    columns, count = table(won, lost)
    rng = np.random.default_rng([won, lost])
    uniforms = beta_columns.new_uniforms(100, seed=5)
    places = np.arange(100)[::-1].copy()
    drawn = np.empty((120, 100))
    for samples in drawn:
        beta_columns.draw_samples(columns, count, won, lost, uniforms, places, 100, samples, rng)
    posterior = stats.beta(won + 1, lost + 1)

    def share_below(y):
        return 1.0 - posterior.sf((1 + y) / 2) / posterior.sf(0.5)

    assert drawn.min() > 0.0 and drawn.max() <= 1.0
    assert stats.kstest(drawn.ravel(), share_below).pvalue > 1e-5


@pytest.mark.parametrize(("won", "lost"), [*POSTERIORS, (0, 10**6), (10**6, 0), (10**8, 10**8 - 10**5), (10**8, 10**8)])
def test_columns_cover_the_posterior_next_to_each_other(won, lost):
    columns, count = table(won, lost)
    assert 30 < count <= beta_columns.MOST_COLUMNS
    inner = columns[:count, beta_columns.BEGIN]
    outer = inner + columns[:count, beta_columns.WIDTH]
    low, high = np.minimum(inner, outer), np.maximum(inner, outer)
    order = np.argsort(low)
    assert high[order][:-1] == pytest.approx(low[order][1:], rel=1e-9)
    assert low.min() <= 0.0 and high.max() >= 1.0
    sure = columns[:count, beta_columns.SURE]
    assert np.all((sure >= 0.0) & (sure <= 1.0)) and sure.mean() > 0.8
