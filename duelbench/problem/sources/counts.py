"""From counts of wins to a preference matrix, and the files that hold such counts.

``wins[i, j]`` is how often arm i won a comparison with arm j, a tie counting 1/2 for each side, and
``p_ij = wins[i, j] / (wins[i, j] + wins[j, i])``: empirical frequencies are taken as the true probabilities.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np

from duelbench.errors import InputError
from duelbench.problem.labelled import MAX_COUNT, checked_counts, frequencies
from duelbench.problem.matrix_files import MAX_ARMS, as_number, csv_cells, numbered_lines, quoted, read_matrix
from duelbench.problem.preferences import PreferenceMatrix

# What the columns of the two sides of a game are called, in a table with a column winner
SIDES = (("left", "right"), ("model_a", "model_b"), ("a", "b"))
OUTCOMES = ("first", "second", "first_wins", "second_wins")  # The columns of judgements by pair, besides ties

Missing = Literal["error", "half"]

COUNT = "a number of wins"  # What a cell of a table of counts holds


@dataclass(frozen=True, eq=False)
class PairCounts:
    """How often each arm won against each other one."""

    wins: np.ndarray  # (K, K), float64. ``wins[i, j]`` = wins of i against j, ties half each; 0 on the diagonal
    names: tuple[str, ...]
    source: str  # the file they came from
    notes: tuple[str, ...] = ()  # what they count and which convention made them, one sentence each

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


def read_pairs(path: Path) -> PairCounts:
    """A table (CSV) of results: one line per pair, or one per game.

    - columns ``winner``, ``loser`` and, optionally, ``count`` (1 where it is left out, fractions allowed), by a first
      line with these names, other columns being passed over; or three columns in that order without a first line;
    - columns ``left``, ``right`` and ``winner`` (or ``model_a``, ``model_b``, ``winner``, or ``a``, ``b``, ``winner``):
      ``winner`` holds the name of the winning column, or something that begins with ``tie``, 1/2 for each;
    - columns ``first``, ``second``, ``first_wins``, ``second_wins`` and, optionally, ``ties``, 1/2 for each.

    Lines of the same pair add up. Arms are in the order in which they first appear.
    """
    arms: dict[str, int] = {}
    sums: defaultdict[tuple[int, int], float] = defaultdict(float)
    head: list[str] = []
    columns: dict[str, int] = {}
    for number, text in numbered_lines(path):
        if text.startswith("#"):
            continue
        cells = csv_cells(text, number, str(path))
        try:
            if not columns:
                named = _columns(cells)
                columns, head = named or _unnamed_columns(cells), list(map(str.lower, cells))
                if named:
                    continue
            if len(cells) != len(head):
                raise ValueError(f"{len(cells)} cells, but the first line has {len(head)}; quote commas")
            for winner, loser, count in _results(cells, columns, head):
                pair = arms.setdefault(winner, len(arms)), arms.setdefault(loser, len(arms))
                sums[pair] += count
            if len(arms) > MAX_ARMS:
                raise ValueError(f"{len(arms)} arms; at most {MAX_ARMS} are supported")
        except ValueError as error:
            raise InputError(f"{path}: line {number}: {error}") from None
    if len(arms) < 2:
        raise InputError(f"{path}: holds no results; it needs lines such as 'winner,loser,count'")
    wins = np.zeros((len(arms), len(arms)))
    for pair, count in sums.items():
        wins[pair] = count
    return PairCounts(wins, tuple(arms), str(path), ("results added up by pair; a tie counts 1/2 for each side",))


def is_head(cells: Sequence[str]) -> bool:
    """Whether a line holds column names of a table that `read_pairs` reads, even if a column is missing."""
    return "first_wins" in map(str.lower, cells) or _columns(cells) is not None


def _columns(cells: Sequence[str]) -> dict[str, int] | None:
    """The places of the columns by their meaning, from the names in the first line."""
    at = {cell.lower(): k for k, cell in reversed([*enumerate(cells)])}  # of equal names the first
    if {*OUTCOMES} <= {*at}:
        return {name: at[name] for name in (*OUTCOMES, "ties") if name in at}
    if {"winner", "loser"} <= {*at}:
        return {name: at[name] for name in ("winner", "loser", "count") if name in at}
    for first, second in SIDES:
        if {"winner", first, second} <= {*at}:
            return {"winner": at["winner"], "first": at[first], "second": at[second]}
    return None


def _unnamed_columns(cells: Sequence[str]) -> dict[str, int]:
    columns = {"winner": 0, "loser": 1, "count": 2}
    if len(cells) == 3 and _number(cells[2]) is not None:
        return columns
    raise ValueError(
        "begin with a line of column names: winner,loser,count (or left,right,winner for single games, or"
        " first,second,first_wins,second_wins,ties)"
    )


def _results(cells: list[str], columns: dict[str, int], head: list[str]) -> list[tuple[str, str, float]]:
    """Winner, loser and count of what a line says."""
    row = {name: cells[k] for name, k in columns.items()}
    first, second = (row["winner"], row["loser"]) if "loser" in row else (row["first"], row["second"])
    if not first or not second:
        raise ValueError("a name is empty; name both sides")
    if first == second:
        raise ValueError(f"{quoted(first)} meets itself; remove the line")
    if "loser" in row:
        return [(first, second, _count(row, "count") if "count" in row else 1.0)]
    if "first_wins" in row:
        half = _count(row, "ties") / 2 if "ties" in row else 0.0
        counts = _count(row, "first_wins") + half, _count(row, "second_wins") + half
    else:
        sides, result = (head[columns["first"]], head[columns["second"]]), row["winner"].lower()
        if result not in sides and not result.startswith("tie"):
            raise ValueError(f"the winner is {quoted(row['winner'])}; write {sides[0]}, {sides[1]} or tie")
        share = 1.0 if result == sides[0] else 0.0 if result == sides[1] else 0.5
        counts = share, 1 - share
    return [(first, second, counts[0]), (second, first, counts[1])]


def _count(row: dict[str, str], column: str) -> float:
    count = _number(row[column])
    if count is None:
        raise ValueError(f"the {column} is {quoted(row[column])}; write a number from 0 to {MAX_COUNT:g}")
    return count


def _number(text: str) -> float | None:
    count = as_number(text)
    return count if count is not None and 0 <= count <= MAX_COUNT else None
