"""The share of the runs above each regret at the horizon, with Clopper and Pearson's intervals."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field

from duelbench.bandits.statistics import tails
from duelbench.experiments.figures.drawing import canvas
from duelbench.experiments.figures.drawing.names import regret_name, unit
from duelbench.experiments.figures.drawing.steps import draw_steps, step_numbers
from duelbench.experiments.figures.options import Columns, Ends, KindOptions, RegretEnds
from duelbench.experiments.figures.scene import Scene, has_runs, panel_per_problem, runs_in_words
from duelbench.experiments.figures.source import Source
from duelbench.experiments.results.samples import Sample, longest, samples

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from pandas import DataFrame

TITLE = "share of the runs above each regret at the horizon"

_NEARLY_ALL = 0.98  # of the runs: if more are above, a curve shows nothing, and the axis need not


class Options(KindOptions):
    """The share of the runs above each regret at the horizon, a panel per problem."""

    log_axes = frozenset("xy")

    kind: Literal["survival"] = "survival"
    x: Ends | None = Field(None, description="The ends of the axis of regret.")
    y: RegretEnds = None
    columns: Columns | None = None


def numbers(source: Source, options: Options) -> "DataFrame":
    """A row for each regret at which the share changes."""

    def steps_of(sample: Sample) -> Mapping[str, Any]:
        x, above = tails.survival(sample.regret(source.which)[:, -1])
        low, high = tails.clopper_pearson(above, sample.runs)
        return {"x": x, "share": above / sample.runs, "low": low, "high": high}

    return step_numbers(longest(samples(source.experiment, "matrix")), "x", 1.0, steps_of)


def draw(numbers: "DataFrame", options: Options, scene: Scene) -> "Figure":
    """A panel for each problem."""

    def draw_panel(axes: "Axes", rows: "DataFrame") -> None:
        _set_axes(axes, has_runs(rows), options)
        draw_steps(axes, rows, scene, "x", 1.0, whole=False)

    name = f"{regret_name(scene.regret)} at the horizon, x ({unit(scene.regret)})"
    caption = f"{runs_in_words(numbers)}, band: 95% confidence interval of each share"
    return panel_per_problem(numbers, options, scene, draw_panel, (name, "share of the runs above x"), caption)


def _set_axes(axes: "Axes", rows: "DataFrame", options: Options) -> None:
    axes.set_xscale("log", nonpositive="clip")
    axes.set_yscale("log", nonpositive="clip")
    largest = float(rows["x"].max()) or 1.0
    starts = rows[(rows["share"] <= _NEARLY_ALL) & (rows["x"] > 0)]
    low = float(starts.groupby(["algorithm", "label"])["x"].min().min()) if len(starts) else largest / 10
    canvas.set_x_ends(axes, (low / 1.1, max(largest, 1.1 * low) * 1.1), options.x)
    canvas.name_few(axes.xaxis)
    axes.set_ylim(0.6 / int(rows["runs"].max()), 1.3)
    canvas.set_y_ends(axes, options.y)
    canvas.say_if_zero(axes, rows["x"])
