"""What finds an answer by comparing, inserting or eliminating, against cases worked out by hand."""

import math

import numpy as np
import pytest

from ..by_hand import CIRCLE, TOTAL_ORDER, Script, in_order
from . import until_answered
from .active_ranking import ActiveRanking, LUCBBorda
from .batched import BatchedElimination, lengths
from .borda import BR, SECS
from .dkwt import DKWT, KTKnockout
from .e_elimination import EElimination, StrongestSuperior
from .framework import NO_WINNER
from .iir import IIR
from .pocowista import POCOWISTA, TransitivePOCOWISTA
from .seebs import SEEBS
from .test_knock_outs import SURE, pairs_of


class TestSEEBS:
    def test_a_sure_winner_is_found_in_one_turn(self):
        """x = .02026. Two knock-out rounds: place(1/60, 0, 0, 6 x / (2 pi^2) = .00616) ends after 26 straight duels,
        with a quarter of that error after 29. Then place(1/6, 0, 1/6, .01013) ends after 64 straight losses."""
        draws = [in_order(1, 0, 2), ("integers", 3, 2), ("integers", 2, 1), ("random", 0.7)]
        oracle = SEEBS(3, 100, Script(*draws, ("integers", 2, 0), ("random", 0.2)))
        assert pairs_of(oracle, TOTAL_ORDER) == ([((1, 0), 26), ((0, 2), 29), ((1, 0), 64), ((2, 0), 64)], 0)


class TestPOCOWISTA:
    def test_the_arm_that_could_win_most_meets_who_has_won_most(self):
        """ppr(.05 / 6) takes 11 straight wins: 12 / 2^11 = .0059, 11 / 2^10 = .0107."""
        draws = [in_order(0, 1, 2), ("integers", 3, 2), ("integers", 2, 0), ("integers", 2, 1)]
        oracle = POCOWISTA(3, 100, Script(*draws))
        assert pairs_of(oracle, TOTAL_ORDER) == ([((2, 0), 11), ((1, 0), 11)], 0)

    def test_an_arm_may_be_sure_although_it_has_not_met_everybody(self):
        oracle = POCOWISTA(3, 100, Script(in_order(2, 1, 0)))
        oracle.beats = {(0, 1)}
        assert [oracle.is_sure(arm) for arm in range(3)] == [False, False, False]
        oracle.beats.add((1, 2))
        assert [oracle.is_sure(arm) for arm in range(3)] == [True, False, False]

    def test_of_a_circle_two_decisions_are_enough(self):
        oracle = POCOWISTA(3, 100, np.random.default_rng(0))
        ended = until_answered(oracle, CIRCLE, 1000, np.random.default_rng(0))
        assert (oracle.co(ended.answer), ended.rounds) == (1, 22)

    def test_what_follows_from_an_order_is_not_dueled(self):
        oracle = TransitivePOCOWISTA(4, 100, Script(in_order(0, 1, 2, 3)))
        for pair in [(0, 1), (2, 3), (1, 2)]:
            oracle.decide(*pair)
        assert oracle.beats == {(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)}


class TestDKWT:
    def test_the_winner_of_a_test_meets_the_next_arm(self):
        """g_1 = 6 (.05 / 3) / pi^2 = .010132 and T = 128 ln(4 / g_1) = 765.2."""
        oracle = DKWT(3, 100, Script(in_order(2, 1, 0)))
        assert pairs_of(oracle, TOTAL_ORDER) == ([((2, 1), 766), ((1, 0), 766)], 0)

    def test_an_undecided_test_is_made_again_with_fresh_duels(self):
        """K = 2: T_1 = 128 ln(4 / .015198) = 713.4 and T_2 = 512 ln(16 / .015198) = 3563.3."""
        oracle = DKWT(2, 100, Script(in_order(0, 1)))
        t = 0
        while oracle.answer is None:
            t += 1
            pair = oracle.choose(t)
            if pair[0] != pair[1]:
                oracle.observe(t, *pair, t > 714 or t % 2 == 0)
        assert (oracle.answer, t - 1) == (0, 714 + 3564)

    def test_evidence_takes_seven_straight_wins(self):
        """E(0, 6) = 28.8 and E(0, 7) = 53.6; of three arms each test has 1 / .025 = 40 to reach."""
        oracle = KTKnockout(3, 100, Script(in_order(2, 1, 0)))
        assert pairs_of(oracle, TOTAL_ORDER) == ([((2, 1), 7), ((1, 0), 7)], 0)


