"""Regret at the horizon against what a spec sweeps over: one panel per problem, a curve per algorithm."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from pydantic import Field

from duelbench.bandits.statistics.curves import caption_of, summarise
from duelbench.experiments.figures.drawing import canvas
from duelbench.experiments.figures.drawing.names import regret_name, unit
from duelbench.experiments.figures.drawing.over_time import line_of
from duelbench.experiments.figures.numbers import joined, rows_of, with_columns_first
from duelbench.experiments.figures.options import BandOption, Columns, Ends, KindOptions, RegretEnds, Scale
from duelbench.experiments.figures.scene import Scene, counted, groups, has_runs, panel_per_problem
from duelbench.experiments.figures.source import Source
from duelbench.experiments.results.experiments import Experiment, LoadedCell
from duelbench.experiments.results.samples import Sample
from duelbench.experiments.spec.experiment_spec import Point

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from pandas import DataFrame

TITLE = "regret at the horizon"
COLUMNS = ("problem", "algorithm", "label", "horizon", "over", "value", "mean", "median", "low", "high", "games")

SETTING_NAMES = {
    "feedback_batch": "outcomes in batches of (rounds)",
    "feedback_delay": "delay of each outcome (rounds)",
    "horizon": "horizon (rounds)",
    "n_arms": "number of arms K",
}
"""Swept setting -> its name on an axis."""


class Options(KindOptions):
    """Regret at the horizon against what the spec sweeps over, a panel per problem."""

    needs = "sweep"

    kind: Literal["sweep"] = "sweep"
    x: Ends | None = Field(None, description="The ends of the axis of what is swept over.")
    y: RegretEnds = None
    x_scale: Scale | None = Field(
        None, description="How the axis of what is swept over is divided; by default log if it spans a decade."
    )
    y_scale: Scale | None = Field(
        None, description="How the axis of regret is divided; by default log if regret spans a decade."
    )
    band: BandOption = "ci95"
    columns: Columns | None = None


def numbers(source: Source, options: Options) -> "DataFrame":
    """A row for each algorithm and value: the runs on all random matrices together."""
    parts = []
    for point, sample in _at_every_value(source.experiment):
        if not sample.runs:
            continue
        at_end = sample.regret(source.which)[:, -1:]
        curve = summarise(sample.rounds[-1:], at_end, options.band, sample.games)
        has_band = curve.band != "none" and sample.runs > 1
        columns = {
            "over": point.over,
            "value": [tuple(point.value) if isinstance(point.value, list) else point.value],
            "mean": curve.mean,
            **({} if curve.median is None else {"median": curve.median}),
            **({"low": curve.low, "high": curve.high} if has_band else {"low": np.nan, "high": np.nan}),
            "games": curve.games,
            "band": curve.band if has_band else "none",
        }
        parts.append(rows_of(sample, columns))
    return with_columns_first(joined(parts), COLUMNS)


def _at_every_value(experiment: Experiment) -> Iterator[tuple[Point, Sample]]:
    """The samples at each value."""
    cells: dict[tuple[str, int], list[LoadedCell]] = {}
    for cell in experiment.cells:
        cells.setdefault((cell.stored.setting, cell.stored.position), []).append(cell)
    for at_value in cells.values():
        point = at_value[0].stored.point
        assert point is not None
        yield point, Sample(point.problem, tuple(at_value))


def draw(numbers: "DataFrame", options: Options, scene: Scene) -> "Figure":
    """A panel for each problem."""
    drawn = has_runs(numbers)
    values = drawn["value"].drop_duplicates().tolist()
    places = _places_of(values)

    def draw_panel(axes: "Axes", rows: "DataFrame") -> None:
        _draw_curves(axes, rows, places, scene)
        _set_axes(axes, rows, places, options)

    runs = counted(drawn)["runs"].astype(int).tolist()
    caption = caption_of(runs, int(drawn["games"].max()), set(drawn["band"]))
    over = drawn["over"].iat[0]
    names = SETTING_NAMES.get(over, over), f"{regret_name(scene.regret)} at the horizon ({unit(scene.regret)})"
    return panel_per_problem(drawn, options, scene, draw_panel, names, caption)


def _places_of(values: Sequence[Any]) -> dict[Any, float]:
    """Positions of values on the axis: numbers at their value, names one after the other from 0."""
    if all(isinstance(value, (int, float)) and not isinstance(value, bool) for value in values):
        return {value: float(value) for value in values}
    return {value: float(k) for k, value in enumerate(values)}


def _draw_curves(axes: "Axes", rows: "DataFrame", places: dict[Any, float], scene: Scene) -> None:
    curves = groups(rows, "algorithm", "label")
    for k, (key, unordered) in enumerate(curves):
        style, zorder = scene.styles[key], canvas.layer(k, len(curves))
        curve = unordered.assign(place=unordered["value"].map(places)).sort_values("place")
        shade: dict[str, Any] = {"color": style.colour, "alpha": 0.16, "lw": 0, "zorder": zorder - 1}
        axes.fill_between(curve["place"], curve["low"].astype(float), curve["high"].astype(float), **shade)
        axes.plot(curve["place"], line_of(curve), zorder=zorder, label=canvas.literal(key[1]), **canvas.line(style))


def _set_axes(axes: "Axes", rows: "DataFrame", places: Mapping[Any, float], options: Options) -> None:
    from matplotlib.ticker import MaxNLocator

    values, at = list(places), sorted(places.values())
    named = any(not isinstance(value, (int, float)) for value in values)
    spans = at[0] > 0 and at[-1] >= 10 * at[0] and not named
    is_log = spans if options.x_scale is None else options.x_scale == "log"
    if is_log:
        axes.set_xscale("log")
    elif all(isinstance(value, int) for value in values):
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    if named or (is_log and not spans):  # less than a decade has hardly a tick of its own
        axes.set_xticks([places[value] for value in values], [canvas.literal(str(value)) for value in values])
        axes.set_xticks([], minor=True)
    if options.x:
        axes.set_xlim(*options.x)
    line = line_of(rows)
    spans_a_decade = len(line) > 0 and line.min() > 0 and line.max() >= 10 * line.min()
    if options.y_scale == "log" or (options.y_scale is None and not options.y and spans_a_decade):
        axes.set_yscale("log", nonpositive="clip")
        canvas.say_if_zero(axes, line)
    else:
        axes.set_ylim(bottom=0)
    canvas.set_y_ends(axes, options.y)
    if axes.get_yscale() != "log":
        canvas.shorten_numbers(axes.yaxis, axes.get_ylim()[1])
