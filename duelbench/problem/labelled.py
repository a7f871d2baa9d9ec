"""Matrices whose arms are named by what holds them: a pandas DataFrame, or counts of wins by name; and saving one."""

import io
import math
import os
from collections.abc import Iterable, Mapping, Sequence
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
"""Pairs that a message lists."""

MAX_COUNT = 10**12
"""Largest count of wins: sums of them stay exact."""


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


def checked_names(names: Sequence[str] | None, n_arms: int, source: str) -> tuple[str, ...]:
    """The names of the arms, by default their numbers from 0; ``source``, where they come from, begins a message.

    Raises
    ------
    InputError
        When they are not as many as the arms, not different, or cannot be printed.

    Examples
    --------
    >>> checked_names(None, 2, "tea.csv")
    ('0', '1')
    """
    if names is None:
        return tuple(str(arm) for arm in range(n_arms))
    if isinstance(names, str) or not isinstance(names, Iterable) or not all(isinstance(name, str) for name in names):
        raise InputError(f"{source}: the names of the arms are a list of strings, got {names!r}")
    if len(names) != n_arms:
        raise InputError(f"{source}: {len(names)} names for {n_arms} arms; give one name per arm")
    first: dict[str, int] = {}
    for column, name in enumerate(names, start=1):
        if not name.strip() or not name.isprintable():
            problem = "is empty" if not name.strip() else f"is {quoted(name)}, which cannot be printed"
            raise InputError(f"{source}: name {column} (counted from 1) {problem}; name every arm")
        if name in first:
            raise InputError(
                f"{source}: names {first[name]} and {column} (counted from 1) are both {quoted(name)}; "
                "arms need different names"
            )
        first[name] = column
    return tuple(names)


def wins_of(wins: Any, names: Sequence[str] | None, label: str) -> tuple[np.ndarray, tuple[str, ...]]:
    """Counts of wins as a (K, K) float64 array, and the names of the arms.

    Parameters
    ----------
    wins : mapping of (str, str) to number, DataFrame or (K, K) array_like
        How often the first of a pair (the row) won against the second (the column).
    names : sequence of str, optional
        Of the arms, in the order that they are to have; by default that in which they come. A table that has names is
        put into their order.
    label : str
        What messages call the counts.

    Raises
    ------
    InputError
        Naming the first pair whose count cannot be, or what is wrong with the names.
    """
    if isinstance(wins, Mapping):
        counts, names = _of_pairs(wins, names, label)
    elif is_frame(wins):
        values, found = aligned(wins, label)
        counts, names = _in_order(_numbers(values, label), found, names, label)
    else:
        counts = _numbers(wins, label)
    if counts.ndim != 2 or counts.shape[0] != counts.shape[1]:
        shape = f"{' x '.join(map(str, counts.shape))} numbers" if counts.ndim else "a single number"
        raise InputError(f"{label}: {shape}; counts have K rows and K columns")
    names = checked_names(names, len(counts), label)
    wrong = ~(np.isfinite(counts) & (counts >= 0) & (counts <= MAX_COUNT))
    wrong |= np.eye(len(counts), dtype=bool) & (counts != 0)
    if wrong.any():
        i, j = divmod(int(wrong.argmax()), len(counts))
        mend = "an arm never meets itself: 0" if i == j else f"a count is a number from 0 to {MAX_COUNT:g}"
        raise InputError(
            f"{label}: wins of {quoted(names[i])} against {quoted(names[j])}: {counts[i, j]:g}, but {mend}"
        )
    return counts, names


def _in_order(
    counts: np.ndarray, found: Sequence[str], names: Sequence[str] | None, label: str
) -> tuple[np.ndarray, Sequence[str]]:
    """A table whose arms are called as ``found`` in the order of ``names``, where there are any."""
    if names is None:
        return counts, found
    places = {name: k for k, name in enumerate(found)}
    for name in checked_names(names, len(found), label):
        if name not in places:
            raise InputError(f"{label}: {quoted(name)} is not in the table; name its arms as it does")
    order = [places[name] for name in names]
    return counts[np.ix_(order, order)], names


def _of_pairs(wins: Mapping[Any, Any], names: Sequence[str] | None, label: str) -> tuple[np.ndarray, Sequence[str]]:
    for pair in wins:
        if not (isinstance(pair, tuple) and len(pair) == 2):
            raise InputError(
                f"{label}: {quoted(str(pair))} is no pair; write {{('a', 'b'): 3}}: a won 3 times against b"
            )
    found = list(dict.fromkeys(str(name) for pair in wins for name in pair)) if names is None else names
    found = checked_names(found, len(found), label)
    places = {name: k for k, name in enumerate(found)}
    counts = np.zeros((len(found), len(found)))
    for (winner, loser), count in wins.items():
        for name in (str(winner), str(loser)):
            if name not in places:
                raise InputError(f"{label}: {quoted(name)} is none of the names; name every arm")
        try:
            counts[places[str(winner)], places[str(loser)]] += float(count)
        except (TypeError, ValueError) as error:
            pair = f"wins of {quoted(str(winner))} against {quoted(str(loser))}"
            raise InputError(f"{label}: {pair}: a count is a number: {error}") from None
    return counts, found


def _numbers(values: Any, label: str) -> np.ndarray:
    try:
        return np.array(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"{label}: a count is a number: {error}") from None


def frequencies(
    wins: np.ndarray, names: Sequence[str], label: str, make_ties: bool, mend: str, min_count: float = 0
) -> np.ndarray:
    """``wins[i, j] / (wins[i, j] + wins[j, i])``, exactly 1/2 on the diagonal.

    Parameters
    ----------
    wins : (K, K) float64
    names : sequence of str
    label : str
        What messages call the counts.
    make_ties : bool
        Whether pairs that were never compared, or less than ``min_count`` times, become ties.
    mend : str
        What else to do about them.
    min_count : float

    Raises
    ------
    InputError
        Naming such pairs, where they do not become ties.
    """
    i, j = np.triu_indices(len(wins), k=1)
    times = wins[i, j] + wins[j, i]
    is_rare = (times == 0) | (times < min_count)
    rare = np.flatnonzero(is_rare)
    if len(rare) and not make_ties:
        is_never = not times[rare].any()
        shown = rare[:MOST_SHOWN_PAIRS]
        pairs = [f"{names[i[k]]} and {names[j[k]]}{'' if is_never else f' ({times[k]:g} times)'}" for k in shown]
        more = f" and {len(rare) - len(shown)} more" if len(rare) > len(shown) else ""
        how = "never compared" if is_never else f"compared less than {min_count:g} times"
        raise InputError(f"{label}: these pairs were {how}: {'; '.join(pairs)}{more}; {mend}")
    return from_upper(len(wins), np.divide(wins[i, j], times, out=np.full(len(times), 0.5), where=~is_rare))


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
