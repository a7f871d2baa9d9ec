"""Reads square tables of probabilities, percentages, gaps, ratios or counts, whole or half."""

import re
from dataclasses import replace
from itertools import islice
from pathlib import Path

import numpy as np

from duelbench.bandits.problem.labelled import checked_counts, from_upper
from duelbench.bandits.problem.matrix_files import (
    MAX_ARMS,
    PROBABILITY,
    SAMPLE,
    MatrixContent,
    as_number,
    line_cells,
    read_matrix,
    separator_of,
    table_content,
    text_lines,
)
from duelbench.bandits.problem.notations import (
    GAPS,
    PERCENTAGES,
    PROBABILITIES,
    RATIOS,
    TOLERANCE,
    Notation,
    Place,
    check_numbers,
    look_like_counts,
)
from duelbench.bandits.problem.preferences import PreferenceMatrix
from duelbench.common.words import counted
from duelbench.data.counts import PairCounts
from duelbench.data.tables import Points, is_json, json_rows
from duelbench.errors import InputError, reading

COUNT = "a number of wins"
"""The value that messages require in a cell of a table of counts."""

DIAGONALS = {"0.0", "nan", "0.5", "1.0", "50.0"}
"""Numbers on the diagonals of square tables."""

FILLED_DIAGONAL = "0.5 was put on the diagonal; the other numbers are unchanged"

_FRACTION = re.compile(r"([0-9.]+)\s*/\s*([0-9.]+)")


def read_square(path: Path, wanted: str = PROBABILITY) -> tuple[MatrixContent, bool]:
    """Read a square table from a text, JSON or NumPy file; return it, and whether it has percent signs.

    No number is checked.
    Commas, semicolons, tabs or white space separate cells; unless commas do, numbers may have decimal commas. A cell
    may be empty or ``-`` (nan), a percentage (50% is read as 50) or a fraction.
    """
    if is_numpy(path):
        return read_matrix(str(path)), False
    source = str(path)
    separator, rows = (",", json_rows(path)) if is_json(path) else _text_rows(source)
    head = rows[0][1]
    numbers = [(number, [_number(cell, separator != ",") for cell in cells]) for number, cells in rows]
    if head[0] == "" and len(rows) > 1 and _is_name(rows[1][1][0], head):
        numbers[0][1][0] = ""
    content = table_content(source, numbers, wanted)
    if content.names is not None:
        content = replace(content, names=tuple(head[len(head) - len(content.names) :]))
    rows = rows[content.names is not None :]
    _refuse_thousands(source, rows, content, wanted)
    cells = [cell for _, row in rows for cell in row]
    has_commas = separator != "," and any("," in cell for cell in cells)
    return replace(content, point="," if has_commas else "."), any(cell.endswith("%") for cell in cells)


def _refuse_thousands(source: str, rows: list[tuple[int, list[str]]], content: MatrixContent, wanted: str) -> None:
    """Refuse counts whose points may separate thousands."""
    values = np.array(content.values, dtype=np.float64)
    has_counts = _is_square(values) and _notation(values) is PROBABILITIES and (_others(values) > 1).any()
    if wanted == COUNT or has_counts:
        points = Points()
        for line, cells in rows:
            for cell in cells[-values.shape[1] :]:
                points.see(cell, f"line {line}")
        points.refuse(source, are_counts=True)


def _text_rows(source: str) -> tuple[str, list[tuple[int, list[str]]]]:
    """Return the separator of a text, empty for white space, and the cells of each line."""
    all_lines = ((number, text.strip("\r\n ")) for number, text in text_lines(source, "matrix"))
    lines = list(islice((line for line in all_lines if line[1].strip() and line[1][0] != "#"), MAX_ARMS + 2))
    if lines and re.fullmatch(r'"?sep=[,;]?"?', lines[0][1]):
        lines = lines[1:]
    if not lines:
        raise InputError(f"{source}: holds no numbers; it must hold K rows of K numbers")
    separator = separator_of([text for _, text in lines[:SAMPLE]])
    return separator, [(number, line_cells(text, number, source, separator)) for number, text in lines]


