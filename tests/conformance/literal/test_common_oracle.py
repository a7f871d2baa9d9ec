"""What all transcriptions share, against cases worked out by hand."""

import math

import numpy as np
import pytest

from . import play
from .by_hand import TWO_ARMS, Script, make
from .common import Oracle, challenger
from .kl_bounds import kl_lower, kl_upper, kl_upper_depth


class TestPlayAndCommonPieces:
    def test_play_draws_once_for_a_duel_of_two_arms_and_never_for_a_self_duel(self):
        class Alternating(Oracle):
            heard = ()

            def choose(self, t):
                return (0, 1) if t % 2 else (1, 1)

            def observe(self, t, first, second, first_won):
                super().observe(t, first, second, first_won)
                self.heard += (first_won,)

        oracle = Alternating(2, Script())
        duels = Script(("random", 0.69), ("random", 0.7))
        pairs = play(oracle, np.array([[0.5, 0.7], [0.3, 0.5]]), 4, duels)
        assert pairs == [(0, 1), (1, 1), (0, 1), (1, 1)]
        assert oracle.heard == (True, None, False, None)
        assert oracle.W.tolist() == [[0, 1], [1, 0]]
        assert duels.answers == []

    def test_challenger_in_a_tie_is_never_the_champion_but_alone_on_top_it_is(self):
        u = np.array([[0.5, 0.5, 0.9], [0.5, 0.5, 0.9], [0.5, 0.4, 0.5]])
        assert challenger(u, 0, [0, 1, 2], Script(("integers", 2, 1))) == 2
        assert challenger(u, 1, [0, 1, 2], Script()) == 0
        assert challenger(u, 1, [1, 2], Script()) == 1

    def test_recommendation_is_the_arm_ahead_of_most_and_the_lowest_index_among_equals(self):
        oracle = make(Bare, 3, wins={(1, 0): 2, (0, 1): 1, (2, 0): 1})
        assert oracle.recommend() == 1
        oracle.W[2, 1] = 1
        assert oracle.recommend() == 2


def test_play_draws_a_fair_coin_for_the_self_duels_of_an_oracle_that_reads_them():
    class SelfDuels(Oracle):
        reads_self_duels = True
        heard = ()

        def choose(self, t):
            return 1, 1

        def observe(self, t, first, second, first_won):
            self.heard += (first_won,)

    oracle = SelfDuels(2, Script())
    assert play(oracle, TWO_ARMS, 2, Script(("random", 0.49), ("random", 0.5))) == [(1, 1), (1, 1)]
    assert oracle.heard == (True, False)


class TestKLBounds:
    @pytest.mark.parametrize("p", [0.01, 0.3, 0.5, 8 / 9])
    @pytest.mark.parametrize("c", [1e-3, 0.1, 1.0])
    def test_bounds_are_at_the_divergence_c_on_either_side(self, p, c):
        def d(q):
            return p * math.log(p / q) + (1 - p) * math.log((1 - p) / (1 - q))

        assert kl_lower(p, c) < p < kl_upper(p, c)
        assert d(kl_upper(p, c)) == pytest.approx(c, rel=1e-8)
        assert d(kl_lower(p, c)) == pytest.approx(c, rel=1e-8)

    def test_bounds_that_round_to_one_are_told_apart_by_their_depth(self):
        """With q so near to 1, d(1/2, q) = (s - 2 ln 2) / 2 for s = -ln(1 - q)."""
        assert kl_upper(0.5, 60.0) == kl_upper(0.5, 61.0) == 1.0
        assert kl_upper_depth(0.5, 60.0) == pytest.approx(120 + 2 * math.log(2), rel=1e-14)
        assert kl_upper_depth(0.5, 61.0) == pytest.approx(122 + 2 * math.log(2), rel=1e-14)


class Bare(Oracle):
    """The common part alone, built like every other oracle."""

    def __init__(self, n_arms, horizon, rng):
        super().__init__(n_arms, rng)
