"""Grouped bars, in colour or with patterns."""

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from duelbench.experiments.figures.drawing import canvas
from duelbench.experiments.figures.drawing.style import HATCHES
from duelbench.experiments.figures.frame import current
from duelbench.experiments.figures.scene import Scene

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_PALE = ("#FFFFFF", "#B4B4B4", "#E2E2E2", "#8C8C8C")
"""Greys of bars in greyscale, in turn."""


class Bar(NamedTuple):
    """One bar: its panel, its group on the axis, its series and the colour of that, and its height."""

    panel: str
    group: str
    series: str
    colour: str
    height: float


def draw_bars(
    bars: Sequence[Bar],
    y_name: str,
    caption: str,
    options: Any,
    scene: Scene,
    warning: str | None,
    order: Sequence[str] = (),
) -> "Figure":
    """Groups next to each other, in each of them one bar per series; ``order`` is that of the series in the legend."""
    from matplotlib.patches import Patch

    panels = list(dict.fromkeys(bar.panel for bar in bars))
    colours = {bar.series: bar.colour for bar in bars}
    looks = _fillings({series: colours[series] for series in order or colours})
    with canvas.house_style():
        grid = canvas.new_grid(panels, scene.title, getattr(options, "columns", None))
        for axes, panel in zip(grid.panels, panels, strict=True):
            panel_bars = [bar for bar in bars if bar.panel == panel]
            groups = list(dict.fromkeys(bar.group for bar in panel_bars))
            series = list(dict.fromkeys(bar.series for bar in panel_bars))
            width = 0.8 / len(series)
            for bar in panel_bars:
                x = groups.index(bar.group) - 0.4 + (series.index(bar.series) + 0.5) * width
                if not math.isnan(bar.height):
                    axes.bar(x, bar.height, 0.92 * width, zorder=3, **looks[bar.series])
            for place, group in enumerate(groups):
                heights = [bar.height for bar in panel_bars if bar.group == group]
                words = "none" if all(map(math.isnan, heights)) else "0"
                if words == "none" or (options.is_log("y") and not any(height > 0 for height in heights)):
                    base: dict[str, Any] = {"xycoords": axes.get_xaxis_transform(), "textcoords": "offset points"}
                    axes.annotate(words, (place, 0), (0, 2), ha="center", va="bottom", **base)
            names = [canvas.wrapped(group, 0.85 * grid.panel_width / len(groups)) for group in groups]
            axes.set_xticks(range(len(groups)), names)
            axes.grid(False, axis="x")
            if options.is_log("y"):
                axes.set_yscale("log")
            canvas.set_y_ends(axes, options.y)
            canvas.stamp(axes, warning)
        canvas.name_axes(grid, "", y_name)
        handles = [Patch(label=canvas.literal(name), **look) for name, look in looks.items()]
        canvas.add_legend(grid, handles, scene.caption(caption))
        _turn_names(grid)
    return grid.figure


def _fillings(colours: Mapping[str, str]) -> dict[str, dict[str, Any]]:
    """How bars of each series are filled: with its colour, or with a grey and a pattern."""
    if not current().greyscale:
        return {series: {"color": colour} for series, colour in colours.items()}
    edge: dict[str, Any] = {"edgecolor": canvas.INK, "linewidth": canvas.points(0.5)}
    return {
        series: {"facecolor": _PALE[k % len(_PALE)], "hatch": HATCHES[k % len(HATCHES)], **edge}
        for k, series in enumerate(colours)
    }


def _turn_names(grid: canvas.Grid) -> None:
    """Turn the names of groups if they would touch."""
    grid.figure.draw_without_rendering()
    for axes in grid.panels:
        boxes = [label.get_window_extent() for label in axes.get_xticklabels()]
        if any(left.x1 + 2 > right.x0 for left, right in pairwise(boxes)):
            axes.tick_params(axis="x", labelrotation=90)
