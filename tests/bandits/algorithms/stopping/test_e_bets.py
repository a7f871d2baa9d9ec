"""e-bets: nobody grows rich against the winner, by sums over all outcomes."""

import math
from itertools import product

import pytest
from scipy import stats

from duelbench.bandits.algorithms.contract import NEVER, NO_WINNER
from duelbench.bandits.algorithms.stopping.e_bets import (
    answer,
    is_decided,
    n_left,
    new_tests,
    positive_part,
    rounds_to_next,
    settle,
    stake,
    update,
)

TURNS = [(0, 1), (2, 0), (1, 2), (0, 1), (0, 1), (0, 2), (1, 2), (0, 2)]
"""Pairs of three arms; six of the duels are duels of arm 0."""


def after(n_arms, duels, delta=0.05):
    """Bets after duels, each a pair (winner, loser)."""
    bets = new_tests(n_arms, delta)
    for winner, loser in duels:
        update(bets, winner, loser, 1, 0)
        settle(bets)
    return bets


def expected_wealth(p, delta=1e-9):
    """E M_0 after TURNS, if arm 0 wins each duel with probability p and the others are equals: over all outcomes."""
    total = 0.0
    for first_wins in product((True, False), repeat=len(TURNS)):
        probability = 1.0
        for (i, j), won in zip(TURNS, first_wins, strict=True):
            of_first = p if i == 0 else 1 - p if j == 0 else 0.5
            probability *= of_first if won else 1 - of_first
        duels = [(i, j) if won else (j, i) for (i, j), won in zip(TURNS, first_wins, strict=True)]
        total += probability * math.exp(after(3, duels, delta).log_wealth[0])
    return total


def test_the_wealth_against_an_arm_that_wins_half_of_its_duels_stays_1_in_expectation():
    assert expected_wealth(0.5) == pytest.approx(1.0, abs=1e-12)


def test_it_stays_1_where_stakes_are_kept_to_what_is_missing():
    assert expected_wealth(0.5, delta=0.4) == pytest.approx(1.0, abs=1e-12)


def test_duels_that_are_told_together_are_paid_at_one_stake():
    """Otherwise the order in which they are counted could be chosen by who has won."""
    for n in (1, 2, 5):
        wealth = 0.0
        for lost in range(n + 1):
            bets = after(3, [(1, 0), (1, 0), (2, 1)], 1e-9)
            before = math.exp(bets.log_wealth[0])
            update(bets, 0, 1, n - lost, lost)
            wealth += stats.binom.pmf(lost, n, 0.5) * math.exp(bets.log_wealth[0]) / before
        assert wealth == pytest.approx(1.0, abs=1e-12)


def test_no_more_is_staked_than_is_missing():
    bets = new_tests(2, 0.05)
    wealth = []
    while bets.is_in[1]:
        update(bets, 0, 1, 1, 0)
        settle(bets)
        wealth.append(math.exp(bets.log_wealth[1]))
    assert wealth[-1] == pytest.approx(20.0, rel=1e-9) and wealth[-1] >= 20.0
    assert max(wealth[:-1]) < 20.0


def test_whoever_is_out_stays_out_and_nothing_more_is_staked():
    bets = after(2, [(0, 1)] * 20)
    assert is_decided(bets) and answer(bets) == 0 and n_left(bets) == 0
    assert stake(bets, 1, 0) == 0.0
    before = bets.log_wealth[1]
    update(bets, 1, 0, 30, 0)
    settle(bets)
    assert not bets.is_in[1] and bets.log_wealth[1] == before


def test_where_everybody_is_out_at_once_there_is_no_winner():
    """Only outcomes that come together can do that: one duel makes one of two arms richer."""
    bets = new_tests(3, 0.05)
    for winner, loser in [(0, 1), (1, 2), (2, 0)] * 60:
        update(bets, winner, loser, 1, 0)
    settle(bets)
    assert is_decided(bets) and answer(bets) == NO_WINNER
    assert rounds_to_next(bets, 0, 1) == NEVER


def test_far_below_0_there_is_still_something():
    probability, first = positive_part(-100.0, 1.0)
    assert 0.0 < probability < 1e-290 and first >= 0.0
