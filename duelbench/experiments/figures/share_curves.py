"""Shares of the runs over time with Wilson's interval: the numbers of the kinds ``accuracy`` and ``error``."""

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from duelbench.bandits.statistics.curves import count_of, proportion_interval
from duelbench.experiments.figures.numbers import joined, rows_of, with_columns_first
from duelbench.experiments.figures.scene import counted, window, within
from duelbench.experiments.figures.source import Source
from duelbench.experiments.results.experiments import LoadedCell
from duelbench.experiments.results.samples import Sample, entries, samples

if TYPE_CHECKING:
    from pandas import DataFrame


def share_curves(
    source: Source,
    column: str,
    judge: Callable[[LoadedCell], np.ndarray],
    ends: tuple[float | None, float | None] | None,
    start_at_first: bool = False,
) -> "DataFrame":
    """The share of the runs that ``judge`` counts at each checkpoint; each random matrix is one observation.

    Parameters
    ----------
    source : Source
    column : str
        What the shares are called.
    judge : callable
        Says of each run of a cell whether it counts after each checkpoint, (n_runs, n) bool.
    ends : tuple, optional
        The ends of the axis of time.
    start_at_first : bool
        Whether the axis starts at the first checkpoint if ``ends`` does not say where.
    """
    curves = entries(samples(source.experiment))
    start = None
    if start_at_first:
        start = min((int(sample.rounds[0]) for horizons in curves for sample in horizons if sample.runs), default=1)
    shown = window(ends, curves, source.experiment.name, start)
    parts = []
    for horizons in curves:
        for sample in horizons:
            rows = _share(sample, column, judge)
            parts.append(rows.tail(1) if len(horizons) > 1 else rows)
    return with_columns_first(
        within(joined(parts), shown),
        ("problem", "algorithm", "label", "horizon", "round", column, "low", "high", "runs", "planned"),
    )


def _share(sample: Sample, column: str, judge: Callable[[LoadedCell], np.ndarray]) -> "DataFrame":
    if not sample.runs:
        return rows_of(sample, {})
    share = np.mean([judge(cell).mean(axis=0) for cell in sample.played], axis=0)
    low, high = proportion_interval(share, sample.n_units)
    has_length = low < high
    ends = {"low": np.where(has_length, low, np.nan), "high": np.where(has_length, high, np.nan)}
    games = {"games": len(sample.played)} if len(sample.played) > 1 else {}
    return rows_of(sample, {"round": sample.rounds, column: share, **ends, **games})


def caption(numbers: "DataFrame") -> str:
    """What the curves are: ``share of 100 runs, band: 95% confidence interval (Wilson)``."""
    runs = counted(numbers)["runs"].astype(int)
    games = f" on {int(numbers['games'].max())} matrices" if "games" in numbers else ""
    return f"share of {count_of(runs[runs > 0].tolist() or [0])}{games}, band: 95% confidence interval (Wilson)"
