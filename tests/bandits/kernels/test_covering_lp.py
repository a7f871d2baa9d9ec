"""Covering programs: optima derived by hand, and against exact arithmetic on integers."""

import numpy as np
import pytest

from duelbench.bandits.kernels.covering_lp import change_costs, impose, new_program, restart, set_up, settle
from tests.conformance.literal.cw_rmed import lexicographic_minimum


def impose_all(program, sets):
    """Impose those of the sets that have too little, over and over until none has."""
    again = True
    while again:
        again = False
        for members in sets:
            if program.share[members].sum() < 1 - 1e-9:
                impose(program, np.array(members), len(members))
                assert not program.memo[0].given_up
                again = True


def solved(cost, effort, sets):
    program = new_program(len(cost), len(cost))
    set_up(program, np.array(cost, float), np.array(effort, float))
    impose_all(program, sets)
    return program


def exact(cost, effort, sets):
    """The same for whole prices, without rounding errors."""
    rows = np.zeros((len(sets), len(cost)), np.int64)
    for row, members in zip(rows, sets, strict=True):
        row[members] = 1
    box = np.eye(len(cost), dtype=np.int64)
    limits = np.array([0] * len(cost) + [1] * len(sets))
    prices = np.array([[int(x) for x in cost], [int(x) for x in effort]], object)
    values, denominator = lexicographic_minimum(prices, np.vstack([box, rows]), limits)
    return np.array([value / denominator for value in values[2:]])


def random_sets(rng, n):
    return [rng.permutation(n)[: rng.integers(1, n)].tolist() for _ in range(rng.integers(1, 3 * n))]


TRIANGLE = [[0, 1], [1, 2], [0, 2]]


@pytest.mark.parametrize(
    ("cost", "effort", "sets", "shares"),
    [
        ([1, 1, 1], [1, 1, 1], TRIANGLE, [0.5, 0.5, 0.5]),
        ([1, 1, 3], [1, 1, 1], TRIANGLE, [1, 1, 0]),  # a dear share is avoided
        ([1, 1], [1, 2], [[0, 1]], [1, 0]),  # of equal costs the least effort counts
        ([1, 1, 1], [1, 1, 1], [[0, 1, 2]], [0, 0, 1]),  # of equal efforts the lexicographically smallest shares
        ([0, 0, 1], [5, 1, 1], [[0, 1], [0, 2]], [1, 0, 0]),  # what costs nothing is used with least effort
        ([1, 0], [1, 1], [], [0, 0]),
    ],
)
def test_optima_are_those_found_by_hand(cost, effort, sets, shares):
    assert solved(cost, effort, sets).share.tolist() == shares


def test_going_on_from_the_old_answer_finds_the_new_one():
    rng = np.random.default_rng(1964)
    kept = changed = 0
    for _ in range(10):
        n = int(rng.integers(5, 9))
        sets = random_sets(rng, n)
        cost, effort = rng.integers(0, 20, n), rng.integers(1, 20, n)
        program = solved(cost, effort, sets)
        for _ in range(40):
            p = rng.integers(n)
            cost[p] = rng.integers(0, 20)
            effort[p] = rng.integers(1, 20)
            before = program.share.copy()
            if change_costs(program, cost.astype(float), effort.astype(float)):
                assert np.array_equal(program.share, before)
                kept += 1
            else:
                changed += 1
                settle(program)
                impose_all(program, sets)
            assert program.share == pytest.approx(exact(cost, effort, sets), abs=1e-9)
    assert kept > 50 and changed > 50


def test_a_new_beginning_keeps_the_sets_that_mattered_and_rounding_errors_cannot_keep_it_from_an_end():
    program = solved([1, 1, 3], [1, 1, 1], TRIANGLE)
    restart(program)
    assert program.share.tolist() == [1.0, 1.0, 0.0]
    set_up(program, np.ones(3), np.ones(3))
    program.memo[0].pivots = 10**9
    impose(program, np.array([0, 1]), 2)
    assert program.memo[0].given_up
    set_up(program, np.ones(3), np.ones(3))
    assert not program.memo[0].given_up
