"""Reading the numbers and names of a matrix from a file: comma-separated or white-space text, .npy, .npz.

Only the layout is judged here; what the numbers must fulfil stands in `duelbench.problem.preferences`.
"""

import csv
import os
import re
import shlex
import stat
import zipfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice
from pathlib import Path
from typing import IO

import numpy as np

from duelbench.errors import InputError, nearest

MAX_ARMS = 4096
"""Most arms of a matrix. A table of pair counts of this size fills 128 MB per run."""

MAX_BYTES = 512 * 2**20
"""Largest file read: 4096 x 4096 numbers of full precision as text stay below it."""

MAX_LINE = 64 * MAX_ARMS
"""Longest line of a text file, in characters."""

MAX_LINES = 10**6
"""Most lines of a text file, those without numbers included."""

NUMPY_ENDINGS = (".npy", ".npz")
"""How the names of NumPy's files end."""

NPZ_KEYS = ("PMat", "P")
"""Names under which an .npz file with several arrays keeps its preference matrix."""

NAMES_KEY = "names"
"""Name under which an .npz file may keep the names of the arms."""

MAX_NAME_BYTES = 4096
"""Longest name in an .npz file: 1024 characters, four bytes each."""

_DAMAGED_ZIP = (
    "no text, but a damaged zip archive, as a spreadsheet (.xlsx) would be",
    "open it where it was made and export it as CSV (UTF-8)",
)

_BRACKETS = re.compile(r"\s*[\[{]\s*([\[{\"'0-9.-]|$)")
"""How a matrix begins that was written as JSON, or as Python prints it."""

_AMOUNT = re.compile(r"([0-9]+(?:\.[0-9]+)?)\s*(?:%|/\s*([0-9]+(?:\.[0-9]+)?))")
"""A number written as a percentage or as a fraction."""

_DECIMAL_COMMAS = re.compile(r"\d,\d+[ \t;]+-?\d+,\d")


@dataclass(frozen=True)
class MatrixContent:
    """What a file holds.

    Attributes
    ----------
    values : ndarray
        The numbers, not yet judged: any shape for a NumPy file, 2-dimensional for text.
    names : tuple of str or None
        The names in the first line, if it has names; the first column may repeat them. Or those in an .npz file.
    lines : tuple of int or None
        For text, the line (from 1) of each row.
    """

    values: np.ndarray
    names: tuple[str, ...] | None = None
    lines: tuple[int, ...] | None = None


PROBABILITY = "a probability from 0 to 1, with a decimal point"
"""What stands in a cell of a preference matrix."""


def read_matrix(source: str, cell: str = PROBABILITY, blank_diagonal: bool = False) -> MatrixContent:
    """Read a matrix file; its first bytes tell its format.

    Parameters
    ----------
    source : str
        Path of a regular file of at most `MAX_BYTES`.
    cell : str
        What a message asks for where a cell holds no number.
    blank_diagonal : bool
        Whether the cells of a text's diagonal may all be empty, or all be ``-``: nan is what they hold.

    Raises
    ------
    InputError
        When it cannot be read as a matrix of at most `MAX_ARMS` arms.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder, "two.txt")
    ...     _ = file.write_text("# from a survey\\n0.5 0.9\\n0.1 0.5\\n")
    ...     content = read_matrix(str(file))
    >>> content.values.tolist(), content.lines
    ([[0.5, 0.9], [0.1, 0.5]], (2, 3))
    """
    check_file(source)
    try:
        with open(source, "rb") as file:
            start = file.read(8)
            file.seek(0)
            if start.startswith(b"\x93NUMPY"):
                return MatrixContent(_read_npy(file, source))
            if start.startswith(b"PK"):
                return _read_npz(file, source)
        check_text(start, source)
        return _read_text(source, cell, blank_diagonal)
    except OSError as error:
        raise InputError(f"{source}: cannot be read: {error.strerror or error}") from None


def check_file(source: str, what: str = "matrix") -> None:
    """Refuse what is not a regular file of moderate size, before opening it; ``what`` it should hold."""
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
        content = "; it must hold K rows of K numbers" if what == "matrix" else ""
        raise InputError(f"{source}: is empty{content}")


def _hint_at_neighbour(path: Path) -> str:
    if not path.parent.is_dir():
        return f"; there is no folder {path.parent} either"
    try:
        return nearest(path.name, [other.name for other in path.parent.iterdir() if other.exists()])
    except OSError:
        return ""


