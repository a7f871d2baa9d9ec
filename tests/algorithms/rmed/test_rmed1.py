"""RMED1: what the paper's text says of it, against facts derived by hand and a literal transcription."""

import math
from itertools import product
from pathlib import Path

import numpy as np
import pytest

import duelbench
from duelbench.algorithms.contract import NEVER
from duelbench.algorithms.rmed import rmed1
from duelbench.algorithms.rmed.candidate_lists import add_to_next, advance, new_lists, remove_from_remaining
from duelbench.algorithms.rmed.rmed1 import RMED1, add_duels, most_likely, new_divergences, opponent
from tests.conformance.literal import play
from tests.conformance.literal.rmed1 import RMED1 as LiteralRMED1
from tests.conformance.players import pairs_played

ROOT = Path(__file__).parents[3]
UNUSED = np.random.default_rng(0)
LN2 = math.log(2.0)

MATRICES = {
    "two arms": [[0.5, 0.7], [0.3, 0.5]],
    "condorcet winner": [[0.5, 0.6, 0.7], [0.4, 0.5, 0.52], [0.3, 0.48, 0.5]],
    "cycle": [[0.5, 0.8, 0.3, 0.8], [0.2, 0.5, 0.7, 0.4], [0.7, 0.3, 0.5, 0.6], [0.2, 0.6, 0.4, 0.5]],
    "a tie at the top": [[0.5, 0.5, 0.9], [0.5, 0.5, 0.9], [0.1, 0.1, 0.5]],
    "all equal": np.full((4, 4), 0.5),
    "deterministic order": np.triu(np.ones((5, 5)), 1) + 0.5 * np.eye(5),
    "deterministic cycle": [[0.5, 1.0, 0.0], [0.0, 0.5, 1.0], [1.0, 0.0, 0.5]],
}


def divergences_after(n_arms, wins):
    """What is known after ``wins[i, j]`` victories of i over j."""
    divergences = new_divergences(n_arms)
    for (i, j), count in wins.items():
        add_duels(divergences, i, j, count, 0)
    return divergences


def start(n_arms, seed=0, **parameters):
    return RMED1.start(n_arms, 1, np.random.default_rng(seed), True, **RMED1.resolve(parameters))


class TestEmpiricalDivergence:
    def test_lost_duels_count_by_their_divergence_from_one_half(self):
        divergences = divergences_after(3, {(0, 1): 4, (2, 0): 3, (0, 2): 1})
        one_of_four = 4 * (LN2 + 0.25 * math.log(0.25) + 0.75 * math.log(0.75))
        assert divergences.total.tolist() == pytest.approx([one_of_four, 4 * LN2, 0.0])

    def test_is_exactly_zero_for_an_arm_that_no_arm_beats(self):
        divergences = divergences_after(3, {(0, 1): 1, (1, 0): 7, (0, 2): 2, (2, 0): 2})
        assert divergences.total[0] > 0
        add_duels(divergences, 0, 1, 6, 0)  # level with arm 1 again, as with arm 2
        assert divergences.total.tolist() == [0.0, 0.0, 0.0]

    def test_is_the_sum_from_left_to_right_whatever_came_before(self):
        rng = np.random.default_rng(1)
        divergences = new_divergences(6)
        for _ in range(500):
            i, j = rng.permutation(6)[:2]
            add_duels(divergences, i, j, *(int(x) for x in rng.integers(0, 2, 2) + [1, 0]))
        fresh = new_divergences(6)
        for i, j in product(range(6), repeat=2):
            if i < j:
                add_duels(fresh, i, j, divergences.wins[i, j], divergences.wins[j, i])
        assert fresh.total.tobytes() == divergences.total.tobytes()

    def test_ties_go_to_the_first_arm_in_private_order(self):
        divergences = divergences_after(3, {(0, 1): 1, (2, 1): 1})
        assert most_likely(divergences, np.array([1, 2, 0])) == 2
        assert most_likely(divergences, np.array([1, 0, 2])) == 0


class TestOpponent:
    def test_is_the_likely_winner_if_that_may_beat_the_arm(self):
        divergences = divergences_after(3, {(0, 1): 1, (1, 0): 1, (2, 1): 3})
        assert opponent(divergences, np.arange(3), 1, 0) == 0  # level with 0, though 2 beats 1 clearly

    def test_is_the_arm_that_beats_it_most_clearly_otherwise(self):
        divergences = divergences_after(4, {(1, 0): 1, (2, 1): 2, (1, 2): 1, (3, 1): 3, (1, 3): 1})
        assert opponent(divergences, np.arange(4), 1, 0) == 3  # 3/4 against 2/3

    def test_is_the_likely_winner_if_no_arm_may_beat_the_arm(self):
        divergences = divergences_after(3, {(1, 0): 1, (1, 2): 1})
        assert opponent(divergences, np.arange(3), 1, 0) == 0
        assert opponent(divergences, np.arange(3), 1, 1) == 1

    def test_ties_go_to_the_first_arm_in_private_order(self):
        divergences = divergences_after(4, {(1, 0): 1, (2, 1): 2, (3, 1): 1})
        assert opponent(divergences, np.array([0, 3, 1, 2]), 1, 0) == 3
        assert opponent(divergences, np.array([0, 2, 1, 3]), 1, 0) == 2


