"""More transcriptions against cases worked out by hand, and against each other."""

import math
from collections import Counter

import numpy as np
import pytest
from scipy.stats import chi2_contingency

from . import play
from .common import Oracle
from .d_ts_pure import PureDTS
from .kl_bounds import kl_lower, kl_upper, kl_upper_depth
from .merge_dts import MergeDTS
from .mergerucb import MergeRUCB
from .rcs import RCS
from .rmed2 import RMED2, informative_opponent, is_worth_drawing
from .rmed2fh import RMED2FH
from .scb import SCB
from .sup_klucb import SupKLUCB
from .test_the_oracles import CYCLIC, TOTAL_ORDER, TWO_ARMS, Script, choice
from .vdb import VDB, tsallis_weights
from .ws import WSS, WSW, WSWByRounds

CIRCLE = np.array([[0.5, 1.0, 0.0], [0.0, 0.5, 1.0], [1.0, 0.0, 0.5]])
SURE_CIRCLE = {(0, 1): 99, (1, 2): 99, (2, 0): 99}
SIGNS_OF_A_CIRCLE = [("random", x) for x in (0.4, 0.6, 0.4)]  # of three fresh arms: 0 above 1, 2 above 0, 1 above 2


class Draws(Script):
    """A script that also answers ("beta", a, b, value)."""

    def beta(self, a, b):
        kind, *parameters, value = self.answers.pop(0)
        assert (kind, *parameters) == ("beta", a, b)
        return value


def make(oracle_class, n_arms, *answers, wins=None, horizon=100, **parameters):
    """Oracle that draws ``answers`` first, with ``wins`` {(i, j): count} behind it."""
    oracle = oracle_class(n_arms, horizon, Draws(*answers), **parameters)
    for pair, count in (wins or {}).items():
        oracle.W[pair] = count
    return oracle


def in_order(*order):
    return "permutation", len(order), list(order)


def random_preferences(n_arms, seed):
    upper = np.triu(np.random.default_rng(seed).random((n_arms, n_arms)), 1)
    return upper + np.tril(1.0 - upper.T, -1) + 0.5 * np.eye(n_arms)


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


class TestPureDTS:
    def test_pure_d_ts_draws_all_signs_twice_where_d_ts_has_a_single_candidate(self):
        oracle = make(PureDTS, 2, ("random", 0.4), ("random", 0.4), wins={(0, 1): 99})
        assert choice(oracle, 10) == (0, 0)

    def test_pure_d_ts_keeps_challengers_that_surely_win(self):
        """The sure circle on which D-TS plays (0, 0)."""
        signs = [("random", 0.4)] * 3
        oracle = make(PureDTS, 3, *signs, ("integers", 3, 0), *signs[:2], wins=SURE_CIRCLE)
        assert choice(oracle, 10) == (0, 2)

    def test_signs_and_samples_have_the_same_law(self):
        counts = []
        for seed, draws in enumerate(["signs", "betas"]):
            oracle = PureDTS(4, 100, np.random.default_rng(seed), draws=draws)
            oracle.W[:] = [[0, 5, 2, 3], [4, 0, 5, 1], [2, 3, 0, 6], [3, 2, 5, 0]]
            counts.append(Counter(oracle.choose(40) for _ in range(2500)))
        table = [[count[pair] for count in counts] for pair in counts[0] | counts[1]]
        assert chi2_contingency([row for row in table if sum(row) >= 20]).pvalue > 1e-3


