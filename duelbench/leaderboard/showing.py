"""A table of the leaderboard for a terminal: where each algorithm stands, and what stands behind it."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from duelbench.errors import InputError
from duelbench.leaderboard.summary import Cell, Summary, Table, as_typed

MEAN, HIGH = 0, 4
"""Where in what a cell says of a regret its mean stands, and its 95% quantile."""


class Row(NamedTuple):
    """An algorithm in a table.

    Parameters
    ----------
    algorithm : int
        Its place (0-based) in the summary.
    label : str
    low, high : int
        The ranks (1-based) that the runs leave open.
    group : int
        1-based.
    times : float
        How many times the regret of the first in the table, as a geometric mean over the matrices.
    right : float
        The share of the runs that recommend a Copeland winner, the mean over the matrices.
    locked_in : float or None
        The share of those that recommend none, and did not a tenth of the rounds before; None where a matrix lacks it.
    tail : float
        How many times the mean regret its 95% quantile is, as a geometric mean over the matrices.
    """

    algorithm: int
    label: str
    low: int
    high: int
    group: int
    times: float
    right: float
    locked_in: float | None
    tail: float

    @property
    def ranks(self) -> str:
        """The range in words.

        Examples
        --------
        >>> Row(0, "RUCB", 2, 5, 1, 1.5, 1.0, 0.0, 1.2).ranks
        '2-5'
        """
        return str(self.low) if self.low == self.high else f"{self.low}-{self.high}"


def tables_of(
    summary: Summary, settings: Sequence[str] | None, horizon: int, regret: str, size: str | None = None
) -> list[Table]:
    """The tables of a horizon and a regret, in the order of the settings.

    Parameters
    ----------
    summary : Summary
    settings : sequence of str, optional
        By default all that have such a table.
    horizon : int
    regret : str
    size : str, optional
        ``small`` or ``large`` for the matrices of one size alone.

    Raises
    ------
    InputError
        When there is none.
    """
    ids = settings or [setting["id"] for setting in summary.settings]
    found = [
        table
        for setting in ids
        for table in summary.tables
        if table.algorithms
        and (table.setting, table.horizon, table.regret, table.size) == (setting, horizon, regret, size)
    ]
    if not found:
        raise InputError(
            f"the leaderboard has no table of {', '.join(ids)} after {as_typed(horizon)} rounds with {regret} regret"
            f"{f' and {size} matrices' if size else ''}; {_there(summary, ids, regret)}"
        )
    return found


def _there(summary: Summary, settings: Sequence[str], regret: str) -> str:
    """Which tables there are of a regret; if none, of which regrets there are some."""
    of_settings = [table for table in summary.tables if table.setting in settings]
    alike = [table for table in of_settings if table.regret == regret]
    if alike:
        there = dict.fromkeys(f"{as_typed(table.horizon)} ({table.size or 'both sizes'})" for table in alike)
        return f"of that regret it has {', '.join(there)}"
    regrets = dict.fromkeys(table.regret for table in of_settings)
    return f"of that regret it has none; it has {', '.join(regrets)}" if regrets else "it has none of these matrices"


def rows(summary: Summary, table: Table) -> list[Row]:
    """The rows of a table, in its order.

    Parameters
    ----------
    summary : Summary
    table : Table
        One of its tables.
    """
    cells = {(cell.problem, cell.algorithm): cell for cell in summary.cells if cell.horizon == table.horizon}
    least = min(table.score)
    found = []
    for algorithm, score, low, high, group in zip(
        table.algorithms, table.score, table.low, table.high, table.group, strict=True
    ):
        of_it = [cells[problem, algorithm] for problem in table.problems]
        found.append(
            Row(
                algorithm,
                summary.algorithms[algorithm].label,
                low,
                high,
                group,
                float(np.exp(score - least)),
                float(np.mean([cell.right for cell in of_it])),
                _mean([cell.locked_in for cell in of_it]),
                float(np.exp(np.mean([_log_tail(cell, table.regret) for cell in of_it]))),
            )
        )
    return found


def _log_tail(cell: Cell, regret: str) -> float:
    return float(np.log(cell.regret[regret][HIGH] / cell.regret[regret][MEAN]))


def _mean(shares: Sequence[float | None]) -> float | None:
    known = [share for share in shares if share is not None]
    return float(np.mean(known)) if len(known) == len(shares) else None
