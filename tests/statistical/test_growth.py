"""Regret grows as promised, and grows linearly where the papers show that it must.

R(2T) / R(T) is 2 for linear growth and close to 1 for logarithmic growth. Seeds are fixed.
"""

import numpy as np
import pytest

import duelbench
from tests.optional_data import ROOT

RUNS = 20
T = 20_000

ORDER = 0.5 + 0.08 * (np.arange(5)[None, :] - np.arange(5)[:, None])
"""A linear order with gaps of at least 0.08."""

pytestmark = pytest.mark.thorough


def growth(id: str, matrix, T: int = T, **parameters) -> float:
    """R(2T) / R(T) of the mean Copeland regret, each horizon with its own runs."""
    means = []
    for horizon in (T, 2 * T):
        regret = [
            duelbench.simulate(id, matrix, horizon=horizon, seed=11, run=run, shuffle_arms=True, **parameters).regret
            for run in range(RUNS)
        ]
        means.append(np.mean([one[0, -1] for one in regret]))
    return means[1] / means[0]


@pytest.mark.parametrize("id", ["rucb", "rmed2", "self-sparring", "ws-s", "savage-condorcet", "interleaved-filter"])
def test_regret_is_logarithmic_where_the_assumption_holds(id):
    assert growth(id, ORDER) < 1.3


@pytest.mark.parametrize("id", ["rcs", "rmed1", "btm"])
def test_regret_is_linear_without_a_condorcet_winner(id):
    matrix = duelbench.PreferenceMatrix.load(ROOT / "matrices" / "noncondorcet-strong-borda.csv")
    horizon = 200_000 if id == "btm" else T  # BTM explores first, and then plays an arm that is no winner permanently
    assert growth(id, matrix, horizon) > 1.8


def test_d_ts_without_bounds_is_linear_where_a_winner_loses_to_an_arm_that_is_none():
    matrix = duelbench.PreferenceMatrix.load(ROOT / "matrices" / "noncondorcet-cyclic.csv")
    assert growth("d-ts-pure", matrix) > 1.8
    assert growth("d-ts", matrix) < 1.3


@pytest.mark.parametrize("id", ["ccb", "ecw-rmed", "d-ts-plus"])
def test_copeland_algorithms_stay_logarithmic_without_a_condorcet_winner(id):
    matrix = duelbench.PreferenceMatrix.load(ROOT / "matrices" / "multisol.csv")
    assert growth(id, matrix) < 1.3
