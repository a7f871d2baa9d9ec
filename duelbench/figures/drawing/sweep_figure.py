"""Regret at the horizon against what a spec sweeps over: one panel per problem, a curve per algorithm."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from duelbench.figures.content.labelled import labelled, missing_of
from duelbench.figures.content.sweep_points import SweepPoint
from duelbench.figures.drawing import canvas
from duelbench.figures.drawing.regret_figure import REGRET_NAMES, csv_of, numbers_of
from duelbench.figures.drawing.style import styles_of
from duelbench.figures.options import FigureOptions
from duelbench.statistics.curves import caption_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

CSV_COLUMNS = (
    *("problem", "algorithm", "label", "over", "value", "mean", "low", "high"),
    *("games", "runs", "planned", "band"),
)

SETTING_NAMES = {
    "feedback_delay": "feedback delay (rounds)",
    "horizon": "horizon (rounds)",
    "n_arms": "number of arms K",
}
"""What a sweep is over -> its name on an axis."""


def sweep_figure(
    points: Sequence[SweepPoint], options: FigureOptions, regret: str, title: str | None, only: Iterable[str] | None
) -> "Figure":
    """Draw regret at the horizon against what is swept over.

    Parameters
    ----------
    points : sequence of SweepPoint
        In the order of the spec.
    options : FigureOptions
    regret : str
        The definition of regret.
    title : str, optional
    only : iterable of str, optional
        Labels to draw; by default all.
    """
    looks = styles_of((point.algorithm, point.label) for point in points)
    drawn = labelled(points, only)
    problems = list(dict.fromkeys(point.problem for point in points))
    values = list(dict.fromkeys(point.value for point in points))
    places = places_of(values)
    with canvas.house_style():
        grid = canvas.new_grid(len(problems), title, options.columns)
        for axes, problem in zip(grid.panels, problems, strict=True):
            own = [point for point in drawn if point.problem == problem]
            _draw_panel(axes, own, places, looks)
            _set_axes(axes, values, places, options)
            if len(problems) > 1:
                axes.set_title(canvas.wrapped(problem, 0.9 * grid.panel_width))
            canvas.stamp(axes, missing_of(own))
        _name_axes(grid, points[0].over, regret)
        canvas.add_legend(grid, _handles(drawn, looks), caption(drawn))
    return grid.figure


def places_of(values: Sequence[Any]) -> dict[Any, float]:
    """Where values stand on the axis: numbers at themselves, names one after the other from 0.

    Examples
    --------
    >>> places_of([3, 6]), places_of(["icml", "arxiv"])
    ({3: 3.0, 6: 6.0}, {'icml': 0.0, 'arxiv': 1.0})
    """
    if all(isinstance(value, (int, float)) and not isinstance(value, bool) for value in values):
        return {value: float(value) for value in values}
    return {value: float(k) for k, value in enumerate(values)}


def _draw_panel(axes: "Axes", points: Sequence[SweepPoint], places: dict[Any, float], looks: dict[Any, Any]) -> None:
    curves: dict[tuple[str, str], list[SweepPoint]] = {}
    for point in points:
        curves.setdefault((point.algorithm, point.label), []).append(point)
    for k, (key, unordered) in enumerate(curves.items()):
        layer = 3 + 0.001 * (len(curves) - k)
        own = sorted(unordered, key=lambda point: places[point.value])
        x = [places[point.value] for point in own]
        if any(point.curve.band != "none" for point in own):
            low, high = [point.curve.low[0] for point in own], [point.curve.high[0] for point in own]
            axes.fill_between(x, low, high, color=looks[key].colour, alpha=0.16, lw=0, zorder=layer - 1)
        height = [point.curve.line[0] for point in own]
        axes.plot(x, height, zorder=layer, label=canvas.literal(key[1]), **canvas.line(looks[key]))


def _set_axes(axes: "Axes", values: Sequence[Any], places: dict[Any, float], options: FigureOptions) -> None:
    from matplotlib.ticker import FuncFormatter, MaxNLocator

    at = sorted(places.values())
    named = any(not isinstance(value, (int, float)) for value in values)
    spans = at[0] > 0 and at[-1] >= 10 * at[0] and not named
    if options.x_scale == "log" or (not options.x_scale and spans):
        axes.set_xscale("log")
    elif all(isinstance(value, int) for value in values):
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    if named:
        axes.set_xticks([places[value] for value in values], [canvas.literal(str(value)) for value in values])
    if options.x:
        axes.set_xlim(*options.x)
    if options.y_scale == "log":
        axes.set_yscale("log", nonpositive="clip")
    else:
        axes.set_ylim(bottom=0)
    if options.y:
        axes.set_ylim(options.y[0] if options.y[0] > 0 or options.y_scale != "log" else None, options.y[1])
    if options.y_scale != "log":
        top = axes.get_ylim()[1]
        axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: canvas.short_number(value, top)))


def _name_axes(grid: canvas.Grid, over: str, regret: str) -> None:
    name = f"{REGRET_NAMES.get(regret, f'{regret} regret')} at the horizon (duels)"
    for k, axes in enumerate(grid.panels):
        if k + grid.columns >= len(grid.panels):
            axes.set_xlabel(SETTING_NAMES.get(over, over))
        if k % grid.columns == 0:
            axes.set_ylabel(canvas.wrapped(name, 0.75 * grid.panel_height))


def _handles(points: Sequence[SweepPoint], looks: dict[Any, Any]) -> list[Any]:
    from matplotlib.lines import Line2D

    keys = dict.fromkeys((point.algorithm, point.label) for point in points)
    return [Line2D([], [], label=canvas.literal(key[1]), **canvas.line(looks[key])) for key in keys]


def caption(points: Sequence[SweepPoint]) -> str:
    """What lines and bands are, in words."""
    games = max(point.curve.games for point in points)
    return caption_of([point.runs for point in points], games, {point.curve.band for point in points})


def plotted_numbers(points: Sequence[SweepPoint], only: Iterable[str] | None) -> str:
    """The numbers of the figure as CSV, with the columns `CSV_COLUMNS`; they are read back to the last bit."""
    rows = [
        {
            "problem": point.problem,
            "algorithm": point.algorithm,
            "label": point.label,
            "over": point.over,
            "value": point.value,
            "games": point.curve.games,
            "planned": point.planned,
            **numbers_of(point.curve)[0],
        }
        for point in labelled(points, only)
    ]
    return csv_of(CSV_COLUMNS, rows)
