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
    MatrixContent,
    as_number,
    csv_cells,
    read_matrix,
    separator_of,
    table_content,
    text_lines,
)
from duelbench.bandits.problem.preferences import TOLERANCE, PreferenceMatrix, look_like_counts
from duelbench.common.words import counted
from duelbench.data.counts import PairCounts
from duelbench.data.tables import SAMPLE, is_json
from duelbench.errors import InputError, reading

COUNT = "a number of wins"
"""The value that messages require in a cell of a table of counts."""

ROUNDING = 1.5e-6
"""Largest difference of p_ij + p_ji from 1 if numbers were rounded to six digits."""

DIAGONALS = {"0.0", "nan", "0.5", "1.0", "50.0"}
"""Numbers on the diagonals of square tables."""

FILLED_DIAGONAL = "0.5 was put on the diagonal; the other numbers are unchanged"

_RATIO_ROUNDING = 0.05  # largest difference of a_ij * a_ji from 1, such as of 0.33 * 3 and 0.14 * 7
_FRACTION = re.compile(r"([0-9.]+)\s*/\s*([0-9.]+)")


def read_square(path: Path, wanted: str = PROBABILITY) -> tuple[MatrixContent, bool]:
    """Read a square table from a text or NumPy file; return it, and whether it has percentages. Checks no numbers.

    Commas, semicolons, tabs or white space separate cells; unless commas do, numbers may have decimal commas. A cell
    may be empty or ``-`` (nan), a percentage or a fraction. If a cell is a percentage, all numbers are divided by 100.
    """
    if is_numpy(path):
        return read_matrix(str(path)), False
    source = str(path)
    if is_json(path):
        raise InputError(f"{source}: is JSON, not a square table; write K rows of K numbers, with commas between them")
    all_lines = ((number, text.strip("\r\n ")) for number, text in text_lines(path, "matrix"))
    lines = list(islice((line for line in all_lines if line[1].strip() and line[1][0] != "#"), MAX_ARMS + 2))
    if lines and re.fullmatch(r'"?sep=[,;]?"?', lines[0][1]):
        lines = lines[1:]
    if not lines:
        raise InputError(f"{source}: holds no numbers; it must hold K rows of K numbers")
    separator = separator_of([text for _, text in lines[:SAMPLE]])
    rows = [
        (number, csv_cells(text, number, source, separator) if separator else text.split()) for number, text in lines
    ]
    head = rows[0][1]
    numbers = [(number, [_number(cell, separator != ",") for cell in cells]) for number, cells in rows]
    if head[0] == "" and len(rows) > 1 and _is_name(rows[1][1][0], head):
        numbers[0][1][0] = ""
    content = table_content(source, numbers, wanted)
    if content.names is not None:
        content = replace(content, names=tuple(head[len(head) - len(content.names) :]))
    has_percent = any(cell.endswith("%") for _, cells in rows[content.names is not None :] for cell in cells)
    return replace(content, values=content.values / 100) if has_percent else content, has_percent


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
    if not _is_square(values) or _scale(values):
        return False
    if _is_blank(np.diagonal(values)):
        others = values[~np.eye(len(values), dtype=bool)]
        return bool(not np.isnan(others).any() and (np.mod(others[np.isfinite(others)], 0.5) == 0).all())
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
    - numbers above the diagonal only;
    - p_ij + p_ji within `ROUNDING` of 1: then only the numbers above the diagonal count.

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
    scale = _scale(values)
    notes = [_SCALES[scale]] if scale else [_SCALES["percentages"]] if has_percent else []
    i, j = np.triu_indices(len(values), k=1)
    upper, lower = values[i, j], values[j, i]
    if scale == "ratios":
        with np.errstate(divide="ignore"):
            ratios = np.where((upper < 1) & (lower > 0), 1 / lower, upper)  # 3 is exact, and 0.33 rounded
        return _of_upper(content, ratios / (ratios + 1), path), notes
    if scale == "gaps":
        return _of_upper(content, upper + 0.5, path), notes
    if scale == "percentages":
        values, upper, lower = values / 100, upper / 100, lower / 100
    if _is_blank(np.diagonal(values)) and not (upper > 1).any() and not (lower > 1).any():
        np.fill_diagonal(values, 0.5)
        notes.append(FILLED_DIAGONAL)
    if (np.diagonal(values) == 0.5).all() and _is_upper_half(upper, lower):
        return _of_upper(content, upper, path), [*notes, "only numbers above the diagonal are given"]
    _refuse_empty(content, values, path)
    away = np.abs(upper + lower - 1)
    one_sided = (upper == 0.5) != (lower == 0.5)
    rounded = int(((away > TOLERANCE) | (one_sided & (away > 0))).sum())
    if rounded and away.max() <= ROUNDING and (np.diagonal(values) == 0.5).all():
        pairs = f"{counted(rounded, 'pair')} {'does' if rounded == 1 else 'do'}"
        notes.append(f"rounded: {pairs} not add up to exactly 1; the numbers above the diagonal count")
        return _of_upper(content, upper, path), notes
    try:
        return PreferenceMatrix.of_content(replace(content, values=values), str(path)), notes
    except InputError as error:
        hint = "; if these are counts of wins, read them with the format 'counts'" if FILLED_DIAGONAL in notes else ""
        raise InputError(f"{error}{hint}") from None


