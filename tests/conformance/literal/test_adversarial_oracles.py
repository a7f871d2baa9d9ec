"""Transcriptions by exponential weights, and the Borda explorer, against cases worked out by hand."""

import itertools
import math

import numpy as np
import pytest

from . import play
from .adversarial_machines import EXP3, EXP3IX, EXP3S
from .bcb import BCB
from .by_hand import Script, choice, make
from .common import draw, mixed_softmax
from .d_exp3 import DEXP3, DEXP3HP
from .rex3 import REX3
from .sparring import Sparring
from .worlds import CYCLIC, MSLR5, WORLDS, borda_scores, borda_static, condorcet, segments, weak_binary, winner

UNEVEN = [0.4, 0.25, 0.15, 0.12, 0.08]


class TestDraws:
    @pytest.mark.parametrize(("u", "arm"), [(0.0, 0), (0.49, 0), (0.5, 1), (0.74, 1), (0.75, 2)])
    def test_an_arm_is_drawn_where_the_probabilities_exceed_the_number(self, u, arm):
        assert draw(Script(("random", u)), [0.5, 0.25, 0.25]) == arm

    def test_the_last_arm_is_drawn_where_rounding_keeps_the_sum_below_the_number(self):
        assert draw(Script(("random", 1 - 2**-53)), [0.1] * 10) == 9

    def test_large_logarithms_do_not_overflow(self):
        assert mixed_softmax([5000.0, 5000.0, -5000.0], 0.3) == pytest.approx([0.45, 0.45, 0.1])


class TestWorlds:
    def test_uniform_play_costs_the_mean_loss_of_all_pairs(self):
        """10 rounds of each pair in each segment; .134 a round, the winner's mean advantage over all arms."""
        parts = segments(WORLDS["flip4"], 1000)
        counts = [np.full((5, 5), 10)] * 4
        assert condorcet(parts, counts) == pytest.approx(134.0)
        assert weak_binary(parts, counts) == 4 * 10 * 16
        assert borda_static(parts, counts) == pytest.approx(1000 * (0.53375 - 0.5))
        assert borda_static(segments([MSLR5], 250), counts[:1]) == pytest.approx(250 * 0.1675)

    def test_the_winner_changes_and_arm_2_is_the_best_fixed_one(self):
        assert [winner(P) for P in WORLDS["flip4"]] == [0, 4, 0, 4]
        scores = np.mean([borda_scores(P) for P in WORLDS["flip4"]], axis=0)
        assert scores == pytest.approx([0.4985, 0.484625, 0.53375, 0.484625, 0.4985])


class TestMachines:
    def test_the_tuned_rates(self):
        assert EXP3(5, 10_000, Script()).gamma == pytest.approx(0.0216409, abs=5e-8)
        assert EXP3IX(5, 10_000, Script()).eta == pytest.approx(0.00846584, abs=5e-9)
        assert EXP3S(5, 10_000, Script(), switches=4).gamma == pytest.approx(0.115692, abs=5e-7)
        assert EXP3(5, 4, Script()).gamma == EXP3S(5, 4, Script()).gamma == 1.0

    def test_exp3_credits_a_win_by_its_probability(self):
        machine = EXP3(2, 100, Script(("random", 0.2)), gamma=0.5)
        machine.L = [math.log(3), 0.0]
        assert machine.advance() == 0
        assert machine.p == pytest.approx([0.625, 0.375])
        machine.feedback(True)
        assert pytest.approx([math.log(3) + 0.25 / 0.625, 0.0]) == machine.L
        machine.feedback(False)
        assert pytest.approx([math.log(3) + 0.25 / 0.625, 0.0]) == machine.L

    def test_exp3ix_charges_a_loss_by_a_little_less(self):
        machine = EXP3IX(2, 100, Script(("random", 0.2)), eta=0.5)
        machine.L = [math.log(3), 0.0]
        assert machine.advance() == 0
        machine.feedback(True)
        assert [math.log(3), 0.0] == machine.L
        machine.feedback(False)
        assert pytest.approx([math.log(3) - 0.5 / (0.75 + 0.25), 0.0]) == machine.L

    def test_exp3s_multiplies_and_then_shares_and_normalises(self):
        machine = EXP3S(2, 10, Script(("random", 0.9)), gamma=0.5)
        assert machine.advance() == 1
        machine.feedback(True)
        grown, share = 0.5 * math.exp(0.25 / 0.5), math.e * 0.1 / 2
        total = 0.5 + grown + 2 * share
        assert pytest.approx([(0.5 + share) / total, (grown + share) / total]) == machine.W

    def test_exp3s_shares_also_when_it_loses(self):
        machine = EXP3S(2, 10, Script(("random", 0.1)), gamma=0.5)
        machine.W = [0.75, 0.25]
        machine.advance()
        machine.feedback(False)
        share = math.e * 0.1 / 2
        assert pytest.approx([(0.75 + share) / (1 + 2 * share), (0.25 + share) / (1 + 2 * share)]) == machine.W

    @pytest.mark.parametrize("kind", [EXP3, EXP3S])
    def test_no_exponent_is_above_one(self, kind):
        machine = kind(3, 300, np.random.default_rng(1))
        for step in range(300):
            arm = machine.advance()
            assert machine.gamma / 3 / machine.p[arm] <= 1
            assert sum(machine.p) == pytest.approx(1)
            machine.feedback(step % 3 == arm)