def _read_npy(
    file: IO[bytes], label: str, check: Callable[[tuple[int, ...], np.dtype, str], None] | None = None
) -> np.ndarray:
    """The one array of an .npy stream, its size checked (as that of a matrix) before it is allocated."""
    try:
        version = np.lib.format.read_magic(file)
        if version == (1, 0):
            shape, _, dtype = np.lib.format.read_array_header_1_0(file)
        elif version == (2, 0):
            shape, _, dtype = np.lib.format.read_array_header_2_0(file)
        else:
            raise ValueError(f"format {version[0]}.{version[1]} does not hold plain numbers")
        (check or _check_array)(shape, dtype, label)
        file.seek(0)
        return np.lib.format.read_array(file, allow_pickle=False)
    except InputError:
        raise
    except Exception as error:  # NumPy raises whatever its parsers stumble over, from ValueError to TokenError
        raise InputError(
            f"{label}: damaged NumPy file ({_first_line(error)}); write it again with numpy.save"
        ) from None


def _first_line(error: Exception) -> str:
    """What NumPy or zipfile says, as far as it fits into one message."""
    return str(error).partition("\n")[0] or type(error).__name__


def _check_array(shape: tuple[int, ...], dtype: np.dtype, label: str) -> None:
    mend = "write it with numpy.save(file, array.astype(float))"
    if dtype.hasobject:
        raise InputError(f"{label}: holds pickled Python objects, which are never loaded; {mend}")
    if dtype.kind not in "iuf":
        raise InputError(f"{label}: holds values of type {dtype}, not numbers; {mend}")
    if max(shape, default=0) > MAX_ARMS:
        size = " x ".join(str(side) for side in shape)
        raise InputError(f"{label}: holds {size} numbers; at most {MAX_ARMS} arms are supported")
    if len(shape) != 2:
        kind = "a single number" if not shape else f"an array with {len(shape)} dimension(s)"
        raise InputError(f"{label}: holds {kind}; a preference matrix has K rows and K columns")


def _check_names(shape: tuple[int, ...], dtype: np.dtype, label: str) -> None:
    if dtype.kind != "U" or len(shape) != 1:
        raise InputError(f"{label}: the names of the arms are a list of strings; write names=np.array(list_of_strings)")
    if shape[0] > MAX_ARMS or dtype.itemsize > MAX_NAME_BYTES:
        most = f"{MAX_ARMS} names of {MAX_NAME_BYTES // 4} characters"
        raise InputError(f"{label}: {shape[0]} names of {dtype.itemsize // 4} characters; at most {most} are read")


def _read_npz(file: IO[bytes], source: str) -> MatrixContent:
    try:
        with zipfile.ZipFile(file) as archive:
            members = archive.namelist()
            member = _chosen_member(members, source)
            with archive.open(member) as stream:
                values = _read_npy(stream, f"{source} ({member})")
            if f"{NAMES_KEY}.npy" not in members or member == f"{NAMES_KEY}.npy":
                return MatrixContent(values)
            with archive.open(f"{NAMES_KEY}.npy") as stream:
                names = _read_npy(stream, f"{source} ({NAMES_KEY}.npy)", _check_names)
            if len(names) != len(values):
                raise InputError(f"{source}: {len(names)} names for {len(values)} arms; give one name per arm")
            return MatrixContent(values, tuple(names.tolist()))
    except InputError:
        raise
    except Exception as error:  # as does zipfile: BadZipFile, EOFError, NotImplementedError, RuntimeError
        is_numpy = Path(source).suffix.lower() in NUMPY_ENDINGS
        kind, mend = ("damaged .npz file", "write it again with numpy.savez") if is_numpy else _DAMAGED_ZIP
        raise InputError(f"{source}: {kind} ({_first_line(error)}); {mend}") from None


def _chosen_member(members: list[str], source: str) -> str:
    """The member that holds the matrix: ``PMat`` or ``P``, or the only one but for the names."""
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
    """Refuse files whose first bytes or ending say that they are not UTF-8 text."""
    if start.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise InputError(f"{source}: is UTF-16 text; save it as UTF-8")
    if Path(source).suffix.lower() in NUMPY_ENDINGS:
        raise InputError(
            f"{source}: no NumPy file in spite of its name; write it with numpy.save (pickles are not read)"
        )


