"""Kullback-Leibler divergences and their inverses, against arithmetic with 60 and 90 digits."""

import math
from decimal import Decimal, localcontext

import numpy as np
import pytest

from duelbench.kernels.divergence import kl, kl_lower, kl_to_half, kl_ucb, kl_upper, negative_entropy
from duelbench.problem.copeland_program import divergence_to_half

GAPS = [2.0**-53, 1e-15, 1e-12, 3e-9, 1e-6, 1e-4, 0.003, 0.01, *np.linspace(0.02, 0.48, 24).tolist()]
NEXT_TO_ONE = [1 - 1e-3, 1 - 1e-6, 1 - 1e-12, 1 - 2.0**-53]


def units_off(computed: float, exact: Decimal) -> float:
    """The error in units in the last place."""
    return float(abs(Decimal(computed) - exact) / Decimal(math.ulp(float(exact))))


def exact_divergence(p: Decimal, q: Decimal) -> Decimal:
    """d(p, q), with ninety digits, of which as many are lost as cancel."""
    with localcontext() as context:
        context.prec = 90
        return p * (p / q).ln() + (1 - p) * ((1 - p) / (1 - q)).ln()


def at_half(p: float) -> Decimal:
    return exact_divergence(Decimal(p), Decimal("0.5"))


class TestDivergenceFromOneHalf:
    @pytest.mark.parametrize("sign", [-1, 1])
    def test_is_right_to_a_few_units_in_the_last_place_also_next_to_one_half(self, sign):
        for gap in GAPS:
            p = 0.5 + sign * gap
            if p != 0.5:
                assert units_off(kl_to_half(p), at_half(p)) < 8, p
        for p in NEXT_TO_ONE:
            assert units_off(kl_to_half(p), at_half(p)) < 8, p
            assert units_off(kl_to_half(1 - p), at_half(1 - p)) < 8, 1 - p

    def test_is_zero_for_one_half_alone_and_ln_2_at_the_ends(self):
        assert kl_to_half(0.5) == 0.0 and kl_to_half(0.0) == kl_to_half(1.0) == math.log(2)
        assert kl_to_half(np.nextafter(0.5, 0.0)) > 0.0 and kl_to_half(np.nextafter(0.5, 1.0)) > 0.0

    def test_grows_where_one_formula_takes_over_from_the_other(self):
        p = 0.75
        around = [kl_to_half(p + k * 1e-14) for k in range(-5, 6)]
        assert around == sorted(set(around))

    def test_of_the_bounds_is_as_good(self):
        for gap in [*GAPS, *(p - 0.5 for p in NEXT_TO_ONE)]:
            with localcontext() as context:
                context.prec = 90
                exact = exact_divergence(Decimal("0.5") + Decimal(gap), Decimal("0.5"))
            assert units_off(float(divergence_to_half(np.array(gap))), exact) < 8, gap
            assert divergence_to_half(np.array(-gap)) == divergence_to_half(np.array(gap))

    def test_is_that_of_any_two_numbers(self):
        assert kl(0.3, 0.5) == pytest.approx(kl_to_half(0.3), rel=1e-14)


class TestBounds:
    @pytest.mark.parametrize("limit", [1e-9, 1e-4, 0.03, 1.0, 7.0, 40.0, 300.0])
    @pytest.mark.parametrize("mean", [1e-6, 1 / 9, 0.25, 0.5, 4 / 9, 0.9, 1 - 1e-6])
    def test_the_divergence_of_an_index_is_the_limit(self, mean, limit):
        s = kl_ucb(mean, negative_entropy(mean), limit)
        # In floating point the divergence is known to 1e-16 or so, and its slope in s is 1 - mean / q.
        error = Decimal(2e-15 * max(s, 1) / (1 + mean / math.expm1(-s)) + 2e-16 * s)
        assert divergence_at(mean, Decimal(s) - error) < Decimal(limit) < divergence_at(mean, Decimal(s) + error)

    @pytest.mark.parametrize("p", [0.05, 0.3, 0.5, 0.8, 0.999])
    @pytest.mark.parametrize("c", [1e-4, 0.1, 2.0])
    def test_bounds_are_at_the_divergence_c(self, p, c):
        above, below = kl_upper(p, c), kl_lower(p, c)
        assert below < p < above
        assert below == pytest.approx(1 - kl_upper(1 - p, c), abs=1e-15)
        if above < 1 - 1e-6:
            assert float(exact_divergence(Decimal(p), Decimal(above))) == pytest.approx(c, rel=1e-9)
        if below > 1e-6:
            assert float(exact_divergence(Decimal(p), Decimal(below))) == pytest.approx(c, rel=1e-9)


def divergence_at(mean: float, s: Decimal) -> Decimal:
    """d(mean, 1 - exp(-s))."""
    with localcontext() as context:
        context.prec = 60
        p = Decimal(mean)
        q = 1 - (-s).exp()
        return p * (p / q).ln() + (1 - p) * ((1 - p).ln() + s)
