"""Regret at the horizon as a table: for the terminal, Markdown, CSV and JSON."""

import csv
import io
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

TEXT_COLUMNS = ("problem", "algorithm", "t", "runs", "mean", "sem", "median", "q05", "q95", "winner")
"""Headings of the table for people; ``winner`` is the share of runs that recommend one at round t."""

CSV_COLUMNS = (
    "experiment",
    "problem",
    "algorithm",
    "label",
    "horizon",
    "definition",
    "runs",
    "planned",
    "mean",
    "std",
    "sem",
    "median",
    "q05",
    "q95",
    "recommends_winner",
)


Point = tuple[int, float, float | None]
"""Round (1-based), mean and standard error (None for a single run), in duels."""


@dataclass(frozen=True)
class Summary:
    """Regret of several runs at one round, in duels.

    Parameters
    ----------
    mean, median, q05, q95 : float
        ``q05`` and ``q95`` are the 5% and 95% quantiles, interpolated linearly.
    std, sem : float or None
        Standard deviation with n - 1 in the denominator, and that over sqrt(n); None for a single run.
    """

    mean: float
    std: float | None
    sem: float | None
    median: float
    q05: float
    q95: float


@dataclass(frozen=True, eq=False)
class Row:
    """One algorithm on one problem at one horizon.

    Parameters
    ----------
    experiment, problem, algorithm, label : str
    horizon : int
        Rounds.
    definition : str
        The regret definition that the numbers are of.
    runs, planned : int
        How many runs the numbers are of, and how many the spec asks for.
    regret : Summary
        At the horizon.
    curve : tuple of Point
        At every checkpoint.
    recommends_winner : float
        Share of the runs that recommend an arm of no regret at the horizon, in [0, 1].
    """

    experiment: str
    problem: str
    algorithm: str
    label: str
    horizon: int
    definition: str
    runs: int
    planned: int
    regret: Summary
    curve: tuple[Point, ...]
    recommends_winner: float


def describe(rounds: np.ndarray, regret: np.ndarray) -> tuple[Summary, tuple[Point, ...]]:
    """Regret of several runs: a summary at the last round, and mean and standard error at every round.

    Parameters
    ----------
    rounds : (n,) int64
    regret : (n_runs, n) float64
        Ordered by run index; the means are those of the figure to the last bit.

    Examples
    --------
    >>> at_end, curve = describe(np.array([10, 20]), np.array([[1.0, 1.0], [1.0, 3.0]]))
    >>> at_end
    Summary(mean=2.0, std=1.4142135623730951, sem=1.0, median=2.0, q05=1.1, q95=2.9)
    >>> curve
    ((10, 1.0, 0.0), (20, 2.0, 1.0))
    """
    n_runs = len(regret)
    means = regret.mean(axis=0).tolist()
    q05, median, q95 = np.quantile(regret[:, -1], [0.05, 0.5, 0.95]).tolist()
    if n_runs == 1:
        curve = tuple((t, mean, None) for t, mean in zip(rounds.tolist(), means, strict=True))
        return Summary(means[-1], None, None, median, q05, q95), curve
    deviations = regret.std(axis=0, ddof=1)
    errors = (deviations / np.sqrt(n_runs)).tolist()
    at_end = Summary(means[-1], float(deviations[-1]), errors[-1], median, q05, q95)
    return at_end, tuple(zip(rounds.tolist(), means, errors, strict=True))


def as_json(rows: Sequence[Row]) -> str:
    """One JSON document: a list with one object per row, each in a line of its own.

    Examples
    --------
    >>> as_json([])
    '[]\\n'
    """
    lines = [json.dumps(_object(row), ensure_ascii=False, allow_nan=False) for row in rows]
    return "[" + ",\n ".join(lines) + "]\n"


