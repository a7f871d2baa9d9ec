"""Reads a preference matrix from a data file, whose content tells its format."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from duelbench.bandits.problem.labelled import checked_names
from duelbench.bandits.problem.matrix_files import after_comments, check_file, csv_cells, quoted
from duelbench.bandits.problem.preferences import PreferenceMatrix
from duelbench.common.words import plural
from duelbench.data.counts import Missing, PairCounts
from duelbench.data.datasets import COLLECTIONS, DATASETS, SUBSETS, dataset_path, sha256_of
from duelbench.data.orders import Unranked
from duelbench.data.square import read_probabilities
from duelbench.data.votes import FORMATS, N_MSLR_RANKERS, detect, read_votes
from duelbench.errors import InputError, nearest, nearest_or_all

_ARM_RANGE = re.compile(r"([0-9]{1,6})(?:-([0-9]{1,6}))?")


@dataclass(frozen=True)
class Imported:
    """A matrix and its source."""

    matrix: PreferenceMatrix
    form: str  # one of `FORMATS`
    path: Path  # the file
    sha256: str  # of the file's bytes
    notes: tuple[str, ...]  # on how the matrix was made


def import_matrix(
    name: str | Path,
    form: str | None = None,
    *,
    arms: str | Sequence[int] | None = None,
    min_count: int = 1,
    missing: Missing = "error",
    unranked: Unranked | None = None,
    names: Sequence[str] | Path | None = None,
    columns: Mapping[str, str] | None = None,
    ignore: Collection[str] = (),
    without: Collection[str] = (),
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
        (``tuna,4,7-9``), or the name of a published set of MSLR rankers. Numbers are 0-based, or as published for
        MSLR, sushi and PrefLib.
    min_count, missing : int, {"error", "half"}
        For files with counts: the fewest comparisons of a pair, and the treatment of pairs with fewer, an error or 1/2.
    unranked : {"ignore", "lose"}, optional
        How to treat the arms that an order leaves out; by default ``lose`` for PrefLib, the rule of the file for the
        Condorcet Election Format, otherwise ``ignore``.
    names : sequence of str or Path, optional
        Names of all arms of the file, before ``arms`` chooses some; or a file of names, one per line.
    columns, ignore, without : mapping of str to str, collections of str
        Roles of columns, columns not to use, and judges to leave out, as for `duelbench.data.votes.read_votes`.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "games.csv")
    ...     _ = file.write_text("winner,loser,count\\ntuna,egg,3\\negg,tuna,1\\n")
    ...     imported = import_matrix(file)
    >>> imported.form, imported.matrix.names, imported.matrix.P.tolist()
    ('pairs', ('tuna', 'egg'), [[0.5, 0.75], [0.25, 0.5]])
    """
    path = Path(str(dataset_path(name)) if isinstance(name, str) and name in DATASETS else name)
    check_file(str(path) if str(name) else "", "data set")
    form = form or detect(path, (columns or {}).values())
    if form not in FORMATS:
        raise InputError(f"there is no format '{form}'{nearest_or_all(form, FORMATS)}")
    first = 1 if form == "mslr" else 0
    data: PreferenceMatrix | PairCounts
    if form in ("matrix", "mslr"):
        if columns or ignore or without or unranked is not None:
            raise InputError(
                f"{path}: holds probabilities; columns, judges and 'unranked' are for votes: leave them out"
            )
        data, read_notes = _read_mslr(path) if form == "mslr" else read_probabilities(path)
    else:
        votes = read_votes(path, columns=columns, ignore=ignore, without=without, form=form, unranked=unranked)
        read_notes = [note.removeprefix(f"{path}: ") for note in votes.notes]
        first, data = votes.first_number, PairCounts(votes.wins(), votes.arms, str(path))
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
        chosen = _indices(arms, data.names, first, str(path))
        numbered = ", ".join(_numbered(index, data.names, first) for index in chosen)
        arms_note = [f"arms of the file, counted from {first}: {numbered}"]
        data = data.submatrix(chosen) if isinstance(data, PreferenceMatrix) else data.part(chosen)
    if isinstance(data, PairCounts):
        matrix = data.matrix(min_count, missing)
        notes += _count_notes(data, min_count, missing)
    elif min_count != 1 or missing != "error":
        raise InputError(f"{path}: holds probabilities, not counts; leave out 'min_count' and 'missing'")
    else:
        matrix = data
    return Imported(matrix, form, path, sha256, (*notes, *arms_note))


def load_named(name: str, folder: Path) -> PreferenceMatrix:
    """Return the matrix of a fetched data set, or of a file, whose path is relative to ``folder``."""
    return load_dataset(name) if name in DATASETS else PreferenceMatrix.load(name, folder)


def load_dataset(name: str) -> PreferenceMatrix:
    """Return the matrix of a fetched data set; an InputError for sushi-b, in which some pairs were never compared."""
    return import_matrix(name).matrix


def _read_mslr(path: Path) -> tuple[PreferenceMatrix, list[str]]:
    matrix = PreferenceMatrix.load(path)
    if matrix.n_arms != N_MSLR_RANKERS:
        raise InputError(f"{path}: holds {matrix.n_arms} arms; the MSLR matrices have {N_MSLR_RANKERS} rankers")
    return PreferenceMatrix(matrix.P, [f"ranker {k}" for k in range(1, N_MSLR_RANKERS + 1)], str(path)), []


def _indices(arms: str | Sequence[int], names: Sequence[str], first: int, source: str) -> list[int]:
    """Return 0-based indices of arms, which are given by names or by numbers that start with ``first``."""
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
            kinds = "" if list(names) == list(map(str, range(len(names)))) else "names, or "
            raise InputError(
                f"{source}: there is no arm {quoted(part)}{nearest(part, names)}; arms are {kinds}numbers and ranges,"
                f" from {ends} here"
            )
        indices.extend(range(start, end + 1))
    if len(set(indices)) < len(indices):
        repeated = max(indices, key=indices.count)
        raise InputError(f"{source}: arm {_numbered(repeated, names, first)} is chosen twice; name it once")
    return indices


def _numbered(index: int, names: Sequence[str], first: int) -> str:
    """Return the number of an arm in the file, and its name if that differs."""
    number = str(index + first)
    return number if names[index] == number else f"{number} ({names[index]})"


def _count_notes(data: PairCounts, min_count: int, missing: Missing) -> list[str]:
    i, j = np.triu_indices(len(data.names), k=1)
    counts = data.wins[i, j] + data.wins[j, i]
    least, most = counts.min(), counts.max()
    frequency = f"{least:g} to {most:g} times" if least < most else f"{least:g} {plural(least, 'time')}"
    notes = [f"each pair was compared {frequency}"]
    n_rare = int((counts < min_count).sum())
    if missing == "half" and n_rare:
        subject, result = ("pair was", "it counts as a tie") if n_rare == 1 else ("pairs were", "they count as ties")
        fewer = f"compared fewer than {min_count} times" if counts[counts < min_count].any() else "never compared"
        notes.append(f"{n_rare} {subject} {fewer}; {result}")
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