class TestSparring:
    def test_the_left_arm_that_wins_the_first_round_has_gamma(self):
        oracle = make(Sparring, 2, ("random", 0.2), ("random", 0.7), machine="exp3", gamma=0.3)
        assert choice(oracle, 1) == (0, 1)
        oracle.observe(1, 0, 1, True)
        assert pytest.approx([0.3, 0.0]) == oracle.left.L
        assert oracle.right.L == [0.0, 0.0]

    def test_a_self_duel_is_won_by_one_of_the_machines(self):
        oracle = make(Sparring, 2, ("random", 0.2), ("random", 0.2), machine="exp3", gamma=0.3)
        assert choice(oracle, 1) == (0, 0)
        oracle.observe(1, 0, 0, False)
        assert ([0.0, 0.0], pytest.approx([0.3, 0.0])) == (oracle.left.L, oracle.right.L)
        assert oracle.recommend() == 0

    def test_the_losing_machine_is_charged_with_exp3ix(self):
        oracle = make(Sparring, 2, ("random", 0.2), ("random", 0.7), machine="exp3ix", eta=0.5)
        oracle.observe(1, *oracle.choose(1), True)
        assert ([0.0, 0.0], pytest.approx([0.0, -0.5 / 0.75])) == (oracle.left.L, oracle.right.L)

    def test_the_number_of_segments_reaches_both_machines(self):
        oracle = Sparring(5, 10_000, Script(), machine="exp3s", switches=4)
        assert oracle.left.gamma == oracle.right.gamma == EXP3S(5, 10_000, Script(), switches=4).gamma
        assert oracle.left is not oracle.right


class TestREX3:
    def test_the_tuned_rates(self):
        assert REX3(5, 10_000, Script()).rate(1) == pytest.approx(0.0243327, abs=5e-8)
        assert REX3(5, 10_000, Script(), g=1 / math.e).rate(1) == pytest.approx(math.sqrt(5 * math.log(5) / 1e4))
        anytime = REX3(5, 10, Script(), anytime=True)
        assert anytime.rate(10_000) == pytest.approx(0.0243327, abs=5e-8)
        assert anytime.rate(1) == 0.5

    def test_by_hand_with_two_arms(self):
        oracle = make(REX3, 2, ("random", 0.3), ("random", 0.6), gamma=0.5)
        assert choice(oracle, 1) == (0, 1)
        oracle.observe(1, 0, 1, True)
        assert pytest.approx([0.25, -0.25]) == oracle.L
        oracle.rng.answers = [("random", 0.561), ("random", 0.562)]
        assert choice(oracle, 2) == (0, 1)
        assert oracle.p == pytest.approx([0.561230, 0.438770], abs=5e-7)
        oracle.observe(2, 1, 1, None)
        assert pytest.approx([0.25, -0.25]) == oracle.L

    def test_the_credit_is_unbiased(self):
        """K / gamma times the expected step is sum_a p_a (2 P_ia - 1)."""
        expected = np.zeros(5)
        for a, b, won in itertools.product(range(5), range(5), [True, False]):
            if a == b:
                continue
            oracle = REX3(5, 100, Script(), gamma=0.5)
            oracle.p = UNEVEN
            oracle.observe(1, a, b, won)
            chance = MSLR5[a, b] if won else MSLR5[b, a]
            expected += UNEVEN[a] * UNEVEN[b] * chance * np.array(oracle.L) * 5 / 0.5
        assert expected == pytest.approx([0.1555, 0.0886, -0.0652, -0.3652, -0.3841], abs=5e-5)

    def test_the_rate_of_the_round_mixes_and_steps(self):
        oracle = make(REX3, 2, ("random", 0.3), ("random", 0.6), anytime=True)
        t = 1000
        rate = math.sqrt(2 * math.log(2) / (math.e * 0.5 * t))
        oracle.L = [math.log(3), 0.0]
        oracle.observe(t, *oracle.choose(t), False)
        p = [(1 - rate) * 0.75 + rate / 2, (1 - rate) * 0.25 + rate / 2]
        assert oracle.p == pytest.approx(p)
        assert pytest.approx([math.log(3), 0.0]) == oracle.L, "0.3 and 0.6 are both arm 0"
        oracle.observe(t, 0, 1, False)
        assert pytest.approx([math.log(3) - rate / 4 / p[0], rate / 4 / p[1]]) == oracle.L