@dataclass(frozen=True)
class _Line:
    """A line that holds something: its number in the file, and its cells without surrounding blanks."""

    number: int
    cells: list[str]


def _read_text(source: str, cell: str, blank_diagonal: bool) -> MatrixContent:
    try:
        return _read_rows(source, cell, blank_diagonal)
    except InputError as error:
        raise InputError(_told_as_brackets(source) or _told_as_data(source) or str(error)) from None


def _told_as_brackets(source: str) -> str | None:
    """What to say of a file that holds lists in brackets."""
    with open(source, encoding="utf-8-sig", errors="surrogateescape") as file:
        start = file.read(1000)
    if not _BRACKETS.match(start):
        return None
    return (
        f"{source}: begins with {quoted(start.split()[0])}, like JSON or a list of Python; a matrix file has one row"
        " per line without brackets: '0.5,0.6' above '0.4,0.5'"
    )


def _told_as_data(source: str) -> str | None:
    """What to say of a file that is no matrix, but data that one can be made of, by its first two lines."""
    try:
        lines = list(islice(_cells_by_line(source), 2))
    except InputError:
        return None
    cells = [cell.lower() for line in lines[:1] for cell in line.cells]
    if any(">" in cell for cell in cells):
        what = "is a ranking, not a row of a matrix"
    elif "winner" in cells:
        what = "names the columns of a list of results"
    elif len(lines) == 2 and all(len(line.cells) > 1 and all(map(_is_word, line.cells)) for line in lines):
        ranking = quoted(" > ".join(lines[1].cells))
        return f"{source}: line {lines[1].number} holds no numbers; if it is a ranking, write it as {ranking}"
    else:
        return None
    return f"{source}: line {lines[0].number} {what}; {import_hint(source)}"


def _is_word(cell: str) -> bool:
    """Whether a cell holds something that is meant for no number."""
    return bool(cell) and not cell[0].isdigit() and _number(cell) is None


def _read_rows(source: str, cell: str, blank_diagonal: bool) -> MatrixContent:
    lines: Iterator[_Line] = _cells_by_line(source)
    first = next(lines, None)
    if first is None:
        raise InputError(f"{source}: holds no numbers; it must hold K rows of K numbers")
    second = next(lines, None)
    if second is not None and all(any(map(_AMOUNT.fullmatch, cells)) for cells in (first.cells, second.cells[1:])):
        _numbers(first, 0, source, cell)
    lines = chain([] if second is None else [second], lines)
    names = _names_of_rows(first, second)
    if names:
        first, lines = replace(first, cells=names), _without_names(lines, names, source)
    n_columns = len(first.cells)
    if n_columns > MAX_ARMS:
        raise InputError(f"{source}: {n_columns} columns; at most {MAX_ARMS} arms are supported")

    header = first if names or _holds_names(first) else None
    lines = lines if header else chain([first], lines)
    if blank_diagonal:
        lines = _with_nan(lines)
    rows: list[list[float]] = []
    numbers: list[int] = []
    for line in lines:
        if len(line.cells) != n_columns:
            raise InputError(f"{source}: {_ragged(first, line, header is not None)}")
        if len(rows) > MAX_ARMS:
            raise InputError(f"{source}: more than {MAX_ARMS} rows; at most {MAX_ARMS} arms are supported")
        rows.append(_numbers(line, len(rows), source, cell))
        numbers.append(line.number)

    if header is None and len(rows) == n_columns + 1 and _are_whole_and_different(rows[0]):
        header, rows, numbers = first, rows[1:], numbers[1:]
    if not rows:
        raise InputError(
            f"{source}: holds names in line {first.number} but no numbers below them; write K rows of K numbers there,"
            f" as '0.5,0.6' above '0.4,0.5'; if it is a ranking, write it as {quoted(' > '.join(first.cells))}"
        )
    if header is not None and not names and len(rows) == n_columns - 1 and any(map(_AMOUNT.fullmatch, first.cells)):
        _numbers(first, 0, source, cell)
    if len(rows) != n_columns or n_columns == 1:
        raise InputError(f"{source}: {_not_square(first, rows, n_columns)}")
    return MatrixContent(np.array(rows), tuple(header.cells) if header else None, tuple(numbers))


