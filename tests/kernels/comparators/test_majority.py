"""Majority of a fixed number of duels, also when a match ends as soon as its winner is known."""

from functools import partial

import pytest

from duelbench.kernels.comparators import majority
from tests.kernels.comparators.slow import assert_rounds_left_passes_over_no_end, law


@pytest.mark.parametrize("most", [1, 2, 7, 8])
@pytest.mark.parametrize("curtail", [False, True])
def test_no_end_is_passed_over(most, curtail):
    enough = majority.enough_wins(most, curtail)
    assert_rounds_left_passes_over_no_end(
        partial(majority.verdict, most, enough), partial(majority.rounds_left, most, enough), most
    )


@pytest.mark.parametrize("most", [1, 2, 7, 8])
def test_a_match_that_ends_early_has_the_same_winner_and_takes_fewer_duels(most):
    whole, early = (
        law(partial(majority.verdict, most, majority.enough_wins(most, curtail)), 0.6) for curtail in (False, True)
    )
    assert early.first_wins == pytest.approx(whole.first_wins, abs=1e-12)
    assert whole.duels == pytest.approx(most)
    assert early.duels < most or most <= 2


def test_of_three_duels_two_are_enough():
    # p = 1/2: two of three are won with probability 1/2, and the third is needed in half of all cases.
    assert law(partial(majority.verdict, 3, 2), 0.5) == pytest.approx((0.5, 2.5))


def test_half_of_the_duels_is_enough_for_the_first_arm():
    # p = 1/2, four duels: 2, 3 or 4 wins have the probability 11/16.
    assert law(partial(majority.verdict, 4, 4), 0.5) == pytest.approx((11 / 16, 4))


def test_duels_beyond_the_last_one_count_as_well():
    assert majority.verdict(4, 4, 7, 3) == -1 and majority.verdict(4, 4, 7, 4) == 1