class TestIIR:
    def test_two_arms_are_in_order_once_a_leaf_is_sure(self):
        """One arm in S: from the root to the leaf above it; from step 2 on the leaf counts s - 1 at step s, which is
        more than 1 + s/2 + sqrt((s/2) ln(pi^2 s^2 / (3 * .0152))) first at step 33."""
        oracle = IIR(2, 100, Script(in_order(1, 0)))
        blocks, answer = pairs_of(oracle, SURE[:2, :2])
        x = 6 * 0.025 / math.pi**2
        sure = next(s for s in range(1, 101) if s - 2 > s / 2 + math.sqrt(s / 2 * math.log(math.pi**2 * s**2 / 3 / x)))
        at_root, at_leaf = (straight_insertion(y) for y in (1 / 16, 1 - math.sqrt(15 / 16)))
        assert (blocks, answer) == ([((0, 1), at_root + (sure - 1) * at_leaf)], 0)
        assert oracle.ranking() == [0, 1]

    def test_a_sure_order_is_found(self):
        oracle = IIR(5, 100, np.random.default_rng(3))
        assert until_answered(oracle, SURE, 10**6, np.random.default_rng(4)).answer == 0
        assert oracle.ranking() == [0, 1, 2, 3, 4]


def straight_insertion(y):
    """Straight wins after which a comparison ends: pi^2 n^2 / (3 y) < e^(n / 2)."""
    return next(n for n in range(1, 1000) if math.pi**2 * n**2 / (3 * y) < math.exp(n / 2))


class TestBorda:
    def test_radii_have_their_size(self):
        oracle = SECS(4, 100, Script(in_order(0, 1, 2, 3)))
        oracle.t = 100
        assert oracle.C() == pytest.approx(1.58060, abs=5e-6)
        assert oracle.radius() == pytest.approx(0.729777, abs=5e-7)

    def test_all_active_arms_meet_one_opponent(self):
        """In the first round the opponent is arm 2, in the second arm 0, and nobody meets itself."""
        oracle = BR(3, 100, Script(in_order(1, 2, 0), ("integers", 3, 2), ("integers", 3, 0)))
        pairs = []
        for t in range(1, 5):
            pairs.append(oracle.choose(t))
            oracle.observe(t, *pairs[-1], first_won=True)
        assert pairs == [(1, 2), (0, 2), (1, 0), (2, 0)]

    def test_sparse_differences_are_those_of_the_opponents_that_tell_most(self):
        """t = 10, K = 4: ph is 4/10 of a win. Arms 0 and 1 differ by 2 wins over arm 2 and by -3 over arm 3."""
        oracle = SECS(4, 100, Script(in_order(0, 1, 2, 3)), k=1)
        oracle.t = 10
        oracle.Z[:2] = [[0, 2, 2, 0], [1, 0, 0, 3]]
        assert oracle.comparison(0, 1) == pytest.approx(2 * (0.8 - 0.5) - 1.2)
        oracle.k = 2
        assert oracle.comparison(0, 1) == pytest.approx(2 * (0.8 - 0.5) - 1.2 + 0.8)