def import_hint(source: str) -> str:
    """How a matrix is made of a file of orders, results or counts.

    Examples
    --------
    >>> import_hint("my votes.csv")
    "`duelbench matrix import 'my votes.csv' -o matrix.csv` makes a matrix of it"
    """
    return f"`duelbench matrix import {shlex.quote(source)} -o matrix.csv` makes a matrix of it"


def _names_of_rows(first: _Line, second: _Line | None) -> list[str] | None:
    """The names of the arms, where they stand in the first line and in the first column too; None where they do not.

    The corner between the two is empty, holds some name for what the arms are, or is left out.
    """
    if second is None:
        return None
    names = first.cells if len(second.cells) == len(first.cells) + 1 else first.cells[1:]
    has_corner = names is not first.cells
    is_diagonal = second.cells[1:2] == [""] and second.cells[0] != names[0] and _number(names[0]) is not None
    if has_corner and not first.cells[0] and not is_diagonal:
        return names
    if not names or second.cells[0] != names[0]:
        return None
    numbers = [_number(name) for name in names]
    if not has_corner or numbers[0] is None:
        return names
    # Numbers can be names too, as in id,0,1; but where not all of them are, they are the first row of a matrix.
    whole = [number for number in numbers if number is not None]
    is_numbered = len(whole) == len(names) and _are_whole_and_different(whole)
    return names if is_numbered and _number(first.cells[0]) is None else None


def _without_names(lines: Iterable[_Line], names: Sequence[str], source: str) -> Iterator[_Line]:
    """The lines without their first cells, which must be the names."""
    for row, line in enumerate(lines):
        if row < len(names) and line.cells[0] != names[row]:
            raise InputError(
                f"{source}: line {line.number} begins with {quoted(line.cells[0])}, but the name in column {row + 1} "
                f"is {quoted(names[row])}; the first line and the first column must name the arms in the same order"
            )
        yield replace(line, cells=line.cells[1:])


def _with_nan(lines: Iterable[_Line]) -> Iterator[_Line]:
    """The rows with nan on their diagonal, where it holds what says nothing in the first of them."""
    blank = None
    for row, line in enumerate(lines):
        at_diagonal = line.cells[row : row + 1]
        if row == 0 and at_diagonal in ([""], ["-"]):
            blank = at_diagonal
        yield replace(line, cells=[*line.cells[:row], "nan", *line.cells[row + 1 :]]) if at_diagonal == blank else line


def _cells_by_line(source: str) -> Iterator[_Line]:
    """The lines of a text file without blank ones and comments; the first one tells the separator."""
    with open(source, encoding="utf-8-sig", errors="surrogateescape", newline=None) as file:
        separator = None
        number = 0
        while text := file.readline(MAX_LINE):
            number += 1
            check_line(text, number, source)
            if number > MAX_LINES:
                raise InputError(f"{source}: has more than {MAX_LINES} lines; this is not a matrix")
            if '"' not in text and _DECIMAL_COMMAS.search(text):
                raise InputError(f"{source}: line {number} has decimal commas; write decimal points, as in 0.5")
            if not text.strip() or text.lstrip().startswith("#"):
                continue
            separator = separator or _separator(text, number, source)
            yield _Line(number, _split(text, separator, number, source))


def check_line(text: str, number: int, source: str, what: str = "matrix") -> None:
    """Refuse a line that is too long, or no UTF-8 text; ``text`` was read with surrogate escapes."""
    if len(text) == MAX_LINE and not text.endswith("\n"):
        raise InputError(f"{source}: line {number} has over {MAX_LINE} characters; this is not a {what}")
    if "\0" in text:
        raise InputError(f"{source}: line {number} holds a zero byte; this is not a text file")
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        # Bytes that are not UTF-8 were read as lone surrogates, U+DC80 and up.
        byte = ord(text[error.start]) - 0xDC00
        raise InputError(
            f"{source}: line {number} holds the byte 0x{byte:02x}, not UTF-8 text; save the file as UTF-8"
        ) from None


def _separator(text: str, number: int, source: str) -> str:
    if "," in text:
        return "comma"
    if ";" in text:
        raise InputError(f"{source}: line {number} has semicolons; separate by commas, with decimal points")
    return "blank"


def _split(text: str, separator: str, number: int, source: str) -> list[str]:
    if separator == "blank":
        return text.split()
    if '"' not in text:
        return [cell.strip() for cell in text.split(",")]
    try:
        return [cell.strip() for cell in next(csv.reader([text], skipinitialspace=True, strict=True))]
    except csv.Error as error:
        raise InputError(f"{source}: line {number} is no CSV ({error}); close every quotation mark") from None


