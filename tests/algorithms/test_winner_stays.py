"""WS-W and WS-S: rounds over the arms and exploitations counted by hand, standing decisions, regret."""

from itertools import pairwise

import numpy as np
import pytest

import duelbench
from duelbench.algorithms.winner_stays import WS_S, WS_W
from tests.algorithms.comparing import assert_same_duels, assert_standing_decisions_change_no_law, growth
from tests.conformance.literal.ws import WSS, WSWByRounds
from tests.conformance.players import pairs_played

FIRST_OF_TWO = [[0.5, 1.0], [0.0, 0.5]]
ORDER = np.triu(np.ones((4, 4)), 1) + 0.5 * np.eye(4)
CONDORCET = [[0.5, 0.6, 0.75, 0.8], [0.4, 0.5, 0.7, 0.75], [0.25, 0.3, 0.5, 0.52], [0.2, 0.25, 0.48, 0.5]]
NEAR_TIE = [[0.5, 0.53, 0.9], [0.47, 0.5, 0.9], [0.1, 0.1, 0.5]]


def play(algorithm, P, horizon, seed=0, **parameters):
    own, duels = np.random.default_rng(seed), np.random.default_rng([seed, 1])
    return pairs_played(algorithm, np.array(P), horizon, own, duels, **parameters)


def test_the_best_arm_meets_all_others_in_every_round_the_last_loser_first():
    # Once arm 0 is in, it wins every duel, and each round takes three.
    pairs = play(WS_W, ORDER, 60)
    start = next(t for t, pair in enumerate(pairs) if 0 in pair)
    rounds_of_three = [pairs[t : t + 3] for t in range(3 * (start // 3 + 1), 60, 3)]
    for one_round in rounds_of_three:
        assert [first for first, _ in one_round] == [0, 0, 0]
        assert {second for _, second in one_round} == {1, 2, 3}
    for one_round, following in pairwise(rounds_of_three):
        assert following[0] == one_round[-1]


def test_points_at_the_end_of_every_round_over_the_arms():
    state = WS_W.start(4, 1, None, True)
    own, duels = np.random.default_rng(3), np.random.default_rng(4)
    lap = 1
    for t in range(1, 2001):
        i, j, _ = WS_W.select(state, t, own)
        assert i != j
        won = int(duels.random() < CONDORCET[i][j])
        WS_W.update(state, i, j, won, 1 - won)
        assert state.points.min() >= -lap
        if sorted(state.points) == [-lap, -lap, -lap, 3 * lap]:
            lap += 1
    assert lap > 100


def test_two_arms_duel_without_end_in_ever_longer_decisions():
    trace = duelbench.simulate(WS_W, FIRST_OF_TWO, horizon=10**6)
    assert trace.duels[0, 0] == trace.duels[1, 1] == 0
    assert trace.decisions < 40  # with a lead of n, (0, 1) stands for n // 2 + 1 rounds


def test_ws_s_plays_the_survivor_floor_of_beta_to_the_l_times_after_round_l():
    # With two arms round l is one duel, so that ten rounds take 10 + 2 + 4 + ... + 1024 = 2056.
    trace = duelbench.simulate(WS_S, FIRST_OF_TWO, horizon=2056, beta_ws=2.0)
    assert trace.duels.tolist()[0][0] == 2046
    assert trace.duels[0, 1] + trace.duels[1, 0] == 10
    # 1.5, 2.25, 3.375, 5.06, 7.59 are cut off to 1, 2, 3, 5, 7.
    kinds = [first == second for first, second in play(WS_S, FIRST_OF_TWO, 5 + 18, beta_ws=1.5)]
    expected = [kind for length in (1, 2, 3, 5, 7) for kind in [False] + [True] * length]
    assert kinds == expected


def test_exploitation_goes_on_where_it_was_cut_short():
    state = WS_S.start(2, 1, None, True, beta_ws=10.0)
    WS_S.update(state, 0, 1, 1, 0)
    rng = np.random.default_rng(1)
    assert WS_S.select(state, 2, rng) == (0, 0, 10)
    assert WS_S.select(state, 6, rng) == (0, 0, 6)
    assert WS_S.select(state, 12, rng) == (0, 1, 1)


def test_late_outcomes_end_a_round_over_the_arms_as_well():
    # All of 50 duels of a block are of one pair; the loser falls far below -l, and the others are next.
    trace = duelbench.simulate(WS_S, ORDER, horizon=20_000, feedback_delay=50)
    assert trace.recommended[-1] == 0
    assert trace.duels[0, 0] > 15_000


@pytest.mark.parametrize("P", [CONDORCET, ORDER, NEAR_TIE], ids=["condorcet winner", "order", "near tie"])
def test_the_rule_of_most_points_is_the_knock_out(P):
    assert_same_duels(WS_W, WSWByRounds, P, 5, 1500)


def test_ws_s_plays_like_the_literal_transcription_with_another_beta():
    def literal(n_arms, horizon, rng):
        return WSS(n_arms, horizon, rng, beta_ws=1.5)

    assert_same_duels(WS_S, literal, CONDORCET, 5, 1500, beta_ws=1.5)


@pytest.mark.parametrize("algorithm", [WS_W, WS_S], ids=lambda algorithm: algorithm.id)
def test_standing_decisions_change_no_distribution(algorithm):
    assert_standing_decisions_change_no_law(algorithm, NEAR_TIE, 1200)


def test_ws_w_has_constant_weak_regret_and_linear_strong_regret():
    traces = [
        duelbench.simulate(WS_W, CONDORCET, horizon=20_000, run=run, regret=("weak", "strong"), checkpoints=[10_000])
        for run in range(30)
    ]
    weak, strong = np.mean([trace.regret for trace in traces], axis=0)
    assert weak[1] < 1.05 * weak[0]
    assert strong[1] > 1.9 * strong[0]


def test_ws_s_has_logarithmic_regret():
    assert growth(WS_S, CONDORCET, 50, 20_000) < 1.2
