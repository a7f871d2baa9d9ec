"""Matrix files: what they hold counts, not their names; every layout fault has its message."""

import io
import os
import pickle
import zipfile
from unittest import mock

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from duelbench.errors import InputError
from duelbench.problem import matrix_files
from duelbench.problem.matrix_files import as_csv
from duelbench.problem.preferences import PreferenceMatrix

VALID = [[0.5, 0.6, 0.75], [0.4, 0.5, 0.5], [0.25, 0.5, 0.5]]
IMPORT = "{}`duelbench matrix import m.csv -o matrix.csv` makes a matrix of it"
CSV = "0.5,0.6,0.75\n0.4,0.5,0.5\n0.25,0.5,0.5\n"


@pytest.fixture
def folder(tmp_path):
    return tmp_path


def load(path, content: bytes | str) -> PreferenceMatrix:
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return PreferenceMatrix.load(path)


def message(path, content: bytes | str | None = None) -> str:
    """The message without the path that begins it."""
    with pytest.raises(InputError) as caught:
        PreferenceMatrix.load(path) if content is None else load(path, content)
    text = str(caught.value)
    assert text.startswith(str(path))
    assert "\n" not in text
    return text.removeprefix(str(path)).removeprefix(": ")


@pytest.mark.parametrize(
    ("content", "names"),
    [
        (CSV, None),
        (CSV.replace("\n", "\r\n"), None),
        (CSV.replace("\n", "\r"), None),
        (CSV.rstrip("\n"), None),
        (b"\xef\xbb\xbf" + CSV.encode(), None),
        (b"\xef\xbb\xbftuna,egg,squid\r\n" + CSV.replace("\n", "\r\n").encode(), ("tuna", "egg", "squid")),
        ("tuna, egg ,squid\n" + CSV.replace(",", " , "), ("tuna", "egg", "squid")),
        ('"tuna, fatty","egg ""tamago""",squid\n' + CSV, ("tuna, fatty", 'egg "tamago"', "squid")),
        ("bar, 寿司, œuf\n" + CSV, ("bar", "寿司", "œuf")),
        ("0,1,2\n" + CSV, ("0", "1", "2")),
        ("# a survey\n\n" + CSV + "\n# end\n\n", None),
        (CSV.replace(",", " "), None),
        (CSV.replace(",", "\t"), None),
        ("a b c\n" + CSV.replace(",", "   "), ("a", "b", "c")),
        (CSV.replace("0.5", "5e-1"), None),
        (CSV.replace("0.", "."), None),
        ('"0.5","0.6","0.75"\n"0.4","0.5","0.5"\n"0.25","0.5","0.5"\n', None),
    ],
)
@pytest.mark.parametrize("name", ["m.csv", "m.txt", "m"])
def test_text_is_read_by_its_content(folder, name, content, names):
    matrix = load(folder / name, content)
    assert matrix.P.tolist() == VALID
    assert matrix.names == (names or ("0", "1", "2"))
    assert matrix.source == str(folder / name)


