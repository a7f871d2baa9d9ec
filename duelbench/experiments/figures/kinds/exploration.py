"""Pure exploration in three panels, as Urvoy et al. 2013 draw it: accuracy, regret, and what is still explored.

Against log time: the share of runs whose announced decision costs nothing, cumulative regret, and the mean number of
parameters (or arms) still explored. An arm of a scalar bandit that is the decision counts as explored, as in the paper.
Random matrices at one value of a sweep are one observation each. The band of accuracy is Wilson's.

References
----------
.. [1] T. Urvoy, F. Clerot, R. Feraud, S. Naamane, "Generic Exploration and K-armed Voting Bandits", ICML 2013,
   figures 3 to 6 and 8 to 11.
"""

from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from pydantic import Field

from duelbench.bandits.problem.scalar_bandit import ScalarBandit
from duelbench.bandits.statistics.curves import band_in_words, proportion_interval, summarise
from duelbench.errors import InputError
from duelbench.experiments.figures.drawing import canvas
from duelbench.experiments.figures.drawing.names import axis_name
from duelbench.experiments.figures.drawing.style import DASHES, Style
from duelbench.experiments.figures.frame import current
from duelbench.experiments.figures.numbers import joined, rows_of, with_columns_first
from duelbench.experiments.figures.options import KindOptions, RegretEnds, Scale, TimeEnds
from duelbench.experiments.figures.scene import FIRST_ROUND, Scene, groups, has_runs, missing_of, runs_in_words
from duelbench.experiments.figures.source import Source
from duelbench.experiments.results.experiments import LoadedCell, found_winner
from duelbench.experiments.results.samples import Sample, longest, samples

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from pandas import DataFrame

TITLE = "accuracy, regret and what is still explored"
PANELS = ("accuracy", "regret", "explored")
COLUMNS = ("problem", "panel", "algorithm", "label", "horizon", "round", "mean", "sem", "low", "high")

_ONE_COLUMN = 4.8  # inches that the panels of one problem are wide
_PANEL_HEIGHT = 1.8  # inches, about
_HEIGHT = 6.8  # inches of the figure without its legend


class Options(KindOptions):
    """Accuracy, regret and what is still explored against log time, a column per problem."""

    log_axes = frozenset("x")

    kind: Literal["exploration"] = "exploration"
    x: TimeEnds = None
    y: RegretEnds = None
    y_scale: Scale = Field("linear", description="How the axis of regret is divided.")
    band: Literal["ci95", "none"] = Field("ci95", description="95% confidence intervals, or nothing.")


def numbers(source: Source, options: Options) -> "DataFrame":
    """Means, their standard errors and the ends of the bands; what the figure does not have is empty."""
    parts = [
        part
        for sample in longest(samples(source.experiment))
        for part in ([rows_of(sample, {})] if not sample.runs else _panels(sample, source, options.band))
    ]
    table = joined(parts)
    if "panel" not in table or not (table["panel"] == "explored").any():
        raise InputError(
            f"{source.experiment.name} has no algorithm that says what it still explores; draw another kind of figure"
        )
    return with_columns_first(table, COLUMNS)


def _panels(sample: Sample, source: Source, band: str) -> "list[DataFrame]":
    """The rows of each panel; an algorithm that does not say what it explores has none of the last."""
    by_cell = [_values(cell, source) for cell in sample.played]
    games = {"games": len(by_cell)} if len(by_cell) > 1 else {}
    parts = []
    for panel in PANELS:
        if any(panel not in values for values in by_cell):
            continue
        units = np.array([values[panel].mean(axis=0) for values in by_cell]) if games else by_cell[0][panel]
        n, mean = len(units), units.mean(axis=0)
        columns = {
            "panel": panel,
            "round": sample.rounds,
            "mean": mean,
            "sem": units.std(axis=0, ddof=1 if n > 1 else 0) / np.sqrt(n),
            "low": np.nan,
            "high": np.nan,
            "band": "none",
            **games,
        }
        if panel != "explored" and band != "none" and n > 1:
            band_of_mean = summarise(sample.rounds, units)
            low, high = proportion_interval(mean, n) if panel == "accuracy" else (band_of_mean.low, band_of_mean.high)
            columns |= {"low": low, "high": high, "band": band_of_mean.band}
        parts.append(rows_of(sample, columns))
    return parts