class TestRCS:
    def test_champion_is_the_sampled_condorcet_winner_and_the_bounds_choose_the_challenger(self):
        signs = [("random", x) for x in (0.6, 0.4, 0.4)]  # arm 1 above both
        assert choice(make(RCS, 3, *signs, ("integers", 2, 1)), 1) == (1, 2)

    def test_rcs_settles_on_self_duels(self):
        oracle = make(RCS, 3, *[("random", 0.4)] * 3, wins={(0, 1): 99, (0, 2): 99})
        assert choice(oracle, 10) == (0, 0)

    @pytest.mark.parametrize(("chi", "last", "first_arm"), [("all", 2, 2), ("fallback", 3, 1)])
    def test_without_a_sampled_winner_the_rarest_champion_is_drawn(self, chi, last, first_arm):
        """Champion 0 by its signs, then a circle: arms 1 and 2 were champion least often, or all three."""
        rounds = [*[("random", 0.4)] * 3, ("integers", 2, 0), *SIGNS_OF_A_CIRCLE, ("integers", last, 1)]
        oracle = make(RCS, 3, *rounds, ("integers", 2, 0), chi=chi)
        assert oracle.choose(1) == (0, 1)
        assert choice(oracle, 2) == (first_arm, 0)

    def test_a_champion_drawn_for_want_of_a_winner_counts_as_well(self):
        rounds = [*SIGNS_OF_A_CIRCLE, ("integers", 3, 1), ("integers", 2, 0)]
        oracle = make(RCS, 3, *rounds, *SIGNS_OF_A_CIRCLE, ("integers", 2, 1), ("integers", 2, 0), chi="fallback")
        assert oracle.choose(1) == (1, 0)
        assert choice(oracle, 2) == (2, 0)


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


class TestSCB:
    def test_scb_starts_afresh_in_every_epoch(self):
        """K = 2, all duels won: n ln 2 > ln(16 n^2 / delta) from n = 15 for T = 16 and from n = 18 for T = 256."""
        oracle = make(SCB, 2, in_order(1, 0))
        pairs = play(oracle, TWO_ARMS, 276, np.random.default_rng(0))
        assert pairs == [(0, 1)] * 19 + [(0, 0)] + [(0, 1)] * 18 + [(0, 0)] * 238

    def test_scb_may_keep_its_counts(self):
        """4 duels, 11 more to the fifteenth, 3 more to the eighteenth."""
        oracle = make(SCB, 2, in_order(1, 0), reuse_stats=True)
        pairs = play(oracle, TWO_ARMS, 276, np.random.default_rng(0))
        assert pairs == [(0, 1)] * 15 + [(0, 0)] * 5 + [(0, 1)] * 3 + [(0, 0)] * 253

    def test_preset_wu_has_longer_epochs_and_an_easier_test(self):
        """N ln 2 > 0.51 (ln(8 n) + 2): 2.77 against 2.79 for n = 4, 3.47 against 2.90 for n = 5."""
        oracle = make(SCB, 2, in_order(1, 0), preset="wu")
        pairs = play(oracle, TWO_ARMS, 1001, np.random.default_rng(0))
        assert pairs == [(0, 1)] * 5 + [(0, 0)] * 995 + [(0, 1)]
        assert oracle.T == 10**6

    def test_a_reward_draws_an_opponent_and_an_epoch_without_budget_draws_no_more(self):
        oracle = make(SCB, 3, in_order(0, 1, 2), ("integers", 2, 1), ("integers", 2, 0))
        assert play(oracle, CIRCLE, 5, np.random.default_rng(0)) == [(0, 2)] * 4 + [(0, 1)]
        assert oracle.rng.answers == []
        assert oracle.W.tolist() == [[0, 1, 0], [0, 0, 0], [0, 0, 0]]

    def test_arms_with_equally_many_answers_are_told_apart_by_the_order_of_arms(self):
        """Known results of a circle resolve all pairs in the first sweep."""
        draws = [in_order(2, 0, 1), *[("integers", 2, 0)] * 3]
        oracle = make(SCB, 3, *draws, wins=SURE_CIRCLE, reuse_stats=True)
        assert choice(oracle, 1) == (2, 2)

    def test_sweeps_go_on_until_all_pairs_of_the_candidates_are_resolved(self):
        """Arm 0 has met 1, 1 has met 2, 2 has met 1: 0 against 2 is open, and the second sweep asks for it."""
        draws = [in_order(0, 1, 2), *[("integers", 2, k) for k in (0, 1, 1, 1)]]
        oracle = make(SCB, 3, *draws, wins={(0, 1): 99, (1, 2): 99}, reuse_stats=True)
        assert choice(oracle, 1) == (0, 2)

    def test_an_answer_lasts_for_the_epoch(self):
        """Five duels of preset "wu" decide at step 5; at step 1000 they no longer would."""
        oracle = make(SCB, 2, in_order(0, 1), preset="wu")
        play(oracle, TWO_ARMS, 6, np.random.default_rng(0))
        oracle.step = 1000
        assert 5 * math.log(2) < oracle._evidence(5)
        assert oracle._resolved(1, 0)

    @pytest.mark.parametrize(
        ("good", "found", "sweeps"),
        [({0, 1}, 1, {0: 27, 1: 27, 2: 14, 3: 14}), ({2}, 2, {0: 14, 1: 14, 2: 14, 3: 14})],
    )
    def test_kl_intervals_drop_arms_and_end_the_search(self, good, found, sweeps):
        """Rewards 1 of good arms, 0 of others, and delta = 0.1. With c = (ln(160 n) + 2 ln ln n) / n, the intervals
        are [exp(-c), 1] and [0, 1 - exp(-c)]: apart when c < ln 2, n = 14 (0.690; 0.733 for 13), and narrower than
        1/3 when c < ln 1.5, n = 27 (0.398; 0.411 for 26).
        """

        class Known(SCB):
            def _reward(self, i):
                calls[i] += 1
                return int(i in good)
                yield

        calls = Counter()
        oracle = Known(4, 100, Script(in_order(3, 1, 0, 2)))
        oracle.delta, oracle.winner = 0.1, {}
        with pytest.raises(StopIteration) as end:
            next(oracle._solve())
        assert end.value.value == found
        assert calls == sweeps


