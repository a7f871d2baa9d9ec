"""ppr, place, doubling, kt and the comparison of IIR: by their formulas, and never skipping an end."""

import math

import pytest
from scipy import special

from duelbench.kernels.comparators import cmp_iir, doubling, kt, place, ppr
from duelbench.kernels.comparators.running_test import FIRST, MIDDLE, OPEN, SECOND

PPR = [math.log(0.05 / 12), math.log(0.3)]
KT = [math.log(20.0), math.log(2.0)]
PLACE = [(1 / 6, 0.0, 1 / 6, 0.0101321), (0.3, 0.1, 0.0, 0.2), (0.5, 0.0, 0.0, 0.4)]
CMP = [(0.25, 1 / 16), (0.125, 1 - math.sqrt(15 / 16)), (0.3, 0.4)]
DOUBLING = [(0.0125, 1), (1.6, 1)]


def expected_ppr(log_level, n, wins):
    if (n + 1) * special.comb(n, wins) / 2.0**n > math.exp(log_level):
        return OPEN
    return FIRST if wins > n / 2 else SECOND


def expected_kt(log_level, n, wins):
    a, b = wins + 0.5, n - wins + 0.5
    both = 2.0 ** (n + 1) * special.beta(a, b) / math.pi
    loses = both * special.betainc(a, b, 0.5)  # the evidence that the first arm loses
    if both - loses >= math.exp(log_level):
        return FIRST
    return SECOND if loses >= math.exp(log_level) else OPEN


def expected_place(e, up, down, x, n, wins):
    q, b = wins / n, math.sqrt(math.log(math.pi**2 * n**2 / (3 * x)) / (2 * n))
    if q - b > 0.5 + up:
        return FIRST
    if q + b < 0.5 - down:
        return SECOND
    if n < math.ceil(2 * math.log(4 / x) / e**2):
        return OPEN
    return FIRST if q > 0.5 + e / 2 + up else SECOND if q < 0.5 - e / 2 - down else MIDDLE


def expected_cmp(e, y, n, wins):
    q, b = wins / n, math.sqrt(math.log(math.pi**2 * n**2 / (3 * y)) / (2 * n))
    if abs(q - 0.5) <= b and n < math.ceil(math.log(2 / y) / (2 * e**2)):
        return OPEN
    return FIRST if q > 0.5 else SECOND if q < 0.5 else MIDDLE


def expected_doubling(g, s, n, wins):
    h, g_s = 2.0 ** (-s - 1), 6 * g / (math.pi * s) ** 2
    if n < math.ceil(8 * math.log(4 / g_s) / h**2):
        return OPEN
    return MIDDLE if abs(2 * wins / n - 1) <= h else FIRST if wins > n / 2 else SECOND


CASES = [
    *[(ppr, expected_ppr, (level,), 45) for level in PPR],
    *[(kt, expected_kt, (level,), 45) for level in KT],
    *[(place, expected_place, parameters, 80) for parameters in PLACE],
    *[(cmp_iir, expected_cmp, parameters, 60) for parameters in CMP],
    *[(doubling, expected_doubling, parameters, 200) for parameters in DOUBLING[1:]],
]


@pytest.mark.parametrize(("comparator", "expected", "parameters", "longest"), CASES)
def test_answers_are_those_of_the_formulas_and_come_after_the_rounds_left_and_not_before(
    comparator, expected, parameters, longest
):
    winner, rounds_left = comparator.winner, comparator.rounds_left
    seen = set()
    for n in range(1, longest):
        for wins in range(n + 1):
            seen.add(winner(*parameters, n, wins))
            assert winner(*parameters, n, wins) == expected(*parameters, n, wins), (n, wins)
    assert seen >= {OPEN, FIRST, SECOND}
    for n in range(1, longest, 4):
        for wins in range(0, n + 1, 3):
            if winner(*parameters, n, wins) == OPEN:
                m = rounds_left(*parameters, n, wins)
                before = range(wins, wins + m)  # all that m - 1 duels may show
                assert all(winner(*parameters, n + m - 1, won) == OPEN for won in before)
                after = (wins, wins + m, *range(wins + 1, wins + m))
                assert any(winner(*parameters, n + m, won) != OPEN for won in after)


@pytest.mark.parametrize(
    ("comparator", "parameters"),
    [(ppr, PPR[:1]), (kt, KT[:1]), (place, PLACE[0]), (cmp_iir, CMP[0]), (doubling, DOUBLING[0])],
)
def test_more_duels_than_were_asked_for_end_a_test_as_well(comparator, parameters):
    assert comparator.winner(*parameters, 1000, 900) == FIRST
    assert comparator.winner(*parameters, 1000, 100) == SECOND
    assert comparator.rounds_left(*parameters, 5, 3) > 1
    assert comparator not in (ppr, kt) or comparator.winner(*parameters, 0, 0) == OPEN
