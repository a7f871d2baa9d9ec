"""Sup-KLUCB: its indices to the last digits, the choice among them, self-duels that stand, and what locks it."""

import math
from fractions import Fraction

import numpy as np
import pytest

import duelbench
from duelbench.algorithms.contract import NEVER
from duelbench.algorithms.sup_klucb import SUP_KLUCB, exploration_budget
from duelbench.kernels.divergence import kl_ucb
from tests.conformance.literal import play
from tests.conformance.literal import sup_klucb as literal
from tests.conformance.players import OneDrawIntegers, pairs_played

CYCLIC = np.array([[0.5, 0.6, 0.6, 0.6], [0.4, 0.5, 0.9, 0.1], [0.4, 0.1, 0.5, 0.9], [0.4, 0.9, 0.1, 0.5]])
LOSES_A_DUEL = np.array(  # arm 0 beats three arms and no other arm beats more than two
    [
        [0.5, 0.8, 0.8, 0.8, 0.3],
        [0.2, 0.5, 0.7, 0.2, 0.8],
        [0.2, 0.3, 0.5, 0.8, 0.8],
        [0.2, 0.8, 0.2, 0.5, 0.2],
        [0.7, 0.2, 0.2, 0.8, 0.5],
    ]
)
UNUSED = np.random.default_rng(0)
ORDER = np.triu(np.ones((4, 4)), 1) + 0.5 * np.eye(4)


def fresh(n_arms, seed=0, **parameters):
    return SUP_KLUCB.start(n_arms, 1, np.random.default_rng(seed), True, **SUP_KLUCB.resolve(parameters))


def random_matrix(n_arms, seed):
    upper = np.triu(np.random.default_rng(seed).random((n_arms, n_arms)), 1)
    return upper + np.tril(1 - upper.T, -1) + 0.5 * np.eye(n_arms)


