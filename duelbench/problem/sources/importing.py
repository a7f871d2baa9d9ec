"""A preference matrix out of any of the files that data come in; the format is told by what the file holds."""

import csv
import hashlib
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

import numpy as np

from duelbench.errors import InputError, nearest
from duelbench.problem.labelled import checked_names
from duelbench.problem.matrix_files import MAX_ARMS, PROBABILITY, check_file, quoted, read_matrix
from duelbench.problem.preferences import TOLERANCE, PreferenceMatrix, look_like_counts
from duelbench.problem.sources import counts, mslr, orders
from duelbench.problem.sources.counts import Missing, PairCounts
from duelbench.problem.sources.datasets import COLLECTIONS, dataset_path, is_dataset
from duelbench.problem.sources.orders import PREFLIB_TYPES, Unranked
from duelbench.problem.sources.text import numbered_lines, whole_number

FORMATS = {
    "matrix": "probabilities: CSV, white-space text, .npy or .npz",
    "mslr": "the published .npz files of 136 rankers",
    "sushi": "the sushi survey's .order files",
    "preflib": "PrefLib orders: .soc, .toc, .soi, .toi",
    "rankings": "rankings in words, one per line: tacos > sushi = pizza",
    "pairs": "a table winner,loser,count, or left,right,winner, or first,second,first_wins,second_wins,ties",
    "counts": "a K x K table of wins",
}
"""What `import_matrix` reads, by name."""

NUMBERED_FROM_ONE = ("mslr", "sushi", "preflib")
"""Formats whose arms have published numbers, which begin with 1; elsewhere arms are numbered from 0."""

FILLED_DIAGONAL = "0.5 was put on the diagonal; the other numbers are the file's"
"""What is said of probabilities with 0 or nothing on the diagonal."""

_ARM_RANGE = re.compile(r"([0-9]{1,6})(?:-([0-9]{1,6}))?")


@dataclass(frozen=True)
class Imported:
    """A matrix and what is to be said about where it comes from.

    Attributes
    ----------
    matrix : PreferenceMatrix
    form : str
        One of `FORMATS`.
    path : Path
        The file.
    sha256 : str
        Of the file's bytes.
    notes : tuple of str
        The conventions that made it, one sentence each.
    """

    matrix: PreferenceMatrix
    form: str
    path: Path
    sha256: str
    notes: tuple[str, ...]


def import_matrix(
    name: str | Path,
    form: str | None = None,
    *,
    arms: str | Sequence[int] | None = None,
    min_count: int = 1,
    missing: Missing = "error",
    unranked: Unranked | None = None,
    names: Sequence[str] | Path | None = None,
) -> Imported:
    """Read a matrix out of a data file.

    Parameters
    ----------
    name : str or Path
        A file, or the name of a data set that was fetched (`duelbench.problem.sources.datasets.DATASETS`).
    form : str, optional
        One of `FORMATS`; by default what the file looks like.
    arms : str or sequence of int, optional
        The arms to keep, in this order: numbers, or text with names, numbers and ranges between commas
        (``tuna,4,7-9``), or the name of a published set of MSLR rankers. Numbers are 0-based, but for the formats
        `NUMBERED_FROM_ONE`, whose arms have published numbers.
    min_count : int
        Fewest comparisons of a pair; for files with counts.
    missing : {"error", "half"}
        What a pair with fewer becomes; for files with counts.
    unranked : {"ignore", "lose"}, optional
        What an order says of the arms that it leaves out; by default ``lose`` for PrefLib, otherwise ``ignore``.
    names : sequence of str or Path, optional
        Names of all arms of the file, before any are left out; or a file that holds them, one per line.

    Raises
    ------
    InputError
        Naming the file, the place and the mend.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "games.csv")
    ...     _ = file.write_text("winner,loser,count\\ntuna,egg,3\\negg,tuna,1\\n")
    ...     found = import_matrix(file)
    >>> found.form, found.matrix.names, found.matrix.P.tolist()
    ('pairs', ('tuna', 'egg'), [[0.5, 0.75], [0.25, 0.5]])
    """
    source = str(dataset_path(name)) if isinstance(name, str) and is_dataset(name) else os.fspath(name)
    check_file(source, "data set")
    path = Path(source)
    form = form or detect(path)
    if form not in FORMATS:
        raise InputError(f"there is no format '{form}'{nearest(form, FORMATS) or f' (there are {_formats()})'}")
    if unranked is not None and form not in ("sushi", "preflib", "rankings"):
        raise InputError(f"{path}: holds no orders, so that --unranked means nothing here; leave it out")
    data, is_filled = _read_probabilities(path) if form == "matrix" else (_read(path, form, unranked), False)
    data = data if names is None else _renamed(data, names, source)
    first = int(form in NUMBERED_FROM_ONE)
    all_names = data.names
    chosen = None if arms is None else _indices(arms, all_names, first, str(path))
    notes: tuple[str, ...] = (FILLED_DIAGONAL,) if is_filled else ()
    if isinstance(data, PreferenceMatrix):
        if min_count != 1 or missing != "error":
            raise InputError(f"{path}: holds probabilities, not counts; leave out --min-count and --missing")
        matrix = data if chosen is None else data.submatrix(chosen)
    else:
        data = data if chosen is None else data.part(chosen)
        matrix, notes = data.matrix(min_count, missing), (*data.notes, *_count_notes(data, min_count, missing))
    sha256 = _digest(path)
    return Imported(matrix, form, path, sha256, (*_published(sha256), *notes, *_arms_note(chosen, all_names, first)))


