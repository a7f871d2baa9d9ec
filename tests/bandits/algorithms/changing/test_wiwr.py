"""WIWR: shares, epochs and gaps worked out by hand, standing decisions, corrupted outcomes."""

import math

import numpy as np
import pytest

from duelbench.bandits.algorithms.changing.wiwr import WIWR

CONDORCET = [[0.5, 0.8, 0.9], [0.2, 0.5, 0.8], [0.1, 0.2, 0.5]]
SMALL = 1 / 4096
"""Epochs of some dozen rounds."""


def new_state(n_arms=3, horizon=10**5, standing=False, **parameters):
    return WIWR.start(n_arms, horizon, np.random.default_rng(0), standing, **WIWR.resolve(parameters))


def test_the_first_epoch_of_the_paper_is_half_a_million_rounds_of_five_arms():
    state = new_state(5)
    assert state.scale == pytest.approx(26850.4, abs=0.05)
    assert state.epoch[0].end == 537_008
    assert state.shares.tolist() == [4 * state.scale] * 5


@pytest.mark.parametrize("standing", [False, True])
def test_rounds_of_the_anchor_and_self_duels_are_counted_like_one_by_one(standing):
    rng, duels = np.random.default_rng(1), np.random.default_rng(2)
    state = WIWR.start(3, 10**5, rng, standing, delta=0.1, scale=SMALL)
    anchored, won = np.zeros(3), np.zeros(3)
    t, epochs = 1, 1
    while t <= 2500:
        end = state.epoch[0].end
        if t > end:
            total, shares, gaps = state.total[0], state.shares.copy(), state.gaps.copy()
            before = state.won_against.copy()
        first, second, rounds = WIWR.select(state, t, rng)
        if t > end:  # what the new gaps were made of
            assert anchored.sum() == math.ceil(total)
            isolated = next((j for j in range(3) if anchored[j] >= total / 2), None)
            q = won / shares
            if isolated is not None:
                q = before[:, isolated] * total / (anchored[isolated] * shares)
                q[isolated] = 0.5
            expected = np.maximum(2.0**-epochs, 0.5 - q - gaps / 8)
            expected[expected.argmin()] = 2.0**-epochs
            np.testing.assert_allclose(state.gaps, expected, rtol=1e-12)
            anchored[:], won[:] = 0, 0
            epochs += 1
        rounds = min(rounds, 7)  # cut short, as by a block of late outcomes
        anchored[second] += rounds
        if first == second:
            won[first] += rounds / 2
        else:
            wins = int(duels.random() < CONDORCET[first][second])
            won[first] += wins
            WIWR.update(state, first, second, wins, 1 - wins)
        t += rounds
    assert epochs >= 3


def test_any_number_of_outcomes_may_arrive_between_two_decisions():
    state = new_state(2)
    for _ in range(30):  # far more than there are pairs
        WIWR.update(state, 1, 0, 1, 0)
    assert state.net[1, 0] == 30
    assert WIWR.recommend(state) == 1
