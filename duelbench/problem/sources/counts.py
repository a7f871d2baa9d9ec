"""From counts of wins to a preference matrix, and the files that hold such counts.

``wins[i, j]`` is how often arm i won a comparison with arm j, a tie counting 1/2 for each side, and
``p_ij = wins[i, j] / (wins[i, j] + wins[j, i])``: the empirical frequency is taken for the true probability.
"""

import csv
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np

from duelbench.errors import InputError
from duelbench.problem.labelled import MAX_COUNT, frequencies
from duelbench.problem.matrix_files import quoted, read_matrix
from duelbench.problem.preferences import PreferenceMatrix
from duelbench.problem.sources.text import check_arms, numbered_lines

SIDES = (("left", "right"), ("model_a", "model_b"), ("a", "b"))
"""What the columns of the two sides of a game are called, in a table with a column ``winner``."""

OUTCOMES = ("first", "second", "first_wins", "second_wins")
"""The columns of a table of judgements by pair; it may also have a column ``ties``."""

Missing = Literal["error", "half"]

COUNT = "a number of wins"
"""What stands in a cell of a table of counts."""


@dataclass(frozen=True, eq=False)
class PairCounts:
    """How often each arm won against each other one.

    Attributes
    ----------
    wins : ndarray, shape (K, K), float64
        ``wins[i, j]`` = wins of i against j, ties half each; 0 on the diagonal.
    names : tuple of str
    source : str
        The file they came from.
    notes : tuple of str
        What they count and which convention made them, one sentence each.
    """

    wins: np.ndarray
    names: tuple[str, ...]
    source: str
    notes: tuple[str, ...] = ()

    def part(self, arms: Sequence[int]) -> "PairCounts":
        """The counts among some of the arms (0-based), in that order."""
        names = tuple(self.names[arm] for arm in arms)
        return PairCounts(self.wins[np.ix_(arms, arms)], names, self.source, self.notes)

    def matrix(self, min_count: int = 1, missing: Missing = "error") -> PreferenceMatrix:
        """The frequencies as a preference matrix.

        Parameters
        ----------
        min_count : int
            Fewest comparisons of a pair for its frequency to be taken, at least 1.
        missing : {"error", "half"}
            What a pair with fewer becomes: an error that names it, or a tie.

        Raises
        ------
        InputError
            Naming the pairs that were compared too rarely.

        Examples
        --------
        >>> counts = PairCounts(np.array([[0, 3, 0], [1, 0, 1], [0, 1, 0]]), ("a", "b", "c"), "games.csv")
        >>> counts.matrix(missing="half").P.tolist()
        [[0.5, 0.75, 0.5], [0.25, 0.5, 0.5], [0.5, 0.5, 0.5]]
        >>> counts.matrix()
        Traceback (most recent call last):
        ...
        duelbench.errors.InputError: games.csv: these pairs were never compared: a and c; leave arms out
        with --arms, or make them ties with --missing half
        """
        mend = "leave arms out with --arms, or make them ties with --missing half"
        P = frequencies(self.wins, self.names, self.source, missing == "half", mend, min_count)
        return PreferenceMatrix(P, self.names, self.source)


def read_count_matrix(path: Path) -> PairCounts:
    """A K x K table of counts: row i, column j = wins of i against j, 0 on the diagonal.

    Text with commas or white space, optionally after a line with the names of the arms, or a NumPy file. Counts may be
    fractions, as 0.5 for a tie.

    Raises
    ------
    InputError
        Naming the row and column, counted from 1, of the first entry that is wrong.
    """
    content = read_matrix(str(path), COUNT)
    wins = np.asarray(content.values, dtype=np.float64)
    if wins.ndim != 2 or wins.shape[0] != wins.shape[1] or len(wins) < 2:
        shape = " x ".join(map(str, wins.shape))
        raise InputError(f"{path}: {shape} numbers; a table of counts has K rows and K columns, K at least 2")
    wrong = ~(np.isfinite(wins) & (wins >= 0) & (wins <= MAX_COUNT)) | (np.eye(len(wins), dtype=bool) & (wins != 0))
    if wrong.any():
        i, j = divmod(int(wrong.argmax()), len(wins))
        value = f"{wins[i, j]:g}"
        mend = "an arm never meets itself: write 0" if i == j else f"a count is a number from 0 to {MAX_COUNT:g}"
        raise InputError(f"{path}: row {i + 1}, column {j + 1} (counted from 1) is {value}, but {mend}")
    names = content.names or tuple(str(arm) for arm in range(len(wins)))
    return PairCounts(wins, names, str(path), ("row i, column j of the table: wins of i against j",))


