"""Transcriptions that duel by bandit machines, or where the winner stays, against cases worked out by hand."""

import itertools
import math

import numpy as np
import pytest

from . import play
from .by_hand import CYCLIC, TOTAL_ORDER, TWO_ARMS, Script, choice, duels, make, random_preferences
from .doubler import Doubler
from .machines import SBMUCB, BetaThompson
from .multi_sbm import MultiSBM
from .self_sparring import SelfSparring
from .sparring import Sparring
from .vdb import VDB, tsallis_weights
from .ws import WSS, WSW, WSWByRounds


class TestMachines:
    def test_ucb_takes_unplayed_arms_at_random_and_then_the_highest_index(self):
        machine = SBMUCB(3, Script(("integers", 3, 1), ("integers", 2, 1), ("integers", 2, 0)))
        arms = []
        for won in (True, True, False, False):
            arms.append(machine.advance())
            machine.feedback(won)
        assert arms == [1, 2, 0, 1]
        assert (machine.plays, machine.wins) == ([1, 2, 1], [0, 1, 1])
        assert machine.rng.answers == []
        assert machine.advance() == 2

    @pytest.mark.parametrize(("alpha", "arm"), [(2.7, 1), (2.4, 0)])
    def test_ucb_has_the_width_of_its_own_clock(self, alpha, arm):
        """Arm 0 won 4 of 4, arm 1 lost once: 1 < sqrt(x / 8) for x = (alpha + 2) ln 6 > 8, in step 6."""
        machine = SBMUCB(2, Script(), alpha)
        machine.plays, machine.wins = [4, 1], [4, 0]
        assert machine.advance() == arm

    def test_thompson_sampling_takes_the_arm_of_the_highest_sample(self):
        machine = BetaThompson(3, Script(("beta", 1, 1, 0.3), ("beta", 1, 1, 0.7), ("beta", 1, 1, 0.5)))
        assert machine.advance() == 1
        machine.feedback(True)
        machine.rng.answers = [("beta", 1, 1, 0.3), ("beta", 2, 1, 0.2), ("beta", 1, 1, 0.1)]
        assert machine.advance() == 0
        machine.feedback(False)
        machine.rng.answers = [("beta", 1, 2, 0.1), ("beta", 2, 1, 0.2), ("beta", 1, 1, 0.3)]
        assert machine.advance() == 2


class TestDoubler:
    def test_the_left_arm_is_drawn_before_the_machine_advances(self):
        """The machine's wins are those of the right arm: here the higher index always loses."""
        first_epoch = [("integers", 3, 2), ("integers", 3, 0), ("integers", 2, 0)]
        second_epoch = [("integers", 2, 1), ("integers", 3, 2), ("integers", 2, 0), ("integers", 2, 1)]
        oracle = make(Doubler, 3, *first_epoch, *second_epoch)
        assert duels(oracle, TOTAL_ORDER, 4) == [(2, 0), (2, 1), (1, 2), (0, 1)]
        assert (oracle.S.plays, oracle.S.wins) == ([0, 1, 1], [0, 0, 0])

    def test_the_list_keeps_repetitions(self):
        """Epoch 2: arm 0 beats 1, and the coins of its self-duels come out as wins of the right arm."""
        rounds = [("integers", 2, 0), ("integers", 2, 1)]
        rounds += [("integers", 2, 1), ("integers", 2, 0)] + [("integers", 2, 0)] * 3 + [("integers", 4, 2)]
        oracle = make(Doubler, 2, *rounds, ("integers", 2, 1))
        played = []
        for t in range(1, 8):
            played.append(oracle.choose(t))
            oracle.observe(t, *played[-1], played[-1][1] == 1)
        assert played == [(0, 1), (0, 0), (1, 0), (0, 1), (0, 0), (0, 0), (0, 1)]
        assert oracle.L == [0, 0, 0, 1]
        assert oracle.rng.answers == []
        assert oracle.recommend() == 0

    def test_epochs_double_and_each_plays_against_the_one_before(self):
        oracle = Doubler(4, 100, np.random.default_rng(5))
        pairs = play(oracle, CYCLIC, 63, np.random.default_rng(6))
        ends = [0, 2, 6, 14, 30, 62]
        right = [[y for _, y in pairs[start:end]] for start, end in itertools.pairwise(ends)]
        assert len({x for x, _ in pairs[:2]}) == 1
        for number, (start, end) in enumerate(itertools.pairwise(ends[1:])):
            assert {x for x, _ in pairs[start:end]} <= set(right[number])
            assert sorted(y for _, y in pairs[start : start + 4]) == [0, 1, 2, 3]  # reset: all are unplayed
        assert list(oracle.L) == sorted(right[-1])


