"""The estimate of the duels still needed, where the answer can be worked out."""

import numpy as np

from duelbench.live.certainty import certainty
from duelbench.live.remaining import remaining


def sure_of_one(n):
    """Arm 0 wins n duels against each of three others, which are even among themselves."""
    wins = np.full((4, 4), n / 2.0)
    wins[0], wins[:, 0] = n, 0
    np.fill_diagonal(wins, 0)
    return wins


def test_nothing_is_needed_exactly_when_the_rule_has_its_answer():
    decided = 0
    for n in (4, 8, 40):
        for rule in ("e-condorcet", "pairs"):
            found, known = remaining(sure_of_one(n), rule=rule), certainty(sure_of_one(n), rule=rule)
            assert (found.low == 0) == (found.high == 0) == known.is_decided
            decided += known.is_decided
    assert 0 < decided < 6


def test_ends_are_in_order_and_the_same_for_the_same_seed():
    wins = [[0, 3, 1], [2, 0, 4], [1, 1, 0]]
    found = remaining(wins, seed=3)
    assert 0 < found.low <= found.likely <= found.high
    assert found == remaining(wins, seed=3) != remaining(wins, seed=4)
