"""Makes preference matrices of counts of wins, and reads the files that hold such counts.

``wins[i, j]`` is how often arm i won a comparison with arm j, a tie counting 1/2 for each side, and
``p_ij = wins[i, j] / (wins[i, j] + wins[j, i])``: empirical frequencies are taken as the true probabilities.
"""

import shlex
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np

from duelbench.bandits.problem.labelled import MAX_COUNT, checked_counts, frequencies
from duelbench.bandits.problem.matrix_files import (
    MAX_ARMS,
    after_comments,
    as_number,
    csv_cells,
    quoted,
    read_matrix,
    separator_of,
)
from duelbench.bandits.problem.preferences import PreferenceMatrix
from duelbench.common.words import plural
from duelbench.errors import InputError, nearest

SIDES = (("left", "right"), ("model_a", "model_b"), ("a", "b"), ("first", "second"))
"""Names of the columns of the two sides of a game."""

WEIGHTS = ("count", "count(*)", "counts", "n", "wins", "weight")
"""Names of the column with the number of duels of a line; if a table has several, the first of these counts."""

TIE_FLAGS = ("tie", "draw", "is_tie", "is_draw", "tied")
"""Names of the column that says whether a game was a tie."""

OUTCOMES = ("win", "wins", "won", "loss", "lose", "lost", "tie", "tied", "draw", "drawn", "both", "even", "equal")
"""Words for the result of a game in other columns."""

TRUTH_VALUES = {"true": True, "false": False, "yes": True, "no": False, "1": True, "0": False, "t": True, "f": False}

Missing = Literal["error", "half"]

COUNT = "a number of wins"  # What a cell of a table of counts holds


@dataclass(frozen=True, eq=False)
class PairCounts:
    """How often each arm won against each other arm."""

    wins: np.ndarray  # (K, K), float64. ``wins[i, j]`` = wins of i against j, ties half each; 0 on the diagonal
    names: tuple[str, ...]
    source: str  # the file they came from
    notes: tuple[str, ...] = ()  # what the counts mean and how they were made, one sentence each

    def part(self, arms: Sequence[int]) -> "PairCounts":
        """The counts among some of the arms (0-based), in that order."""
        names = tuple(self.names[arm] for arm in arms)
        return PairCounts(self.wins[np.ix_(arms, arms)], names, self.source, self.notes)

    def matrix(self, min_count: int = 1, missing: Missing = "error") -> PreferenceMatrix:
        """The frequencies as a preference matrix.

        A pair with fewer comparisons than ``min_count`` is an error that names it, or a tie (``missing`` is "half").

        Examples
        --------
        >>> counts = PairCounts(np.array([[0, 3, 0], [1, 0, 1], [0, 1, 0]]), ("a", "b", "c"), "games.csv")
        >>> counts.matrix(missing="half").P.tolist()
        [[0.5, 0.75, 0.5], [0.25, 0.5, 0.5], [0.5, 0.5, 0.5]]
        """
        hint = "leave arms out, or make them ties with --missing half (in Python missing='half')"
        P = frequencies(self.wins, self.names, self.source, missing == "half", hint, min_count)
        return PreferenceMatrix(P, self.names, self.source)


def read_count_matrix(path: Path) -> PairCounts:
    """A K x K table of counts: row i, column j = wins of i against j, 0 on the diagonal.

    Text with commas or white space, optionally after a line with the names of the arms, or a NumPy file. Counts may be
    fractions, as 0.5 for a tie.
    """
    content = read_matrix(str(path), COUNT)
    wins, names = checked_counts(np.asarray(content.values, dtype=np.float64), content.names, str(path))
    return PairCounts(wins, names, str(path), ("row i, column j of the table: wins of i against j",))


