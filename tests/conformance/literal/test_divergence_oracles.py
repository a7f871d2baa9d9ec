"""Transcriptions of the RMED family, against cases worked out by hand and linear programs."""

import itertools
from collections import Counter

import numpy as np
import pytest
from scipy.optimize import linprog

from . import play
from .by_hand import (
    CYCLIC,
    GAP,
    TOTAL_ORDER,
    TWO_ARMS,
    choice,
    in_order,
    make,
)
from .common import kl_half
from .ecw_rmed import (
    ECWRMED,
    confident,
    confident_by_the_efficient_set,
    divergences,
    efficient_optimum,
    inferiors,
    superior_counts,
    superiors,
)
from .rmed1 import RMED1
from .rmed2 import RMED2, informative_opponent, is_worth_drawing
from .rmed2fh import RMED2FH


class TestRMED1:
    def test_rmed1_first_plays_every_pair_once_in_its_private_order(self):
        oracle = make(RMED1, 4, ("permutation", 4, [2, 0, 3, 1]))
        assert play(oracle, CYCLIC, 6, np.random.default_rng(0)) == [
            *[(2, 0), (2, 3), (2, 1)],
            *[(0, 3), (0, 1)],
            *[(3, 1)],
        ]

    @pytest.mark.parametrize("order", list(itertools.permutations(range(3))))
    def test_rmed1_leaves_an_arm_out_once_its_divergence_is_too_large(self, order):
        """After n loops arm 2 has lost 1 + n duels to arm 0 and one to arm 1: I_2 = (n + 2) ln 2.

        With f(3) = 0.910 it returns after loops 1 and 2, where 3 ln 2 <= ln 4 + f and 4 ln 2 <= ln 7 + f, but
        not after loop 3, where 5 ln 2 = 3.466 > ln 12 + f = 3.395. Arm 1 always does: 4 ln 2 <= ln 10 + f.
        """
        oracle = make(RMED1, 3, ("permutation", 3, order))
        pairs = play(oracle, TOTAL_ORDER, 14, np.random.default_rng(0))
        loop = [(arm, 0) for arm in order]
        assert pairs[3:] == [*loop, *loop, *loop, *[pair for pair in loop if pair[0] != 2]]

    def test_rmed1_duels_its_strongest_opponent_when_the_best_arm_is_no_threat(self):
        """Arm 0, of two slight losses, is the best; arms 2 and 3 beat it with 2/3 each, and 3 is earlier."""
        slight = {(0, 2): 1, (2, 0): 2, (0, 3): 1, (3, 0): 2}
        heavy = {(0, 1): 9, (2, 1): 9, (3, 2): 9, (1, 3): 9}
        oracle = make(RMED1, 4, ("permutation", 4, [0, 3, 2, 1]), wins=slight | heavy)
        assert choice(oracle, 7) == (0, 3)

    def test_rmed1_prefers_the_best_arm_to_a_stronger_opponent(self):
        """Arms 2 and 3, even with each other, are unbeaten; 3 is earlier, though 2 beats arm 0 more often."""
        wins = {(2, 0): 5, (0, 3): 1, (3, 0): 2, (2, 3): 4, (3, 2): 4, (2, 1): 1, (3, 1): 1, (0, 1): 1}
        oracle = make(RMED1, 4, ("permutation", 4, [0, 3, 2, 1]), wins=wins)
        assert choice(oracle, 7) == (0, 3)