@settings(
    derandomize=True,
    max_examples=30,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(st.integers(2, 7), st.integers(0, 2**32))
def test_every_format_gives_the_same_bits(folder, n_arms, seed):
    upper = np.triu(np.random.default_rng(seed).random((n_arms, n_arms)), k=1)
    P = upper + np.tril(1 - upper.T, k=-1) + 0.5 * np.eye(n_arms)
    np.savetxt(folder / "m.csv", P, delimiter=",", fmt="%.17g")
    np.savetxt(folder / "m.txt", P, fmt="%.17g", header="read me")
    np.save(folder / "m.npy", P)
    np.save(folder / "fortran.npy", np.asfortranarray(P))
    np.save(folder / "big-endian.npy", P.astype(">f8"))
    np.savez(folder / "one.npz", anything=P)
    np.savez_compressed(folder / "several.npz", other=np.arange(3), PMat=P)
    for path in folder.iterdir():
        matrix = PreferenceMatrix.load(path)
        assert matrix.P.tobytes() == P.tobytes(), path.name
        assert matrix.sha256 == PreferenceMatrix(P).sha256


@pytest.mark.parametrize("key", ["P", "games"])
def test_an_npz_file_may_name_its_arms(folder, key):
    np.savez(folder / "m.npz", **{key: VALID, "names": ["tuna", "egg", "squid"]})
    assert PreferenceMatrix.load(folder / "m.npz").names == ("tuna", "egg", "squid")


def test_arms_may_be_called_like_percentages(folder):
    assert load(folder / "m.csv", "10%,50%\n0.5,0.6\n0.4,0.5\n").names == ("10%", "50%")
    assert load(folder / "m.csv", ",10%,50%\n10%,0.5,0.6\n50%,0.4,0.5\n").names == ("10%", "50%")


def test_numpy_files_are_known_by_their_content(folder):
    np.savez(folder / "m.npz", P=VALID)
    (folder / "m.npz").rename(folder / "m.csv")
    assert PreferenceMatrix.load(folder / "m.csv").P.tolist() == VALID


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("", "is empty; it must hold K rows of K numbers"),
        ("\n\n", "holds no numbers; it must hold K rows of K numbers"),
        ("# nothing\n", "holds no numbers; it must hold K rows of K numbers"),
        (
            "a,b\n",
            "holds names in line 1 but no numbers below them; write K rows of K numbers there, as '0.5,0.6' above "
            "'0.4,0.5'; if it is a ranking, write it as 'a > b'",
        ),
        *[
            (
                text,
                f"begins with {shown!r}, like JSON or a list of Python; a matrix file has one row per line without "
                "brackets: '0.5,0.6' above '0.4,0.5'",
            )
            for text, shown in [
                ("[[0.5,0.6],[0.4,0.5]]", "[[0.5,0.6],[0.4,0.5]]"),
                ('{"P": [[0.5, 0.6], [0.4, 0.5]]}\n', '{"P":'),
                ("[\n  [0.5, 0.6],\n  [0.4, 0.5]\n]\n", "["),
            ]
        ],
        ("0.5", "holds a single number; a preference matrix has at least 2 rows and 2 columns"),
        ("0.5,0.6\n", "1 row(s) of 2 numbers; a preference matrix has as many rows as columns"),
        (
            "0.5 0.6\n0.4 0.5\n0.1 0.2\n",
            "3 row(s) of 2 numbers; a preference matrix has as many rows as columns",
        ),
        ("0.5,0.6\n0.4\n", "line 1 has 2 numbers, line 2 has 1 numbers; every row needs one number per arm"),
        (
            "0.5,0.6\n\n0.4,0.5,\n",
            "line 1 has 2 numbers, line 3 has 3 numbers; every row needs one number per arm",
        ),
        (
            "fatty tuna egg\n0.5 0.6\n0.4 0.5\n",
            "line 1 has 3 names, line 2 has 2 numbers; "
            "give one name per column (with blanks in names, separate by commas)",
        ),
        (
            "a,b\n0.5,0.6,0.7\n",
            "line 1 has 2 names, line 2 has 3 numbers; every row needs one number per arm",
        ),
        ("a,a\n0.5,0.6\n0.4,0.5\n", "names 1 and 2 (counted from 1) are both 'a'; arms need different names"),
        ("a,\n0.5,0.6\n0.4,0.5\n", "name 2 (counted from 1) is empty; name every arm"),
        ("a,b,\n0.5,0.6,.7\n0.4,0.5,.7\n.3,.3,.5\n", "name 3 (counted from 1) is empty; name every arm"),
        (
            "0.5,0.6\n0.4,half\n",
            "row 2, column 2 (counted from 1; line 2) is 'half', not a number; "
            "write a probability from 0 to 1, with a decimal point",
        ),
        (
            "a,b\n\n0.5,0.6\n0.4,0.5x\n",
            "row 2, column 2 (counted from 1; line 4) is '0.5x', not a number; "
            "write a probability from 0 to 1, with a decimal point",
        ),
        ("0.5,0_6\n0.4,0.5\n", "row 1, column 2 (counted from 1; line 1) is '0_6', not a number"),
        ("0.5,,0.6\n", "row 1, column 2 (counted from 1; line 1) is empty"),
        ("0.5,0.6,\n0.4,0.5,\n", "or remove the comma at the end of the line"),
        *(
            (text, f"row 1, column 1 (counted from 1; line {line}) is empty; an arm against itself has 0.5")
            for text, line in ((",a,b\na,,0.6\nb,0.4,\n", 2), (",0,1\n0,,0.6\n1,0.4,\n", 2), (",0.6\n0.4,\n", 1))
        ),
        (",a,b\na,0.5,0.6\nb,0.4,\n", "row 2, column 2 (counted from 1; line 3) is empty; an arm against itself has"),
        (
            ",a,b\nb,0.5,0.6\na,0.4,0.5\n",
            "line 2 begins with 'b', but the name in column 1 is 'a'; "
            "the first line and the first column must name the arms in the same order",
        ),
        (",a,b\na,0.5,0.6\n,0.4,0.5\n", "line 3 begins with '', but the name in column 2 is 'b'"),
        (",a,b\n0.5,0.6\n0.4,0.5\n", "line 2 begins with '0.5', but the name in column 1 is 'a'"),
        (",a,b\na,0.5,0.6\n", "1 row(s) of 2 numbers; a preference matrix has as many rows as columns"),
        (",a,b\na,0.5,0.6\nb,0.4\n", "line 1 has 2 names, line 3 has 1 numbers"),
        (",a,b\na,0.5,x\nb,0.4,0.5\n", "row 1, column 2 (counted from 1; line 2) is 'x', not a number"),
        (
            "a,0.5,0.6\nb,0.4,0.5\n",
            "if the first column names the rows, the first line must name the columns, in the same order",
        ),
        ("half,0.4\n0.4,0.5\n", "row 1, column 1 (counted from 1; line 1) is 'half', not a number"),
        ("0.5,nan\n0.4,0.5\n", "row 1, column 2 (counted from 1; line 1) is nan; write a probability"),
        ("a,b\n0.5,inf\n0.4,0.5\n", "row 1, column 2 (counted from 1; line 2) is inf; write a probability"),
        (
            "0.5,1.5\n0.4,0.5\n",
            "row 1, column 2 (counted from 1; line 1) is 1.5, not a probability from 0 to 1",
        ),
        (
            "a b\n0.5 0.6\n0.4 0.4\n",
            "row 2, column 2 (counted from 1; line 3) is 0.4, but an arm against itself has exactly 0.5: write 0.5",
        ),
        (
            "a b\n0.5 0.6\n0.3 0.5\n",
            "row 1, column 2 (line 2) is 0.6 and row 2, column 1 (counted from 1; line 3) is 0.3, "
            "together 0.9; they must add up to 1 within 1e-09: "
            "write 0.4 for the second, or correct the first",
        ),
        ("0,5;0,6\n0,4;0,5\n", "line 1 has decimal commas; write decimal points, as in 0.5"),
        ("0,5 0,6\n0,4 0,5\n", "line 1 has decimal commas; write decimal points, as in 0.5"),
        ("a\tb\n0,5\t0,6\n0,4\t0,5\n", "line 2 has decimal commas; write decimal points, as in 0.5"),
        ("0,5,0,6\n0,4,0,5\n", "if these are decimal commas, write decimal points, as in 0.5"),
        (
            '"0,5","0,6"\n"0,4","0,5"\n',
            "(counted from 1; line 2) is '0,4', not a number",
        ),
        *(
            (text, f"row 1, column 1 (counted from 1; line 1) is '{amount}', not a number; write 0.5")
            for text, amount in (
                ("1/2,60%\n40%,1/2\n", "1/2"),
                ("50% 3/5\n0.4 0.5\n", "50%"),
                ("1/2,2/3,1/4\n0.33,0.5,0.5\n0.75,0.5,0.5\n", "1/2"),
            )
        ),
        ("0.5,0.6\n2/5,0.5\n", "row 2, column 1 (counted from 1; line 2) is '2/5', not a number; write 0.4"),
        ("0.5,1/0\n0.4,0.5\n", "is '1/0', not a number; write a number with a decimal point"),
        (
            "tacos, sushi, pizza\nsushi, tacos\n",
            "line 2 holds no numbers; if it is a ranking, write it as 'sushi > tacos'",
        ),
        ("0.5;0.6\n0.4;0.5\n", "line 1 has semicolons; separate by commas, with decimal points"),
        ("0 3 5\n1 0 4\n2 2 0\n", IMPORT.format("for counts of wins, ")),
        ("7 3 5\n1 0 4\n2 2 0\n", IMPORT.format("for counts of wins, write 0 on the diagonal: ")),
        ("0 -3\n1 0\n", "row 1, column 2 (counted from 1; line 1) is -3.0, not a probability from 0 to 1; correct it"),
        ("0 3.5 5\n1.5 0 4\n2 2 0\n", IMPORT.format("for counts of wins, ")),
        (
            "# lunch\ntacos > sushi > pizza\nsushi > tacos\n",
            IMPORT.format("line 2 is a ranking, not a row of a matrix; "),
        ),
        ("tacos>sushi>pizza\n", IMPORT.format("line 1 is a ranking, not a row of a matrix; ")),
        ("Winner,Loser\na,b\n", IMPORT.format("line 1 names the columns of a list of results; ")),
        ('"a,b\n0.5,0.6\n', "line 1 is no CSV (unexpected end of data); close every quotation mark"),
        ("a,b\n0.5,0.6\0\n0.4,0.5\n", "line 2 holds a zero byte; this is not a text file"),
        ("a,crème\n".encode("latin-1"), "line 1 holds the byte 0xe8, not UTF-8 text; save the file as UTF-8"),
        (CSV.encode("utf-16"), "is UTF-16 text; save it as UTF-8"),
        ("0.5," * 4096 + "0.5\n", "4097 columns; at most 4096 arms are supported"),
        ("0.5,0.5\n" * 4098, "more than 4096 rows; at most 4096 arms are supported"),
        ("0" * 10**6, "line 1 has over 262144 characters; this is not a matrix"),
        ("x" * 300 + ",0.5\n0.5,0.5", f"{'x' * 33}...', not a number"),
    ],
)
def test_each_text_fault_has_its_message(folder, content, expected):
    assert expected in message(folder / "m.csv", content).replace(f"{folder}{os.sep}", "")