def _is_name(cell: str, head: list[str]) -> bool:
    """Return whether the cell below an empty corner names a row."""
    return cell == head[-1 if len(head) == 1 else 1] or as_number(_number(cell, True)) is None


def is_numpy(path: Path) -> bool:
    """Return whether a file is an .npy or .npz file, or another zip archive."""
    with reading(path), path.open("rb") as file:
        return file.read(8).startswith((b"PK", b"\x93NUMPY"))


def _number(cell: str, may_have_comma: bool) -> str:
    """Return a cell that holds a number in Python's notation, without a percent sign; other cells unchanged.

    Examples
    --------
    >>> [_number(cell, True) for cell in ("0,5", "50 %", "1/4", "-", "tea")]
    ['0.5', '50', '0.25', 'nan', 'tea']
    """
    if cell in ("", "-"):
        return "nan"
    plain = cell.removesuffix("%").rstrip()
    if may_have_comma and plain.count(",") == 1:
        plain = plain.replace(",", ".")
    fraction = _FRACTION.fullmatch(plain)
    if fraction:
        above, below = map(as_number, fraction.groups())
        return repr(above / below) if above is not None and below else cell
    return plain if as_number(plain) is not None else cell


def holds_counts(values: np.ndarray) -> bool:
    """Return whether a table holds counts of wins rather than probabilities, by its diagonal and fractions."""
    if not _is_square(values) or _notation(values) is not PROBABILITIES:
        return False
    if _is_blank(np.diagonal(values)):
        is_whole = not np.isnan(values[~np.eye(len(values), dtype=bool)]).any()
        return bool(is_whole and (np.mod(_others(values), 0.5) == 0).all())
    return bool(np.isfinite(values).all() and ((values < 0) | (values > 1)).any() and look_like_counts(values))


def read_count_matrix(path: Path) -> PairCounts:
    """Read a K x K table of counts: row i, column j = wins of i against j, 0 on the diagonal.

    The file is text, optionally with names of arms, or a NumPy file. Counts may be fractions, such as 0.5 for a tie.
    """
    content, _ = read_square(path, COUNT)
    values = np.array(content.values, dtype=np.float64)
    if _is_square(values) and np.isnan(np.diagonal(values)).all():
        np.fill_diagonal(values, 0)
    wins, names = checked_counts(values, content.names, str(path))
    return PairCounts(wins, names, str(path), ("row i, column j of the table: wins of i against j",))


def read_probabilities(path: Path) -> tuple[PreferenceMatrix, list[str]]:
    """Read a preference matrix, and return it with notes on the notation of the file.

    Besides probabilities, the file may have:

    - ratios a_ij = 1 / a_ji with 1 on the diagonal, as in the analytic hierarchy process: p = a / (a + 1);
    - gaps p - 1/2, with 0 on the diagonal;
    - percentages, with 50 on the diagonal or with percent signs;
    - a diagonal that is empty or 0;
    - numbers above the diagonal only, or below it;
    - rounded numbers: if p_ij + p_ji misses 1 by at most one unit of the last digit (at least the second one after the
      point), each of the two is shifted by half of the difference.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "ahp.csv")
    ...     _ = file.write_text("1,3\\n1/3,1\\n")
    ...     matrix, notes = read_probabilities(file)
    >>> matrix.P.tolist()
    [[0.5, 0.75], [0.25, 0.5]]
    """
    content, has_percent = read_square(path)
    values = np.array(content.values, dtype=np.float64)
    if not _is_square(values):
        return PreferenceMatrix.of_content(content, str(path)), []
    notation = PERCENTAGES if has_percent else _notation(values)
    notes = [notation.note] if notation.note else []
    if _is_blank(np.diagonal(values)) and not (_others(values) > notation.high).any():
        np.fill_diagonal(values, notation.even)
        if notation.even:
            notes.append(FILLED_DIAGONAL)
    half = _half(values, notation) if (np.diagonal(values) == notation.even).all() else None
    if half is not None:
        values = np.where(half, values, notation.opposite(values.T))
        np.fill_diagonal(values, notation.even)
        notes.append(f"only numbers {'above' if half[0, 1] else 'below'} the diagonal are given")
    _refuse_empty(content, values, path, notation)
    place = Place(str(path), content.lines, notation, content.point)
    try:
        check_numbers(values, place, notation.last_digit(values))
    except InputError as error:
        hint = "; if these are counts of wins, read them with the format 'counts'" if FILLED_DIAGONAL in notes else ""
        raise InputError(f"{error}{hint}") from None
    P = notation.probabilities(values)
    i, j = np.triu_indices(len(P), k=1)
    upper, away = P[i, j], P[i, j] + P[j, i] - 1
    is_off = (np.abs(away) > TOLERANCE) | ((upper == 0.5) != (P[j, i] == 0.5)) & (away != 0)
    if notation.are_ratios:
        ratios = values[i, j] if half is not None else np.where(values[i, j] < 1, 1 / values[j, i], values[i, j])
        P = from_upper(len(P), notation.probabilities(ratios))  # 3 is exact, and 0.33 rounded
    elif is_off.any():
        pairs = f"{counted(int(is_off.sum()), 'pair')} {'does' if is_off.sum() == 1 else 'do'}"
        most = np.abs(away).max() * (notation.high - notation.low)
        notes.append(
            f"rounded: {pairs} not add up to exactly {notation.total:g}, by {most:.2g} at most; both numbers were"
            " shifted by half of the difference"
        )
        P = from_upper(len(P), np.where(is_off, np.round(upper - away / 2, 12), upper))
    elif half is not None or notation is GAPS:
        P = from_upper(len(P), upper)
    return PreferenceMatrix.of_content(replace(content, values=P), str(path)), notes


