"""Matrices whose arms are named by what holds them: a pandas DataFrame, or counts of wins by name; and saving one."""

import io
import math
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from duelbench import markup
from duelbench.errors import InputError
from duelbench.problem.matrix_files import as_csv, quoted
from duelbench.problem.upper_triangle import from_upper

MOST_SHOWN_ARMS = 12
"""Of a matrix in a notebook."""

MOST_SHOWN_PAIRS = 5


def is_frame(values: Any) -> bool:
    """Whether it is a pandas DataFrame, or as good as one; pandas is not loaded to find out."""
    return all(hasattr(values, name) for name in ("index", "columns", "to_numpy"))


def aligned(frame: Any, label: str) -> tuple[np.ndarray, list[str]]:
    """The numbers of a DataFrame with its columns in the order of its rows, and the names that both have.

    Raises
    ------
    InputError
        When rows and columns are not named alike, each once.
    """
    rows, columns = [str(name) for name in frame.index], [str(name) for name in frame.columns]
    for names, what in ((rows, "rows"), (columns, "columns")):
        if len(set(names)) < len(names):
            twice = next(name for k, name in enumerate(names) if name in names[:k])
            raise InputError(f"{label}: two {what} of the table are called {quoted(twice)}; arms need different names")
    if set(rows) != set(columns):
        odd = next(name for name in [*rows, *columns] if (name in rows) != (name in columns))
        where, other = ("row", "column") if odd in rows else ("column", "row")
        raise InputError(
            f"{label}: the table has a {where} {quoted(odd)} but no such {other}; name rows and columns alike, as by"
            " `frame.index = frame.columns`"
        )
    places = {name: k for k, name in enumerate(columns)}
    return np.asarray(frame.to_numpy())[:, [places[name] for name in rows]], rows


def wins_of(wins: Any, names: Sequence[str] | None, label: str) -> tuple[np.ndarray, list[str] | None]:
    """Counts of wins as a (K, K) float64 array, and the names of the arms.

    Parameters
    ----------
    wins : mapping of (str, str) to number, DataFrame or (K, K) array_like
        How often the first of a pair (the row) won against the second (the column).
    names : sequence of str, optional
        In what order; by default that in which they come.
    label : str
        What messages call the counts.

    Raises
    ------
    InputError
        Naming the first pair whose count cannot be.
    """
    found: list[str] | None
    if isinstance(wins, Mapping):
        counts, found = _of_pairs(wins, names, label)
    elif is_frame(wins):
        values, found = aligned(wins, label)
        counts, found = _numbers(values, label), found if names is None else list(names)
    else:
        counts, found = _numbers(wins, label), None if names is None else list(names)
    if counts.ndim != 2 or counts.shape[0] != counts.shape[1]:
        raise InputError(f"{label}: {' x '.join(map(str, counts.shape))} numbers; counts have K rows and K columns")
    wrong = ~(np.isfinite(counts) & (counts >= 0)) | (np.eye(len(counts), dtype=bool) & (counts != 0))
    if wrong.any():
        i, j = divmod(int(wrong.argmax()), len(counts))
        one, other = (found[i], found[j]) if found and len(found) == len(counts) else (str(i), str(j))
        mend = "an arm never meets itself: 0" if i == j else "a count is a number from 0"
        raise InputError(f"{label}: wins of {quoted(one)} against {quoted(other)}: {counts[i, j]:g}, but {mend}")
    return counts, found


def _of_pairs(wins: Mapping[Any, Any], names: Sequence[str] | None, label: str) -> tuple[np.ndarray, list[str]]:
    for pair in wins:
        if not (isinstance(pair, tuple) and len(pair) == 2):
            raise InputError(
                f"{label}: {quoted(str(pair))} is no pair; write {{('a', 'b'): 3}}: a won 3 times against b"
            )
    found = list(dict.fromkeys(str(name) for pair in wins for name in pair)) if names is None else list(names)
    places = {name: k for k, name in enumerate(found)}
    counts = np.zeros((len(found), len(found)))
    for (winner, loser), count in wins.items():
        for name in (str(winner), str(loser)):
            if name not in places:
                raise InputError(f"{label}: {quoted(name)} is none of the names; name every arm")
        counts[places[str(winner)], places[str(loser)]] += _numbers(count, label)
    return counts, found


