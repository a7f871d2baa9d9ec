"""When segments begin, and which worlds are refused."""

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest

from duelbench.errors import InputError
from duelbench.problem.bounds import lower_bound
from duelbench.problem.preferences import PreferenceMatrix
from duelbench.problem.worlds.world import At, Drawn, DrawnScaled, Flipped, Pattern, Scaled, World, equal

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


def test_scaled_starts_are_those_of_the_whole_timeline_in_proportion():
    for seed in range(50):
        whole, part = (
            [start for start, _ in starts.rounds(4, horizon, np.random.default_rng(seed))]
            for starts, horizon in ((Drawn(30), 10_000), (DrawnScaled(30, over=10_000), 100))
        )
        last = {(start - 1) * 100 // 10_000 + 1: m for m, start in enumerate(whole)}
        assert part == list(last)


def test_a_segment_without_a_round_in_a_short_run_is_left_out():
    assert DrawnScaled(5, over=10).rounds(2, 1, RNG) == [(1, 1)]
    assert len(World((TWO, TWO), DrawnScaled(5, over=10)).segments(1, RNG)) == 1


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
        ((TWO, TWO), Pattern((1, 2, 3)), "2 segments, but 3 lengths"),
        ((TWO, TWO), Pattern((1, 0)), "one round at least"),
        ((TWO, TWO), Drawn(0), "one round at least"),
    ],
)
def test_a_world_that_makes_no_sense_is_refused(matrices, starts, words):
    with pytest.raises(InputError, match=words):
        World(matrices, starts)


def test_a_world_takes_arrays_and_first_rounds():
    P = [[0.5, 0.9], [0.1, 0.5]]
    assert World((P, np.array(P)), [1, 50]).sha256 == World((TWO, TWO), At((1, 50))).sha256


@pytest.mark.parametrize(
    ("matrices", "starts", "words"),
    [
        (TWO, equal(1), "of several matrices"),
        (3, equal(1), "of several matrices"),
        (TWO.P, equal(2), "a preference matrix has K rows"),
        ((TWO, TWO), 2, r"as in \[1, 50\]; got 2"),
        ((TWO, TWO), "ab", "got 'ab'"),
        ((TWO, TWO), [1, 2.5], r"got \[1, 2.5\]"),
    ],
)
def test_what_is_no_matrix_or_start_is_refused_in_words(matrices, starts, words):
    with pytest.raises(InputError, match=words):
        World(matrices, starts)


def test_a_bound_of_a_world_is_refused():
    with pytest.raises(InputError, match="not 'World'"):
        lower_bound(World((TWO,), equal(1)))


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


def test_flipped_rounds_divide_the_segments_and_leave_what_regret_is_computed_from():
    back = PreferenceMatrix(TWO.P.T.copy())
    world = World((TWO, back), At((1, 51)), flipped=Flipped(41, 60))
    found = [(one.start, one.matrix.P[0, 1], one.outcomes.P[0, 1]) for one in world.segments(100, RNG)]
    assert found == [(1, 0.9, 0.9), (41, 0.9, 0.1), (51, 0.1, 0.9), (61, 0.1, 0.1)]
    assert [one.start for one in world.segments(45, RNG)] == [1, 41]
    assert [one.start for one in World((TWO,), equal(1), flipped=Flipped(1, 9)).segments(9, RNG)] == [1]


def test_only_outcomes_of_the_winner_are_flipped():
    P = Flipped(1, 2, share=0.5).outcomes(THREE, 0).P
    assert P.tolist() == [[0.5, 0.5, 0.5], [0.5, 0.5, 0.9], [0.5, 0.1, 0.5]]


def test_no_rounds_are_flipped_where_their_share_of_a_short_horizon_is_none():
    assert Flipped(1, 10, over=1000).bounds(50) == (1, 0)
    assert [one.start for one in World((TWO,), equal(1), flipped=Flipped(1, 10, over=1000)).segments(50, RNG)] == [1]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"flipped": Flipped(1, 2), "flips": 3}, "or as long as a budget lasts, not both"),
        ({"flipped": Flipped(2, 1)}, "got rounds 2 to 1"),
        ({"flipped": Flipped(1, 1, share=1.5)}, "probability 1.5"),
    ],
)
def test_flips_that_make_no_sense_are_refused(options, words):
    with pytest.raises(InputError, match=words):
        World((TWO,), equal(1), **options)


def test_a_pattern_of_too_many_segments_is_refused():
    with pytest.raises(InputError, match="at most 100000"):
        World((TWO, TWO), Pattern((1, 2))).segments(200_000, RNG)
