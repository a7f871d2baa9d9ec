"""Cumulative regret over time: the mean of the runs with a band, lower bounds, and changes of the world."""

import math
from typing import TYPE_CHECKING, Literal

import numpy as np
from pydantic import Field

from duelbench.bandits.problem.preferences import PreferenceMatrix
from duelbench.bandits.problem.winners import ties
from duelbench.bandits.statistics.curves import caption_of, count_of, drawn_band, summarise
from duelbench.errors import InputError
from duelbench.experiments.figures.drawing.names import BOUND_NAMES, axis_name
from duelbench.experiments.figures.drawing.over_time import BOUND, CHANGE, OverTime, draw_over_time, usual_runs
from duelbench.experiments.figures.numbers import joined, rows_of, with_columns_first
from duelbench.experiments.figures.options import (
    BandOption,
    Columns,
    KindOptions,
    RegretEnds,
    Scale,
    TimeEnds,
    TimeScale,
    Truth,
    Whole,
)
from duelbench.experiments.figures.scene import Scene, groups, window, within
from duelbench.experiments.figures.source import Source
from duelbench.experiments.results.experiments import bounds_of
from duelbench.experiments.results.samples import Sample, entries, samples

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from pandas import DataFrame

TITLE = "cumulative regret"
COLUMNS = ("problem", "algorithm", "label", "horizon", "round", "mean", "median", "low", "high", "runs", "planned")


class Options(KindOptions):
    """Cumulative regret against log time, a panel per problem."""

    log_axes = frozenset("x")

    kind: Literal["regret"] = "regret"
    x: TimeEnds = None
    y: RegretEnds = None
    x_scale: TimeScale = "log"
    y_scale: Scale | None = Field(
        None, description="How the axis of regret is divided; by default log if curves end a decade apart."
    )
    band: BandOption = "ci95"
    columns: Columns | None = None
    pool: Truth = Field(False, description="One panel with the runs on all problems together.")
    panels: Literal["problem", "algorithm"] = Field(
        "problem",
        description="problem: a panel per problem; algorithm: a panel per algorithm and problem, in which the other"
        " algorithms are thin and grey",
    )
    single_runs: Whole = Field(0, ge=0, le=10**6, description="How many single runs to draw as thin lines.")


def numbers(source: Source, options: Options) -> "DataFrame":
    """The points of curves, of bounds and of changes of the world.

    A bound has the algorithm ``bound`` and its value C log t at the ends of its line; a change of the world has the
    algorithm ``change``, its round, and no value. A row of a single run has its number in the column ``run``.
    """
    experiment = source.experiment
    curves = entries(samples(experiment, "all" if options.pool else "matrix"))
    for sample in (sample for horizons in curves for sample in horizons):
        if len({cell.stored.identity.matrix for cell in sample.cells}) < len(sample.cells):
            raise InputError(
                f"{experiment.name}: pool puts the runs on several matrices into one panel, but its sweep has several"
                " values on one matrix; leave 'pool' out, or draw the kind 'sweep'"
            )
    shown = window(options.x, curves, experiment.name)
    points = joined(part for horizons in curves for part in _points_of(horizons, source.which, options))
    parts = []
    for problem, rows in groups(within(points, shown), "problem"):
        parts.append(rows)
        if rows["round"].notna().any():
            parts += [*_bound_rows(source, problem, rows, shown[0]), *_change_rows(source, problem)]
    return with_columns_first(joined(parts), COLUMNS)


def _points_of(horizons: list[Sample], which: int, options: Options) -> "list[DataFrame]":
    """The curve of an algorithm, whose samples are its horizons, and some of its single runs."""
    restarts = len(horizons) > 1
    band = drawn_band(options.band, min((sample.n_units for sample in horizons if sample.n_units > 1), default=1))
    parts = []
    for sample in horizons:
        if not sample.runs:
            parts.append(rows_of(sample, {}))
            continue
        regret = sample.regret(which)
        curve = summarise(sample.rounds, regret, band, sample.games)
        has_band = curve.band != "none" and sample.runs > 1
        columns = {
            "round": curve.rounds,
            "mean": curve.mean,
            **({"median": curve.median} if curve.median is not None else {}),
            **({"low": curve.low, "high": curve.high} if has_band else {"low": np.nan, "high": np.nan}),
            "band": curve.band if sample.runs > 1 else "none",
            **({"games": curve.games} if curve.games > 1 else {}),
        }
        points = rows_of(sample, columns)
        parts.append(points.tail(1) if restarts else points)
        if options.single_runs and not restarts:
            parts.append(_single_runs(sample, regret, options.single_runs))
    return parts


def _single_runs(sample: Sample, regret: np.ndarray, most: int) -> "DataFrame":
    """At most ``most`` of the runs, evenly spaced: those of several matrices are next to each other."""
    n = min(most, len(regret))
    chosen = np.arange(n) * len(regret) // n
    columns = {
        "round": np.tile(sample.rounds, n),
        "mean": regret[chosen].ravel(),
        "run": np.repeat(chosen, len(sample.rounds)),
    }
    return rows_of(sample, columns)


def _bound_rows(source: Source, problem: str, rows: "DataFrame", first: int) -> "list[DataFrame]":
    """Two points of each lower bound C log t on the regret of a problem; none if it is several matrices."""
    import pandas

    cells = source.cells(problem)
    if len({cell.stored.matrix.sha256 for cell in cells}) > 1:
        return []
    matrix = cells[0].stored.matrix
    has_ties = isinstance(matrix, PreferenceMatrix) and bool(ties(matrix))
    ends = first, max(first, int(rows["round"].max()))
    lines = []
    for kind, constant in bounds_of(source.experiment, cells[0], source.regret).items():
        label = BOUND_NAMES[kind] + (" without the ties" if has_ties and kind in ("copeland", "ecw") else "")
        columns = {"round": ends, "mean": [constant * math.log(t) for t in ends], "band": "none"}
        lines.append(pandas.DataFrame({"problem": problem, "algorithm": BOUND, "label": label, **columns}))
    return lines


def _change_rows(source: Source, problem: str) -> "list[DataFrame]":
    import pandas

    names = {"problem": problem, "algorithm": CHANGE, "label": "the world changes"}
    rounds = source.changes(problem).rounds
    return [pandas.DataFrame({**names, "round": rounds}, index=range(len(rounds)))] if rounds else []


def caption(numbers: "DataFrame") -> str:
    """What lines and bands are, in words: ``mean of 100 runs, band: 95% confidence interval of the mean``."""
    usual = usual_runs(numbers)
    counts = {usual} if usual is not None else set(numbers["runs"].dropna().astype(int)) - {0}
    games = int(numbers["games"].max()) if "games" in numbers else 1
    words = caption_of(counts or {0}, games, set(numbers["band"].dropna()))
    if "run" not in numbers:
        return words
    single = groups(numbers[numbers["run"].notna()], "problem", "algorithm", "label")
    return f"{words}; thin lines: {count_of({rows['run'].nunique() for _, rows in single})} of each line"


def draw(numbers: "DataFrame", options: Options, scene: Scene) -> "Figure":
    """A panel for each problem, or for each algorithm and problem."""
    how = OverTime(axis_name(scene.regret), caption(numbers), may_be_log=True, front=options.panels == "algorithm")
    return draw_over_time(numbers, options, scene, how)
