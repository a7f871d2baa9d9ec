"""Reads a preference matrix from a data file of any known format, which is recognised by the content."""

import os
import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

import numpy as np

from duelbench.bandits.problem.labelled import checked_names
from duelbench.bandits.problem.matrix_files import (
    PROBABILITY,
    after_comments,
    as_number,
    check_file,
    csv_cells,
    numbered_lines,
    quoted,
    read_matrix,
    separator_of,
)
from duelbench.bandits.problem.preferences import PreferenceMatrix, look_like_counts
from duelbench.common.words import counted
from duelbench.data import counts, orders, session_log
from duelbench.data.counts import Missing, PairCounts
from duelbench.data.datasets import COLLECTIONS, DATASETS, SUBSETS, dataset_path, sha256_of
from duelbench.data.orders import PREFLIB_TYPES, Unranked
from duelbench.errors import InputError, nearest, nearest_or_all, reading

FORMATS = {
    "matrix": "probabilities: CSV, white-space text, .npy or .npz",
    "mslr": "the published .npz files of 136 rankers",
    "sushi": "the sushi survey's .order files",
    "preflib": "PrefLib orders: .soc, .toc, .soi, .toi",
    "rankings": "rankings in words, one per line: tacos > sushi = pizza",
    "pairs": "a table winner,loser,count, or left,right,winner, or first,second,first_wins,second_wins,ties",
    "counts": "a K x K table of wins",
    "session": "the log of a live session",
}
"""What `import_matrix` reads, by name."""

NUMBERED_FROM_ONE = ("mslr", "sushi", "preflib")
"""Formats whose arms have published numbers, which start with 1; in other formats arms are numbered from 0."""

_ORDERS: dict[str, tuple[Callable[[Path, Unranked], PairCounts], Unranked]] = {
    "sushi": (orders.read_sushi, "ignore"),
    "preflib": (orders.read_preflib, "lose"),
    "rankings": (orders.read_rankings, "ignore"),
}
"""Formats of orders, and how each treats the arms that an order leaves out by default."""

FILLED_DIAGONAL = "0.5 was put on the diagonal; the other numbers are the file's"

N_MSLR_RANKERS = 136

_ARM_RANGE = re.compile(r"([0-9]{1,6})(?:-([0-9]{1,6}))?")


@dataclass(frozen=True)
class Imported:
    """A matrix and where it comes from."""

    matrix: PreferenceMatrix
    form: str  # one of `FORMATS`
    path: Path  # the file
    sha256: str  # of the file's bytes
    notes: tuple[str, ...]  # how it was made, one sentence each


