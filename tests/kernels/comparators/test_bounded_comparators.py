"""interval, majority and sprt: ends worked out by hand, no end passed over, and what they promise, by exact laws."""

import math
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import pytest

from duelbench.kernels.comparators import interval, majority, sprt
from duelbench.kernels.comparators.running_test import FIRST, OPEN
from tests.conformance.literal.identification.comparators import fewest


class Law(NamedTuple):
    """How a test ends.

    first_wins : float. The probability that the first arm wins it.
    duels : float. The expected number of duels.
    """

    first_wins: float
    duels: float


def law(winner: Callable[[int, int], int], p: float, rest: float = 1e-13) -> Law:
    """The law of a test in which the first arm wins each duel with probability ``p``, duel by duel.

    What is left when the test is still open with probability ``rest`` only is left out.
    """
    still_open = {0: 1.0}  # wins -> probability
    first_wins = duels = 0.0
    n = 0
    while sum(still_open.values()) > rest:
        duels += sum(still_open.values())
        n += 1
        following: dict[int, float] = {}
        for wins, probability in still_open.items():
            for won, chance in ((1, p), (0, 1.0 - p)):
                if chance == 0.0:
                    continue
                ended = winner(n, wins + won)
                if ended == OPEN:
                    following[wins + won] = following.get(wins + won, 0.0) + probability * chance
                elif ended == FIRST:
                    first_wins += probability * chance
        still_open = following
    return Law(first_wins, duels)


def straight(winner: Callable[[int, int], int], first: bool) -> int:
    """How many duels a test takes of which one arm wins all."""
    n = 1
    while winner(n, n if first else 0) == OPEN:
        n += 1
    return n


BETTER, CLOSELY = interval.better_up_to(0.2, 0.1), interval.better_up_to(0.1, 0.3)
BETWEEN, OTHER_GAPS = interval.between(0.0, 0.4, 0.1), interval.between(0.1, 0.4, 0.3)
TESTS = [
    *[(interval, parameters, min(60, parameters[-1])) for parameters in (BETTER, CLOSELY, BETWEEN, OTHER_GAPS)],
    *[(majority, (most, majority.enough_wins(most, early)), most) for most in (1, 2, 7, 8) for early in (0, 1)],
    *[(sprt, (lead,), 25) for lead in (1, 2, 5)],
]


@pytest.mark.parametrize(("comparator", "parameters", "most"), TESTS)
def test_no_end_is_passed_over(comparator, parameters, most):
    winner = partial(comparator.winner, *parameters)
    for n in range(most):
        for wins in range(n + 1):
            if winner(n, wins) == OPEN:
                assert comparator.rounds_left(*parameters, n, wins) == fewest(winner, n, wins), (n, wins)


def test_intervals_end_where_they_were_worked_out_to_end():
    # 0.0103150 is epsilon_1 of Knockout for epsilon = 0.05: (2^(1/3) - 1) 0.05 / 2^(1/3).
    for parameters, most, first, second in [
        (interval.better_up_to(0.0103150, 0.025), 20593, 22, 22),
        (interval.between(0.0, 0.05, 0.0125), 4061, 28, 22),
    ]:
        winner = partial(interval.winner, *parameters)
        assert (parameters[-1], straight(winner, True), straight(winner, False)) == (most, first, second)
    # At the last duel half of the wins are not enough.
    assert BETTER[-1] == 38
    assert [interval.winner(*BETTER, 38, wins) for wins in (18, 19, 20)] == [-1, -1, 1]


@pytest.mark.parametrize(
    ("parameters", "loses_at", "wins_at", "delta"),
    [(BETTER, -0.2, 0.2, 0.1), (CLOSELY, -0.1, 0.1, 0.3), (BETWEEN, 0.0, 0.4, 0.1), (OTHER_GAPS, 0.1, 0.4, 0.3)],
)
def test_an_interval_gives_the_right_answer_where_the_gap_matters(parameters, loses_at, wins_at, delta):
    winner = partial(interval.winner, *parameters)
    assert law(winner, 0.5 + loses_at).first_wins <= delta
    assert law(winner, 0.5 + wins_at).first_wins >= 1 - delta


@pytest.mark.parametrize("most", [1, 2, 7, 8])
def test_a_match_that_ends_early_has_the_same_winner_and_takes_fewer_duels(most):
    whole, early = (
        law(partial(majority.winner, most, majority.enough_wins(most, curtail)), 0.6) for curtail in (False, True)
    )
    assert early.first_wins == pytest.approx(whole.first_wins, abs=1e-12)
    assert whole.duels == pytest.approx(most)
    assert early.duels < most or most <= 2


def test_walds_lead_is_the_first_that_makes_the_likelihood_ratio_large_enough():
    assert sprt.lead_needed(0.1, 0.0125) == 11  # ln 79 / ln 1.5 = 10.7764
    for h, error in [(0.02, 0.1), (0.1, 0.0125), (0.4, 0.3), (0.499999, 0.01)]:
        lead, odds = sprt.lead_needed(h, error), (0.5 + h) / (0.5 - h)
        assert 1 / (1 + odds**lead) < error
        assert lead == 1 or 1 / (1 + odds ** (lead - 1)) >= error
    # No run reaches this one, 30 ln 10 / (4e-7): ln((1/2 + h) / (1/2 - h)) is 4h for small h.
    assert sprt.lead_needed(1e-7, 1e-30) == pytest.approx(30 * math.log(10) / 4e-7, rel=1e-6)


@pytest.mark.parametrize("p", [0.6, 0.9, 0.3])
def test_walds_law_is_that_of_the_gamblers_ruin(p):
    # (c / 2z) (1 - 2 / (1 + r^c)) duels, z the gap, r the odds; the wrong arm wins with probability 1 / (1 + r^c).
    ruin = 1 / (1 + (p / (1 - p)) ** 11)
    expected = 1 - ruin, 11 / (2 * p - 1) * (1 - 2 * ruin)
    assert law(partial(sprt.winner, 11), p) == pytest.approx(expected, rel=1e-9)
