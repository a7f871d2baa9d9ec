"""Drifts and random worlds."""

import itertools
from collections import Counter

import numpy as np
import pytest

from duelbench.errors import InputError
from duelbench.problem.preferences import PreferenceMatrix
from duelbench.problem.winners import condorcet_winner
from duelbench.problem.worlds.makers import changing_winner, crossing, drift, geometric_order

P = PreferenceMatrix.load("mslr5-condorcet")
REVERSED = PreferenceMatrix(P.P[::-1, ::-1].copy(), names=P.names)


def test_the_winner_of_a_drift_changes_where_pairs_cross_one_half():
    assert crossing(P, REVERSED, 0, 2) == pytest.approx(0.400709, abs=1e-6)
    assert crossing(P, REVERSED, 2, 4) == pytest.approx(0.599291, abs=1e-6)
    found = [condorcet_winner(matrix) for matrix in drift(P, REVERSED, 1001).matrices]
    assert found == [0] * 401 + [2] * 199 + [4] * 401


def test_a_drift_begins_and_ends_with_the_matrices_given():
    steps = drift(P, REVERSED, 3).matrices
    np.testing.assert_allclose(steps[0].P, P.P, rtol=0, atol=1e-15)
    np.testing.assert_allclose(steps[1].P, (P.P + REVERSED.P) / 2, rtol=0, atol=1e-15)
    np.testing.assert_allclose(steps[2].P, REVERSED.P, rtol=0, atol=1e-15)


def test_pairs_that_stay_on_one_side_never_cross():
    assert np.isnan(crossing(P, P, 0, 1))


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
    matrices = geometric_order(3, 3000, seed=2).matrices
    orders = Counter(tuple(np.argsort(-matrix.P.sum(axis=1)).tolist()) for matrix in matrices)
    assert len(orders) == 6 and all(400 < count < 600 for count in orders.values())
    first, second, third = next(iter(orders))
    P = matrices[0].P
    # Weights 1, 1/2, 1/4: 1 / (1 + 1/2) and 1 / (1 + 1/4).
    assert [P[first, second], P[second, third], P[first, third]] == pytest.approx([2 / 3, 2 / 3, 4 / 5])


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: drift(P, REVERSED, 1), "from 2 to 100000 steps, got 1"),
        (lambda: drift(P, PreferenceMatrix.load("cyclic"), 3), "number 2 has 4 arms"),
        (lambda: changing_winner(4, 3, 0.5, seed=1), "p_min = 0.5"),
        (lambda: geometric_order(3, 0, seed=1), "got 3 arms, 0 segments"),
        (lambda: changing_winner(1, 3, 0.6, seed=1), "got 1 arms"),
    ],
)
def test_what_makes_no_sense_is_refused(make, words):
    with pytest.raises(InputError, match=words):
        make()
