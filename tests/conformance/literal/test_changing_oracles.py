"""Transcriptions for worlds that change or lie, and the winner-stays races, against cases worked out by hand."""

import itertools
import math

import numpy as np
import pytest

from . import play
from .anaconda import ANACONDA, Level
from .btw import BtW, BtWR
from .by_hand import TOTAL_ORDER, TWO_ARMS, choice, duels, in_order, make
from .detect import DETECT
from .mdb import MDB
from .window import Window
from .wiwr import WIWR
from .worlds import MSLR5


def wins_race(p, c):
    """P(an arm that wins each duel with probability p is the first of two with c wins), by counting the losses."""
    return sum(math.comb(c - 1 + k, k) * p**c * (1 - p) ** k for k in range(c))


def mean_of_races(p, c, races):
    """Share of races to c wins that the incumbent wins, and their mean number of duels, played by the oracle."""
    rng = np.random.default_rng(c)
    won = rounds = 0
    for _ in range(races):
        oracle = make(BtW, 2, in_order(0, 1))
        oracle.c = c
        while oracle.c == c:
            oracle.observe(1, *oracle.choose(1), bool(rng.random() < p))
            rounds += 1
        won += oracle.I == 0
    return won / races, rounds / races


class TestBeatTheWinner:
    def test_races_grow_and_the_loser_queues(self):
        oracle = make(BtW, 3, in_order(1, 2, 0))
        assert duels(oracle, TOTAL_ORDER, 10) == [(1, 2), *[(1, 0)] * 2, *[(0, 2)] * 3, *[(0, 1)] * 4]
        assert oracle.recommend() == 0

    def test_races_of_a_new_incumbent_begin_with_the_first_again(self):
        oracle = make(BtWR, 3, in_order(1, 2, 0))
        assert duels(oracle, TOTAL_ORDER, 6) == [(1, 2), *[(1, 0)] * 2, (0, 2), *[(0, 1)] * 2]

    @pytest.mark.parametrize("kind", [BtW, BtWR])
    def test_of_two_arms_the_loser_is_the_next_challenger(self, kind):
        assert set(duels(make(kind, 2, in_order(1, 0)), TWO_ARMS, 30)[1:]) == {(0, 1)}

    def test_a_race_is_over_when_one_has_enough_wins(self):
        """c = 2: the incumbent wins, loses and loses; the challenger has 2 wins, and duel 4 is that of race 3."""
        oracle = make(BtW, 3, in_order(0, 1, 2))
        oracle.c = 2
        for won in (True, False):
            oracle.observe(1, 0, 1, won)
            assert oracle.choose(1) == (0, 1)
        oracle.observe(1, 0, 1, False)
        assert (oracle.choose(1), oracle.c, oracle.queue) == ((1, 2), 3, [0])

    @pytest.mark.parametrize(("c", "chance", "rounds"), [(1, 0.6, 1), (2, 0.648, 2.48), (3, 0.68256, 4.0656)])
    def test_races_have_their_closed_form(self, c, chance, rounds):
        assert wins_race(0.6, c) == pytest.approx(chance)
        won, length = mean_of_races(0.6, c, 4000)
        assert won == pytest.approx(chance, abs=3 * 0.5 / math.sqrt(4000))
        assert length == pytest.approx(rounds, abs=0.06)

    def test_long_races_have_their_closed_form(self):
        assert wins_race(0.6, 10) == pytest.approx(0.813908, abs=5e-7)
        assert wins_race(0.535, 100) == pytest.approx(0.838895, abs=5e-7)

    @pytest.mark.parametrize(("p_min", "lengths"), [(0.1, [29, 57, 74, 129]), (0.035, [236, 460, 601])])
    def test_lengths_by_the_least_advantage(self, p_min, lengths):
        oracle = BtWR(3, 100, np.random.default_rng(1), p_min=p_min)
        assert [oracle.length(c) for c in (1, 2, 3, 10)][: len(lengths)] == lengths

    def test_the_winner_loses_a_race_as_rarely_as_the_lengths_promise(self):
        oracle = BtWR(3, 100, np.random.default_rng(1), p_min=0.1)
        for c in range(1, 30):
            assert 1 - wins_race(0.6, oracle.length(c)) <= (1 - 1 / math.e) / (c * (c + 1))


