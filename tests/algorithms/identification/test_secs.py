"""BR and SECS: their radii, and when a turn ends."""

import pytest

from duelbench.algorithms.identification.borda.secs import BR, SECS, score_radius, sparse_radius
from tests.algorithms.identification.answers import (
    begin,
    decision,
)

BOTH = pytest.mark.parametrize("algorithm", [BR, SECS], ids=lambda algorithm: algorithm.id)


def test_the_radii_are_those_of_the_paper():
    assert round(sparse_radius(100, 4, 0.05), 5) == 1.58060
    assert round(score_radius(100, 4, 0.05), 6) == 0.729777


@BOTH
class TestBoth:
    def test_a_turn_ends_when_its_outcomes_are_there(self, algorithm):
        state, rng = begin(algorithm, 3, seed=4)
        duels = [decision(algorithm, state, rng=rng)]
        while (latest := decision(algorithm, state, rng=rng))[0] != latest[1]:
            duels.append(latest)
        best = int(state.order[0])
        assert latest == (best, best, 1)
        assert decision(algorithm, state, rng=rng) == (best, best, 1)
        for arm, opponent, _ in duels:
            algorithm.update(state, arm, opponent, 0, 1)
        first, second, _ = decision(algorithm, state, rng=rng)
        assert first != second
        assert state.progress[0].turn == 2
