"""D-TS and D-TS+: standing decisions change no distribution, and signs stand for full samples."""

from functools import cache

import numpy as np
import pytest

import duelbench
from duelbench.bandits.algorithms.contract import SEVERAL
from duelbench.bandits.algorithms.thompson import dts, dts_many_arms
from duelbench.bandits.algorithms.thompson.dts_many_arms import spread_of
from tests.bandits.algorithms.comparing import assert_same_distribution, regrets
from tests.bandits.algorithms.odd_matrices import MATRICES

CYCLE_OF_TEN = np.where(np.arange(10)[:, None] < np.arange(10), 0.75, 0.25) + 0.25 * np.eye(10)
CYCLE_OF_TEN[[0, 2], [2, 0]] = 0.25, 0.75
"""Each arm beats those after it; but arm 2 beats arm 0, so that three arms win."""

GAMES = {
    **{name: MATRICES[name] for name in ("condorcet winner", "one winner that loses a duel", "three winners")},
    "near tie at the top": [[0.5, 0.53, 0.9], [0.47, 0.5, 0.9], [0.1, 0.1, 0.5]],  # early wrong beliefs last
    "many arms": CYCLE_OF_TEN,
}


def runs_of(id, matrix):
    return 500 if matrix == "many arms" else 3000 if id == "d-ts" else 2000


@cache
def round_by_round(id, matrix):
    """Regrets where every round is a decision of its own."""
    return regrets(id, GAMES[matrix], runs_of(id, matrix), seed=2, standing_decisions=False)


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("id", "matrix"),
    [
        ("d-ts", "one winner that loses a duel"),
        ("d-ts", "three winners"),
        ("d-ts", "near tie at the top"),
        ("d-ts-plus", "one winner that loses a duel"),
        ("d-ts-plus", "three winners"),
        ("d-ts-pure", "one winner that loses a duel"),
    ],
)
def test_standing_decisions_change_no_distribution(id, matrix):
    assert_same_distribution(regrets(id, GAMES[matrix], runs_of(id, matrix), seed=1), round_by_round(id, matrix))


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("id", "matrix"),
    [
        ("d-ts", "one winner that loses a duel"),
        ("d-ts", "near tie at the top"),
        ("d-ts", "many arms"),
        ("d-ts-plus", "three winners"),
        ("d-ts-plus", "many arms"),
    ],
)
def test_drawing_only_rows_that_may_decide_changes_no_distribution(id, matrix, monkeypatch):
    monkeypatch.setattr(dts_many_arms, "MANY", 2)
    assert dts.start(3, 1, np.random.default_rng(0), True, alpha=0.51).many is not None
    assert_same_distribution(
        regrets(id, GAMES[matrix], 500 if matrix == "many arms" else 1500, seed=3), round_by_round(id, matrix)
    )


TIED = np.array([[0, 20, 2, 20], [2, 0, 20, 16], [20, 2, 0, 16], [2, 4, 4, 0]])
"""Wins by which arms 0, 1 and 2 surely beat each other in a circle, and arm 3."""


def test_tied_leaders_stand_together_and_share_the_rounds_equally():
    state = dts.start(4, 1, np.random.default_rng(8), True, alpha=0.51)
    for i, j in zip(*np.triu_indices(4, 1), strict=True):
        dts.update(state, i, j, TIED[i, j], TIED[j, i])
    first, second, rounds = dts.select(state, 40, np.random.default_rng(1))
    assert first == second == SEVERAL and rounds >= 1
    assert state.outlook.self_duel == pytest.approx([1 / 3, 1 / 3, 1 / 3, 0.0], abs=0.01)
    assert state.outlook.self_duel.sum() == pytest.approx(1.0, rel=1e-12)


@pytest.mark.parametrize("p", [1e-12, 0.01, 0.3, 0.4989, 0.5, 0.7, 0.999, 1.0])
def test_the_spread_bounds_the_moments_of_a_sign(p):
    x = np.linspace(0.01, 20, 500)
    moment = np.log1p(p * np.expm1(x)) - p * x
    assert np.all(moment <= 0.5 * spread_of(p) * x**2 + 1e-12)


@pytest.mark.parametrize("batch", [1, 20])
def test_settles_where_winners_tie(batch):
    trace = duelbench.simulate("d-ts", GAMES["three winners"], horizon=10**7, feedback_batch=batch)
    assert trace.duels.sum() == 10**7
    assert np.all(np.diag(trace.duels)[:3] > 0.3 * 10**7)
    assert trace.decisions < 20_000


def test_checkpoints_change_no_decision():
    few = duelbench.simulate("d-ts", GAMES["three winners"], horizon=10**5, checkpoints=2)
    many = duelbench.simulate("d-ts", GAMES["three winners"], horizon=10**5, checkpoints=300)
    off_diagonal = ~np.eye(4, dtype=bool)
    assert few.decisions == many.decisions
    assert np.array_equal(few.duels[off_diagonal], many.duels[off_diagonal])
