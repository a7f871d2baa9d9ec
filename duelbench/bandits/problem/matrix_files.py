"""Reads the numbers and names of a matrix from a file: comma-separated or white-space text, .npy, .npz.

Only the layout is checked here; `duelbench.bandits.problem.preferences` checks the numbers.
"""

import csv
import io
import os
import re
import shlex
import stat
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import IO

import numpy as np

from duelbench.errors import InputError, nearest, reading

MAX_ARMS = 4096  # Largest number of arms. A table of pair counts of this size fills 128 MB per run.
MAX_BYTES = 512 * 2**20  # Largest file read: 4096 x 4096 numbers of full precision as text stay below it
MAX_LINE = 64 * MAX_ARMS  # Longest line of a text file, in characters
MAX_LINES = 5 * 10**6  # Most lines of a text file
SAMPLE = 20  # Lines at the start of a table that tell its separator
NPZ_KEYS = ("PMat", "P")  # Names under which an .npz file with several arrays keeps its preference matrix
NAMES_KEY = "names"  # Name under which an .npz file may keep the names of the arms
MAX_NAME_BYTES = 4096  # Longest name in an .npz file: 1024 characters, four bytes each

_NUMPY_ENDINGS = (".npy", ".npz")

DECIMAL_COMMAS = re.compile(r"\d,\d+[ \t;]+-?\d+,\d")

_JSON = re.compile(r"\s*(\{\s*[\"}]|\[\s*[\[{\"\]\d-])")
_AS_ROWS = "write its rows as lines, with commas between the cells"
_PRINTED = {
    r"\\(begin|documentclass|usepackage|hline|toprule)\b|.*&.*\\\\": ("a LaTeX table", _AS_ROWS),
    r"\[(,\d+|\d+,)\]|\[\d+\]\s+-?[\d.]+\b": (
        "a matrix as R prints it",
        'in R, write.table(P, "matrix.csv", sep=",", row.names=FALSE, col.names=FALSE) writes a file that can be read',
    ),
    r"\[\[?\s*-?[\d.]+[ \t]+-?[\d.]|(\w+\s*=\s*)?((np|numpy)\.)?(array|matrix|tensor)\(|\w+\s*=\s*[\[(]": (
        "an array as Python prints it",
        'in Python, numpy.savetxt("matrix.csv", P, delimiter=",") writes a file that can be read',
    ),
    r"\|.*\|\s*$": ("a Markdown table", _AS_ROWS),
    r"<(!doctype|html|table)\b": ("an HTML page", "open it in a spreadsheet, and export that as CSV (UTF-8)"),
}
"""Regular expression of the first lines of a text that is no data file -> what it looks like, and what to do."""

ROWS_LOSE = re.compile(
    r"[\W_]*(los(e|er|ers|es|ing|s|ses|t)|worse|beaten|defeated|rows? los\w+|col(umn)?s? (beats?|wins?))(?![a-z])",
    re.IGNORECASE,
)
"""The beginning of a corner, such as loser\\winner, which says that the numbers are wins of the columns."""

CLOSE_QUOTES = "close every quotation mark; between cells, write commas instead of blanks (`write.csv` in R)"

_STRAY_BYTE = re.compile("[\ud800-\udfff]")  # A byte that is not UTF-8, as Python reads it: U+DC80 and up
PROBABILITY = "a probability from 0 to 1, with a decimal point"  # The content of a cell of a preference matrix


@dataclass(frozen=True)
class MatrixContent:
    """The content of a matrix file."""

    values: np.ndarray  # The numbers, not checked yet: any shape for a NumPy file, 2-dimensional for text
    names: tuple[str, ...] | None = None  # of the arms, if the file has any
    lines: tuple[int, ...] | None = None  # for text, the line (from 1) of each row
    point: str = "."  # the decimal point of text, or comma


def read_matrix(source: str) -> MatrixContent:
    """Read a matrix file of at most `MAX_BYTES`; its first bytes tell its format."""
    check_file(source)
    with reading(source), open(source, "rb") as file:
        start = file.read(8)
        file.seek(0)
        if start.startswith(b"\x93NUMPY"):
            return MatrixContent(_read_npy(file, source))
        if start.startswith(b"PK"):
            return _read_npz(file, source)
    return _read_text(source)


