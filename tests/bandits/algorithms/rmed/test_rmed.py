"""RMED2 and RMED2FH: which pairs are drawn before a pass, and what that is worth."""

import numpy as np
import pytest

from duelbench.bandits.algorithms.rmed.rmed2 import RMED2, RMED2FH
from tests.bandits.algorithms.comparing import decide, regrets
from tests.bandits.algorithms.odd_matrices import MATRICES


def start(algorithm, n_arms, horizon=10**5, **parameters):
    return algorithm.start(n_arms, horizon, np.random.default_rng(0), True, **algorithm.resolve(parameters))


class TestDrawsBeforeAPass:
    def test_once_only_they_follow_the_first_draws(self):
        # Ten pairs: 39 >= 10 x 3 ln ln 39 = 38.95..., and 38 < 10 x 3 ln ln 38 = 38.74...
        state = start(RMED2, 5, forced="once", order="index")
        assert state.first_rounds == 38
        drawn = [decide(RMED2, state, t)[:2] for t in range(1, 39)]
        assert drawn[:10] == drawn[10:20] == drawn[20:30] == [(i, j) for i in range(5) for j in range(i + 1, 5)]
        assert drawn[30:] == drawn[:8]

    def test_with_a_fixed_horizon_come_first_each_pair_in_a_row(self):
        # 3 ln ln 10^5 = 7.33...
        state = start(RMED2FH, 3, order="index")
        drawn = [decide(RMED2FH, state, t)[:2] for t in range(1, 25)]
        assert drawn == [(0, 1)] * 8 + [(0, 2)] * 8 + [(1, 2)] * 8
        assert start(RMED2FH, 3, horizon=2).first_rounds == 3
        assert start(RMED2FH, 3, horizon=3, alpha=1.0).first_rounds == 3  # ln ln 3 = 0.09...


@pytest.mark.thorough
def test_regret_is_less_than_that_of_rmed1_where_other_opponents_say_more_unless_the_sign_is_reversed():
    def mean_regret(id, **parameters):
        return regrets(id, MATRICES["cyclic"], 60, 100_000, [100_000], **parameters).mean()

    right = mean_regret("rmed2")
    assert max(right, mean_regret("rmed2fh")) < 0.5 * mean_regret("rmed1")
    assert mean_regret("rmed2", ratio_sign=-1) > 2 * right
