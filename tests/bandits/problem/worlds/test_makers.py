"""Drifts and random worlds."""

import itertools
from collections import Counter

import numpy as np
import pytest

from duelbench.bandits.problem.preferences import PreferenceMatrix
from duelbench.bandits.problem.winners import condorcet_winner
from duelbench.bandits.problem.worlds.makers import changing_winner, drift, geometric_order

P = PreferenceMatrix.load("mslr5-condorcet")
REVERSED = PreferenceMatrix(P.P[::-1, ::-1].copy(), names=P.names)


def test_a_drift_goes_from_one_matrix_to_the_other_and_its_winner_changes_where_pairs_cross_one_half():
    steps = drift(P, REVERSED, 1001).matrices
    assert [condorcet_winner(matrix) for matrix in steps] == [0] * 401 + [2] * 199 + [4] * 401
    for step, expected in ((0, P.P), (500, (P.P + REVERSED.P) / 2), (1000, REVERSED.P)):
        np.testing.assert_allclose(steps[step].P, expected, rtol=0, atol=1e-15)


def test_changing_winners_change_and_hold_their_least_advantage():
    world = changing_winner(6, 50, 0.55, seed=4)
    found = [condorcet_winner(matrix) for matrix in world.matrices]
    assert all(one != other for one, other in itertools.pairwise(found))
    assert set(found) == set(range(6))
    for matrix, winner in zip(world.matrices, found, strict=True):
        assert np.delete(matrix.P[winner], winner).min() == pytest.approx(0.55)
    again = changing_winner(6, 50, 0.55, seed=4)
    assert [matrix.sha256 for matrix in again.matrices] == [matrix.sha256 for matrix in world.matrices]


def test_places_in_random_orders_are_uniform_and_decide_the_probabilities():
    matrices = geometric_order(3, 1200, seed=2).matrices
    orders = Counter(tuple(np.argsort(-matrix.P.sum(axis=1)).tolist()) for matrix in matrices)
    assert len(orders) == 6 and all(140 < count < 260 for count in orders.values())
    first, second, third = next(iter(orders))
    P = matrices[0].P
    # Weights 1, 1/2, 1/4: 1 / (1 + 1/2) and 1 / (1 + 1/4).
    assert [P[first, second], P[second, third], P[first, third]] == pytest.approx([2 / 3, 2 / 3, 4 / 5])