def check_file(source: str, what: str = "matrix") -> None:
    """Refuse anything but a regular file of moderate size, before opening it; ``what`` names the expected content."""
    if not source:
        raise InputError(f"an empty path; name the {what} file")
    try:
        status = os.stat(source)
    except (FileNotFoundError, NotADirectoryError):
        raise InputError(f"{source}: there is no such file{_hint_at_neighbour(Path(source))}") from None
    except (OSError, ValueError) as error:
        raise InputError(f"{source!r}: cannot be read: {getattr(error, 'strerror', None) or error}") from None
    if stat.S_ISDIR(status.st_mode):
        raise InputError(f"{source}: is a folder; name the {what} file in it")
    if not stat.S_ISREG(status.st_mode):
        raise InputError(f"{source}: is a pipe, socket or device; save the {what} to a file and name that")
    if status.st_size > MAX_BYTES:
        raise InputError(f"{source}: has {status.st_size >> 20} MB; files of at most {MAX_BYTES // 2**20} MB are read")
    if status.st_size == 0:
        raise InputError(f"{source}: is empty" + ("; it must hold K rows of K numbers" if what == "matrix" else ""))


def _hint_at_neighbour(path: Path) -> str:
    if not path.parent.is_dir():
        return f"; there is no folder {path.parent} either"
    try:
        return nearest(path.name, [neighbour.name for neighbour in path.parent.iterdir() if neighbour.exists()])
    except OSError:
        return ""


def _read_npy(file: IO[bytes], label: str, are_names: bool = False) -> np.ndarray:
    """Return the only array of an .npy stream; its size is checked before memory is allocated."""
    try:
        version = np.lib.format.read_magic(file)
        if version != (1, 0):
            raise ValueError(f"format {version[0]}.{version[1]} does not hold plain numbers")
        shape, _, dtype = np.lib.format.read_array_header_1_0(file)
        (_check_names if are_names else _check_numbers)(shape, dtype, label)
        file.seek(0)
        return np.lib.format.read_array(file, allow_pickle=False)
    except InputError:
        raise
    except Exception as error:  # NumPy raises many exceptions for damaged files, from ValueError to TokenError
        raise InputError(
            f"{label}: damaged NumPy file ({_first_line(error)}); write it again with numpy.save"
        ) from None


def _first_line(error: Exception) -> str:
    return str(error).partition("\n")[0] or type(error).__name__


def _check_numbers(shape: tuple[int, ...], dtype: np.dtype, label: str) -> None:
    hint = "write it with numpy.save(file, array.astype(float))"
    if dtype.hasobject:
        raise InputError(f"{label}: holds pickled Python objects, which are never loaded; {hint}")
    if dtype.kind not in "iuf":
        raise InputError(f"{label}: holds values of type {dtype}, not numbers; {hint}")
    if max(shape, default=0) > MAX_ARMS:
        size = " x ".join(map(str, shape))
        raise InputError(f"{label}: holds {size} numbers; at most {MAX_ARMS} arms are supported")


def _check_names(shape: tuple[int, ...], dtype: np.dtype, label: str) -> None:
    if dtype.kind != "U" or len(shape) != 1:
        raise InputError(f"{label}: the names of the arms are a list of strings; write names=np.array(list_of_strings)")
    if shape[0] > MAX_ARMS or dtype.itemsize > MAX_NAME_BYTES:
        most = f"{MAX_ARMS} names of {MAX_NAME_BYTES // 4} characters"
        raise InputError(f"{label}: {shape[0]} names of {dtype.itemsize // 4} characters; at most {most} are read")


