"""Transcriptions of algorithms with confidence bounds, against cases worked out by hand."""

import math
from collections import Counter

import numpy as np
import pytest

from . import play
from .by_hand import CIRCLE, SIGNS_OF_A_CIRCLE, SURE_CIRCLE, TOTAL_ORDER, TWO_ARMS, Script, choice, in_order, make
from .ccb import CCB
from .rcs import RCS
from .rucb import RUCB
from .scb import SCB
from .sup_klucb import SupKLUCB


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

    def test_ccb_starts_again_when_a_believed_superior_turns_out_beaten(self):
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

    def test_ccb_starts_again_when_nobody_is_left(self):
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


class TestSupKLUCB:
    def test_every_pair_is_played_once_and_then_a_sampled_condorcet_winner_without_end(self):
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
