"""Importing: the format is told by the content, arms by names and numbers, options that mean nothing are refused."""

import hashlib

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from duelbench.errors import InputError
from duelbench.problem.preferences import PreferenceMatrix
from duelbench.problem.sources.importing import import_matrix, parse_arms

FILES = {
    "matrix": ("m.csv", "0.5,0.9,0.5\n0.1,0.5,0.75\n0.5,0.25,0.5\n"),
    "counts": ("w.csv", "a,b,c\n0,9,1\n1,0,3\n1,1,0\n"),
    "pairs": ("g.csv", "winner,loser,count\na,b,9\nb,a,1\na,c,1\nc,a,1\nb,c,3\nc,b,1\n"),
    "sushi": ("s.order", "3 1\n0 3 0 1 2\n0 3 2 0 1\n"),
    "preflib": ("p.soc", "# NUMBER ALTERNATIVES: 3\n# DATA TYPE: soc\n2: 1,2,3\n1: 3,1,2\n"),
    "rankings": ("r.txt", "# lunch\na > b > c\nc>a = b\n"),
}


@pytest.fixture
def write(tmp_path):
    """Writes a file and returns its path."""

    def write(name: str, text: str | bytes):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return write


@pytest.mark.parametrize("form", FILES)
def test_a_format_is_told_by_the_content(write, form):
    for name in (FILES[form][0], "data"):
        path = write(name, FILES[form][1])
        found = import_matrix(path)
        assert (found.form, found.matrix.n_arms) == (form, 3)
        assert found.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()
        assert import_matrix(path, form).matrix.sha256 == found.matrix.sha256


@pytest.mark.parametrize("arms", ["c,a", "2, 0", [2, 0], "2,a"])
def test_arms_are_chosen_by_names_or_numbers_from_0_and_keep_their_order(write, arms):
    found = import_matrix(write(*FILES["counts"]), arms=arms)
    assert found.matrix.names == ("c", "a")
    assert found.matrix.P[0, 1] == 0.5
    assert found.notes[-1] == "arms of the file, counted from 0: 2 (c), 0 (a)"


def test_a_range_goes_from_one_arm_to_another(write):
    for arms in ("0-2", "a-c", "a-1,2"):
        assert import_matrix(write(*FILES["pairs"]), arms=arms).matrix.names == ("a", "b", "c")


@pytest.mark.parametrize("form", ["sushi", "preflib"])
def test_published_numbers_of_arms_begin_with_1(write, form):
    found = import_matrix(write(*FILES[form]), arms="3,1")
    names = import_matrix(write(*FILES[form])).matrix.names
    assert found.matrix.names == (names[2], names[0])
    assert found.notes[-1] == f"arms of the file, counted from 1: 3 ({names[2]}), 1 ({names[0]})"


def test_names_may_hold_commas_hyphens_and_numbers(write):
    path = write("n.csv", '"Bob, Jr",7-9,2\n0.5,0.6,0.7\n0.4,0.5,0.8\n0.3,0.2,0.5\n')
    assert import_matrix(path, arms='"Bob, Jr",7-9').matrix.names == ("Bob, Jr", "7-9")
    assert import_matrix(path, arms="2,0").matrix.names == ("2", "Bob, Jr")
    with pytest.raises(InputError, match="close every quotation mark"):
        import_matrix(path, arms='"Bob, Jr')


TABLES = {
    "counts": ",tea,milk,soup\ntea,0,9,1\nmilk,1,0,3\nsoup,1,1,0\n",
    "matrix": "drink,tea,milk\ntea,0.5,0.9\nmilk,0.1,0.5\n",
    "two": ",0,1\n0,0,3\n1,1,0\n",
}


def test_tables_with_names_in_the_first_line_and_in_the_first_column_are_read(write):
    """As `DataFrame.to_csv` writes them, of counts and of probabilities."""
    counts = import_matrix(write("t.csv", TABLES["counts"]))
    assert (counts.form, counts.matrix.names) == ("counts", ("tea", "milk", "soup"))
    assert counts.matrix.P[0].tolist() == [0.5, 0.9, 0.5]
    matrix = import_matrix(write("t.csv", TABLES["matrix"]))
    assert (matrix.form, matrix.matrix.names) == ("matrix", ("tea", "milk"))
    two = import_matrix(write("t.csv", TABLES["two"]))
    assert (two.form, two.matrix.P[0].tolist()) == ("counts", [0.5, 0.75])