def read_counts(name: str | os.PathLike[str]) -> PairCounts:
    """The counts of wins in a data file, as they are, in any format that holds some.

    Parameters
    ----------
    name : str or Path
        As of `import_matrix`.

    Raises
    ------
    InputError
        Naming the file, the place and the mend; also for a file that holds probabilities.
    """
    source = str(dataset_path(name)) if isinstance(name, str) and is_dataset(name) else os.fspath(name)
    check_file(source, "data set")
    path = Path(source)
    form = detect(path, counts.COUNT)
    data = None if form == "matrix" else _read(path, form, None)
    if not isinstance(data, PairCounts):
        raise InputError(f"{path}: holds probabilities, which do not say how many duels there were; give counts")
    return data


def _formats() -> str:
    return ", ".join(FORMATS)


def _read(path: Path, form: str, unranked: Unranked | None) -> PreferenceMatrix | PairCounts:
    if form == "mslr":
        return mslr.read_mslr(path)
    if form == "sushi":
        return orders.read_sushi(path, unranked or "ignore")
    if form == "preflib":
        return orders.read_preflib(path, unranked or "lose")
    if form == "rankings":
        return orders.read_rankings(path, unranked or "ignore")
    if form == "pairs":
        return counts.read_pairs(path)
    return counts.read_count_matrix(path)


def _read_probabilities(path: Path) -> tuple[PreferenceMatrix, bool]:
    """A matrix file, and whether its diagonal was read as 0.5, because it held 0 everywhere or nothing."""
    content = read_matrix(str(path), blank_diagonal=True)
    values = np.array(content.values, dtype=np.float64)
    is_filled = _has_zero_diagonal(values) and not (np.nan_to_num(values) > 1).any()
    if is_filled:
        np.fill_diagonal(values, 0.5)
    return PreferenceMatrix.of_content(replace(content, values=values), str(path)), is_filled


def _has_zero_diagonal(values: np.ndarray) -> bool:
    """Whether a square table has 0, or nan, everywhere on its diagonal."""
    if values.ndim != 2 or values.shape[0] != values.shape[1] or len(values) < 2:
        return False
    diagonal = np.diagonal(values)
    return bool((diagonal == 0).all() or np.isnan(diagonal).all())


def _renamed(
    data: PreferenceMatrix | PairCounts, names: Sequence[str] | Path, source: str
) -> PreferenceMatrix | PairCounts:
    if isinstance(names, Path):
        source = str(names)
        names = [text for _, text in numbered_lines(names) if not text.startswith("#")]
    return replace(data, names=checked_names(names, len(data.names), source))


