"""e-elimination: whose turn it is, when it can end, and how often it is wrong."""

from duelbench.algorithms.contract import NEVER, NO_WINNER
from duelbench.algorithms.identification.e_elimination import E_ELIMINATION
from tests.algorithms.identification.games import (
    begin,
    decision,
)


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
