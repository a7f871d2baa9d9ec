"""LUCB-Borda, what the transcription's games do not show: places and refusals."""

import pytest

import duelbench
from duelbench.errors import InputError
from tests.bandits.algorithms.identification.games import CERTAIN, runs_of


def test_places_are_those_of_the_k_best():
    for k, expected in ((1, [0, 1, 1, 1]), (2, [0, 0, 1, 1]), (3, [0, 0, 0, 1])):
        (trace,) = runs_of("lucb-borda", CERTAIN, 1, k=k)
        assert trace.places.tolist() == expected and trace.answer < k


def test_as_many_arms_as_there_are_and_a_delta_without_intervals_are_refused():
    for k in (4, 9):
        with pytest.raises(InputError, match=f"from 1 to 3, got {k}"):
            duelbench.simulate("lucb-borda", CERTAIN, horizon=10, k=k)
    with pytest.raises(InputError, match="too large for its confidence intervals"):
        duelbench.simulate("lucb-borda", [[0.5, 0.7], [0.3, 0.5]], horizon=10, delta=0.5)
    duelbench.simulate("lucb-borda", [[0.5, 0.7], [0.3, 0.5]], horizon=10, delta=0.4)
