"""Lower bounds on the duels to an answer."""

import itertools
import math

import numpy as np
import pytest
from scipy.optimize import linprog

from duelbench.problem.identification import Question
from duelbench.problem.identification_bounds import (
    duels_borda,
    least_duels,
    relative_entropy,
    sum_copeland,
    sum_with_winner,
    sum_without,
)
from duelbench.problem.preferences import PreferenceMatrix
from duelbench.shipped import matrix_file

SUMS = {
    "cyclic": (8.151, 148.99),
    "mslr5-condorcet": (460.62, 460.62),
    "arxiv": (680.97, 793.47),
    "sushi16": (3598.1, 3611.9),
    "strong-borda": (205.73, 798.66),
    "arithmetic8": (299.90, 299.90),
}
"""Sums per nat, with and without the knowledge that there is a Condorcet winner, computed elsewhere."""


def matrix(name: str) -> PreferenceMatrix:
    return PreferenceMatrix.load(matrix_file(name))


@pytest.mark.parametrize("name", SUMS)
def test_the_sums_of_known_matrices(name):
    found = sum_with_winner(matrix(name)), sum_without(matrix(name))
    assert found == pytest.approx(SUMS[name], rel=2e-4)


def test_in_an_order_the_winner_beats_all_others_most_clearly():
    i, j = np.indices((16, 16))
    order = 0.5 + (j - i) / 64
    assert sum_with_winner(order) == pytest.approx(3231.64, rel=1e-5)
    assert sum_without(order) == pytest.approx(3231.64, rel=1e-5)
    assert least_duels(order, Question("condorcet")) == pytest.approx(8563.8, rel=1e-4)


def random_matrix(n_arms: int, seed: int) -> np.ndarray:
    upper = np.triu(np.random.default_rng(seed).uniform(0.05, 0.95, (n_arms, n_arms)), 1)
    return upper + np.tril(1 - upper.T, -1) + 0.5 * np.eye(n_arms)


def divergence(p: float) -> float:
    return math.log(2) + p * math.log(p) + (1 - p) * math.log(1 - p)


def least_sum(P: np.ndarray, is_other) -> float:
    """The least sum of duels by which no outcome of all pairs that `is_other` remains likely."""
    pairs = list(itertools.combinations(range(len(P)), 2))
    rows = []
    for turned in itertools.product((False, True), repeat=len(pairs)):
        beats = P > 0.5
        for (i, j), is_turned in zip(pairs, turned, strict=True):
            if is_turned:
                beats[i, j], beats[j, i] = beats[j, i], beats[i, j]
        if is_other(beats):
            rows.append(
                [divergence(P[i, j]) if is_turned else 0.0 for (i, j), is_turned in zip(pairs, turned, strict=True)]
            )
    found = linprog(np.ones(len(pairs)), A_ub=-np.array(rows), b_ub=-np.ones(len(rows)), method="highs")
    return float(found.fun)


@pytest.mark.parametrize("seed", range(8))
def test_the_sums_are_those_of_all_other_outcomes_of_all_pairs(seed):
    P = random_matrix(4, seed)
    P[0, 1:] = 0.55 + 0.4 * P[0, 1:]  # arm 0 beats all
    P[1:, 0] = 1 - P[0, 1:]

    def is_won_by_other(beats):
        return any(beats[a].sum() == 3 for a in range(1, 4))

    def is_not_won(beats):
        return beats[0].sum() < 3

    assert sum_with_winner(P) == pytest.approx(least_sum(P, is_won_by_other), rel=1e-6)
    assert sum_without(P) == pytest.approx(least_sum(P, is_not_won), rel=1e-6)


@pytest.mark.parametrize("seed", range(12))
def test_the_copeland_sum_is_that_of_all_other_outcomes_of_all_pairs(seed):
    P = random_matrix(4, seed)
    beaten = (P > 0.5).sum(axis=1)
    if np.count_nonzero(beaten == beaten.max()) > 1:
        assert sum_copeland(P) is None
        return
    winner = int(beaten.argmax())

    def is_other(beats):
        return beats[winner].sum() < beats.sum(axis=1).max()

    assert sum_copeland(P) == pytest.approx(least_sum(P, is_other), rel=1e-6)


def test_the_borda_bound_by_hand():
    P = np.full((4, 4), 0.5)
    P[0, 1:], P[1:, 0] = 0.6, 0.4
    # b = 0.6 and, three times, 1/3 (0.4 + 0.5 + 0.5) = 7/15: each 2/15 behind.
    assert duels_borda(P, 0.05) == pytest.approx(math.log(10) / 90 * 3 * (15 / 2) ** 2)
    assert duels_borda(P, 0.2) is None and duels_borda(P[:3, :3], 0.05) is None
    P[0, 1], P[1, 0] = 0.7, 0.3
    assert duels_borda(P, 0.05) is None


def test_where_there_is_no_answer_of_the_kind_there_is_no_bound():
    cycle = [[0.5, 0.9, 0.1], [0.1, 0.5, 0.9], [0.9, 0.1, 0.5]]
    assert sum_with_winner(cycle) is None and sum_without(cycle) is None and sum_copeland(cycle) is None
    assert least_duels(cycle, Question("condorcet")) is None
    two = [[0.5, 0.75], [0.25, 0.5]]
    assert least_duels(two, Question("condorcet", epsilon=0.1)) is None
    assert least_duels(two, Question("ranking")) is None
    assert least_duels(two, Question("condorcet", delta=0.5)) is None


def test_the_relative_entropy_of_wrong_and_right():
    assert relative_entropy(0.25) == pytest.approx(0.5 * math.log(3))
