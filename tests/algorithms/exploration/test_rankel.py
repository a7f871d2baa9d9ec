"""RankEl: rankings and lists derived by hand, certain outcomes, published sample counts, growth of regret."""

import math

import numpy as np
import pytest
from scipy import stats

import duelbench
from duelbench.algorithms.contract import NEVER
from duelbench.algorithms.exploration.rankel import RANKEL_COPELAND
from tests.conformance.literal import play
from tests.conformance.literal.rankel import RankElCopeland
from tests.conformance.players import OneDrawIntegers, pairs_played
from tests.optional_data import ROOT


def matrix(name):
    return duelbench.PreferenceMatrix.load(ROOT / "matrices" / f"{name}.csv")


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

    def test_wins_over_others_come_before_the_mean_and_the_mean_before_chance(self):
        state, rng = begin(4)
        for i, j, wins, losses in ((0, 1, 6, 4), (0, 2, 6, 4), (0, 3, 1, 9), (1, 2, 7, 3), (1, 3, 8, 2), (2, 3, 5, 5)):
            RANKEL_COPELAND.update(state, i, j, wins, losses)
        # Wins over others 2, 2, 0, 1; means of 0 and 1: (6 + 6 + 1) / 30 and (4 + 7 + 8) / 30.
        decision(state, rng)
        assert state.score.tolist() == [2, 2, 0, 1]
        assert state.ranking.tolist() == [1, 0, 3, 2]
        assert RANKEL_COPELAND.recommend(state) == 1

    def test_equal_arms_are_ranked_at_random(self):
        first = np.zeros((3, 3))
        for seed in range(300):
            state, rng = begin(3, seed)
            decision(state, rng)
            for place, arm in enumerate(state.ranking):
                first[place, arm] += 1
        assert np.all(first.sum(axis=0) == 300)
        assert all(stats.chisquare(row).pvalue > 1e-4 for row in first)

    def test_bounds_on_the_scores_are_those_of_the_definition(self):
        rng = np.random.default_rng(3)
        for eps in (0.0, 0.1):
            state, _ = begin(5, eps=eps)
            wins = np.zeros((5, 5), np.int64)
            for _ in range(400):
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


class TestTheEnd:
    @pytest.mark.parametrize("horizon", [10**4, 10**9])
    def test_two_arms_of_which_one_always_wins_duel_until_the_interval_is_above_one_half(self, horizon):
        n = next(n for n in range(1, 10**4) if radius(n, 2, horizon) <= 0.5)
        trace = simulate([[0.5, 1.0], [0.0, 0.5]], horizon=horizon, shuffle_arms=True)
        assert trace.duels[0, 0] == horizon - n

    def test_evenly_matched_arms_are_settled_when_the_radius_is_eps(self):
        n = next(n for n in range(1, 10**4) if radius(n, 2, 10**5) <= 0.1)
        half = np.full((2, 2), 0.5)
        for run in range(20):
            trace = simulate(half, horizon=10**5, run=run, eps=0.1)
            assert 0 < 10**5 - np.trace(trace.duels) <= n
        assert np.trace(simulate(half, horizon=10**4).duels) == 0

    def test_when_every_pair_may_be_misplaced_it_ends_at_once(self):
        # |bad| = 3 at first, and 3 < rho = 4.
        arms = []
        for run in range(300):
            trace = simulate(np.full((3, 3), 0.5), horizon=100, run=run, rho=4)
            assert np.trace(trace.duels) == 100
            arms.append(trace.recommended[-1])
        assert stats.chisquare(np.bincount(arms, minlength=3)).pvalue > 1e-4

    def test_explores_as_long_as_a_straightforward_program(self):
        # Mean and standard error of 20 runs of another program, T = 10^6, delta = 1 / T, eps = 0, rho = 1.
        published = {"multisol": (4236, 111), "cyclic": (7677, 215), "strong-borda": (40937, 927)}
        for name, (mean, error) in published.items():
            lengths = []
            for run in range(80):
                trace = simulate(matrix(name), horizon=10**6, seed=21, run=run, shuffle_arms=True, checkpoints=1)
                lengths.append(10**6 - int(np.trace(trace.duels)))
                assert trace.recommended[-1] in ((0, 1, 2) if name == "multisol" else (0,))
            ours = np.std(lengths, ddof=1) / math.sqrt(len(lengths))
            assert abs(np.mean(lengths) - mean) < 4 * math.hypot(ours, error)


@pytest.mark.parametrize("parameters", [{}, {"eps": 0.05}, {"eps": 0.2, "rho": 2}, {"rho": 3}], ids=str)
def test_plays_like_the_literal_transcription(parameters):
    # Among random arms, some of them evenly matched, many have equally many wins over others.
    random = np.random.default_rng(17)
    for seed in range(10):
        n_arms = int(random.integers(2, 7))
        P = np.triu(random.choice([0.1, 0.3, 0.5, 0.7, 0.9], (n_arms, n_arms)), 1)
        P = P + np.tril(1 - P.T, -1)
        P[np.diag_indices(n_arms)] = 0.5
        oracle = RankElCopeland(n_arms, 500, OneDrawIntegers(np.random.default_rng(seed)), delta=0.99, **parameters)
        expected = play(oracle, P, 500, np.random.default_rng([seed, 1]))
        rngs = np.random.default_rng(seed), np.random.default_rng([seed, 1])
        assert pairs_played(RANKEL_COPELAND, P, 500, *rngs, delta=0.99, **parameters) == expected


def test_regret_grows_like_the_logarithm_of_the_horizon():
    def regret(horizon):
        runs = (simulate(matrix("cyclic"), horizon=horizon, run=run, shuffle_arms=True) for run in range(150))
        return np.mean([trace.regret[0, -1] for trace in runs])

    # The radius has ln(T n^4) under the root, n being about 1000: + ln 2 / ln(5/4 K^2 T n^4) = 1.02 per doubling.
    assert 0.95 < regret(2 * 10**5) / regret(10**5) < 1.15
