"""A preference matrix is checked, never quietly repaired; every fault has its own message with its place."""

import hashlib
import pickle
import struct
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from random_matrices import matrices

from duelbench.errors import InputError
from duelbench.problem.preferences import TOLERANCE, PreferenceMatrix

MATRICES = Path(__file__).parents[2] / "matrices"
VALID = [[0.5, 0.6, 0.75], [0.4, 0.5, 0.5], [0.25, 0.5, 0.5]]


def corrupted(i: int, j: int, value: float) -> list[list[float]]:
    rows = [list(row) for row in VALID]
    rows[i][j] = value
    return rows


def message(numbers, **options) -> str:
    with pytest.raises(InputError) as caught:
        PreferenceMatrix(numbers, **options)
    return str(caught.value)


def test_values_are_kept_exactly_and_cannot_be_written():
    given = np.array(VALID)
    matrix = PreferenceMatrix(given)
    given[0, 1] = 0.9
    assert matrix.P.tolist() == VALID
    assert matrix.P.dtype == np.float64
    assert matrix.n_arms == 3
    assert matrix.names == ("0", "1", "2")
    assert matrix.source is None
    with pytest.raises(ValueError, match="read-only"):
        matrix.P[0, 1] = 0.9
    with pytest.raises(AttributeError):
        matrix.P = given
    nearly = corrupted(1, 0, 0.4 + TOLERANCE / 2)
    assert PreferenceMatrix(nearly).P.tolist() == nearly


def test_it_reaches_another_process_read_only_with_names_and_source():
    matrix = PreferenceMatrix(VALID, names=["a", "b", "c"], source="sushi.csv")
    copy = pickle.loads(pickle.dumps(matrix))
    assert (copy.P.tolist(), copy.names, copy.source) == (VALID, ("a", "b", "c"), "sushi.csv")
    assert not copy.P.flags.writeable


@pytest.mark.parametrize(
    ("i", "j", "value", "place", "word"),
    [
        (0, 1, np.nan, "row 1, column 2 (counted from 1) is nan", "a number from 0 to 1"),
        (1, 2, -np.inf, "row 2, column 3 (counted from 1) is -inf", "a number from 0 to 1"),
        (2, 1, 1.25, "row 3, column 2 (counted from 1) is 1.25", "not a probability"),
        (0, 2, -0.25, "row 1, column 3 (counted from 1) is -0.25", "not a probability"),
        (1, 1, 0.625, "row 2, column 2 (counted from 1) is 0.625", "write 0.5"),
        (1, 0, 0.375, "row 1, column 2 is 0.6 and row 2, column 1 (counted from 1) is 0.375", "write 0.4"),
        (2, 1, 0.5 + 1e-10, "row 2, column 3 is 0.5 but row 3, column 2", "in a tie both are exactly 0.5"),
    ],
)
def test_each_wrong_entry_has_its_message_and_place(i, j, value, place, word):
    for options, source in (({}, "the matrix"), ({"source": "mine.npy"}, "mine.npy")):
        said = message(corrupted(i, j, value), **options)
        assert said.startswith(f"{source}: {place}") and word in said


def test_the_misprint_of_komiyama_2016_is_noticed():
    # Table 3(e) prints p_42 = .276 next to p_24 = .727; Wu and Liu's Table 7 has .273.
    rows = np.loadtxt(MATRICES / "mslr5-condorcet.csv", delimiter=",")
    rows[3, 1] = 0.276
    assert "row 2, column 4 is 0.727 and row 4, column 2 (counted from 1) is 0.276" in message(rows)
    assert "write 0.273 for the second" in message(rows)


@settings(derandomize=True, max_examples=40, deadline=None)
@given(matrices(), st.data())
def test_no_single_wrong_entry_passes_and_its_place_is_named(P, data):
    arms = st.integers(0, len(P) - 1)
    i, j = data.draw(arms), data.draw(arms)
    wrong = [
        value for value in (np.nan, np.inf, -0.1, 1.1, 0.2, 0.45) if abs(value - P[i, j]) > TOLERANCE or value != value
    ]
    P[i, j] = data.draw(st.sampled_from(wrong))
    assert f"row {i + 1}, column {j + 1}" in message(P)


def test_several_wrong_entries_are_counted_and_counts_and_percentages_recognised():
    rows = corrupted(0, 1, 2.5)
    rows[2][2] = 1.5
    assert message(rows).endswith("(2 entries are wrong in this way)")
    three_decimals_rounded_apart = [[0.5, 0.334, 0.667], [0.667, 0.5, 0.5], [0.334, 0.5, 0.5]]
    assert message(three_decimals_rounded_apart).endswith("(2 pairs are wrong in this way)")
    assert "wins[i, j] / (wins[i, j] + wins[j, i])" in message([[0, 3], [5, 0]])
    assert "percentages" in message([[50, 60], [40, 50]])