def import_matrix(
    name: str | Path,
    form: str | None = None,
    *,
    arms: str | Sequence[int] | None = None,
    min_count: int = 1,
    missing: Missing = "error",
    unranked: Unranked | None = None,
    names: Sequence[str] | Path | None = None,
    ignore: Collection[str] = (),
) -> Imported:
    """Read a matrix from a data file.

    Parameters
    ----------
    name : str or Path
        A file, or the name of a data set that was fetched (`duelbench.data.datasets.DATASETS`).
    form : str, optional
        One of `FORMATS`; by default the file's content decides.
    arms : str or sequence of int, optional
        The arms to take, in this order: numbers, or text with names, numbers and ranges between commas
        (``tuna,4,7-9``), or the name of a published set of MSLR rankers. Numbers are 0-based, except for the formats
        `NUMBERED_FROM_ONE`, whose arms have published numbers.
    min_count, missing : int, {"error", "half"}
        Fewest comparisons of a pair, and what a pair with fewer becomes; for files with counts.
    unranked : {"ignore", "lose"}, optional
        How to treat the arms that an order leaves out; by default ``lose`` for PrefLib, otherwise ``ignore``.
    names : sequence of str or Path, optional
        Names of all arms of the file, before any are left out; or a file that holds them, one per line.
    ignore : collection of str
        Columns of a table of results to leave out, as for `read_pairs`.

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
    path = _path(name)
    form = form or detect(path)
    if form not in FORMATS:
        raise InputError(f"there is no format '{form}'{nearest_or_all(form, FORMATS)}")
    if unranked is not None and form not in _ORDERS:
        raise InputError(f"{path}: holds no orders, so 'unranked' has no meaning; leave it out")
    data, read_notes = _read(path, form, unranked, ignore)
    if isinstance(names, Path):
        _, lines = after_comments(names)
        listed = [text for _, text in lines]
        data = replace(data, names=checked_names(listed, len(data.names), str(names)))
    elif names is not None:
        data = replace(data, names=checked_names(names, len(data.names), str(path)))
    sha256 = sha256_of(path)
    files = [file for collection in COLLECTIONS.values() for file in collection.files]
    published = [file.name for file in files if file.sha256 == sha256]
    notes = [f"byte for byte the published {file}" for file in published] + read_notes
    arms_note = []
    if arms is not None:
        first = int(form in NUMBERED_FROM_ONE)
        chosen = _indices(arms, data.names, first, str(path))
        numbered = ", ".join(_numbered(index, data.names, first) for index in chosen)
        arms_note = [f"arms of the file, counted from {first}: {numbered}"]
        data = data.submatrix(chosen) if isinstance(data, PreferenceMatrix) else data.part(chosen)
    if isinstance(data, PairCounts):
        matrix = data.matrix(min_count, missing)
        notes += [*data.notes, *_count_notes(data, min_count, missing)]
    elif min_count != 1 or missing != "error":
        raise InputError(f"{path}: holds probabilities, not counts; leave out the least count and what is missing")
    else:
        matrix = data
    return Imported(matrix, form, path, sha256, (*notes, *arms_note))


def read_counts(name: str | os.PathLike[str], ignore: Collection[str] = ()) -> PairCounts:
    """Read the counts of wins from a data file that holds counts; the parameters are as for `import_matrix`."""
    path = _path(name)
    form = detect(path, counts.COUNT)
    data = None if form == "matrix" else _read(path, form, None, ignore)[0]
    if not isinstance(data, PairCounts):
        raise InputError(f"{path}: holds probabilities, which do not say how many duels there were; give counts")
    return data


def load_named(name: str, folder: Path) -> PreferenceMatrix:
    """The matrix of a fetched data set, or of a file, whose path is relative to ``folder``."""
    return load_dataset(name) if name in DATASETS else PreferenceMatrix.load(name, folder)


def load_dataset(name: str) -> PreferenceMatrix:
    """The matrix of a fetched data set; an InputError for sushi-b, in which some pairs were never compared."""
    return import_matrix(name).matrix


def _path(name: str | os.PathLike[str]) -> Path:
    source = str(dataset_path(name)) if isinstance(name, str) and name in DATASETS else os.fspath(name)
    check_file(source, "data set")
    return Path(source)


def _read(
    path: Path, form: str, unranked: Unranked | None, ignore: Collection[str]
) -> tuple[PreferenceMatrix | PairCounts, list[str]]:
    """The data of a file, and notes on how they were read."""
    if ignore and form != "pairs":
        raise InputError(f"{path}: is read as {form}, which has no columns to ignore; leave 'ignore' out")
    if form == "matrix":
        return _read_probabilities(path)
    if form in _ORDERS:
        read_orders, usual = _ORDERS[form]
        return read_orders(path, unranked or usual), []
    if form == "mslr":
        return _read_mslr(path), []
    if form == "session":
        return session_log.read_wins(path), []
    return (counts.read_pairs(path, ignore) if form == "pairs" else counts.read_count_matrix(path)), []


def _read_probabilities(path: Path) -> tuple[PreferenceMatrix, list[str]]:
    """Read a matrix file; a diagonal that is 0 everywhere, or empty, is read as 0.5."""
    content = read_matrix(str(path), blank_diagonal=True)
    values = np.array(content.values, dtype=np.float64)
    if not _has_zero_diagonal(values) or (np.nan_to_num(values) > 1).any():
        return PreferenceMatrix.of_content(content, str(path)), []
    np.fill_diagonal(values, 0.5)
    try:
        return PreferenceMatrix.of_content(replace(content, values=values), str(path)), [FILLED_DIAGONAL]
    except InputError as error:
        raise InputError(f"{error}; if these are counts of wins, read them with the format 'counts'") from None


def _read_mslr(path: Path) -> PreferenceMatrix:
    matrix = PreferenceMatrix.load(path)
    if matrix.n_arms != N_MSLR_RANKERS:
        raise InputError(f"{path}: holds {matrix.n_arms} arms; the MSLR matrices have {N_MSLR_RANKERS} rankers")
    return PreferenceMatrix(matrix.P, [f"ranker {k}" for k in range(1, N_MSLR_RANKERS + 1)], str(path))


def _has_zero_diagonal(values: np.ndarray) -> bool:
    """Whether a square table has 0, or nan, everywhere on its diagonal."""
    if values.ndim != 2 or values.shape[0] != values.shape[1] or len(values) < 2:
        return False
    diagonal = np.diagonal(values)
    return bool((diagonal == 0).all() or np.isnan(diagonal).all())


def _indices(arms: str | Sequence[int], names: Sequence[str], first: int, source: str) -> list[int]:
    """0-based indices of arms, which are given by names or by numbers that start with ``first``."""
    if isinstance(arms, str):
        arms = SUBSETS.get(arms, arms)
    known = {str(number): number - first for number in range(first, first + len(names))}
    known |= {name: index for index, name in enumerate(names)}
    indices: list[int] = []
    for part in csv_cells(arms, 1, "the list of arms") if isinstance(arms, str) else map(str, arms):
        low, _, high = (part, "", part) if part in known else part.partition("-")
        start, end = known.get(low.strip()), known.get(high.strip())
        if start is None or end is None or start > end:
            ends = f"{_numbered(0, names, first)} to {_numbered(len(names) - 1, names, first)}"
            how = "" if list(names) == list(map(str, range(len(names)))) else "names, or "
            raise InputError(
                f"{source}: there is no arm {quoted(part)}{nearest(part, names)}; arms are {how}numbers and ranges,"
                f" from {ends} here"
            )
        indices.extend(range(start, end + 1))
    if len(set(indices)) < len(indices):
        twice = max(indices, key=indices.count)
        raise InputError(f"{source}: arm {_numbered(twice, names, first)} is chosen twice; name it once")
    return indices


def _numbered(index: int, names: Sequence[str], first: int) -> str:
    """The number of an arm in the file, and its name if that differs."""
    number = str(index + first)
    return number if names[index] == number else f"{number} ({names[index]})"


def _count_notes(data: PairCounts, min_count: int, missing: Missing) -> list[str]:
    i, j = np.triu_indices(len(data.names), k=1)
    times = data.wins[i, j] + data.wins[j, i]
    least, most = times.min(), times.max()
    often = f"{least:g} to {most:g} times" if least < most else counted(least, "time")
    notes = [f"each pair was compared {often}"]
    rare = int((times < min_count).sum())
    if missing == "half" and rare:
        pairs, they = ("pair was", "it counts as a tie") if rare == 1 else ("pairs were", "they count as ties")
        fewer = f"compared fewer than {min_count} times" if times[times < min_count].any() else "never compared"
        notes.append(f"{rare} {pairs} {fewer}; {they}")
    return notes


def parse_arms(text: str) -> tuple[int, ...]:
    """Parse a list of arms, counted from 1: numbers and ranges, or the name of a published set of MSLR rankers.

    Examples
    --------
    >>> parse_arms("2, 4-6"), parse_arms("mslr5-condorcet")
    ((2, 4, 5, 6), (2, 4, 3, 1, 5))
    """
    if text in SUBSETS:
        return SUBSETS[text]
    arms: list[int] = []
    for part in text.split(","):
        match = _ARM_RANGE.fullmatch(part.strip())
        first, last = (int(match[1]), int(match[2] or match[1])) if match else (1, 0)
        if last < first or last - first > 10**5:
            known = nearest(text, SUBSETS) or f", or one of {', '.join(SUBSETS)}"
            raise InputError(f"arms '{text[:60]}': write numbers and ranges counted from 1, as in 2,4,7-9{known}")
        arms.extend(range(first, last + 1))
    return tuple(arms)


def detect(path: Path, cell: str = PROBABILITY) -> str:
    """Recognise the format of a file, one of `FORMATS`; ``cell`` is as for `read_matrix`."""
    if session_log.is_log(path):
        return "session"
    with reading(path), path.open("rb") as file:
        start = file.read(8)
    if start.startswith((b"PK", b"\x93NUMPY")):
        return _kind_of_numbers(path, cell)
    if path.suffix.lower().removeprefix(".") in PREFLIB_TYPES:
        return "preflib"
    lines = [text for _, text in islice(numbered_lines(path), 40)]
    if any(text.upper().startswith(("# NUMBER ALTERNATIVES", "# DATA TYPE")) for text in lines):
        return "preflib"
    content = [text for text in lines if not text.startswith("#")] or [""]
    if len(content) > 1 and re.fullmatch(r"\d+\s+1", content[0]) and re.match(r"0\s+\d+\s", content[1]):
        return "sushi"
    cells = [cell.strip().strip('"') for cell in content[0].split(separator_of(content[0]))]
    if counts.is_head(cells) or (
        len(cells) == 3 and [as_number(cell) is None for cell in cells] == [True, True, False]
    ):
        return "pairs"
    if ">" in content[0] and not _is_row("".join(content[1:2])):
        return "rankings"
    return _kind_of_numbers(path, cell)


def _is_row(line: str) -> bool:
    """Whether a line is a row of numbers, with or without a name before them."""
    cells = line.split(",") if "," in line else line.split()
    return len(cells) > 1 and None not in map(as_number, cells[1:])


def _kind_of_numbers(path: Path, cell: str) -> str:
    """Decide whether a table holds counts or probabilities, by its diagonal and its fractions."""
    values = np.array(read_matrix(str(path), cell, blank_diagonal=True).values, dtype=np.float64)
    if _has_zero_diagonal(values):
        np.fill_diagonal(values, 0)
        are_fractions = np.isfinite(values).all() and (np.mod(values, 0.5) != 0).any()
        return "matrix" if are_fractions else "counts"
    if values.ndim == 2 and values.shape[0] == values.shape[1]:
        if np.isfinite(values).all() and ((values < 0) | (values > 1)).any() and look_like_counts(values):
            return "counts"  # a faulty file, which the reader reports
        if len(values) == N_MSLR_RANKERS and path.suffix.lower() == ".npz":
            return "mslr"
    return "matrix"