def _object(row: Row) -> dict[str, Any]:
    return {
        "experiment": row.experiment,
        "problem": row.problem,
        "algorithm": row.algorithm,
        "label": row.label,
        "definition": row.definition,
        "runs": row.runs,
        "planned": row.planned,
        "horizon": row.horizon,
        "regret": {
            "mean": row.regret.mean,
            "std": row.regret.std,
            "sem": row.regret.sem,
            "median": row.regret.median,
            "q05": row.regret.q05,
            "q95": row.regret.q95,
        },
        "curve": [{"round": t, "mean": mean, "sem": sem} for t, mean, sem in row.curve],
        "recommends_winner": row.recommends_winner,
    }


def as_csv(rows: Sequence[Row]) -> str:
    """The table as CSV with the columns `CSV_COLUMNS`; numbers are read back to the last bit.

    Examples
    --------
    >>> as_csv([]).split(",")[:2]
    ['experiment', 'problem']
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(CSV_COLUMNS)
    for row in rows:
        regret = row.regret
        numbers = (
            regret.mean,
            regret.std,
            regret.sem,
            regret.median,
            regret.q05,
            regret.q95,
            row.recommends_winner,
        )
        writer.writerow(
            [
                row.experiment,
                row.problem,
                row.algorithm,
                row.label,
                row.horizon,
                row.definition,
                row.runs,
                row.planned,
            ]
            + ["" if number is None else repr(number) for number in numbers]
        )
    return text.getvalue()


def as_markdown(rows: Sequence[Row]) -> str:
    """One Markdown table per experiment, below its heading."""
    parts = []
    for heading, cells in _tables(rows):
        lines = [_markdown_line(line) for line in [TEXT_COLUMNS, *cells]]
        rule = "| --- | --- |" + " ---: |" * (len(TEXT_COLUMNS) - 2)
        parts.append("\n".join([f"**{heading}**", "", lines[0], rule, *lines[1:]]) + "\n")
    return "\n".join(parts)


def _markdown_line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def as_text(rows: Sequence[Row]) -> str:
    """One table per experiment with aligned columns, for the terminal."""
    parts = []
    for heading, cells in _tables(rows):
        lines = [TEXT_COLUMNS, *cells]
        widths = [max(len(line[k]) for line in lines) for k in range(len(TEXT_COLUMNS))]
        aligned = ["  ".join(_padded(cell, widths[k], k) for k, cell in enumerate(line)).rstrip() for line in lines]
        parts.append("\n".join([heading, *aligned]) + "\n")
    return "\n".join(parts)


def _padded(cell: str, width: int, column: int) -> str:
    return cell.ljust(width) if column < 2 else cell.rjust(width)


def _tables(rows: Sequence[Row]) -> list[tuple[str, list[tuple[str, ...]]]]:
    """(heading, lines of cells) of each experiment, in the order of the rows."""
    by_experiment: dict[str, list[Row]] = {}
    for row in rows:
        by_experiment.setdefault(row.experiment, []).append(row)
    return [
        (
            f"{experiment}: cumulative {own[0].definition} regret after round t, in duels",
            [text_cells(r) for r in own],
        )
        for experiment, own in by_experiment.items()
    ]


def text_cells(row: Row) -> tuple[str, ...]:
    """The row as people read it, one string per column of `TEXT_COLUMNS`."""
    regret = row.regret
    numbers = (regret.mean, regret.sem, regret.median, regret.q05, regret.q95)
    return (
        row.problem,
        row.label,
        str(row.horizon),
        runs_in_words(row),
        *("-" if number is None else short(number) for number in numbers),
        f"{100 * row.recommends_winner:.0f}%",
    )


def runs_in_words(row: Row) -> str:
    """The number of runs, with the number planned where some are missing."""
    return str(row.runs) if row.runs == row.planned else f"{row.runs} of {row.planned}"


def short(number: float) -> str:
    """A number with about four digits and no exponent.

    Examples
    --------
    >>> short(12345.67), short(123.456), short(1.23456), short(0)
    ('12346', '123.5', '1.235', '0')
    """
    if number == 0:
        return "0"
    magnitude = abs(number)
    return f"{number:.{0 if magnitude >= 1000 else 1 if magnitude >= 100 else 2 if magnitude >= 10 else 3}f}"