class TestDEXP3:
    def test_the_tuned_rates(self):
        oracle = DEXP3HP(5, 10_000, Script())
        assert (oracle.eta, oracle.gamma) == (pytest.approx(0.00173032, abs=5e-9), pytest.approx(0.0930139, abs=5e-8))
        assert oracle.beta == pytest.approx(0.00884536, abs=5e-9)

    @pytest.mark.parametrize("second", [0, 1])
    def test_a_win_adds_two_to_the_first_arm_alone(self, second):
        oracle = make(DEXP3, 2, ("random", 0.3), ("random", 0.3 if second == 0 else 0.6))
        assert choice(oracle, 1) == (0, second)
        oracle.observe(1, 0, second, True)
        assert pytest.approx([2.0, 0.0]) == oracle.S
        oracle.observe(1, 0, second, False)
        assert pytest.approx([2.0, 0.0]) == oracle.S

    def test_the_probabilities_follow_the_sums(self):
        oracle = make(DEXP3, 2, ("random", 0.0), ("random", 0.999))
        oracle.S = [math.log(3) / oracle.eta, 0.0]
        assert choice(oracle, 2) == (0, 1)
        assert oracle.q[0] == pytest.approx((1 - oracle.gamma) * 0.75 + oracle.gamma / 2)

    def test_the_credit_is_the_mean_over_all_arms_itself_included(self):
        expected = np.zeros(5)
        for x, y in itertools.product(range(5), range(5)):
            oracle = DEXP3(5, 100, Script())
            oracle.q = UNEVEN
            oracle.observe(1, x, y, True)
            expected += UNEVEN[x] * UNEVEN[y] * MSLR5[x, y] * np.array(oracle.S)
        assert expected == pytest.approx(MSLR5.mean(axis=1))

    def test_every_arm_has_its_bonus_in_every_round(self):
        oracle = DEXP3HP(2, 100, Script(("random", 0.0), ("random", 0.9)), delta=0.2)
        oracle.choose(1)
        oracle.observe(1, 0, 1, False)
        beta = math.sqrt(math.log(10) / 200)
        assert pytest.approx([2 * beta, 2 * beta]) == oracle.S
        oracle.observe(1, 0, 1, True)
        assert pytest.approx([4 * beta + 2, 4 * beta]) == oracle.S


class TestBCB:
    def test_the_width_by_hand(self):
        assert BCB(4, 100_000, Script()).width(1000) == pytest.approx(0.504301, abs=5e-7)

    def test_pairs_are_two_different_arms_and_only_the_first_counts(self):
        oracle = make(BCB, 3, ("integers", 3, 1), ("integers", 2, 1), ("integers", 3, 2), ("integers", 2, 1))
        assert oracle.choose(1) == (1, 2)
        oracle.observe(1, 1, 2, True)
        assert choice(oracle, 2) == (2, 1)
        oracle.observe(2, 2, 1, False)
        assert oracle.S == [0, 3, 0]
        assert oracle.recommend() == 1

    def test_it_commits_when_the_intervals_are_apart(self):
        """S_0 / t = 2 and S_1 / t = 0: where the width is below 1, 4 (2 / t) ln(400 / 0.1) < 1, t > 66.35."""
        oracle = BCB(2, 100, Script())
        oracle.S = [2.0 * 66, 0.0]
        assert oracle.clear_winner(66) is None
        oracle.S = [2.0 * 67, 0.0]
        assert oracle.clear_winner(67) == 0

    def test_it_stays_with_the_arm_to_which_it_committed(self):
        P = np.array([[0.5, 1.0], [0.0, 0.5]])
        oracle = BCB(2, 300, np.random.default_rng(1), delta=0.9)
        pairs = play(oracle, P, 300, np.random.default_rng(2))
        explored = next(t for t, (x, y) in enumerate(pairs) if x == y)
        assert 0 < explored < 300
        assert set(pairs[explored:]) == {(0, 0)}
        assert oracle.recommend() == 0

    def test_the_cyclic_matrix_has_a_gap_of_two_fifteenths(self):
        scores = borda_scores(CYCLIC)
        assert scores[0] - max(scores[1:]) == pytest.approx(2 / 15)
