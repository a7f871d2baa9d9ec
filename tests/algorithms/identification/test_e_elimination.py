"""e-elimination: whose turn it is, when it can end, and how often it is wrong."""

import numpy as np
import pytest

from duelbench.algorithms.contract import NEVER, NO_WINNER
from duelbench.algorithms.identification.e_elimination import E_ELIMINATION
from tests.algorithms.identification.answers import (
    CYCLIC,
    assert_labels_change_no_law_of_tau,
    assert_no_more_wrong_answers_than,
    assert_standing_decisions_change_no_law_of_tau,
    begin,
    decision,
    play_to_the_answer,
    stopping_times,
)


def pairs(state, count):
    return [decision(E_ELIMINATION, state)[:2] for _ in range(count)]


def test_pairs_come_in_turn_in_private_order():
    state, _ = begin(E_ELIMINATION, 4, seed=3)
    a, b, c, d = (int(arm) for arm in state.order)
    sweep = [(a, b), (a, c), (a, d), (b, c), (b, d), (c, d)]
    assert pairs(state, 14) == [*sweep, *sweep, *sweep[:2]]


def test_pairs_with_an_arm_that_is_out_are_skipped():
    state, _ = begin(E_ELIMINATION, 4, seed=3)
    a, b, c, d = (int(arm) for arm in state.order)
    pairs(state, 2)
    E_ELIMINATION.update(state, a, c, 100, 0)
    assert pairs(state, 4) == [(a, d), (b, d), (a, b), (a, d)]
    assert E_ELIMINATION.explored(state) == 3


def test_the_last_pair_stands_until_one_of_its_arms_can_be_out():
    # 1 / delta = 20: E is 15.64 after five straight losses and 28.78 after six.
    state, _ = begin(E_ELIMINATION, 2, delta=0.05)
    first, second, rounds = decision(E_ELIMINATION, state)
    assert rounds == 6
    E_ELIMINATION.update(state, first, second, 5, 0)
    assert decision(E_ELIMINATION, state) == (first, second, 1)
    E_ELIMINATION.update(state, first, second, 1, 0)
    assert decision(E_ELIMINATION, state) == (first, first, NEVER)
    assert E_ELIMINATION.explored(state) == 0 and E_ELIMINATION.answer(state) == first


def test_outcomes_that_come_late_do_not_change_the_answer():
    state, _ = begin(E_ELIMINATION, 2, delta=0.05)
    E_ELIMINATION.update(state, 0, 1, 6, 0)
    assert decision(E_ELIMINATION, state) == (0, 0, NEVER)
    E_ELIMINATION.update(state, 0, 1, 0, 40)
    assert decision(E_ELIMINATION, state) == (0, 0, NEVER)
    assert E_ELIMINATION.answer(state) == 0


def test_a_circle_that_is_told_at_once_has_no_winner():
    state, _ = begin(E_ELIMINATION, 3)
    for i, j in ((0, 1), (1, 2), (2, 0)):
        E_ELIMINATION.update(state, i, j, 50, 0)
    assert decision(E_ELIMINATION, state)[2] == NEVER
    assert E_ELIMINATION.answer(state) == NO_WINNER
    assert E_ELIMINATION.recommend(state) == state.order[0]


def test_in_a_circle_that_is_told_duel_by_duel_an_arm_is_left():
    # The first arm that is out takes its pairs with it, and so the only arm that beats the last one.
    certain = np.array([[0.5, 1.0, 0.0], [0.0, 0.5, 1.0], [1.0, 0.0, 0.5]])
    state, _ = play_to_the_answer(E_ELIMINATION, certain)
    assert E_ELIMINATION.answer(state) in (0, 1, 2)


@pytest.mark.parametrize("delta", [0.05, 0.4])
def test_answers_are_wrong_no_more_often_than_delta(delta):
    _, wrong = stopping_times(E_ELIMINATION, CYCLIC, 400, delta=delta, seed=5)
    assert_no_more_wrong_answers_than(delta, wrong, 400)


def test_a_tie_with_the_best_arm_puts_each_out_no_more_often_than_delta():
    # With p = 1/2 both arms are weak Condorcet winners: each is ever out with probability delta at most.
    out = np.zeros(2)
    for seed in range(300):
        state, rng = begin(E_ELIMINATION, 2, seed=seed, delta=0.2)
        t = 1
        while t < 2000 and E_ELIMINATION.explored(state):
            first, second, rounds = E_ELIMINATION.select(state, t, rng)
            if rounds == NEVER:
                break
            wins = int(rng.binomial(rounds, 0.5))
            E_ELIMINATION.update(state, first, second, wins, rounds - wins)
            t += rounds
        out += ~state.tests.is_in
    for times in out:
        assert_no_more_wrong_answers_than(0.2, int(times), 300)


def test_standing_decisions_change_no_law_of_tau():
    assert_standing_decisions_change_no_law_of_tau(E_ELIMINATION, CYCLIC, 300, horizon=10**4)


def test_labels_change_no_law_of_tau():
    assert_labels_change_no_law_of_tau(E_ELIMINATION, CYCLIC, 300)
