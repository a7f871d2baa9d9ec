"""How regret at the horizon is distributed over the runs: the share up to each regret, or boxes."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from pydantic import Field

from duelbench.bandits.statistics import tails
from duelbench.experiments.figures.drawing import canvas
from duelbench.experiments.figures.drawing.names import regret_name, unit
from duelbench.experiments.figures.drawing.steps import draw_steps, step_numbers, with_band
from duelbench.experiments.figures.numbers import joined, rows_of
from duelbench.experiments.figures.options import Columns, Ends, KindOptions, Scale
from duelbench.experiments.figures.scene import Scene, groups, panel_per_problem, runs_in_words
from duelbench.experiments.figures.source import Source
from duelbench.experiments.results.samples import Sample, longest, samples

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from pandas import DataFrame

TITLE = "distribution of regret at the horizon"

_QUANTILES = {"smallest": 0.0, "q05": 0.05, "q25": 0.25, "median": 0.5, "q75": 0.75, "q95": 0.95, "largest": 1.0}


class Options(KindOptions):
    """Regret at the horizon as the share of the runs up to each, or as boxes, a panel per problem."""

    log_axes = frozenset("x")

    kind: Literal["distribution"] = "distribution"
    x: Ends | None = Field(None, description="The ends of the axis of regret.")
    x_scale: Scale = Field("log", description="How the axis of regret is divided.")
    columns: Columns | None = None
    form: Literal["ecdf", "box"] = Field("ecdf", description="Shares of the runs up to each regret, or boxes.")


def numbers(source: Source, options: Options) -> "DataFrame":
    """A row for each regret at which the share changes; of boxes, a row for each with its quantiles."""
    chosen = longest(samples(source.experiment, "matrix"))
    if options.form == "box":
        return joined(rows_of(sample, _quantiles(sample, source.which)) for sample in chosen)

    def steps_of(sample: Sample) -> Mapping[str, Any]:
        x, count = tails.distribution(sample.regret(source.which)[:, -1])
        return {"x": x, **with_band(count / sample.runs, sample.runs)}

    return step_numbers(chosen, "x", 0.0, steps_of)


def _quantiles(sample: Sample, which: int) -> dict[str, float]:
    if not sample.runs:
        return {}
    values = np.quantile(sample.regret(which)[:, -1], list(_QUANTILES.values())).tolist()
    return dict(zip(_QUANTILES, values, strict=True))


def draw(numbers: "DataFrame", options: Options, scene: Scene) -> "Figure":
    """A panel for each problem."""
    name = f"{regret_name(scene.regret)} at the horizon"
    if options.form == "box":
        return _draw_boxes(numbers, options, scene, f"{name} ({unit(scene.regret)})")

    def draw_panel(axes: "Axes", rows: "DataFrame") -> None:
        _set_regret_axis(axes, rows["x"], options)
        axes.set_ylim(0, 1.03)
        draw_steps(axes, rows, scene, "x", 0.0, whole=True)

    names = f"{name}, x ({unit(scene.regret)})", "share of the runs up to x"
    caption = f"{runs_in_words(numbers)}, band: holds the whole distribution with 95% confidence"
    return panel_per_problem(numbers, options, scene, draw_panel, names, caption)


def _set_regret_axis(axes: "Axes", regret: Any, options: Options) -> None:
    values = np.asarray(regret, np.float64)
    high = float(np.nanmax(values, initial=0.0)) or 1.0
    if options.x_scale == "linear":
        canvas.set_x_ends(axes, (0, 1.05 * high), options.x)
        canvas.shorten_numbers(axes.xaxis, axes.get_xlim()[1])
        return
    axes.set_xscale("log", nonpositive="clip")
    low = float(values[values > 0].min(initial=high))
    canvas.say_if_zero(axes, values)
    canvas.set_x_ends(axes, (min(low, high / 10) / 1.1, 1.1 * high), options.x)
    canvas.name_few(axes.xaxis)


def _draw_boxes(numbers: "DataFrame", options: Options, scene: Scene, name: str) -> "Figure":
    """Horizontal boxes, the first algorithm on top."""
    from matplotlib.patches import Patch

    def draw_panel(axes: "Axes", rows: "DataFrame") -> None:
        _set_regret_axis(axes, rows[["smallest", "largest"]], options)
        axes.grid(False, axis="y")
        axes.set_yticks([])
        axes.set_ylim(len(rows) - 0.4, -0.6)
        for place, (_, row) in enumerate(rows.iterrows()):
            if row["runs"]:
                colour = scene.styles[row["algorithm"], row["label"]].colour
                _draw_box(axes, place, [row[name] for name in _QUANTILES], colour)

    keys = [key for key, _ in groups(numbers, "algorithm", "label")]
    entries = [Patch(facecolor=scene.styles[key].colour, alpha=0.5, label=canvas.literal(key[1])) for key in keys]
    caption = f"{runs_in_words(numbers)}, median, quartiles, 5% and 95% quantiles, smallest and largest run"
    return panel_per_problem(numbers, options, scene, draw_panel, (name, ""), caption, entries=entries)


def _draw_box(axes: "Axes", place: int, quantiles: Sequence[float], colour: str) -> None:
    smallest, q05, q25, median, q75, q95, largest = quantiles
    axes.hlines(place, q05, q95, color=colour, linewidth=1.0, zorder=3)
    axes.vlines([q05, q95], place - 0.12, place + 0.12, color=colour, linewidth=1.0, zorder=3)
    axes.barh(place, q75 - q25, 0.56, left=q25, color=colour, alpha=0.5, lw=0, zorder=4)
    axes.vlines(median, place - 0.28, place + 0.28, color=canvas.INK, linewidth=1.4, zorder=5)
    axes.plot([smallest, largest], [place, place], "|", color=colour, markersize=4, zorder=3)
