"""Claims about matrices whose arms are named by what holds them, and about saving them."""

import numpy as np
import pytest

import duelbench
from duelbench.errors import InputError
from duelbench.problem.preferences import PreferenceMatrix
from duelbench.problem.sources.counts import PairCounts

VALUES = [[0.5, 1 / 3, 0.9], [1 - 1 / 3, 0.5, 0.25], [1 - 0.9, 0.75, 0.5]]
NAMED = PreferenceMatrix(VALUES, names=["tuna", "egg, fried", 'a "squid"'])


class Frame:
    """What of a DataFrame is looked at."""

    def __init__(self, values, index, columns):
        self.values, self.index, self.columns = np.array(values), index, columns

    def to_numpy(self):
        return self.values


@pytest.fixture(params=["pandas", "look-alike"])
def frame(request):
    return (
        pytest.importorskip("pandas", reason="pandas is not installed").DataFrame
        if request.param == "pandas"
        else Frame
    )


def test_a_frame_names_the_arms(frame):
    P = PreferenceMatrix(frame(VALUES, index=list("abc"), columns=list("abc")))
    assert P.names == ("a", "b", "c") and np.array_equal(P.P, VALUES)
    assert PreferenceMatrix(frame(VALUES, index=list("abc"), columns=list("abc")), names=list("xyz")).names[0] == "x"


def test_permuted_columns_are_put_into_the_order_of_the_rows(frame):
    permuted = np.array(VALUES)[:, [2, 0, 1]]
    P = PreferenceMatrix(frame(permuted, index=list("abc"), columns=list("cab")))
    assert P.names == ("a", "b", "c") and np.array_equal(P.P, VALUES)


def test_rows_and_columns_that_are_not_named_alike_are_refused_with_the_mend(frame):
    with pytest.raises(InputError, match=r"a row '0' but no such column; name rows and columns alike"):
        PreferenceMatrix(frame(VALUES, index=[0, 1, 2], columns=list("abc")))
    with pytest.raises(InputError, match="two columns of the table are called 'a'"):
        PreferenceMatrix(frame(VALUES, index=list("abc"), columns=list("aab")))


def test_a_frame_can_be_played_on(frame):
    P = frame(VALUES, index=list("abc"), columns=list("abc"))
    trace = duelbench.simulate("random", P, horizon=10)
    assert trace.duels.tolist() == duelbench.simulate("random", VALUES, horizon=10).duels.tolist()


def test_wins_become_frequencies(frame):
    wins = {("b", "a"): 1, ("a", "b"): 3, ("a", "c"): 2.5, ("c", "a"): 2.5, ("b", "c"): 4}
    P = PreferenceMatrix.from_wins(wins)
    assert P.names == ("b", "a", "c")
    assert P.P.tolist() == [[0.5, 0.25, 1.0], [0.75, 0.5, 0.5], [0.0, 0.5, 0.5]]
    table = [[0, 1, 4], [3, 0, 2.5], [0, 2.5, 0]]
    assert PreferenceMatrix.from_wins(table, names=["b", "a", "c"]) == P
    assert PreferenceMatrix.from_wins(frame(table, index=list("bac"), columns=list("bac"))) == P
    assert PreferenceMatrix.from_wins(wins, names=["a", "b", "c"]).P[0, 1] == 0.75


@pytest.mark.parametrize(
    ("wins", "told"),
    [
        ({("a", "b"): 1, ("b", "c"): 1}, "never compared: a and c; leave arms out, or make them ties"),
        ({("a", "b"): -1}, "wins of 'a' against 'b': -1, but a count is a number from 0"),
        ({("a", "b"): "many"}, "a count is a number"),
        ({("a", "a"): 1, ("a", "b"): 1}, "wins of 'a' against 'a': 1, but an arm never meets itself"),
        ({"ab": 1}, "'ab' is no pair"),
        ([[0, 1, 2], [1, 0, 2]], "2 x 3 numbers; counts have K rows and K columns"),
        ({}, "a duel needs two"),
        (7, "a single number; counts have K rows"),
        ({("a", "b"): [1, 2]}, "wins of 'a' against 'b': a count is a number"),
        ([[0, 1e308], [1e308, 0]], "wins of '0' against '1': 1e\\+308, but a count is a number from 0 to 1e\\+12"),
    ],
)
def test_counts_that_cannot_be_are_refused(wins, told):
    with pytest.raises(InputError, match=told):
        PreferenceMatrix.from_wins(wins)


