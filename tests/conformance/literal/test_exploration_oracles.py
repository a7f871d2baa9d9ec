"""Transcriptions that explore and then commit, against cases worked out by hand and other implementations."""

import math

import numpy as np
import pytest

from . import play
from .btm import BTM
from .by_hand import CIRCLE, CYCLIC, MULTISOL, TOTAL_ORDER, TWO_ARMS, choice, duels, make, random_preferences
from .interleaved_filter import InterleavedFilter
from .pbr import PBRCO
from .racing import upper_bounds
from .rankel import RankElCopeland
from .savage import BordaSAVAGE, CondorcetSAVAGE, CopelandSAVAGE

B3 = [".1110", "0.110", "00.??", "00?.1", "11?0."]  # the examples of Urvoy et al., appendices B.3 and B.4


B4 = [".???1", "?.0??", "?1.0?", "??1.0", "0??1."]


def known(oracle, rows):
    """Give a SAVAGE oracle the box in which ``rows[i][j]`` says "1" where i surely beats j, "0" or "?"."""
    for i, j in oracle.parameters:
        if rows[i][j] != "?":
            oracle.a[i, j] = oracle.b[i, j] = float(rows[i][j])
    return oracle


@pytest.mark.parametrize(
    ("oracle_class", "parameters", "P", "expected", "error"),
    [
        (CopelandSAVAGE, {"accept": "empty"}, MULTISOL, 1711, 21),
        (CopelandSAVAGE, {"accept": "singleton"}, MULTISOL, 1666, 40),
        (CondorcetSAVAGE, {}, CYCLIC, 1977, 74),
        (PBRCO, {"rule": "paper"}, MULTISOL, 1777, 32),
        (PBRCO, {"rule": "tight"}, MULTISOL, 1732, 32),
        (RankElCopeland, {}, MULTISOL, 4236, 111),
    ],
)
def test_exploration_ends_after_as_many_duels_as_in_another_implementation(
    oracle_class, parameters, P, expected, error
):
    """``expected`` +- ``error`` are the mean and its standard error of 20 runs at T = 10^6."""
    lengths = []
    for seed in range(6):
        oracle = oracle_class(len(P), 10**6, np.random.default_rng(seed), **parameters)
        pairs = play(oracle, P, 9000, np.random.default_rng([seed, 1]))
        assert pairs[-1] == (oracle.decision, oracle.decision)
        assert oracle.recommend() in (0, 1, 2)[: 3 if P is MULTISOL else 1]
        lengths.append(sum(first != second for first, second in pairs))
    assert np.mean(lengths) == pytest.approx(expected, abs=4 * math.hypot(error, error * math.sqrt(20 / 6)))


