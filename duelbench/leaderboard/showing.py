"""A table of the leaderboard as rows: where each algorithm stands, and the figures behind it."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from duelbench.errors import InputError
from duelbench.leaderboard.summary import Summary, Table, as_typed


class Row(NamedTuple):
    """An algorithm in a table.

    Parameters
    ----------
    algorithm : int
        Its place (0-based) in the summary.
    low, high, group : int
        As in `Table`.
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


def tables_of(
    summary: Summary, settings: Sequence[str] | None, horizon: int, regret: str, size: str | None = None
) -> list[Table]:
    """The tables of a horizon and a regret, in the order of the settings.

    Parameters
    ----------
    settings : sequence of str, optional
        By default all that have such a table.
    size : str, optional
        For the matrices of one size alone.

    Raises
    ------
    InputError
        When there is none.
    """
    ids = settings or [setting.id for setting in summary.settings]
    wanted = horizon, regret, size
    found = [
        table
        for setting in ids
        for table in summary.tables
        if table.setting == setting and (table.horizon, table.regret, table.size) == wanted
    ]
    if not found:
        of_settings = [table for table in summary.tables if table.setting in ids]
        alike = [table for table in of_settings if table.regret == regret]
        regrets = dict.fromkeys(table.regret for table in of_settings)
        there = (
            f"of that regret it has none; it has {', '.join(regrets)}" if regrets else "it has none of these matrices"
        )
        if alike:
            others = dict.fromkeys(f"{as_typed(table.horizon)} ({table.size or 'both sizes'})" for table in alike)
            there = f"of that regret it has {', '.join(others)}"
        raise InputError(
            f"the leaderboard has no table of {', '.join(ids)} after {as_typed(horizon)} rounds with {regret} regret"
            f"{f' and {size} matrices' if size else ''}; {there}"
        )
    return found


def rows(summary: Summary, table: Table) -> list[Row]:
    """The rows of a table of a summary, in its order."""
    least = min(table.score)
    found = []
    for place, algorithm in enumerate(table.algorithms):
        cells = [summary.at[problem, algorithm, table.horizon] for problem in table.problems]
        locked_in = [cell.locked_in for cell in cells if cell.locked_in is not None]
        figures = [cell.regret[table.regret] for cell in cells]
        found.append(
            Row(
                algorithm,
                summary.algorithms[algorithm].label,
                table.low[place],
                table.high[place],
                table.group[place],
                times=float(np.exp(table.score[place] - least)),
                right=float(np.mean([cell.right for cell in cells])),
                locked_in=float(np.mean(locked_in)) if len(locked_in) == len(cells) else None,
                tail=float(np.exp(np.mean([np.log(one.q95 / one.mean) for one in figures]))),
            )
        )
    return found
