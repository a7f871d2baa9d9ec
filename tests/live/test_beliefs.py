"""Matrices drawn from what is known: the prior's law, a gap that is asked for, and what a table of wins leaves."""

import numpy as np
import pytest
from scipy.stats import kstest, norm

from duelbench.live.beliefs import (
    PEOPLE,
    Prior,
    matrices_given,
    matrices_with_gap,
    prior_matrices,
    winners_given,
)
from tests.selection import quick

EXACT = Prior(spread=0.75, uncertainty=0.0, own=0.15)
"""Without doubt of the scale: logits of single pairs are normal."""


def logits(matrices):
    return np.log(matrices / (1 - matrices))


@pytest.mark.parametrize("n_arms", [2, 5])
def test_drawn_matrices_are_preference_matrices(n_arms):
    rng = np.random.default_rng(0)
    wins = np.ones((n_arms, n_arms)) - np.eye(n_arms)
    for drawn in (
        prior_matrices(PEOPLE, n_arms, 20, rng),
        matrices_with_gap(PEOPLE, n_arms, 0.1, 20, rng),
        matrices_given(PEOPLE, wins, 20, rng),
    ):
        assert drawn.shape == (20, n_arms, n_arms)
        assert (drawn + drawn.transpose(0, 2, 1) == 1).all()
        assert (drawn[:, range(n_arms), range(n_arms)] == 0.5).all()
        assert (drawn > 0).all() and (drawn < 1).all()


def test_the_logit_of_a_pair_has_the_variance_of_two_strengths_and_the_noise():
    drawn = logits(prior_matrices(EXACT, 3, 4000, np.random.default_rng(1)))
    law = norm(scale=0.75 * np.sqrt(2 + 0.15**2))
    assert kstest(drawn[:, 0, 1], law.cdf).pvalue > 1e-3
    assert kstest(drawn[:, 1, 2], law.cdf).pvalue > 1e-3


def gaps(matrices):
    """How much each matrix's winner, who comes closest to beating all others, beats them by: from the smallest."""
    table = matrices - 0.5
    table[:, range(table.shape[1]), range(table.shape[1])] = np.inf
    return np.sort(table[np.arange(len(table)), table.min(axis=2).argmax(axis=1)], axis=1)


def test_matrices_with_a_gap_are_those_of_the_prior_that_happen_to_have_it():
    for gap in (0.003, 0.4):
        drawn = matrices_with_gap(PEOPLE, 6, gap, 50, np.random.default_rng(4))
        assert gaps(drawn)[:, 0] == pytest.approx(gap, abs=1e-12)
    near = prior_matrices(PEOPLE, 4, 120_000, np.random.default_rng(5))
    near = near[np.abs(gaps(near)[:, 0] - 0.1) < 0.005]
    exact = matrices_with_gap(PEOPLE, 4, 0.1, len(near), np.random.default_rng(6))
    assert len(near) > 1000
    for statistic in (widest, lambda matrices: gaps(matrices)[:, 1]):
        one, other = statistic(near), statistic(exact)
        error = np.sqrt(one.var() / len(one) + other.var() / len(other))
        assert abs(one.mean() - other.mean()) < 4 * error


def first_pair(matrices):
    return matrices[:, 0, 1]


def largest_sum(matrices):
    return matrices.sum(axis=2).max(axis=1)


def widest(matrices):
    return np.abs(matrices - 0.5).max(axis=(1, 2))


@pytest.mark.parametrize(
    ("n_arms", "per_pair"), quick([(8, 1), (4, 2), (6, 60), (5, 400)], slow=[(4, 2), (6, 60), (5, 400)])
)
def test_matrices_that_make_tables_rank_uniformly_among_those_drawn_from_the_tables(n_arms, per_pair):
    """A matrix from the prior and those given its table are alike: no draw tells which was first."""
    rng = np.random.default_rng(10)
    ranks = []
    for P in prior_matrices(PEOPLE, n_arms, 50, rng):
        wins = np.triu(rng.binomial(per_pair, P), 1).astype(float)
        wins += np.tril(per_pair - wins.T, -1)
        drawn = matrices_given(PEOPLE, wins, 19, rng)
        ranks.append([(of(drawn) < of(P[np.newaxis])).sum() for of in (first_pair, widest, largest_sum)])
    for column in np.array(ranks).T:
        counts = np.bincount(column, minlength=20).reshape(5, 4).sum(axis=1)
        chi2 = ((counts - 10) ** 2 / 10).sum()
        assert chi2 < 20.5, counts  # 4 degrees of freedom; once in 2,500 tables


def test_chances_to_win_are_those_of_weighted_matrices_of_the_prior():
    """By weighing 100,000 matrices of the prior with the likelihood of the table, without any chain."""
    wins = np.array([[0, 2, 3, 1], [1, 0, 2, 2], [0, 1, 0, 1.5], [2, 1, 1.5, 0]])
    matrices = prior_matrices(PEOPLE, 4, 100_000, np.random.default_rng(12))
    weights = np.prod(matrices**wins, axis=(1, 2))
    beaten = (matrices > 0.5).sum(axis=2)
    is_winner = beaten == beaten.max(axis=1, keepdims=True)
    truth = weights @ is_winner / weights.sum()
    found = winners_given(PEOPLE, wins, np.random.default_rng(13))
    errors = found.std(axis=0, ddof=1) / np.sqrt(len(found))
    of_truth = np.sqrt(weights**2 @ (is_winner - truth) ** 2) / weights.sum()
    assert (np.abs(found.mean(axis=0) - truth) < 4 * np.hypot(errors, of_truth)).all()
    assert errors.max() < 0.007