def _values(cell: LoadedCell, source: Source) -> dict[str, np.ndarray]:
    """Panel -> (n_runs, n) float64, what each run has; without those that the runs do not have."""
    values = {
        "accuracy": found_winner(source.regret, cell).astype(np.float64),
        "regret": cell.regret[:, source.which],
    }
    if cell.explored is not None:
        matrix = cell.stored.matrix
        counts_last = isinstance(matrix, ScalarBandit) and matrix.decision.names_parameter
        values["explored"] = np.maximum(cell.explored.astype(np.float64), 1.0 if counts_last else 0.0)
    return values


def draw(numbers: "DataFrame", options: Options, scene: Scene) -> "Figure":
    """Three panels on top of each other, for each problem a column."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    by_problem = groups(numbers, "problem")
    with canvas.house_style():
        frame = current()
        usual = _ONE_COLUMN * len(by_problem)
        width = frame.width or usual
        figure = Figure(figsize=(width, frame.height or _HEIGHT * min(1.0, width / usual)), layout="constrained")
        FigureCanvasAgg(figure)
        grid = figure.subplots(len(PANELS), len(by_problem), sharex="col", squeeze=False)
        for column, (problem, rows) in enumerate(by_problem):
            for row, panel in enumerate(PANELS):
                _draw_panel(grid[row, column], panel, has_runs(rows), options, scene)
            grid[-1, column].set_xlabel(canvas.literal(frame.xlabel or "round t"))
            if len(by_problem) > 1:
                grid[0, column].set_title(canvas.wrapped(problem, 0.73 * width / len(by_problem)))
            canvas.stamp(grid[0, column], missing_of(rows), scene.stamp)
        if scene.title:
            figure.suptitle(canvas.wrapped(scene.title, 0.75 * width))
        whole = canvas.Grid(figure, list(grid.flat), width, _PANEL_HEIGHT, len(by_problem))
        canvas.add_legend(whole, _handles(numbers, scene), scene.caption(_caption(has_runs(numbers))))
    return figure


def _draw_panel(axes: "Axes", panel: str, rows: "DataFrame", options: Options, scene: Scene) -> None:
    first, last = options.x or (None, None)
    first, last = first or FIRST_ROUND, last or int(rows["round"].max())
    top = 0.0
    for key, curve in groups(rows[(rows["panel"] == panel) & (rows["round"] >= first)], "algorithm", "label"):
        style, t = scene.styles[key], curve["round"].to_numpy(int)
        mean = curve["mean"].to_numpy(np.float64)
        if panel == "explored":
            mean = np.where(mean > 0, mean, np.nan)
        top = max(top, float(np.nanmax(mean, initial=0.0)))
        on_top = 2.1 if DASHES[style.dash] else 2.0  # if curves coincide, both are seen
        axes.plot(t, mean, zorder=on_top, **_line(style))
        low, high = (curve[end].to_numpy(np.float64) for end in ("low", "high"))
        axes.fill_between(t, low, high, color=style.colour, alpha=0.15, lw=0)
    axes.set_xscale("log")
    axes.set_xlim(first, last)
    names = {"accuracy": "share of runs with an optimal decision", "explored": "parameters or arms still explored"}
    regret = current().ylabel or axis_name(scene.regret)
    axes.set_ylabel(canvas.wrapped(names.get(panel) or regret, _PANEL_HEIGHT))
    if panel == "accuracy":
        axes.set_ylim(-0.02, 1.02)
    elif panel == "explored":
        axes.set_yscale("log")
        axes.set_ylim(0.8, 1.3 * max(top, 1.0))
    elif options.y_scale == "log":
        axes.set_yscale("log", nonpositive="clip")
        canvas.set_y_ends(axes, options.y)
    else:
        axes.set_ylim(0, top * 1.05 if top > 0 else 1)
        canvas.set_y_ends(axes, options.y)
        canvas.shorten_numbers(axes.yaxis, axes.get_ylim()[1])


def _handles(numbers: "DataFrame", scene: Scene) -> list[Any]:
    from matplotlib.lines import Line2D

    return [
        Line2D([], [], label=canvas.literal(key[1]), **_line(scene.styles[key]))
        for key, _ in groups(numbers, "algorithm", "label")
    ]


def _line(style: Style) -> dict[str, Any]:
    """A line without markers."""
    return {**canvas.line(style), "marker": ""}


def _caption(rows: "DataFrame") -> str:
    matrices = int(rows["games"].max()) if "games" in rows else 1
    on = f" on {matrices} matrices" if matrices > 1 else ""
    words = f"mean of {runs_in_words(rows)}{on}"
    bands = set(rows["band"][rows["panel"] == "regret"])
    if bands == {"none"}:
        return f"{words}, no bands"
    few = f" (of regret: {band_in_words('range', matrices)})" if "range" in bands else ""
    return f"{words}, bands: 95% confidence intervals{few}"
