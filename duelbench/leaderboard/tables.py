"""The tables of a leaderboard: ranks, from nothing but what the summary holds, so that anybody can make them again."""

from collections.abc import Container, Mapping, Sequence
from dataclasses import replace

import numpy as np

from duelbench.leaderboard.settings import SIZES, size_of
from duelbench.leaderboard.summary import (
    Cell,
    Summary,
    Table,
    across_key,
    correlation_key,
    decode_correlations,
    short,
)
from duelbench.statistics.ranks import Scores, ranks

MEAN, ERROR, SKEWNESS = range(3)
"""Places in what a cell has of a regret."""

At = Mapping[tuple[int, int, int], Cell]
"""Cells by problem, algorithm and horizon."""


def tables(summary: Summary, without: Container[str] = ()) -> list[Table]:
    """The tables of all settings, sizes, horizons and regrets of which there are two algorithms at least.

    Parameters
    ----------
    summary : Summary
        As far as its cells, correlations and `across`.
    without : container of str
        Ids of algorithms that have no place in them.
    """
    at = {(cell.problem, cell.algorithm, cell.horizon): cell for cell in summary.cells}
    made = [
        _table(summary, at, setting["id"], size, horizon, regret, without)
        for setting in summary.settings
        for size in (None, *SIZES)
        for horizon in summary.horizons
        for regret in summary.regrets
    ]
    return [table for table in made if table is not None]


def check_tables(summary: Summary) -> None:
    """Check that the tables of a summary are those that its cells give.

    Scores may differ in their last digits, as they do where another processor has computed them.

    Raises
    ------
    ValueError
        When they are not, or when the cells give none.
    """
    try:
        made = tables(summary)
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(f"its cells, correlations and across do not go together: {error}") from None
    if len(made) != len(summary.tables) or not all(map(_same, made, summary.tables)):
        raise ValueError("its tables are not those of its cells")


def _same(one: Table, other: Table) -> bool:
    if replace(one, score=other.score, floor=other.floor) != other or (one.floor is None) != (other.floor is None):
        return False
    first, second = ([*table.score, table.floor or 0.0] for table in (one, other))
    return np.allclose(first, second, rtol=1e-3, atol=1e-4)


def scores(
    summary: Summary,
    at: At,
    problems: Sequence[int],
    algorithms: Sequence[int],
    horizon: int,
    regret: str,
    across: Sequence[float | None],
) -> Scores:
    """What a table is made of: all ``algorithms`` have cells on all ``problems`` there.

    Parameters
    ----------
    summary : Summary
    at : mapping
    problems, algorithms : sequence of int
        0-based.
    horizon : int
    regret : str
    across : sequence
        A value of `Summary.across`.
    """
    cells = [[at[problem, algorithm, horizon] for problem in problems] for algorithm in algorithms]
    shown = np.array([[cell.regret[regret][: SKEWNESS + 1] for cell in row] for row in cells], dtype=float)
    return Scores(
        means=shown[:, :, MEAN],
        errors=shown[:, :, ERROR],
        skewness=shown[:, :, SKEWNESS],
        runs=np.array([[cell.runs for cell in row] for row in cells]),
        correlations=np.array([_correlations(summary, at, p, algorithms, horizon, regret) for p in problems]),
        across=np.array([across[algorithm] or 0.0 for algorithm in algorithms]),
    )


def played(at: At, problem: int, horizon: int, regret: str, n_algorithms: int) -> list[int]:
    """The algorithms that have a cell on a problem at a horizon with a regret, in the order of the summary."""
    return [
        algorithm
        for algorithm in range(n_algorithms)
        if (cell := at.get((problem, algorithm, horizon))) is not None and regret in cell.regret
    ]


def _table(
    summary: Summary, at: At, setting: str, size: str | None, horizon: int, regret: str, without: Container[str]
) -> Table | None:
    n = len(summary.algorithms)
    there = {
        number: set(played(at, number, horizon, regret, n))
        for number, problem in enumerate(summary.problems)
        if problem.setting == setting and size in (None, size_of(problem.n_arms))
    }
    problems = [number for number, found in there.items() if found]
    of_all = set.intersection(*(there[number] for number in problems)) if problems else set()
    algorithms = [number for number in sorted(of_all) if summary.algorithms[number].id not in without]
    if len(algorithms) < 2:
        return None
    across = summary.across[across_key(setting, size, horizon, regret)]
    known = scores(summary, at, problems, algorithms, horizon, regret, across)
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


def _correlations(
    summary: Summary, at: At, problem: int, algorithms: Sequence[int], horizon: int, regret: str
) -> np.ndarray:
    there = played(at, problem, horizon, regret, len(summary.algorithms))
    of_all = decode_correlations(summary.correlations[correlation_key(problem, horizon, regret)], len(there))
    places = [there.index(algorithm) for algorithm in algorithms]
    return of_all[np.ix_(places, places)]
