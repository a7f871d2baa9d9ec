"""Pure exploration in three panels, as Urvoy et al. 2013 draw it: accuracy, regret, and what is still explored.

Against log time: the share of runs whose announced decision costs nothing, cumulative regret, and the mean number of
parameters (or arms) still explored. An arm of a scalar bandit that is the decision counts as explored, as in the paper.
Random matrices at one value of a sweep are one observation each. The band of accuracy is Wilson's.

References
----------
.. [1] T. Urvoy, F. Clerot, R. Feraud, S. Naamane, "Generic Exploration and K-armed Voting Bandits", ICML 2013,
   figures 3 to 6 and 8 to 11.
"""

from typing import TYPE_CHECKING, Literal

import numpy as np
from pydantic import Field

from duelbench.bandits.problem.scalar_bandit import ScalarBandit
from duelbench.bandits.statistics.curves import band_in_words, proportion_interval, summarise
from duelbench.errors import InputError
from duelbench.experiments.figures.drawing import canvas
from duelbench.experiments.figures.drawing.names import axis_name
from duelbench.experiments.figures.drawing.style import DASHES
from duelbench.experiments.figures.frame import current
from duelbench.experiments.figures.numbers import joined, rows_of, with_columns_first
from duelbench.experiments.figures.options import KindOptions, RegretEnds, Scale, TimeEnds
from duelbench.experiments.figures.scene import (
    Scene,
    first_round,
    groups,
    handles,
    has_runs,
    missing_of,
    runs_in_words,
    window,
    within,
)
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
    chosen = longest(samples(source.experiment))
    shown = window(options.x, [[sample] for sample in chosen], source.experiment.name)
    parts = []
    for sample in chosen:
        if sample.runs:
            parts += _panels(sample, source, options.band)
        else:
            parts.append(rows_of(sample, {}))
    table = joined(parts)
    if "panel" not in table or not (table["panel"] == "explored").any():
        raise InputError(
            f"{source.experiment.name} has no algorithm that says what it still explores; draw another kind of figure"
        )
    return with_columns_first(within(table, shown), COLUMNS)


def _panels(sample: Sample, source: Source, band: str) -> "list[DataFrame]":
    """The rows of each panel. An algorithm that does not say what it explores has no rows in ``explored``."""
    by_cell = [_values(cell, source) for cell in sample.played]
    games = {"games": len(by_cell)} if len(by_cell) > 1 else {}
    parts = []
    for panel in PANELS:
        if any(panel not in values for values in by_cell):
            continue
        units = np.array([values[panel].mean(axis=0) for values in by_cell]) if games else by_cell[0][panel]
        n = len(units)
        curve = summarise(sample.rounds, units, "none" if panel == "explored" else band)
        low, high, drawn = curve.low, curve.high, curve.band
        if drawn == "none":
            low = high = np.full(len(curve.rounds), np.nan)
        elif panel == "accuracy":
            (low, high), drawn = proportion_interval(curve.mean, n), "ci95"
        columns = {
            "panel": panel,
            "round": sample.rounds,
            "mean": curve.mean,
            "sem": units.std(axis=0, ddof=1 if n > 1 else 0) / np.sqrt(n),
            "low": low,
            "high": high,
            "band": drawn,
            **games,
        }
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
        canvas.add_legend(whole, handles(numbers, scene, markers=False), scene.caption(_caption(has_runs(numbers))))
    return figure


def _draw_panel(axes: "Axes", panel: str, rows: "DataFrame", options: Options, scene: Scene) -> None:
    if rows.empty:
        axes.set(xticks=[], yticks=[])
        return
    last = int(rows["round"].max())
    first = first_round(options.x, last)
    top = 0.0
    for key, curve in groups(rows[rows["panel"] == panel], "algorithm", "label"):
        style, t = scene.styles[key], curve["round"].to_numpy(int)
        mean = curve["mean"].to_numpy(np.float64)
        if panel == "explored":
            mean = np.where(mean > 0, mean, np.nan)
        top = max(top, float(np.nanmax(mean, initial=0.0)))
        zorder = 2.1 if DASHES[style.dash] else 2.0  # dashed curves on top, so that both are seen where curves coincide
        axes.plot(t, mean, zorder=zorder, **canvas.line(style, markers=False))
        low, high = (curve[end].to_numpy(np.float64) for end in ("low", "high"))
        axes.fill_between(t, low, high, color=style.colour, alpha=0.15, lw=0)
    axes.set_xscale("log")
    canvas.set_x_ends(axes, (first, max(last, first + 1)), options.x)
    names = {"accuracy": "share of runs with an optimal decision", "explored": "parameters or arms still explored"}
    regret = current().ylabel or axis_name(scene.regret)
    axes.set_ylabel(canvas.wrapped(names.get(panel) or regret, _PANEL_HEIGHT))
    if panel == "accuracy":
        axes.set_ylim(-0.02, 1.02)
    elif panel == "explored":
        axes.set_yscale("log")
        axes.set_ylim(0.8, 1.3 * max(top, 1.0))
    else:
        _set_regret_axis(axes, top, options)


def _set_regret_axis(axes: "Axes", top: float, options: Options) -> None:
    if options.y_scale == "log":
        axes.set_yscale("log", nonpositive="clip")
    else:
        axes.set_ylim(0, top * 1.05 if top > 0 else 1)
    canvas.set_y_ends(axes, options.y)
    if options.y_scale == "linear":
        canvas.shorten_numbers(axes.yaxis, axes.get_ylim()[1])


def _caption(rows: "DataFrame") -> str:
    matrices = int(rows["games"].max()) if "games" in rows else 1
    on = f" on {matrices} matrices" if matrices > 1 else ""
    words = f"mean of {runs_in_words(rows)}{on}"
    bands = set(rows["band"][rows["panel"] == "regret"])
    if bands == {"none"}:
        return f"{words}, no bands"
    few = f" (of regret: {band_in_words('range', matrices)})" if "range" in bands else ""
    return f"{words}, bands: 95% confidence intervals{few}"
