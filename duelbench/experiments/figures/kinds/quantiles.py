"""Regret over time as nested bands of the runs: a panel per algorithm and problem."""

from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from pydantic import Field

from duelbench.bandits.statistics import tails
from duelbench.bandits.statistics.curves import count_of
from duelbench.bandits.statistics.tails import BANDS, fewest_runs
from duelbench.experiments.figures.drawing import canvas
from duelbench.experiments.figures.drawing.names import axis_name
from duelbench.experiments.figures.numbers import joined, rows_of, with_columns_first
from duelbench.experiments.figures.options import Columns, KindOptions, RegretEnds, Scale, TimeEnds
from duelbench.experiments.figures.scene import (
    Scene,
    counted,
    first_round,
    has_runs,
    panel_per_algorithm,
    window,
    within,
    without_runs,
)
from duelbench.experiments.figures.source import Source
from duelbench.experiments.results.samples import Sample, entries, samples

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from pandas import DataFrame

TITLE = "quantiles of regret over the runs"
COLUMNS = (
    *("problem", "algorithm", "label", "horizon", "round", "median"),
    *(end + band for band in BANDS for end in ("low", "high")),
)

_SHADES = dict(zip(BANDS, (0.42, 0.28, 0.18, 0.1), strict=True))


class Options(KindOptions):
    """Regret against log time as bands of the runs, a panel per algorithm and problem."""

    log_axes = frozenset("xy")

    repeats_unswept = False

    kind: Literal["quantiles"] = "quantiles"
    x: TimeEnds = None
    y: RegretEnds = None
    y_scale: Scale = Field("log", description="How the axis of regret is divided.")
    columns: Columns | None = None


def numbers(source: Source, options: Options) -> "DataFrame":
    """The median and the ends of the bands; empty if the runs are too few for a band."""
    curves = entries(samples(source.experiment, "matrix"))
    shown = window(options.x, curves, source.experiment.name)
    table = joined(part for horizons in curves for part in _quantiles(horizons, source.which))
    table = with_columns_first(within(table, shown), COLUMNS)
    return table.reindex(columns=[*COLUMNS, *(name for name in table if name not in COLUMNS)])


def _quantiles(horizons: list[Sample], which: int) -> "list[DataFrame]":
    """The samples are the horizons of an algorithm, all with the bands that the fewest runs can show."""
    fewest = min((sample.runs for sample in horizons if sample.runs), default=0)
    parts = []
    for sample in horizons:
        if not sample.runs:
            parts.append(rows_of(sample, {}))
            continue
        part = slice(-1, None) if len(horizons) > 1 else slice(None)
        regret = sample.regret(which)[:, part]
        columns = {"round": sample.rounds[part], "median": np.median(regret, axis=0)}
        for band in tails.bands_of(fewest):
            columns[f"low{band}"], columns[f"high{band}"] = tails.band_ends(regret, band)
        parts.append(rows_of(sample, columns))
    return parts


def draw(numbers: "DataFrame", options: Options, scene: Scene) -> "Figure":
    """A panel for each algorithm and problem; those of a problem have one axis of regret."""
    drawn = has_runs(numbers)
    first = first_round(options.x, int(drawn["round"].max()))

    def draw_panel(axes: "Axes", rows: "DataFrame") -> None:
        _draw_bands(axes, rows, scene.style(rows).colour)
        _set_axes(axes, drawn[drawn["problem"] == rows["problem"].iat[0]], options, first)

    with canvas.house_style():
        grid = panel_per_algorithm(numbers, options, scene, draw_panel)
        canvas.name_axes(grid, "round t", axis_name(scene.regret))
        colour = scene.style(drawn).colour if len(grid.panels) == 1 else canvas.INK
        canvas.add_legend(grid, _handles(drawn, colour), scene.caption(_caption(drawn), without_runs(numbers)))
    return grid.figure


def _shown_bands(rows: "DataFrame") -> list[str]:
    return [band for band in BANDS if rows[f"low{band}"].notna().any()]


def _caption(drawn: "DataFrame") -> str:
    """The caption: the number of runs, and the bands that need more."""
    by_curve = drawn.groupby(["problem", "algorithm", "label"])
    lacking = [band for band in BANDS if not by_curve[f"low{band}"].count().all()]
    needed = ", ".join(f"{band}% needs {fewest_runs(band)} runs" for band in lacking)
    words = f"median of {count_of(counted(drawn)['runs'].astype(int).tolist())}, bands of the runs around it"
    return f"{words}; left out: {needed}" if needed else words


def _draw_bands(axes: "Axes", rows: "DataFrame", colour: str) -> None:
    """Bands from the widest, each over the one before; bars if each point has runs of its own."""
    is_points = rows["horizon"].nunique() > 1
    t = rows["round"].to_numpy(int)
    for k, band in enumerate(reversed(_shown_bands(rows))):
        low, high = (rows[f"{end}{band}"].to_numpy(np.float64) for end in ("low", "high"))
        look: dict[str, Any] = {"color": colour, "alpha": _SHADES[band], "zorder": 2}
        if is_points:
            axes.vlines(t, low, high, linewidth=3 + 1.5 * k, **look)
        else:
            axes.fill_between(t, low, high, lw=0, **look)
    joined_by: dict[str, Any] = {"marker": "o", "linestyle": "none"} if is_points else {}
    axes.plot(t, rows["median"], color=colour, zorder=3, **joined_by)


def _set_axes(axes: "Axes", rows: "DataFrame", options: Options, first: int) -> None:
    last = max(int(rows["round"].max()), first + 1)
    axes.set_xscale("log")
    canvas.set_x_ends(axes, (first, last), options.x)
    canvas.name_few(axes.xaxis)
    ends = [f"{end}{band}" for band in _shown_bands(rows) for end in ("low", "high")]
    heights = rows[["median", *ends]].to_numpy(np.float64)
    top = float(np.nanmax(heights, initial=0.0)) or 1.0
    if options.y_scale == "log":
        axes.set_yscale("log", nonpositive="clip")
        lowest = min(float(heights[heights > 0].min(initial=np.inf)), top / 10)
        axes.set_ylim(lowest / 1.3, 1.3 * top)
        canvas.say_if_zero(axes, heights)
        canvas.set_y_ends(axes, options.y)
        return
    axes.set_ylim(0, 1.05 * top)
    canvas.set_y_ends(axes, options.y)
    canvas.shorten_numbers(axes.yaxis, axes.get_ylim()[1])


def _handles(drawn: "DataFrame", colour: str) -> list[Any]:
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    handles: list[Any] = [Line2D([], [], color=colour, label="median")]
    paper = 1.0
    for band in reversed(_shown_bands(drawn)):  # because bands overlap
        paper *= 1 - _SHADES[band]
        handles.insert(1, Patch(facecolor=colour, alpha=1 - paper, lw=0, label=f"{band}% of the runs"))
    return handles
