"""Converts matrices: from pandas DataFrames and counts of wins, to files and to tables in notebooks."""

import io
import math
import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from duelbench.bandits.problem.matrix_files import ROWS_LOSE, as_csv, columns_win, quoted
from duelbench.common import markup
from duelbench.errors import InputError

MOST_SHOWN_ARMS = 12  # Arms of a matrix that a notebook shows
MOST_SHOWN_PAIRS = 5  # Pairs that a message lists
MAX_COUNT = 10**12  # Largest count of wins: sums of them stay exact


def array_like(P: Any, names: Sequence[str] | None, label: str) -> tuple[Any, Sequence[str] | None]:
    """Return the numbers and names of a matrix; the columns of a DataFrame are put into the order of its rows."""
    if not all(hasattr(P, name) for name in ("index", "columns", "to_numpy")):  # checked without loading pandas
        return P, names
    rows, columns = [str(name) for name in P.index], [str(name) for name in P.columns]
    corner = str(getattr(P.index, "name", ""))
    if ROWS_LOSE.match(corner):  # as after `pandas.crosstab(games.loser, games.winner)`
        raise columns_win(label, corner)
    in_rows, in_columns = Counter(rows), Counter(columns)
    for name in rows + columns:
        if (in_rows[name], in_columns[name]) != (1, 1):
            raise InputError(
                f"{label}: {in_rows[name]} row(s) and {in_columns[name]} column(s) of the table are called"
                f" {quoted(name)}; each arm must name one row and one column, as after `frame.index = frame.columns` or"
                " `pandas.read_csv(FILE, index_col=0)`"
            )
    return np.asarray(P.to_numpy())[:, [columns.index(name) for name in rows]], rows if names is None else names


def checked_names(names: Sequence[str] | None, n_arms: int, source: str) -> tuple[str, ...]:
    """Return the names of the arms, checked; by default their numbers from 0. Messages start with ``source``."""
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
        if first.setdefault(name, column) < column:
            both = f"names {first[name]} and {column} (counted from 1) are both {quoted(name)}"
            raise InputError(f"{source}: {both}; arms need different names")
    return tuple(names)


def wins_of(wins: Any, names: Sequence[str] | None, label: str) -> tuple[np.ndarray, tuple[str, ...]]:
    """Return counts of wins as a (K, K) float64 array, and the names of the arms, both checked.

    ``wins`` and ``names`` are those of `PreferenceMatrix.from_wins`; messages call the counts ``label``.
    """
    if isinstance(wins, Mapping):
        return checked_counts(*_of_pairs(wins, names, label), label)
    values, names_of_table = array_like(wins, None, label)
    try:
        counts = np.array(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"{label}: a count is a number: {error}") from None
    if names_of_table is None or names is None:
        return checked_counts(counts, names if names_of_table is None else names_of_table, label)
    if unknown := [name for name in checked_names(names, len(names_of_table), label) if name not in names_of_table]:
        raise InputError(f"{label}: {quoted(unknown[0])} is not in the table; name its arms as it does")
    order = [names_of_table.index(name) for name in names]
    return checked_counts(counts[np.ix_(order, order)], names, label)


def _of_pairs(wins: Mapping[Any, Any], names: Sequence[str] | None, label: str) -> tuple[np.ndarray, Sequence[str]]:
    for pair in wins:
        if not (isinstance(pair, tuple) and len(pair) == 2):
            raise InputError(
                f"{label}: {quoted(str(pair))} is not a pair; write {{('a', 'b'): 3}}: a won 3 times against b"
            )
    arms = list(dict.fromkeys(str(name) for pair in wins for name in pair)) if names is None else names
    places = {name: k for k, name in enumerate(checked_names(arms, len(arms), label))}
    counts = np.zeros((len(places), len(places)))
    for pair, count in wins.items():
        winner, loser = map(str, pair)
        try:
            counts[places[winner], places[loser]] += float(count)
        except KeyError as error:
            raise InputError(f"{label}: {quoted(error.args[0])} is none of the names; name every arm") from None
        except (TypeError, ValueError) as error:
            against = f"wins of {quoted(winner)} against {quoted(loser)}"
            raise InputError(f"{label}: {against}: a count is a number: {error}") from None
    return counts, arms