class TestSAVAGE:
    def test_radius_has_its_published_value_and_shrinks_with_the_root_of_the_samples(self):
        oracle = make(CopelandSAVAGE, 5, horizon=10**4, delta=0.1)
        assert oracle.radius(1) == pytest.approx(2.6934, abs=5e-5)
        assert oracle.radius(400) == pytest.approx(oracle.radius(1) / 20)

    def test_failure_probability_is_one_over_the_horizon_unless_given(self):
        for n_parameters, oracle in (
            (6, make(CondorcetSAVAGE, 4, horizon=1000)),
            (4, make(BordaSAVAGE, 4, horizon=1000)),
        ):
            assert oracle.radius(8) == pytest.approx(math.sqrt(math.log(2 * n_parameters * 1000**2) / 16))

    def test_intervals_are_nested(self):
        """They are the intersection of the intervals of all sample counts, which the last one alone is not."""
        oracle = CopelandSAVAGE(2, 50, np.random.default_rng(0))
        coin = np.random.default_rng(3)
        means, shrinking = [], []
        for t in range(1, 2001):
            oracle.observe(t, 0, 1, bool(coin.random() < 0.5))
            means.append(oracle.mean((0, 1)))
            low, high = means[-1] - oracle.radius(t), means[-1] + oracle.radius(t)
            shrinking.append(oracle.a[0, 1] > low or oracle.b[0, 1] < high)
        radii = [oracle.radius(s) for s in range(1, 2001)]
        assert oracle.a[0, 1] == max(0.0, *(m - c for m, c in zip(means, radii, strict=True)))
        assert oracle.b[0, 1] == min(1.0, *(m + c for m, c in zip(means, radii, strict=True)))
        assert oracle.plays[0, 1] == 2000
        assert sum(shrinking[200:]) > 100

    @pytest.mark.parametrize(("mean", "point"), [(0.0, 0.6), (1.0, 0.65)])
    def test_an_empty_interval_becomes_the_point_nearest_to_the_mean(self, mean, point):
        oracle = make(CopelandSAVAGE, 2)
        oracle.a[0, 1], oracle.b[0, 1] = 0.6, 0.65
        oracle.plays[0, 1], oracle.wins[0, 1] = 10**6, mean * 10**6
        oracle.narrow((0, 1))
        assert (oracle.a[0, 1], oracle.b[0, 1]) == (point, point)

    def test_bounds_of_copeland_scores_are_those_of_the_published_examples(self):
        oracle = known(make(CopelandSAVAGE, 5), B3)
        assert list(zip(*oracle.score_bounds(), strict=True)) == [(3, 3), (2, 2), (0, 2), (1, 2), (2, 3)]
        oracle = known(make(CondorcetSAVAGE, 5), B4)
        assert list(zip(*oracle.score_bounds(), strict=True)) == [(1, 4), (0, 3), (1, 3), (1, 3), (1, 3)]

    def test_copeland_savage_drops_pairs_of_two_arms_that_are_surely_worse_than_a_third(self):
        """Of the two undecided pairs of B.3; the other one has arm 4, which may win as many duels as arm 0."""
        oracle = known(make(CopelandSAVAGE, 5), B3)
        assert [pair for pair in oracle.parameters if not oracle.independence()(pair)] == [(2, 4)]

    @pytest.mark.parametrize(
        ("rows", "possible"),
        [([".110", "0.?1", "0?.0", "101."], [2, 2, 1, 2]), ([".110", "0.?0", "0?.1", "110."], [2, 1, 2, 2])],
    )
    def test_copeland_savage_keeps_a_pair_of_an_arm_that_may_be_as_good_as_the_best(self, rows, possible):
        """Arms 0 and 3 surely beat two, and one arm of the undecided pair may as well."""
        oracle = known(make(CopelandSAVAGE, 4), rows)
        assert oracle.score_bounds()[1] == possible
        assert [pair for pair in oracle.parameters if not oracle.independence()(pair)] == [(1, 2)]

    def test_copeland_answer_may_be_certain_while_a_pair_is_active(self):
        oracle = known(make(CopelandSAVAGE, 5), B3)
        assert oracle.is_certain()
        assert choice(oracle, 1) == (0, 0)
        assert choice(known(make(CopelandSAVAGE, 5, accept="empty"), B3), 1) == (0, 1)

    def test_condorcet_savage_is_done_when_one_candidate_is_left(self):
        """In B.4 six pairs are undecided."""
        oracle = known(make(CondorcetSAVAGE, 5), B4)
        assert all(map(oracle.independence(), oracle.parameters))
        assert oracle.answers() == [0]

    def test_condorcet_savage_returns_the_candidate_and_not_the_arm_with_most_certain_wins(self):
        oracle = known(make(CondorcetSAVAGE, 4), [".???", "?.10", "?0.1", "?10."])
        assert oracle.score_bounds()[0] == [0, 1, 1, 1]
        assert oracle.answers() == [0]

    def test_condorcet_savage_without_a_candidate_falls_back_on_the_counts_and_draws_ties(self):
        """All pairs of a sure circle are decided together at the end of a sweep: 23 > 2 ln(6 T^2)."""
        oracle = make(CondorcetSAVAGE, 3, ("integers", 3, 2), test_every=23)
        assert duels(oracle, CIRCLE, 71) == [*[(0, 1), (0, 2), (1, 2)] * 23, (2, 2), (2, 2)]

    def test_an_arm_that_has_surely_lost_takes_all_its_pairs_along(self):
        """Arm 0 surely beats 1: (1, 2) cannot change the answer any more."""
        oracle = make(CondorcetSAVAGE, 3)
        oracle.a[0, 1] = 0.51
        assert [pair for pair in oracle.parameters if not oracle.independence()(pair)] == [(0, 2)]

    @pytest.mark.parametrize("P", [CYCLIC, CIRCLE, random_preferences(4, 7)])
    def test_condorcet_savage_ends_at_the_same_time_with_either_way_to_accept(self, P):
        pairs = [
            play(
                CondorcetSAVAGE(len(P), 1500, np.random.default_rng(4), delta=0.5, accept=accept),
                P,
                1500,
                np.random.default_rng(5),
            )
            for accept in ("singleton", "empty")
        ]
        assert pairs[0] == pairs[1]
        assert pairs[0][-1][0] == pairs[0][-1][1]

    def test_two_arms_that_always_and_never_win_are_told_apart_as_soon_as_the_radius_is_below_a_half(self):
        """That is after floor(2 ln(2 N T / delta)) + 1 = floor(2 ln 20000) + 1 = 20 duels."""
        for oracle_class in (CopelandSAVAGE, CondorcetSAVAGE):
            assert duels(make(oracle_class, 2), TWO_ARMS, 22) == [(0, 1)] * 20 + [(0, 0)] * 2

    @pytest.mark.parametrize("oracle_class", [CopelandSAVAGE, CondorcetSAVAGE])
    @pytest.mark.parametrize(("test_every", "rounds"), [(0, 68), (1, 69), (5, 75), (23, 69)])
    def test_pairs_take_turns_and_are_tested_after_every_step_or_after_sweeps(self, oracle_class, test_every, rounds):
        """Three arms in a sure order: 23 samples decide a pair, and arm 0 has won when both its pairs have them."""
        pairs = duels(make(oracle_class, 3, test_every=test_every), TOTAL_ORDER, 80)
        sweeps = [(0, 1), (0, 2), (1, 2)] * 25
        assert pairs == sweeps[:rounds] + [(0, 0)] * (80 - rounds)

    def test_dropped_pairs_are_left_out_of_later_sweeps(self):
        oracle = make(CopelandSAVAGE, 3, test_every=1)
        oracle.a[0, 2] = 0.51
        assert duels(oracle, np.full((3, 3), 0.5), 7) == [(0, 1), (0, 2), (1, 2), *[(0, 1), (1, 2)] * 2]

    def test_sweeps_between_tests_are_sweeps_of_the_active_pairs(self):
        """Five of three pairs, and then twenty of the two that are left: 25 is the first fifth sweep after 23."""
        oracle = make(CopelandSAVAGE, 3, test_every=5)
        oracle.a[0, 2] = 0.51
        assert duels(oracle, TOTAL_ORDER, 60).index((0, 0)) == 5 * 3 + 20 * 2

    @pytest.mark.parametrize(
        ("accept", "answers", "rounds", "winner"),
        [("singleton", [], 68, 2), ("empty", [("integers", 3, 1)], 69, 1)],
    )
    def test_accept_ends_a_sure_circle_with_one_winner_that_is_certain_or_with_all_three(
        self, accept, answers, rounds, winner
    ):
        """After 68 duels arm 0 beats 1 and loses to 2: no arm can get ahead of 2, whose pair with 1 is undecided."""
        oracle = make(CopelandSAVAGE, 3, *answers, accept=accept)
        pairs = duels(oracle, CIRCLE, 71)
        assert pairs[rounds - 1][0] != pairs[rounds - 1][1]
        assert pairs[rounds:] == [(winner, winner)] * (71 - rounds)
        assert oracle.recommend() == winner

    def test_copeland_answer_is_the_arm_with_most_certain_wins_then_possible_ones_then_those_of_the_counts(self):
        oracle = known(make(CopelandSAVAGE, 4, wins={(3, 0): 2, (0, 3): 1}), [".11?", "0.11", "00.?", "?0?."])
        assert oracle.score_bounds() == ([2, 2, 0, 0], [3, 2, 1, 2])
        assert oracle.answers() == [0]
        oracle = known(oracle, [".110", "0.11", "00.?", "10?."])
        assert oracle.score_bounds() == ([2, 2, 0, 1], [2, 2, 1, 2])
        assert oracle.answers() == [0, 1]
        oracle.W[1, 2] = 1
        assert oracle.answers() == [1]

    def test_borda_savage_draws_an_opponent_for_each_arm_in_turn(self):
        oracle = make(BordaSAVAGE, 3, ("integers", 2, 1), ("integers", 2, 0), ("integers", 2, 1), ("integers", 2, 0))
        assert duels(oracle, TOTAL_ORDER, 4) == [(0, 2), (1, 0), (2, 1), (0, 1)]
        assert oracle.plays == {0: 2, 1: 1, 2: 1}
        assert oracle.wins == {0: 2, 1: 0, 2: 0}

    def test_borda_savage_ends_when_the_intervals_of_the_means_are_apart(self):
        """c(n)^2 = ln(40000) / (2 n): c(21) + c(21) > 1 > c(22) + c(21), one sample of arm 0 later."""
        assert duels(make(BordaSAVAGE, 2), TWO_ARMS, 45) == [*[(0, 1), (1, 0)] * 21, (0, 1), (0, 0), (0, 0)]

    def test_borda_savage_drops_arms_that_are_surely_worse_and_all_when_one_is_surely_best(self):
        oracle = make(BordaSAVAGE, 3)
        oracle.a.update({0: 0.6, 1: 0.5, 2: 0.1})
        oracle.b.update({0: 0.9, 1: 0.7, 2: 0.6})
        assert [oracle.independence()(i) for i in range(3)] == [False, False, True]
        assert not oracle.is_certain()
        oracle.a[0] = 0.7
        assert [oracle.independence()(i) for i in range(3)] == [True, True, True]
        assert oracle.is_certain()

    def test_borda_savage_answers_with_the_highest_mean(self):
        oracle = make(BordaSAVAGE, 4, horizon=10**4)
        assert oracle.recommend() == 0
        oracle.plays.update({0: 4, 1: 5, 2: 10, 3: 1})
        oracle.wins.update({0: 2, 1: 3, 2: 6, 3: 0})
        assert oracle.answers() == [1, 2]
        assert oracle.recommend() == 1