class TestRMED2:
    def test_every_loop_begins_with_the_pairs_that_are_short_of_duels(self):
        """Arm 0 wins. 10 ln ln t is 0.9 in round 3, inside the first loop, and then 3.3, 4.8, 5.8, 6.7, 7.3, 7.9, 8.3.

        The second loop thus begins with duels in rounds 4 to 10, up to the ninth, as 10 ln ln 11 = 8.7.
        """
        oracle = make(RMED2, 2, in_order(0, 1), alpha=10.0)
        pairs = play(oracle, TWO_ARMS, 11, np.random.default_rng(0))
        assert pairs == [(0, 1), (0, 0), (1, 0), *[(0, 1)] * 7, (0, 0)]

    def test_the_pairs_wait_in_the_order_of_the_initial_phase(self):
        oracle = make(RMED2, 3, in_order(1, 2, 0), wins={(1, 2): 9, (1, 0): 1, (2, 0): 1})
        assert oracle.initial == [(1, 2), (1, 0), (2, 0)]
        pairs = []
        for t in range(100, 107):  # 3 ln ln t = 4.6
            pairs.append(oracle.choose(t))
            oracle.observe(t, *pairs[-1], True)
        assert pairs == [*[(1, 0)] * 4, *[(2, 0)] * 3]
        assert not oracle.LN

    def test_the_most_informative_opponents_on_the_cyclic_matrix(self):
        """b* of the lower bound: with winner 0, arm 1 has (0.1 + 0.1) / d(0.1, 1/2) = 0.54 with arm 3, 4.97 with 0."""
        assert [informative_opponent(i, 0, CYCLIC, range(4)) for i in range(4)] == [None, 3, 1, 2]

    def test_a_negative_numerator_is_used_as_it_is_or_raised_to_the_floor(self):
        """-0.1 / d(0.4, 1/2) = -5.0 and -0.3 / d(0.2, 1/2) = -1.6; 0.01 / 0.02 and 0.01 / 0.19."""
        p = np.array([[0.5, 0.4, 0.2], [0.6, 0.5, 0.5], [0.8, 0.5, 0.5]])
        assert informative_opponent(0, 0, p, range(3)) == 1
        assert informative_opponent(0, 0, p, range(3), floor=0.01) == 2

    def test_ties_of_the_ratio_go_by_the_order_of_arms(self):
        p = np.array([[0.5, 0.5, 0.4], [0.5, 0.5, 0.4], [0.6, 0.6, 0.5]])
        assert informative_opponent(0, 2, p, [1, 0, 2]) == informative_opponent(1, 2, p, [1, 0, 2]) == 2
        p = np.array([[0.5, 0.4, 0.4], [0.6, 0.5, 0.5], [0.6, 0.5, 0.5]])
        assert informative_opponent(0, 0, p, [0, 2, 1]) == 2

    def test_an_opponent_is_drawn_if_the_winner_was_met_often_enough(self):
        """Arm 1 met the winner 0 three times and arm 3, to which it loses, seven times: 7 / 2 > 3 > 7 / 2.5."""
        W = np.zeros((4, 4), np.int64)
        W[0, 1], W[3, 1], W[1, 3] = 3, 5, 2
        assert not is_worth_drawing(1, 3, 0, W, 2.0)
        assert is_worth_drawing(1, 3, 0, W, 2.5)
        assert not is_worth_drawing(3, 1, 0, W, 2.5)
        assert not is_worth_drawing(1, None, 0, W, 2.5)

    def test_rmed2_takes_the_informative_opponent_or_else_that_of_rmed1(self):
        """3 ln ln 50 = 4.1 and ln ln 50 = 1.36: ten duels with the winner suffice for 13 with arm 3, not for 14."""
        wins = {(i, j): round(10 * CYCLIC[i, j]) for i in range(4) for j in range(4) if i != j}
        for duels_with_3, expected in ((13, (1, 3)), (14, (1, 0))):
            oracle = make(RMED2, 4, in_order(0, 1, 2, 3), wins=wins)
            oracle.W[3, 1] = duels_with_3 - 1
            oracle.LR = [1, 2]
            assert oracle.choose(50) == expected


class TestRMED2FH:
    def test_the_initial_phase_draws_each_pair_often(self):
        """3 ln ln 1000 = 5.8; before ln ln T exists, each pair is drawn once."""
        oracle = make(RMED2FH, 3, in_order(2, 0, 1), horizon=1000)
        assert oracle.initial == [(2, 0)] * 6 + [(2, 1)] * 6 + [(0, 1)] * 6
        assert make(RMED2FH, 3, in_order(2, 0, 1), horizon=2).initial == [(2, 0), (2, 1), (0, 1)]

    def test_opponents_are_settled_after_the_initial_phase(self):
        """Six pairs five times each, as ln ln 100 = 1.53; 10 duels with the winner suffice for 14 with arm 3.

        Once arm 1 is ahead of 3, its opponent is that of RMED1, though 16 duels would do for 19.
        """
        wins = {(i, j): round(10 * CYCLIC[i, j]) for i in range(4) for j in range(4) if i != j}
        oracle = make(RMED2FH, 4, in_order(0, 1, 2, 3), wins=wins, horizon=100)
        assert oracle.choose(31) == (0, 0)
        assert oracle.b == [None, 3, 1, 2]
        oracle.LR = [1]
        oracle.W[3, 1] += 4
        assert oracle.choose(32) == (1, 3)
        oracle.W[3, 1], oracle.W[1, 3] = 9, 10
        oracle.W[0, 1] += 6
        assert oracle.choose(33) == (1, 0)
        assert oracle.b == [None, 3, 1, 2]

    def test_rmed2fh_draws_no_pairs_for_being_short(self):
        """Round 2 is a loop's, and 100 ln ln 3 = 9.4 duels more would be forced in RMED2."""
        oracle = make(RMED2FH, 2, in_order(0, 1), horizon=2, alpha=100.0)
        assert play(oracle, TWO_ARMS, 4, np.random.default_rng(0))[1:] == [(0, 0), (1, 0), (0, 0)]