def _indices(arms: str | Sequence[int], names: Sequence[str], first: int, source: str) -> list[int]:
    """0-based indices of arms, given by names or by numbers of which ``first`` is the lowest."""
    if isinstance(arms, str):
        arms = mslr.SUBSETS.get(arms, arms)
    known = {name: index for index, name in enumerate(names)}
    indices: list[int] = []
    for part in _parts(arms) if isinstance(arms, str) else map(str, arms):
        low, dash, high = (part, "", "") if part in known else part.partition("-")
        start, end = (known.get(arm.strip(), _index(arm, first, len(names))) for arm in (low, high if dash else low))
        if start is None or end is None or start > end:
            raise InputError(f"{source}: {_no_such_arm(part, names, first)}")
        indices.extend(range(start, end + 1))
    if len(indices) < 2:
        raise InputError(f"{source}: a duel needs two arms; choose at least 2")
    for k, index in enumerate(indices):
        if index in indices[:k]:
            raise InputError(f"{source}: arm {_numbered(index, names, first)} is chosen twice; name it once")
    return indices


def _parts(text: str) -> list[str]:
    """What stands between the commas of a list; quotation marks keep a comma in a name."""
    try:
        return [part.strip() for part in next(csv.reader([text], skipinitialspace=True, strict=True), [])]
    except csv.Error as error:
        raise InputError(f"arms {quoted(text)}: {error}; close every quotation mark") from None


def _index(text: str, first: int, n_arms: int) -> int | None:
    number = whole_number(text, MAX_ARMS)
    return number - first if number is not None and first <= number < first + n_arms else None


def _no_such_arm(part: str, names: Sequence[str], first: int) -> str:
    last = len(names) - 1
    ends = f"{_numbered(0, names, first)} to {_numbered(last, names, first)}"
    how = "" if list(names) == list(map(str, range(len(names)))) else "names, or "
    return f"there is no arm {quoted(part)}{nearest(part, names)}; arms are {how}numbers and ranges, from {ends} here"


def _numbered(index: int, names: Sequence[str], first: int) -> str:
    """An arm by its number in the file, and its name where that is another."""
    number = str(index + first)
    return number if names[index] == number else f"{number} ({names[index]})"


def _count_notes(data: PairCounts, min_count: int, missing: Missing) -> list[str]:
    i, j = np.triu_indices(len(data.names), k=1)
    times = data.wins[i, j] + data.wins[j, i]
    least, most = times.min(), times.max()
    often = f"{least:g} to {most:g} times" if least < most else f"{least:g} time{'' if least == 1 else 's'}"
    notes = [f"each pair was compared {often}"]
    rare = int((times < min_count).sum())
    if missing == "half" and rare:
        notes.append(f"{rare} pairs compared less than {min_count} times are ties")
    return notes


def _digest(path: Path) -> str:
    digest = hashlib.sha256()
    try:
        with path.open("rb") as file:
            while block := file.read(2**20):
                digest.update(block)
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror or error}") from None
    return digest.hexdigest()


def _published(sha256: str) -> list[str]:
    files = [file for collection in COLLECTIONS.values() for file in collection.files if file.sha256 == sha256]
    return [f"byte for byte the published {file.name}" for file in files]


def _arms_note(chosen: Sequence[int] | None, names: Sequence[str], first: int) -> list[str]:
    if chosen is None:
        return []
    listed = ", ".join(_numbered(index, names, first) for index in chosen)
    return [f"arms of the file, counted from {first}: {listed}"]


def parse_arms(text: str) -> tuple[int, ...]:
    """The arms that a text names, counted from 1.

    Parameters
    ----------
    text : str
        Numbers and ranges with commas, or the name of a published set of MSLR rankers.

    Raises
    ------
    InputError
        When it is neither.

    Examples
    --------
    >>> parse_arms("2, 4-6"), parse_arms("mslr5-condorcet")
    ((2, 4, 5, 6), (2, 4, 3, 1, 5))
    """
    if text in mslr.SUBSETS:
        return mslr.SUBSETS[text]
    arms: list[int] = []
    for part in text.split(","):
        match = _ARM_RANGE.fullmatch(part.strip())
        first, last = (int(match[1]), int(match[2] or match[1])) if match else (1, 0)
        if last < first or last - first > 10**5:
            known = nearest(text, mslr.SUBSETS) or f", or one of {', '.join(mslr.SUBSETS)}"
            raise InputError(f"arms '{text[:60]}': write numbers and ranges counted from 1, as in 2,4,7-9{known}")
        arms.extend(range(first, last + 1))
    return tuple(arms)


