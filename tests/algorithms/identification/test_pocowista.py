"""POCOWISTA and TRA-POCOWISTA: what they know and whom they test, by hand; how often they are wrong."""

import itertools
import math

import numpy as np
import pytest

from duelbench.algorithms.identification.pocowista import (
    POCOWISTA,
    TRA_POCOWISTA,
)
from tests.algorithms.identification.games import CERTAIN, stopping_times

CERTAIN_CIRCLE = np.array([[0.5, 1.0, 0.0], [0.0, 0.5, 1.0], [1.0, 0.0, 0.5]])


@pytest.mark.parametrize(("algorithm", "pairs"), [(POCOWISTA, 1.0), (TRA_POCOWISTA, 2 * math.log(2))])
@pytest.mark.parametrize("categories", [2, 3])
def test_two_arms_duel_until_the_density_is_low_enough(algorithm, pairs, categories):
    # (n + 1) / 2^n <= .05 / (pairs (categories - 1)): for POCOWISTA 8 and 9 straight wins, 9/256 = .035 and
    # 10/512 = .0195.
    level = 0.05 / pairs / (categories - 1)
    n = next(n for n in itertools.count() if (n + 1) / 2**n <= level)
    assert set(stopping_times(algorithm, [[0.5, 1.0], [0.0, 0.5]], 4, categories=categories)) == {n}


def test_tra_pocowista_tests_each_new_arm_once():
    # .05 / (2 * 4 ln 4) = .0045: 12 straight wins, too; three tests, in whatever order.
    assert set(stopping_times(TRA_POCOWISTA, CERTAIN, 100)) == {36}


def test_an_arm_of_a_certain_circle_is_a_copeland_winner_after_two_tests():
    # Two tests in a circle of three: a beats b, b beats c. co = (1, 1, 0), po = (2, 1, 1): a.
    # .05 / 3 / 2 = .00833: 11 straight wins.
    assert set(stopping_times(POCOWISTA, CERTAIN_CIRCLE, 20)) == {2 * 11}