def _refuse_empty(content: MatrixContent, values: np.ndarray, path: Path, notation: Notation) -> None:
    empty = np.argwhere(np.isnan(values))
    if len(empty) and content.lines is not None:
        i, j = empty[0].tolist()
        cell = f"row {i + 1}, column {j + 1} (counted from 1; line {content.lines[i]})"
        raise InputError(f"{path}: {cell} is empty; write {notation.wanted}")


def _is_square(values: np.ndarray) -> bool:
    return values.ndim == 2 and values.shape[0] == values.shape[1] >= 2


def _is_blank(numbers: np.ndarray) -> bool:
    return bool((numbers == 0).all() or np.isnan(numbers).all())


def _others(values: np.ndarray) -> np.ndarray:
    """Return the numbers beside the diagonal that are given, flat."""
    others = values[~np.eye(len(values), dtype=bool)]
    return others[np.isfinite(others)]


def _half(values: np.ndarray, notation: Notation) -> np.ndarray | None:
    """Return where the given half of a matrix is, (K, K) bool, if the other one is empty or 0; None if both are given.

    A whole matrix may have 0 on one side of the diagonal, and the opposite of 0 on the other.
    """
    above = np.triu(np.ones(values.shape, dtype=bool), k=1)
    for half in (above, above.T):
        given, missing = values[half], values.T[half]
        if np.isfinite(given).all() and _is_blank(missing) and not (given + missing == notation.total).all():
            return half
    return None


def _notation(values: np.ndarray) -> Notation:
    """Return the notation of a square table, by its diagonal."""
    diagonal, others = np.diagonal(values), _others(values)
    i, j = np.triu_indices(len(values), k=1)
    upper, lower = values[i, j], values[j, i]
    if (diagonal == 1).all():
        half = _half(values, RATIOS)
        are_positive = ((others if half is None else values[half]) > 0).all()
        is_reciprocal = (np.abs(upper * lower - 1) <= RATIOS.last_digit(values)).all()
        if are_positive and (half is not None or is_reciprocal or (others > 1).any()):
            return RATIOS
    if np.mean(diagonal == 50) >= 0.5:
        return PERCENTAGES
    if _is_blank(diagonal) and len(others):
        misses = np.abs(upper + lower - 100)
        if (np.mod(others, 0.5) != 0).any() and np.median(misses) <= 1:
            return PERCENTAGES
        sums = np.abs(np.nan_to_num(upper) + np.nan_to_num(lower))  # about 0, and of probabilities about 1
        if (others < 0).any() and (np.abs(others) <= 1).all() and np.median(sums) <= 0.5:
            return GAPS
    return PROBABILITIES
