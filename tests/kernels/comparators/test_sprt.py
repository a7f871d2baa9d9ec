"""Wald's test against the gambler's ruin, which it is."""

import math
from functools import partial

import pytest

from duelbench.kernels.comparators import sprt
from tests.kernels.comparators.slow import assert_rounds_left_passes_over_no_end, law


def test_the_lead_is_the_first_that_makes_the_likelihood_ratio_large_enough():
    # ln 79 / ln 1.5 = 10.7764.
    assert sprt.lead_needed(0.1, 0.0125) == 11


@pytest.mark.parametrize(("h", "error"), [(0.02, 0.1), (0.1, 0.0125), (0.4, 0.3), (0.499999, 0.01)])
def test_one_win_less_would_leave_the_error_too_large(h, error):
    lead = sprt.lead_needed(h, error)
    odds = (0.5 + h) / (0.5 - h)
    assert 1 / (1 + odds**lead) < error
    assert lead == 1 or 1 / (1 + odds ** (lead - 1)) >= error


def test_a_lead_that_no_run_reaches_is_a_number_all_the_same():
    # 30 ln 10 / (4e-7), as ln((1/2 + h) / (1/2 - h)) is 4h for small h.
    assert sprt.lead_needed(1e-7, 1e-30) == pytest.approx(30 * math.log(10) / 4e-7, rel=1e-6)


@pytest.mark.parametrize(("p", "wrong", "duels"), [(0.6, 0.011429, 53.743), (0.9, 0.0, 13.750)])
def test_the_law_is_that_of_the_gamblers_ruin(p, wrong, duels):
    # (c / 2z) (1 - 2 / (1 + r^c)) duels, z the gap, r the odds; the wrong arm wins with probability 1 / (1 + r^c).
    exact = law(partial(sprt.verdict, 11), p)
    odds = p / (1 - p)
    ruin = 1 / (1 + odds**11)
    assert exact == pytest.approx((1 - ruin, 11 / (2 * p - 1) * (1 - 2 * ruin)), rel=1e-9)
    assert exact.duels == pytest.approx(duels, abs=6e-4) and 1 - exact.first_wins == pytest.approx(wrong, abs=6e-7)


@pytest.mark.parametrize("lead", [1, 2, 5])
def test_no_end_is_passed_over(lead):
    assert_rounds_left_passes_over_no_end(partial(sprt.verdict, lead), partial(sprt.rounds_left, lead), 25)


@pytest.mark.parametrize("lead", [1, 4])
def test_the_second_arm_wins_as_the_first_does(lead):
    assert [sprt.verdict(lead, 12, wins) for wins in range(13)] == [-sprt.verdict(lead, 12, 12 - w) for w in range(13)]
    assert math.isclose(law(partial(sprt.verdict, lead), 0.5).first_wins, 0.5, rel_tol=1e-9)