_SCALES = {
    "ratios": "ratios a with 1 on the diagonal (AHP): p = a / (a + 1)",
    "gaps": "gaps p - 1/2 with 0 on the diagonal: 1/2 was added",
    "percentages": "percentages: divided by 100",
}


def _of_upper(content: MatrixContent, upper: np.ndarray, path: Path) -> PreferenceMatrix:
    values = from_upper(len(content.values), upper)
    _refuse_empty(content, values, path)
    return PreferenceMatrix.of_content(replace(content, values=values), str(path))


def _refuse_empty(content: MatrixContent, values: np.ndarray, path: Path) -> None:
    empty = np.argwhere(np.isnan(values))
    if len(empty) and content.lines is not None:
        i, j = empty[0].tolist()
        cell = f"row {i + 1}, column {j + 1} (counted from 1; line {content.lines[i]})"
        raise InputError(f"{path}: {cell} is empty; write {PROBABILITY}")


def _is_square(values: np.ndarray) -> bool:
    return values.ndim == 2 and values.shape[0] == values.shape[1] >= 2


def _is_blank(diagonal: np.ndarray) -> bool:
    return bool((diagonal == 0).all() or np.isnan(diagonal).all())


def _is_missing(lower: np.ndarray) -> bool:
    return bool(np.isnan(lower).all() or (lower == 0).all())


def _is_upper_half(upper: np.ndarray, lower: np.ndarray) -> bool:
    """Return whether only the upper half of a matrix is given: the lower is empty, or 0 and the upper not all 1."""
    return bool(np.isfinite(upper).all() and _is_missing(lower) and not (upper + lower == 1).all())


def _scale(values: np.ndarray) -> str:
    """Return the scale of a square table, one of `_SCALES`, by its diagonal; empty for probabilities."""
    i, j = np.triu_indices(len(values), k=1)
    upper, lower, diagonal = values[i, j], values[j, i], np.diagonal(values)
    if (diagonal == 1).all() and (upper > 0).all() and np.isfinite(upper).all():
        is_reciprocal = np.abs(upper * lower - 1) <= _RATIO_ROUNDING
        return "ratios" if _is_missing(lower) or is_reciprocal.all() else ""
    adds_up_to_100 = np.allclose(upper + lower, 100, rtol=0, atol=1e-6)
    if (diagonal == 50).all() or (_is_blank(diagonal) and adds_up_to_100 and (np.mod(upper, 0.5) != 0).any()):
        return "percentages"
    if _is_blank(diagonal) and (upper < 0).any() | (lower < 0).any() and (np.abs(upper) <= 0.5).all():
        return "gaps" if _is_missing(lower) or np.allclose(upper, -lower, rtol=0, atol=ROUNDING) else ""
    return ""
