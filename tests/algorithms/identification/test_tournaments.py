"""SELECT, SELECT-then-verify, NTS, Knockout, Seq-Eliminate and Opt-Maximize.

Transcriptions against cases worked out by hand, and the duels that the algorithms take beside those of prototypes.
"""

import numpy as np
import pytest

import duelbench
from duelbench.algorithms.contract import NO_WINNER
from duelbench.errors import InputError
from tests.algorithms.identification.games import runs_of
from tests.conformance.literal.by_hand import CIRCLE, TOTAL_ORDER, Script, in_order
from tests.conformance.literal.identification import until_answered
from tests.conformance.literal.identification.knockout import Knockout
from tests.conformance.literal.identification.nts import NTS
from tests.conformance.literal.identification.select import Select, SelectThenVerify, match_length
from tests.conformance.literal.identification.seq_eliminate import OptMaximize, SeqEliminate

SURE = np.where(np.eye(5, dtype=bool), 0.5, np.triu(np.ones((5, 5)), 1))


def pairs_of(oracle, P, cap=10_000):
    """How many duels of each pair in turn, and the answer, where arms always or never win."""
    blocks, t = [], 0
    while True:
        t += 1
        pair = oracle.choose(t)
        if oracle.answer is not None or t > cap:
            assert oracle.rng.answers == []
            return blocks, oracle.answer
        oracle.observe(t, *pair, P[pair] == 1.0)
        if blocks and blocks[-1][0] == pair:
            blocks[-1] = (pair, blocks[-1][1] + 1)
        else:
            blocks.append((pair, 1))


def as_they_are(n):
    """The draws of a shuffle of ``n`` that leaves them in their order."""
    return [("integers", last + 1, last) for last in range(n - 1, 0, -1)]


class TestSelect:
    @pytest.mark.parametrize(("n_arms", "h", "length"), [(4, 0.1, 185), (5, 0.035, 1567), (16, 1 / 64, 8975)])
    def test_matches_have_their_length(self, n_arms, h, length):
        assert match_length(n_arms, h, 0.05) == length

    def test_an_odd_last_arm_passes_free(self):
        """ln(log2(5) / .05) / (2 * .45^2) = 9.47."""
        oracle = Select(5, 100, Script(in_order(4, 2, 1, 0, 3)), h=0.45)
        played = pairs_of(oracle, SURE)
        assert played == ([((4, 2), 10), ((1, 0), 10), ((2, 0), 10), ((0, 3), 10)], 0)

    def test_a_match_ends_early_where_it_is_curtailed(self):
        oracle = Select(5, 100, Script(in_order(4, 2, 1, 0, 3)), h=0.45, curtail=True)
        played = pairs_of(oracle, SURE)
        assert played == ([((4, 2), 6), ((1, 0), 6), ((2, 0), 6), ((0, 3), 6)], 0)


class TestSelectThenVerify:
    def test_the_candidate_meets_all_others(self):
        """ln(log2(3) / .025) / .405 = 10.2; ln((1 - .0125) / .0125) / ln(.95 / .05) = 1.48: two straight wins."""
        oracle = SelectThenVerify(3, 100, Script(in_order(2, 0, 1)), h=0.45)
        assert pairs_of(oracle, TOTAL_ORDER) == ([((2, 0), 11), ((0, 1), 11), ((0, 2), 2), ((0, 1), 2)], 0)

    def test_the_first_loss_ends_it(self):
        """Arm 0 beats 1 and loses to 2."""
        oracle = SelectThenVerify(3, 100, Script(in_order(0, 1, 2)), h=0.45)
        assert pairs_of(oracle, CIRCLE) == ([((0, 1), 11), ((0, 2), 11), ((2, 0), 2), ((2, 1), 2)], NO_WINNER)
        assert oracle.recommend() == 1