class TestWindow:
    def test_the_halves_differ_by_two(self):
        window = Window(4, 1.9)
        assert [window.push(won) for won in (0, 0, 1)] == [False] * 3
        assert window.push(1)
        assert window.difference() == 2

    def test_an_alarm_needs_more_than_the_threshold_and_a_full_window(self):
        window = Window(4, 2)
        assert not any(window.push(won) for won in (0, 0, 1, 1))

    def test_the_oldest_outcome_leaves(self):
        window = Window(4, 1.5)
        assert [window.push(won) for won in (1, 0, 0, 0, 0, 1, 1)] == [False] * 6 + [True]


class TestDETECT:
    @pytest.mark.parametrize(
        ("T", "expected"), [(1_000, (31, 98, 12.1384)), (10_000, (100, 172, 21.4566)), (100_000, (316, 248, 30.9675))]
    )
    def test_the_short_form(self, T, expected):
        oracle = DETECT(5, T, np.random.default_rng(1), delta=0.5)
        assert (oracle.T_base, oracle.w, oracle.b) == pytest.approx(expected, abs=5e-5)

    def test_the_long_form(self):
        """w is the smallest even integer from (16 ln T + 6) / delta^2 = 760.8 on."""
        oracle = DETECT(5, 100_000, np.random.default_rng(1), delta=0.5, p_min=0.6, form="long")
        assert (oracle.T_base, oracle.w) == (97_161, 762)
        assert oracle.b == pytest.approx(math.sqrt(762 * (math.log(1e5) + 0.375)))

    def test_the_base_finds_an_arm_that_then_meets_the_others_in_turn(self):
        oracle = make(DETECT, 3, in_order(1, 2, 0), horizon=36)
        assert (oracle.T_base, oracle.w % 2) == (6, 0)
        expected = [(1, 2), *[(1, 0)] * 2, *[(0, 2)] * 3, (0, 1), (0, 2), (0, 1), (0, 2)]
        assert duels(oracle, TOTAL_ORDER, 10) == expected
        assert oracle.recommend() == 0

    def test_an_alarm_begins_all_again(self):
        """Arm 0 beats all, and then arm 1: the window of arm 1 with 4 outcomes is full of both."""
        oracle = make(DETECT, 3, in_order(2, 1, 0), horizon=36)
        oracle.windows = [Window(4, 1.5) for _ in range(3)]
        assert duels(oracle, TOTAL_ORDER, 10)[6:] == [(0, 1), (0, 2)] * 2
        upset = TOTAL_ORDER.copy()
        upset[0, 1], upset[1, 0] = 0.0, 1.0
        oracle.rng.answers = [("integers", 3, 0), ("integers", 2, 1)]  # 2 and 0 change places, 1 stays
        pairs = play(oracle, upset, 14, np.random.default_rng(1), 11)
        assert pairs == [(0, 1), (0, 2), (0, 1), (2, 1)]
        assert (oracle.tau, oracle.best, oracle.recommend()) == (2, None, 1)
        assert all(window.outcomes == [] for window in oracle.windows)


