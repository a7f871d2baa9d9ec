"""Batched elimination: what a batch is, who leaves after it, and how many there are."""

import numpy as np
import pytest

import duelbench
from duelbench.algorithms.contract import NO_WINNER
from duelbench.algorithms.identification.batched_elimination import BATCHED_ELIMINATION, batch_sizes
from tests.algorithms.identification.games import (
    begin,
    decision,
    play_to_the_answer,
)

CERTAIN = np.triu(np.ones((4, 4)), 1) + 0.5 * np.eye(4)
CIRCLE = np.array([[0.5, 1.0, 0.0], [0.0, 0.5, 1.0], [1.0, 0.0, 0.5]])


class TestSizes:
    def test_they_are_the_powers_of_the_horizon(self):
        sizes = batch_sizes(10**6, 16)
        assert sizes[:8] == [2, 5, 13, 31, 74, 177, 421, 1000]
        assert sizes[-1] == 10**6

    @pytest.mark.parametrize("degree", [2, 3, 5, 7])
    def test_whole_roots_are_not_rounded_down(self, degree):
        for base in (10, 11, 999):
            assert batch_sizes(base**degree, degree) == [base**r for r in range(1, degree + 1)]


def test_the_next_batch_begins_when_all_outcomes_are_there():
    state, _ = begin(BATCHED_ELIMINATION, 2)
    a, b = (int(arm) for arm in state.arms)
    assert decision(BATCHED_ELIMINATION, state, 3) == (a, a, 1)
    BATCHED_ELIMINATION.update(state, a, b, 0, 1)
    assert decision(BATCHED_ELIMINATION, state, 5) == (b, b, 1)
    assert state.progress[0].n_over == 0
    BATCHED_ELIMINATION.update(state, a, b, 1, 0)
    assert decision(BATCHED_ELIMINATION, state, 6) == (a, b, 3)
    assert decision(BATCHED_ELIMINATION, state, 8) == (a, b, 1)
    assert state.progress[0].n_over == 1


def test_all_losers_leave_together_as_soon_as_they_can():
    # Certain wins: 1/2 > sqrt(ln(3 * 16 / 0.05) / (2m)) iff m > 13.7, and so after the fourth batch, m = 31.
    for seed in range(5):
        state, rounds = play_to_the_answer(BATCHED_ELIMINATION, CERTAIN, seed=seed)
        assert rounds == 6 * 31
        assert state.progress[0].n_over == 4
        assert BATCHED_ELIMINATION.answer(state) == 0


def test_where_all_arms_leave_there_is_no_winner():
    # 1/2 > sqrt(ln(2 * 16 / 0.05) / (2m)) iff m > 12.9, and so after the third batch, m = 13.
    state, rounds = play_to_the_answer(BATCHED_ELIMINATION, CIRCLE)
    assert rounds == 3 * 13
    assert BATCHED_ELIMINATION.answer(state) == NO_WINNER
    assert BATCHED_ELIMINATION.recommend(state) in (0, 1, 2)


def test_late_outcomes_are_waited_for_and_cost_no_duel_of_two_arms():
    # Four batches, after each of which the next outcomes are there in six rounds at most.
    trace = duelbench.simulate(BATCHED_ELIMINATION, CERTAIN, horizon=10**6, feedback_delay=7, shuffle_arms=True)
    assert trace.duels.sum() - np.trace(trace.duels) == 6 * 31
    assert 186 <= trace.finished - 1 <= 186 + 4 * 6


def test_numbers_of_duels_that_nobody_can_count_are_no_trouble():
    trace = duelbench.simulate(BATCHED_ELIMINATION, np.full((40, 40), 0.5), horizon=10**15, batches=1)
    assert trace.duels.sum() == 10**15 and trace.finished == 0
