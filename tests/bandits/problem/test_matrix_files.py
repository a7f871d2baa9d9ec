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

from duelbench.bandits.problem import matrix_files
from duelbench.bandits.problem.matrix_files import as_csv
from duelbench.bandits.problem.preferences import PreferenceMatrix
from duelbench.errors import InputError

VALID = [[0.5, 0.6, 0.75], [0.4, 0.5, 0.5], [0.25, 0.5, 0.5]]
CSV = "0.5,0.6,0.75\n0.4,0.5,0.5\n0.25,0.5,0.5\n"
NAMED = "tuna,0.5,0.9\negg,0.1,0.5\n"


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
        (b"\xef\xbb\xbftuna,egg,squid\r\n" + CSV.replace("\n", "\r\n").encode(), ("tuna", "egg", "squid")),
        ("tuna, egg ,squid\n" + CSV.replace(",", " , "), ("tuna", "egg", "squid")),
        ('"tuna, fatty","egg ""tamago""",squid\n' + CSV, ("tuna, fatty", 'egg "tamago"', "squid")),
        ("bar, 寿司, œuf\n" + CSV, ("bar", "寿司", "œuf")),
        ("0,1,2\n" + CSV, ("0", "1", "2")),
        ("10%,50%,2\n" + CSV, ("10%", "50%", "2")),
        ("# a survey\n\n" + CSV + "\n# end\n\n", None),
        (CSV.replace(",", "\t"), None),
        ("a b c\n" + CSV.replace(",", "   "), ("a", "b", "c")),
        (CSV.replace("0.5", "5e-1").replace("0.", "."), None),
        ('"0.5","0.6","0.75"\n"0.4","0.5","0.5"\n"0.25","0.5","0.5"\n', None),
    ],
)
def test_text_is_read_by_its_content(tmp_path, content, names):
    for name in ("m.csv", "m"):
        matrix = load(tmp_path / name, content)
        assert matrix.P.tolist() == VALID
        assert matrix.names == (names or ("0", "1", "2"))
        assert matrix.source == str(tmp_path / name)


@pytest.mark.parametrize(
    ("content", "names"),
    [
        (",tuna,egg\n" + NAMED, ("tuna", "egg")),
        ("dish,tuna,egg\n" + NAMED, ("tuna", "egg")),
        ("winner\\loser,tuna,egg\n" + NAMED, ("tuna", "egg")),
        ('"","tuna, raw","egg"\n"tuna, raw",0.5,0.9\n"egg",0.1,0.5\n', ("tuna, raw", "egg")),
        ('"tuna raw" "egg"\n"tuna raw" 0.5  0.9\n"egg" 0.1 0.5\n', ("tuna raw", "egg")),
        ("tuna, raw\tegg, hot\n0.5\t0.9\n0.1\t0.5\n", ("tuna, raw", "egg, hot")),
        ("tuna; raw,egg; hot\n0.5,0.9\n0.1,0.5\n", ("tuna; raw", "egg; hot")),
        ("# from R\n\ntuna egg\n" + NAMED.replace(",", " "), ("tuna", "egg")),
        (",0,1\n0,0.5,0.9\n1,0.1,0.5\n", ("0", "1")),
        ("id,7,3\n7,0.5,0.9\n3,0.1,0.5\n", ("7", "3")),
    ],
)
def test_a_table_may_name_its_arms_in_the_first_line_and_in_the_first_column(tmp_path, content, names):
    matrix = load(tmp_path / "m.csv", content)
    assert (matrix.P.tolist(), matrix.names) == ([[0.5, 0.9], [0.1, 0.5]], names)


def test_the_first_number_of_a_matrix_is_no_name_although_an_arm_is_called_like_it(tmp_path):
    matrix = load(tmp_path / "m.csv", "x,0.5,y\n0.5,0.6,0.7\n0.4,0.5,0.6\n0.3,0.4,0.5\n")
    assert matrix.names == ("x", "0.5", "y")
    assert load(tmp_path / "again.csv", as_csv(matrix.P, matrix.names)).names == matrix.names


def test_every_format_gives_the_same_bits_whatever_the_file_is_called(tmp_path):
    upper = np.triu(np.random.default_rng(1).random((7, 7)), k=1)
    P = upper + np.tril(1 - upper.T, k=-1) + 0.5 * np.eye(7)
    np.savetxt(tmp_path / "m.csv", P, delimiter=",", fmt="%.17g")
    np.savetxt(tmp_path / "m.txt", P, fmt="%.17g", header="read me")
    np.save(tmp_path / "m.npy", P)
    np.save(tmp_path / "fortran.npy", np.asfortranarray(P))
    np.save(tmp_path / "big-endian.npy", P.astype(">f8"))
    np.savez(tmp_path / "one.npz", anything=P)
    np.savez(tmp_path / "named.npz", games=P, names=list("abcdefg"))
    np.savez_compressed(tmp_path / "several.npz", other=np.arange(3), PMat=P)
    (tmp_path / "one.npz").rename(tmp_path / "one.csv")
    for path in tmp_path.iterdir():
        matrix = PreferenceMatrix.load(path)
        assert matrix.P.tobytes() == P.tobytes(), path.name
        assert matrix.names[0] == ("a" if path.stem == "named" else "0")