class TestMergeRUCB:
    def test_the_constant_has_its_published_size(self):
        oracle = MergeRUCB(136, 1, np.random.default_rng(0))
        assert 3.8e6 < oracle.C < 4.2e6
        assert sorted(map(len, oracle.batches)) == [4] * 34

    def test_batches_are_pieces_of_the_order_and_take_turns(self):
        draws = [in_order(2, 0, 1, 3, 5, 4), ("integers", 2, 0), ("integers", 4, 3), ("integers", 3, 1)]
        oracle = make(MergeRUCB, 6, *draws)
        assert oracle.batches == [{0, 1, 2, 3}, {4, 5}]
        assert oracle.choose(1) == (4, 5)
        assert choice(oracle, 2) == (3, 1)

    def test_the_challenger_is_the_most_optimistic_other_arm(self):
        """After four duels each, 3 to 1 and 2 to 2, u is 3/4 and 1/2 plus the same width; 2 is untested."""
        wins = {(1, 0): 3, (0, 1): 1, (3, 0): 2, (0, 3): 2, (2, 0): 40, (0, 2): 40}
        oracle = make(MergeRUCB, 4, in_order(0, 1, 2, 3), ("integers", 4, 0), wins=wins)
        assert choice(oracle, 1) == (0, 1)

    def test_all_beaten_arms_leave_at_once(self):
        """Arms 1 and 2 are beaten, 2 by 1 only."""
        wins = {(0, 1): 9999, (1, 2): 9999}
        oracle = make(MergeRUCB, 4, in_order(0, 1, 2, 3), ("integers", 2, 1), wins=wins)
        assert choice(oracle, 1) == (3, 0)
        assert oracle.batches == [{0, 3}]

    def test_of_a_circle_one_arm_at_a_time_leaves(self):
        """Without arm 0, arm 2 is the only one beaten; then arm 1 is left, and plays itself."""
        wins = dict.fromkeys(SURE_CIRCLE, 9999)
        oracle = make(MergeRUCB, 3, in_order(0, 1, 2), ("integers", 3, 0), wins=wins)
        assert choice(oracle, 1) == (1, 1)
        assert choice(oracle, 2) == (1, 1)

    def test_a_batch_reduced_to_one_arm_gives_its_turn_to_the_next(self):
        oracle = make(MergeRUCB, 8, in_order(*range(8)), ("integers", 4, 0), ("integers", 3, 0), batch_size=4)
        for beaten_arm in (5, 6, 7):
            oracle.W[4, beaten_arm] = 9999
        assert choice(oracle, 1) == (0, 1)
        assert oracle.batches == [{0, 1, 2, 3}, {4}]

    def test_batches_of_one_arm_each_are_merged_at_once(self):
        """Batch 0 of {0, 1, 2, 3} and {4} is reduced to arm 0; {0} and {4} are sorted at random."""
        draws = [in_order(0, 1, 2, 3, 4), ("integers", 2, 0), ("integers", 2, 1)]
        oracle = make(MergeRUCB, 5, *draws, wins={(0, j): 9999 for j in (1, 2, 3)})
        assert choice(oracle, 1) == (4, 0)
        assert (oracle.batches, oracle.S) == ([{0, 4}], 2)

    @pytest.mark.parametrize(("survivors", "merged"), [(5, 1), (6, 2)])
    def test_batches_merge_after_a_duel_when_half_of_the_arms_are_left(self, survivors, merged):
        oracle = make(MergeRUCB, 10, in_order(*range(10)))
        oracle.batches = [{0, 1}, set(range(2, survivors))]
        oracle.observe(7, 0, 1, True)
        assert (len(oracle.batches), oracle.S) == (merged, 3 - merged)

    def test_small_batches_join_large_ones_up_to_one_and_a_half_times_the_size(self):
        """1 + 4 <= 6, and {0, 1} is left in the middle; as it is small, once more: 2 + 5 > 6."""
        oracle = make(MergeRUCB, 7, in_order(*range(7)))
        oracle.batches = [{0, 1}, {2}, {3, 4, 5, 6}]
        oracle.merge()
        assert (oracle.batches, oracle.S) == ([{2, 3, 4, 5, 6}, {0, 1}], 2)

    def test_equal_batches_are_sorted_at_random(self):
        """Sorted {2, 3}, {4, 5}, {0, 1}, then {4, 5}, {0, 1, 2, 3}: 2 + 4 <= 6."""
        oracle = make(MergeRUCB, 6, in_order(*range(6)), ("integers", 3, 1), ("integers", 2, 1))
        oracle.batches = [{0, 1}, {2, 3}, {4, 5}]
        oracle.merge()
        assert oracle.batches == [{0, 1, 2, 3, 4, 5}]
        assert oracle.rng.answers == []

    def test_lerot_counts_a_win_of_every_arm_and_merges_an_arm_earlier(self):
        oracle = make(MergeRUCB, 10, in_order(*range(10)), lerot_compat=True)
        assert oracle.W.sum() == 90 and oracle.W.trace() == 0
        oracle.batches = [{0, 1}, {2, 3, 4, 5}]
        oracle.observe(7, 0, 1, True)
        assert len(oracle.batches) == 1