class TestECWRMED:
    def test_cyclic_has_the_constant_of_the_three_pairs_of_its_winner(self):
        """Arm 0 beats the others, of two losses each, with 0.6: 3 times (1/3) / d(0.6), and nothing else."""
        constant, e = efficient_optimum(CYCLIC, 0, range(4))
        assert constant == pytest.approx(1 / kl_half(0.6))
        assert constant == pytest.approx(49.6635, abs=5e-5)
        expected = np.zeros((4, 4))
        expected[0, 1:] = expected[1:, 0] = 1.0
        assert (e == expected).all()

    def test_gap_pays_for_one_pair_of_almost_equals(self):
        """Losses 1, 2, 2, 3, 2. Arm 0 has e = 1 with 1, 2, 3; arm 4 needs one of 1 and 2, equally dear."""
        constant, e = efficient_optimum(GAP, 0, [3, 2, 1, 0, 4])
        by_hand = (1 / 4) / kl_half(0.51) + (1 / 8 + 1 / 8 + 1 / 4) / kl_half(0.8)
        assert constant == pytest.approx(by_hand)
        assert constant == pytest.approx(1252.511, abs=5e-4)
        assert {(i, j) for i in range(5) for j in range(i) if e[i, j] > 0} == {(1, 0), (2, 0), (3, 0), (4, 2)}
        assert efficient_optimum(GAP, 0, [1, 2, 3, 0, 4])[1][4, 1] == 1.0

    def test_the_optimum_is_that_of_the_linear_program(self):
        shared_out = 0
        for p in almost_circular_preferences(n_arms=7, count=40):
            winner = superior_counts(p).index(min(superior_counts(p)))
            constant, e = efficient_optimum(p, winner, range(7))
            shared_out += bool(((e > 0) & (e < 1)).any())
            assert constant == pytest.approx(constant_by_linear_program(p, winner), rel=1e-6, abs=1e-6)
        assert shared_out >= 5

    def test_the_confidence_test_is_that_of_all_constraints(self):
        rng = np.random.default_rng(5)
        verdicts = Counter()
        for p in almost_circular_preferences(n_arms=5, count=60):
            N = np.tril(rng.integers(0, 40, size=(5, 5)), -1)
            G = (N + N.T) * divergences(p)
            losses = superior_counts(p)
            for winner in (i for i in range(5) if losses[i] == min(losses)):
                for log_t in (0.5, 2.0, 4.0):
                    verdict = confident(p, G, winner, log_t)
                    assert verdict == all(sum(G[pair] for pair in c) >= log_t for c in constraints(p, winner))
                    stricter = confident_by_the_efficient_set(p, G, winner, log_t)
                    enough = all(G[winner, j] >= log_t for j in inferiors(p, winner))
                    sets = efficient_constraints(p, winner)
                    assert stricter == (enough and all(sum(G[pair] for pair in c) >= log_t for c in sets))
                    verdicts[verdict, stricter] += 1
        assert verdicts[False, True] == 0
        assert min(verdicts[True, True], verdicts[True, False], verdicts[False, False]) >= 10

    def test_ecw_rmed_forces_draws_and_then_exploits(self):
        """All duels are won: forced while N < 3 sqrt(ln t), in rounds 1 to 4, 17 = ceil(exp((5/3)^2)) and 55.

        Round 5 draws the pair in the loop, and 5 ln 2 >= ln 5 settles on the winner's self pair.
        """
        oracle = ECWRMED(2, 55, np.random.default_rng(0))
        pairs = play(oracle, TWO_ARMS, 55, np.random.default_rng(1))
        assert [t for t, pair in enumerate(pairs, start=1) if pair == (1, 0)] == [1, 2, 3, 4, 5, 17, 55]
        assert set(pairs) == {(1, 0), (0, 0)}

    def test_ecw_rmed_draws_the_pair_again_when_its_evidence_falls_behind_the_clock(self):
        """Evidence N d(W / N, 1/2) is 0.964, 1.456 and 1.981 after 4, 5 and 6 wins in 5, 6 and 7 duels.

        It is behind ln t after rounds 3, 5 and 8, and the loop after each is the pair, then the self pair.
        """
        oracle = ECWRMED(2, 10, np.random.default_rng(0), alpha=0.0, beta=0.0)
        oracle.W[:] = [[0, 3], [1, 0]]
        pairs = play(oracle, TWO_ARMS, 10, np.random.default_rng(1))
        assert [t for t, pair in enumerate(pairs, start=1) if pair == (1, 0)] == [1, 4, 6, 9]

    @pytest.mark.parametrize(("forced", "eighth"), [("round", (2, 1)), ("loop", (0, 0))])
    def test_forced_rounds_are_no_steps_of_the_loop(self, forced, eighth):
        """With four wins per pair, rounds 5 to 7 draw the three pairs, the last two because 4 < 3 sqrt(ln 6).

        As steps of the loop they end it, and the winner's self pair is next; forced, they leave it waiting.
        """
        answers = ("permutation", 3, [1, 2, 0]), ("permutation", 3, [0, 1, 2])
        oracle = make(ECWRMED, 3, *answers, wins={(0, 1): 4, (0, 2): 4, (1, 2): 4}, forced=forced)
        pairs = []
        for t in range(5, 9):
            pairs.append(oracle.choose(t))
            oracle.observe(t, *pairs[-1], False)
        assert pairs == [(2, 0), (2, 1), (1, 0), eighth]

    def test_a_pair_still_to_come_in_this_loop_is_not_noted_for_the_next(self):
        """Arm 0 needs N ln 2 >= ln t with both others, which are even: 3 and 4 wins last to rounds 8 and 16.

        In round 10 both pairs are short; (1, 0), drawn in round 11, then has its fourth win.
        """
        answers = ("permutation", 3, [1, 0, 2]), ("permutation", 3, [0, 1, 2])
        wins = {(0, 1): 3, (0, 2): 2, (1, 2): 1, (2, 1): 1}
        oracle = make(ECWRMED, 3, *answers, wins=wins, alpha=0.0, beta=0.0)
        oracle.LR = [(2, 0), (1, 0)]
        for t in (10, 11):
            oracle.observe(t, *oracle.choose(t), False)
        assert oracle.LC == [(2, 0), (0, 0)]

    def test_of_several_sure_winners_the_first_in_the_order_of_arms_is_played(self):
        answers = ("permutation", 3, [0, 1, 2]), ("permutation", 3, [1, 2, 0])
        circle = {(0, 1): 99, (1, 2): 99, (2, 0): 99}
        oracle = make(ECWRMED, 3, *answers, wins=circle)
        oracle.observe(5, *oracle.choose(5), False)
        assert oracle.LN == [(1, 1)]

    @pytest.mark.parametrize(
        ("wins_of_2", "expected"),
        [((3, 1), [(2, 0), (2, 1), (3, 1), (1, 1)]), ((4, 0), [(1, 0), (2, 0), (3, 2), (2, 2)])],
    )
    def test_of_several_unsure_winners_the_one_of_least_constant_is_explored(self, wins_of_2, expected):
        """Arms 0, 1, 2 beat arm 3, and each other in a circle: i pays (1/3) / d(ph_i3, 1/2), arm 1 the least.

        Arm 1 needs its inferiors 2 and 3, and (2, 0), without which arm 0 would have no loss. When arm 2 pays
        as little, it is the earlier in the order of arms, and needs 0 and 3, and (1, 0).
        """
        circle = {(0, 1): 3, (1, 0): 1, (1, 2): 3, (2, 1): 1, (2, 0): 3, (0, 2): 1}
        wins = circle | {(0, 3): 3, (3, 0): 1, (1, 3): 4, (2, 3): wins_of_2[0], (3, 2): wins_of_2[1]}
        answers = ("permutation", 6, range(6)), ("permutation", 4, [0, 2, 1, 3])
        oracle = make(ECWRMED, 4, *answers, wins=wins, alpha=0.0)
        oracle.LR = [(1, 0)]
        oracle.observe(100, *oracle.choose(100), False)
        assert list(oracle.LC) == expected

    @pytest.mark.parametrize(("t", "in_loop"), [(10, False), (10**6, True)])
    def test_the_band_around_a_half_narrows_with_the_logarithm_of_the_logarithm(self, t, in_loop):
        """A gap of 0.15 is less than 0.3 / max(1, ln ln 10) = 0.3 and more than 0.3 / ln ln 10^6 = 0.114."""
        oracle = ECWRMED(2, 100, np.random.default_rng(0), alpha=0.0, beta=0.3)
        oracle.W[:] = [[0, 13], [7, 0]]
        oracle.choose(t)
        assert oracle.in_loop is in_loop

    def test_self_pairs_come_last_and_by_the_order_of_arms(self):
        answers = ("permutation", 3, [2, 1, 0]), ("permutation", 3, [2, 0, 1])
        oracle = make(ECWRMED, 3, *answers, alpha=0.0, beta=0.0)
        assert oracle.pairs == [(2, 1), (2, 0), (1, 0)]
        oracle.LR, oracle.LN, oracle.in_loop = [(1, 0)], [(1, 1), (2, 0), (2, 2)], True
        oracle.observe(1, 1, 0, True)
        assert oracle.LC == [(2, 0), (2, 2), (1, 1)]