def read_pairs(path: Path, ignore: Collection[str] = ()) -> PairCounts:
    """A table of results with commas or tabs: one line per pair, or one per game, below a line of column names.

    - ``winner``, ``loser``;
    - ``left``, ``right`` and ``winner`` (or `SIDES` with other names): ``winner`` holds the name of the winning column
      or arm, or something that starts with ``tie``, 1/2 for each;
    - ``first``, ``second``, ``first_wins``, ``second_wins`` and, optionally, ``ties`` or ``draws``, 1/2 for each.

    The first two may have a column with a number of duels, one of `WEIGHTS`, and one that says whether the game was a
    tie, one of `TIE_FLAGS`. Lines of the same pair add up. Arms are in the order in which they first appear. Lines
    that start with ``#`` before the column names are comments.

    Parameters
    ----------
    path : Path
        The file.
    ignore : collection of str
        Columns to leave out. A note names the other unused columns.

    Raises
    ------
    InputError
        If a line is wrong; the message names it. Also if a column that is neither used nor in ``ignore`` may change the
        counts, because it holds numbers, truth values or outcomes such as "draw".
    """
    n_comments, lines = after_comments(path)
    table: _Columns | None = None
    separator = ","
    arms: dict[str, int] = {}
    sums: defaultdict[tuple[int, int], float] = defaultdict(float)
    for number, text in lines:
        if table is None:
            separator = separator_of(text)
        cells = csv_cells(text, number, str(path), separator)
        try:
            if table is None:
                table = _Columns(cells, ignore)
                continue
            if len(cells) != len(table.names):
                raise ValueError(f"{len(cells)} cells, but the first line has {len(table.names)}; quote commas")
            table.look_at_unused(cells)
            for winner, loser, count in _results(table, cells):
                pair = arms.setdefault(winner, len(arms)), arms.setdefault(loser, len(arms))
                sums[pair] += count
            if len(arms) > MAX_ARMS:
                raise ValueError(f"{len(arms)} arms; at most {MAX_ARMS} are supported")
        except ValueError as error:
            raise InputError(f"{path}: line {number}: {error}") from None
    if table is None or len(arms) < 2:
        raise InputError(f"{path}: holds no results; it needs lines such as 'winner,loser,count'")
    table.refuse_unused_numbers(path)
    wins = np.zeros((len(arms), len(arms)))
    for pair, count in sums.items():
        wins[pair] = count
    notes = ("results added up by pair; a tie counts 1/2 for each side", *table.notes(), *comment_notes(n_comments))
    return PairCounts(wins, tuple(arms), str(path), notes)


def comment_notes(n_comments: int) -> list[str]:
    """A note on lines that were read as comments, if there are any."""
    if not n_comments:
        return []
    return ["the first line is a comment (#)" if n_comments == 1 else f"the first {n_comments} lines are comments (#)"]


def is_head(cells: Sequence[str]) -> bool:
    """Whether a line holds column names of a table that `read_pairs` reads, even if a column is missing."""
    return "first_wins" in map(str.lower, cells) or bool(_meanings([cell.lower() for cell in cells]))


class _Columns:
    """The columns of a table of results, by the names in its first line."""

    def __init__(self, cells: Sequence[str], ignore: Collection[str]) -> None:
        self.names = [cell.lower() for cell in cells]
        self.meanings = _meanings(self.names)
        ignored = {name.lower() for name in ignore}
        if not self.meanings:
            raise ValueError(_no_names(cells))
        for name in ignored:
            if name not in self.names:
                raise ValueError(f"there is no column {quoted(name)} to ignore{nearest(name, self.names)}")
            if name in (self.names[k] for k in self.meanings.values()):
                raise ValueError(f"the column {quoted(name)} cannot be ignored: it holds a side or the winner")
        for k in self.meanings.values():
            if self.names.count(self.names[k]) > 1:
                raise ValueError(f"there are two columns {quoted(self.names[k])}; rename one")
        self.unused = [k for k in range(len(cells)) if k not in self.meanings.values()]
        self._numeric = {k for k in self.unused if self.names[k] not in ignored}
        self._filled: set[int] = set()

    def of(self, cells: Sequence[str]) -> dict[str, str]:
        """The cells of a line by their meaning."""
        return {meaning: cells[k] for meaning, k in self.meanings.items()}

    def look_at_unused(self, cells: Sequence[str]) -> None:
        """Note which unused columns hold something other than numbers, truth values and outcomes."""
        for k in [k for k in self._numeric if cells[k]]:
            self._filled.add(k)
            if as_number(cells[k]) is None and cells[k].lower() not in (*TRUTH_VALUES, *OUTCOMES):
                self._numeric.remove(k)

    def refuse_unused_numbers(self, path: Path) -> None:
        """Refuse unused columns that may hold counts, or say that games were ties."""
        names = [self.names[k] for k in sorted(self._numeric & self._filled)]
        if names:
            columns = f"{plural(len(names), 'column')} {', '.join(map(quoted, names))}"
            options = " ".join(f"--ignore {shlex.quote(name)}" for name in names)
            raise InputError(
                f"{path}: the numbers, truth values or outcomes in the {columns} would not be used."
                " If a column counts the duels of a line, call it count; if it says that a game was a tie, call it tie,"
                f" with true or false; to leave it out: {options} (in Python ignore={names!r})"
            )

    def notes(self) -> list[str]:
        """A note that names the columns that are not used."""
        names = [self.names[k] for k in self.unused]
        return [f"not used: {plural(len(names), 'column')} {', '.join(map(quoted, names))}"] if names else []