class TestMergeDTS:
    def test_the_opponent_is_the_weakest_sample(self):
        """Arm 0 is above 1 and 2 (chances 7/8 and 1/16); its posteriors against them are Beta(3, 1) and Beta(1, 4)."""
        signs = [("random", x) for x in (0.8, 0.06, 0.4)]
        draws = [in_order(2, 1, 0), *signs, ("beta", 1, 3, 0.3), ("beta", 4, 1, 0.2)]
        assert choice(make(MergeDTS, 3, *draws, wins={(0, 1): 2, (2, 0): 3}), 1) == (0, 2)

    def test_votes_tie_at_random_and_a_single_opponent_needs_no_sample(self):
        draws = [*SIGNS_OF_A_CIRCLE, ("integers", 3, 1), ("beta", 1, 1, 0.7), ("beta", 1, 1, 0.2)]
        assert choice(make(MergeDTS, 3, in_order(0, 1, 2), *draws), 1) == (1, 2)
        assert choice(make(MergeDTS, 2, in_order(0, 1), ("random", 0.6)), 1) == (1, 0)

    def test_beaten_arms_leave_one_at_a_time(self):
        """Once arm 1 is gone, nothing is known against arm 2; MergeRUCB drops both."""
        draws = [in_order(0, 1, 2), ("integers", 2, 0), ("random", 0.4)]
        oracle = make(MergeDTS, 3, *draws, wins={(0, 1): 9999, (1, 2): 9999})
        assert choice(oracle, 1) == (0, 2)

    def test_a_batch_of_one_arm_joins_the_next_and_the_turn_is_found_anew(self):
        """Round 5 is batch 2's, which is reduced to arm 4 and joins batch 0; then batch 5 mod 2 = 1 plays."""
        oracle = make(MergeDTS, 6, in_order(*range(6)), ("random", 0.4), wins={(4, 5): 9999}, batch_size=2)
        assert choice(oracle, 5) == (2, 3)
        assert oracle.batches == [{0, 1, 4}, {2, 3}]

    def test_the_last_arm_plays_itself(self):
        assert choice(make(MergeDTS, 2, in_order(0, 1), wins={(1, 0): 9999}), 1) == (1, 1)

    def test_batches_merge_after_a_duel_when_half_of_the_arms_are_left(self):
        oracle = make(MergeDTS, 8, in_order(*range(8)), batch_size=4)
        oracle.batches = [{0}, {5, 6, 7}]
        oracle.observe(7, 5, 6, True)
        assert oracle.batches == [{0, 5, 6, 7}]