def _read_npz(file: IO[bytes], source: str) -> MatrixContent:
    names_member = f"{NAMES_KEY}.npy"
    try:
        with zipfile.ZipFile(file) as archive:
            members = archive.namelist()
            member = _chosen_member(members, source)
            with archive.open(member) as stream:
                values = _read_npy(stream, f"{source} ({member})")
            if names_member not in members or member == names_member:
                return MatrixContent(values)
            with archive.open(names_member) as stream:
                names = _read_npy(stream, f"{source} ({names_member})", are_names=True)
    except InputError:
        raise
    except Exception as error:  # zipfile raises BadZipFile, EOFError, NotImplementedError, RuntimeError
        kind, hint = "damaged .npz file", "write it again with numpy.savez"
        if Path(source).suffix.lower() not in _NUMPY_ENDINGS:
            kind, hint = "a damaged zip archive, such as a spreadsheet (.xlsx)", "export it as CSV (UTF-8)"
        raise InputError(f"{source}: {kind} ({_first_line(error)}); {hint}") from None
    return MatrixContent(values, tuple(names.tolist()))


def _chosen_member(members: list[str], source: str) -> str:
    """Return the member that holds the matrix: ``PMat`` or ``P``, or the only one besides the names."""
    arrays = [member for member in members if member.endswith(".npy")]
    if not arrays:
        raise InputError(f"{source}: zip archive without NumPy arrays; export a spreadsheet as CSV (UTF-8)")
    unnamed = [member for member in arrays if member != f"{NAMES_KEY}.npy"] or arrays
    matrices = [member for member in unnamed if member.removesuffix(".npy") in NPZ_KEYS] or unnamed
    if len(matrices) > 1:
        names = ", ".join(member.removesuffix(".npy") for member in arrays)
        raise InputError(f"{source}: holds the arrays {names}; keep one only, or call the matrix P")
    return matrices[0]


def check_text(start: bytes, source: str) -> None:
    """Refuse a file whose first bytes or ending show that it is not UTF-8 text."""
    if start.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise InputError(f"{source}: is UTF-16 text; save it as UTF-8")
    if Path(source).suffix.lower() in _NUMPY_ENDINGS:
        raise InputError(
            f"{source}: not a NumPy file despite its name; write it with numpy.save (pickles are not read)"
        )


def text_lines(path: str | Path, what: str = "data set", longest: int = MAX_LINE) -> Iterator[tuple[int, str]]:
    """Yield the number (from 1) and the text of each line of a UTF-8 file; refuse lines over ``longest`` characters."""
    source = str(path)
    check_file(source, what)
    with reading(source), open(source, "rb") as binary:
        check_text(binary.read(8), source)
        binary.seek(0)
        file = io.TextIOWrapper(binary, encoding="utf-8-sig", errors="surrogateescape")
        for number, text in enumerate(iter(lambda: file.readline(longest), ""), 1):
            if number > MAX_LINES:
                raise InputError(f"{source}: has more than {MAX_LINES} lines; this is not a {what}")
            if len(text) == longest and not text.endswith("\n"):
                raise InputError(f"{source}: line {number} has over {longest} characters; this is not a {what}")
            if "\0" in text:
                raise InputError(f"{source}: line {number} holds a zero byte; this is not a text file")
            if stray := _STRAY_BYTE.search(text):
                byte = ord(stray[0]) - 0xDC00
                wrong = f"holds the byte 0x{byte:02x}, not UTF-8 text; save the file as UTF-8"
                raise InputError(f"{source}: line {number} {wrong}")
            yield number, text


def numbered_lines(path: str | Path, what: str = "data set") -> Iterator[tuple[int, str]]:
    """Return the lines of a UTF-8 text file that are not blank, stripped, each with its number from 1."""
    return ((number, text.strip()) for number, text in text_lines(path, what) if text.strip())


def after_comments(path: str | Path) -> tuple[int, Iterator[tuple[int, str]]]:
    """Skip the lines with ``#`` at the start of a text file; return their number, and the other `numbered_lines`.

    A later line that starts with ``#`` is content: an unquoted name may start with ``#``.
    """
    lines = numbered_lines(path)
    n_comments = 0
    for line in lines:
        if not line[1].startswith("#"):
            return n_comments, chain([line], lines)
        n_comments += 1
    return n_comments, iter(())