@pytest.mark.parametrize(
    ("content", "names"),
    [
        (",tuna,egg\ntuna,0.5,0.9\negg,0.1,0.5\n", ("tuna", "egg")),
        ("dish,tuna,egg\ntuna,0.5,0.9\negg,0.1,0.5\n", ("tuna", "egg")),
        ('"","tuna, raw","egg"\n"tuna, raw",0.5,0.9\n"egg",0.1,0.5\n', ("tuna, raw", "egg")),
        ("# from R\n\ntuna egg\ntuna 0.5 0.9\negg 0.1 0.5\n", ("tuna", "egg")),
        ("\ttuna\tegg\ntuna\t0.5\t0.9\negg\t0.1\t0.5\n", ("tuna", "egg")),
        (",0,1\n0,0.5,0.9\n1,0.1,0.5\n", ("0", "1")),
        ("id,7,3\n7,0.5,0.9\n3,0.1,0.5\n", ("7", "3")),
    ],
)
def test_a_table_may_name_its_arms_in_the_first_line_and_in_the_first_column(folder, content, names):
    matrix = load(folder / "m.csv", content)
    assert matrix.P.tolist() == [[0.5, 0.9], [0.1, 0.5]]
    assert matrix.names == names


def test_the_first_number_of_a_matrix_is_no_name_although_an_arm_is_called_like_it(folder):
    matrix = load(folder / "m.csv", "x,0.5,y\n0.5,0.6,0.7\n0.4,0.5,0.6\n0.3,0.4,0.5\n")
    assert matrix.names == ("x", "0.5", "y")
    text = as_csv(matrix.P, matrix.names)
    assert load(folder / "again.csv", text).names == matrix.names


