"""The tables of a leaderboard: ranks, from nothing but what the summary holds, so that anybody can make them again."""

from collections.abc import Container, Sequence
from dataclasses import replace
from itertools import zip_longest
from typing import NamedTuple

import numpy as np

from duelbench.errors import InputError
from duelbench.leaderboard.rules import size_of
from duelbench.leaderboard.summary import SIZES, Summary, Table, across_key, as_typed, short
from duelbench.statistics.ranks import Scores, ranks


class Row(NamedTuple):
    """An algorithm in a table."""

    algorithm: int  # its place (0-based) in the summary
    label: str
    low: int  # as in `Table`, as are the next two
    high: int
    group: int
    times: float  # how many times the regret of the first in the table, as a geometric mean over the matrices
    right: float  # the share of the runs that recommend a Copeland winner, the mean over the matrices
    locked_in: float | None  # that of `Cell.locked_in`; None where a matrix lacks it
    tail: float  # how many times the mean regret its 95% quantile is, as a geometric mean over the matrices


def tables(summary: Summary, without: Container[str] = ()) -> list[Table]:
    """The tables of all settings, sizes, horizons and regrets with at least two algorithms.

    They are made from its cells, correlations and `across`, ``without`` the algorithms of some ids.
    """
    made = [
        _table(summary, setting.id, size, horizon, regret, without)
        for setting in summary.settings
        for size in (None, *SIZES)
        for horizon in summary.horizons
        for regret in summary.regrets
    ]
    return [table for table in made if table is not None]


def check_tables(summary: Summary) -> None:
    """Check that the tables of a summary are those that its cells give; scores may differ in their last digits.

    Raises
    ------
    ValueError
        When they are not, or when the cells give none.
    """
    try:
        made = tables(summary)
    except (LookupError, TypeError, ValueError) as error:
        raise ValueError(f"its cells, correlations and across do not go together: {error}") from None
    for place, (own, given) in enumerate(zip_longest(made, summary.tables)):
        if own is None or given is None or not _same(own, given):
            raise ValueError(f"tables[{place}]: it is not what the cells give")


def _same(one: Table, other: Table) -> bool:
    if replace(one, score=other.score, floor=other.floor) != other or (one.floor is None) != (other.floor is None):
        return False
    first, second = ([*table.score, table.floor or 0.0] for table in (one, other))
    return len(first) == len(second) and np.allclose(first, second, rtol=1e-3, atol=1e-4)


def scores(
    summary: Summary,
    problems: Sequence[int],
    algorithms: Sequence[int],
    horizon: int,
    regret: str,
    across: Sequence[float | None],
) -> Scores:
    """What a table is made of, of algorithms that have cells on all problems; ``across`` is one of the summary's."""
    cells = [[summary.at[problem, algorithm, horizon] for problem in problems] for algorithm in algorithms]
    figures = [[cell.regret[regret] for cell in row] for row in cells]
    correlations = []
    for problem in problems:
        there = summary.played(problem, horizon, regret)
        places = [there.index(algorithm) for algorithm in algorithms]
        correlations.append(summary.correlations_of(problem, horizon, regret)[np.ix_(places, places)])
    return Scores(
        means=np.array([[one.mean for one in row] for row in figures], dtype=float),
        errors=np.array([[one.error for one in row] for row in figures], dtype=float),
        skewness=np.array([[one.skewness for one in row] for row in figures], dtype=float),
        runs=np.array([[cell.runs for cell in row] for row in cells]),
        correlations=np.array(correlations),
        across=np.array([across[algorithm] or 0.0 for algorithm in algorithms]),
    )


def _table(
    summary: Summary, setting: str, size: str | None, horizon: int, regret: str, without: Container[str]
) -> Table | None:
    there = {
        number: set(summary.played(number, horizon, regret))
        for number, problem in enumerate(summary.problems)
        if problem.setting == setting and size in (None, size_of(problem.n_arms))
    }
    problems = [number for number, found in there.items() if found]
    of_all = set.intersection(*(there[number] for number in problems)) if problems else set()
    algorithms = [number for number in sorted(of_all) if summary.algorithms[number].id not in without]
    if len(algorithms) < 2:
        return None
    across = summary.across[across_key(setting, size, horizon, regret)]
    known = scores(summary, problems, algorithms, horizon, regret, across)
    if not (known.means > 0).all(axis=0).any():
        return None
    found = ranks(known, summary.level)
    order = found.order.tolist()
    return Table(
        setting=setting,
        size=size,
        horizon=horizon,
        regret=regret,
        problems=[problem for problem, used in zip(problems, found.used.tolist(), strict=True) if used],
        algorithms=[algorithms[place] for place in order],
        score=[short(found.score[place], 6) for place in order],
        low=found.low[order].tolist(),
        high=found.high[order].tolist(),
        group=found.group[order].tolist(),
        floor=None if found.floor is None else short(found.floor),
    )


def tables_of(
    summary: Summary, settings: Sequence[str] | None, horizon: int, regret: str, size: str | None = None
) -> list[Table]:
    """The tables of a horizon and a regret, of all settings or of some; `InputError` where there is none."""
    ids = settings or [setting.id for setting in summary.settings]
    wanted = horizon, regret, size
    found = [
        table
        for setting in ids
        for table in summary.tables
        if table.setting == setting and (table.horizon, table.regret, table.size) == wanted
    ]
    if not found:
        others = [table for table in summary.tables if table.setting in ids]
        rounds = ", ".join(dict.fromkeys(as_typed(table.horizon) for table in others))
        regrets = ", ".join(dict.fromkeys(table.regret for table in others))
        there = f"after {rounds} rounds with {regrets} regret" if others else "of none of these matrices"
        raise InputError(
            f"the leaderboard has no table of {', '.join(ids)} after {as_typed(horizon)} rounds with {regret} regret"
            f"{f' and {size} matrices' if size else ''}; it has tables {there}"
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