class TestMDB:
    @pytest.mark.parametrize(
        ("T", "expected"),
        [
            (10_000, (414, 51.6735, 0.813880, 12)),
            (100_000, (524, 65.4562, 0.289551, 34)),
            (1_000_000, (634, 79.2390, 0.100717, 99)),
        ],
    )
    def test_sizes(self, T, expected):
        oracle = MDB(5, T, np.random.default_rng(1), segments=4)
        assert (oracle.w, round(oracle.b, 4), round(oracle.gamma, 6), oracle.D) == expected

    def test_few_rounds_are_all_for_the_windows(self):
        oracle = MDB(5, 1_000, np.random.default_rng(1), segments=4)
        assert (oracle.gamma, oracle.D) == (1.0, 10)
        pairs = play(oracle, MSLR5, 100, np.random.default_rng(2))
        assert sorted(pairs[:10]) == list(itertools.combinations(range(5), 2))
        assert pairs == pairs[:10] * 10

    def test_pairs_in_their_order_and_then_the_base(self):
        """In round 1 of its clock the base has learnt nothing: all arms are in C, and its pair is random."""
        oracle = make(MDB, 3, in_order(2, 0, 1), transfer=False)
        oracle.D = 5
        oracle.rng.answers = [("integers", 3, 2), ("integers", 2, 1), ("integers", 2, 1), ("integers", 2, 0)]
        assert play(oracle, TOTAL_ORDER, 4, np.random.default_rng(0)) == [(1, 2), (0, 1), (0, 2), (2, 1)]
        assert (oracle.clock, oracle.tau) == (2, 5)
        assert oracle.base.W.sum() == 1

    @pytest.mark.parametrize(("transfer", "base", "learnt"), [(True, "rucb", 3), (False, "rucb", 0), (True, "ws-s", 0)])
    def test_what_the_base_learns_from_the_windows(self, transfer, base, learnt):
        oracle = make(MDB, 3, in_order(2, 0, 1), transfer=transfer, base=base)
        assert len(duels(oracle, TOTAL_ORDER, 3)) == 3
        assert (oracle.base.W.sum(), oracle.clock) == (learnt, 1 + learnt)

    def test_an_alarm_begins_all_again_with_the_same_order_of_pairs(self):
        oracle = make(MDB, 3, in_order(2, 0, 1), transfer=True)
        oracle.w, oracle.b = 2, 0.5
        oracle._restart()
        assert duels(oracle, TOTAL_ORDER, 4) == [(1, 2), (0, 1), (0, 2), (1, 2)]
        assert play(oracle, 1 - TOTAL_ORDER, 7, np.random.default_rng(0), 5) == [(0, 1), (1, 2), (0, 1)]
        assert (oracle.tau, oracle.clock, oracle.base.W.sum()) == (3, 3, 2)