def test_in_a_table_with_names_rows_and_columns_are_those_of_the_matrix(folder):
    assert "row 2, column 1 (counted from 1; line 3) is 0.2" in message(
        folder / "m.csv", ",a,b\na,0.5,0.9\nb,0.2,0.5\n"
    )


def test_endless_lines_without_numbers_are_not_read_to_their_end(folder, monkeypatch):
    monkeypatch.setattr("duelbench.problem.matrix_files.MAX_LINES", 10)
    assert message(folder / "m.csv", "\n" * 20) == "has more than 10 lines; this is not a matrix"
    assert load(folder / "m.csv", "\n" * 7 + CSV).n_arms == 3


def npy(array, **options) -> bytes:
    file = io.BytesIO()
    np.save(file, array, **options)
    return file.getvalue()


def npz(**arrays) -> bytes:
    file = io.BytesIO()
    np.savez(file, **arrays)
    return file.getvalue()


def zipped(name: str, content: bytes) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, content)
    return file.getvalue()


def npy_header(shape: str) -> bytes:
    """The beginning of an .npy file that claims to hold an array of this shape."""
    text = f"{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}\n".encode()
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (
            npy(np.array([[0.5, 0.6], [0.4, 0.5]], dtype=object), allow_pickle=True),
            "pickled Python objects, which are never loaded",
        ),
        (pickle.dumps(VALID), "no NumPy file in spite of its name"),
        (CSV, "no NumPy file in spite of its name"),
        (npy(np.array([["0.5"]])), "holds values of type <U3, not numbers"),
        (npy(np.array(VALID) + 0j), "holds values of type complex128, not numbers"),
        (npy(np.array(0.5)), "holds a single number; a preference matrix has K rows and K columns"),
        (npy(np.full(4, 0.5)), "holds an array with 1 dimension(s)"),
        (npy(np.full((2, 3), 0.5)), "2 row(s) but 3 column(s)"),
        (npy(np.full((1, 1), 0.5)), "1 arm(s); a duel needs two"),
        (npy(np.array([[0.5, np.nan], [0.4, 0.5]])), "row 1, column 2 (counted from 1) is nan"),
        (npy(VALID)[:-1], "damaged NumPy file"),
        (npy(VALID)[:20], "damaged NumPy file"),
        (
            npy_header("(1000000, 1000000)"),
            "holds 1000000 x 1000000 numbers; at most 4096 arms are supported",
        ),
        (npy_header("(4096, 4096)"), "damaged NumPy file"),
        (npy_header("('a', 2)"), "damaged NumPy file"),
        (npy_header("(2, 2" + " " * 20000 + ")"), "damaged NumPy file"),
        (b"\x93NUMPY\x07\x00" + npy(VALID)[8:], "format 7.0 does not hold plain numbers"),
        (npz(A=VALID, B=VALID), "holds the arrays A, B; keep one only, or call the matrix P"),
        (npz(P=VALID, PMat=VALID), "holds the arrays P, PMat; keep one only, or call the matrix P"),
        (npz(P=VALID, names=["a", "b"]), "2 names for 3 arms; give one name per arm"),
        (npz(P=VALID, names=["a", "a", "b"]), "names 1 and 2 (counted from 1) are both 'a'"),
        (npz(P=VALID, names=[1, 2, 3]), "(names.npy): the names of the arms are a list of strings"),
        (npz(P=VALID, names=["x" * 1025] * 3), "at most 4096 names of 1024 characters are read"),
        (npz(P=VALID, names=np.array(["a", "b", "c"], dtype=object)), "(names.npy): the names of the arms are a list"),
        (npz(P=VALID)[:-30], "damaged .npz file"),
        (npz(P=np.array([0.5], dtype=object)), "pickled Python objects, which are never loaded"),
        (zipped("xl/workbook.xml", b"<x/>"), "zip archive without NumPy arrays; export a spreadsheet as CSV"),
        (zipped("P.npy", npy_header("(10000, 10000)")), "holds 10000 x 10000 numbers"),
        (zipped("P.npy", npy(VALID)[:-1]), "damaged NumPy file"),
    ],
)
def test_each_numpy_fault_has_its_message(folder, content, expected):
    with pytest.raises(InputError) as caught:
        load(folder / "m.npy", content)
    assert str(caught.value).startswith(str(folder / "m.npy"))
    assert expected in str(caught.value)