# Wrong text, its place, and a word of the message.
WRONG_TEXT = [
    ("", "", "is empty"),
    ("# nothing\n", "", "holds no numbers"),
    ("0.5\n", "", "at least 2 rows"),
    ("0.5,0.6,0.7\n0.4,0.5,0.6\n", "2 row(s) but 3 column(s)", "as many rows as columns"),
    ("0.5,0.6\n0.4\n", "line 2 has 1", "line 1 has 2"),
    ("a,b\n\n0.5,0.6\n0.4,0.5x\n", "row 2, column 2 (counted from 1; line 4)", "'0.5x', not a number"),
    ("0.5,0_6\n0.4,0.5\n", "row 1, column 2 (counted from 1; line 1)", "'0_6', not a number"),
    ("0.5,,0.6\n", "row 1, column 2 (counted from 1; line 1)", "is empty"),
    ("0.5,0.6,\n0.4,0.5,\n", "line 1", "remove the comma"),
    (",a,b\na,,0.6\nb,0.4,\n", "row 1, column 1 (counted from 1; line 2)", "an arm against itself has 0.5"),
    (",a,b\nb,0.5,0.6\na,0.4,0.5\n", "line 2 begins with 'b'", "the same order"),
    ("x,b\nb,0.5,0.6\nc,0.4,0.5\n", "line 1 has 1 names, line 2 has 2 numbers", "one number per arm"),
    ("loser\\winner,a,b\na,0.5,0.6\nb,0.4,0.5\n", "line 1: by its corner", "transpose it"),
    ("Loser,a,b\na,0.5,0.6\nb,0.4,0.5\n", "line 1: by its corner", "transpose it"),
    ("column beats row,a,b\na,0.5,0.6\nb,0.4,0.5\n", "line 1: by its corner", "transpose it"),
    ("a,0.5,0.6\nb,0.4,0.5\n", "line 1", "the first line must name the columns"),
    (",a,b\na,0.5,0.9\nb,0.2,0.5\n", "row 2, column 1 (counted from 1; line 3)", "is 0.2, together 1.1"),
    ("a,b\n0.5,inf\n0.4,0.5\n", "row 1, column 2 (counted from 1; line 2)", "is inf"),
    ("0.5,1.5\n0.4,0.5\n", "row 1, column 2 (counted from 1; line 1)", "is 1.5, not a probability"),
    ("a b\n0.5 0.6\n0.4 0.4\n", "row 2, column 2 (counted from 1; line 3)", "write 0.5"),
    ("0,5;0,6\n0,4;0,5\n", "line 1", "decimal commas"),
    ("a\tb\n0,5\t0,6\n0,4\t0,5\n", "line 2", "decimal commas"),
    ("0.5;0.6\n0.4;0.5\n", "line 1", "semicolons"),
    (
        "0.5,60%,0.5\n40%,1/2,1/2\n",
        "row 1, column 2 (counted from 1; line 1)",
        "'60%', not a number; write a probability",
    ),
    ("0 3 5\n1 0 4\n2 2 0\n", "for counts of wins", "`duelbench matrix import"),
    ("# lunch\ntacos > sushi > pizza\nsushi > tacos\n", "line 2 is a ranking", "`duelbench matrix import"),
    ("Winner,Loser\na,b\n", "line 1 names the columns", "`duelbench matrix import"),
    ("# DATA TYPE: soc\n3: 1,2\n1: 2,1\n1: 1,2\n", "row 1, column 1", "if these are votes, `duelbench matrix import"),
    ("3\n1,Ann\n2,Bob\n3,Cid\n", "row 2, column 1", "if these are votes, `duelbench matrix import"),
    (",home,away,n\n1,Milw,Det,4\n2,Det,Tor,3\n", "row 1, column 2", "if these are votes, `duelbench matrix import"),
    ('"a,b\n0.5,0.6\n', "line 1 is not valid CSV", "quotation mark"),
    ("a,b\n0.5,0.6\0\n0.4,0.5\n", "line 2", "zero byte"),
    ("a,crème\n".encode("latin-1"), "line 1", "not UTF-8 text"),
    (CSV.encode("utf-16"), "", "UTF-16"),
    ("0.5," * 4096 + "0.5\n", "4097 columns", "at most 4096"),
    ("0.5,0.5\n" * 4098, "4098 rows", "at most 4096"),
    ("0" * 10**6, "line 1", "over 262144 characters"),
    (b"PK\3\4book", "", "zip archive"),
]