def after_first_draws(n_arms, wins, **parameters):
    """A state that has played every pair once and has then been told ``wins[i, j]`` victories of i over j."""
    state = fresh(n_arms, **parameters)
    for t in range(1, n_arms * (n_arms + 1) // 2 + 1):
        SUP_KLUCB.select(state, t, UNUSED)
    for (i, j), count in wins.items():
        SUP_KLUCB.update(state, i, j, count, 0)
    return state


def decide(state, t, seed=0):
    return tuple(int(x) for x in SUP_KLUCB.select(state, t, np.random.default_rng(seed)))


class TestIndex:
    def test_tells_indices_apart_that_round_to_one(self):
        half = -math.log(2)
        assert 40 < kl_ucb(0.5, half, 40 / 2) < kl_ucb(0.5, half, 40.001 / 2)
        assert -math.expm1(-kl_ucb(0.5, half, 20.0)) == 1.0

    def test_budget_grows_as_printed(self):
        assert exploration_budget(3, 0.5, 2.0) == 0.5 * math.log(3) + 2.0 * math.log(math.log(3) + 1)


class TestChoice:
    def test_first_plays_every_pair_once_self_pairs_included(self):
        state = fresh(4)
        pairs = [decide(state, t) for t in range(1, 11)]
        assert sorted(pairs) == [(i, j, 1) for i in range(4) for j in range(i, 4)]
        assert pairs != sorted(pairs)

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
            first, second, _ = decide(state, t)
            budget = exploration_budget(t - state.plays.size, state.c1, state.c2)
            index = [kl_ucb(*at, budget / n) for *at, n in zip(state.mean, state.negentropy, state.plays, strict=True)]
            assert first <= second
            assert index[state.pair_of[first, second]] == pytest.approx(max(index), rel=1e-13)

    def test_ties_are_broken_uniformly(self):
        # Nobody has beaten anybody: all means are 0, and the ten pairs have been played equally often.
        counts = np.zeros((4, 4))
        for seed in range(2000):
            state = fresh(4)
            for t in range(1, 11):
                SUP_KLUCB.select(state, t, UNUSED)
            for i, j in zip(*np.triu_indices(4, 1), strict=True):
                SUP_KLUCB.update(state, i, j, 1, 1)
            state.plays[:] = 2
            i, j, rounds = decide(state, 12, seed)
            counts[i, j] += 1
            assert rounds == 1
        assert np.all(abs(counts[np.triu_indices(4)] / 2000 - 0.1) < 5 * math.sqrt(0.09 / 2000))

    def test_without_a_budget_the_largest_mean_wins_however_often_it_was_played(self):
        # Round 7 is the first after the initial six: ln 1 = 0. Arm 0 has score 1, so that (0, 0) has mean 1.
        state = after_first_draws(3, {(0, 1): 5, (0, 2): 50, (1, 2): 7})
        assert decide(state, 7) == (0, 0, NEVER - 7)

    def test_scores_are_those_of_the_paper(self):
        wins = {(0, 1): 3, (1, 0): 1, (1, 2): 1, (2, 0): 1}
        copeland = after_first_draws(3, wins)
        assert (copeland.score / 2).tolist() == [0.5, 0.5, 0.5]
        borda = after_first_draws(3, wins, score="borda")
        assert borda.score / 3 == pytest.approx(np.array([1 / 2 + 3 / 4, 1 / 4 + 1 / 2 + 1, 1 + 1 / 2]) / 3)
        assert SUP_KLUCB.recommend(borda) == 1
        k = borda.pair_of[2, 1]
        assert borda.mean[k] == pytest.approx(7 / 12 * 1 / 2, abs=1e-12)

    def test_equal_borda_scores_have_equal_means_whatever_the_order_of_addition(self):
        state = fresh(5, score="borda")
        SUP_KLUCB.update(state, 0, 1, 1, 1)
        for j, a, b in [(2, (1, 3), (1, 7)), (3, (1, 7), (2, 7)), (4, (2, 7), (1, 3))]:  # (wins, duels) of arms 0 and 1
            SUP_KLUCB.update(state, 0, j, a[0], a[1] - a[0])
            SUP_KLUCB.update(state, 1, j, b[0], b[1] - b[0])
        assert state.score[0] != state.score[1]
        assert state.mean[state.pair_of[0, 0]] == state.mean[state.pair_of[0, 1]] == state.mean[state.pair_of[1, 1]]


class TestSelfDuels:
    def test_are_counted_although_nobody_reports_them(self):
        state = fresh(3)
        for t in range(1, 7):
            SUP_KLUCB.select(state, t, UNUSED)
        SUP_KLUCB.update(state, 0, 1, 1, 0)
        SUP_KLUCB.update(state, 1, 2, 1, 0)
        SUP_KLUCB.update(state, 0, 2, 1, 0)
        assert decide(state, 7)[:2] == (0, 0)
        SUP_KLUCB.select(state, 1007, UNUSED)
        assert state.plays[state.pair_of[0, 0]] == 1001
        assert state.plays[state.pair_of[1, 1]] == state.plays[state.pair_of[2, 2]] == 1

    def test_stand_until_another_index_is_larger_and_no_longer(self):
        state = after_first_draws(5, {(0, 1): 300, (0, 2): 300, (0, 3): 300, (4, 0): 300})
        for i, j in [(1, 2), (2, 3), (3, 1), (1, 4), (2, 4), (4, 3)]:
            SUP_KLUCB.update(state, i, j, 300, 0)
        t = 3000
        state.plays[:] = 100
        state.plays[state.pair_of[0, 0]] = 150
        before = {name: getattr(state, name).copy() for name in ("plays", "memo")}
        first, second, rounds = decide(state, t)
        assert (first, second) == (0, 0)
        assert 10 < rounds < 10_000
        for skipped in (rounds - 1, rounds):
            for name, values in before.items():
                getattr(state, name)[:] = values
            decide(state, t)
            again = decide(state, t + skipped)
            assert (again[:2] == (0, 0)) == (skipped < rounds)

    def test_of_an_arm_that_seems_to_beat_all_others_last_without_end(self):
        state = after_first_draws(4, {(3, 0): 1, (3, 1): 1, (3, 2): 1, (0, 1): 1, (0, 2): 1, (1, 2): 1})
        assert decide(state, 11) == (3, 3, NEVER - 11)

    def test_give_way_to_the_floor(self):
        # Every pair has one duel: fewer than 2 sqrt(ln t) as soon as ln t > 1/4, that is from round 2 on; all pairs of
        # two arms but the last one have ten, enough until ln t = 25, t = 7.2e10.
        state = after_first_draws(3, {(2, 0): 10, (2, 1): 10, (0, 1): 3}, explore_floor=2.0)
        # Three duels are fewer than 2 sqrt(ln t) when ln t > 9 / 4, which is from round 10 on.
        assert decide(state, 7) == (2, 2, 3)
        assert decide(state, 10) == (0, 1, 1)
        SUP_KLUCB.update(state, 0, 1, 7, 0)
        first, second, rounds = decide(state, 11)
        assert (first, second) == (2, 2)
        assert rounds + 11 == math.ceil(math.exp(25))


def play_ours(P, horizon, seed, **parameters):
    rngs = np.random.default_rng(seed), np.random.default_rng([seed, 1])
    return pairs_played(SUP_KLUCB, P, horizon, *rngs, **parameters)


def play_theirs(make, P, horizon, seed, **parameters):
    oracle = make(len(P), horizon, OneDrawIntegers(np.random.default_rng(seed)), **parameters)
    return play(oracle, P, horizon, np.random.default_rng([seed, 1]))


@pytest.mark.parametrize("parameters", [{"explore_floor": 1.5}, {"c1": 0.5, "c2": 0.1}, {"c1": 0.0, "c2": 0.0}])
@pytest.mark.parametrize("P", [CYCLIC, LOSES_A_DUEL], ids=["cyclic", "loses a duel"])
def test_equals_the_literal_transcription_with_parameters(P, parameters):
    for seed in range(3):
        assert play_ours(P, 500, seed, **parameters) == play_theirs(literal.SupKLUCB, P, 500, seed, **parameters)


class ExactBorda(literal.SupKLUCB):
    """The transcription with fractions for scores, so that equal ones are equal."""

    def scores(self):
        wins = self.W.tolist()
        return [sum(self.chance(wins[i][j], wins[j][i]) for j in range(self.K)) / self.K for i in range(self.K)]

    def chance(self, won, lost):
        return Fraction(won, won + lost) if won + lost else Fraction(1, 2)


def test_borda_equals_the_literal_transcription_in_exact_arithmetic(monkeypatch):
    depth = literal.kl_upper_depth
    monkeypatch.setattr(literal, "kl_upper_depth", lambda mean, level: depth(float(mean), level))
    for seed in range(4):
        ours = play_ours(CYCLIC, 300, seed, score="borda")
        assert ours == play_theirs(ExactBorda, CYCLIC, 300, seed, score="borda")


@pytest.mark.parametrize(
    "parameters", [{}, {"score": "borda"}, {"explore_floor": 1.0}, {"c1": 1.0, "c2": 0.0}], ids=str
)
@pytest.mark.parametrize("delay", [1, 7])
def test_standing_decisions_change_nothing(parameters, delay):
    for run, matrix in enumerate([LOSES_A_DUEL, CYCLIC, ORDER, [[0.5, 0.6], [0.4, 0.5]], random_matrix(8, 1)]):
        options = {"horizon": 10_000, "run": run, "shuffle_arms": True, "feedback_delay": delay, **parameters}
        on = duelbench.simulate(SUP_KLUCB, matrix, **options)
        off = duelbench.simulate(SUP_KLUCB, matrix, standing_decisions=False, **options)
        assert on.regret.tobytes() == off.regret.tobytes()
        assert np.array_equal(on.duels, off.duels)
        assert np.array_equal(on.recommended, off.recommended)


def test_plays_thirty_six_arms_and_settles_without_a_condorcet_winner():
    trace = duelbench.simulate(SUP_KLUCB, random_matrix(36, 1), horizon=10**6, checkpoints=[10**5])
    assert trace.decisions < 50_000
    assert trace.duels.trace() > 0.95 * 10**6


def test_a_billion_rounds_with_a_winner_that_loses_a_duel():
    trace = duelbench.simulate(SUP_KLUCB, LOSES_A_DUEL, horizon=10**9, run=2)
    assert trace.decisions < 100_000
    assert trace.duels[0, 0] > 0.999 * 10**9


def regrets(matrix, horizon, runs, **options):
    return np.array(
        [
            duelbench.simulate(
                SUP_KLUCB, matrix, horizon=horizon, run=run, checkpoints=[horizon // 2], **options
            ).regret[0]
            for run in range(runs)
        ]
    )


def test_regret_is_logarithmic_where_no_score_can_be_one():
    runs = regrets(LOSES_A_DUEL, 400_000, 20, score="borda", regret="borda")
    assert 1.0 < runs[:, 1].mean() / runs[:, 0].mean() < 1.15


def test_as_published_a_share_of_the_runs_locks_on_a_wrong_arm():
    runs = regrets(CYCLIC, 40_000, 200)
    locked = runs[:, 1] > 1.99 * runs[:, 0]
    assert 0.1 < locked.mean() < 0.9
    assert runs[:, 1].mean() / runs[:, 0].mean() > 1.9
    assert np.all(runs[~locked, 1] < 1.2 * runs[~locked, 0])