def test_float32_values_are_refused_rather_than_rounded_and_the_hint_makes_them_right():
    single = np.array(VALID, dtype=np.float32)
    said = message(single)
    assert "single precision (float32)" in said
    scope = {"P": single, "np": np}
    exec(said.partition("in double precision: ")[2].removesuffix(" (2 pairs are wrong in this way)"), scope)
    assert PreferenceMatrix(scope["P"]).P[0, 1] == single[0, 1]
    assert "together 1.125" in message(np.array([[0.5, 0.625], [0.5, 0.5]], dtype=np.float32))


def test_matrices_are_equal_when_their_numbers_and_names_are():
    one = PreferenceMatrix([[0.5, 0.75], [0.25, 0.5]], names=["tuna", "egg"], source="a.csv")
    same = PreferenceMatrix([[0.5, 0.75], [0.25, 0.5]], names=["tuna", "egg"])
    assert one == same and hash(one) == hash(same) and len({one, same}) == 1
    for other in (PreferenceMatrix(one.P), PreferenceMatrix([[0.5, 0.875], [0.125, 0.5]], one.names), one.P):
        assert (one == other) is False and (other == one) is False


def test_wrong_shapes_types_sizes_and_names_are_refused():
    huge = np.broadcast_to(0.5, (10**6, 10**6))  # 8 TB if it were copied
    for numbers, expected in (
        (0.5, "a single number"),
        ([], "1 dimension(s)"),
        ([[0.5]], "1 arm(s)"),
        ([[0.5, 0.6]], "1 row(s) but 2 column(s)"),
        ([[0.5, 0.6], [0.4]], "not a table of numbers"),
        ([["0.5", "0.6"], ["0.4", "0.5"]], "not a table of numbers"),
        ([[0.5, None], [0.4, 0.5]], "row 1, column 2 (counted from 1) is nan"),
        ([[0.5, 1.5e308], [1.5e308, 0]], "row 1, column 2 (counted from 1) is 1.5e+308"),
        (huge, "at most 4096 arms"),
        ([[0.5]] * 4097, "at most 4096 arms"),
    ):
        assert expected in message(numbers)
    for names, expected in (
        (["a", "b"], "2 names for 3 arms"),
        (["a", "b", "a"], "names 1 and 3 (counted from 1) are both 'a'"),
        (["a", " ", "c"], "name 2 (counted from 1) is empty"),
        (["a", "b", "c\x1b[31m"], r"'c\x1b[31m', which cannot be printed"),
        ("abc", "a list of strings"),
    ):
        assert expected in message(VALID, names=names)


def test_sha256_is_of_the_size_and_the_values_alone():
    expected = hashlib.sha256(struct.pack("<Q4d", 2, 0.5, 0.75, 0.25, 0.5)).hexdigest()
    rows = [[0.5, 0.75], [0.25, 0.5]]
    assert PreferenceMatrix(rows).sha256 == expected
    assert PreferenceMatrix(np.array(rows, order="F"), names=["a", "b"], source="x").sha256 == expected
    assert PreferenceMatrix([[0.5, 0.25], [0.75, 0.5]]).sha256 != expected


@settings(derandomize=True, max_examples=30, deadline=None)
@given(matrices(), st.randoms(use_true_random=False))
def test_permuted_moves_arms_with_their_names(P, random):
    matrix = PreferenceMatrix(P, names=[f"arm{k}" for k in range(len(P))])
    order = list(range(len(P)))
    random.shuffle(order)
    moved = matrix.permuted(order)
    for i, a in enumerate(order):
        assert moved.names[i] == f"arm{a}"
        for j, b in enumerate(order):
            assert moved.P[i, j] == P[a, b]


def test_submatrix_keeps_order_names_and_source():
    part = PreferenceMatrix(VALID, names=["a", "b", "c"], source="sushi.csv").submatrix([2, 0])
    assert (part.P.tolist(), part.names, part.source) == ([[0.5, 0.25], [0.75, 0.5]], ("c", "a"), "sushi.csv")
    for arms, expected in (([0, 3], "no arm 3"), ([0, -1], "no arm -1"), ([1, 1], "twice"), ([2], "needs two")):
        with pytest.raises(InputError, match=expected):
            PreferenceMatrix(VALID).submatrix(arms)
    with pytest.raises(InputError, match="2 arms in the order of 3"):
        PreferenceMatrix(VALID).permuted([0, 1])
