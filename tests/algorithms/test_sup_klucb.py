"""Sup-KLUCB: its indices to the last digits, the choice among them, self-duels that stand, and what locks it."""

import math
from fractions import Fraction
from functools import partial

import numpy as np
import pytest

from duelbench.algorithms.sup_klucb import SUP_KLUCB, exploration_budget
from duelbench.kernels.divergence import kl_ucb
from tests.algorithms.comparing import assert_same_duels, decide, growth, regrets
from tests.algorithms.odd_matrices import MATRICES
from tests.conformance.literal import sup_klucb as literal

CYCLIC = np.array(MATRICES["cyclic"])
LOSES_A_DUEL = np.array(MATRICES["one winner that loses a duel"])
UNUSED = np.random.default_rng(0)


def fresh(n_arms, seed=0, **parameters):
    return SUP_KLUCB.start(n_arms, 1, np.random.default_rng(seed), True, **SUP_KLUCB.resolve(parameters))


def after_first_draws(n_arms, wins, **parameters):
    """A state that has played every pair once and has then been told ``wins[i, j]`` victories of i over j."""
    state = fresh(n_arms, **parameters)
    for t in range(1, n_arms * (n_arms + 1) // 2 + 1):
        SUP_KLUCB.select(state, t, UNUSED)
    for (i, j), count in wins.items():
        SUP_KLUCB.update(state, i, j, count, 0)
    return state


class TestChoice:
    @pytest.mark.parametrize("score", ["copeland", "borda"])
    def test_plays_a_pair_of_largest_index_whatever_it_played_before(self, score):
        for seed in range(40):
            rng = np.random.default_rng(seed)
            n_arms = int(rng.integers(2, 12))
            state = fresh(n_arms, seed, score=score)
            wins = rng.integers(0, 1 + 10 ** rng.integers(1, 5), (n_arms, n_arms))
            for i in range(n_arms):
                for j in range(i + 1, n_arms):
                    SUP_KLUCB.update(state, i, j, 1 + wins[i, j], wins[j, i])
            for i in range(n_arms):
                state.plays[state.pair_of[i, i]] = 1 + wins[i, i]
            state.memo[:] = state.pair_of[0, 1], 1
            t = state.plays.size + int(rng.integers(1, 10**6))
            first, second, _ = decide(SUP_KLUCB, state, t)
            budget = exploration_budget(t - state.plays.size, state.c1, state.c2)
            index = [kl_ucb(*at, budget / n) for *at, n in zip(state.mean, state.negentropy, state.plays, strict=True)]
            assert first <= second
            assert index[state.pair_of[first, second]] == pytest.approx(max(index), rel=1e-13)

    def test_equal_borda_scores_have_equal_means_whatever_the_order_of_addition(self):
        state = fresh(5, score="borda")
        SUP_KLUCB.update(state, 0, 1, 1, 1)
        for j, a, b in [(2, (1, 3), (1, 7)), (3, (1, 7), (2, 7)), (4, (2, 7), (1, 3))]:  # (wins, duels) of arms 0 and 1
            SUP_KLUCB.update(state, 0, j, a[0], a[1] - a[0])
            SUP_KLUCB.update(state, 1, j, b[0], b[1] - b[0])
        assert state.score[0] != state.score[1]
        assert state.mean[state.pair_of[0, 0]] == state.mean[state.pair_of[0, 1]] == state.mean[state.pair_of[1, 1]]


class TestSelfDuels:
    def test_stand_until_another_index_is_larger_and_no_longer(self):
        state = after_first_draws(5, {(0, 1): 300, (0, 2): 300, (0, 3): 300, (4, 0): 300})
        for i, j in [(1, 2), (2, 3), (3, 1), (1, 4), (2, 4), (4, 3)]:
            SUP_KLUCB.update(state, i, j, 300, 0)
        t = 3000
        state.plays[:] = 100
        state.plays[state.pair_of[0, 0]] = 150
        before = {name: getattr(state, name).copy() for name in ("plays", "memo")}
        first, second, rounds = decide(SUP_KLUCB, state, t)
        assert (first, second) == (0, 0)
        assert 10 < rounds < 10_000
        for skipped in (rounds - 1, rounds):
            for name, values in before.items():
                getattr(state, name)[:] = values
            decide(SUP_KLUCB, state, t)
            again = decide(SUP_KLUCB, state, t + skipped)
            assert (again[:2] == (0, 0)) == (skipped < rounds)

    def test_give_way_to_the_floor(self):
        # Every pair has one duel: fewer than 2 sqrt(ln t) as soon as ln t > 1/4, that is from round 2 on; all pairs of
        # two arms but the last one have ten, enough until ln t = 25, t = 7.2e10.
        state = after_first_draws(3, {(2, 0): 10, (2, 1): 10, (0, 1): 3}, explore_floor=2.0)
        # Three duels are fewer than 2 sqrt(ln t) when ln t > 9 / 4, which is from round 10 on.
        assert decide(SUP_KLUCB, state, 7) == (2, 2, 3)
        assert decide(SUP_KLUCB, state, 10) == (0, 1, 1)
        SUP_KLUCB.update(state, 0, 1, 7, 0)
        first, second, rounds = decide(SUP_KLUCB, state, 11)
        assert (first, second) == (2, 2)
        assert rounds + 11 == math.ceil(math.exp(25))


class ExactBorda(literal.SupKLUCB):
    """The transcription with fractions for scores, so that equal ones are equal."""

    def scores(self):
        wins = self.W.tolist()
        return [sum(self.chance(wins[i][j], wins[j][i]) for j in range(self.K)) / self.K for i in range(self.K)]

    def chance(self, won, lost):
        return Fraction(won, won + lost) if won + lost else Fraction(1, 2)


def test_borda_plays_the_same_duels_as_the_literal_transcription_in_exact_arithmetic(monkeypatch):
    depth = literal.kl_upper_depth
    monkeypatch.setattr(literal, "kl_upper_depth", lambda mean, level: depth(float(mean), level))
    assert_same_duels(SUP_KLUCB, partial(ExactBorda, score="borda"), CYCLIC, 2, 200, score="borda")


@pytest.mark.thorough
def test_regret_is_logarithmic_where_no_score_can_be_one():
    assert 1.0 < growth(SUP_KLUCB, LOSES_A_DUEL, 20, 200_000, score="borda", regret="borda") < 1.15


@pytest.mark.thorough
def test_as_published_a_share_of_the_runs_locks_on_a_wrong_arm():
    runs = regrets(SUP_KLUCB, CYCLIC, 200, 40_000, [20_000])
    locked = runs[:, 1] > 1.99 * runs[:, 0]
    assert 0.1 < locked.mean() < 0.9
    assert runs[:, 1].mean() / runs[:, 0].mean() > 1.9
    assert np.all(runs[~locked, 1] < 1.2 * runs[~locked, 0])
