"""ppr, place, doubling, kt and the comparison of IIR: like the transcriptions, and never skipping an end."""

import math

import pytest

from duelbench.kernels.comparators import cmp_iir, doubling, kt, place, ppr
from duelbench.kernels.comparators.running_test import FIRST, MIDDLE, OPEN, SECOND
from tests.conformance.literal.identification import comparators as literal

PPR = [math.log(0.05 / 12), math.log(0.3)]
KT = [math.log(20.0), math.log(2.0)]
PLACE = [(1 / 6, 0.0, 1 / 6, 0.0101321), (0.3, 0.1, 0.0, 0.2), (0.5, 0.0, 0.0, 0.4)]
CMP = [(0.25, 1 / 16), (0.125, 1 - math.sqrt(15 / 16)), (0.3, 0.4)]
DOUBLING = [(0.0125, 1), (1.6, 1)]


def compared(e, y):
    """That of IIR, whose coin decides where both have won as often at the end."""
    winner = literal.insertion(e, y, lambda: True)
    return lambda n, wins: MIDDLE if 2 * wins == n and winner(n, wins) else winner(n, wins)


CASES = [
    *[(ppr, literal.ppr(math.exp(level)), (level,), 45) for level in PPR],
    *[(kt, literal.kt(math.exp(-level)), (level,), 45) for level in KT],
    *[(place, literal.place(*parameters), parameters, 80) for parameters in PLACE],
    *[(cmp_iir, compared(*parameters), parameters, 60) for parameters in CMP],
    (doubling, literal.doubling_stage(*DOUBLING[1]), DOUBLING[1], literal.stage(*DOUBLING[1])[0] + 1),
]


@pytest.mark.parametrize(("comparator", "expected", "parameters", "longest"), CASES)
def test_answers_are_those_of_the_transcriptions_and_come_after_the_rounds_left_and_not_before(
    comparator, expected, parameters, longest
):
    winner, rounds_left = comparator.winner, comparator.rounds_left
    seen = set()
    for n in range(1, longest):
        for wins in range(n + 1):
            seen.add(winner(*parameters, n, wins))
            assert winner(*parameters, n, wins) == expected(n, wins), (n, wins)
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
