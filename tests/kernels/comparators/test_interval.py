"""The intervals round the share of wins: ends worked out by hand, and what they promise, by their exact laws."""

from functools import partial

import pytest

from duelbench.kernels.comparators import interval
from tests.kernels.comparators.slow import assert_rounds_left_passes_over_no_end, law, straight


def verdict_of(parameters):
    return partial(interval.verdict, *parameters)


def test_ends_of_the_test_for_the_better_arm():
    # 0.0103150 is epsilon_1 of Knockout for epsilon = 0.05: (2^(1/3) - 1) 0.05 / 2^(1/3).
    parameters = interval.better_up_to(0.0103150, 0.025)
    assert parameters[-1] == 20593
    assert straight(verdict_of(parameters), True) == straight(verdict_of(parameters), False) == 22


def test_ends_of_the_test_between_two_gaps():
    parameters = interval.between(0.0, 0.05, 0.0125)
    assert parameters[-1] == 4061
    assert straight(verdict_of(parameters), True) == 28
    assert straight(verdict_of(parameters), False) == 22


TESTS = {
    "better": interval.better_up_to(0.2, 0.1),
    "better, closely": interval.better_up_to(0.1, 0.3),
    "between": interval.between(0.0, 0.4, 0.1),
    "between other gaps": interval.between(0.1, 0.4, 0.3),
}


@pytest.mark.parametrize("name", TESTS)
def test_no_end_is_passed_over(name):
    parameters = TESTS[name]
    assert_rounds_left_passes_over_no_end(
        verdict_of(parameters), partial(interval.rounds_left, *parameters), min(60, parameters[-1])
    )


@pytest.mark.parametrize("gap", [0.2, 0.3])
def test_the_better_arm_wins_where_the_gap_matters(gap):
    assert law(verdict_of(TESTS["better"]), 0.5 + gap).first_wins >= 0.9
    assert law(verdict_of(TESTS["better"]), 0.5 - gap).first_wins <= 0.1
    assert law(verdict_of(TESTS["better, closely"]), 0.5 + gap / 2).first_wins >= 0.7


@pytest.mark.parametrize(
    ("name", "low", "high", "delta"), [("between", 0.0, 0.4, 0.1), ("between other gaps", 0.1, 0.4, 0.3)]
)
def test_a_gap_outside_of_the_two_has_the_right_verdict(name, low, high, delta):
    assert law(verdict_of(TESTS[name]), 0.5 + low).first_wins <= delta
    assert law(verdict_of(TESTS[name]), 0.5 + high).first_wins >= 1 - delta


def test_at_the_last_duel_half_of_the_wins_are_not_enough():
    parameters = interval.better_up_to(0.2, 0.1)
    most = parameters[-1]
    assert most == 38
    assert [interval.verdict(*parameters, most, wins) for wins in (18, 19, 20)] == [-1, -1, 1]


def test_a_test_longer_than_any_run_has_a_length_all_the_same():
    assert interval.better_up_to(1e-20, 0.1)[-1] > interval.between(0.0, 1e-20, 0.1)[-1] == 2**62
