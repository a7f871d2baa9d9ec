"""PBR: the sets C and D derived by hand, facts about certain outcomes, published sample counts, growth of regret."""

import math

import numpy as np
import pytest
from scipy import stats

import duelbench
from duelbench.algorithms.exploration.parameter_sets import add_duels, new_pairs
from duelbench.algorithms.exploration.pbr import PBR_COPELAND, is_discarded, is_selected
from tests.conformance.literal import play
from tests.conformance.literal.pbr import PBRCO
from tests.conformance.players import OneDrawIntegers, pairs_played
from tests.optional_data import ROOT

CERTAIN_ORDER = np.triu(np.ones((4, 4)), 1) + 0.5 * np.eye(4)


def matrix(name):
    return duelbench.PreferenceMatrix.load(ROOT / "matrices" / f"{name}.csv")


def simulate(P, **options):
    return duelbench.simulate(PBR_COPELAND, P, **options)


def selected_and_discarded(pairs, tight):
    arms = range(pairs.sure.size)
    return [i for i in arms if is_selected(pairs, i, tight)], [i for i in arms if is_discarded(pairs, i, tight)]


def sweeps_to_certainty(n_arms, horizon, n_max=None):
    """c(n) < 1/2 exactly when n > 2 ln(2 K^2 n_max / delta), with delta = 1 / T and n_max = T."""
    return math.floor(2 * math.log(2 * n_arms**2 * (n_max or horizon) * horizon)) + 1


class TestWhoIsSurelyBest:
    def test_in_a_certain_order(self):
        # w = 3, 2, 1, 0 and z = 0, 1, 2, 3. Printed: only arm 3 has two arms j with 4 - w_j < z. Tight: arm 0 has
        # three with 3 - z_j < w_0; arms 1, 2 and 3 have one with 3 - w_j < z.
        pairs = new_pairs(4, 1.0)
        for i in range(4):
            for j in range(i + 1, 4):
                add_duels(pairs, i, j, 1000, 0)
        assert selected_and_discarded(pairs, False) == ([], [3])
        assert selected_and_discarded(pairs, True) == ([0], [1, 2, 3])

    def test_before_the_first_duel_nobody_is(self):
        for tight in (False, True):
            assert selected_and_discarded(new_pairs(4, 1.0), tight) == ([], [])

    def test_the_printed_rule_never_selects_one_arm_and_the_tight_one_is_right(self):
        rng = np.random.default_rng(1)
        for _ in range(200):
            n_arms = int(rng.integers(2, 7))
            pairs = new_pairs(n_arms, 1.0)
            known = np.zeros((n_arms, n_arms), np.int64)  # 1: i beats j for sure
            for i in range(n_arms):
                for j in range(i + 1, n_arms):
                    result = int(rng.integers(0, 3))
                    if result < 2:
                        add_duels(pairs, i, j, 1000 * result, 1000 * (1 - result))
                        known[(i, j) if result == 1 else (j, i)] = 1
            least = known.sum(axis=1)
            most = n_arms - 1 - known.sum(axis=0)
            selected, discarded = selected_and_discarded(pairs, False)
            assert selected == []
            tight_selected, tight_discarded = selected_and_discarded(pairs, True)
            assert tight_selected == [i for i in range(n_arms) if all(np.delete(most, i) < least[i])]
            assert tight_discarded == [i for i in range(n_arms) if any(most[i] < least)]
            assert set(discarded) <= set(tight_discarded)


class TestTheRace:
    @pytest.mark.parametrize("rule", ["paper", "tight"])
    @pytest.mark.parametrize("horizon", [10**4, 10**9])
    def test_certain_outcomes_are_decided_in_one_sweep(self, horizon, rule):
        n = sweeps_to_certainty(4, horizon)
        trace = simulate(CERTAIN_ORDER, horizon=horizon, rule=rule)
        assert trace.duels.tolist() == [[horizon - 6 * n, n, n, n], [0, 0, n, n], [0, 0, 0, n], [0, 0, 0, 0]]

    def test_it_ends_when_a_pair_has_dueled_more_than_n_max_times(self):
        trace = simulate(np.full((3, 3), 0.5), horizon=10**4, n_max=10)
        assert np.trace(trace.duels) == 10**4 - 3 * 11
        assert sweeps_to_certainty(4, 10**6, 10**3) < sweeps_to_certainty(4, 10**6)
        few = simulate(CERTAIN_ORDER, horizon=10**6, n_max=10**3)
        assert few.duels[0, 1] == sweeps_to_certainty(4, 10**6, 10**3)

    def test_a_cycle_is_decided_at_random(self):
        cycle = np.array([[0.5, 1.0, 0.0], [0.0, 0.5, 1.0], [1.0, 0.0, 0.5]])
        arms = [simulate(cycle, horizon=1000, run=run).recommended[-1] for run in range(300)]
        assert stats.chisquare(np.bincount(arms, minlength=3)).pvalue > 1e-4

    @pytest.mark.parametrize(
        ("rule", "published"),
        [
            ("paper", {"multisol": (1777, 32), "cyclic": (4811, 219), "strong-borda": (26027, 581)}),
            ("tight", {"multisol": (1732, 32), "cyclic": (5006, 162), "strong-borda": (24766, 728)}),
        ],
    )
    def test_races_as_long_as_a_straightforward_program(self, rule, published):
        # Mean and standard error of 20 runs of another program, T = n_max = 10^6, delta = 1 / T.
        for name, (mean, error) in published.items():
            lengths = []
            for run in range(80):
                trace = simulate(
                    matrix(name), horizon=10**6, seed=21, run=run, shuffle_arms=True, checkpoints=1, rule=rule
                )
                lengths.append(10**6 - int(np.trace(trace.duels)))
                assert trace.recommended[-1] in ((0, 1, 2) if name == "multisol" else (0,))
            ours = np.std(lengths, ddof=1) / math.sqrt(len(lengths))
            assert abs(np.mean(lengths) - mean) < 4 * math.hypot(ours, error)


@pytest.mark.parametrize("rule", ["paper", "tight"])
def test_plays_like_the_literal_transcription(rule):
    random = np.random.default_rng(17)
    for seed in range(12):
        n_arms = int(random.integers(2, 7))
        P = np.triu(random.choice([0.05, 0.2, 0.5, 0.8, 0.95], (n_arms, n_arms)), 1)
        P = P + np.tril(1 - P.T, -1)
        P[np.diag_indices(n_arms)] = 0.5
        oracle = PBRCO(n_arms, 900, OneDrawIntegers(np.random.default_rng(seed)), delta=0.99, rule=rule)
        expected = play(oracle, P, 900, np.random.default_rng([seed, 1]))
        rngs = np.random.default_rng(seed), np.random.default_rng([seed, 1])
        assert pairs_played(PBR_COPELAND, P, 900, *rngs, delta=0.99, rule=rule) == expected


def test_regret_grows_like_the_logarithm_of_the_horizon():
    def regret(horizon):
        runs = (simulate(matrix("cyclic"), horizon=horizon, run=run, shuffle_arms=True) for run in range(150))
        return np.mean([trace.regret[0, -1] for trace in runs])

    # ln(2 K^2 (2T)^2) / ln(2 K^2 T^2) = 1.05, for a new run at each horizon.
    assert 0.95 < regret(2 * 10**5) / regret(10**5) < 1.2
