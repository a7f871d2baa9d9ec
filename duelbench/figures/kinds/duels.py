"""How often each pair of arms duels: heat maps with one logarithmic scale of colours."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from duelbench.errors import InputError
from duelbench.figures.content.panels import check_number_of_panels
from duelbench.figures.drawing import canvas
from duelbench.figures.drawing.heat_map import name_arms
from duelbench.figures.numbers import csv_of, names_of
from duelbench.figures.picture import Picture, Request, in_reading_order, labels_of, longest, missing_of
from duelbench.problem.scalar_bandit import ScalarBandit
from duelbench.results.experiments import LoadedCell
from duelbench.statistics.curves import count_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CSV_COLUMNS = ("problem", "algorithm", "label", "i", "j", "name_i", "name_j", "duels", "runs")

MOST_LABELS = 12
"""Most arms that are all named on the axes of a panel; beyond it, some of them."""

_NEVER = "#FFFFFF"


@dataclass(frozen=True, eq=False)
class _PairDuels:
    """One algorithm on one problem up to its longest horizon."""

    problem: str
    algorithm: str
    label: str
    names: tuple[str, ...]  # of the arms
    mean: np.ndarray  # (K, K) float64: duels of arms i and j, whichever came first
    runs: int
    planned: int


def duels(request: Request) -> Picture:
    """The mean number of duels of each pair: a panel per algorithm and problem that has runs."""
    experiment = request.experiment
    cells = [
        cell
        for cell in longest(experiment.cells)
        if cell.n_runs and (request.only is None or cell.stored.label in request.only)
    ]
    check_number_of_panels(experiment, len(cells))
    for cell in cells:
        if isinstance(cell.stored.matrix, ScalarBandit):
            raise InputError(
                f"{experiment.name}: {cell.stored.problem} is a scalar bandit, whose arms are sampled one by one; there"
                " are no duels of pairs to draw"
            )
    found = [_pair_duels(cell) for cell in cells]
    return Picture(lambda: _figure(request, found), lambda: _numbers(found), labels_of(found))


def _pair_duels(cell: LoadedCell) -> _PairDuels:
    stored, total = cell.stored, cell.duels
    if total is None:  # of one of the random matrices of a sweep, whose duels are not kept
        total = np.sum([stored.read(run).trace.duels for run in cell.indices.tolist()], axis=0)
    mean = (total + total.T - np.diag(np.diag(total))) / cell.n_runs
    names = tuple(stored.matrix.names)
    return _PairDuels(stored.problem, stored.algorithm, stored.label, names, mean, cell.n_runs, stored.n_runs)


def _figure(request: Request, found: Sequence[_PairDuels]) -> "Figure":
    from matplotlib import colormaps
    from matplotlib.colors import LogNorm

    ordered = in_reading_order(found)
    numbers = [float(number) for one in found for number in one.mean[one.mean > 0].tolist()]
    low, high = min(numbers, default=1.0), max(numbers, default=1.0)
    norm = LogNorm(low, max(high, 10 * low))
    colours = colormaps["viridis_r"].with_extremes(bad=_NEVER)
    with canvas.house_style():
        grid = canvas.grid_of_pairs(ordered, request.title, request.options.columns)
        for axes, one in zip(grid.panels, ordered, strict=True):
            axes.grid(False)
            shown = np.where(one.mean == 0, np.nan, one.mean)
            image = axes.imshow(shown, cmap=colours, norm=norm, interpolation="nearest")
            name_arms(axes, one.names, MOST_LABELS)
            canvas.stamp(axes, missing_of([one]), request.stamp)
        runs = count_of([one.runs for one in found])
        label = f"duels of arms i and j, mean of {runs} (white: none)"
        name = canvas.wrapped(label, 0.9 * grid.panel_height)
        rows = -(-len(ordered) // grid.columns)
        grid.figure.colorbar(image, ax=grid.panels, label=name, pad=0.02, fraction=0.04, aspect=20 * rows)
    return grid.figure


def _numbers(found: Sequence[_PairDuels]) -> str:
    """Each pair of arms (from 0) once, i <= j."""
    rows = []
    for one in in_reading_order(found):
        for i, j in zip(*np.triu_indices(len(one.names)), strict=True):
            arms = {"i": i, "j": j, "name_i": one.names[i], "name_j": one.names[j]}
            rows.append({**names_of(one), **arms, "duels": float(one.mean[i, j]), "runs": one.runs})
    return csv_of(CSV_COLUMNS, rows)
