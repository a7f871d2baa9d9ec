"""Winners of random sets of arms, on matrices where every set is known."""

import pytest

from duelbench.problem.families import generate
from duelbench.problem.winner_study import study


def test_sets_of_a_circle_with_losers_have_the_winners_that_are_counted_by_hand():
    (all_arms,) = study(generate("copeland-cycle", n_arms=9), [9], draws=1)  # three winners lose once each
    assert (all_arms.condorcet, all_arms.winners, all_arms.losses, all_arms.von_neumann) == (0, 3, 1, 1)
    matrix = generate("copeland-cycle", n_arms=5)  # of its 10 sets of 3 arms one is the circle
    (some,) = study(matrix, [3], draws=100, seed=5)
    assert 1 - some.condorcet == pytest.approx(1 / 10, abs=4 * (0.09 / 100) ** 0.5)
    assert study(matrix, [2, 3], draws=100, seed=5)[1] == some  # whatever other sizes there are
