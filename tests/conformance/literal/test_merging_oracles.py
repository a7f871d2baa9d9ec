"""Transcriptions of the algorithms for many arms, against cases worked out by hand."""

import numpy as np
import pytest

from .by_hand import SIGNS_OF_A_CIRCLE, SURE_CIRCLE, choice, in_order, make
from .merge_dts import MergeDTS
from .mergerucb import MergeRUCB


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

    def test_a_batch_of_one_arm_joins_the_next_and_the_turn_is_found_again(self):
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