class TestANACONDA:
    @pytest.mark.parametrize(("since", "chance"), [(1, 0.962236), (100, 0.218035)])
    def test_replays_are_as_likely_as_they_should_be(self, since, chance):
        rng = np.random.default_rng(since)
        opened, tries = 0, 3000
        for _ in range(tries):
            oracle = ANACONDA(3, 100_000, rng, rho=1.0)
            oracle.choose(1 + since)
            opened += len(oracle.levels) > 1
        none = math.prod(1 - 1 / math.sqrt(2**j * since) for j in range(1, 18))
        assert 1 - none == pytest.approx(chance, abs=5e-7)
        assert opened / tries == pytest.approx(chance, abs=4 * math.sqrt(chance * (1 - chance) / tries))

    def test_a_replay_opens_a_level_with_all_arms(self):
        oracle = make(ANACONDA, 3, ("integers", 3, 2), ("integers", 3, 2), rho=1.0, horizon=8)
        assert choice(oracle, 1) == (2, 2)
        oracle.observe(1, 2, 2, None)
        oracle.levels[0].A = [0]
        oracle.rng.answers = [("random", 0.8), ("random", 0.4), ("random", 0.4), ("integers", 3, 1), ("integers", 3, 0)]
        assert choice(oracle, 2) == (1, 0), "chances .71, .5 and .35: j = 2 alone"
        assert [(level.start, level.end) for level in oracle.levels] == [(1, math.inf), (2, 6)]
        oracle.rng.answers = [("random", 0.9)] * 3
        oracle.levels[-1].A = [1]
        assert choice(oracle, 6) == (1, 1)
        oracle.rng.answers = [("random", 0.9)] * 3
        assert choice(oracle, 7) == (0, 0), "the level ended with round 6"

    def test_a_longer_replay_replaces_the_shorter_ones_and_a_shorter_one_comes_on_top(self):
        oracle = make(ANACONDA, 3, horizon=8, rho=1.0)
        oracle.levels += [Level(2, 20, 3), Level(2, 10, 3)]
        oracle.rng.answers = [("random", 0.0), ("random", 0.9), ("random", 0.0)]
        oracle._replay(4)
        assert [level.end for level in oracle.levels] == [math.inf, 20, 12]
        oracle.rng.answers = [("random", 0.0), ("random", 0.9), ("random", 0.9)]
        oracle._replay(5)
        assert [level.end for level in oracle.levels] == [math.inf, 20, 12, 7]

    def test_only_wins_of_the_first_arm_count_by_the_number_of_its_level_s_pairs(self):
        oracle = make(ANACONDA, 3, C=10.0)
        for t, (first, second, won) in enumerate([(0, 1, True), (0, 1, False), (1, 0, True), (2, 2, None)], 1):
            oracle.observe(t, first, second, won)
        assert oracle.G[-1].tolist() == [[0, 9, 0], [9, 0, 0], [0, 0, 0]]
        oracle.levels[-1].A = [0, 2]
        oracle.observe(5, 0, 2, True)
        assert oracle.G[-1][0].tolist() == [0, 9, 4]
        assert oracle.evidence(0, 2, 2) == 4 - 3 / 2
        assert oracle.recommend() == 0

    def test_an_arm_leaves_where_a_window_is_against_it(self):
        """K = 2, threshold C ln(T) 2 max(sqrt(n), 2); after n wins of arm 0 there is 4 n - n / 2."""
        oracle = make(ANACONDA, 2, horizon=100, C=1.0)
        threshold = math.log(100) * 2 * 2  # 18.4, and of 6 rounds 22.6
        assert oracle.threshold(4) == oracle.threshold(1) == pytest.approx(threshold)
        for t in range(1, 7):
            assert oracle.A_good == [0, 1], f"before round {t}: evidence {3.5 * (t - 1)}"
            oracle.observe(t, 0, 1, True)
        assert oracle.threshold(6) > 3.5 * 6
        oracle.observe(7, 0, 1, True)
        assert oracle.threshold(7) < 3.5 * 7
        assert oracle.A_good == oracle.levels[0].A == [0]

    def test_a_level_that_began_after_the_window_keeps_the_arm(self):
        oracle = make(ANACONDA, 2, horizon=100, C=1.0)
        for t in range(1, 7):
            oracle.observe(t, 0, 1, True)
        oracle.levels.append(Level(2, 50, 2))
        oracle.observe(7, 0, 1, True)
        assert (oracle.A_good, oracle.levels[0].A, oracle.levels[1].A) == ([0], [0], [0, 1])

    def test_an_episode_ends_when_no_arm_is_good(self):
        oracle = make(ANACONDA, 2, horizon=100, C=1.0)
        oracle.levels[0].A = [1]
        oracle.levels.append(Level(2, 50, 2))
        for t in range(1, 8):
            oracle.observe(t, 0, 1, True)
        assert (oracle.t_l, oracle.A_good, len(oracle.levels), len(oracle.G)) == (8, [0, 1], 1, 1)
        assert oracle.G[0].sum() == 0

    def test_window_starts_by_hand(self):
        """e = 7: the multiples of 1 are 6 and 5, of 2 are 6 and 4, of 4 are 4 and 0, of 8 is 0."""
        oracle = make(ANACONDA, 2, horizon=100)
        oracle.G *= 8
        assert oracle.starts() == [0, 4, 5, 6]
        oracle.every_start = True
        assert oracle.starts() == list(range(7))

    def test_no_pair_but_the_one_just_won_comes_above_the_threshold(self):
        class AllPairs(ANACONDA):
            def observe(self, t, first, second, first_won):
                episode = self.t_l
                super().observe(t, first, second, first_won)
                if self.t_l == episode:
                    before = [list(self.A_good), *[list(level.A) for level in self.levels]]
                    for a, b in itertools.permutations(range(self.K), 2):
                        if (a, b) != (first, second):
                            self._eliminate(a, b)
                    assert before == [self.A_good, *[level.A for level in self.levels]]

        P = np.array([[0.5, 1.0, 1.0], [0.0, 0.5, 1.0], [0.0, 0.0, 0.5]])
        oracle = AllPairs(3, 600, np.random.default_rng(3), C=0.1)
        play(oracle, P, 600, np.random.default_rng(4))
        assert len(oracle.A_good) < 3


