"""The transcriptions against cases worked out by hand, brute force and a linear program."""

import itertools
import math
from collections import Counter

import numpy as np
import pytest
from scipy.optimize import linprog
from scipy.stats import chi2_contingency

from . import play
from .ccb import CCB
from .common import Oracle, challenger, kl_half, upper_bounds
from .d_ts import DTS, beta_above_half_by_rejection
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
from .rucb import RUCB
from .uniform_random import UniformRandom

TWO_ARMS = np.array([[0.5, 1.0], [0.0, 0.5]])
TOTAL_ORDER = np.array([[0.5, 1.0, 1.0], [0.0, 0.5, 1.0], [0.0, 0.0, 0.5]])
CYCLIC = np.array([[0.5, 0.6, 0.6, 0.6], [0.4, 0.5, 0.9, 0.1], [0.4, 0.1, 0.5, 0.9], [0.4, 0.9, 0.1, 0.5]])
GAP = np.array(
    [
        [0.5, 0.8, 0.8, 0.51, 0.2],
        [0.2, 0.5, 0.8, 0.2, 0.8],
        [0.2, 0.2, 0.5, 0.8, 0.8],
        [0.49, 0.8, 0.2, 0.5, 0.2],
        [0.8, 0.2, 0.2, 0.8, 0.5],
    ]
)


class Script:
    """Generator that gives the answers it is told, and fails on any draw that is not the next one expected.

    An answer is ("random", value), ("integers", n, value) for a draw from 0..n-1, or
    ("permutation", n, order).
    """

    def __init__(self, *answers):
        self.answers = list(answers)

    def random(self):
        kind, value = self.answers.pop(0)
        assert kind == "random"
        return value

    def integers(self, low, high):
        kind, n, value = self.answers.pop(0)
        assert (kind, low, high) == ("integers", 0, n)
        return value

    def permutation(self, n):
        kind, expected, order = self.answers.pop(0)
        assert (kind, n) == ("permutation", expected)
        return np.array(order)


def make(oracle_class, n_arms, *answers, wins=None, **parameters):
    """Oracle that draws ``answers`` in its first rounds, with ``wins`` {(i, j): count} behind it."""
    oracle = oracle_class(n_arms, 100, Script(*answers), **parameters)
    for pair, count in (wins or {}).items():
        oracle.W[pair] = count
    return oracle


def choice(oracle, t):
    """Pair of round ``t``, once all the answers are used up."""
    pair = oracle.choose(t)
    assert oracle.rng.answers == []
    return pair


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

    def test_bounds_have_the_width_of_the_clock_and_two_where_nothing_was_played(self):
        u = upper_bounds(np.array([[0, 3, 0], [1, 0, 0], [0, 0, 0]]), 10, 0.51)
        width = math.sqrt(0.51 * math.log(10) / 4)
        expected = [[0.5, 0.75 + width, 2.0], [0.25 + width, 0.5, 2.0], [2.0, 2.0, 0.5]]
        np.testing.assert_allclose(u, expected, rtol=1e-15)

    def test_divergence_from_a_half_is_symmetric_and_has_the_published_values(self):
        assert kl_half(0.6) == pytest.approx(0.0201355, abs=5e-8)
        assert kl_half(0.1) == pytest.approx(kl_half(0.9), abs=1e-15) == pytest.approx(0.3680642, abs=5e-8)

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


class Bare(Oracle):
    """The common part alone, built like every other oracle."""

    def __init__(self, n_arms, horizon, rng):
        super().__init__(n_arms, rng)


class TestRandom:
    def test_random_draws_the_first_arm_and_then_the_second(self):
        assert choice(make(UniformRandom, 7, ("integers", 7, 4), ("integers", 7, 4)), 1) == (4, 4)


