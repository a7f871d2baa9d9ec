"""The kept probabilities P(theta_ij > 1/2) are those of the Beta distribution."""

import math

import numpy as np
import pytest
from scipy import special, stats

from duelbench.bandits.kernels.posteriors import beta_beyond, new_posterior, observe


def play(outcomes, batch=1):
    """Posterior and counts after duels of arms 1 and 0 (in this order), ``batch`` at a time."""
    posterior, wins = new_posterior(2), np.zeros((2, 2), np.int64)
    for start in range(0, len(outcomes), batch):
        won = int(sum(outcomes[start : start + batch]))
        lost = len(outcomes[start : start + batch]) - won
        observe(posterior, wins, 1, 0, won, lost)
        wins[1, 0] += won
        wins[0, 1] += lost
    return posterior, wins


def test_comes_back_after_the_weight_was_too_small_for_a_float():
    # 1,200 wins and then 1,200 defeats: in between, binom(N, W) 2^-N is below 1e-308.
    posterior, _ = play([True] * 1200 + [False] * 1200)
    assert posterior.above[1, 0] == pytest.approx(0.5, rel=1e-9)


@pytest.mark.parametrize(
    ("won", "lost", "limit"), [(5, 3, 0.9), (3, 5, 0.6), (30, 45, 0.55), (0, 4, 0.7), (200, 150, 0.62)]
)
def test_draws_beyond_a_limit_are_as_frequent_as_those_of_the_beta_distribution_and_have_its_law(won, lost, limit):
    posterior, wins = play([True] * won + [False] * lost)
    rng = np.random.default_rng(8)
    up, down = math.log(2 * limit), math.log(2 - 2 * limit)
    draws = np.array([beta_beyond(posterior, wins, 1, 0, limit, up, down, rng) for _ in range(4000)])
    law = stats.beta(won + 1, lost + 1)
    beyond = draws[draws > 0]
    assert set(draws[draws <= 0]) == {0.0} and beyond.min() > limit
    assert stats.binomtest(len(beyond), len(draws), law.sf(limit) / law.sf(0.5)).pvalue > 1e-4
    assert stats.kstest(law.sf(beyond) / law.sf(limit), "uniform").pvalue > 1e-4


@pytest.mark.parametrize(("won", "lost"), [(0, 0), (9, 0), (90, 10), (5000, 100)])
def test_nothing_is_drawn_where_the_limit_is_below_the_mode_or_the_density_too_steep(won, lost):
    posterior, wins = play([True] * won + [False] * lost)
    rng = np.random.default_rng(8)
    assert beta_beyond(posterior, wins, 1, 0, 0.6, math.log(1.2), math.log(0.8), rng) == -1.0
    assert rng.random() == np.random.default_rng(8).random()


@pytest.mark.parametrize("duels", [1, 63, 64, 65, 1000])
def test_both_tails_are_right_relative_to_their_size_and_in_batches_too(duels):
    for p, batch in [(0.0, 1), (0.1, 1), (0.45, 1), (0.7, 1), (1.0, 1), (0.55, 2), (0.55, 64), (0.55, 500)]:
        posterior, wins = play(np.random.default_rng(5).random(duels) < p, batch)
        a, b = wins[1, 0] + 1, wins[0, 1] + 1
        tails = special.betainc([b, a], [a, b], 0.5)  # each as a lower tail: accurate however small
        assert [posterior.above[1, 0], posterior.above[0, 1]] == pytest.approx(tails, rel=1e-8, abs=1e-290)


@pytest.mark.parametrize("p", [0.02, 0.98])
def test_probabilities_stay_probabilities(p):
    outcomes = np.random.default_rng(4).random(700) < p
    for duels in range(1, 700, 30):
        above = play(outcomes[:duels])[0].above
        assert above.min() >= 0.0 and above.max() <= 1.0