def test_arms_may_be_called_like_a_ranking_or_a_column_of_results(write):
    for text in ("a > b,winner\n0.5,0.9\n0.1,0.5\n", ",a > b,winner\na > b,0.5,0.9\nwinner,0.1,0.5\n"):
        found = import_matrix(write("m.csv", text))
        assert (found.form, found.matrix.names) == ("matrix", ("a > b", "winner"))


def test_wrong_probabilities_without_a_diagonal_are_not_taken_for_counts(write):
    path = write("m.csv", "0,0.6\n0.5,0\n")
    with pytest.raises(
        InputError, match=r"row 1, column 2 is 0\.6 and row 2, column 1 .* is 0\.5, together 1\.1; .*--format counts"
    ):
        import_matrix(path)
    assert import_matrix(path, "counts").matrix.P[0, 1] == 0.6 / 1.1


def test_a_zero_diagonal_between_whole_and_half_numbers_says_counts(write):
    for text in ("0,3\n1,0\n", "0,1\n0,0\n", "0,2.5\n0.5,0\n", "0,0.5\n0.5,0\n"):
        assert import_matrix(write("m.csv", text)).form == "counts"
    found = import_matrix(write("m.csv", "0,0.3\n0.7,0\n"), "counts")
    assert (found.form, found.notes[-1]) == ("counts", "each pair was compared 1 time")


@pytest.mark.parametrize("name", ["", "tea,milk,soup\n", "id,tea,milk,soup\n"])
@pytest.mark.parametrize("diagonal", ["0", "", "nan"])
def test_probabilities_keep_their_numbers_whatever_says_nothing_on_their_diagonal(write, diagonal, name):
    rows = [f"{diagonal},0.3,0.7", f"0.7,{diagonal},0.2", f"0.3,0.8,{diagonal}"]
    if name.startswith("id"):
        rows = [f"{arm},{row}" for arm, row in zip(("tea", "milk", "soup"), rows, strict=True)]
    for form in (None, "matrix"):
        found = import_matrix(write("m.csv", name + "\n".join(rows)), form)
        assert (found.form, len(found.notes)) == ("matrix", 1)
        assert found.matrix.P.tolist() == [[0.5, 0.3, 0.7], [0.7, 0.5, 0.2], [0.3, 0.8, 0.5]]


WRONG = [
    # As probabilities
    ("matrix", "0,0.3\n0.7,0.5\n", r"row 1, column 1 \(counted from 1; line 1\) is 0.0"),
    ("matrix", "-,0.3\n0.7,\n", "row 2, column 2 .* is empty"),
    ("matrix", "0,3\n1,0\n", "row 1, column 2 .* is 3.0"),
    # As what they seem to be
    (None, "5,3\n1,2\n", r"row 1, column 1 \(counted from 1\) is 5, but an arm never meets itself: write 0$"),
    (None, "0,-3\n1,0\n", r"row 1, column 2 \(counted from 1\) is -3, but a count"),
    (None, "0,inf\n1,0\n", "is inf, but a count"),
    (None, "0 3 1\n1 0 1\n", "2 row"),
    (None, b"PK\3\4book", "zip archive"),
    (None, "0.5,0.6\n0.4,0.5\n".encode("utf-16"), "UTF-16"),
    ("pears", "0,3\n1,0\n", "'pairs'"),
    ("mslr", "0.5,0.6\n0.4,0.5\n", "136 rankers"),
]


@pytest.mark.parametrize(("form", "text", "message"), WRONG)
def test_what_is_wrong_in_a_file_has_its_place(write, form, text, message):
    with pytest.raises(InputError, match=message):
        import_matrix(write("m.csv", text), form)


def test_counts_in_an_npz_file_may_have_names(tmp_path):
    np.savez(tmp_path / "w.npz", wins=[[0, 3], [1, 0]], names=["tuna", "egg"])
    found = import_matrix(tmp_path / "w.npz")
    assert (found.form, found.matrix.names, found.matrix.P[0, 1]) == ("counts", ("tuna", "egg"), 0.75)


