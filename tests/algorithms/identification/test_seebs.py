"""SEEBS: its lengths where all is certain, its terms and its stages, by hand; how often it is wrong."""

import math

import numpy as np
import pytest

from duelbench.algorithms.contract import NEVER
from duelbench.algorithms.identification.seebs import SEEBS, SORTING_OUT, terms
from tests.algorithms.identification.games import CERTAIN, stopping_times


def test_two_arms_of_which_one_always_wins_take_ninety_duels():
    # The knock-out: place(1/60, 0, 0, x) with x = 2/3 * 6 * .05 / pi^2 * 6 / pi^2 / 2 = .00616, b(26)^2 =
    # ln(pi^2 676 / (3 x)) / 52 = .2461 < 1/4 < b(25)^2. Then the worse arm meets v until it is down, after 64 straight
    # losses.
    assert set(stopping_times(SEEBS, [[0.5, 1.0], [0.0, 0.5]], 4)) == {26 + 64}


def test_the_best_of_four_takes_two_levels_and_is_met_by_the_others():
    # Level 2 has a quarter of the x of level 1: b(29)^2 = ln(4 pi^2 841 / (3 x)) / 58 = .2483 < 1/4 < b(28)^2 = .2559.
    assert set(stopping_times(SEEBS, CERTAIN, 5)) == {2 * 26 + 29 + 3 * 64}


def test_the_terms_are_those_of_the_rule():
    delta = 0.07
    for t in (1, 2, 5):
        dl = 6 * delta / (math.pi * t) ** 2
        assert terms(t, SORTING_OUT, delta) == pytest.approx((2.0**-t / 3, 2.0**-t / 3, dl / 3))
        for s in (1, 2, 4):
            x_s = 6 * (2 * dl / 3) / (math.pi * s) ** 2
            assert terms(t, s, delta) == pytest.approx((2.0**-t / 3 * 0.8**s / 4 / 2, 0.0, x_s / 2))


def played_by_hand(n_arms, better, tests):
    """The pairs tested when ``better`` says how many of 10^7 duels the first arm wins, until ``tests`` are over."""
    rng = np.random.default_rng(n_arms)
    state = SEEBS.start(n_arms, NEVER, rng, True, delta=0.05)
    pairs = []
    while len(pairs) < tests:
        i, j, rounds = SEEBS.select(state, 1, rng)
        if rounds == NEVER:
            break
        pairs.append((int(i), int(j)))
        won = better(i, j)
        SEEBS.update(state, i, j, won, 10**7 - won)
    return state, pairs


def test_arms_that_are_not_clearly_down_stay_for_the_next_stage():
    # Arms 1 to 3 win 45 % against arm 0: neither up nor down in stage 1, where down is below 1/2 - 1/6 - 1/12.
    state, pairs = played_by_hand(4, lambda i, j: 5_500_000 if i < j else 4_500_000, 3 + 3)
    assert state.progress[0].stage == 1
    SEEBS.select(state, 1, np.random.default_rng(0))
    assert state.progress[0].stage == 2 and SEEBS.explored(state) == 4
    assert len(pairs) == 6


def test_unless_the_other_is_up_v_prime_goes_on():
    rng = np.random.default_rng(3)
    state = SEEBS.start(2, NEVER, rng, True, delta=0.05)
    _, v, _ = SEEBS.select(state, 1, rng)
    SEEBS.update(state, 1 - v, v, 10**7, 10**7)
    i, j, _ = SEEBS.select(state, 1, rng)
    assert (i, j) == (1 - v, v) and state.progress[0].level == SORTING_OUT