class TestPasses:
    def test_first_rounds_draw_every_pair_once_in_private_order(self):
        state = start(4)
        a, b, c, d = (int(arm) for arm in state.order)
        drawn = [tuple(int(x) for x in RMED1.select(state, t, UNUSED)) for t in range(1, 7)]
        assert drawn == [(a, b, 1), (a, c, 1), (a, d, 1), (b, c, 1), (b, d, 1), (c, d, 1)]

    def test_then_every_arm_has_its_turn(self):
        state = start(4)
        firsts = [int(RMED1.select(state, t, UNUSED)[0]) for t in range(1, 11)]
        assert firsts[6:] == state.order.tolist()

    def test_an_arm_of_the_present_pass_cannot_join_the_next_before_its_turn(self):
        lists = new_lists(3, 3)
        assert lists.remaining.tolist() == [True, True, True]
        remove_from_remaining(lists)
        assert lists.remaining.tolist() == [False, True, True]

    def test_the_next_pass_is_in_private_order_however_it_was_drawn_up(self):
        lists = new_lists(5, 1)
        remove_from_remaining(lists)
        for item in (3, 0, 4, 1):
            add_to_next(lists, item)
        advance(lists)
        assert lists.current[: lists.place[0].n_current].tolist() == [0, 1, 3, 4]
        assert not lists.is_next.any()


class TestStandingDecisions:
    @pytest.mark.parametrize("slack", [0.0, 0.3, 1.62])
    def test_a_candidate_returns_in_the_first_round_that_admits_it(self, slack):
        for lead in (*np.linspace(0.0, 7.0, 57), *(n * LN2 for n in range(11)), math.log(50.0) + slack):
            t = int(rmed1.return_round(np.array([0.5, 0.5 + lead]), 0, slack))
            gap = (0.5 + lead) - 0.5
            assert gap <= math.log(t) + slack
            assert t == 1 or gap > math.log(t - 1) + slack

    def test_of_two_arms_the_loser_returns_after_a_time_that_doubles_with_every_loss(self):
        P = np.array([[0.5, 1.0], [0.0, 0.5]])
        state = start(2)
        f = 0.3 * 2**1.01
        t = 1
        seen = set()
        while t < 10**6:
            first, second, rounds = (int(x) for x in RMED1.select(state, t, UNUSED))
            if first != second:
                RMED1.update(state, first, second, int(P[first, second]), int(P[second, first]))
            elif rounds > 1:
                losses = int(state.divergences.wins[0, 1])
                assert t + rounds - 1 == math.ceil(2**losses * math.exp(-f))  # losses ln 2 <= ln t + f
                seen.add(losses)
            t += rounds
        assert len(seen) > 10

    def test_an_arm_that_lost_often_enough_never_returns(self):
        assert rmed1.return_round(np.array([0.0, 60.0]), 0, 1.0) == NEVER

    @pytest.mark.parametrize("delay", [1, 7])
    @pytest.mark.parametrize("f_scale", [0.3, 0.0])
    @pytest.mark.parametrize("name", MATRICES)
    def test_change_no_bit_of_a_trace(self, name, f_scale, delay):
        for run in range(2):
            on, off = (
                duelbench.simulate(
                    "rmed1",
                    MATRICES[name],
                    horizon=20_000,
                    run=run,
                    feedback_delay=delay,
                    standing_decisions=standing,
                    f_scale=f_scale,
                )
                for standing in (True, False)
            )
            assert on.regret.tobytes() == off.regret.tobytes()
            assert np.array_equal(on.duels, off.duels)
            assert np.array_equal(on.recommended, off.recommended)

    def test_settled_rounds_cost_nothing(self):
        assert duelbench.simulate("rmed1", MATRICES["condorcet winner"], horizon=10**10).decisions < 10_000


@pytest.mark.parametrize("parameters", [{"f_scale": 0.0}, {"f_scale": 2.0, "f_exponent": 0.5}])
@pytest.mark.parametrize("name", MATRICES)
def test_plays_the_same_duels_as_the_literal_transcription(name, parameters):
    P = np.array(MATRICES[name])
    literal = {"f_factor" if key == "f_scale" else key: value for key, value in parameters.items()}
    for seed in range(3):
        oracle = LiteralRMED1(len(P), 400, np.random.default_rng(seed), **literal)
        expected = play(oracle, P, 400, np.random.default_rng([seed, 1]))
        rngs = np.random.default_rng(seed), np.random.default_rng([seed, 1])
        assert pairs_played(RMED1, P, 400, *rngs, **parameters) == expected


def test_regret_is_logarithmic_with_a_condorcet_winner_and_linear_without():
    def growth(matrix):
        P = duelbench.PreferenceMatrix.load(ROOT / "matrices" / f"{matrix}.csv")
        runs = [
            duelbench.simulate("rmed1", P, horizon=40_000, run=run, shuffle_arms=True, checkpoints=[20_000]).regret[0]
            for run in range(60)
        ]
        at = np.mean(runs, axis=0)
        return at[1] / at[0]

    assert growth("cyclic") < 1.2
    assert growth("noncondorcet-strong-borda") > 1.8
