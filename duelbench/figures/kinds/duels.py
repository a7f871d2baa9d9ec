"""How often each pair of arms duels: heat maps with one logarithmic scale of colours."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from duelbench.errors import InputError
from duelbench.figures.drawing import canvas
from duelbench.figures.drawing.heat_map import name_arms
from duelbench.figures.numbers import names_of, table_of
from duelbench.figures.picture import OfRuns, Picture, Request, about, in_reading_order, longest, panel_per_algorithm
from duelbench.problem.scalar_bandit import ScalarBandit
from duelbench.results.experiments import LoadedCell
from duelbench.statistics.curves import count_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from pandas import DataFrame

CSV_COLUMNS = ("problem", "algorithm", "label", "i", "j", "name_i", "name_j", "duels", "runs")

MOST_LABELS = 12
"""Most arms that are all named on the axes of a panel; beyond it, some of them."""


@dataclass(frozen=True, eq=False, kw_only=True)
class _PairDuels(OfRuns):
    """One algorithm on one problem up to its longest horizon."""

    names: tuple[str, ...]  # of the arms
    mean: np.ndarray  # (K, K) float64: duels of arms i and j, whichever came first


def duels(request: Request) -> Picture:
    """The mean number of duels of each pair: a panel per algorithm and problem that has runs."""
    cells = [cell for cell in longest(request.experiment.cells) if cell.n_runs and request.has(cell.stored.label)]
    for cell in cells:
        if isinstance(cell.stored.matrix, ScalarBandit):
            raise InputError(
                f"{request.experiment.name}: {cell.stored.problem} is a scalar bandit, whose arms are sampled one by"
                " one; there are no duels of pairs to draw"
            )
    found = request.shown([_pair_duels(cell) for cell in in_reading_order(cells)])
    return Picture(lambda: _figure(request, found), lambda: _numbers(found))


def _pair_duels(cell: LoadedCell) -> _PairDuels:
    stored, total = cell.stored, cell.duels
    if total is None:  # of one of the random matrices of a sweep, whose duels are not loaded
        total = np.sum([stored.read(run).trace.duels for run in cell.indices.tolist()], axis=0)
    mean = (total + total.T - np.diag(np.diag(total))) / cell.n_runs
    return _PairDuels(**about([cell]), names=tuple(stored.matrix.names), mean=mean)


def _figure(request: Request, found: Sequence[_PairDuels]) -> "Figure":
    from matplotlib import colormaps
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import LogNorm

    numbers = [number for one in found for number in one.mean[one.mean > 0].tolist()] or [1.0]
    low, high = min(numbers), max(numbers)
    norm = LogNorm(low, max(high, 10 * low))
    shades = ScalarMappable(norm, colormaps["viridis_r"].with_extremes(bad="#FFFFFF"))

    def draw(axes: "Axes", one: _PairDuels) -> None:
        axes.grid(False)
        shown = np.where(one.mean == 0, np.nan, one.mean)
        axes.imshow(shown, cmap=shades.cmap, norm=norm, interpolation="nearest")
        name_arms(axes, one.names, MOST_LABELS)

    with canvas.house_style():
        grid = panel_per_algorithm(request, found, draw)
        runs = count_of([one.runs for one in found])
        label = f"duels of arms i and j, mean of {runs} (white: none)"
        name = canvas.wrapped(label, 0.9 * grid.panel_height)
        rows = -(-len(found) // grid.columns)
        grid.figure.colorbar(shades, ax=grid.panels, label=name, pad=0.02, fraction=0.04, aspect=20 * rows)
        canvas.add_note(grid)
    return grid.figure


def _numbers(found: Sequence[_PairDuels]) -> "DataFrame":
    """Each pair of arms (from 0) once, i <= j."""
    rows = []
    for one in found:
        for i, j in zip(*np.triu_indices(len(one.names)), strict=True):
            arms = {"i": i, "j": j, "name_i": one.names[i], "name_j": one.names[j]}
            rows.append({**names_of(one), **arms, "duels": float(one.mean[i, j]), "runs": one.runs})
    return table_of(CSV_COLUMNS, rows)