def checked_counts(wins: np.ndarray, names: Sequence[str] | None, label: str) -> tuple[np.ndarray, tuple[str, ...]]:
    """Return the (K, K) counts of wins and the names of the arms, both checked."""
    if wins.ndim != 2 or wins.shape[0] != wins.shape[1]:
        shape = f"{' x '.join(map(str, wins.shape))} numbers" if wins.ndim else "a single number"
        raise InputError(f"{label}: {shape}; counts have K rows and K columns")
    if len(wins) < 2:
        raise InputError(f"{label}: counts of {len(wins)} arm(s); a duel needs two")
    checked = checked_names(names, len(wins), label)
    wrong = ~((wins >= 0) & (wins <= MAX_COUNT)) | (np.eye(len(wins), dtype=bool) & (wins != 0))
    if wrong.any():
        i, j = divmod(int(wrong.argmax()), len(wins))
        rule = "an arm never meets itself: write 0" if i == j else f"a count is a number from 0 to {MAX_COUNT:g}"
        pair = f"wins of {quoted(checked[i])} against {quoted(checked[j])}"
        place = f"row {i + 1}, column {j + 1}, counted from 1"
        raise InputError(f"{label}: {pair} ({place}): {wins[i, j]:g}, but {rule}")
    return wins, checked


def from_upper(n_arms: int, upper: np.ndarray) -> np.ndarray:
    """Return the preference matrix with these probabilities above the diagonal, (K (K - 1) / 2,) float64, row by row.

    A probability below 1/2 changes by at most 2**-54, so that P[i, j] + P[j, i] = 1 exactly.

    Examples
    --------
    >>> from_upper(3, np.array([0.75, 0.25, 1.0])).tolist()
    [[0.5, 0.75, 0.25], [0.25, 0.5, 1.0], [0.75, 0.0, 0.5]]
    """
    complement = 1 - upper
    upper, lower = np.where(upper >= 0.5, [upper, complement], [1 - complement, complement])
    P = np.full((n_arms, n_arms), 0.5)
    i, j = np.triu_indices(n_arms, k=1)
    P[i, j], P[j, i] = upper, lower
    return P


def frequencies(
    wins: np.ndarray, names: Sequence[str], label: str, make_ties: bool, hint: str, min_count: float = 0
) -> np.ndarray:
    """Return ``wins[i, j] / (wins[i, j] + wins[j, i])``, with exactly 1/2 on the diagonal.

    Pairs that were never compared, or less than ``min_count`` times, become ties if ``make_ties``. Otherwise they raise
    an InputError whose message ends with ``hint``.
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
        raise InputError(f"{label}: these pairs were {how}: {'; '.join(pairs)}{more}; {hint}")
    return from_upper(len(wins), np.divide(wins[i, j], times, out=np.full(len(times), 0.5), where=~is_rare))


def save(path: str | os.PathLike[str], P: np.ndarray, names: Sequence[str]) -> None:
    """Write a matrix so that `duelbench.bandits.problem.matrix_files.read_matrix` reads it back to the last bit."""
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
    """Return an HTML table with coloured cells: blue if the row wins, red if it loses. It has the first arms only."""
    n_shown = min(len(P), MOST_SHOWN_ARMS)
    head = ["", *names[:n_shown]]
    lines = [[names[i], *(short_probability(p) for p in P[i, :n_shown].tolist())] for i in range(n_shown)]
    styles = [["font-weight: bold", *(_colour(p) for p in P[i, :n_shown].tolist())] for i in range(n_shown)]
    more = f"; the first {n_shown} are shown" if n_shown < len(P) else ""
    return markup.paragraph(f"{title}{more}") + markup.table(head, lines, styles)


def short_probability(p: float) -> str:
    """Return a probability to three decimals, without zeros at the end; only a tie is shown as 0.5.

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