class TestSupKLUCB:
    def test_every_pair_is_played_once_and_then_a_sampled_condorcet_winner_for_ever(self):
        oracle = make(SupKLUCB, 3, in_order(5, 0, 1, 4, 3, 2))
        pairs = play(oracle, TOTAL_ORDER, 20, np.random.default_rng(0))
        assert pairs == [(2, 2), (0, 0), (0, 1), (1, 2), (1, 1), (0, 2), *[(0, 0)] * 14]
        assert oracle.self_duels == [15, 1, 1]
        assert oracle.recommend() == 0

    def test_pairs_of_equal_index_are_drawn(self):
        """In a circle all products are 1/4. A pair played twice falls behind, and the next is among five."""
        draws = [in_order(*range(6)), ("integers", 6, 4), ("integers", 5, 4)]
        pairs = play(make(SupKLUCB, 3, *draws), CIRCLE, 8, np.random.default_rng(0))
        assert pairs[6:] == [(1, 2), (2, 2)]

    @pytest.mark.parametrize(("n_arms", "c1", "c2"), [(2, 1.0, 1.5), (4, 0.5, 10.75)])
    def test_the_constants_of_the_paper(self, n_arms, c1, c2):
        oracle = SupKLUCB(n_arms, 1, np.random.default_rng(0))
        assert (oracle.c1, oracle.c2) == (c1, c2)

    def test_scores(self):
        """p_01 = 3/4, p_02 = 1/2 and p_12 = 0."""
        wins = {(0, 1): 3, (1, 0): 1, (2, 0): 1, (0, 2): 1, (2, 1): 1}
        permutation = in_order(*range(6))
        assert make(SupKLUCB, 3, permutation, wins=wins).scores() == [0.5, 0.0, 0.5]
        assert make(SupKLUCB, 3, permutation, wins=wins, score="condorcet").scores() == [0.5, 0.0, 0.5]
        borda = make(SupKLUCB, 3, permutation, wins=wins, score="borda")
        assert borda.scores() == pytest.approx([1.75 / 3, 0.75 / 3, 2.0 / 3])
        assert borda.recommend() == 2

    @pytest.mark.parametrize(
        ("c1", "c2", "n", "expected"),
        [(0.1, 0.0, 21, (0, 1)), (0.1, 0.0, 26, (2, 2)), (0.0, 0.2, 26, (0, 1)), (0.0, 0.2, 38, (2, 2))],
    )
    def test_the_index_weighs_the_scores_against_the_plays(self, c1, c2, n, expected):
        """Scores 1/2, 1/2, 0: products 1/4 of pairs played very often, with -ln(1 - q) = 0.288, and of (2, 2) 0.

        Played once, it has -ln(1 - q) = 0.1 ln 15 = 0.271, 0.1 ln 20 = 0.300, 0.2 ln(ln 20 + 1) = 0.277 or
        0.2 ln(ln 32 + 1) = 0.299.
        """
        wins = {(0, 1): 10**6, (1, 0): 10**6, (0, 2): 2 * 10**6, (1, 2): 2 * 10**6}
        tie = [("integers", 3, 1)] if expected == (0, 1) else []
        oracle = make(SupKLUCB, 3, in_order(*range(6)), *tie, wins=wins, c1=c1, c2=c2)
        oracle.self_duels = [2 * 10**6, 2 * 10**6, 1]
        assert choice(oracle, n) == expected

    def test_a_score_of_one_has_the_highest_index_whatever_its_plays(self):
        """Arm 3 beats all others; scores 2/3, 1/3, 0 and 1."""
        wins = {(0, 1): 1, (0, 2): 1, (3, 0): 1, (1, 2): 1, (3, 1): 1, (3, 2): 1}
        oracle = make(SupKLUCB, 4, in_order(*range(10)), wins=wins)
        oracle.self_duels = [1, 1, 1, 1000]
        assert choice(oracle, 500) == (3, 3)

    def test_without_a_sure_winner_the_least_played_pair_of_a_kind_is_next(self):
        """Arms 0, 1, 2 in a circle, all products 1/4: of two pairs less played than others, the lesser is next."""
        oracle = make(SupKLUCB, 3, in_order(*range(6)), wins={(0, 1): 9, (1, 2): 4, (2, 0): 9})
        oracle.self_duels = [9, 5, 9]
        assert choice(oracle, 60) == (1, 2)

    def test_the_floor_forces_pairs_in_the_drawn_order(self):
        """2 sqrt(ln 10) = 3.03: self-duels do not count."""
        draws = in_order(0, 4, 2, 1, 3, 5)  # (1, 2), (0, 2), (0, 1) among the pairs of two arms
        oracle = make(SupKLUCB, 3, draws, wins={(0, 1): 3, (0, 2): 3, (1, 2): 4}, explore_floor=2.0)
        assert choice(oracle, 10) == (0, 2)


