"""A preference matrix is checked, never quietly repaired; every fault has its own message with its place."""

import hashlib
import pickle
import struct

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from random_matrices import matrices

from duelbench.bandits.problem.notations import TOLERANCE
from duelbench.bandits.problem.preferences import PreferenceMatrix
from duelbench.errors import InputError

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
    named = PreferenceMatrix(VALID, names=["a", "b", "c"], source="sushi.csv")
    copy = pickle.loads(pickle.dumps(named))  # as it reaches another process
    assert (copy.P.tolist(), copy.names, copy.source) == (VALID, ("a", "b", "c"), "sushi.csv")
    assert not copy.P.flags.writeable


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


def test_matrices_are_equal_when_their_numbers_and_names_are():
    one = PreferenceMatrix([[0.5, 0.75], [0.25, 0.5]], names=["tuna", "egg"], source="a.csv")
    same = PreferenceMatrix([[0.5, 0.75], [0.25, 0.5]], names=["tuna", "egg"])
    assert one == same and hash(one) == hash(same) and len({one, same}) == 1
    for other in (PreferenceMatrix(one.P), PreferenceMatrix([[0.5, 0.875], [0.125, 0.5]], one.names), one.P):
        assert (one == other) is False and (other == one) is False


SINGLE = np.array(VALID, dtype=np.float32)
MISPRINT = [[0.5, 0.727], [0.276, 0.5]]  # p_42 in Table 3(e) of Komiyama 2016; Wu and Liu's Table 7 has .273
ROUNDED_APART = [[0.5, 0.334, 0.667], [0.667, 0.5, 0.5], [0.334, 0.5, 0.5]]
WRONG = [
    (corrupted(0, 1, np.nan), "row 1, column 2 (counted from 1) is nan", "write a probability from 0 to 1"),
    (corrupted(1, 2, -np.inf), "row 2, column 3 (counted from 1) is -inf", "write a probability from 0 to 1"),
    (corrupted(2, 1, 1.25), "row 3, column 2 (counted from 1) is 1.25", "not a probability"),
    (corrupted(1, 1, 0.625), "row 2, column 2 (counted from 1) is 0.625", "write 0.5"),
    (MISPRINT, "row 1, column 2 is 0.727 and row 2, column 1 (counted from 1) is 0.276", "write 0.273"),
    (corrupted(2, 1, 0.5 + 1e-10), "row 2, column 3 is 0.5 but row 3, column 2", "in a tie both are exactly 0.5"),
    (ROUNDED_APART, "row 1, column 2", "(2 pairs are wrong in this way)"),
    (SINGLE, "", "single precision (float32)"),
    (np.array([[0.5, 0.625], [0.5, 0.5]], dtype=np.float32), "", "together 1.125"),
    ([[0, 3], [5, 0]], "", "counts"),
    ([[50, 60], [40, 50]], "", "percentages"),
    ([[50, 60], [30, 50]], "", "percentages"),
    ([[0, 0.25], [-0.25, 0]], "", "gaps p - 1/2"),
    ([[0, 0.75], [-0.75, 0]], "", "for differences d = p_ij - p_ji, write (d + 1) / 2"),
    (0.5, "", "a single number"),
    ([], "", "1 dimension(s)"),
    ([[0.5]], "", "1 arm(s)"),
    ([[0.5, 0.6]], "", "1 row(s) but 2 column(s)"),
    ([[0.5, 0.6], [0.4]], "", "not a table of numbers"),
    ([["0.5", "0.6"], ["0.4", "0.5"]], "", "not a table of numbers"),
    ([[0.5, None], [0.4, 0.5]], "row 1, column 2", "is nan"),
    (np.broadcast_to(0.5, (10**6, 10**6)), "", "at most 4096 arms"),  # 8 TB if it were copied
    ([[0.5]] * 4097, "", "at most 4096 arms"),
]
WRONG_NAMES = [
    (["a", "b"], "2 names for 3 arms"),
    (["a", "b", "a"], "names 1 and 3 (counted from 1) are both 'a'"),
    (["a", " ", "c"], "name 2 (counted from 1) is empty"),
    (["a", "b", "c\x1b[31m"], r"'c\x1b[31m', which cannot be printed"),
    ("abc", "a list of strings"),
]


def test_what_is_no_preference_matrix_is_told_with_its_place():
    for numbers, place, word in WRONG:
        for options, source in (({}, "the matrix"), ({"source": "mine.npy"}, "mine.npy")):
            said = message(numbers, **options)
            assert said.startswith(source) and place in said and word in said, said
    for names, word in WRONG_NAMES:
        assert word in message(VALID, names=names)


def test_the_hint_for_single_precision_makes_them_right():
    scope = {"P": SINGLE, "np": np}
    exec(message(SINGLE).partition("make them exact: ")[2], scope)
    assert PreferenceMatrix(scope["P"]).P[0, 1] == SINGLE[0, 1]


def test_sha256_is_of_the_size_and_the_values_alone():
    expected = hashlib.sha256(struct.pack("<Q4d", 2, 0.5, 0.75, 0.25, 0.5)).hexdigest()
    rows = [[0.5, 0.75], [0.25, 0.5]]
    assert PreferenceMatrix(rows).sha256 == expected
    assert PreferenceMatrix(np.array(rows, order="F"), names=["a", "b"], source="x").sha256 == expected
    assert PreferenceMatrix([[0.5, 0.25], [0.75, 0.5]]).sha256 != expected


def test_parts_and_other_orders_keep_names_and_source():
    matrix = PreferenceMatrix(VALID, names=["a", "b", "c"], source="sushi.csv")
    part = matrix.submatrix([2, 0])
    assert (part.P.tolist(), part.names, part.source) == ([[0.5, 0.25], [0.75, 0.5]], ("c", "a"), "sushi.csv")
    moved = matrix.submatrix([2, 0, 1])
    assert moved.P.tolist() == [[0.5, 0.25, 0.5], [0.75, 0.5, 0.6], [0.5, 0.4, 0.5]] and moved.names == ("c", "a", "b")
    for arms, word in (([0, 3], "no arm 3"), ([0, -1], "no arm -1"), ([1, 1], "twice"), ([2], "needs two")):
        with pytest.raises(InputError, match=word):
            matrix.submatrix(arms)
