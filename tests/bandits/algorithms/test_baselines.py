"""Random, whose rounds are played from checkpoint to checkpoint at once, and Uniform."""

import numpy as np
import pytest
from scipy import stats

import duelbench
from duelbench.bandits.algorithms.exploration.uniform import UNIFORM

P = np.array([[0.5, 0.9, 0.3], [0.1, 0.5, 0.6], [0.7, 0.4, 0.5]])


@pytest.mark.thorough
def test_each_pair_is_played_as_often_as_the_others():
    duels = sum(duelbench.simulate("random", P, horizon=10**6, run=run, checkpoints=[10**6]).duels for run in range(20))
    assert duels.sum() == 20 * 10**6
    assert stats.chisquare(duels.ravel()).pvalue > 1e-5


@pytest.mark.thorough
def test_counts_of_pairs_are_multinomial_and_no_two_of_them_independent():
    """Covariances of the counts of T rounds: T p (1 - p) of one pair, -T p^2 of two."""
    runs, rounds, p = 4000, 900, 1 / 9
    counts = np.array(
        [
            duelbench.simulate("random", P, horizon=rounds, run=run, checkpoints=[rounds]).duels.ravel()
            for run in range(runs)
        ]
    )
    assert (counts.sum(axis=1) == rounds).all()
    expected = rounds * (np.diag(np.full(9, p)) - p * p)
    covariance = np.cov(counts.T)
    error = np.sqrt((expected**2 + np.outer(np.diag(expected), np.diag(expected))) / runs)
    assert (np.abs(covariance - expected) < 5 * error).all()


CYCLE = np.array([[0.5, 0.55, 0.45], [0.45, 0.5, 0.55], [0.55, 0.45, 0.5]])


@pytest.mark.thorough
def test_the_winner_of_its_duels_is_recommended_as_often_as_round_by_round():
    def recommended(standing, seed):
        runs = (
            duelbench.simulate(
                "random", CYCLE, horizon=300, run=run, seed=seed, checkpoints=[300], standing_decisions=standing
            )
            for run in range(3000)
        )
        return np.bincount([trace.recommended[-1] for trace in runs], minlength=3)

    assert stats.chi2_contingency([recommended(True, 1), recommended(False, 2)]).pvalue > 1e-5


@pytest.mark.parametrize("rounds", [35, 36, 37])
def test_few_rounds_are_played_one_by_one(rounds):
    """Four for each pair are enough to be played at once: then outcomes are drawn as binomials are."""
    at_once = duelbench.simulate("random", P, horizon=rounds, checkpoints=[rounds])
    one_by_one = duelbench.simulate("random", P, horizon=rounds, checkpoints=[rounds], standing_decisions=False)
    assert np.array_equal(at_once.duels, one_by_one.duels) == (rounds < 36)
    assert at_once.duels.sum() == one_by_one.duels.sum() == one_by_one.decisions == rounds
    assert at_once.decisions == (rounds if rounds < 36 else 1)


def test_late_outcomes_are_played_one_by_one():
    def trace(**options):
        return duelbench.simulate("random", P, horizon=1000, checkpoints=[1000], feedback_batch=10, **options)

    assert np.array_equal(trace().duels, trace(standing_decisions=False).duels)


def test_uniform_counts_a_pair_in_either_order_and_explores_all_pairs():
    state = UNIFORM.start(3, 100, np.random.default_rng(1), True)
    UNIFORM.update(state, 0, 1, 1, 0)
    assert UNIFORM.recommend(state) == 0 and UNIFORM.explored(state) == 3
    UNIFORM.update(state, 1, 0, 1, 0)  # a win each, told in both orders
    UNIFORM.update(state, 2, 1, 1, 0)
    assert UNIFORM.recommend(state) == 2
