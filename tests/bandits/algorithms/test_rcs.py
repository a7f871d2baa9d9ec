"""RCS: who becomes champion, and when."""

import numpy as np
import pytest

import duelbench
from duelbench.bandits.algorithms.rcs import RCS
from tests.bandits.algorithms.comparing import state_after

CERTAIN_CYCLE = [[0.5, 1.0, 0.0], [0.0, 0.5, 1.0], [1.0, 0.0, 0.5]]


def test_chances_in_the_tournament_after_one_duel():
    # theta_01 ~ Beta(2, 1) has 3/4 of its mass above 1/2; the other pairs are even.
    assert state_after(RCS, 3, {(0, 1): 1}).winning.tolist() == [3 / 8, 1 / 8, 1 / 4]


@pytest.mark.parametrize("standing", [True, False])
def test_champion_wins_the_tournament_or_has_been_champion_least_often(standing):
    # The same state as above; a quarter of the tournaments have no winner, and then all three arms are equal.
    state = state_after(RCS, 3, {(0, 1): 1}, standing)
    rng = np.random.default_rng(20140224)
    draws = 6000
    champions = np.bincount([RCS.select(state, 2, rng)[0] for _ in range(draws)], minlength=3) / draws
    assert all(close(champions[c], k / 24, draws) for c, k in enumerate((11, 5, 8)))


def test_standing_decision_ends_as_the_tournaments_would_have_it():
    # theta_0j ~ Beta(6, 1): arm 0 wins with q_0 = (1 - 2^-6)^2, arms 1 and 2 with 2^-7 each, else nobody does. Arm 0 is
    # unchallenged until u_10 = sqrt(0.51 ln t / 5) reaches 1/2, at t = exp(5 / 4 / 0.51) = 11.6.
    state = state_after(RCS, 3, {(0, 1): 5, (0, 2): 5}, fallback="random")
    rng = np.random.default_rng(5)
    to_the_limit, ended, ended_by_0, draws = 0, 0, 0, 8000
    for _ in range(draws):
        rounds = RCS.select(state, 1, rng)[2]
        to_the_limit += rounds == 11
        event = state.memo[0].event
        if event < 12:
            ended += 1
            ended_by_0 += RCS.select(state, event, rng)[0] == 0
    q = (1 - 2**-6) ** 2
    nobody = 1 - q - 2**-6
    assert close(to_the_limit / draws, q**11, draws)
    assert close(ended_by_0 / ended, nobody / (1 - q) / 3, ended)


def close(frequency, probability, draws):
    return abs(frequency - probability) < 5 * np.sqrt(probability * (1 - probability) / draws)


@pytest.mark.thorough
def test_arms_of_a_cycle_are_champion_equally_often():
    # Once the signs are certain nobody wins the tournament, and early leads are evened out.
    trace = duelbench.simulate(RCS, CERTAIN_CYCLE, horizon=3000)
    assert np.ptp(trace.duels.sum(axis=1)) <= 1
    uneven = duelbench.simulate(RCS, CERTAIN_CYCLE, horizon=3000, fallback="random")
    assert np.ptp(uneven.duels.sum(axis=1)) > 1


def test_championships_are_counted_up_to_the_round_in_which_a_standing_decision_was_cut_short():
    state = state_after(RCS, 3, {(0, 1): 100, (0, 2): 100, (1, 2): 100})
    rng = np.random.default_rng(1)
    first, second, rounds = RCS.select(state, 10, rng)
    assert (first, second) == (0, 0) and rounds > 1000
    RCS.select(state, 13, rng)
    assert state.championships.tolist() == [3, 0, 0]
