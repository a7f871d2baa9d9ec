"""RUCB: what the paper's text says of it, and how it grows."""

import math
from pathlib import Path

import numpy as np
import pytest

import duelbench
from duelbench.algorithms.statistics import NEVER, crossing_round, upper_bound

ROOT = Path(__file__).parents[2]
CONDORCET = [[0.5, 0.6, 0.7, 0.8], [0.4, 0.5, 0.6, 0.7], [0.3, 0.4, 0.5, 0.6], [0.2, 0.3, 0.4, 0.5]]


def mean_regret(matrix, horizon, runs=60, **parameters):
    runs = [
        duelbench.simulate("rucb", matrix, horizon=horizon, run=run, shuffle_arms=True, **parameters).regret[0, -1]
        for run in range(runs)
    ]
    return np.mean(runs)


def test_regret_is_logarithmic_with_a_condorcet_winner():
    assert mean_regret(CONDORCET, 40_000) / mean_regret(CONDORCET, 20_000) < 1.3


def test_regret_is_linear_without_a_condorcet_winner():
    matrix = duelbench.PreferenceMatrix.load(ROOT / "matrices" / "noncondorcet-strong-borda.csv")
    assert mean_regret(matrix, 40_000, runs=20) / mean_regret(matrix, 20_000, runs=20) > 1.8
    assert duelbench.simulate("rucb", matrix, horizon=10**5).decisions > 99_000


def test_may_duel_the_champion_against_itself():
    trace = duelbench.simulate("rucb", CONDORCET, horizon=10**5)
    assert trace.duels[0, 0] > 0.95 * 10**5


def test_settled_rounds_cost_nothing():
    short = duelbench.simulate("rucb", CONDORCET, horizon=10**5).decisions
    assert duelbench.simulate("rucb", CONDORCET, horizon=10**10).decisions < 3 * short


def test_first_version_draws_the_champion_from_all_candidates():
    assert mean_regret(CONDORCET, 20_000, variant="arxiv") != mean_regret(CONDORCET, 20_000)


@pytest.mark.parametrize("alpha", [0.51, 0.8, 2.0])
def test_crossing_is_the_first_round_in_which_the_bound_reaches_one_half(alpha):
    for plays in range(1, 40):
        for wins in range(plays + 1):
            t = crossing_round(wins, plays, alpha)
            if t == NEVER:
                assert upper_bound(wins, plays, alpha, math.log(1e15), 2.0) < 0.5
                continue
            assert upper_bound(wins, plays, alpha, math.log(t), 2.0) >= 0.5
            assert t == 1 or upper_bound(wins, plays, alpha, math.log(t - 1), 2.0) < 0.5