def _meanings(names: Sequence[str]) -> dict[str, int]:
    """The positions of the used columns, by their meaning; empty if the columns are not those of results."""
    at = {name: k for k, name in reversed([*enumerate(names)])}
    weight = next(({"count": at[name]} for name in WEIGHTS if name in at), {})
    flag = next(({"tie": at[name]} for name in TIE_FLAGS if name in at), {})
    for first, second in SIDES:
        if {first, second, f"{first}_wins", f"{second}_wins"} <= {*at}:
            ties = next(({"ties": at[name]} for name in ("ties", "draws") if name in at), {})
            wins = {"first_wins": at[f"{first}_wins"], "second_wins": at[f"{second}_wins"]}
            return {"first": at[first], "second": at[second], **wins, **ties}
    if {"winner", "loser"} <= {*at}:
        return {"winner": at["winner"], "loser": at["loser"], **weight, **flag}
    for first, second in SIDES:
        if {"winner", first, second} <= {*at}:
            return {"winner": at["winner"], "first": at[first], "second": at[second], **weight, **flag}
    return {}


def _no_names(cells: Sequence[str]) -> str:
    """The message about a first line that does not name the columns."""
    if len(cells) == 3 and _number(cells[2]) is not None:
        return (
            "the columns have no names, and the third one may count duels or say who won: put the line"
            " winner,loser,count above them; or winner,loser,tie; or left,right,winner with left, right or tie in the"
            " third column"
        )
    return (
        "start with a line of column names: winner,loser,count (or left,right,winner for single games, or"
        " first,second,first_wins,second_wins,ties)"
    )


def _results(table: _Columns, cells: Sequence[str]) -> list[tuple[str, str, float]]:
    """Winner, loser and count of each result in a line."""
    row = table.of(cells)
    first, second = (row["winner"], row["loser"]) if "loser" in row else (row["first"], row["second"])
    if not first or not second:
        raise ValueError("a name is empty; name both sides")
    if first == second:
        raise ValueError(f"{quoted(first)} meets itself; remove the line")
    if "first_wins" in row:
        half = _count(row, "ties") / 2 if "ties" in row else 0.0
        return [
            (first, second, _count(row, "first_wins") + half),
            (second, first, _count(row, "second_wins") + half),
        ]
    count = _count(row, "count") if "count" in row else 1.0
    share = _share_of_first(table, row)
    return [
        (winner, loser, count * part) for winner, loser, part in ((first, second, share), (second, first, 1 - share))
    ]


def _share_of_first(table: _Columns, row: Mapping[str, str]) -> float:
    """1 if the first side of a game won, 0 if the second won, 1/2 for a tie."""
    if _is_true(row.get("tie", "")):
        return 0.5
    if "loser" in row:
        return 1.0
    sides = [table.names[table.meanings[side]] for side in ("first", "second")]
    result, names = row["winner"].lower(), (row["first"], row["second"])
    if result.startswith("tie"):
        return 0.5
    by_side = sides.index(result) if result in sides else None
    by_name = names.index(row["winner"]) if row["winner"] in names else None
    if by_side is None and by_name is None:
        raise ValueError(f"the winner is {quoted(row['winner'])}; write {sides[0]}, {sides[1]}, tie, or its name")
    if by_side is not None and by_name not in (None, by_side):
        raise ValueError(
            f"the winner {quoted(row['winner'])} is a column and an arm of the other column; call the columns"
            " left and right, and the winner left, right or tie"
        )
    return 1.0 if 0 in (by_side, by_name) else 0.0


def _is_true(text: str) -> bool:
    """Read a truth value; an empty cell is False."""
    if text.lower() not in ("", *TRUTH_VALUES):
        raise ValueError(f"the column tie holds {quoted(text)}; write true or false")
    return TRUTH_VALUES.get(text.lower(), False)


def _count(row: Mapping[str, str], column: str) -> float:
    count = _number(row[column])
    if count is None:
        raise ValueError(f"the {column} is {quoted(row[column])}; write a number from 0 to {MAX_COUNT:g}")
    return count


def _number(text: str) -> float | None:
    count = as_number(text)
    return count if count is not None and 0 <= count <= MAX_COUNT else None
