"""Identification: the share of the runs whose recommended arm is wrong, over time."""

from typing import TYPE_CHECKING, Literal

import numpy as np

from duelbench.bandits.problem.identification import right_arms
from duelbench.bandits.problem.preferences import PreferenceMatrix
from duelbench.errors import InputError
from duelbench.experiments.figures.drawing.over_time import OverTime, draw_over_time
from duelbench.experiments.figures.options import Columns, KindOptions, RegretEnds, Scale, TimeEnds, TimeScale
from duelbench.experiments.figures.scene import Scene
from duelbench.experiments.figures.share_curves import caption, share_curves
from duelbench.experiments.figures.source import Source
from duelbench.experiments.results.experiments import LoadedCell

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from pandas import DataFrame

TITLE = "share of wrong recommendations"


class Options(KindOptions):
    """Identification: the share of the runs whose recommended arm is wrong against log time, a panel per problem."""

    log_axes = frozenset("x")
    needs = "identify"

    kind: Literal["error"] = "error"
    x: TimeEnds = None
    y: RegretEnds = None
    x_scale: TimeScale = "log"
    y_scale: Scale = "linear"
    columns: Columns | None = None


def numbers(source: Source, options: Options) -> "DataFrame":
    """The share of the runs at each checkpoint, with Wilson's interval."""
    question = source.question
    if question.is_ranked:
        raise InputError(
            f"{source.experiment.name}: its answers are rankings, of which none is recommended before the end; draw"
            " another kind of figure, such as 'waiting'"
        )

    def is_wrong(cell: LoadedCell) -> np.ndarray:
        assert isinstance(cell.stored.matrix, PreferenceMatrix)  # others are not asked for answers
        return ~right_arms(cell.stored.matrix, question)[cell.recommendations]

    return share_curves(source, "error", is_wrong, options.x, start_at_first=True)


def draw(numbers: "DataFrame", options: Options, scene: Scene) -> "Figure":
    """A panel for each problem."""
    how = OverTime(
        "share of wrong recommendations",
        caption(numbers),
        "error",
        top=None if options.y_scale == "log" else 1.03,
        start=max(1, int(0.8 * numbers["round"].min())),
    )
    return draw_over_time(numbers, options, scene, how)