class TestPBR:
    def test_radius(self):
        oracle = make(PBRCO, 4, horizon=1000, delta=0.1)
        assert oracle.radius(50) == pytest.approx(math.sqrt(math.log(320_000) / 100))
        assert make(PBRCO, 4, horizon=1000).radius(50) == pytest.approx(math.sqrt(math.log(32_000_000) / 100))

    def test_every_pair_is_played_once_in_an_iteration_until_it_is_decided(self):
        """c(n) < 1/2 needs n > 2 ln(2 K^2 T^2) = 24.2."""
        oracle = make(PBRCO, 3, wins={(0, 1): 24})
        assert duels(oracle, TOTAL_ORDER, 6) == [(0, 1), (0, 2), (1, 2), (0, 2), (1, 2), (0, 2)]
        oracle = make(PBRCO, 3)
        assert duels(oracle, TOTAL_ORDER, 77) == [*[(0, 1), (0, 2), (1, 2)] * 25, (0, 0), (0, 0)]

    def test_arms_ahead_of_equally_many_are_drawn_from(self):
        assert duels(make(PBRCO, 3, ("integers", 3, 1)), CIRCLE, 76)[75:] == [(1, 1)]

    @pytest.mark.parametrize(("rule", "rounds"), [("paper", 75), ("tight", 51)])
    def test_the_printed_rule_selects_only_when_all_is_decided(self, rule, rounds):
        """The counts of 0 are one short of decided, and (1, 2) is played on as long as the rule does not end it."""
        oracle = make(PBRCO, 3, wins={(0, 1): 8, (0, 2): 8}, rule=rule)
        pairs = duels(oracle, TOTAL_ORDER, 80)
        assert pairs[:51] == [(0, 1), (0, 2), (1, 2)] * 17
        assert pairs[51:] == ([(1, 2)] * 8 + [(0, 0)] * 21 if rule == "paper" else [(0, 0)] * 29)

    def test_the_printed_rule_discards_below_two_arms_with_more_wins_than_it_needs(self):
        """A sure order of four arms: w = 3, 2, 1, 0 and z = 0, 1, 2, 3. K - w_j < z_3 for j = 0 and 1 only."""
        u = [[0.4 if i > j else 1.6 for j in range(4)] for i in range(4)]
        assert make(PBRCO, 4).selected_or_discarded(u) == {3}
        assert make(PBRCO, 4, rule="tight").selected_or_discarded(u) == {0, 1, 2, 3}

    def test_a_pair_is_played_until_both_its_arms_are_selected_or_discarded(self):
        """Arm 1 is discarded: it has lost to 0 and 2, and 0 has two wins. Arm 3 is open, and so are its pairs."""
        oracle = make(PBRCO, 4, wins={(0, 1): 99, (0, 2): 99, (2, 1): 99}, rule="tight")
        assert duels(oracle, np.triu(np.ones((4, 4)), 1), 9)[6:] == [(0, 3), (1, 3), (2, 3)]
        assert oracle.selected_or_discarded(upper_bounds(oracle.W, oracle.radius)) == {1}

    def test_the_printed_rule_never_selects(self):
        """Only discarded arms are certain: none that has lost fewer than two duels for sure."""
        for seed in range(20):
            P = random_preferences(5, seed)
            u = np.where(np.abs(P - 0.5) > 0.1, np.where(P > 0.5, 1.4, 0.4), 0.9).tolist()
            losses = [sum(bound < 0.5 for bound in row) for row in u]
            assert all(losses[i] >= 2 for i in make(PBRCO, 5).selected_or_discarded(u))


