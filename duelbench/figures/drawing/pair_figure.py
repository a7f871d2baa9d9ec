"""How often each pair of arms duels: heat maps with one logarithmic scale of colours."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from duelbench.figures.content.labelled import in_reading_order, missing_of
from duelbench.figures.content.pairs import PairDuels
from duelbench.figures.drawing import canvas
from duelbench.figures.drawing.heat_map import name_arms
from duelbench.figures.drawing.regret_figure import csv_of
from duelbench.figures.options import FigureOptions
from duelbench.statistics.curves import count_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CSV_COLUMNS = ("problem", "algorithm", "label", "i", "j", "name_i", "name_j", "duels", "runs")

MOST_LABELS = 12
"""Most arms that are all named on the axes of a panel; beyond it, some of them."""

_NEVER = "#FFFFFF"


def pair_figure(found: Sequence[PairDuels], options: FigureOptions, title: str | None, stamp: str | None) -> "Figure":
    """Draw the mean number of duels of each pair: a panel per algorithm and problem.

    Parameters
    ----------
    found : sequence of PairDuels
        At least one; several problems stand side by side.
    options : FigureOptions
    title : str, optional
    stamp : str, optional
        A warning across every panel, beside that of missing runs.
    """
    from matplotlib import colormaps
    from matplotlib.colors import LogNorm

    problems = list(dict.fromkeys(one.problem for one in found))
    ordered = in_reading_order(found)
    numbers = [float(number) for one in found for number in one.mean[one.mean > 0].tolist()]
    low, high = min(numbers, default=1.0), max(numbers, default=1.0)
    norm = LogNorm(low, max(high, 10 * low))
    colours = colormaps["viridis_r"].with_extremes(bad=_NEVER)
    columns = options.columns or (len(problems) if len(problems) > 1 else None)
    with canvas.house_style():
        grid = canvas.new_grid(len(ordered), title, columns and min(columns, 6))
        for axes, one in zip(grid.panels, ordered, strict=True):
            axes.grid(False)
            shown = one.mean.copy()
            shown[shown == 0] = float("nan")
            image = axes.imshow(shown, cmap=colours, norm=norm, interpolation="nearest")
            name_arms(axes, one.names, MOST_LABELS)
            if len(ordered) > 1:
                name = f"{one.label} on {one.problem}" if len(problems) > 1 else one.label
                axes.set_title(canvas.wrapped(name, 0.9 * grid.panel_width))
            canvas.stamp(axes, missing_of([one]), stamp)
        runs = count_of([one.runs for one in found])
        label = f"duels of arms i and j, mean of {runs} (white: none)"
        name = canvas.wrapped(label, 0.9 * grid.panel_height)
        rows = -(-len(ordered) // grid.columns)
        grid.figure.colorbar(image, ax=grid.panels, label=name, pad=0.02, fraction=0.04, aspect=20 * rows)
    return grid.figure


def pair_numbers(found: Sequence[PairDuels]) -> str:
    """The numbers of the figure as CSV, with the columns `CSV_COLUMNS`: each pair of arms (from 0) once, i <= j."""
    rows: list[dict[str, Any]] = [
        {
            "problem": one.problem,
            "algorithm": one.algorithm,
            "label": one.label,
            "i": i,
            "j": j,
            "name_i": one.names[i],
            "name_j": one.names[j],
            "duels": repr(float(one.mean[i, j])),
            "runs": one.runs,
        }
        for one in in_reading_order(found)
        for i in range(len(one.names))
        for j in range(i, len(one.names))
    ]
    return csv_of(CSV_COLUMNS, rows)
