"""Claims about matrices whose arms are named by what holds them, and about saving them."""

import importlib.util

import numpy as np
import pytest

import duelbench
from duelbench.bandits.problem.labelled import wins_of
from duelbench.bandits.problem.preferences import PreferenceMatrix
from duelbench.errors import InputError

VALUES = [[0.5, 1 / 3, 0.9], [1 - 1 / 3, 0.5, 0.25], [1 - 0.9, 0.75, 0.5]]
NAMED = PreferenceMatrix(VALUES, names=["tuna", "egg, fried", 'a "squid"'])


class Frame:
    """What of a DataFrame is looked at."""

    def __init__(self, values, index, columns):
        self.values, self.index, self.columns = np.array(values), index, columns

    def to_numpy(self):
        return self.values


def frames() -> list:
    """What makes a table: a look-alike, and pandas where it is installed."""
    return [Frame, *([importlib.import_module("pandas").DataFrame] if importlib.util.find_spec("pandas") else [])]


def test_a_crosstab_of_losers_and_winners_is_refused():
    pandas = pytest.importorskip("pandas")
    games = pandas.DataFrame({"winner": ["a", "a", "b"], "loser": ["b", "b", "a"]})
    assert wins_of(pandas.crosstab(games.winner, games.loser), None, "wins")[0].tolist() == [[0, 2], [1, 0]]
    with pytest.raises(InputError, match="by its corner 'loser' the table has the wins of the columns; transpose it"):
        wins_of(pandas.crosstab(games.loser, games.winner), None, "wins")


def test_a_frame_names_the_arms_and_its_columns_may_be_permuted():
    for frame in frames():
        P = PreferenceMatrix(frame(np.array(VALUES)[:, [2, 0, 1]], index=list("abc"), columns=list("cab")))
        assert P.names == ("a", "b", "c") and np.array_equal(P.P, VALUES)
        plain = frame(VALUES, index=list("abc"), columns=list("abc"))
        assert PreferenceMatrix(plain, names=list("xyz")).names[0] == "x"
        trace = duelbench.simulate("random", plain, horizon=10)
        assert trace.duels.tolist() == duelbench.simulate("random", VALUES, horizon=10).duels.tolist()
        for index, columns, word in (
            ([0, 1, 2], "abc", r"0 column\(s\) .* '0'; .* `pandas.read_csv\(FILE, index_col=0\)`"),
            ("abc", "aab", r"2 column\(s\) .* 'a'"),
        ):
            with pytest.raises(InputError, match=word):
                PreferenceMatrix(frame(VALUES, index=list(index), columns=list(columns)))


def test_wins_become_frequencies():
    wins = {("b", "a"): 1, ("a", "b"): 3, ("a", "c"): 2.5, ("c", "a"): 2.5, ("b", "c"): 0.5}
    P = PreferenceMatrix.from_wins(wins)
    assert P.names == ("b", "a", "c")
    assert P.P.tolist() == [[0.5, 0.25, 1.0], [0.75, 0.5, 0.5], [0.0, 0.5, 0.5]]
    assert PreferenceMatrix.from_wins(wins, names=["a", "b", "c"]).P[0, 1] == 0.75
    table = [[0, 1, 4], [3, 0, 2.5], [0, 2.5, 0]]
    for counts in (table, *(frame(table, index=list("bac"), columns=list("bac")) for frame in frames())):
        assert PreferenceMatrix.from_wins(counts, names=["b", "a", "c"]) == P
    half = PreferenceMatrix.from_wins({("a", "b"): 1, ("b", "c"): 1}, missing="half")
    assert half.P.tolist() == [[0.5, 1.0, 0.5], [0.0, 0.5, 1.0], [0.5, 0.0, 0.5]]


WRONG_WINS = [
    ({("a", "b"): 1, ("b", "c"): 1}, {}, "never compared: a and c"),
    ({("a", "b"): -1}, {}, "wins of 'a' against 'b' .*: -1"),
    ({("a", "b"): "many"}, {}, "a count is a number"),
    ({("a", "a"): 1, ("a", "b"): 1}, {}, "never meets itself"),
    ({"ab": 1}, {}, "'ab' is not a pair"),
    ([[0, 1, 2], [1, 0, 2]], {}, "2 x 3 numbers"),
    ({}, {}, "a duel needs two"),
    ([[0, 1e308], [1e308, 0]], {}, r"from 0 to 1e\+12"),
    ({(1, 2): 3, (2, 1): 1}, {"names": [1, 2]}, "a list of strings"),
    ([[0, 0], [0, 0]], {"names": ["a"]}, "1 names for 2 arms"),
    ({("a", "b"): 1}, {"names": ["a", "b", "a"]}, "names 1 and 3 .* 'a'"),
    (Frame([[0, 1], [3, 0]], ["a", "b"], ["a", "b"]), {"names": ["b", "c"]}, "'c' is not in the table"),
    ({("a", "b"): 1}, {"missing": "drop"}, "'error' or 'half'"),
]


def test_counts_and_names_that_cannot_be_are_refused():
    for wins, options, word in WRONG_WINS:
        with pytest.raises(InputError, match=word):
            PreferenceMatrix.from_wins(wins, **options)


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