def read_pairs(path: Path) -> PairCounts:
    """A table (CSV) of results: one line per pair, or one per game.

    - columns ``winner``, ``loser`` and, optionally, ``count`` (1 where it is left out, fractions allowed), by a first
      line with these names, other columns being passed over; or three columns in that order without a first line;
    - columns ``left``, ``right`` and ``winner`` (or ``model_a``, ``model_b``, ``winner``, or ``a``, ``b``, ``winner``):
      ``winner`` holds the name of the winning column, or something that begins with ``tie``, 1/2 for each;
    - columns ``first``, ``second``, ``first_wins``, ``second_wins`` and, optionally, ``ties``, 1/2 for each.

    Lines of the same pair add up. Arms are in the order in which they first appear.

    Raises
    ------
    InputError
        Naming the line and the mend.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "games.csv")
    ...     _ = file.write_text("winner,loser,count\\ntuna,egg,3\\negg,tuna,1\\n")
    ...     counts = read_pairs(file)
    >>> counts.names, counts.wins.tolist()
    (('tuna', 'egg'), [[0.0, 3.0], [1.0, 0.0]])
    """
    reader = _Table(path)
    for number, cells in _rows(path):
        reader.read(number, cells)
    return reader.counts()


def is_head(cells: Sequence[str]) -> bool:
    """Whether the cells of a line are the column names of a table that `read_pairs` reads."""
    return _columns(cells) is not None


def names_outcomes(cells: Sequence[str]) -> bool:
    """Whether a line begins a table of judgements by pair, even if a column is missing."""
    return "first_wins" in [cell.lower() for cell in cells]


def _columns(cells: Sequence[str]) -> dict[str, int] | None:
    """What the columns mean, by the names in the first line."""
    names = [cell.lower() for cell in cells]
    if {*OUTCOMES} <= {*names}:
        at = {column: names.index(column) for column in OUTCOMES}
        return {**at, "ties": names.index("ties")} if "ties" in names else at
    if "winner" not in names:
        return None
    at = {"winner": names.index("winner")}
    if "loser" in names:
        at["loser"] = names.index("loser")
        if "count" in names:
            at["count"] = names.index("count")
        return at
    for one, other in SIDES:
        if one in names and other in names:
            return {**at, "one": names.index(one), "other": names.index(other)}
    return None


def _rows(path: Path) -> Iterator[tuple[int, list[str]]]:
    for number, text in numbered_lines(path):
        if text.startswith("#"):
            continue
        try:
            yield number, [cell.strip() for cell in next(csv.reader([text], skipinitialspace=True, strict=True))]
        except csv.Error as error:
            raise InputError(
                f"{path}: line {number} is no CSV ({error}); a quoted cell closes its quotation mark in its own line"
            ) from None