class TestActiveRanking:
    def test_radii_have_their_size(self):
        radii = []
        for first_version in (False, True):
            oracle = LUCBBorda(4, 100, Script(in_order(0, 1, 2, 3)), first_version=first_version)
            oracle.samples[0] = 100
            radii.append(oracle.al(0))
        assert radii == pytest.approx([0.198465, 0.328052], abs=5e-7)

    @pytest.mark.parametrize(("f", "samples"), [(4.0, 55), (2.0, 13)])
    def test_two_arms_are_separated_by_f_radii(self, f, samples):
        """beta(54) / 108 = .0635, beta(55) / 110 = .0624 < 1 / 16; beta(12) / 24 = .259, beta(13) / 26 = .240 < 1/4."""
        oracle = ActiveRanking(2, 100, Script(in_order(1, 0)), factor=f)
        assert pairs_of(oracle, SURE[:2, :2]) == ([((1, 0), 1), ((0, 1), 1)] * samples, 0)
        assert oracle.top() == [0]

    def test_an_arm_that_is_in_or_out_is_no_longer_sampled(self):
        P = np.array([[0.5, 1, 1, 1], [0, 0.5, 0.5, 0.9], [0, 0.5, 0.5, 0.6], [0, 0.1, 0.4, 0.5]])
        oracle = ActiveRanking(4, 100, np.random.default_rng(1), k=2, factor=2.0)
        assert until_answered(oracle, P, 10**6, np.random.default_rng(2)).answer == 0
        assert oracle.top() == [0, 1]
        assert max(oracle.samples[0], oracle.samples[3]) < oracle.samples[1] == oracle.samples[2]

    def test_two_arms_are_separated_where_their_intervals_touch(self):
        oracle = LUCBBorda(2, 100, Script(in_order(1, 0)))
        blocks, answer = pairs_of(oracle, SURE[:2, :2])
        assert (sum(duels for _, duels in blocks), answer) == (26, 0)


class TestEElimination:
    def test_two_arms_are_told_apart_by_six_straight_wins(self):
        oracle = EElimination(2, 100, Script(in_order(1, 0)))
        assert pairs_of(oracle, SURE[:2, :2]) == ([((1, 0), 6)], 0)

    def test_pairs_with_an_arm_that_is_out_are_skipped(self):
        """Arm 2 is out when ((1 + E(0, 4)) / 2)^2 = 23.1, after duel 12; arm 1 after 8 losses, ((1 + E(0, 8)) / 2)
        times about .57 = 29; it was 16 after 7."""
        oracle = EElimination(3, 100, Script(in_order(0, 1, 2)))
        turns = [((0, 1), 1), ((0, 2), 1), ((1, 2), 1)] * 4
        assert pairs_of(oracle, TOTAL_ORDER) == ([*turns, ((0, 1), 4)], 0)

    def test_two_arms_are_the_strongest_superior_of_each_other(self):
        """Arm 1 leads, being first, until it has lost a duel; then it has 5 more to lose."""
        draws = [("beta", 0.5, 0.5, 0.9), *(("beta", 0.5, 1.5 + lost, 0.9) for lost in range(5))]
        oracle = StrongestSuperior(2, 100, Script(in_order(1, 0), *draws))
        assert pairs_of(oracle, SURE[:2, :2]) == ([((0, 1), 1), ((1, 0), 5)], 0)

    def test_an_arm_meets_the_one_against_which_it_drew_least(self):
        draws = [("beta", 0.5, 0.5, theta) for theta in (0.3, 0.4)]
        oracle = StrongestSuperior(3, 100, Script(in_order(2, 0, 1), *draws))
        assert oracle.choose(1) == (0, 1)


class TestBatchedElimination:
    def test_batches_grow_like_powers_of_a_root(self):
        assert lengths(10**6, 16)[:8] == [2, 5, 13, 31, 74, 177, 421, 1000]
        assert lengths(10**6, 16)[-1] == 10**6

    def test_all_that_are_surely_beaten_leave_together(self):
        """m = 10: sqrt(ln(2 * 2 / .05) / 20) = .468 < 1/2."""
        oracle = BatchedElimination(3, 100, Script(in_order(2, 0, 1)), batches=2)
        assert pairs_of(oracle, TOTAL_ORDER) == ([((2, 0), 10), ((2, 1), 10), ((0, 1), 10)], 0)
        assert oracle.played == 1

    def test_in_a_sure_circle_nobody_is_left(self):
        oracle = BatchedElimination(3, 100, Script(in_order(2, 0, 1)), batches=2)
        assert pairs_of(oracle, CIRCLE)[1] == NO_WINNER

    def test_after_the_last_batch_most_wins_decide(self):
        """T = 2, B = 1: one batch of two duels a pair, and a radius of more than 1/2."""
        oracle = BatchedElimination(3, 2, Script(in_order(2, 1, 0)), batches=1)
        assert pairs_of(oracle, TOTAL_ORDER) == ([((2, 1), 2), ((2, 0), 2), ((1, 0), 2)], 0)