class TestRankEl:
    def test_radius_is_one_where_the_logarithm_is_two(self):
        """ln(5 K^2 n^4 / (4 delta)) = ln(5 / delta) for K = 2, n = 1."""
        assert make(RankElCopeland, 2, delta=5 * math.exp(-2)).radius(1) == pytest.approx(1.0)
        assert make(RankElCopeland, 2).radius(10) == pytest.approx(math.sqrt(math.log(500 * 10**4) / 20))

    def test_two_sure_arms_are_ranked_as_soon_as_the_radius_is_a_half(self):
        """ln(500 n^4) <= n / 2 first for n = 43. Before the first duel both are tied for the first place."""
        oracle = make(RankElCopeland, 2, ("integers", 2, 1))
        assert duels(oracle, TWO_ARMS, 45) == [(0, 1)] * 43 + [(0, 0)] * 2

    def test_ties_are_drawn_from_the_first_place_to_the_last(self):
        draws = ("integers", 4, 2), ("integers", 3, 2), ("integers", 2, 0)
        assert make(RankElCopeland, 4, *draws).ranking() == [2, 3, 0, 1]

    def test_arms_are_ranked_by_wins_and_then_by_the_mean(self):
        """Arm 1 is ahead of one; arms 0 and 2 of none, and have means 3/8 and 1/2."""
        oracle = make(RankElCopeland, 3, wins={(0, 1): 1, (1, 0): 3})
        assert oracle.ranking() == [1, 2, 0]
        assert oracle.recommend() == 1
        narrow = {(0, 1): 3, (1, 0): 2, (0, 2): 3, (2, 0): 2, (1, 2): 9}  # means 0.6 and 0.7, wins 2 and 1
        assert make(RankElCopeland, 3, wins=narrow).ranking() == [0, 1, 2]

    def test_only_unsettled_pairs_of_arms_that_may_be_misplaced_are_played(self):
        """Arm 0 is first and arm 3 last; 1 and 2 are tied, and of the two one may be below the other."""
        sure = {(0, 1): 999, (0, 2): 999, (0, 3): 999, (1, 3): 999, (2, 3): 999}
        oracle = make(RankElCopeland, 4, ("integers", 2, 1), wins=sure)
        assert duels(oracle, np.triu(np.ones((4, 4)), 1), 5) == [(1, 2)] * 5
        assert choice(make(RankElCopeland, 4, ("integers", 2, 1), wins=sure, rho=2), 1) == (0, 0)

    @pytest.mark.parametrize(("first", "sweep"), [(0, [(3, 4)]), (2, [(0, 2), (3, 4)])])
    def test_an_unsettled_pair_of_arms_in_their_places_is_not_played(self, first, sweep):
        """Arms 0, 1, 2 have three wins each, over 3, 4 and one another in a circle, of which (0, 2) is not sure.

        So 0 has at least three wins, and 1 and 2 have no more: with 0 first, only (3, 4) may be misplaced. Arm 2
        has no more than two sure wins.
        """
        wins = {(i, j): 999 for i in range(3) for j in (3, 4)} | {(0, 1): 999, (1, 2): 999, (2, 0): 1}
        draws = [("integers", 3, first), ("integers", 2, 0), ("integers", 2, 0)]
        oracle = make(RankElCopeland, 5, *draws, wins=wins)
        assert [oracle.choose(1) for _ in sweep] == sweep
        assert oracle.rng.answers == []

    @pytest.mark.parametrize(("eps", "bad"), [(0.1, [(1, 2)]), (0.0, [(0, 1), (0, 2), (1, 2)])])
    def test_an_order_is_excluded_by_sure_wins_or_draws_and_possible_wins(self, eps, bad):
        """With eps = 0.1, arm 0 surely does not lose to 2, arm 1 possibly beats 0 only, and arm 2 1 only."""
        u = [[math.inf, 0.9, 0.9], [0.7, math.inf, 0.55], [0.55, 0.9, math.inf]]
        assert make(RankElCopeland, 3, eps=eps).discordant([0, 1, 2], u) == bad

    @pytest.mark.parametrize(("eps", "settled"), [(0.1, True), (0.0, False)])
    def test_a_pair_is_settled_when_one_arm_surely_is_not_better_by_more_than_eps(self, eps, settled):
        for u in ([[math.inf, 0.55], [0.7, math.inf]], [[math.inf, 0.7], [0.55, math.inf]]):
            assert make(RankElCopeland, 2, eps=eps).settled(u, 0, 1) is settled

    def test_nearly_equal_arms_are_settled_with_eps(self):
        level = {(0, 1): 5000, (1, 0): 5000}
        assert choice(make(RankElCopeland, 2, ("integers", 2, 1), wins=level, eps=0.1), 1) == (1, 1)
        assert choice(make(RankElCopeland, 2, ("integers", 2, 1), wins=level), 1) == (0, 1)


