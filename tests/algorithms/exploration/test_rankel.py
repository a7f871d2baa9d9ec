"""RankEl: rankings and lists derived by hand, and facts about certain outcomes."""

import math
from functools import partial

import numpy as np
import pytest

import duelbench
from duelbench.algorithms.contract import NEVER
from duelbench.algorithms.exploration.rankel import RANKEL_COPELAND
from tests.algorithms.comparing import assert_same_duels
from tests.conformance.literal.by_hand import make
from tests.conformance.literal.matrices import CYCLIC, NO_CONDORCET_WINNER
from tests.conformance.literal.rankel import RankElCopeland


def simulate(P, **options):
    return duelbench.simulate(RANKEL_COPELAND, P, **options)


def begin(n_arms, seed=0, horizon=1000, **parameters):
    rng = np.random.default_rng(seed)
    return RANKEL_COPELAND.start(n_arms, horizon, rng, True, **RANKEL_COPELAND.resolve(parameters)), rng


def decision(state, rng):
    return tuple(int(x) for x in RANKEL_COPELAND.select(state, 1, rng))


def radius(n, n_arms, horizon):
    return math.sqrt(math.log(5 * n_arms**2 * n**4 * horizon / 4) / (2 * n))


class TestTheOrder:
    def test_a_sweep_samples_the_unsettled_pairs_of_arms_that_may_be_misplaced(self):
        # Arm 0 beats both others for sure and is in its place whatever 1 and 2 do, who may be in the wrong order.
        state, rng = begin(3)
        RANKEL_COPELAND.update(state, 0, 1, 10**5, 0)
        RANKEL_COPELAND.update(state, 0, 2, 10**5, 0)
        assert state.low_ds.tolist() == [2, 0, 0] and state.up_d.tolist() == [2, 1, 1]
        assert [decision(state, rng) for _ in range(3)] == [(1, 2, 1)] * 3
        RANKEL_COPELAND.update(state, 1, 2, 0, 10**5)
        assert decision(state, rng) == (0, 0, NEVER)
        assert state.ranking.tolist() == [0, 2, 1]

    def test_every_unsettled_pair_of_a_misplaced_arm_is_sampled(self):
        # All that is known is that 0 beats 3, so that any two arms but 3 above 0 may be misplaced.
        state, rng = begin(4)
        RANKEL_COPELAND.update(state, 0, 3, 10**5, 0)
        assert [decision(state, rng)[:2] for _ in range(6)] == [(0, 1), (0, 2), (1, 2), (1, 3), (2, 3), (0, 1)]

    @pytest.mark.parametrize(("first", "sweep"), [(0, [(3, 4)]), (2, [(0, 2), (3, 4)])])
    def test_an_unsettled_pair_of_arms_in_their_places_is_not_sampled(self, first, sweep):
        """Arms 0, 1, 2 have three wins each, over 3, 4 and one another in a circle, of which (0, 2) is not sure.

        So 0 has at least three wins, and 1 and 2 have no more: with 0 first, only (3, 4) may be misplaced. Arm 2
        has no more than two sure wins.
        """
        wins = {(i, j): 999 for i in range(3) for j in (3, 4)} | {(0, 1): 999, (1, 2): 999, (2, 0): 1}
        draws = [("integers", 3, first), ("integers", 2, 0), ("integers", 2, 0)]
        oracle = make(RankElCopeland, 5, *draws, wins=wins)
        assert [oracle.choose(1) for _ in sweep] == sweep
        assert oracle.rng.answers == []

    def test_wins_over_others_come_before_the_mean_and_the_mean_before_chance(self):
        state, rng = begin(4)
        for i, j, wins, losses in ((0, 1, 6, 4), (0, 2, 6, 4), (0, 3, 1, 9), (1, 2, 7, 3), (1, 3, 8, 2), (2, 3, 5, 5)):
            RANKEL_COPELAND.update(state, i, j, wins, losses)
        # Wins over others 2, 2, 0, 1; means of 0 and 1: (6 + 6 + 1) / 30 and (4 + 7 + 8) / 30.
        decision(state, rng)
        assert state.score.tolist() == [2, 2, 0, 1]
        assert state.ranking.tolist() == [1, 0, 3, 2]
        assert RANKEL_COPELAND.recommend(state) == 1

    def test_bounds_on_the_scores_are_those_of_the_definition(self):
        rng = np.random.default_rng(3)
        for eps in (0.0, 0.1):
            state, _ = begin(5, eps=eps)
            wins = np.zeros((5, 5), np.int64)
            for _ in range(120):
                i, j = sorted(rng.choice(5, 2, replace=False))
                won, lost = rng.binomial([9, 9], [0.7, 0.2]) + 1
                RANKEL_COPELAND.update(state, i, j, won, lost)
                wins[i, j] += won
                wins[j, i] += lost
                n = wins + wins.T
                low_ds, up_d, score = np.zeros((3, 5), np.int64)
                for a in range(5):
                    for b in range(5):
                        if a != b:
                            y = wins[a, b] / n[a, b] if n[a, b] else 0.5
                            c = radius(n[a, b], 5, 1000) if n[a, b] else math.inf
                            score[a] += y > 0.5
                            low_ds[a] += y - c >= 0.5 - eps
                            up_d[a] += y + c > 0.5 + eps
                assert state.low_ds.tolist() == low_ds.tolist()
                assert state.up_d.tolist() == up_d.tolist()
                assert state.score.tolist() == score.tolist()


@pytest.mark.parametrize("horizon", [10**4, 10**9])
def test_two_arms_of_which_one_always_wins_duel_until_the_interval_is_above_one_half(horizon):
    n = next(n for n in range(1, 10**4) if radius(n, 2, horizon) <= 0.5)
    trace = simulate([[0.5, 1.0], [0.0, 0.5]], horizon=horizon, shuffle_arms=True)
    assert trace.duels[0, 0] == horizon - n


@pytest.mark.parametrize("parameters", [{"eps": 0.05}, {"eps": 0.2, "rho": 2}, {"rho": 4}], ids=str)
@pytest.mark.parametrize("P", [NO_CONDORCET_WINNER, CYCLIC, np.full((3, 3), 0.5)])
def test_other_settings_play_like_the_literal_transcription(P, parameters):
    parameters = {"delta": 0.99, **parameters}
    assert_same_duels(RANKEL_COPELAND, partial(RankElCopeland, **parameters), P, 3, 500, **parameters)