class TestWIWR:
    def test_sizes(self):
        oracle = WIWR(5, 100_000, np.random.default_rng(1))
        assert oracle.lam == pytest.approx(26850.4, abs=0.05)
        assert oracle.left == 537_008
        assert WIWR(5, 100_000, np.random.default_rng(1), scale=1 / 256).lam == pytest.approx(26850.4 / 256, abs=2e-4)

    def test_the_anchor_gives_way_to_an_arm_that_is_ahead(self):
        oracle = make(WIWR, 3, ("integers", 3, 2), ("random", 0.4), ("random", 0.3), ("random", 0.5))
        assert oracle.choose(1) == (1, 2)
        oracle.observe(1, 1, 2, False)
        assert oracle.choose(2) == (0, 2)
        oracle.observe(2, 0, 2, True)
        assert choice(oracle, 3) == (1, 0)
        oracle.observe(3, 1, 2, True)
        assert (oracle.v, oracle.net[1][2]) == (0, 0), "level after a loss and a win is not ahead"
        oracle.observe(4, 0, 0, None)
        assert (oracle.anchored, oracle.r) == ([1, 0, 3], [1.5, 1.0, 0.0])
        assert oracle.R == [[0, 0, 1], [0, 0, 1], [0, 0, 0]]

    def test_an_epoch_ends_with_the_ratings_against_its_main_anchor(self):
        """n = 40 each, N = 80. Arm 1 wins 5 of what should be 40 60 / 80 = 30 duels against arm 0, q = 1/6."""
        oracle = make(WIWR, 2, ("integers", 2, 0))
        oracle.n, oracle.N, oracle.left = [40.0, 40.0], 80.0, 1
        oracle.anchored, oracle.R, oracle.r = [60, 19], [[0, 9], [4, 0]], [19.0, 4.0]
        oracle.net = [[0, 30], [-30, 0]]
        oracle.anchored[0] -= 1
        oracle.observe(80, 1, 0, True)
        assert pytest.approx([0.5, 0.5]) == oracle.D, "1/2 - 1/6 - 1/16 is below 2^-1"
        assert (oracle.m, oracle.anchored) == (2, [0, 0])

    def test_ratings_against_one_anchor_or_against_all(self):
        oracle = make(WIWR, 3, ("integers", 3, 0))
        oracle.n, oracle.N = [40.0, 40.0, 20.0], 100.0
        oracle.anchored, oracle.R, oracle.r = [30, 60, 10], [[0, 12, 0], [0, 0, 0], [0, 3, 0]], [20.0, 30.0, 5.0]
        assert oracle.scores() == pytest.approx([12 * 100 / (60 * 40), 0.5, 3 * 100 / (60 * 20)])
        oracle.anchored = [49, 49, 2]
        assert oracle.scores() == pytest.approx([0.5, 0.75, 0.25])

    def test_the_next_epoch_isolates_the_winner(self):
        """Epoch 2: D_1 = 1/2 - 0 - 1/16, and D_0 = max(1/4, 1/2 - 1/2 - 1/16) = 1/4."""
        oracle = make(WIWR, 2, ("integers", 2, 0))
        oracle.m, oracle.anchored = 2, [int(oracle.N), 0]
        oracle._end_epoch()
        assert pytest.approx([0.25, 0.4375]) == oracle.D
        assert oracle.n == pytest.approx([oracle.lam * 16, oracle.lam / 0.4375**2])
        assert oracle.left == math.ceil(sum(oracle.n))

    def test_one_arm_always_has_the_least_gap(self):
        """No arm was an anchor long enough and none won: all have 1/2 - 1/16, and the first gets 2^-2."""
        oracle = make(WIWR, 3, ("integers", 3, 0))
        oracle.m = 2
        oracle._end_epoch()
        assert pytest.approx([0.25, 0.4375, 0.4375]) == oracle.D
