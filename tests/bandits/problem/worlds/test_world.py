"""When segments begin, and which worlds are refused."""

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest

from duelbench.bandits.problem.bounds import lower_bound
from duelbench.bandits.problem.preferences import PreferenceMatrix
from duelbench.bandits.problem.worlds.world import At, Drawn, DrawnScaled, Flipped, Pattern, Scaled, World, equal
from duelbench.errors import InputError

TWO = PreferenceMatrix([[0.5, 0.9], [0.1, 0.5]])
THREE = PreferenceMatrix([[0.5, 0.9, 0.9], [0.1, 0.5, 0.9], [0.1, 0.1, 0.5]])
RNG = np.random.default_rng(0)


def starts(world: World, horizon: int) -> list[int]:
    return [segment.start for segment in world.segments(horizon, RNG)]


def test_segments_start_where_they_are_said_to_and_those_without_a_round_are_left_out():
    assert equal(4).rounds(4, 100_000, RNG) == [(1, 0), (25_001, 1), (50_001, 2), (75_001, 3)]
    assert DrawnScaled(5, over=10).rounds(2, 1, RNG) == [(1, 1)]
    assert starts(World((TWO,) * 3, At((1, 5, 50))), 20) == [1, 5]
    assert starts(World((TWO,) * 2, Pattern((3, 4))), 8) == [1, 4, 8]
    arrays = World(([[0.5, 0.9], [0.1, 0.5]], np.array(TWO.P)), [1, 50])
    assert arrays.sha256 == World((TWO, TWO), At((1, 50))).sha256


def test_drawn_starts_are_uniform_over_all_divisions():
    # Of 7 rounds, 3 segments of at least 2: lengths 2 2 3, 2 3 2, 3 2 2.
    rng = np.random.default_rng(3)
    found = Counter(tuple(start for start, _ in Drawn(2).rounds(3, 7, rng)) for _ in range(3000))
    assert set(found) == {(1, 3, 5), (1, 3, 6), (1, 4, 6)}
    assert all(900 < count < 1100 for count in found.values())


def test_scaled_starts_are_those_of_the_whole_timeline_in_proportion():
    for seed in range(50):
        whole, part = (
            [start for start, _ in law.rounds(4, horizon, np.random.default_rng(seed))]
            for law, horizon in ((Drawn(30), 10_000), (DrawnScaled(30, over=10_000), 100))
        )
        last = {(start - 1) * 100 // 10_000 + 1: m for m, start in enumerate(whole)}
        assert part == list(last)


def test_flipped_rounds_divide_the_segments_and_leave_what_regret_is_computed_from():
    back = PreferenceMatrix(TWO.P.T.copy())
    world = World((TWO, back), At((1, 51)), flipped=Flipped(41, 60))
    found = [(one.start, one.matrix.P[0, 1], one.outcomes.P[0, 1]) for one in world.segments(100, RNG)]
    assert found == [(1, 0.9, 0.9), (41, 0.9, 0.1), (51, 0.1, 0.9), (61, 0.1, 0.1)]
    assert starts(world, 45) == [1, 41]
    assert starts(World((TWO,), equal(1), flipped=Flipped(1, 9)), 9) == [1]
    P = Flipped(1, 2, share=0.5).outcomes(THREE, 0).P  # of the winner alone
    assert P.tolist() == [[0.5, 0.5, 0.5], [0.5, 0.5, 0.9], [0.5, 0.1, 0.5]]
    none = Flipped(1, 10, over=1000)  # its share of a short horizon is no round
    assert none.bounds(50) == (1, 0) and starts(World((TWO,), equal(1), flipped=none), 50) == [1]
    (first, second) = World((TWO, TWO), equal(2), outcomes=(TWO, back)).segments(10, RNG)
    assert first.outcomes is TWO and (second.matrix, second.outcomes) == (TWO, back)


NAMED = PreferenceMatrix(TWO.P, names=["a", "b"])
PAIR = (TWO, TWO)
WRONG = [
    (lambda: World((), equal(1)), "at least one matrix"),
    (lambda: World((TWO, THREE), equal(2)), "matrix 2 has 3 arms and matrix 1 has 2"),
    (
        lambda: World((TWO, NAMED), equal(2)),
        r"matrix 2 has 'a' where matrix 1 has '0';.* header line of the other, a,b",
    ),
    (lambda: World(PAIR, At((2, 5))), "round 1"),
    (lambda: World(PAIR, At((1, 1))), "1 comes after 1"),
    (lambda: World(PAIR, At((1,))), "2 segments, but 1 starts"),
    (lambda: World(PAIR, Scaled((Fraction(0), Fraction(1)))), "the last below 1"),
    (lambda: World(PAIR, Pattern((1, 2, 3))), "2 segments, but 3 lengths"),
    (lambda: World(PAIR, Drawn(0)), "at least one round"),
    (lambda: World(TWO, equal(1)), "has several matrices"),
    (lambda: World(PAIR, [1, 2.5]), r"got \[1, 2.5\]"),
    (lambda: World((TWO,), equal(1), flipped=Flipped(1, 2), flips=3), "not both"),
    (lambda: World((TWO,), equal(1), flipped=Flipped(2, 1)), "rounds 2 to 1"),
    (lambda: World((TWO,), equal(1), flipped=Flipped(1, 1, share=1.5)), "probability 1.5"),
    (lambda: World((TWO,), equal(1), outcomes=PAIR), "1 matrices, but 2"),
    (lambda: lower_bound(World((TWO,), equal(1))), "not 'World'"),
    (lambda: starts(World((TWO,) * 3, equal(3)), 2), "two segments of the world start at round 1"),
    (lambda: starts(World((TWO,) * 3, Drawn(4)), 11), "3 segments of at least 4 rounds"),
    (lambda: starts(World(PAIR, Pattern((1, 2))), 200_000), "at most 100000"),
]


def test_a_world_that_makes_no_sense_is_refused():
    for make, word in WRONG:
        with pytest.raises(InputError, match=word):
            make()
