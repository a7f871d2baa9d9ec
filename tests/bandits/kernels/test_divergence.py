"""Kullback-Leibler divergences and their inverses, against arithmetic with 60 and 90 digits."""

import itertools
import math
from decimal import Decimal, localcontext

import numpy as np
import pytest

from duelbench.bandits.kernels.divergence import kl, kl_lower, kl_to_half, kl_ucb, kl_upper, negative_entropy
from duelbench.bandits.problem.copeland_program import divergence_to_half

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


def test_the_divergence_from_one_half_is_right_to_a_few_units_in_the_last_place_also_next_to_it():
    half = Decimal("0.5")
    for p in [*(0.5 + gap for gap in GAPS), *(0.5 - gap for gap in GAPS), *NEXT_TO_ONE, *(1 - p for p in NEXT_TO_ONE)]:
        if p != 0.5:
            assert kl_to_half(p) > 0 and units_off(kl_to_half(p), exact_divergence(Decimal(p), half)) < 8, p
    assert kl_to_half(0.5) == 0.0 and kl_to_half(0.0) == kl_to_half(1.0) == math.log(2)
    around = [kl_to_half(0.75 + k * 1e-14) for k in range(-5, 6)]  # one formula takes over from the other
    assert around == sorted(set(around))
    assert kl(0.3, 0.5) == pytest.approx(kl_to_half(0.3), rel=1e-14)
    for gap in [*GAPS, *(p - 0.5 for p in NEXT_TO_ONE)]:  # that of the lower bounds is as good
        with localcontext() as context:
            context.prec = 90
            exact = exact_divergence(half + Decimal(gap), half)
        assert units_off(float(divergence_to_half(np.array(gap))), exact) < 8, gap
        assert divergence_to_half(np.array(-gap)) == divergence_to_half(np.array(gap))


def divergence_at(mean: float, s: Decimal) -> Decimal:
    """d(mean, 1 - exp(-s))."""
    with localcontext() as context:
        context.prec = 60
        p = Decimal(mean)
        q = 1 - (-s).exp()
        return p * (p / q).ln() + (1 - p) * ((1 - p).ln() + s)


@pytest.mark.parametrize("limit", [1e-9, 1e-4, 0.03, 1.0, 7.0, 40.0, 300.0])
def test_the_divergence_of_an_index_is_the_limit(limit):
    for mean in (1e-6, 1 / 9, 0.25, 0.5, 0.9, 1 - 1e-6):
        s = kl_ucb(mean, negative_entropy(mean), limit)
        # In floating point the divergence is known to 1e-16 or so, and its slope in s is 1 - mean / q.
        error = Decimal(2e-15 * max(s, 1) / (1 + mean / math.expm1(-s)) + 2e-16 * s)
        assert divergence_at(mean, Decimal(s) - error) < Decimal(limit) < divergence_at(mean, Decimal(s) + error)


def test_bounds_are_at_the_divergence_c():
    for p, c in itertools.product([0.05, 0.3, 0.5, 0.8, 0.999], [1e-4, 0.1, 2.0]):
        assert kl_lower(p, c) < p < kl_upper(p, c)
        assert kl_lower(p, c) == pytest.approx(1 - kl_upper(1 - p, c), abs=1e-15)
        for end in (kl_lower(p, c), kl_upper(p, c)):
            if 1e-6 < end < 1 - 1e-6:
                assert float(exact_divergence(Decimal(p), Decimal(end))) == pytest.approx(c, rel=1e-9)