def almost_circular_preferences(n_arms, count):
    """Gaps of 0.05 to 0.45: each arm beats the half of the arms that follow it, but for 3 upsets in 10.

    Few have a Condorcet winner, so that the sets of (2) and (5) come in all sizes.
    """
    rng = np.random.default_rng(n_arms)
    for _ in range(count):
        p = np.full((n_arms, n_arms), 0.5)
        for i, j in itertools.combinations(range(n_arms), 2):
            expected = 2 * (j - i) < n_arms
            ahead = expected if rng.random() < 0.7 else not expected
            p[i, j] = 0.5 + (1 if ahead else -1) * rng.uniform(0.05, 0.45)
            p[j, i] = 1.0 - p[i, j]
        yield p


def constraints(p, i1):
    """All sets of pairs of equation (2)."""
    losses = superior_counts(p)
    L1, L2 = sorted(losses)[:2]
    for i2 in (i for i in range(len(p)) if i != i1):
        for level in range(max(0, L1 - 1), L2 + 1):
            for chosen in itertools.combinations(inferiors(p, i1), level + 1 - L1):
                size = max(0, losses[i2] - level - (i2 in chosen))
                for S in itertools.combinations([j for j in superiors(p, i2) if j != i1], size):
                    yield [(i1, j) for j in chosen] + [(i2, j) for j in S]


