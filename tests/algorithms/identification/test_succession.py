"""DKWT and kt-knockout: what they take where all is certain, by hand; how often they are wrong; laws that agree."""

import numpy as np

from duelbench.algorithms.contract import NEVER
from duelbench.algorithms.identification.dkwt import DKWT, KT_KNOCKOUT
from tests.algorithms.identification.games import CERTAIN, stopping_times


def test_dkwt_takes_one_stage_for_each_pair_that_is_certain():
    # g = .05 / 4, so that the first stage has 803 duels; three tests.
    assert set(stopping_times(DKWT, CERTAIN, 5)) == {3 * 803}


def test_kt_knockout_takes_eight_straight_wins_for_each_pair_that_is_certain():
    assert set(stopping_times(KT_KNOCKOUT, CERTAIN, 5)) == {3 * 8}


def test_dkwt_begins_a_new_stage_where_the_last_told_nothing():
    rng = np.random.default_rng(0)
    state = DKWT.start(2, NEVER, rng, True, delta=0.025)  # g = .0125: stages of 803 and 3918 duels
    c, j, rounds = DKWT.select(state, 1, rng)
    assert rounds == 803
    DKWT.update(state, c, j, 450, 353)  # 2 q - 1 = .121, not above 1/4
    assert DKWT.select(state, 804, rng) == (c, j, 3918)
    DKWT.update(state, c, j, 1700, 2218)  # 2 q - 1 = -.132, below -1/8
    assert DKWT.select(state, 4722, rng) == (j, j, NEVER)