def _numbers(values: Any, label: str) -> np.ndarray:
    try:
        return np.array(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"{label}: a count is a number: {error}") from None


def frequencies(wins: np.ndarray, names: Sequence[str] | None, missing: str, label: str) -> np.ndarray:
    """``wins[i, j] / (wins[i, j] + wins[j, i])``, exactly 1/2 on the diagonal.

    Raises
    ------
    InputError
        When pairs were never compared, unless ``missing`` is ``half``, which makes them ties.
    """
    if missing not in ("error", "half"):
        raise InputError(f"missing={missing!r}: write 'error' or 'half'")
    i, j = np.triu_indices(len(wins), k=1)
    times = wins[i, j] + wins[j, i]
    never = np.flatnonzero(times == 0)
    if len(never) and missing == "error":
        of = names or [str(arm) for arm in range(len(wins))]
        pairs = "; ".join(f"{of[i[k]]} and {of[j[k]]}" for k in never[:MOST_SHOWN_PAIRS])
        more = f" and {len(never) - MOST_SHOWN_PAIRS} more" if len(never) > MOST_SHOWN_PAIRS else ""
        raise InputError(
            f"{label}: these pairs were never compared: {pairs}{more}; leave arms out, or make them ties with"
            " missing='half'"
        )
    return from_upper(len(wins), np.divide(wins[i, j], times, out=np.full(len(times), 0.5), where=times > 0))


def save(path: str | os.PathLike[str], P: np.ndarray, names: Sequence[str]) -> None:
    """Write a matrix so that `duelbench.problem.matrix_files.read_matrix` reads it back to the last bit.

    Raises
    ------
    InputError
        When the ending names no format, the format cannot hold the names, or the file cannot be written.
    """
    path = Path(path)
    form = path.suffix.lower()
    content = io.BytesIO()
    if form == ".csv":
        content.write(as_csv(P, names).encode())
    elif form == ".npz":
        np.savez(content, P=P, names=np.array(names))
    elif form == ".npy" and list(names) == [str(arm) for arm in range(len(names))]:
        np.save(content, P)
    elif form == ".npy":
        raise InputError(f"{path}: an .npy file holds no names; save as .csv or .npz")
    else:
        raise InputError(f"{path}: the name must end with .csv, .npz or .npy")
    try:
        path.write_bytes(content.getvalue())
    except OSError as error:
        raise InputError(f"{path}: cannot be written: {error.strerror or error}") from None


def as_html(P: np.ndarray, names: Sequence[str], title: str) -> str:
    """A table with coloured cells: blue where the row wins, red where it loses. Of many arms the first ones."""
    n_shown = min(len(P), MOST_SHOWN_ARMS)
    head = ["", *names[:n_shown]]
    lines = [[names[i], *(short_probability(p) for p in P[i, :n_shown].tolist())] for i in range(n_shown)]
    styles = [["font-weight: bold", *(_colour(p) for p in P[i, :n_shown].tolist())] for i in range(n_shown)]
    more = f"; the first {n_shown} are shown" if n_shown < len(P) else ""
    return markup.paragraph(f"{title}{more}") + markup.table(head, lines, styles)


def short_probability(p: float) -> str:
    """A probability to three decimals, without zeros at the end; what is no tie does not look like one.

    Examples
    --------
    >>> short_probability(0.25), short_probability(0.50001), short_probability(0.5)
    ('0.25', '>0.5', '0.5')
    """
    text = f"{p:.3f}".rstrip("0").rstrip(".")
    return text if text != "0.5" or p == 0.5 else ">0.5" if p > 0.5 else "<0.5"


def _colour(p: float) -> str:
    tint = "33,102,172" if p > 0.5 else "178,24,43"
    return f"background: rgba({tint},{math.ceil(160 * abs(p - 0.5)) / 100:g})" if p != 0.5 else ""


def array_like(P: "ArrayLike | Any", names: Sequence[str] | None, label: str) -> tuple[Any, Sequence[str] | None]:
    """What a matrix is made of: of a DataFrame its numbers, aligned, and its names unless there are others."""
    if not is_frame(P):
        return P, names
    values, found = aligned(P, label)
    return values, found if names is None else names
