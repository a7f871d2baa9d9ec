"""The tests of one pair, against figures worked out by hand."""

import math

import numpy as np
import pytest
from scipy import integrate, special

from . import comparators
from .comparators import FIRST, MIDDLE, OPEN, SECOND, fewest
from .evidence import NOTHING, log_evidence, log_product, log_ratio, log_total, series


def straight(verdict, wins):
    """Duels until the first verdict where one arm wins them all, and the verdict."""
    n = 0
    while (outcome := verdict(n, n if wins else 0)) == OPEN:
        n += 1
    return n, outcome


def test_a_majority_goes_to_the_first_arm_when_both_have_half():
    verdict = comparators.majority(4)
    assert [verdict(3, 3), verdict(4, 2), verdict(4, 1)] == [OPEN, FIRST, SECOND]


def test_a_curtailed_majority_ends_with_more_than_half_of_all_duels():
    verdict = comparators.curtailed_majority(4)
    assert [verdict(2, 2), verdict(3, 3), verdict(3, 0), verdict(4, 2)] == [OPEN, FIRST, SECOND, FIRST]


def test_sprt_ends_eleven_wins_ahead():
    verdict = comparators.sprt(0.1, 0.0125)
    assert [verdict(11, 11), verdict(11, 0), verdict(10, 10), verdict(31, 21)] == [FIRST, SECOND, OPEN, FIRST]
    assert verdict(30, 20) == OPEN


@pytest.mark.parametrize(("p", "duels"), [(0.6, 53.743), (0.9, 13.750)])
def test_sprt_takes_as_many_duels_as_a_ruined_gambler(p, duels):
    """The chain of the difference, solved by its distribution from round to round."""
    verdict = comparators.sprt(0.1, 0.0125)
    chances, expected, errors = {0: 1.0}, 0.0, 0.0
    for n in range(1, 3000):
        expected += sum(chances.values())
        grown = {}
        for wins, chance in chances.items():
            for won, probability in ((1, p), (0, 1 - p)):
                outcome = verdict(n, wins + won)
                if outcome == OPEN:
                    grown[wins + won] = grown.get(wins + won, 0.0) + chance * probability
                errors += chance * probability * (outcome == SECOND)
        chances = grown
    assert expected == pytest.approx(duels, abs=5e-4)
    assert errors == pytest.approx(1 / (1 + (p / (1 - p)) ** 11), rel=1e-6)


def test_ppr_takes_twelve_straight_wins_of_a_twelfth_of_a_twentieth():
    assert straight(comparators.ppr(0.05 / 12), wins=True) == (12, FIRST)
    assert straight(comparators.ppr(0.05 / 6), wins=False) == (11, SECOND)


def test_cmp1_ends_after_22_straight_wins_or_at_20593():
    verdict = comparators.cmp1(0.0103150, 0.025)
    assert straight(verdict, wins=True) == (22, FIRST)
    assert [verdict(20592, 10296), verdict(20593, 10297), verdict(20593, 10296)] == [OPEN, FIRST, SECOND]


def test_cmp2_leans_to_the_second_arm():
    verdict = comparators.cmp2(0, 0.05, 0.0125)
    assert straight(verdict, wins=True) == (28, FIRST)
    assert straight(verdict, wins=False) == (22, SECOND)
    assert [verdict(4060, 2100), verdict(4061, 2140), verdict(4061, 2120)] == [OPEN, FIRST, SECOND]


def test_place_has_three_answers():
    verdict = comparators.place(1 / 6, 0, 1 / 6, 0.0101321)
    assert straight(verdict, wins=True) == (25, FIRST)
    assert straight(verdict, wins=False) == (64, SECOND)
    assert [verdict(430, 216), verdict(431, 216), verdict(431, 252)] == [OPEN, MIDDLE, FIRST]
    assert verdict(431, 107) == SECOND


def test_doubling_asks_for_more_and_more_fresh_duels():
    assert [comparators.stage(0.0125, s)[0] for s in (1, 2, 3)] == [803, 3918, 17333]
    verdict = comparators.doubling_stage(0.0125, 1)
    assert [verdict(802, 802), verdict(803, 502), verdict(803, 501), verdict(803, 301)] == [OPEN, FIRST, MIDDLE, SECOND]


def test_kt_ends_after_six_straight_wins():
    assert straight(comparators.kt(0.05), wins=True) == (6, FIRST)
    assert straight(comparators.kt(0.05 / 3), wins=False) == (8, SECOND)