class TestWinnerStays:
    def test_ws_w_by_hand(self):
        """Lower arms win. The scores become 0 1 -1, 1 0 -1, 2 -1 -1, where arm 1 stays, and 3 -2 -1, 4 -2 -2."""
        oracle = make(WSW, 3, ("integers", 3, 2), ("integers", 2, 1))
        pairs = play(oracle, TOTAL_ORDER, 6, np.random.default_rng(0))
        assert pairs == [(2, 1), (1, 0), (0, 1), (0, 1), (0, 2), (0, 2)]

    def test_in_a_tie_the_first_arm_of_the_pair_before_stays_first(self):
        oracle = make(WSW, 3, wins={(2, 0): 1, (1, 0): 1})
        oracle.previous = (2, 1)
        assert choice(oracle, 5) == (2, 1)
        oracle.previous = (0, 2)
        assert choice(oracle, 5) == (2, 1)

    @pytest.mark.parametrize("n_arms", [2, 3, 4, 7])
    def test_the_definition_and_the_knock_out_play_the_same_duels(self, n_arms):
        for seed in range(6):
            P = 0.3 * random_preferences(n_arms, seed) + 0.35
            one, other = (
                play(kind(n_arms, 1, np.random.default_rng(seed)), P, 500, np.random.default_rng([seed, 1]))
                for kind in (WSW, WSWByRounds)
            )
            assert one == other

    def test_ws_s_plays_whole_rounds_and_then_its_winner(self):
        """Two arms, one duel a round, then 2, 4 and 8 self-duels."""
        oracle = make(WSS, 2, ("integers", 2, 0), beta_ws=2.0)
        pairs = play(oracle, TWO_ARMS, 18, np.random.default_rng(0))
        duel = (0, 1)
        assert pairs == [duel, *[(0, 0)] * 2, duel, *[(0, 0)] * 4, duel, *[(0, 0)] * 8, duel]

    def test_ws_s_without_its_self_duels_is_ws_w(self):
        """The knock-outs of WS-S, between which floor(1.1^l) self-duels of the round's winner stand."""
        P = 0.8 * random_preferences(4, 3) + 0.1
        pairs = play(WSS(4, 1, np.random.default_rng(5)), P, 600, np.random.default_rng(6))
        duels = [pair for pair in pairs if pair[0] != pair[1]]
        same = play(WSW(4, 1, np.random.default_rng(5)), P, len(duels), np.random.default_rng(6))
        assert duels == same
        assert 0 < len(duels) < 600

    def test_ws_s_stays_in_a_round_until_every_other_arm_was_beaten(self):
        """Round 1 of three arms takes two duels at least; arm 0 wins both, and is then played floor(1.5) times."""
        oracle = make(WSS, 3, ("integers", 3, 0), ("integers", 2, 0), beta_ws=1.5)
        pairs = play(oracle, TOTAL_ORDER, 6, np.random.default_rng(0))
        assert pairs == [(0, 1), (0, 2), (0, 0), (0, 2), (0, 1), (0, 0)]


