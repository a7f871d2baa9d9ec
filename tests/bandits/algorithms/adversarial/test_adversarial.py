"""Sparring's adversarial machines, REX3, D-EXP3 and BCB: updates by hand, late outcomes, laws."""

import math

import numpy as np
import pytest
from scipy import stats

from duelbench.bandits.algorithms.adversarial.bcb import BCB
from duelbench.bandits.algorithms.adversarial.d_exp3 import D_EXP3
from duelbench.bandits.algorithms.adversarial.machines import (
    choose_both,
    exp3_rate,
    exp3s_rate,
    new_players,
    observe_both,
)
from duelbench.bandits.algorithms.adversarial.rex3 import REX3, fixed_rate
from duelbench.bandits.algorithms.adversarial.weights import add
from duelbench.bandits.algorithms.contract import NEVER, SEVERAL
from duelbench.bandits.algorithms.reductions import SPARRING
from duelbench.bandits.problem.preferences import PreferenceMatrix
from duelbench.bandits.problem.worlds.world import World, equal
from tests.bandits.algorithms.comparing import assert_standing_decisions_change_no_law

MSLR = PreferenceMatrix.load("mslr5-condorcet")
CYCLIC = PreferenceMatrix.load("cyclic")
PAIR = PreferenceMatrix([[0.5, 0.9], [0.1, 0.5]])
UNEVEN = (0.4, 0.25, 0.15, 0.12, 0.08)


def start(algorithm, n_arms, horizon=1000, standing=False, **parameters):
    return algorithm.start(n_arms, horizon, np.random.default_rng(0), standing, **algorithm.resolve(parameters))


class TestMachines:
    def test_exp3s_bears_a_thousand_late_outcomes_of_a_pair(self):
        players = new_players("exp3s", 2, 100, gamma=1.0)
        pairs = [choose_both(players, t, np.random.default_rng(t)) for t in range(1, 4001)]
        for pair in set(pairs):
            observe_both(players, *pair, pairs.count(pair), 0)
        choose_both(players, 4001, np.random.default_rng(0))
        assert players.weights.relative.sum(axis=1) == pytest.approx([1, 1])

    def test_rates_of_short_games_are_limited(self):
        assert exp3_rate(5, 1) == exp3s_rate(5, 1, 4) == 1
        assert fixed_rate(5, 1, 0.5) == 0.5

    @pytest.mark.parametrize("machine", ["exp3", "exp3ix"])
    def test_late_outcomes_of_duels_at_equal_probabilities_count_as_at_once(self, machine):
        late, at_once = (new_players(machine, 2, 100) for _ in range(2))
        rng = np.random.default_rng(1)
        pairs = [choose_both(late, t, rng) for t in range(1, 31)]
        assert late.weights.logarithms.tolist() == [[0, 0], [0, 0]]
        worth = 1 / (0.5 + at_once.implicit) * at_once.rate
        for pair in sorted(set(pairs)):
            wins, losses = pairs.count(pair) - pairs.count(pair) // 3, pairs.count(pair) // 3
            observe_both(late, *pair, wins, losses)
            for won, times in ((1, wins), (0, losses)):
                for _ in range(times):
                    at_once.steps[:, pair[0], pair[1]] = worth
                    observe_both(at_once, *pair, won, 1 - won)
        assert late.weights.logarithms == pytest.approx(at_once.weights.logarithms, rel=1e-12)


