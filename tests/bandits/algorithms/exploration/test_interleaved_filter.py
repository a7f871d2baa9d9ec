"""Interleaved Filter: its tests against the paper's formulas and facts derived by hand; batches."""

import math

import numpy as np
import pytest
from scipy import stats

import duelbench
from duelbench.bandits.algorithms.exploration.interleaved_filter import (
    INTERLEAVED_FILTER,
)

STRONG_ORDER = np.where(np.triu(np.ones((4, 4)), 1) > 0, 0.9, np.where(np.eye(4) > 0, 0.5, 0.1))
CLOSE = np.array([[0.5, 0.55, 0.9], [0.45, 0.5, 0.9], [0.1, 0.1, 0.5]])


def simulate(P, **options):
    return duelbench.simulate(INTERLEAVED_FILTER, P, **options)


def after_a_sweep(wins, variant="if2"):
    """The first decision after a sweep that arm 0 ended with ``wins[b]`` of 1000 duels won against rival b.

    T = 1000 and K = 5: certain is what deviates from 1/2 by more than sqrt(4 ln(25000) / 1000) = 0.2013.
    """
    rng = np.random.default_rng(sum(wins))
    state = INTERLEAVED_FILTER.start(5, 1000, rng, True, variant=variant)
    state.incumbent[0] = 0
    state.rivals[:4] = [1, 2, 3, 4]
    for b, won in enumerate(wins, start=1):
        INTERLEAVED_FILTER.update(state, 0, b, won, 1000 - won)
    state.next_rival[0] = state.n_rivals[0]
    decision = INTERLEAVED_FILTER.select(state, 4001, rng)
    return state, tuple(int(x) for x in decision)


def rivals(state):
    return state.rivals[: state.n_rivals[0]].tolist()


class TestFilter:
    def test_if2_drops_all_rivals_that_were_behind_and_if1_keeps_them(self):
        assert rivals(after_a_sweep([298, 501, 500, 499], "if2")[0]) == [3, 4]
        assert rivals(after_a_sweep([298, 501, 500, 499], "if1")[0]) == [2, 3, 4]

    def test_late_reports_about_a_former_incumbent_are_forgotten_with_it(self):
        state, _ = after_a_sweep([100, 400, 400, 400])
        INTERLEAVED_FILTER.update(state, 0, 2, 3, 4)
        assert not state.plays.any()
        INTERLEAVED_FILTER.update(state, 1, 2, 3, 4)
        assert state.plays.tolist() == [0, 0, 7, 0, 0]


@pytest.mark.parametrize("horizon", [2000, 10**9])
def test_two_arms_of_which_one_always_wins_duel_until_c_is_below_one_half(horizon):
    # c(n) < 1/2 iff n > 16 ln(T K^2), K = 2.
    trace = simulate([[0.5, 1.0], [0.0, 0.5]], horizon=horizon, shuffle_arms=True)
    n = math.floor(16 * math.log(4 * horizon)) + 1
    assert trace.duels[0, 1] + trace.duels[1, 0] == n
    assert trace.duels[0, 0] == horizon - n
    assert trace.decisions < 20


@pytest.mark.thorough
def test_batches_change_no_distribution_where_outcomes_come_in_others():
    options = {"horizon": 4000, "shuffle_arms": True, "feedback_batch": 7, "checkpoints": [500, 2000, 4000]}
    on = np.array([simulate(CLOSE, run=run, seed=1, **options).regret[0] for run in range(1500)])
    off = np.array(
        [simulate(CLOSE, run=run, seed=2, standing_decisions=False, **options).regret[0] for run in range(1500)]
    )
    for k in range(3):
        assert stats.ks_2samp(on[:, k], off[:, k]).pvalue > 1e-4