def separator_of(lines: Sequence[str]) -> str:
    """Return the separator of a table, given its first lines: a tab, semicolon or comma; empty if it has none.

    As many lines as possible must have as many cells as the first, because a name may contain another separator. If
    several separators are equally good, it is a tab, or else the one with the most cells.

    Examples
    --------
    >>> separator_of(["a;b"]), separator_of(["tea, hot|coffee, black".replace("|", "\\t")]), separator_of(["a b"])
    (';', '\\t', '')
    """
    has_decimal_commas = any(DECIMAL_COMMAS.search(text) for text in lines) and '"' not in "".join(lines)
    best, separator = (0, False, 1), ""
    for candidate in "\t;" if has_decimal_commas else "\t;,":
        lengths = _lengths(lines, candidate)
        if lengths and lengths[0] > 1:
            fit = (lengths.count(lengths[0]), candidate == "\t", lengths[0])
            if fit > best:
                best, separator = fit, candidate
    return separator or ("," if lines and "," in lines[0] and not has_decimal_commas else "")


def _lengths(lines: Sequence[str], separator: str) -> list[int]:
    """Return the numbers of cells of the first rows, up to a row that cannot be read."""
    lengths = []
    try:
        for cells in csv.reader(lines, delimiter=separator, skipinitialspace=True):
            if cells:
                lengths.append(len(cells))
    except csv.Error:
        pass
    return lengths


def csv_cells(text: str, number: int, source: str, separator: str = ",") -> list[str]:
    """Return the cells of one line of a separated file, without surrounding blanks."""
    try:
        rows = csv.reader([text], delimiter=separator, skipinitialspace=True, strict=True)
        return [cell.strip() for cell in next(rows, [])]
    except csv.Error as error:
        raise InputError(f"{source}: line {number} is not valid CSV ({error}); {CLOSE_QUOTES}") from None


def line_cells(text: str, number: int, source: str, separator: str) -> list[str]:
    """Return the cells of one line, which may be quoted; an empty separator is white space."""
    if separator:
        return csv_cells(text, number, source, separator)
    return csv_cells(text.replace("\t", " "), number, source, " ") if '"' in text else text.split()


def whole_number(text: str, most: int) -> int | None:
    """Read ``text`` as a whole number from 0 to ``most`` in ASCII digits; None if it is not one.

    Examples
    --------
    >>> whole_number(" 12 ", 99), whole_number("1e3", 99), whole_number("100", 99)
    (12, None, None)
    """
    digits = text.strip()
    if not (digits.isascii() and digits.isdigit()) or len(digits) > len(str(most)):
        return None
    number = int(digits)
    return number if number <= most else None


def starts_json(text: str) -> bool:
    """Return whether a text starts like JSON."""
    return _JSON.match(text) is not None


def refuse_printed(source: str) -> None:
    """Refuse a table made for people to read, such as a table in LaTeX or one that a program printed."""
    for number, text in islice(text_lines(source, "matrix", MAX_BYTES), 3):
        for pattern, (form, hint) in _PRINTED.items():
            if re.match(pattern, text[:1000].strip(), re.IGNORECASE):
                raise InputError(f"{source}: line {number} looks like {form}; {hint}")


def _read_text(source: str) -> MatrixContent:
    refuse_printed(source)
    lines = list(islice(_matrix_lines(source), MAX_ARMS + 2))
    if not lines:
        raise InputError(f"{source}: holds no numbers; it must hold K rows of K numbers")
    number, first = lines[0]
    if starts_json(first):
        raise InputError(f"{source}: is JSON, not rows of numbers; {import_hint(source)}")
    separator = separator_of([text for _, text in lines[:SAMPLE]])
    if separator == ";":
        raise InputError(
            f"{source}: line {number} has semicolons; separate by commas, with decimal points; or {import_hint(source)}"
        )
    if separator == "\t" and "," not in first:
        separator = ""
    rows = [(number, line_cells(text, number, source, separator)) for number, text in lines]
    try:
        return table_content(source, rows)
    except InputError as error:
        head = rows[0][1]
        if any(">" in cell for cell in head):
            what = "is a ranking, not a row of a matrix"
        elif "winner" in map(str.lower, head):
            what = "names the columns of a list of results"
        elif sum(map(_may_be_vote, rows[1:])) > 1:
            raise InputError(f"{error}; if these are votes, {import_hint(source)}") from None
        else:
            raise
        raise InputError(f"{source}: line {number} {what}; {import_hint(source)}") from None