def test_each_text_fault_has_its_message(tmp_path):
    for content, place, word in WRONG_TEXT:
        said = message(tmp_path / "m.csv", content)
        assert place in said and word in said, content[:60]


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


OBJECTS = np.array([[0.5, 0.6], [0.4, 0.5]], dtype=object)
WRONG_NUMPY = [
    (npy(OBJECTS, allow_pickle=True), "pickled Python objects, which are never loaded"),
    (npz(P=OBJECTS), "pickled Python objects, which are never loaded"),
    (pickle.dumps(VALID), "not a NumPy file"),
    (npy(np.array(VALID) + 0j), "type complex128"),
    (npy(np.full(4, 0.5)), "1 dimension(s)"),
    (npy(np.array([[0.5, np.nan], [0.4, 0.5]])), "row 1, column 2 (counted from 1) is nan"),
    (npy(VALID)[:-1], "damaged"),
    (npy(VALID)[:20], "damaged"),
    (npy_header("(1000000, 1000000)"), "at most 4096 arms"),
    (npy_header("(4096, 4096)"), "damaged"),
    (npy_header("('a', 2)"), "damaged"),
    (b"\x93NUMPY\x07\x00" + npy(VALID)[8:], "format 7.0"),
    (npz(A=VALID, B=VALID), "the arrays A, B"),
    (npz(P=VALID, names=["a", "b"]), "2 names for 3 arms"),
    (npz(P=VALID, names=["x" * 1025] * 3), "1024 characters"),
    (npz(P=VALID, names=np.array(["a", "b", "c"], dtype=object)), "names.npy"),
    (npz(P=VALID)[:-30], "damaged"),
    (zipped("xl/workbook.xml", b"<x/>"), "export a spreadsheet as CSV"),
    (zipped("P.npy", npy_header("(10000, 10000)")), "10000 x 10000"),
]


def test_each_numpy_fault_has_its_message(tmp_path):
    for content, word in WRONG_NUMPY:
        with pytest.raises(InputError) as caught:
            load(tmp_path / "m.npy", content)
        assert str(caught.value).startswith(str(tmp_path / "m.npy")) and word in str(caught.value)


def test_what_is_no_file_to_read_is_refused_without_waiting(tmp_path, monkeypatch):
    (tmp_path / "cyclic.csv").write_text(CSV)
    (tmp_path / "dangling.csv").symlink_to("gone.csv")
    os.mkfifo(tmp_path / "pipe.csv")
    with open(tmp_path / "huge.csv", "wb") as file:
        file.truncate(513 * 2**20)  # sparse: takes no room on the disk
    for name, word in {
        "": "is a folder",
        "/dev/zero": "device",
        "pipe.csv": "device",
        "cylcic.csv": "'cyclic.csv'?",
        "cyclic": "'cyclic.csv'?",
        "zzz": "no such file",
        "matrizes/cyclic.csv": "there is no folder",
        "dangling.csv": "no such file",
        "x" * 5000: "cannot be read",
        "zero\0byte.csv": "cannot be read",
        "huge.csv": "513 MB",
    }.items():
        with pytest.raises(InputError) as caught:
            PreferenceMatrix.load(tmp_path / name)
        assert word in str(caught.value), name
    with pytest.raises(InputError, match="empty path"):
        PreferenceMatrix.load("")
    monkeypatch.setattr("duelbench.bandits.problem.matrix_files.MAX_LINES", 10)
    assert "more than 10 lines" in message(tmp_path / "m.csv", "\n" * 20)


fuzz = settings(
    derandomize=True, max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@fuzz
@given(st.one_of(st.binary(max_size=300), st.text('0.5,; \n\t"ab#-e_naif', max_size=60).map(str.encode)))
def test_arbitrary_bytes_are_a_matrix_or_one_message(tmp_path, content):
    with mock.patch.object(matrix_files, "as_number", wraps=matrix_files.as_number) as parsed:
        try:
            matrix = load(tmp_path / "m.csv", content)
        except InputError as error:
            assert str(tmp_path) in str(error) and "\n" not in str(error)
        else:
            assert np.allclose(matrix.P + matrix.P.T, 1)
    assert parsed.call_count <= 3 * len(content)  # no cell is looked at again and again


@fuzz
@given(st.sampled_from([npy(np.array(VALID)), npz(P=VALID)]), st.data())
def test_a_damaged_numpy_file_is_refused_or_still_a_matrix(tmp_path, content, data):
    damaged = bytearray(content)
    for _ in range(data.draw(st.integers(1, 3))):
        damaged[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    cut = data.draw(st.sampled_from([len(content), data.draw(st.integers(1, len(content)))]))
    try:
        matrix = load(tmp_path / "m.npy", bytes(damaged[:cut]))
    except InputError as error:
        assert str(tmp_path) in str(error) and "\n" not in str(error)
    else:
        assert np.allclose(matrix.P + matrix.P.T, 1)
