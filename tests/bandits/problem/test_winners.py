"""Winners, scores and gaps against brute force, and what relabelling the arms does to them."""

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from random_matrices import matrices

from duelbench.bandits.problem import winners

every_matrix = settings(derandomize=True, max_examples=40, deadline=None)


@every_matrix
@given(matrices())
def test_every_quantity_equals_brute_force(P):
    arms = range(len(P))
    others = len(P) - 1
    beaten = [sum(1 for j in arms if P[i, j] > 0.5) for i in arms]
    beaten_by = [sum(1 for j in arms if P[j, i] > 0.5) for i in arms]
    exact_borda = [sum(Fraction(P[i, j]) for j in arms if j != i) / others for i in arms]

    assert winners.inferior_counts(P).tolist() == beaten
    assert winners.superior_counts(P).tolist() == beaten_by
    assert winners.copeland_scores(P).tolist() == [count / others for count in beaten]
    assert winners.copeland_winners(P) == tuple(i for i in arms if beaten[i] == max(beaten))
    assert winners.condorcet_winner(P) == next((i for i in arms if beaten[i] == others), None)
    assert winners.borda_scores(P) == pytest.approx([float(score) for score in exact_borda], abs=1e-15)
    assert winners.borda_winners(P) == tuple(i for i in arms if max(exact_borda) - exact_borda[i] < Fraction(1, 10**12))
    assert winners.ties(P) == [(i, j) for i, j in combinations(arms, 2) if P[i, j] == 0.5]
    assert winners.gaps(P).tolist() == [[P[i, j] - 0.5 for j in arms] for i in arms]
    smallest = min(abs(P[i, j] - 0.5) for i in arms for j in arms if i != j)
    assert winners.min_gap(P) == smallest
    i, j = winners.closest_pair(P)
    assert i < j
    assert smallest in (abs(P[i, j] - 0.5), abs(P[j, i] - 0.5))


def test_the_smallest_step_above_one_half_is_a_win():
    p = np.nextafter(0.5, 1)
    assert winners.condorcet_winner([[0.5, p], [1 - p, 0.5]]) == 0
    assert winners.ties([[0.5, p], [1 - p, 0.5]]) == []


def test_equal_borda_scores_are_equal_in_spite_of_rounding():
    # On paper .5 + .52 + .68 = .5 + .5 + .7; as float64 the sums are 1.7000000000000002 and 1.7.
    P = [[0.5, 0.5, 0.52, 0.68], [0.5, 0.5, 0.5, 0.7], [0.48, 0.5, 0.5, 0.5], [0.32, 0.3, 0.5, 0.5]]
    scores = winners.borda_scores(P)
    assert scores[0] != scores[1]
    assert winners.borda_winners(P) == (0, 1)