def _holds_names(line: _Line) -> bool:
    """Whether most cells are no numbers; one wrong number does not make a row a line of names."""
    names = sum(_number(cell) is None for cell in line.cells)
    return 2 * names > len(line.cells)


def _number(cell: str) -> float | None:
    """The number in a cell, or None. Python's digit separators (``1_0``) are no numbers here."""
    try:
        return None if "_" in cell else float(cell)
    except ValueError:
        return None


def _numbers(line: _Line, row: int, source: str, wanted: str) -> list[float]:
    values = [_number(cell) for cell in line.cells]
    numbers = [value for value in values if value is not None]
    if len(numbers) == len(values):
        return numbers
    column = values.index(None)
    cell = line.cells[column]
    content = f"is {quoted(cell)}, not a number" if cell else "is empty"
    mend = f"write {wanted}"
    if amount := _AMOUNT.fullmatch(cell):
        mend = f"write {_decimal(amount)}"
    elif not cell and column == row:
        mend = "an arm against itself has 0.5 (in a table of counts 0): write it everywhere on the diagonal"
    elif not cell and column == len(values) - 1:
        mend += ", or remove the comma at the end of the line"
    elif column == 0:
        mend += "; if the first column names the rows, the first line must name the columns, in the same order"
    raise InputError(
        f"{source}: row {row + 1}, column {column + 1} (counted from 1; line {line.number}) {content}; {mend}"
    )


def _decimal(amount: re.Match[str]) -> str:
    """A percentage or a fraction as a decimal, or what one looks like where it has none."""
    divisor = float(amount[2] or 100)
    return f"{float(amount[1]) / divisor:.12g}" if divisor else "a number with a decimal point"


def _are_whole_and_different(row: list[float]) -> bool:
    """Whether numbers can only be names, as pandas writes them (0,1,2): every row of a matrix has its 1/2."""
    return all(float(value).is_integer() for value in row) and len(set(row)) == len(row)


def _ragged(first: _Line, line: _Line, has_names: bool) -> str:
    what = "names" if has_names else "numbers"
    here = f"line {first.number} has {len(first.cells)} {what}, line {line.number} has {len(line.cells)} numbers"
    if has_names and len(first.cells) > len(line.cells):
        return f"{here}; give one name per column (with blanks in names, separate by commas)"
    return f"{here}; every row needs one number per arm"


def _not_square(first: _Line, rows: list[list[float]], n_columns: int) -> str:
    shape = f"{len(rows)} row(s) of {n_columns} numbers; a preference matrix has as many rows as columns"
    if n_columns == 1 and len(rows) == 1:
        return "holds a single number; a preference matrix has at least 2 rows and 2 columns"
    if n_columns == 2 * len(rows) and all(cell.isdigit() for cell in first.cells):
        return f"{shape}; if these are decimal commas, write decimal points, as in 0.5"
    return shape


def as_csv(P: np.ndarray, names: Sequence[str], comments: Sequence[str] = ()) -> str:
    """A matrix as a file that `read_matrix` reads back to the last bit, names included.

    Parameters
    ----------
    P : ndarray, shape (K, K), float64
    names : sequence of str
        Of the arms; those that are only 0, 1, ... are left out.
    comments : sequence of str
        Lines that say where the matrix comes from, put before it after ``#``.

    Raises
    ------
    InputError
        When the names would be taken for numbers.

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
    numbers = [_number(name) for name in names]
    are_names = 2 * sum(number is None for number in numbers) > len(names)
    if not are_names and not (None not in numbers and _are_whole_and_different([x for x in numbers if x is not None])):
        shown = ", ".join(quoted(name) for name in names[:3])
        raise InputError(f"the names of the arms ({shown}, ...) would be read as numbers; give them other names")
    if all(re.fullmatch(r"[\w.()-][\w .()-]*", name) for name in names):
        return ",".join(names)
    return ",".join('"' + name.replace('"', '""') + '"' for name in names)


def quoted(text: str) -> str:
    """``text`` as a Python literal of at most 40 characters, safe to print.

    Examples
    --------
    >>> quoted("egg")
    "'egg'"
    >>> quoted("x" * 50)[-4:]
    "...'"
    """
    return repr(text if len(text) <= 36 else text[:33] + "...")