def efficient_constraints(p, i1):
    """All sets of pairs of equation (5)."""
    losses = superior_counts(p)
    for i2 in (i for i in range(len(p)) if i != i1):
        for S in itertools.combinations([j for j in superiors(p, i2) if j != i1], losses[i2] - losses[i1] + 1):
            yield [(j, i2) for j in S]


def constant_by_linear_program(p, i1):
    """Least sum of c e over 0 <= e <= 1 with (4) and (5), by a general solver."""
    n_arms, losses, d = len(p), superior_counts(p), divergences(p)
    column = {}
    for position, (i, j) in enumerate(itertools.combinations(range(n_arms), 2)):
        column[i, j] = column[j, i] = position
    costs, lowest = np.zeros(len(column) // 2), np.zeros(len(column) // 2)
    for (i, j), position in column.items():
        costs[position] = (losses[i] + losses[j] - 2 * min(losses)) / (2 * (n_arms - 1)) / d[i, j]
        lowest[position] = float(i1 in (i, j) and p[i1, i + j - i1] > 0.5)
    rows = [np.zeros(len(costs))]
    for pairs in efficient_constraints(p, i1):
        rows.append(np.zeros(len(costs)))
        rows[-1][[column[pair] for pair in pairs]] = -1.0
    limits = [0.0, *[-1.0] * (len(rows) - 1)]
    return linprog(costs, A_ub=rows, b_ub=limits, bounds=[(low, 1.0) for low in lowest]).fun