class TestMultiSBM:
    def test_the_machine_of_the_last_right_arm_advances(self):
        """A self-duel feeds its coin: the right arm loses it when the left one wins."""
        oracle = make(MultiSBM, 3, ("integers", 3, 2), ("integers", 3, 1), ("integers", 3, 1))
        assert oracle.choose(1) == (2, 1)
        oracle.observe(1, 2, 1, False)
        assert choice(oracle, 2) == (1, 1)
        oracle.observe(2, 1, 1, True)
        assert (oracle.S[2].plays, oracle.S[2].wins) == ([0, 1, 0], [0, 1, 0])
        assert (oracle.S[1].plays, oracle.S[1].wins) == ([0, 1, 0], [0, 0, 0])
        oracle.rng.answers = [("integers", 2, 0)]
        assert choice(oracle, 3) == (1, 0)
        assert oracle.recommend() == 1

    def test_left_arms_are_the_right_arms_of_the_round_before(self):
        pairs = play(MultiSBM(4, 100, np.random.default_rng(7)), CYCLIC, 200, np.random.default_rng(8))
        assert [x for x, _ in pairs[1:]] == [y for _, y in pairs[:-1]]


class TestSparring:
    def test_the_left_machine_draws_first_and_both_learn(self):
        oracle = make(Sparring, 3, ("integers", 3, 0), ("integers", 3, 2))
        assert choice(oracle, 1) == (0, 2)
        oracle.observe(1, 0, 2, False)
        assert (oracle.left.plays, oracle.left.wins) == ([1, 0, 0], [0, 0, 0])
        assert (oracle.right.plays, oracle.right.wins) == ([0, 0, 1], [0, 0, 1])
        oracle.rng.answers = [("integers", 2, 1), ("integers", 2, 1)]
        assert choice(oracle, 2) == (2, 1)
        assert oracle.recommend() == 0

    def test_thompson_machines_sample_left_before_right(self):
        left, right = [("beta", 1, 1, 0.4), ("beta", 1, 1, 0.6)], [("beta", 1, 1, 0.6), ("beta", 1, 1, 0.4)]
        assert choice(make(Sparring, 2, *left, *right, machine="ts"), 1) == (1, 0)

    @pytest.mark.parametrize("machine", ["ucb", "ts"])
    def test_one_win_is_credited_in_every_round(self, machine):
        oracle = Sparring(4, 300, np.random.default_rng(9), machine=machine)
        pairs = play(oracle, CYCLIC, 300, np.random.default_rng(10))
        assert any(x == y for x, y in pairs)
        assert sum(oracle.left.wins) + sum(oracle.right.wins) == 300
        assert sum(oracle.left.plays) == sum(oracle.right.plays) == 300


class TestSelfSparring:
    def test_both_arms_come_from_samples_of_their_own(self):
        first, second = [("beta", 1, 1, 0.4), ("beta", 1, 1, 0.6)], [("beta", 1, 1, 0.6), ("beta", 1, 1, 0.4)]
        oracle = make(SelfSparring, 2, *first, *second, eta=0.5)
        assert choice(oracle, 1) == (1, 0)
        oracle.observe(1, 1, 0, True)
        assert (oracle.S, oracle.F) == ([0.0, 0.5], [0.5, 0.0])
        oracle.rng.answers = [("beta", 1, 1.5, 0.4), ("beta", 1.5, 1, 0.6)] * 2
        assert choice(oracle, 2) == (1, 1)
        assert oracle.recommend() == 1

    @pytest.mark.parametrize(("self_update", "credit"), [(True, 1.0), (False, 0.0)])
    @pytest.mark.parametrize("first_won", [True, False])
    def test_a_self_duel_is_a_win_and_a_loss_or_nothing(self, self_update, credit, first_won):
        oracle = make(SelfSparring, 2, self_update=self_update)
        oracle.observe(1, 1, 1, first_won)
        assert list(zip(oracle.S, oracle.F, strict=True)) == [(0.0, 0.0), (credit, credit)]

    def test_one_win_and_one_loss_are_credited_in_every_round_and_the_winner_is_found(self):
        oracle = SelfSparring(3, 300, np.random.default_rng(11))
        play(oracle, TOTAL_ORDER, 300, np.random.default_rng(12))
        assert sum(oracle.S) == sum(oracle.F) == 300
        assert oracle.recommend() == 0


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
