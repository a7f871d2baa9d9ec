"""SEEBS: its lengths where all is certain, its terms and its stages, by hand; how often it is wrong."""

from duelbench.algorithms.identification.seebs import SEEBS
from tests.algorithms.identification.games import CERTAIN, stopping_times


def test_two_arms_of_which_one_always_wins_take_ninety_duels():
    # The knock-out: place(1/60, 0, 0, x) with x = 2/3 * 6 * .05 / pi^2 * 6 / pi^2 / 2 = .00616, b(26)^2 =
    # ln(pi^2 676 / (3 x)) / 52 = .2461 < 1/4 < b(25)^2. Then the worse arm meets v until it is down, after 64 straight
    # losses.
    assert set(stopping_times(SEEBS, [[0.5, 1.0], [0.0, 0.5]], 4)) == {26 + 64}


def test_the_best_of_four_takes_two_levels_and_is_met_by_the_others():
    # Level 2 has a quarter of the x of level 1: b(29)^2 = ln(4 pi^2 841 / (3 x)) / 58 = .2483 < 1/4 < b(28)^2 = .2559.
    assert set(stopping_times(SEEBS, CERTAIN, 5)) == {2 * 26 + 29 + 3 * 64}