class TestNTS:
    def test_a_preliminary_round_makes_the_number_of_arms_a_power_of_two(self):
        """Five arms: D = 3, and 2 (5 - 4) = 2 arms play. x = ln(99) / ln(19) = 1.56: two straight wins."""
        oracle = NTS(5, 100, Script(in_order(4, 3, 2, 1, 0)), h=0.45)
        pairs = [(4, 3), (3, 2), (1, 0), (2, 0), (0, 4), (0, 3)]
        assert pairs_of(oracle, SURE) == ([(pair, 2) for pair in pairs], 0)

    def test_an_edge_to_every_arm_ends_it(self):
        oracle = NTS(3, 100, Script(in_order(0, 1, 2)), h=0.45)
        assert pairs_of(oracle, CIRCLE) == ([((0, 1), 2), ((0, 2), 2), ((2, 1), 2)], NO_WINNER)

    def test_nobody_is_compared_twice(self):
        oracle = NTS(3, 100, Script(in_order(1, 0, 2)), h=0.45)
        assert pairs_of(oracle, TOTAL_ORDER) == ([((1, 0), 2), ((0, 2), 2)], 0)

    @pytest.mark.thorough
    @pytest.mark.parametrize(("p", "expected"), [(0.45, 701), (0.25, 1279)])
    def test_twenty_arms_of_random_signs_take_as_long_as_measured(self, p, expected):
        rounds, arms = [], 20
        for seed in range(100):
            rng = np.random.default_rng(seed)
            signs = np.triu(rng.choice([-1, 1], (arms, arms)), 1)
            P = 0.5 + p * (signs - signs.T)
            rounds.append(until_answered(NTS(arms, 100, rng, h=0.05), P, 10**6, rng).rounds)
        assert abs(np.mean(rounds) - expected) < 4 * np.std(rounds) / 10


class TestKnockout:
    def test_rounds_have_fresh_orders_and_finer_tests(self):
        """Straight wins end a test of error d and slack e when sqrt(ln(4 n^2 / d) / (2 n)) - e < 1/2.

        e = .2599 * .05 / 2^(1/3) = .010315: d = .025 takes 22; e = .0081870, d = .0125: 24.
        """
        draws = [in_order(3, 0, 1, 2), ("integers", 4, 1), ("integers", 3, 0), ("integers", 2, 1), ("integers", 2, 0)]
        oracle = Knockout(4, 100, Script(*draws))
        assert pairs_of(oracle, SURE[:4, :4]) == ([((1, 2), 22), ((3, 0), 22), ((0, 1), 24)], 0)


class TestSeqEliminate:
    def test_the_winner_of_a_challenge_meets_the_next(self):
        """cmp2(0, .05, .0125) takes 28 straight wins or 22 losses."""
        oracle = SeqEliminate(4, 100, Script(in_order(2, 3, 0, 1)))
        assert pairs_of(oracle, SURE[:4, :4]) == ([((3, 2), 22), ((0, 2), 28), ((1, 0), 22)], 0)

    def test_the_challenger_is_recommended_while_it_leads(self):
        oracle = SeqEliminate(2, 100, Script(in_order(1, 0)))
        seen = []
        for t, won in enumerate([True, False, False], start=1):
            oracle.observe(t, *oracle.choose(t), won)
            seen.append(oracle.recommend())
        assert seen == [0, 1, 1]


class TestOptMaximize:
    def test_with_a_small_delta_it_is_seq_eliminate(self):
        oracle = OptMaximize(4, 100, Script(in_order(2, 3, 0, 1)), delta=0.05)
        assert pairs_of(oracle, SURE[:4, :4]) == ([((3, 2), 22), ((0, 2), 28), ((1, 0), 22)], 0)

    def test_the_anchor_meets_everybody_but_itself(self):
        """Five arms, delta .3: n' = 5, the sample has min(5, ceil(ln(8 / .3))) = 4."""
        draws = [in_order(2, 1, 3, 4, 0), *as_they_are(4), *as_they_are(5)]
        oracle = OptMaximize(5, 100, Script(*draws), delta=0.3)
        blocks, answer = pairs_of(oracle, SURE)
        pairs = [(1, 2), (3, 1), (4, 1), (2, 1), (3, 1), (4, 1), (0, 1), (3, 2), (4, 2), (0, 2), (1, 0)]
        assert ([pair for pair, _ in blocks], answer) == (pairs, 0)


def test_a_budget_is_shared_out_among_the_matches():
    order = 0.5 + 0.1 * np.subtract.outer(range(5), range(5))[::-1, ::-1]
    assert [trace.finished - 1 for trace in runs_of("select", order, 2, horizon=100, checkpoints=[100], budget=43)] == [
        40
    ] * 2
    with pytest.raises(InputError, match="a budget of 3 duels is too small"):
        duelbench.simulate("select", order, horizon=100, budget=3)