@pytest.mark.parametrize("name", ["book.xlsx", "m.csv", "m"])
def test_a_damaged_archive_that_is_not_called_a_numpy_file_is_told_as_a_spreadsheet(folder, name):
    (folder / name).write_bytes(zipped("xl/workbook.xml", b"<x/>")[:-30])
    told = message(folder / name)
    assert told.startswith("no text, but a damaged zip archive, as a spreadsheet (.xlsx) would be (")
    assert told.endswith("; open it where it was made and export it as CSV (UTF-8)")


def test_an_empty_path_is_told_as_that():
    with pytest.raises(InputError, match=r"^an empty path; name the matrix file$"):
        PreferenceMatrix.load("")


def test_what_is_no_regular_file_is_refused_without_waiting(folder):
    os.mkfifo(folder / "pipe.csv")
    assert "is a pipe, socket or device" in message(folder / "pipe.csv")
    assert "is a pipe, socket or device" in message("/dev/zero")
    assert message(folder) == "is a folder; name the matrix file in it"


def test_files_that_cannot_be_read_are_named(folder, monkeypatch):
    (folder / "m.csv").write_text(CSV)

    def no_permission(*arguments, **options):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("builtins.open", no_permission)
    assert message(folder / "m.csv") == "cannot be read: Permission denied"