def test_an_insertion_that_is_undecided_at_its_end_is_a_coin():
    coins = [True, False]
    verdict = comparators.insertion(0.25, 1 / 16, lambda: coins.pop(0))
    assert math.ceil(math.log(32) / 0.125) == 28
    assert [verdict(27, 14), verdict(28, 15), verdict(28, 13)] == [OPEN, FIRST, SECOND]
    assert [verdict(28, 14), verdict(28, 14)] == [FIRST, SECOND]


@pytest.mark.parametrize(
    "verdict",
    [
        comparators.majority(9),
        comparators.curtailed_majority(9),
        comparators.sprt(0.1, 0.1),
        comparators.cmp1(0.1, 0.1),
        comparators.cmp2(0.1, 0.3, 0.1),
        comparators.ppr(0.1),
        comparators.place(0.3, 0.1, 0.05, 0.2),
        comparators.kt(0.2),
    ],
)
def test_no_verdict_is_nearer_than_after_wins_alone_or_losses_alone(verdict):
    seen = {(0, 0)}
    for n in range(25):
        for wins in [w for k, w in seen if k == n]:
            if verdict(n, wins) != OPEN:
                continue
            m = 1
            while verdict(n + m, wins + m) == OPEN and verdict(n + m, wins) == OPEN:
                m += 1
            assert fewest(verdict, n, wins) == m
            seen |= {(n + 1, wins), (n + 1, wins + 1)}


def evidence(wins, losses):
    return math.exp(log_evidence(wins, losses))


def test_evidence_of_losses_alone():
    expected = [1, 1 + 2 / math.pi, 2.7732, 4.8343, 8.6191, 15.6418, 28.7827]
    assert [evidence(0, losses) for losses in range(7)] == pytest.approx(expected, abs=5e-5)


@pytest.mark.parametrize(
    ("wins", "losses", "expected"), [(1, 0, 0.36338), (5, 3, 0.169671), (2, 8, 3.26430), (10, 300, 1.22703e73)]
)
def test_evidence_of_mixed_outcomes(wins, losses, expected):
    assert evidence(wins, losses) == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize(("wins", "losses"), [(0, 0), (0, 7), (7, 0), (4, 4), (30, 41), (41, 30), (200, 240)])
def test_evidence_is_a_mixture_of_likelihood_ratios(wins, losses):
    def ratio(p):
        return (2 * p) ** wins * (2 * (1 - p)) ** losses * 2 / (math.pi * math.sqrt(p * (1 - p)))

    mixture, _ = integrate.quad(ratio, 0, 0.5, epsabs=0, epsrel=1e-10, limit=200)
    assert evidence(wins, losses) == pytest.approx(mixture, rel=1e-7)
    total = math.exp(log_total(wins, losses))
    assert evidence(wins, losses) == pytest.approx(total * special.betainc(wins + 0.5, losses + 0.5, 0.5), rel=1e-10)


@pytest.mark.parametrize(("wins", "losses"), [(0, 0), (7, 0), (50, 20), (900, 800), (3000, 10)])
def test_the_series_gives_the_evidence_of_a_leader(wins, losses):
    a = wins + 0.5
    assert math.log(series(a, losses + 0.5) / (math.pi * a)) == pytest.approx(log_evidence(wins, losses), abs=1e-11)


@pytest.mark.parametrize(("wins", "losses"), [(0, 0), (3, 2), (2, 9), (60, 50)])
def test_a_duel_leaves_the_evidence_as_it_is_on_average_where_the_two_are_equal(wins, losses):
    """The wealth of a fair bet at p = 1/2; at p > 1/2 the likelier win is the one that costs."""
    after = (evidence(wins + 1, losses) + evidence(wins, losses + 1)) / 2
    assert after == pytest.approx(evidence(wins, losses), rel=1e-10)
    assert evidence(wins + 1, losses) < evidence(wins, losses)


def test_a_likelihood_ratio_speaks_of_the_loser_alone():
    assert log_ratio(5, 5) == NOTHING
    assert math.exp(log_ratio(0, 8)) == pytest.approx(2**8 / (2 * math.sqrt(8)))


def test_an_arm_is_tested_against_all_others_together():
    """With three arms rho is 1/2: (1 + E(0, 2)) / 2 times (1 + E(1, 0)) / 2."""
    W = np.array([[0, 0, 1], [2, 0, 0], [0, 0, 0]])
    assert math.exp(log_product(W, 0)) == pytest.approx((1 + 2.7732) / 2 * (1 + 0.36338) / 2, rel=1e-4)
    two = np.array([[0, 0], [6, 0]])
    assert math.exp(log_product(two, 0)) == pytest.approx(28.7827, rel=1e-5)