def detect(path: Path, cell: str = PROBABILITY) -> str:
    """The format that a file looks like, one of `FORMATS`.

    Parameters
    ----------
    path : Path
    cell : str
        What a message asks for where a cell of a table holds no number.

    Raises
    ------
    InputError
        When it looks like none of them.
    """
    try:
        with path.open("rb") as file:
            start = file.read(8)
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror or error}") from None
    if start.startswith((b"PK", b"\x93NUMPY")):
        return _numbers(path, cell)
    if path.suffix.lower().removeprefix(".") in PREFLIB_TYPES:
        return "preflib"
    lines = [text for _, text in islice(numbered_lines(path), 40)]
    if any(text.upper().startswith(("# NUMBER ALTERNATIVES", "# DATA TYPE")) for text in lines):
        return "preflib"
    content = [text for text in lines if not text.startswith("#")]
    if len(content) > 1 and re.fullmatch(r"\d+\s+1", content[0]) and re.match(r"0\s+\d+\s", content[1]):
        return "sushi"
    cells = [cell.strip().strip('"') for cell in content[0].split(",")] if content else []
    if (
        counts.is_head(cells)
        or counts.names_outcomes(cells)
        or (len(cells) == 3 and [_is_number(cell) for cell in cells] == [False, False, True])
    ):
        return "pairs"
    if content and ">" in content[0] and not _is_row(content[1:2]):
        return "rankings"
    return _numbers(path, cell)


def _is_row(lines: Sequence[str]) -> bool:
    """Whether a line is a row of numbers, with or without a name before them."""
    cells = [cell for line in lines for cell in (line.split(",") if "," in line else line.split())]
    return len(cells) > 1 and all(_is_number(cell) for cell in cells[1:])


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _numbers(path: Path, cell: str) -> str:
    """What a table of numbers is, by its diagonal and its fractions."""
    values = np.array(read_matrix(str(path), cell, blank_diagonal=True).values, dtype=np.float64)
    if values.ndim == 2 and values.shape[0] == values.shape[1]:
        if _has_zero_diagonal(values):
            np.fill_diagonal(values, 0)
            if (values >= 0).all() and np.isfinite(values).all() and not (np.mod(values, 0.5) == 0).all():
                _check_fractions(values, path)
                return "matrix"
            if not (values < 0).any():
                return "counts"
        is_finite = bool(np.isfinite(values).all())
        if is_finite and ((values < 0) | (values > 1)).any() and look_like_counts(values):
            return "counts"  # with something wrong, which is told where they are read
        if values.shape == (mslr.N_RANKERS, mslr.N_RANKERS) and path.suffix.lower() == ".npz":
            return "mslr"
    return "matrix"


@np.errstate(over="ignore")
def _check_fractions(values: np.ndarray, path: Path) -> None:
    """Refuse fractions with 0 on the diagonal that are no probabilities, because those of a pair do not sum to 1."""
    total = values + values.T
    wrong = (np.abs(total - 1) > TOLERANCE) & ~np.eye(len(values), dtype=bool)
    if wrong.any():
        i, j = divmod(int(wrong.argmax()), len(values))
        others = f" ({wrong.sum() // 2} pairs are wrong in this way)" if wrong.sum() > 2 else ""
        raise InputError(
            f"{path}: row {i + 1}, column {j + 1} is {values[i, j]:.12g} and row {j + 1}, column {i + 1} (counted from"
            f" 1) is {values[j, i]:.12g}, together {total[i, j]:.12g}; probabilities must add up to 1: correct one of"
            f" them; if these are counts of wins, or percentages, --format counts takes them so{others}"
        )


def load_dataset(name: str) -> PreferenceMatrix:
    """The matrix of a data set that was fetched; sushi-b has pairs that nobody compared, which is an error.

    Raises
    ------
    InputError
        As `dataset_path`.
    """
    return import_matrix(name).matrix
