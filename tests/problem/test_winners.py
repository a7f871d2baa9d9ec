"""Winners, scores and gaps against brute force, and what relabelling the arms does to them."""

import math
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from random_matrices import matrices

from duelbench.problem import winners
from duelbench.problem.preferences import PreferenceMatrix

CYCLE = [[0.5, 0.7, 0.3], [0.3, 0.5, 0.7], [0.7, 0.3, 0.5]]

every_matrix = settings(derandomize=True, max_examples=100, deadline=None)


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


@every_matrix
@given(matrices(), st.randoms(use_true_random=False))
def test_relabelling_the_arms_permutes_every_quantity(P, random):
    order = list(range(len(P)))
    random.shuffle(order)
    matrix = PreferenceMatrix(P)
    moved = matrix.permuted(order)
    new_label = {old: new for new, old in enumerate(order)}

    for scores in (
        winners.copeland_scores,
        winners.borda_scores,
        winners.inferior_counts,
        winners.superior_counts,
    ):
        assert scores(moved).tolist() == scores(matrix)[order].tolist()
    for winning in (winners.copeland_winners, winners.borda_winners):
        assert winning(moved) == tuple(sorted(new_label[arm] for arm in winning(matrix)))
    winner = winners.condorcet_winner(matrix)
    assert winners.condorcet_winner(moved) == (None if winner is None else new_label[winner])
    assert winners.min_gap(moved) == winners.min_gap(matrix)
    assert winners.ties(moved) == sorted(tuple(sorted((new_label[i], new_label[j]))) for i, j in winners.ties(matrix))


@every_matrix
@given(matrices())
def test_a_preference_matrix_and_its_array_give_the_same(P):
    matrix = PreferenceMatrix(P)
    for function in (
        winners.copeland_scores,
        winners.copeland_winners,
        winners.condorcet_winner,
        winners.borda_scores,
        winners.min_gap,
        winners.ties,
    ):
        assert np.array_equal(function(matrix), function(P.tolist()))


@every_matrix
@given(matrices())
def test_no_arm_beats_the_von_neumann_winner(P):
    mixture = winners.von_neumann_winner(P)
    assert mixture.shape == (len(P),)
    assert np.all(mixture >= 0)
    assert math.fsum(mixture) == pytest.approx(1, abs=1e-12)
    assert np.all(mixture @ P >= 0.5 - 1e-9)


@every_matrix
@given(matrices())
def test_a_condorcet_winner_wins_by_copeland_and_von_neumann_too(P):
    P[0, 1:], P[1:, 0] = 0.7, 0.3
    assert winners.condorcet_winner(P) == 0
    assert winners.copeland_winners(P) == (0,)
    assert winners.von_neumann_winner(P)[0] == pytest.approx(1, abs=1e-9)


def test_a_cycle_has_no_condorcet_winner_and_an_even_von_neumann_winner():
    assert winners.condorcet_winner(CYCLE) is None
    assert winners.copeland_winners(CYCLE) == (0, 1, 2)
    assert winners.borda_winners(CYCLE) == (0, 1, 2)
    assert winners.von_neumann_winner(CYCLE) == pytest.approx([1 / 3] * 3, abs=1e-9)


def test_the_weights_of_a_weighted_cycle_are_those_of_the_opposite_pair():
    # With gaps a = d_01, b = d_12, c = d_20 the mixture (b, c, a) / (a + b + c) has gap 0 to every arm.
    P = [[0.5, 0.6, 0.2], [0.4, 0.5, 0.7], [0.8, 0.3, 0.5]]
    assert winners.von_neumann_winner(P) == pytest.approx([2 / 6, 3 / 6, 1 / 6], abs=1e-9)


def test_ties_count_for_nobody():
    P = [[0.5, 0.5, 0.9], [0.5, 0.5, 0.6], [0.1, 0.4, 0.5]]
    assert winners.inferior_counts(P).tolist() == [1, 1, 0]
    assert winners.superior_counts(P).tolist() == [0, 0, 2]
    assert winners.condorcet_winner(P) is None
    assert winners.copeland_winners(P) == (0, 1)
    assert winners.ties(P) == [(0, 1)]
    assert winners.min_gap(P) == 0


def test_the_smallest_step_above_one_half_is_a_win():
    p = np.nextafter(0.5, 1)
    P = [[0.5, p], [1 - p, 0.5]]
    assert winners.condorcet_winner(P) == 0
    assert winners.ties(P) == []


def test_equal_borda_scores_are_equal_in_spite_of_rounding():
    # On paper .5 + .52 + .68 = .5 + .5 + .7; as float64 the sums are 1.7000000000000002 and 1.7.
    P = [[0.5, 0.5, 0.52, 0.68], [0.5, 0.5, 0.5, 0.7], [0.48, 0.5, 0.5, 0.5], [0.32, 0.3, 0.5, 0.5]]
    scores = winners.borda_scores(P)
    assert scores[0] != scores[1]
    assert winners.borda_winners(P) == (0, 1)