def _may_be_vote(row: tuple[int, list[str]]) -> bool:
    """Return whether a line has text where a matrix has numbers, or begins with a count, as in 3: 1,2."""
    cells = row[1]
    return ":" in cells[0] or any(as_number(cell) is None for cell in cells[len(cells) > 1 :])


def table_content(source: str, rows: list[tuple[int, list[str]]], wanted: str = PROBABILITY) -> MatrixContent:
    """Return the names and numbers of a square table of text, whose first line may name the arms.

    Parameters
    ----------
    source : str
        The file, for messages.
    rows : list of (int, list of str)
        The number of each line, and its cells.
    wanted : str
        What a cell must hold, for the message about a cell without a number.
    """
    return _Table(source, rows, wanted).content()


def _matrix_lines(source: str) -> Iterator[tuple[int, str]]:
    """Yield the lines that are not comments, each after its number."""
    for number, text in numbered_lines(source, "matrix"):
        if '"' not in text and DECIMAL_COMMAS.search(text):
            raise InputError(
                f"{source}: line {number} has decimal commas; write decimal points, as in 0.5; or {import_hint(source)}"
            )
        if not text.startswith("#"):
            yield number, text


class _Table:
    """The cells of a text file as a matrix; the first line may hold names of the arms."""

    def __init__(self, source: str, rows: list[tuple[int, list[str]]], wanted: str) -> None:
        self.source, self.lines, self.wanted = source, rows, wanted
        self.head = self._cells(0)

    def _cells(self, k: int) -> list[str]:
        return self.lines[k][1]

    def content(self) -> MatrixContent:
        """Return the names and numbers; an InputError names the first wrong cell."""
        has_row_names = self._has_row_names()
        if has_row_names and ROWS_LOSE.match(self.head[0]) and self._names_beside() != self.head:
            raise columns_win(f"{self.source}: line {self.lines[0][0]}", self.head[0])
        names = self._names_beside() if has_row_names else self._names_above()
        n_columns = len(names or self.head)
        first_line, first_row = self.lines[0][0], 1 if names else 0
        if first_row == len(self.lines):
            raise InputError(f"{self.source}: line {first_line} holds names; write K rows of K numbers below it")
        size, what = max((n_columns, "columns"), (len(self.lines) - first_row, "rows"))
        if size > MAX_ARMS:
            raise InputError(f"{self.source}: {size} {what} or more; at most {MAX_ARMS} arms are supported")
        rows: list[list[float]] = []
        for row, (number, _) in enumerate(self.lines[first_row:]):
            cells = self._cells(first_row + row)
            if has_row_names:
                name, *cells = cells
                if names and row < n_columns and name != names[row]:
                    raise InputError(
                        f"{self.source}: line {number} begins with {quoted(name)}, but column {row + 1} "
                        f"with {quoted(names[row])}; the first line and column must name the arms in the same order"
                    )
            if len(cells) != n_columns:
                content = "names" if names else "numbers"
                hint = " (with blanks in names, separate by commas)" if names else ""
                raise InputError(
                    f"{self.source}: line {first_line} has {n_columns} {content}, line {number} has {len(cells)}"
                    f" numbers; every row needs one number per arm{hint}"
                )
            rows.append(self._numbers(cells, row, number))
        numbers = tuple(number for number, _ in self.lines[first_row:])
        return MatrixContent(np.array(rows), tuple(names) if names else None, numbers)

    def _has_row_names(self) -> bool:
        """Return whether the first line and the first column hold names, as pandas writes tables.

        The corner between the two is empty, holds a word for the arms, or is left out.
        """
        second = self._cells(1) if len(self.lines) > 1 else []
        if len(second) == len(self.head) + 1:
            first_name = self.head[0]
        elif len(self.lines) == len(self.head) > 2 and as_number(self.head[0]) is None:
            first_name = self.head[1]
        else:
            return False
        return second[:1] == [first_name] or as_number(second[0]) is None

    def _names_beside(self) -> list[str]:
        """Return the first line without its corner.

        A first line with a corner that lacks one of the names is as long as one without a corner. It has a corner if no
        row has the name that it starts with.
        """
        second = self._cells(1)
        has_corner = len(self.head) == len(second)
        if not has_corner and second[0] in self.head[1:2]:
            has_corner = not any(cells[0] == self.head[0] for _, cells in self.lines[1:])
        return self.head[has_corner:]

    def _names_above(self) -> list[str] | None:
        """Return the first line, or None if it looks like numbers of a matrix."""
        is_above = len(self.lines) == len(self.head) + 1 and _are_whole_and_different(self.head)
        return self.head if is_above or _hold_names(self.head) else None

    def _numbers(self, cells: Sequence[str], row: int, line: int) -> list[float]:
        values = [as_number(cell) for cell in cells]
        numbers = [value for value in values if value is not None]
        if len(numbers) == len(values):
            return numbers
        column = values.index(None)
        cell = cells[column]
        content = f"is {quoted(cell)}, not a number" if cell else "is empty"
        hint = f"write {self.wanted}"
        if not cell and column == row:
            hint = "an arm against itself has 0.5 (in a table of counts 0): write it everywhere on the diagonal"
        elif not cell and column == len(values) - 1:
            hint += ", or remove the comma at the end of the line"
        elif column == 0:
            hint += "; if the first column names the rows, the first line must name the columns, in the same order"
        place = f"row {row + 1}, column {column + 1} (counted from 1; line {line})"
        raise InputError(f"{self.source}: {place} {content}; {hint}")


