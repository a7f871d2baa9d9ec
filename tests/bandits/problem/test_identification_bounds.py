"""Lower bounds on the duels to an answer."""

import itertools
import math

import numpy as np
import pytest
from scipy.optimize import linprog

from duelbench.bandits.problem.identification import Question
from duelbench.bandits.problem.identification_bounds import (
    duels_borda,
    least_duels,
    relative_entropy,
    sum_copeland,
    sum_with_winner,
)
from duelbench.bandits.problem.preferences import PreferenceMatrix
from duelbench.common.shipped import matrix_file
from tests.conformance.literal.common import kl_half

SUMS = {"cyclic": 8.151, "mslr5-condorcet": 460.62, "arxiv": 680.97, "sushi16": 3598.1, "strong-borda": 205.73}
"""Sums per nat, computed elsewhere."""


def test_the_sums_of_known_matrices():
    for name, expected in SUMS.items():
        matrix = PreferenceMatrix.load(matrix_file(name))
        assert sum_with_winner(matrix) == pytest.approx(expected, rel=2e-4), name
    i, j = np.indices((16, 16))
    order = 0.5 + (j - i) / 64  # the winner beats all others most clearly
    assert sum_with_winner(order) == pytest.approx(3231.64, rel=1e-5)
    assert least_duels(order, Question("condorcet")) == pytest.approx(8563.8, rel=1e-4)
    assert relative_entropy(0.25) == pytest.approx(0.5 * math.log(3))


def random_matrix(n_arms: int, seed: int) -> np.ndarray:
    upper = np.triu(np.random.default_rng(seed).uniform(0.05, 0.95, (n_arms, n_arms)), 1)
    return upper + np.tril(1 - upper.T, -1) + 0.5 * np.eye(n_arms)


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
            rows.append([is_turned * kl_half(P[pair]) for pair, is_turned in zip(pairs, turned, strict=True)])
    found = linprog(np.ones(len(pairs)), A_ub=-np.array(rows), b_ub=-np.ones(len(rows)), method="highs")
    return float(found.fun)


def test_the_sums_are_those_of_all_other_outcomes_of_all_pairs():
    for seed in range(4):
        P = random_matrix(4, seed)
        P[0, 1:] = 0.55 + 0.4 * P[0, 1:]  # arm 0 beats all
        P[1:, 0] = 1 - P[0, 1:]
        won_by_other = least_sum(P, lambda beats: any(beats[arm].sum() == 3 for arm in range(1, 4)))
        assert sum_with_winner(P) == pytest.approx(won_by_other, rel=1e-6)
    unique = 0
    for seed in range(6):
        P = random_matrix(4, seed)
        best = np.flatnonzero((P > 0.5).sum(axis=1) == (P > 0.5).sum(axis=1).max()).tolist()
        if len(best) > 1:
            assert sum_copeland(P) is None
            continue
        expected = least_sum(P, lambda beats, winner=best[0]: beats[winner].sum() < beats.sum(axis=1).max())
        assert sum_copeland(P) == pytest.approx(expected, rel=1e-6)
        unique += 1
    assert unique >= 2


def test_the_borda_bound_by_hand():
    P = np.full((4, 4), 0.5)
    P[0, 1:], P[1:, 0] = 0.6, 0.4
    # b = 0.6 and, three times, 1/3 (0.4 + 0.5 + 0.5) = 7/15: each 2/15 behind.
    assert duels_borda(P, 0.05) == pytest.approx(math.log(10) / 90 * 3 * (15 / 2) ** 2)
    assert duels_borda(P, 0.2) is None and duels_borda(P[:3, :3], 0.05) is None
    P[0, 1], P[1, 0] = 0.7, 0.3
    assert duels_borda(P, 0.05) is None


def test_where_there_is_no_answer_of_the_kind_there_is_no_bound():
    cycle, two = [[0.5, 0.9, 0.1], [0.1, 0.5, 0.9], [0.9, 0.1, 0.5]], [[0.5, 0.75], [0.25, 0.5]]
    assert sum_with_winner(cycle) is None and sum_copeland(cycle) is None
    assert least_duels(cycle, Question("condorcet")) is None
    for question in (Question("condorcet", epsilon=0.1), Question("ranking"), Question("condorcet", delta=0.5)):
        assert least_duels(two, question) is None