class TestVDB:
    def test_weights_by_hand(self):
        """1 / sqrt(0.8) and 1 / sqrt(0.2) are sqrt(5) / 2 apart: eta / 2 times the difference of the losses."""
        assert tsallis_weights([0.0, math.sqrt(5) / 2], 2.0) == pytest.approx([0.8, 0.2], rel=1e-12)
        assert tsallis_weights([7.0] * 4, 0.1) == pytest.approx([0.25] * 4, rel=1e-12)

    def test_weights_minimise_the_loss_and_the_entropy(self):
        """The gradient of w L - (4 / eta) sum sqrt(w) has equal entries there."""
        rng = np.random.default_rng(1)
        for eta in (2.0, 0.3, 0.01):
            L = rng.normal(size=6) * 100.0
            w = np.array(tsallis_weights(L.tolist(), eta))
            gradient = L - 2.0 / (eta * np.sqrt(w))
            assert w.sum() == pytest.approx(1.0, abs=1e-15)
            assert np.ptp(gradient) < 1e-9 * np.abs(gradient).max()

    def test_each_arm_is_where_the_weights_add_up_to_more_than_the_number(self):
        oracle = make(VDB, 4, ("random", 0.3), ("random", 0.8))
        assert choice(oracle, 1) == (1, 3)

    @pytest.mark.parametrize("estimator", ["iw", "rv"])
    def test_in_the_first_round_only_the_loser_is_charged(self, estimator):
        """Weight 1/4. The reduced variance comes in at w >= 16 / t."""
        oracle = make(VDB, 4, ("random", 0.3), ("random", 0.8), estimator=estimator)
        oracle.observe(1, *oracle.choose(1), False)
        assert oracle.Lx == pytest.approx([0, 4, 0, 0])
        assert oracle.Ly == [0, 0, 0, 0]
        assert oracle.W[3, 1] == 1

    def test_reduced_variance_charges_all_arms_a_half_and_the_played_ones_the_rest(self):
        """Round 100, 16 / t < 1/4: the loser has 1/2 + (1/2) / (1/4), the winner 1/2 - (1/2) / (1/4)."""
        oracle = make(VDB, 4, ("random", 0.3), ("random", 0.8))
        oracle.observe(100, *oracle.choose(100), True)
        assert oracle.Lx == pytest.approx([0.5, -1.5, 0.5, 0.5])
        assert oracle.Ly == pytest.approx([0.5, 0.5, 0.5, 2.5])

    def test_a_self_duel_charges_both_copies_by_its_coin(self):
        oracle = make(VDB, 4, ("random", 0.3), ("random", 0.3), estimator="iw")
        oracle.observe(1, *oracle.choose(1), True)
        assert (oracle.Lx, oracle.Ly) == ([0] * 4, pytest.approx([0, 4, 0, 0]))
        assert oracle.W.sum() == 0

    def test_a_single_copy_takes_half_of_both_losses(self):
        oracle = make(VDB, 4, ("random", 0.3), ("random", 0.8), single=True)
        oracle.observe(100, *oracle.choose(100), True)
        assert oracle.Lx is oracle.Ly
        assert oracle.Lx == pytest.approx([0.5, -0.5, 0.5, 1.5])

    def test_rates_of_learning(self):
        assert make(VDB, 2, estimator="iw")._rate(16) == 0.5
        assert make(VDB, 2, estimator="rv")._rate(16) == 1.0