class TestRUCB:
    def test_rucb_on_two_arms_settles_until_a_bound_expires(self):
        """After n duels all won the loser's sqrt(alpha ln t / n) is below 1/2 while t < exp(n / 4 alpha).

        These ends are 2.7, 4.3, 7.1 and 11.6 for n = 2, 3, 4 and 5.
        """
        oracle = RUCB(2, 12, np.random.default_rng(0))
        pairs = play(oracle, TWO_ARMS, 12, np.random.default_rng(1))
        duels = [t for t, (first, second) in enumerate(pairs, start=1) if first != second]
        assert duels == [1, 2, 3, 5, 8, 12]
        assert {pairs[t - 1] for t in range(1, 13) if t not in duels} == {(0, 0)}

    def test_rucb_without_data_draws_a_champion_and_then_one_of_the_others(self):
        assert choice(make(RUCB, 3, ("integers", 3, 1), ("integers", 2, 1)), 1) == (1, 2)

    def test_rucb_without_candidates_draws_from_all_arms(self):
        oracle = make(RUCB, 3, ("integers", 3, 2), wins={(0, 1): 99, (1, 2): 99, (2, 0): 99})
        assert choice(oracle, 2) == (2, 1)

    def test_rucb_favours_its_champion_by_a_coin_and_draws_from_the_other_candidates(self):
        tails = make(RUCB, 3, ("random", 0.5), ("integers", 2, 0), ("integers", 2, 0))
        tails.B = 1
        assert choice(tails, 1) == (0, 1)
        heads = make(RUCB, 3, ("random", 0.49), ("integers", 2, 1))
        heads.B = 1
        assert choice(heads, 1) == (1, 2)

    def test_rucb_forgets_a_champion_that_is_no_candidate(self):
        oracle = make(RUCB, 3, ("integers", 2, 0), wins={(0, 1): 99})
        oracle.B = 1
        assert choice(oracle, 2) == (0, 2)
        assert oracle.B is None

    def test_rucb_of_the_first_version_has_no_champion(self):
        oracle = make(RUCB, 2, ("integers", 2, 1), variant="arxiv")
        oracle.B = 0
        assert choice(oracle, 1) == (1, 0)


class TestCCB:
    def test_ccb_without_data_draws_a_candidate_and_then_one_of_the_others(self):
        assert choice(make(CCB, 3, ("integers", 3, 2), ("integers", 2, 1)), 1) == (2, 1)

    def test_ccb_starts_anew_when_a_believed_superior_turns_out_beaten(self):
        oracle = make(CCB, 3, ("integers", 2, 0), wins={(1, 0): 99})
        oracle.B, oracle.Bo, oracle.LC = {1}, [{1}, {0}, set()], 0
        assert choice(oracle, 2) == (1, 2)
        assert (oracle.B, oracle.Bo, oracle.LC) == ({0, 1, 2}, [set(), set(), set()], 3)

    def test_ccb_drops_losers_with_their_superiors_and_trims_to_the_winners_losses_plus_one(self):
        """Arm 1 surely beats 0 and 2, and arm 2 beats 0: both leave, with Bo[0] = {1, 2} and Bo[2] = {1}.

        Arm 1 then sets LC = 0, so that Bo[0] keeps one of its two, and plays itself.
        """
        oracle = make(CCB, 3, ("integers", 2, 0), wins={(1, 0): 99, (2, 0): 99, (1, 2): 99})
        assert choice(oracle, 2) == (1, 1)
        assert (oracle.B, oracle.Bo, oracle.LC) == ({1}, [{2}, set(), {1}], 0)

    def test_ccb_keeps_a_list_of_the_right_size_when_its_arm_is_dropped(self):
        oracle = make(CCB, 3, wins={(1, 0): 99, (2, 0): 99, (1, 2): 99})
        oracle.Bo, oracle.LC = [{2}, set(), {1}], 0
        assert choice(oracle, 2) == (1, 1)
        assert oracle.Bo == [{2}, set(), {1}]

    def test_ccb_starts_anew_when_nobody_is_left(self):
        oracle = make(CCB, 3, wins={(1, 0): 99, (2, 0): 99, (1, 2): 99})
        oracle.B = {0, 2}
        assert choice(oracle, 2) == (1, 1)
        assert (oracle.B, oracle.Bo, oracle.LC) == ({0, 1, 2}, [set(), set(), set()], 0)

    def test_ccb_clears_a_list_that_is_too_short_for_the_winners_losses(self):
        """Arms 0, 1, 2 surely beat arm 3, and each other in a circle: with one loss each, Bo[3] needs two."""
        circle = {(0, 1): 99, (1, 2): 99, (2, 0): 99, (0, 3): 99, (1, 3): 99, (2, 3): 99}
        oracle = make(CCB, 4, ("integers", 3, 0), wins=circle)
        oracle.B, oracle.Bo[3], oracle.LC = {0, 1, 2}, {0}, 1
        choice(oracle, 2)
        assert (oracle.B, oracle.Bo, oracle.LC) == ({0, 1, 2}, [set(), set(), set(), set()], 1)

    def test_ccb_checks_an_uncertain_belief_one_time_in_four(self):
        oracle = make(CCB, 3, ("random", 0.24))
        oracle.Bo[0] = {1}
        assert choice(oracle, 2) == (0, 1)
        oracle = make(CCB, 3, ("random", 0.24), ("integers", 3, 1))
        oracle.Bo[0], oracle.Bo[2] = {1, 2}, {1}
        assert choice(oracle, 2) == (0, 2)

    def test_ccb_duels_a_believed_superior_or_anyone_by_a_coin(self):
        believed = make(CCB, 3, ("random", 0.25), ("integers", 3, 0), ("random", 0.49))
        believed.Bo[0] = {1}
        assert choice(believed, 2) == (0, 1)
        anyone = make(CCB, 3, ("random", 0.25), ("integers", 3, 0), ("random", 0.5), ("integers", 2, 1))
        anyone.Bo[0] = {1}
        assert choice(anyone, 2) == (0, 2)

    def test_ccb_draws_from_its_shortlist_two_times_in_three(self):
        short = make(CCB, 3, ("random", 0.66), ("integers", 2, 0))
        short.B = {1}
        assert choice(short, 2) == (1, 0)
        whole = make(CCB, 3, ("random", 0.67), ("integers", 3, 2), ("integers", 2, 0))
        whole.B = {1}
        assert choice(whole, 2) == (2, 0)

    def test_ccb_leaves_out_challengers_that_surely_win_or_lose(self):
        circle = {(0, 1): 99, (1, 2): 99, (2, 0): 99}
        assert choice(make(CCB, 3, ("integers", 3, 0), wins=circle), 2) == (0, 0)


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