def columns_win(place: str, corner: str) -> InputError:
    """Return the error about a table whose corner says that its columns win."""
    return InputError(
        f"{place}: by its corner {quoted(corner)} the table has the wins of the columns; transpose it, because row i,"
        " column j is read as i against j"
    )


def import_hint(source: str) -> str:
    """Return a hint on how to make a matrix from a file of orders, results or counts."""
    return f"`duelbench matrix import {shlex.quote(source)} -o matrix.csv` makes a matrix of it"


def _hold_names(cells: Sequence[str]) -> bool:
    """Return whether most cells are not numbers; one wrong number does not make a row a line of names."""
    return 2 * sum(as_number(cell) is None for cell in cells) > len(cells)


def _are_whole_and_different(cells: Sequence[str]) -> bool:
    """Return whether cells are different integers, as pandas writes names (0,1,2): every row of a matrix has a 1/2."""
    numbers = [as_number(cell) for cell in cells]
    return len(set(numbers)) == len(numbers) and all(value is not None and value.is_integer() for value in numbers)


def as_number(cell: str) -> float | None:
    """Return the number in a cell, or None. Python's digit separators (``1_0``) are not allowed."""
    try:
        return None if "_" in cell else float(cell)
    except ValueError:
        return None


def as_csv(P: np.ndarray, names: Sequence[str], comments: Sequence[str] = ()) -> str:
    """Return the text of a file from which `read_matrix` reads a matrix back to the last bit, names included.

    The names 0, 1, ..., K - 1 are left out; other names that would be read as numbers raise an InputError. ``comments``
    are written before the matrix, after ``#``.

    Examples
    --------
    >>> print(as_csv(np.array([[0.5, 0.9], [0.1, 0.5]]), ["tuna", "egg"], ["a survey"]), end="")
    # a survey
    tuna,egg
    0.5,0.9
    0.1,0.5
    """
    lines = [f"# {' '.join(comment.split())}" for comment in comments]
    if list(names) != [str(arm) for arm in range(len(names))]:
        lines.append(_name_line(names))
    lines += [",".join(map(repr, row)) for row in P.tolist()]
    return "\n".join(lines) + "\n"


def _name_line(names: Sequence[str]) -> str:
    if not _hold_names(names) and not _are_whole_and_different(names):
        shown = ", ".join(quoted(name) for name in names[:3])
        raise InputError(f"the names of the arms ({shown}, ...) would be read as numbers; give them other names")
    if all(re.fullmatch(r"[\w.()-][\w .()-]*", name) for name in names):
        return ",".join(names)
    return ",".join('"' + name.replace('"', '""') + '"' for name in names)


def quoted(text: str) -> str:
    """Return ``text`` as a Python literal of at most 40 characters, safe to print."""
    return repr(text if len(text) <= 36 else text[:33] + "...")