def test_a_missing_file_suggests_its_nearest_neighbour(folder):
    (folder / "cyclic.csv").write_text(CSV)
    (folder / "sushi16.csv").write_text(CSV)
    assert message(folder / "cylcic.csv") == "there is no such file (did you mean 'cyclic.csv'?)"
    assert message(folder / "cyclic") == "there is no such file (did you mean 'cyclic.csv'?)"
    assert message(folder / "zzz") == "there is no such file"
    nowhere = folder / "matrizes" / "cyclic.csv"
    assert message(nowhere) == f"there is no such file; there is no folder {nowhere.parent} either"
    assert "there is no such file" in message(folder / "cyclic.csv" / "deeper.csv")
    (folder / "dangling.csv").symlink_to("gone.csv")
    assert message(folder / "dangling.csv") == "there is no such file"


def test_paths_that_no_file_can_have_are_refused():
    for path in ("zero\0byte.csv", "x" * 5000):
        with pytest.raises(InputError, match="cannot be read"):
            PreferenceMatrix.load(path)


def test_files_beyond_the_size_limit_are_not_opened(folder):
    path = folder / "huge.csv"
    with open(path, "wb") as file:
        file.truncate(513 * 2**20)  # sparse: takes no room on the disk
    assert message(path) == "has 513 MB; files of at most 512 MB are read"


@settings(
    derandomize=True,
    max_examples=150,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(st.one_of(st.binary(max_size=300), st.text('0.5,; \n\t"ab#-e_naif', max_size=60).map(str.encode)))
def test_arbitrary_bytes_are_a_matrix_or_one_message(folder, content):
    with mock.patch.object(matrix_files, "_number", wraps=matrix_files._number) as parsed:
        try:
            matrix = load(folder / "m.csv", content)
        except InputError as error:
            assert str(folder) in str(error)
            assert "\n" not in str(error)
        else:
            assert np.allclose(matrix.P + matrix.P.T, 1)
    assert parsed.call_count <= 3 * len(content)  # no cell is looked at again and again


@settings(
    derandomize=True,
    max_examples=150,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(st.sampled_from([npy(np.array(VALID)), npz(P=VALID)]), st.data())
def test_a_damaged_numpy_file_is_refused_or_still_a_matrix(folder, content, data):
    damaged = bytearray(content)
    for _ in range(data.draw(st.integers(1, 3))):
        damaged[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    cut = data.draw(st.sampled_from([len(content), data.draw(st.integers(1, len(content)))]))
    try:
        matrix = load(folder / "m.npy", bytes(damaged[:cut]))
    except InputError as error:
        assert str(folder) in str(error)
        assert "\n" not in str(error)
    else:
        assert np.allclose(matrix.P + matrix.P.T, 1)
