"""When segments begin, and which worlds are refused."""

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest

from duelbench.errors import InputError
from duelbench.problem.preferences import PreferenceMatrix
from duelbench.problem.worlds.world import At, Drawn, Pattern, Scaled, World, equal

TWO = PreferenceMatrix([[0.5, 0.9], [0.1, 0.5]])
THREE = PreferenceMatrix([[0.5, 0.9, 0.9], [0.1, 0.5, 0.9], [0.1, 0.1, 0.5]])
RNG = np.random.default_rng(0)


def test_equal_segments_of_the_reference_world():
    assert equal(4).rounds(4, 100_000, RNG) == [(1, 0), (25_001, 1), (50_001, 2), (75_001, 3)]


def test_drawn_starts_are_uniform_over_all_divisions():
    # Of 7 rounds, 3 segments of at least 2: lengths 2 2 3, 2 3 2, 3 2 2.
    rng = np.random.default_rng(3)
    found = Counter(tuple(start for start, _ in Drawn(2).rounds(3, 7, rng)) for _ in range(3000))
    assert set(found) == {(1, 3, 5), (1, 3, 6), (1, 4, 6)}
    assert all(900 < count < 1100 for count in found.values())


def test_segments_after_the_horizon_are_left_out():
    assert [one.start for one in World((TWO,) * 3, At((1, 5, 50))).segments(20, RNG)] == [1, 5]
    assert [one.start for one in World((TWO,) * 2, Pattern((3, 4))).segments(8, RNG)] == [1, 4, 8]


@pytest.mark.parametrize(
    ("matrices", "starts", "words"),
    [
        ((), equal(1), "needs at least one matrix"),
        ((TWO, THREE), equal(2), "number 2 has 3 arms, and the first 2"),
        (
            (TWO, PreferenceMatrix(TWO.P, names=["a", "b"])),
            equal(2),
            r"number 2 has the arms 0 \(a\), 1 \(b\), and the first 0, 1",
        ),
        ((TWO, TWO), At((2, 5)), "starts at round 1"),
        ((TWO, TWO), At((1, 1)), "1 stands after 1"),
        ((TWO, TWO), At((1,)), "2 segments, but 1 starts"),
        ((TWO, TWO), Scaled((Fraction(0), Fraction(1))), "the last below 1"),
        ((TWO, TWO), Pattern((1, 0)), "one round at least"),
        ((TWO, TWO), Drawn(0), "one round at least"),
    ],
)
def test_a_world_that_makes_no_sense_is_refused(matrices, starts, words):
    with pytest.raises(InputError, match=words):
        World(matrices, starts)


def test_a_run_too_short_for_its_segments_is_refused():
    with pytest.raises(InputError, match="two segments of the world begin at round 1"):
        World((TWO,) * 3, equal(3)).segments(2, RNG)
    with pytest.raises(InputError, match="3 segments of at least 4 rounds"):
        World((TWO,) * 3, Drawn(4)).segments(11, RNG)


def test_outcomes_can_be_drawn_from_other_matrices():
    reversed_ = PreferenceMatrix(TWO.P.T.copy())
    (first, second) = World((TWO, TWO), equal(2), outcomes=(TWO, reversed_)).segments(10, RNG)
    assert first.outcomes is TWO
    assert second.matrix is TWO
    assert second.outcomes is reversed_
    with pytest.raises(InputError, match="2 matrices, but 1 that"):
        World((TWO, TWO), equal(2), outcomes=(TWO,))