class _Table:
    """Reads the lines of a table and adds up what they say."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._columns: dict[str, int] | None = None
        self._head: list[str] = []
        self._arms: dict[str, int] = {}
        self._wins: dict[tuple[int, int], float] = {}

    def read(self, number: int, cells: list[str]) -> None:
        if self._columns is None:
            self._columns, self._head = self._meaning(number, cells), cells
            if self._columns is not None and is_head(cells):
                return
        assert self._columns is not None
        if len(cells) != len(self._head):
            raise self._error(number, f"{len(cells)} cells, but the first line has {len(self._head)}; quote commas")
        if "first_wins" in self._columns:
            self._add_outcomes(number, cells, self._columns)
        elif "loser" in self._columns:
            self._add_result(number, cells, self._columns)
        else:
            self._add_game(number, cells, self._columns)

    def _meaning(self, number: int, cells: list[str]) -> dict[str, int]:
        named = _columns(cells)
        if named is not None:
            return named
        if len(cells) == 3 and _count(cells[2]) is not None:
            return {"winner": 0, "loser": 1, "count": 2}
        raise self._error(
            number,
            "begin with a line of column names: winner,loser,count (or left,right,winner for single games, or"
            " first,second,first_wins,second_wins,ties)",
        )

    def _add_result(self, number: int, cells: list[str], at: dict[str, int]) -> None:
        count = self._count(number, cells, at["count"]) if "count" in at else 1.0
        winner, loser = self._pair(number, cells[at["winner"]], cells[at["loser"]])
        self._add(winner, loser, count)

    def _add_game(self, number: int, cells: list[str], at: dict[str, int]) -> None:
        one, other = self._pair(number, cells[at["one"]], cells[at["other"]])
        result = cells[at["winner"]].lower()
        if result == self._head[at["one"]].lower():
            self._add(one, other, 1.0)
        elif result == self._head[at["other"]].lower():
            self._add(other, one, 1.0)
        elif result.startswith("tie"):
            self._add(one, other, 0.5)
            self._add(other, one, 0.5)
        else:
            sides = f"{self._head[at['one']]}, {self._head[at['other']]} or tie"
            raise self._error(number, f"the winner is {quoted(cells[at['winner']])}; write {sides}")

    def _add_outcomes(self, number: int, cells: list[str], at: dict[str, int]) -> None:
        first, second = self._pair(number, cells[at["first"]], cells[at["second"]])
        half = self._count(number, cells, at["ties"]) / 2 if "ties" in at else 0.0
        self._add(first, second, self._count(number, cells, at["first_wins"]) + half)
        self._add(second, first, self._count(number, cells, at["second_wins"]) + half)

    def _count(self, number: int, cells: list[str], column: int) -> float:
        count = _count(cells[column])
        if count is None:
            name = self._head[column].lower() if is_head(self._head) else "count"
            raise self._error(number, f"the {name} is {quoted(cells[column])}; write a number from 0 to {MAX_COUNT:g}")
        return count

    def _pair(self, number: int, one: str, other: str) -> tuple[int, int]:
        if not one or not other:
            raise self._error(number, "a name is empty; name both sides")
        if one == other:
            raise self._error(number, f"{quoted(one)} meets itself; remove the line")
        pair = self._arms.setdefault(one, len(self._arms)), self._arms.setdefault(other, len(self._arms))
        check_arms(len(self._arms), self._path, number)
        return pair

    def _add(self, winner: int, loser: int, count: float) -> None:
        self._wins[winner, loser] = self._wins.get((winner, loser), 0.0) + count

    def _error(self, number: int, problem: str) -> InputError:
        return InputError(f"{self._path}: line {number}: {problem}")

    def counts(self) -> PairCounts:
        if len(self._arms) < 2:
            raise InputError(f"{self._path}: holds no results; it needs lines such as 'winner,loser,count'")
        wins = np.zeros((len(self._arms), len(self._arms)))
        for pair, count in self._wins.items():
            wins[pair] = count
        note = "results added up by pair; a tie counts 1/2 for each side"
        return PairCounts(wins, tuple(self._arms), str(self._path), (note,))


def _count(text: str) -> float | None:
    try:
        count = float(text)
    except ValueError:
        return None
    return count if math.isfinite(count) and 0 <= count <= MAX_COUNT and "_" not in text else None
