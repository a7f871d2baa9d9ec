"""IIR: its steps where all is certain, by hand; that it ranks; how often it is wrong."""

import numpy as np
import pytest
from scipy import stats

from duelbench.algorithms.contract import NEVER
from duelbench.algorithms.identification.iir import IIR
from tests.algorithms.identification.games import STEEP, stopping_times


def new(n_arms, seed=0, delta=0.05):
    return IIR.start(n_arms, NEVER, np.random.default_rng(seed), True, delta=delta)


def ranking(state):
    places = np.full(state.order.size, -1)
    IIR.rank(state, places)
    return places


def test_two_arms_of_which_one_always_wins_take_33_steps():
    # The root takes 20 straight wins (y = 1/16, b(20)^2 = .2488). Each step at the leaf takes 22, y = 1 - sqrt(15/16):
    # b(22)^2 = ln(pi^2 484 / (3 y)) / 44 = .2460 < 1/4 < b(21)^2 = .2556. x_1 = 6 * .025 / pi^2 = .0152; the count
    # s - 1 exceeds 1 + s/2 + sqrt(s/2 ln(pi^2 s^2 / (3 x_1))) = 31.78 at s = 33, and at 32 it does not exceed 31.03.
    assert set(stopping_times(IIR, [[0.5, 1.0], [0.0, 0.5]], 4)) == {20 + 32 * 22}


def test_a_certain_order_is_ranked():
    P = np.triu(np.ones((6, 6)), 1) + 0.5 * np.eye(6)
    for run in range(5):
        rng = np.random.default_rng(run)
        state = new(6, run)
        rounds = 0
        while rounds != NEVER:
            i, j, rounds = IIR.select(state, 1, rng)
            if rounds != NEVER:
                won = int(P[i, j]) * rounds
                IIR.update(state, i, j, won, rounds - won)
        assert ranking(state).tolist() == [0, 1, 2, 3, 4, 5]
        assert i == j == 0 and IIR.explored(state) == 0


@pytest.mark.thorough
def test_an_arm_is_out_of_its_place_in_a_share_delta_of_runs_at_most():
    wrong = 0
    for run in range(60):
        rng = np.random.default_rng(run)
        state = new(4, run, delta=0.3)
        rounds = 0
        while rounds != NEVER:
            i, j, rounds = IIR.select(state, 1, rng)
            if rounds != NEVER:
                won = int(rng.binomial(rounds, STEEP[i, j]))
                IIR.update(state, i, j, won, rounds - won)
        wrong += ranking(state).tolist() != [0, 1, 2, 3]
    assert stats.binomtest(wrong, 60, 0.3, alternative="greater").pvalue > 1e-4