class TestInterleavedFilter:
    def test_incumbent_is_drawn_and_duels_the_others_in_turn(self):
        oracle = make(InterleavedFilter, 3, ("integers", 3, 1))
        assert duels(oracle, TOTAL_ORDER, 4) == [(1, 0), (1, 2), (1, 0), (1, 2)]
        assert oracle.recommend() == 1

    def test_radius(self):
        oracle = make(InterleavedFilter, 3, wins={(1, 0): 60, (0, 1): 40}, horizon=1000)
        oracle.incumbent = 1
        assert oracle.mean(0) == 0.6
        assert oracle.radius(0) == pytest.approx(math.sqrt(4 * math.log(9000) / 100))

    def test_a_sure_winner_ends_the_sweeps_when_the_radius_is_below_a_half(self):
        """n > 16 ln(T K^2) = 145.7: the sweep removes arm 2 and makes 0 the incumbent, which has no rivals left."""
        oracle = make(InterleavedFilter, 3, ("integers", 3, 1), horizon=1000)
        assert duels(oracle, TOTAL_ORDER, 294) == [*[(1, 0), (1, 2)] * 146, (0, 0), (0, 0)]

    def test_arms_that_surely_lose_to_the_incumbent_leave(self):
        oracle = make(InterleavedFilter, 3, ("integers", 3, 0), wins={(0, 1): 399}, horizon=1000)
        assert duels(oracle, TOTAL_ORDER, 148) == [(0, 1), *[(0, 2)] * 146, (0, 0)]

    def test_a_new_incumbent_starts_afresh_and_ties_for_it_are_drawn(self):
        oracle = make(InterleavedFilter, 3, ("integers", 3, 2), ("integers", 2, 1), horizon=1000)
        assert duels(oracle, TOTAL_ORDER, 439) == [*[(2, 0), (2, 1)] * 146, *[(1, 0)] * 146, (0, 0)]

    def test_the_surest_winner_is_the_next_incumbent(self):
        wins = {(0, 2): 390, (2, 0): 10, (1, 2): 399, (2, 1): 1}
        oracle = make(InterleavedFilter, 3, ("integers", 3, 2), wins=wins, horizon=1000)
        assert duels(oracle, TOTAL_ORDER, 3) == [(2, 0), (2, 1), (1, 0)]

    @pytest.mark.parametrize(("prune", "third"), [(True, (0, 0)), (False, (0, 2))])
    def test_if2_prunes_what_the_old_incumbent_was_ahead_of(self, prune, third):
        wins = {(0, 1): 400, (1, 2): 210, (2, 1): 190}
        oracle = make(InterleavedFilter, 3, ("integers", 3, 1), wins=wins, horizon=1000, prune=prune)
        assert duels(oracle, TOTAL_ORDER, 3) == [(1, 0), (1, 2), third]

    def test_if2_prunes_only_when_the_incumbent_changes_and_nothing_that_is_level(self):
        oracle = make(InterleavedFilter, 3, ("integers", 3, 1), wins={(1, 2): 210, (2, 1): 190}, horizon=1000)
        assert duels(oracle, TOTAL_ORDER, 4) == [(1, 0), (1, 2), (1, 0), (1, 2)]
        wins = {(0, 1): 400, (1, 2): 199, (2, 1): 200}  # (1, 2) follows
        oracle = make(InterleavedFilter, 3, ("integers", 3, 1), wins=wins, horizon=1000)
        assert duels(oracle, TOTAL_ORDER, 3) == [(1, 0), (1, 2), (0, 2)]


