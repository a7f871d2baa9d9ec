"""Rules that end a game, against cases worked out by hand and against what they promise."""

import math

import numpy as np
import pytest

from .evidence import log_ratio
from .framework import NO_WINNER
from .rules import ECondorcet, Pairs, PairsCopeland, PairsRanking, PairsTop, Until, mixture, stitched, union
from .test_measured import InTurn


def told(rule, *duels):
    for winner, loser, times in duels:
        for _ in range(times):
            rule.count(winner, loser, True)
    return rule


class TestECondorcet:
    def test_two_arms_need_six_straight_wins(self):
        assert told(ECondorcet(2, 0.05), (0, 1, 5)).answer() is None
        assert told(ECondorcet(2, 0.05), (0, 1, 6)).answer() == 0

    def test_an_arm_that_is_out_stays_out(self):
        """Six straight losses, and then a hundred wins: now the other arm goes, and nobody is left."""
        rule = told(ECondorcet(2, 0.05), (0, 1, 6))
        assert told(rule, (1, 0, 100)).answer() == NO_WINNER

    def test_many_small_losses_add_up(self):
        """With three arms (1 + E(0, 4)) / 2 = 4.81, and the square of it is more than 20; with three losses 2.92."""
        assert 2 in told(ECondorcet(3, 0.05), (0, 2, 4), (1, 2, 3)).inside
        assert 2 not in told(ECondorcet(3, 0.05), (0, 2, 4), (1, 2, 4)).inside

    def test_the_likelihood_ratio_ends_no_earlier(self):
        """2^8 / (2 sqrt(8)) = 45.3, 2^7 / (2 sqrt(7)) = 24.2, 2^6 / (2 sqrt(6)) = 13.1."""
        assert told(ECondorcet(2, 0.05, log_ratio), (0, 1, 6)).answer() is None
        assert told(ECondorcet(2, 0.05, log_ratio), (0, 1, 7)).answer() == 0

    def test_the_winner_is_seldom_out_when_all_arms_are_equal(self):
        """Each of four equal arms is a winner that may not go; 1,000 duels of 200 runs, at level .0005."""
        ever_out = 0
        for seed in range(200):
            rng = np.random.default_rng(seed)
            rule, sampler = ECondorcet(4, 0.05), InTurn(4, rng)
            for t in range(1, 1001):
                rule.count(*sampler.choose(t), rng.random() < 0.5)
                if 0 not in rule.inside:
                    break
            ever_out += 0 not in rule.inside
        assert ever_out <= 21  # Pr(Binomial(200, .05) > 21) < .0005


class TestPairs:
    def test_a_pair_is_decided_by_its_share_of_delta(self):
        """Three pairs, E >= 60: E(0, 7) = 53.6, E(0, 8) = 100.6."""
        assert told(Pairs(3, 0.05), (0, 1, 7)).beats == set()
        assert told(Pairs(3, 0.05), (0, 1, 8)).beats == {(0, 1)}

    def test_a_copeland_winner_is_sure_when_no_other_can_overtake(self):
        assert told(PairsCopeland(3, 0.05), (0, 1, 9)).answer() is None
        assert told(PairsCopeland(3, 0.05), (0, 1, 9), (0, 2, 9)).answer() == 0

    def test_in_a_circle_of_three_all_are_copeland_winners(self):
        rule = told(Pairs(3, 0.05), (0, 1, 9), (1, 2, 9), (2, 0, 9))
        assert rule.copeland_winners() == [0, 1, 2]
        assert rule.condorcet_winner() == NO_WINNER

    def test_a_slack_of_half_a_score_is_one_arm_of_three(self):
        rule = told(Pairs(3, 0.05), (0, 1, 9), (2, 1, 9))
        assert rule.copeland_winners() == []
        assert rule.copeland_winners(0.5) == [0, 2]

    def test_a_ranking_follows_from_its_neighbours(self):
        rule = told(PairsRanking(4, 0.05), (0, 1, 9), (2, 3, 9))
        assert rule.answer() is None
        assert told(rule, (1, 2, 9)).ranking() == [0, 1, 2, 3]

    def test_the_closure_goes_on_as_long_as_anything_follows(self):
        rule = told(PairsRanking(6, 0.05), (4, 0, 12), (0, 3, 12), (3, 5, 12), (5, 1, 12), (1, 2, 12))
        assert rule.ranking() == [4, 0, 3, 5, 1, 2]

    def test_the_best_two_may_be_known_before_the_best(self):
        rule = told(PairsTop(3, 0.05, k=2), (1, 0, 9))
        assert rule.top(2) is None
        assert told(rule, (2, 0, 9)).top(2) == {1, 2}


def test_an_answer_duels_itself_and_is_recommended():
    sampler = InTurn(2, np.random.default_rng(0))
    oracle = Until(sampler, ECondorcet(2, 0.05))
    for t in range(1, 7):
        first, second = oracle.choose(t)
        oracle.observe(t, first, second, first == 1)
    assert [oracle.choose(7), oracle.choose(8), oracle.recommend()] == [(1, 1), (1, 1), 1]


class TestIntervals:
    def test_sixty_wins_of_a_hundred(self):
        assert mixture(60, 40, 0.05) == pytest.approx((0.4343, 0.7514), abs=5e-5)
        assert [stitched(100, 0.05), union(100, 0.05)] == pytest.approx([0.1995, 0.2607], abs=5e-5)

    def test_straight_wins_leave_one_side_open(self):
        """B(a, 1/2) / pi = x p^W, worked out at W = 1: B(3/2, 1/2) / pi = 1/2, and p = x / 2."""
        low, high = mixture(1, 0, 0.05)
        assert (low, high) == (pytest.approx(0.025), 1.0)
        assert mixture(0, 0, 0.05) == (0.0, 1.0)
        assert math.isclose(mixture(0, 1, 0.05)[1], 0.975)
