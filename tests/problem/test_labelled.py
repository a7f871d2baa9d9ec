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


def test_a_frame_names_the_arms_and_its_columns_may_be_permuted(frame):
    P = PreferenceMatrix(frame(np.array(VALUES)[:, [2, 0, 1]], index=list("abc"), columns=list("cab")))
    assert P.names == ("a", "b", "c") and np.array_equal(P.P, VALUES)
    assert PreferenceMatrix(frame(VALUES, index=list("abc"), columns=list("abc")), names=list("xyz")).names[0] == "x"
    with pytest.raises(InputError, match="a row '0' but no such column"):
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
    ("wins", "names", "told"),
    [
        ({("a", "b"): 1, ("b", "c"): 1}, None, "never compared: a and c"),
        ({("a", "b"): -1}, None, "wins of 'a' against 'b': -1"),
        ({("a", "b"): "many"}, None, "a count is a number"),
        ({("a", "a"): 1, ("a", "b"): 1}, None, "an arm never meets itself"),
        ({"ab": 1}, None, "'ab' is no pair"),
        ([[0, 1, 2], [1, 0, 2]], None, "2 x 3 numbers"),
        ({}, None, "a duel needs two"),
        ([[0, 1e308], [1e308, 0]], None, r"a number from 0 to 1e\+12"),
        ({(1, 2): 3, (2, 1): 1}, [1, 2], "a list of strings"),
        ([[0, 0], [0, 0]], ["a"], "1 names for 2 arms"),
        ({("a", "b"): 1}, ["a", "b", "a"], "names 1 and 3 .* are both 'a'"),
        (Frame([[0, 1], [3, 0]], ["a", "b"], ["a", "b"]), ["b", "c"], "'c' is not in the table"),
    ],
)
def test_counts_and_names_that_cannot_be_are_refused(wins, names, told):
    with pytest.raises(InputError, match=told):
        PreferenceMatrix.from_wins(wins, names)


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


def test_what_is_saved_is_read_back_to_the_last_bit_with_its_names(tmp_path):
    unnamed = PreferenceMatrix(VALUES)
    for matrix, name in ((NAMED, "m.csv"), (NAMED, "m.npz"), (unnamed, "m.npy")):
        matrix.save(str(tmp_path / name))
        read = PreferenceMatrix.load(tmp_path / name)
        assert read.P.tobytes() == matrix.P.tobytes() and read.names == matrix.names
    for name, told in (("n.npy", "holds no names"), ("m.xlsx", "must end with"), ("nowhere/m.csv", "cannot be")):
        with pytest.raises(InputError, match=told):
            NAMED.save(tmp_path / name)
        assert not (tmp_path / name).exists()


def test_a_notebook_shows_a_matrix_small_with_its_names_escaped():
    shown = PreferenceMatrix(VALUES, names=["<b>", "a&b", "c"])._repr_html_()
    assert "&lt;b&gt;" in shown and "<b>" not in shown and "a&amp;b" in shown
    assert shown.count("<td") == 12 and ">0.333<" in shown and "http" not in shown
    large = PreferenceMatrix(np.full((200, 200), 0.5))._repr_html_()
    assert len(large) < 10_000 and "the first 12 are shown" in large