class TestBTM:
    def test_the_least_played_arm_is_first_and_its_opponent_is_any_active_arm(self):
        draws = [("integers", 3, 1), ("integers", 3, 1), ("integers", 2, 1), ("integers", 3, 0), ("integers", 3, 2)]
        oracle = make(BTM, 3, *draws)
        assert duels(oracle, TOTAL_ORDER, 3) == [(1, 1), (2, 0), (0, 2)]
        assert oracle.n.tolist() == [[0, 0, 1], [0, 1, 0], [1, 0, 0]]

    def test_only_the_first_arm_learns_from_a_duel_and_a_coin_counts_as_well(self):
        oracle = make(BTM, 3)
        oracle.observe(1, 0, 2, False)
        oracle.observe(2, 0, 0, True)
        assert [oracle.plays(b) for b in range(3)] == [2, 0, 0]
        assert [oracle.mean(b) for b in range(3)] == [0.5, 0.5, 0.5]
        oracle.observe(3, 0, 1, True)
        assert oracle.mean(0) == 2 / 3

    def test_own_opponent_can_be_left_out(self):
        draws = [("integers", 2, 1), ("integers", 2, 0)]
        assert duels(make(BTM, 2, *draws, own_opponent=False), TWO_ARMS, 3) == [(1, 0), (0, 1), (0, 1)]

    def test_radius_is_that_of_the_least_played_arm_and_one_without_comparisons(self):
        oracle = make(BTM, 3, horizon=1000, gamma=1.3)
        assert oracle.radius() == 1.0
        oracle.n[:] = 100
        oracle.n[1] = 12
        assert oracle.radius() == pytest.approx(3 * 1.69 * math.sqrt(math.log(6000) / 36))
        assert make(BTM, 3, horizon=1000, const=1.0).factor == 1.0

    def test_an_eliminated_arm_takes_the_comparisons_against_it_along(self):
        """Means 1, 1/2, 0 and c(100) = 0.25: arm 2 goes, and no second arm before the next duel.

        Without arm 2 the means are 1 and 0, and c(50) = 0.36: arm 1 goes after a duel of its own.
        """
        draws = [("integers", 3, 0), ("integers", 3, 1), ("integers", 2, 0)]
        oracle = make(BTM, 3, *draws, const=1.0)
        oracle.n[:] = [[0, 50, 50], [50, 0, 50], [50, 50, 0]]
        oracle.w[:] = [[0, 50, 50], [0, 0, 50], [0, 0, 0]]
        assert oracle.choose(1) == (0, 1)
        oracle.observe(1, 0, 1, True)
        assert oracle.choose(2) == (1, 0)
        assert oracle.active == [0, 1]
        assert [oracle.plays(0), oracle.plays(1)] == [51, 50]
        assert [oracle.mean(0), oracle.mean(1)] == [1.0, 0.0]
        oracle.observe(2, 1, 0, False)
        assert choice(oracle, 3) == (0, 0)
        assert oracle.recommend() == 0

    def test_which_of_two_worst_arms_goes_is_drawn(self):
        draws = [("integers", 3, 0), ("integers", 3, 0), ("integers", 2, 0), ("integers", 2, 1)]
        oracle = make(BTM, 3, *draws, const=1.0)
        oracle.n[:] = [[100, 0, 0], [0, 50, 50], [0, 50, 50]]
        oracle.w[:] = [[100, 0, 0], [0, 0, 0], [0, 0, 0]]
        assert oracle.choose(1) == (0, 0)
        oracle.observe(1, 0, 0, True)
        assert choice(oracle, 2) == (2, 2)
        assert oracle.active == [0, 2]

    def test_with_the_printed_constant_nothing_is_eliminated_soon(self):
        """2 c* <= 1 needs n* >= 36 ln(2 T K) = 343.7 comparisons of each of the two arms."""
        oracle = BTM(2, 3500, np.random.default_rng(1), own_opponent=False)
        pairs = play(oracle, TWO_ARMS, 700, np.random.default_rng(2))
        assert pairs.index((0, 0)) == 2 * 344
