"""The fit of Bradley and Terry's model, against a general optimiser and simulated judges."""

import numpy as np
import pytest
from scipy.optimize import minimize

from duelbench.bandits.statistics.bradley_terry import fit


def log_posterior(utilities, wins):
    difference = utilities[:, np.newaxis] - utilities
    return -(wins * np.logaddexp(0.0, -difference)).sum() - (utilities**2).sum() / 2


@pytest.mark.parametrize("seed", range(5))
def test_it_is_the_maximum_of_the_posterior_and_the_inverse_of_its_curvature(seed):
    rng = np.random.default_rng(seed)
    wins = rng.integers(0, [3, 30, 400][seed % 3], (5, 5)).astype(float)
    np.fill_diagonal(wins, 0.0)
    known = fit(wins)
    best = minimize(lambda u: -log_posterior(u, wins), np.zeros(5), method="BFGS", options={"gtol": 1e-8})
    assert known.utilities == pytest.approx(best.x, abs=1e-5)
    step = 1e-4
    curvature = np.array(
        [
            [
                log_posterior(known.utilities + step * (a + b), wins)
                - log_posterior(known.utilities + step * (a - b), wins)
                - log_posterior(known.utilities - step * (a - b), wins)
                + log_posterior(known.utilities - step * (a + b), wins)
                for b in np.eye(5)
            ]
            for a in np.eye(5)
        ]
    ) / (4 * step**2)
    assert known.covariance == pytest.approx(np.linalg.inv(-curvature), rel=1e-3)


def test_a_million_wins_to_none_are_finite():
    known = fit(np.array([[0.0, 1e6], [0.0, 0.0]]))
    assert np.isfinite(known.utilities).all() and known.shares[0] > 0.99999
    low, high = known.share_intervals()
    assert low[0] > 0.999 and high[0] <= 1.0


def test_intervals_hold_the_true_share_about_as_often_as_they_say():
    rng = np.random.default_rng(3)
    hits = []
    for _ in range(300):
        utilities = rng.normal(size=4)
        difference = utilities[:, np.newaxis] - utilities
        p = 1 / (1 + np.exp(-difference))
        wins = np.triu(rng.binomial(20, p), 1).astype(float)
        wins += np.tril(20 - wins.T, -1)
        low, high = fit(wins).share_intervals()
        true = (p.sum(axis=1) - 0.5) / 3
        hits.append((low < true) & (true < high))
    assert 0.93 < np.mean(hits) < 0.97
