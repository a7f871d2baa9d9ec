"""Identification: the share of the runs without an answer, over time, and the lower bound on the mean."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from duelbench.bandits.problem.identification_bounds import least_duels
from duelbench.bandits.problem.preferences import PreferenceMatrix
from duelbench.errors import InputError
from duelbench.experiments.figures.drawing import canvas
from duelbench.experiments.figures.drawing.steps import draw_steps, step_numbers, with_band
from duelbench.experiments.figures.options import Columns, KindOptions, RegretEnds, TimeEnds
from duelbench.experiments.figures.scene import Scene, handles, has_runs, panel_per_problem, runs_in_words
from duelbench.experiments.figures.source import Source
from duelbench.experiments.results.answers import with_own_delta
from duelbench.experiments.results.samples import Sample, longest, samples

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from pandas import DataFrame

TITLE = "share of the runs without an answer"

_BOUND: dict[str, Any] = {"color": canvas.INK, "linestyle": (0, (1, 1.6)), "linewidth": 1.0, "zorder": 1.5}


class Options(KindOptions):
    """Identification: the share of the runs without an answer against log time, a panel per problem."""

    log_axes = frozenset("x")
    needs = "identify"

    kind: Literal["waiting"] = "waiting"
    x: TimeEnds = None
    y: RegretEnds = None
    columns: Columns | None = None


def numbers(source: Source, options: Options) -> "DataFrame":
    """A row for each round after which an answer comes; ``least_duels`` is the lower bound on the mean, if known."""
    question, name = source.question, source.experiment.name
    if "budget" in source.experiment.results.spec:
        raise InputError(f"{name} has budgets instead of answers; draw the kind 'error'")
    chosen = [
        sample
        for sample in longest(samples(source.experiment, "matrix"))
        if not sample.runs or sample.played[0].finished is not None
    ]
    if not any(sample.runs for sample in chosen):
        raise InputError(f"{name}: no algorithm ends with an answer; give one the key 'stop'")

    def steps_of(sample: Sample) -> Mapping[str, Any]:
        finished = sample.values(lambda cell: np.asarray(cell.finished))
        rounds, counts = np.unique(finished[finished > 0] - 1.0, return_counts=True)
        matrix = sample.stored.matrix
        assert isinstance(matrix, PreferenceMatrix)
        least = least_duels(matrix, with_own_delta(sample.played[0], question))
        shares = with_band(1 - np.cumsum(counts) / sample.runs, sample.runs)
        return {"round": rounds, **shares, "least_duels": np.nan if least is None else least}

    return step_numbers(chosen, "round", 1.0, steps_of)


def draw(numbers: "DataFrame", options: Options, scene: Scene) -> "Figure":
    """A panel for each problem."""
    from matplotlib.lines import Line2D

    def draw_panel(axes: "Axes", rows: "DataFrame") -> None:
        _set_time_axis(axes, has_runs(rows), options)
        axes.set_ylim(0, 1.03)
        canvas.set_y_ends(axes, options.y)
        draw_steps(axes, rows, scene, "round", 1.0, whole=True, ends_with="horizon")
        if rows["least_duels"].notna().any():
            axes.axvline(rows["least_duels"].dropna().iat[0], **_BOUND)

    entries = handles(numbers, scene)
    if numbers["least_duels"].notna().any():
        entries.append(Line2D([], [], label="lower bound on the mean", **_BOUND))
    names = "round t", "share of the runs without an answer"
    horizons = sorted(numbers["horizon"].unique())
    last = f"{horizons[0]}" if len(horizons) == 1 else f"{horizons[0]} to {horizons[-1]}"
    words = f"{runs_in_words(numbers)} of at most {last} rounds"
    caption = f"{words}, band: holds the whole distribution with 95% confidence"
    return panel_per_problem(numbers, options, scene, draw_panel, names, caption, entries=entries)


def _set_time_axis(axes: "Axes", rows: "DataFrame", options: Options) -> None:
    """A logarithmic axis that holds every answer, and the bound."""
    axes.set_xscale("log")
    bounds = rows["least_duels"].dropna().tolist()
    rounds = rows["round"].dropna()
    rounds = rounds[rounds > 0]
    horizon = float(rows["horizon"].min())
    ends = [*rounds.tolist(), *bounds, horizon]
    low, high = min(ends), max(ends)
    last_shares = rows.groupby(["algorithm", "label"])["share"].last()
    if (last_shares == 0).all():  # every run has an answer
        high = max([*rounds.tolist(), *bounds])
    canvas.set_x_ends(axes, (low / 1.3, high * (high / low) ** 0.02), options.x)
    canvas.name_few(axes.xaxis)
