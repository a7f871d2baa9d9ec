"""Strongest superior: whom its leader meets, by hand, on its transcription."""

import numpy as np

from tests.conformance.literal.by_hand import TWO_ARMS, Script, in_order
from tests.conformance.literal.identification.e_elimination import StrongestSuperior


def test_two_arms_are_the_strongest_superior_of_each_other():
    """Arm 1 leads, being first, until it has lost a duel; then it has 5 more to lose."""
    draws = [("beta", 0.5, 0.5, 0.9), *(("beta", 0.5, 1.5 + lost, 0.9) for lost in range(5))]
    oracle = StrongestSuperior(2, 100, Script(in_order(1, 0), *draws))
    pairs = []
    for t in range(1, 7):
        pairs.append(oracle.choose(t))
        oracle.observe(t, *pairs[-1], TWO_ARMS[pairs[-1]] == 1.0)
    oracle.choose(7)
    assert pairs == [(0, 1), *[(1, 0)] * 5] and oracle.answer == 0


def test_an_arm_meets_the_one_against_which_it_drew_least():
    draws = [("beta", 0.5, 0.5, theta) for theta in (0.3, 0.4)]
    oracle = StrongestSuperior(3, 100, Script(in_order(2, 0, 1), *draws))
    assert np.array_equal(oracle.choose(1), (0, 1))
