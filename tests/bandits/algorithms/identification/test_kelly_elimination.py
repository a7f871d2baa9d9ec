"""Kelly elimination: nobody grows rich against the winner, by sums over all outcomes; its decisions."""

import math
from itertools import product

import numpy as np
import pytest

from duelbench.bandits.algorithms.contract import NEVER
from duelbench.bandits.algorithms.identification.kelly_elimination import KELLY_ELIMINATION, stakes
from tests.bandits.algorithms.identification.games import begin, decision

TURNS = [(0, 1), (2, 0), (1, 2), (0, 1), (0, 1), (0, 2), (1, 2), (0, 2)]
"""Pairs of three arms; six of the duels are duels of arm 0."""


def told(n_arms, duels, delta=0.05):
    """The state after duels, each a pair (winner, loser)."""
    state, _ = begin(KELLY_ELIMINATION, n_arms, delta=delta)
    for winner, loser in duels:
        KELLY_ELIMINATION.update(state, winner, loser, 1, 0)
    return state


def wealth(state, arm):
    return math.exp(state.log_wealth[state.place[arm]])


@pytest.mark.parametrize("delta", [1e-9, 0.4])
def test_the_wealth_against_an_arm_that_wins_half_of_its_duels_stays_1_in_expectation(delta):
    total = 0.0
    for first_wins in product((True, False), repeat=len(TURNS)):
        duels = [(i, j) if won else (j, i) for (i, j), won in zip(TURNS, first_wins, strict=True)]
        total += wealth(told(3, duels, delta), 0) / 2 ** len(TURNS)
    assert total == pytest.approx(1.0, abs=1e-12)


def test_no_more_is_staked_than_is_missing_and_nothing_on_who_is_out():
    state = told(2, [])
    while state.is_in.all():
        KELLY_ELIMINATION.update(state, 0, 1, 1, 0)
    assert wealth(state, 1) == pytest.approx(20.0, rel=1e-9)
    assert decision(KELLY_ELIMINATION, state) == (0, 0, NEVER) and KELLY_ELIMINATION.answer(state) == 0
    assert stakes(state, *state.place)[1] == 0.0
    KELLY_ELIMINATION.update(state, 0, 1, 0, 40)
    assert KELLY_ELIMINATION.answer(state) == 0


def test_the_pair_is_the_one_with_the_largest_gain_after_every_duel():
    """The largest of each row is kept up to date, not searched again."""
    rng = np.random.default_rng(1)
    state = told(9, [])
    for _ in range(300):
        first, second, rounds = decision(KELLY_ELIMINATION, state)
        if rounds == NEVER:
            break
        i, j = state.place[first], state.place[second]
        assert state.gain[i, j] == state.gain.max() and (state.gain == state.gain.T).all()
        assert state.log_probability[state.is_in] == pytest.approx(state.log_ahead.sum(axis=1)[state.is_in], abs=1e-9)
        won = int(rng.random() < 0.7 if first < second else 0.3)
        KELLY_ELIMINATION.update(state, first, second, won, 1 - won)
