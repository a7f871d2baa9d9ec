"""Regret at the horizon against what a spec sweeps over: one panel per problem, a curve per algorithm."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from duelbench.figures.content.panels import pool_cells
from duelbench.figures.drawing import canvas
from duelbench.figures.drawing.regret_figure import numbers_of, regret_name, unit, with_medians
from duelbench.figures.options import FigureOptions
from duelbench.figures.picture import Looks, OfRuns, Picture, Request, about, panel_per_problem
from duelbench.results.experiments import Experiment, LoadedCell
from duelbench.spec.experiment_spec import Point
from duelbench.statistics.curves import Curve, caption_of, summarise

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from pandas import DataFrame

CSV_COLUMNS = (
    *("problem", "algorithm", "label", "over", "value", "mean", "low", "high"),
    *("games", "runs", "planned", "band"),
)

SETTING_NAMES = {
    "feedback_batch": "outcomes in batches of (rounds)",
    "feedback_delay": "delay of each outcome (rounds)",
    "horizon": "horizon (rounds)",
    "n_arms": "number of arms K",
}
"""What a sweep is over -> its name on an axis."""


@dataclass(frozen=True, eq=False, kw_only=True)
class _SweepPoint(OfRuns):
    """Regret at the horizon of one algorithm at one value."""

    over: str
    value: Any
    curve: Curve  # at the horizon alone, of the runs on all random matrices together


def sweep(request: Request) -> Picture:
    """Regret at the horizon against what is swept over; points without any run are left out."""
    found = _points(request)
    return Picture(lambda: _figure(request, found), lambda: _numbers(request.shown(found)))


def _points(request: Request) -> list[_SweepPoint]:
    experiment = request.experiment
    groups: dict[tuple[str, int], list[LoadedCell]] = {}
    for cell in _at_every_value(experiment):
        groups.setdefault((cell.stored.setting, cell.stored.position), []).append(cell)
    points = []
    for cells in groups.values():
        pooled, point = pool_cells(experiment, cells), cells[0].stored.point
        if not pooled.n_runs or point is None:
            continue
        at_end = pooled.regret[:, request.which, -1:]
        curve = summarise(pooled.rounds[-1:], at_end, request.options.band, pooled.games)
        value = tuple(point.value) if isinstance(point.value, list) else point.value
        said = {**about([pooled]), "problem": point.problem}
        points.append(_SweepPoint(**said, over=point.over, value=value, curve=curve))
    return points


def _at_every_value(experiment: Experiment) -> Iterator[LoadedCell]:
    """The cells; those of algorithms that a sweep leaves as they are stand at each of its values."""
    sweep = experiment.results.spec.get("sweep", {"values": ()})
    for cell in experiment.cells:
        if cell.stored.point is not None:
            yield cell
            continue
        for value in sweep["values"]:
            point = Point(cell.stored.problem, sweep["over"], value)
            yield replace(cell, stored=replace(cell.stored, point=point))


def _figure(request: Request, points: Sequence[_SweepPoint]) -> "Figure":
    drawn = request.shown(points)
    values = list(dict.fromkeys(point.value for point in points))
    places = _places_of(values)

    def draw(axes: "Axes", own: list[_SweepPoint]) -> None:
        _draw_panel(axes, own, places, request.looks)
        _set_axes(axes, values, places, request.options)

    games = max(point.curve.games for point in drawn)
    caption = caption_of([point.runs for point in drawn], games, {point.curve.band for point in drawn})
    over = points[0].over
    names = SETTING_NAMES.get(over, over), f"{regret_name(request.regret)} at the horizon ({unit(request.regret)})"
    return panel_per_problem(request, drawn, draw, names, caption)


def _places_of(values: Sequence[Any]) -> dict[Any, float]:
    """Where values stand on the axis: numbers at themselves, names one after the other from 0."""
    if all(isinstance(value, (int, float)) and not isinstance(value, bool) for value in values):
        return {value: float(value) for value in values}
    return {value: float(k) for k, value in enumerate(values)}


def _draw_panel(axes: "Axes", points: Sequence[_SweepPoint], places: dict[Any, float], looks: Looks) -> None:
    curves: dict[tuple[str, str], list[_SweepPoint]] = {}
    for point in points:
        curves.setdefault(point.key, []).append(point)
    for k, (key, unordered) in enumerate(curves.items()):
        zorder = canvas.layer(k, len(curves))
        own = sorted(unordered, key=lambda point: places[point.value])
        x = [places[point.value] for point in own]
        if any(point.curve.band != "none" for point in own):
            low, high = [point.curve.low[0] for point in own], [point.curve.high[0] for point in own]
            axes.fill_between(x, low, high, color=looks[key].colour, alpha=0.16, lw=0, zorder=zorder - 1)
        height = [point.curve.line[0] for point in own]
        axes.plot(x, height, zorder=zorder, label=canvas.literal(key[1]), **canvas.line(looks[key]))


def _set_axes(axes: "Axes", values: Sequence[Any], places: dict[Any, float], options: FigureOptions) -> None:
    from matplotlib.ticker import MaxNLocator

    at = sorted(places.values())
    named = any(not isinstance(value, (int, float)) for value in values)
    spans = at[0] > 0 and at[-1] >= 10 * at[0] and not named
    is_log = options.x_scale == "log" or (not options.x_scale and spans)
    if is_log:
        axes.set_xscale("log")
    elif all(isinstance(value, int) for value in values):
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    if named or (is_log and not spans):  # less than a decade has hardly a tick of its own
        axes.set_xticks([places[value] for value in values], [canvas.literal(str(value)) for value in values])
        axes.set_xticks([], minor=True)
    if options.x:
        axes.set_xlim(*options.x)
    if options.y_scale == "log":
        axes.set_yscale("log", nonpositive="clip")
    else:
        axes.set_ylim(bottom=0)
    canvas.set_y_ends(axes, options.y)
    if options.y_scale != "log":
        canvas.shorten_numbers(axes.yaxis, axes.get_ylim()[1])


def _numbers(found: Sequence[_SweepPoint]) -> "DataFrame":
    rows = [{**vars(point), "games": point.curve.games, **numbers_of(point.curve)[0]} for point in found]
    return with_medians(CSV_COLUMNS, rows)