def test_names_can_be_given_for_all_arms_of_the_file(write):
    found = import_matrix(write(*FILES["matrix"]), names=["tea", "milk", "soup"], arms="milk,soup")
    assert found.matrix.names == ("milk", "soup")


def test_wrong_names_in_a_file_are_told_with_that_file(write):
    for text, message in (("x\ny\n", "names.txt: 2 names for 3"), ("x\n# two\ny\ny\n", "names.txt: names 2 and 3")):
        for form in ("counts", "matrix"):
            with pytest.raises(InputError, match=message):
                import_matrix(write(*FILES[form]), names=write("names.txt", text))


WRONG_OPTIONS = [
    ("counts", {"arms": [0, 3]}, r"no arm '3'.* from 0 \(a\) to 2"),
    ("preflib", {"arms": "0,1"}, r"no arm '0'; .* from 1 \(alternative 1\) to 3"),
    ("sushi", {"arms": "itm 1,2"}, "no arm 'itm 1' .*'item 1'"),
    ("counts", {"arms": "2-1"}, "no arm '2-1'"),
    ("counts", {"arms": ""}, "at least 2"),
    ("counts", {"arms": "1,b"}, r"arm 1 \(b\) is chosen twice"),
    ("counts", {"min_count": 5}, r"less than 5 times: a and c \(2 times\); b and c \(4 times\)"),
    ("counts", {"names": ["x"]}, "1 names for 3 arms"),
    ("counts", {"unranked": "lose"}, "--unranked"),
    ("matrix", {"min_count": 2}, "--min-count"),
    ("pairs", {"form": "counts"}, "line 1 names the columns"),
]


def test_wrong_options_are_refused(write):
    for form, options, message in WRONG_OPTIONS:
        with pytest.raises(InputError, match=message):
            import_matrix(write(*FILES[form]), **options)


def test_arms_are_numbers_ranges_or_a_published_set():
    for text, arms in {"1,2": (1, 2), " 3 , 1-2 ": (3, 1, 2), "7-7": (7,)}.items():
        assert parse_arms(text) == arms
    for text in ("", "1,,2", "2-1", "a", "0x1", "1-9999999", "mslr5", "-1"):
        with pytest.raises(InputError, match="numbers and ranges counted from 1"):
            parse_arms(text)


def test_what_is_no_file_is_refused(tmp_path):
    np.save(tmp_path / "o.npy", np.array([[object()]], dtype=object), allow_pickle=True)
    for name, word in (("o.npy", "never loaded"), ("", "is a folder"), ("nothing.csv", "no such file")):
        with pytest.raises(InputError, match=word):
            import_matrix(tmp_path / name)


quick = settings(
    derandomize=True, max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
FRAGMENTS = [
    "0",
    "1",
    "9" * 30,
    ",",
    "{",
    "}",
    ":",
    "\n",
    " ",
    '"',
    "#",
    "winner",
    "loser",
    "nan",
    "-",
    "\x00",
    "é",
    ".",
]
FRAGMENTS += ["# NUMBER ALTERNATIVES: 3\n", "# DATA TYPE: toi\n", "4096 1\n", "a,b,1\n", "1e999", "\ud800"]


def outcome(path, content: bytes, form: str | None) -> None:
    """Imported, or refused with one printable message; any other exception fails the test."""
    path.write_bytes(content)
    try:
        found = import_matrix(
            path, form, missing="half" if form in ("pairs", "counts", "sushi", "preflib") else "error"
        )
    except InputError as error:
        assert "Traceback" not in str(error) and "\n" not in str(error)
        str(error).encode("utf-8")
        return
    assert isinstance(found.matrix, PreferenceMatrix)


@quick
@given(data=st.data(), form=st.sampled_from(list(FILES)), forced=st.booleans())
def test_mutated_files_are_imported_or_refused(tmp_path, data, form, forced):
    name, text = FILES[form]
    for _ in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(0, len(text)))
        end = min(len(text), start + data.draw(st.integers(0, 6)))
        text = text[:start] + data.draw(st.sampled_from(FRAGMENTS)) + text[end:]
    outcome(tmp_path / name, text.encode("utf-8", "surrogatepass"), form if forced else None)
