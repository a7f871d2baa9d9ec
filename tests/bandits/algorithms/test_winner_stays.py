"""WS-W and WS-S: rounds over the arms and exploitations counted by hand, standing decisions, regret."""

import numpy as np
import pytest

import duelbench
from duelbench.bandits.algorithms.winner_stays import WS_S, WS_W
from tests.conformance.players import pairs_played

FIRST_OF_TWO = [[0.5, 1.0], [0.0, 0.5]]
CONDORCET = [[0.5, 0.6, 0.75, 0.8], [0.4, 0.5, 0.7, 0.75], [0.25, 0.3, 0.5, 0.52], [0.2, 0.25, 0.48, 0.5]]
NEAR_TIE = [[0.5, 0.53, 0.9], [0.47, 0.5, 0.9], [0.1, 0.1, 0.5]]


def play(algorithm, P, horizon, seed=0, **parameters):
    own, duels = np.random.default_rng(seed), np.random.default_rng([seed, 1])
    return pairs_played(algorithm, np.array(P), horizon, own, duels, **parameters)


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


@pytest.mark.thorough
def test_ws_w_has_constant_weak_regret_and_linear_strong_regret():
    traces = [
        duelbench.simulate(WS_W, CONDORCET, horizon=20_000, run=run, regret=("weak", "strong"), checkpoints=[10_000])
        for run in range(30)
    ]
    weak, strong = np.mean([trace.regret for trace in traces], axis=0)
    assert weak[1] < 1.05 * weak[0]
    assert strong[1] > 1.9 * strong[0]
