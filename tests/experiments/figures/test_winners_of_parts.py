"""Winners of random sets of arms, on matrices where every set is known."""

import pytest

from duelbench.bandits.problem.families import generate
from tests.statistical.studies import study

winners = study("winners_of_parts")


@pytest.mark.thorough
def test_sets_of_a_circle_with_losers_have_the_winners_that_are_counted_by_hand():
    (every,) = winners.study(generate("copeland-cycle", n_arms=9).P, [9], 1)  # three winners lose once each
    assert [every[fact] for fact in ("condorcet", "winners", "losses", "von_neumann")] == [0, 3, 1, 1]
    P = generate("copeland-cycle", n_arms=5).P  # of its 10 sets of 3 arms one is the circle
    (some,) = winners.study(P, [3], 100, seed=5)
    assert 1 - some["condorcet"] == pytest.approx(1 / 10, abs=4 * (0.09 / 100) ** 0.5)
    assert winners.study(P, [2, 3], 100, seed=5)[1] == some  # whatever other sizes there are
