"""How often each pair of arms duels: heat maps with one logarithmic scale of colours."""

import math
from typing import TYPE_CHECKING, Literal

import numpy as np

from duelbench.bandits.problem.scalar_bandit import ScalarBandit
from duelbench.errors import InputError
from duelbench.experiments.figures.drawing import canvas
from duelbench.experiments.figures.drawing.heat_map import name_arms
from duelbench.experiments.figures.numbers import joined, rows_of
from duelbench.experiments.figures.options import Columns, KindOptions
from duelbench.experiments.figures.scene import Scene, has_runs, panel_per_algorithm, runs_in_words, without_runs
from duelbench.experiments.figures.source import Source
from duelbench.experiments.results.samples import Sample, longest, samples

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from pandas import DataFrame

TITLE = "mean number of duels of each pair"

MOST_LABELS = 12
"""With more arms than this, a panel names only some of them."""


class Options(KindOptions):
    """The mean number of duels of each pair of arms, a panel per algorithm and problem."""

    repeats_unswept = False

    kind: Literal["duels"] = "duels"
    columns: Columns | None = None


def numbers(source: Source, options: Options) -> "DataFrame":
    """A row for each pair of arms (from 0), i <= j: the mean number of their duels, whichever came first."""
    parts = []
    for sample in longest(samples(source.experiment, "matrix")):
        matrix = sample.stored.matrix
        if isinstance(matrix, ScalarBandit):
            raise InputError(
                f"{source.experiment.name}: {sample.problem} is a scalar bandit, whose arms are sampled one by"
                " one; there are no duels of pairs to draw"
            )
        if not sample.runs:
            parts.append(rows_of(sample, {}))
            continue
        total = _duels(sample)
        mean = (total + total.T - np.diag(np.diag(total))) / sample.runs
        i, j = np.triu_indices(matrix.n_arms)
        names = np.array(matrix.names, object)
        parts.append(rows_of(sample, {"i": i, "j": j, "name_i": names[i], "name_j": names[j], "duels": mean[i, j]}))
    return joined(parts)


def _duels(sample: Sample) -> np.ndarray:
    """The number of duels of each pair in all runs, (K, K).

    For random matrices of a sweep they are not loaded with the cell, so they are read here.
    """
    (cell,) = sample.played
    if cell.duels is not None:
        return cell.duels
    return np.sum([cell.stored.read(run).trace.duels for run in cell.indices.tolist()], axis=0)


def draw(numbers: "DataFrame", options: Options, scene: Scene) -> "Figure":
    """A panel for each algorithm and problem."""
    from matplotlib import colormaps
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import LogNorm

    drawn = has_runs(numbers)
    counts = drawn["duels"][drawn["duels"] > 0]
    low, high = (counts.min(), counts.max()) if len(counts) else (1.0, 1.0)
    norm = LogNorm(low, max(high, 10 * low))
    shades = ScalarMappable(norm, colormaps["viridis_r"].with_extremes(bad="#FFFFFF"))

    def draw_panel(axes: "Axes", rows: "DataFrame") -> None:
        axes.grid(False)
        i, j = rows["i"].to_numpy(int), rows["j"].to_numpy(int)
        shown = np.full((j.max() + 1, j.max() + 1), np.nan)
        shown[i, j] = shown[j, i] = np.where(rows["duels"] > 0, rows["duels"], np.nan)
        axes.imshow(shown, cmap=shades.cmap, norm=norm, interpolation="nearest")
        names = rows["name_j"][rows["i"] == 0]  # the pairs (0, j) have every arm
        name_arms(axes, tuple(names), MOST_LABELS)

    with canvas.house_style():
        grid = panel_per_algorithm(numbers, options, scene, draw_panel)
        label = f"duels of arms i and j, mean of {runs_in_words(drawn)} (white: none)"
        canvas.name_axes(grid, "", "")  # only names that the user chose
        name = canvas.wrapped(label, 0.9 * grid.panel_height)
        n_rows = math.ceil(len(grid.panels) / grid.columns)
        grid.figure.colorbar(shades, ax=grid.panels, label=name, pad=0.02, fraction=0.04, aspect=20 * n_rows)
        if words := scene.caption(without_runs(numbers)):
            canvas.add_legend(grid, [], words)
    return grid.figure
