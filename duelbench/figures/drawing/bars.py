"""Grouped bars: the spread of regret at the horizon, and the share of the winners in the self-duels of a run."""

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from duelbench.figures.content.spreads import SelfDuels, Spread
from duelbench.figures.drawing import canvas
from duelbench.figures.drawing.style import HATCHES
from duelbench.figures.frame import current
from duelbench.figures.options import FigureOptions

SPREAD_COLUMNS = (
    *("problem", "algorithm", "label", "horizon", "statistic", "value", "normalised_to", "reference", "height"),
    *("runs", "planned"),
)
SELF_DUEL_COLUMNS = ("problem", "algorithm", "label", "run", "arm", "self_duels", "all_self_duels", "share")

_PALE = ("#FFFFFF", "#B4B4B4", "#E2E2E2", "#8C8C8C")
"""Greys of bars in greyscale, in turn."""


@dataclass(frozen=True)
class Bar:
    """One bar.

    Parameters
    ----------
    panel, group, series : str
        The panel it is in; the place on its axis; and what its colour stands for.
    colour : str
        ``#rrggbb``.
    height : float
    """

    panel: str
    group: str
    series: str
    colour: str
    height: float


def bar_figure(
    bars: Sequence[Bar], y_name: str, caption: str, options: FigureOptions, title: str | None, stamp: str | None
) -> Any:
    """Draw bars: groups side by side, in each of them one bar per series.

    Parameters
    ----------
    bars : sequence of Bar
        At least one; panels, groups and series come in the order in which they are met.
    y_name : str
        Name of the axis of heights.
    caption : str
        Stands above the legend.
    options : FigureOptions
    title, stamp : str, optional
        A title, and a warning across every panel.

    Returns
    -------
    Figure
    """
    from matplotlib.patches import Patch

    panels = list(dict.fromkeys(bar.panel for bar in bars))
    looks = _fillings({bar.series: bar.colour for bar in bars})
    with canvas.house_style():
        grid = canvas.new_grid(len(panels), title, options.columns)
        for axes, panel in zip(grid.panels, panels, strict=True):
            own = [bar for bar in bars if bar.panel == panel]
            groups = list(dict.fromkeys(bar.group for bar in own))
            series = list(dict.fromkeys(bar.series for bar in own))
            width = 0.8 / len(series)
            for bar in own:
                x = groups.index(bar.group) - 0.4 + (series.index(bar.series) + 0.5) * width
                axes.bar(x, bar.height, 0.92 * width, zorder=3, **looks[bar.series])
            names = [canvas.wrapped(group, 0.85 * grid.panel_width / len(groups)) for group in groups]
            axes.set_xticks(range(len(groups)), names)
            axes.grid(False, axis="x")
            if options.y_scale == "log":
                axes.set_yscale("log")
            if options.y:
                axes.set_ylim(options.y[0] if options.y[0] > 0 or options.y_scale != "log" else None, options.y[1])
            if len(panels) > 1:
                axes.set_title(canvas.wrapped(panel, 0.9 * grid.panel_width))
            canvas.stamp(axes, stamp)
        for axes in grid.panels[:: grid.columns]:
            axes.set_ylabel(canvas.wrapped(y_name, 0.75 * grid.panel_height))
        handles = [Patch(label=canvas.literal(name), **look) for name, look in looks.items()]
        canvas.add_legend(grid, handles, caption)
        _turn_names(grid)
    return grid.figure


def _fillings(colours: Mapping[str, str]) -> dict[str, dict[str, Any]]:
    """What bars of each series are filled with: its colour, or a grey and a pattern."""
    if not current().greyscale:
        return {series: {"color": colour} for series, colour in colours.items()}
    return {
        series: {
            "facecolor": _PALE[k % len(_PALE)],
            "hatch": HATCHES[k % len(HATCHES)],
            "edgecolor": canvas.INK,
            "linewidth": canvas.points(0.5),
        }
        for k, series in enumerate(colours)
    }


def _turn_names(grid: canvas.Grid) -> None:
    """Turn the names of groups where they would touch, in a figure of a width that was asked for."""
    if not current().has_size:
        return
    grid.figure.draw_without_rendering()
    for axes in grid.panels:
        boxes = [label.get_window_extent() for label in axes.get_xticklabels()]
        if any(one.x1 + 2 > other.x0 for one, other in pairwise(boxes)):
            axes.tick_params(axis="x", labelrotation=90)


def spread_numbers(spreads: Sequence[Spread], options: FigureOptions) -> str:
    """The numbers of a figure of spreads as CSV, with the columns `SPREAD_COLUMNS`."""
    return _csv(
        SPREAD_COLUMNS,
        [
            (
                *(spread.problem, spread.algorithm, spread.label, spread.horizon, options.statistic),
                *(repr(spread.value), options.normalise_to or "", repr(spread.reference), repr(spread.height)),
                *(spread.runs, spread.planned),
            )
            for spread in spreads
        ],
    )


def self_duel_numbers(counts: Sequence[SelfDuels]) -> str:
    """The numbers of a figure of self-duels as CSV, with the columns `SELF_DUEL_COLUMNS`."""
    return _csv(
        SELF_DUEL_COLUMNS,
        [
            (one.problem, one.algorithm, one.label, one.run, one.arm, one.count, one.total, repr(one.share))
            for one in counts
        ],
    )


def _csv(columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)
    return text.getvalue()