class TestDTS:
    def test_candidates_have_the_most_possible_wins(self):
        oracle = make(DTS, 4, wins={(1, 0): 99, (2, 0): 99, (2, 3): 99})
        assert oracle.candidates(upper_bounds(oracle.W, 10, 0.51)) == [1, 2]

    def test_a_bound_of_exactly_a_half_is_no_possible_win(self):
        """At t = 1 the width is 0, so that one win of two is u = 1/2."""
        oracle = make(DTS, 3, wins={(0, 1): 1, (1, 0): 1})
        assert oracle.candidates(upper_bounds(oracle.W, 1, 0.51)) == [2]

    def test_the_chance_of_a_sign_is_a_binomial_tail(self):
        """P(Bin(6, 1/2) <= 3) = (1 + 6 + 15 + 20) / 64."""
        oracle = make(DTS, 2, wins={(0, 1): 3, (1, 0): 2})
        assert oracle.above_half(0, 1) == pytest.approx(42 / 64)
        assert oracle.above_half(1, 0) == pytest.approx(22 / 64)

    def test_d_ts_on_two_fresh_arms_draws_one_sign_for_each_phase(self):
        assert choice(make(DTS, 2, ("random", 0.4), ("random", 0.6)), 1) == (0, 0)
        assert choice(make(DTS, 2, ("random", 0.6), ("random", 0.4)), 1) == (1, 0)

    def test_d_ts_draws_no_signs_for_a_single_candidate(self):
        """Arm 0 surely beats 2 and 3, which surely beat 1; the three draws are those of the second phase."""
        wins = {(0, 2): 99, (0, 3): 99, (2, 1): 99, (3, 1): 99, (3, 2): 99}
        assert choice(make(DTS, 4, *[("random", 0.4)] * 3, wins=wins), 10) == (0, 1)

    def test_d_ts_leaves_out_challengers_that_surely_win(self):
        """A sure circle: one vote each, arm 0 by the tie, and arm 1 is the only uncertain one."""
        circle = {(0, 1): 99, (1, 2): 99, (2, 0): 99}
        signs = [("random", 0.4)] * 3
        oracle = make(DTS, 3, *signs, ("integers", 3, 0), ("random", 0.4), wins=circle)
        assert choice(oracle, 10) == (0, 0)

    def test_d_ts_counts_votes_against_all_arms_and_draws_signs_of_candidates_only(self):
        """Candidates 0 and 1 beat 2 and 3 nearly surely: chance 1 - 1 / 2^11. The pair (2, 3) is not drawn.

        Arm 0 is above 1, but unluckily below 2 and 3: votes 1 and 2 make arm 1 the first.
        """
        wins = {(0, 2): 10, (0, 3): 10, (1, 2): 10, (1, 3): 10}
        signs = [("random", x) for x in (0.4, 0.9999, 0.9999, 0.4, 0.4)]
        oracle = make(DTS, 4, *signs, *[("random", 0.9)] * 3, wins=wins)
        assert choice(oracle, 10) == (1, 1)

    def test_d_ts_draws_a_tie_at_random_and_values_for_several_challengers_above_half(self):
        given = []

        def second_is_higher(a, b, rng):
            given.append((a, b))
            return 0.5 + 0.1 * len(given)

        signs = [("random", x) for x in (0.4, 0.6, 0.4)]  # 0 above 1, 2 above 0, 1 above 2: one vote each
        rounds = [*signs, ("integers", 3, 1), ("random", 0.1), ("random", 0.1)]
        oracle = make(DTS, 3, *rounds, wins={(0, 1): 2, (1, 0): 2}, beta_above_half=second_is_higher)
        assert choice(oracle, 10) == (1, 2)
        assert given == [(3, 3), (1, 1)]

    @pytest.mark.parametrize(
        ("second", "values", "expected"),
        [((0.5, 0.9, 0.9), (), (3, 3)), ((0.5, 0.1, 0.1), (0.7, 0.8), (3, 2))],
    )
    def test_d_ts_plus_breaks_a_tie_by_the_regret_of_all_arms(self, second, values, expected):
        """Arm 0, no candidate, has three votes and the candidates 1, 2, 3 one each, so that z* = 1.

        Then r = 2/3 among candidates and 1/3 with arm 0. Arm 3 is farthest from 1/2 with both others: it has
        the least regret. With z* of the candidates alone all three would be equal.
        """
        samples = [0.9, 0.9, 0.9, 0.6, 0.9, 0.8, *values]
        asked = []

        def beta_above_half(a, b, rng):
            asked.append((a, b))
            return samples[len(asked) - 1]

        signs = [("random", x) for x in (0.0001, 0.0001, 0.0001, 0.1, 0.9, 0.1, *second)]
        wins = {(1, 0): 10, (2, 0): 10, (3, 0): 10}
        oracle = make(DTS, 4, *signs, wins=wins, plus=True, beta_above_half=beta_above_half)
        assert choice(oracle, 10) == expected
        assert asked == [(1, 11)] * 3 + [(1, 1)] * (3 + len(values))

    def test_d_ts_plus_needs_no_values_among_arms_of_most_votes_and_then_draws_the_arm(self):
        """One vote each: every r_ij is 0, whatever theta_ij."""
        draws = [*(("random", x) for x in (0.4, 0.6, 0.4)), ("integers", 3, 1), ("random", 0.9), ("random", 0.9)]
        assert choice(make(DTS, 3, *draws, plus=True, beta_above_half=None), 10) == (1, 1)

    @pytest.mark.parametrize("plus", [False, True])
    def test_signs_and_samples_have_the_same_law(self, plus):
        W = np.array([[0, 5, 2, 3], [4, 0, 5, 1], [2, 3, 0, 6], [3, 2, 5, 0]])
        counts = []
        for seed, draws in enumerate(["signs", "betas"]):
            oracle = DTS(4, 100, np.random.default_rng(seed), plus=plus, draws=draws)
            oracle.W[:] = W
            counts.append(Counter(oracle.choose(40) for _ in range(2500)))
        table = [[count[pair] for count in counts] for pair in counts[0] | counts[1]]
        assert chi2_contingency([row for row in table if sum(row) >= 20]).pvalue > 1e-3

    def test_rejection_draws_only_values_above_a_half(self):
        rng = np.random.default_rng(2)
        draws = [beta_above_half_by_rejection(1, 1, rng) for _ in range(400)]
        assert min(draws) > 0.5
        assert np.mean(draws) == pytest.approx(0.75, abs=4 * 0.5 / math.sqrt(12 * 400))


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
