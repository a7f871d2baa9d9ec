"""Accuracy over time: the share of the runs that recommend a winner of the regret that is shown."""

from typing import TYPE_CHECKING, Literal

from duelbench.experiments.figures.drawing.over_time import OverTime, draw_over_time
from duelbench.experiments.figures.options import Columns, KindOptions, RegretEnds, TimeEnds, TimeScale
from duelbench.experiments.figures.scene import Scene
from duelbench.experiments.figures.share_curves import caption, share_curves
from duelbench.experiments.figures.source import Source
from duelbench.experiments.results.experiments import found_winner

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from pandas import DataFrame

TITLE = "share of the runs that recommend a winner"


class Options(KindOptions):
    """The share of the runs that recommend a winner against log time, a panel per problem."""

    log_axes = frozenset("x")

    kind: Literal["accuracy"] = "accuracy"
    x: TimeEnds = None
    y: RegretEnds = None
    x_scale: TimeScale = "log"
    columns: Columns | None = None


def numbers(source: Source, options: Options) -> "DataFrame":
    """The share of the runs at each checkpoint, with Wilson's interval."""
    return share_curves(source, "accuracy", lambda cell: found_winner(source.regret, cell), options.x)


def draw(numbers: "DataFrame", options: Options, scene: Scene) -> "Figure":
    """A panel for each problem."""
    how = OverTime("share that recommends a winner", caption(numbers), "accuracy", top=1.03)
    return draw_over_time(numbers, options, scene, how)