class TestREX3:
    def test_arms_that_differ_have_the_law_of_two_draws_that_differ(self):
        p = np.array(UNEVEN)
        state = with_probabilities(REX3, p, gamma=1e-9, standing=True)
        rng = np.random.default_rng(11)
        N = 2000
        counts, alike = np.zeros((5, 5)), []
        for _ in range(N):
            state.differ_at[0] = 0
            a, b, rounds = REX3.select(state, 1, rng)
            if a == SEVERAL:
                alike.append(rounds)
                a, b, _ = REX3.select(state, 1 + rounds, rng)
            else:
                alike.append(0)
            counts[a, b] += 1
        s = (p**2).sum()
        law = np.outer(p, p) / (1 - s)
        np.fill_diagonal(law, 0)
        off = ~np.eye(5, dtype=bool)
        assert counts.diagonal().sum() == 0
        assert stats.chisquare(counts[off], N * law[off]).pvalue > 1e-3
        longest = 8
        lengths = np.bincount(np.minimum(alike, longest), minlength=longest + 1)
        geometric = [(1 - s) * s**n for n in range(longest)] + [s**longest]
        assert stats.chisquare(lengths, N * np.array(geometric)).pvalue > 1e-3
        shares = [REX3.self_duel_probability(state, a) for a in range(5)]
        assert shares == pytest.approx(p**2 / s, rel=1e-6)

    def test_news_lets_the_length_of_a_decision_be_drawn_again(self):
        state = with_probabilities(REX3, np.array([0.98, 0.02]), gamma=1e-9, standing=True)
        rng = np.random.default_rng(2)
        first, _, rounds = REX3.select(state, 1, rng)
        assert first == SEVERAL and rounds > 0
        state.steps[:] = 1e-3
        REX3.update(state, 0, 1, 1, 0)
        drawn = {REX3.select(state, 1 + rounds, np.random.default_rng(seed))[0] for seed in range(20)}
        assert SEVERAL in drawn

    def test_two_arms_that_never_differ_stand_until_the_end(self):
        state = with_probabilities(REX3, np.array([1.0, 1e-30]), gamma=1e-40, standing=True)
        assert REX3.select(state, 1, np.random.default_rng(0)) == (SEVERAL, SEVERAL, NEVER)

    @pytest.mark.thorough
    @pytest.mark.parametrize("options", [{}, {"feedback_batch": 5, "cut_at_checkpoints": True}], ids=str)
    def test_standing_decisions_change_no_law_where_segments_are_two_rounds_long(self, options):
        """By a regret that tells a duel of two arms from duels of each with itself."""
        looks = {"horizon": 40, "checkpoints": [10, 20, 40], "regret": "weak-binary"}
        same = World((PAIR,) * 20, equal(20))
        assert_standing_decisions_change_no_law(REX3, same, 500, gamma=0.2, **looks, **options)

    def test_a_run_of_self_duels_that_is_cut_goes_on_as_planned(self):
        state = start(REX3, 2, gamma=1e-9, standing=True)
        rng = np.random.default_rng(2)
        first, _, rounds = REX3.select(state, 1, rng)
        while rounds < 3:
            state.differ_at[0] = 0
            first, _, rounds = REX3.select(state, 1, rng)
        assert first == SEVERAL
        assert REX3.select(state, 3, rng) == (SEVERAL, SEVERAL, rounds - 2)
        a, b, alone = REX3.select(state, 1 + rounds, rng)
        assert a != b and alone == 1


def with_probabilities(algorithm, p, **parameters):
    """A state in which p is (but for gamma) what is drawn from."""
    standing = parameters.pop("standing", False)
    state = start(algorithm, len(p), standing=standing, **parameters)
    for arm, probability in enumerate(p):
        add(state.weights, 0, arm, math.log(probability))
    return state


class TestDExp3:
    def test_late_outcomes_are_shared_out_evenly(self):
        state = start(D_EXP3, 2)
        rng = np.random.default_rng(1)
        pairs = [D_EXP3.select(state, t, rng)[:2] for t in range(1, 41)]
        for pair in set(pairs):
            D_EXP3.update(state, *pair, 1, pairs.count(pair) - 1)
        wins = [sum(x == arm for x, _ in set(pairs)) for arm in (0, 1)]
        assert state.weights.logarithms[0] / state.eta == pytest.approx(2 * np.array(wins))


class TestBCB:
    @pytest.mark.parametrize(("n_arms", "settles"), [(246, False), (247, True)])
    def test_of_many_arms_it_settles_for_the_one_that_wins_the_first_round(self, n_arms, settles):
        """Where K > 16 ln(2 K T / delta): 246 < 246.54 and 247 > 246.61 at T = 1000, delta = 0.1."""
        state = start(BCB, n_arms)
        rng = np.random.default_rng(0)
        BCB.update(state, 7, 9, 1, 0)
        assert (BCB.select(state, 2, rng) == (7, 7, NEVER)) == settles


def test_rules_need_the_horizon_where_a_rate_is_derived_from_it():
    for parameters, expected in (({"anytime": True}, True), ({"gamma": 0.1}, True), ({}, False)):
        assert REX3.is_anytime(REX3.resolve(parameters)) == expected
    for parameters, expected in (
        ({}, True),
        ({"machine": "ts"}, True),
        ({"machine": "exp3"}, False),
        ({"machine": "exp3", "gamma": 0.1}, True),
        ({"machine": "exp3ix", "gamma": 0.1}, False),
        ({"machine": "exp3ix", "eta": 0.1}, True),
        ({"machine": "exp3s", "gamma": 0.1}, False),
    ):
        assert SPARRING.is_anytime(SPARRING.resolve(parameters)) == expected