@pytest.mark.parametrize(
    ("wins", "names", "told"),
    [
        ({(1, 2): 3, (2, 1): 1}, [1, 2], r"the names of the arms are a list of strings, got \[1, 2\]"),
        ([[0, -1], [1, 0]], [1, 2], "the names of the arms are a list of strings"),
        ([[0, 1], [1, 0]], 2, "the names of the arms are a list of strings, got 2"),
        ([[0, 0], [0, 0]], ["a"], "1 names for 2 arms"),
        ({("a", "b"): 1}, ["a", "b", "a"], "names 1 and 3 .* are both 'a'"),
        (Frame([[0, 1], [3, 0]], ["a", "b"], ["a", "b"]), ["b", "c"], "'c' is not in the table"),
    ],
)
def test_names_that_cannot_be_are_refused(wins, names, told):
    with pytest.raises(InputError, match=told):
        PreferenceMatrix.from_wins(wins, names)


def test_names_put_a_table_that_has_names_into_their_order(frame):
    P = PreferenceMatrix.from_wins(frame([[0, 3], [1, 0]], index=["a", "b"], columns=["a", "b"]), names=["b", "a"])
    assert P.names == ("b", "a") and P.P.tolist() == [[0.5, 0.25], [0.75, 0.5]]


def test_a_part_of_a_comparison_is_one():
    assert PreferenceMatrix.from_wins({("a", "b"): 0.5}).P[0, 1] == 1
    counts = PairCounts(np.array([[0, 0.5], [0.25, 0]]), ("a", "b"), "games.csv")
    with pytest.raises(InputError, match=r"compared less than 1 times: a and b \(0\.75 times\); leave arms out with"):
        counts.matrix()


def test_what_was_never_compared_can_be_made_a_tie():
    P = PreferenceMatrix.from_wins({("a", "b"): 1, ("b", "c"): 1}, missing="half")
    assert P.P.tolist() == [[0.5, 1.0, 0.5], [0.0, 0.5, 1.0], [0.5, 0.0, 0.5]]
    with pytest.raises(InputError, match="write 'error' or 'half'"):
        PreferenceMatrix.from_wins({("a", "b"): 1}, missing="drop")


@pytest.mark.parametrize("ending", ["csv", "npz"])
def test_what_is_saved_is_read_back_to_the_last_bit_with_its_names(tmp_path, ending):
    path = tmp_path / f"m.{ending}"
    NAMED.save(path)
    read = PreferenceMatrix.load(path)
    assert read.P.tobytes() == NAMED.P.tobytes() and read.names == NAMED.names


def test_an_npy_file_holds_the_numbers_and_refuses_to_lose_names(tmp_path):
    unnamed = PreferenceMatrix(VALUES)
    unnamed.save(str(tmp_path / "m.npy"))
    assert PreferenceMatrix.load(tmp_path / "m.npy").P.tobytes() == unnamed.P.tobytes()
    with pytest.raises(InputError, match=r"holds no names; save as \.csv or \.npz"):
        NAMED.save(tmp_path / "n.npy")
    assert not (tmp_path / "n.npy").exists()


@pytest.mark.parametrize(("name", "told"), [("m.xlsx", "must end with"), ("nowhere/m.csv", "cannot be written")])
def test_a_matrix_that_cannot_be_saved_is_told_in_one_line(tmp_path, name, told):
    with pytest.raises(InputError, match=told):
        NAMED.save(tmp_path / name)


def test_a_notebook_shows_a_matrix_small_with_its_names_escaped():
    shown = PreferenceMatrix(VALUES, names=["<b>", "a&b", "c"])._repr_html_()
    assert "&lt;b&gt;" in shown and "<b>" not in shown and "a&amp;b" in shown
    assert shown.count("<td") == 12 and ">0.333<" in shown and "http" not in shown
    large = PreferenceMatrix(np.full((200, 200), 0.5))._repr_html_()
    assert len(large) < 10_000 and "the first 12 are shown" in large
