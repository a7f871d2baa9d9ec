"""Curves over time: a panel per problem, a line with a band for each algorithm."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from duelbench.bandits.statistics.curves import count_of
from duelbench.experiments.figures.drawing import canvas
from duelbench.experiments.figures.drawing.style import DASHES, Key, Style
from duelbench.experiments.figures.scene import Scene, counted, first_round, groups, has_runs, missing_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from pandas import DataFrame

BASELINE = "random"
"""The algorithm that learns nothing: its linear regret may leave the axes, unless it is alone in them."""

BOUND, CHANGE = "bound", "change"
"""In place of an algorithm's id in rows of a lower bound, and of a round in which the world changes."""

MOST_ABOVE = 2.0
"""Times the highest curve: bounds beyond it leave a linear axis, which would show the curves flat."""

_MARKERS_PER_CURVE = 7
_NO_BREAK = "\N{NO-BREAK SPACE}"
_LABEL_WIDTH = 3.0  # inches, before a label of the legend continues in a second line
_BOUND_LABEL_WIDTH = 2.0  # the caption's: beside one panel, the legend is as wide as its longest line
_MOST_TITLES = 2
_BEHIND = "#B8B8B8"
_BOUND_DASHES = ("dotted", "dashed", "dash-dot", "long")


@dataclass(frozen=True)
class OverTime:
    """How curves over time are drawn."""

    y_name: str  # of the upright axes
    caption: str  # what lines and bands are
    column: str = "mean"  # the column of the numbers that is drawn, if there is no median
    top: float | None = None  # the usual end of the upright axes; by default what fits
    start: int | None = None  # where the axes of time start, unless the options say so
    may_be_log: bool = False  # whether an axis is logarithmic if curves end a decade apart
    front: bool = False  # whether each algorithm has a panel, in which the others are thin and grey


@dataclass(frozen=True)
class _Panel:
    title: str
    problem: str
    rows: "DataFrame"
    front: Key | None = None


def draw_over_time(numbers: "DataFrame", options: Any, scene: Scene, how: OverTime) -> "Figure":
    """Draw curves over time.

    Parameters
    ----------
    numbers : DataFrame
        Columns: ``problem``, ``algorithm``, ``label``, ``horizon``, ``round``, the one that is drawn, ``low`` and
        ``high``, ``runs``, ``planned``; if need be ``median``, and ``run`` of the rows of single runs. An algorithm
        with several horizons is drawn as points.
    options : KindOptions
        Options with ``x``, ``y``, ``x_scale``, ``y_scale`` and ``columns``.
    scene : Scene
    how : OverTime
    """
    from matplotlib.lines import Line2D

    panels = _panels(numbers, scene, how.front)
    beyond: dict[str, list[str]] = {}
    with canvas.house_style():
        grid = canvas.new_grid([panel.title for panel in panels], scene.title, options.columns)
        labels = _labels(panels)
        bounds = _bounds(panels)
        for axes, panel in zip(grid.panels, panels, strict=True):
            limits = scene.limits.get(panel.problem, options)
            _draw_panel(axes, panel, limits, scene, how, labels, list(bounds))
            for label in _beyond(axes, panel.rows, how.column):
                beyond.setdefault(label, []).append(panel.title)
        canvas.name_axes(grid, "round t", how.y_name)
        listed: list[Any] = [Line2D([], [], label="the other algorithms", **_behind())]
        if not how.front:
            listed = _handles(panels, scene, labels)
        listed += [
            Line2D([], [], label=_bound_label(name, constants), **_bound_line(k))
            for k, (name, constants) in enumerate(bounds.items())
        ]
        lost = ", ".join(label + _where(titles, len(panels)) for label, titles in beyond.items())
        changes = _changes_in_words(panels, scene)
        caption = scene.caption(how.caption, *changes, f"beyond the axes: {lost}" if lost else "")
        canvas.add_legend(grid, listed, caption)
    return grid.figure


def _panels(numbers: "DataFrame", scene: Scene, front: bool) -> list[_Panel]:
    by_problem = groups(numbers, "problem")
    panels = []
    for problem, rows in by_problem:
        title = scene.titles.get(problem, problem)
        if not front:
            panels.append(_Panel(title, problem, rows))
            continue
        for key, curve in groups(_algorithms(rows), "algorithm", "label"):
            runs, planned = (int(number) for number in counted(curve).sum())
            few = f" ({runs} of {planned} runs)" if runs < planned else ""
            where = f" on {title}" if len(by_problem) > 1 else ""
            panels.append(_Panel(f"{key[1]}{few}{where}", problem, rows, key))
    return panels


def _algorithms(rows: "DataFrame") -> "DataFrame":
    """The rows of algorithms, without those of bounds and changes."""
    return rows[~rows["algorithm"].isin([BOUND, CHANGE])]


def _curves(rows: "DataFrame") -> "DataFrame":
    """The points of curves, without those of single runs."""
    curves = has_runs(_algorithms(rows))
    return curves[curves["run"].isna()] if "run" in curves else curves


def line_of(rows: "DataFrame", column: str = "mean") -> np.ndarray:
    """The line of a curve, (n,) float64: the median inside its quartiles, else the mean."""
    means = rows[column].to_numpy(np.float64)
    if "median" not in rows:
        return means
    medians = rows["median"].to_numpy(np.float64)
    return np.where(np.isnan(medians), means, medians)


def _bounds(panels: Sequence[_Panel]) -> dict[str, list[float]]:
    """The name of each bound -> its constants C in the panels that have it."""
    constants: dict[str, list[float]] = {}
    for panel in panels:
        for label, rows in groups(panel.rows[panel.rows["algorithm"] == BOUND], "label"):
            constants.setdefault(label, []).append(_constant(rows))
    return constants


def _constant(rows: "DataFrame") -> float:
    """The constant C of points on a line C log t."""
    return float(rows["mean"].iat[-1]) / max(math.log(rows["round"].iat[-1]), 1e-300)


def _bound_label(name: str, constants: Sequence[float]) -> str:
    """The name of a bound, with its constant unless several panels have it."""
    factor = f"{constants[0]:.4g}" if len(constants) == 1 else "C"
    formula = f"{factor} log t".replace(" ", _NO_BREAK)
    return canvas.wrapped(f"{name}: {formula}", _BOUND_LABEL_WIDTH).replace(_NO_BREAK, " ")


def _bound_line(number: int) -> dict[str, Any]:
    dash = DASHES[_BOUND_DASHES[number % len(_BOUND_DASHES)]]
    return {"color": "#555555", "linewidth": canvas.points(0.9), "linestyle": (0, dash), "zorder": 2.5}


def usual_runs(rows: "DataFrame") -> int | None:
    """The number of runs of most complete curves; None if no curve is complete."""
    counts: Counter[int] = Counter()
    for _, part in groups(_algorithms(rows), "problem", "algorithm", "label"):
        runs, planned = counted(part).sum()
        if runs == planned:
            counts[int(counted(part)["runs"].max())] += 1
    return max(counts, key=lambda runs: (counts[runs], runs), default=None)


def _labels(panels: Sequence[_Panel]) -> dict[Key, str]:
    """The name of each algorithm in the legend: its label, with its runs if the caption has another number."""
    import pandas

    usual = usual_runs(pandas.concat([panel.rows for panel in panels]))
    others: dict[Key, dict[str, list[str]]] = {}
    for panel in panels:
        for key, rows in groups(_algorithms(panel.rows), "algorithm", "label"):
            notes = others.setdefault(key, {})
            runs, planned = (int(number) for number in counted(rows).sum())
            most = int(counted(rows)["runs"].max())
            if runs < planned:
                notes.setdefault(f"{runs} of {count_of([planned])}", []).append(panel.title)
            elif most != usual:
                notes.setdefault(count_of([most]), []).append(panel.title)
    labels = {}
    for key, notes in others.items():
        words = ", ".join(text + _where(titles, len(panels)) for text, titles in notes.items())
        labels[key] = canvas.wrapped(f"{key[1]} ({words})" if words else key[1], _LABEL_WIDTH)
    return labels


def _handles(panels: Sequence[_Panel], scene: Scene, labels: Mapping[Key, str]) -> list[Any]:
    from matplotlib.lines import Line2D

    curves = [curve for panel in panels for curve in groups(_curves(panel.rows), "algorithm", "label")]
    points = {key for key, rows in curves if _is_points(rows)}
    return [
        Line2D([], [], label=label, **canvas.line(scene.styles[key], joined=key not in points))
        for key, label in labels.items()
    ]


def _is_points(rows: "DataFrame") -> bool:
    """Whether an algorithm was run again for each horizon, so that nothing joins its points."""
    return rows["horizon"].nunique() > 1


def _where(titles: Sequence[str], n_panels: int) -> str:
    """In which panels something is; nothing if there is only one, or if it is in all of them."""
    if len(titles) == n_panels:
        return ""
    return f" in {' and '.join(titles)}" if len(titles) <= _MOST_TITLES else f" in {len(titles)} panels"


def _changes_in_words(panels: Sequence[_Panel], scene: Scene) -> list[str]:
    titles_of: dict[str, list[str]] = {}
    for panel in panels:
        if words := scene.changes_of(panel.problem).words:
            titles_of.setdefault(words, []).append(panel.title)
    return [words + _where(titles, len(panels)) for words, titles in titles_of.items()]


def _draw_panel(
    axes: "Axes",
    panel: _Panel,
    options: Any,
    scene: Scene,
    how: OverTime,
    labels: Mapping[Key, str],
    bounds: Sequence[str],
) -> None:
    """``labels`` are those of the legend; the ``bounds`` of all panels decide the dashes."""
    for change in panel.rows["round"][panel.rows["algorithm"] == CHANGE]:
        axes.axvline(change, gid="change", color=_BEHIND, lw=canvas.points(0.8), zorder=1.9)
    canvas.stamp(axes, missing_of(_algorithms(panel.rows)), scene.stamp)
    drawn = groups(_curves(panel.rows), "algorithm", "label")
    if not drawn:
        axes.set(xticks=[], yticks=[])
        return
    last = int(_curves(panel.rows)["round"].max())
    first = first_round(options.x, last, how.start)
    for k, (key, rows) in enumerate(drawn):
        style, layer = scene.styles[key], canvas.layer(k, len(drawn))
        t, heights = rows["round"].to_numpy(int), line_of(rows, how.column)
        if panel.front not in (None, key):
            axes.plot(t, heights, **_behind(joined=not _is_points(rows)))
            continue
        _draw_single_runs(axes, panel.rows, key, style, layer)
        if _is_points(rows):
            line = _draw_points(axes, rows, heights, style, layer)
        else:
            phase = (k + 0.5) / len(drawn)
            _shade(axes, rows, style, layer)
            marked = _marked(t, first, last, phase)
            line = axes.plot(t, heights, zorder=layer, markevery=marked, **canvas.line(style))[0]
        line.set_label(labels[key])
    for label, rows in groups(panel.rows[panel.rows["algorithm"] == BOUND], "label"):
        t = np.geomspace(rows["round"].min(), rows["round"].max(), 50)
        constant = _constant(rows)
        name = _bound_label(label, [constant])
        axes.plot(t, constant * np.log(t), label=name, **_bound_line(bounds.index(label)))
    _set_time_axis(axes, options, first, last)
    _set_upright_axis(axes, panel, options, scene, how)


def _behind(joined: bool = True) -> dict[str, Any]:
    """How an algorithm is drawn in the panel of another one."""
    line = {"color": _BEHIND, "linewidth": canvas.points(0.8), "zorder": 2.2}
    return line if joined else {**line, "linestyle": "none", "marker": ".", "markersize": canvas.points(3)}


def _draw_single_runs(axes: "Axes", rows: "DataFrame", key: Key, style: Style, layer: float) -> None:
    if "run" not in rows:
        return
    runs = rows[(rows["algorithm"] == key[0]) & (rows["label"] == key[1]) & rows["run"].notna()]
    look: dict[str, Any] = {"color": style.colour, "alpha": 0.5, "lw": canvas.points(0.4), "zorder": layer - 0.5}
    for _, part in groups(runs, "run"):
        axes.plot(part["round"].astype(int), part["mean"], gid="single", **look)


def _shade(axes: "Axes", rows: "DataFrame", style: Style, layer: float) -> None:
    """Draw the band of a curve, if it has one."""
    low, high = (rows[end].to_numpy(np.float64) for end in ("low", "high"))
    if not np.isnan(low).all():
        t = rows["round"].to_numpy(int)
        axes.fill_between(t, low, high, color=style.colour, alpha=0.16, lw=0, zorder=layer - 1)


def _draw_points(axes: "Axes", rows: "DataFrame", heights: np.ndarray, style: Style, layer: float) -> Any:
    low, high = (rows[end].to_numpy(np.float64) for end in ("low", "high"))
    bars = np.nan_to_num(np.maximum([heights - low, high - heights], 0))
    sizes: dict[str, Any] = {"elinewidth": canvas.points(1.0), "capsize": canvas.points(2.0), "zorder": layer}
    look = canvas.line(style, joined=False)
    return axes.errorbar(rows["round"].to_numpy(int), heights, yerr=bars, **sizes, **look)[0]


def _marked(rounds: np.ndarray, first: int, last: int, phase: float) -> list[int]:
    """Indices of the points with a marker: evenly in log time, each curve shifted so that none are covered.

    The first fifth of the axis, in which all curves still overlap, has none.
    """
    if last <= first or len(rounds) <= 2:
        return list(range(len(rounds)))
    places = 0.2 + 0.8 * (np.arange(_MARKERS_PER_CURVE) + phase) / _MARKERS_PER_CURVE
    wanted = first * (last / first) ** places
    return sorted({int(np.argmin(np.abs(np.log(rounds / t)))) for t in wanted if t <= rounds[-1]})


def _set_time_axis(axes: "Axes", options: Any, first: int, last: int) -> None:
    end = options.x[1] if options.x else None
    last = max(int(end or last), first + 1)
    if options.x_scale == "linear":
        axes.set_xlim(first, last + 0.02 * (last - first))
        canvas.shorten_numbers(axes.xaxis, last)
        return
    axes.set_xscale("log")
    axes.set_xlim(first, last * (last / first) ** 0.02)  # room for a marker at the end
    canvas.name_few(axes.xaxis)


def _set_upright_axis(axes: "Axes", panel: _Panel, options: Any, scene: Scene, how: OverTime) -> None:
    """By default a logarithmic axis reaches over everything, a linear one over what learns and bounds not far above."""
    asked_low, asked_top = options.y or (None, None)
    asked_top = asked_top or how.top
    scale = getattr(options, "y_scale", None)
    drawn = _curves(panel.rows)
    lines = _shown_curves(drawn, panel.front, bool(scene.changes_of(panel.problem).words), how.column)
    bounds = panel.rows["mean"][panel.rows["algorithm"] == BOUND] if "mean" in panel.rows else []
    may_be_log = scale is None and how.may_be_log and not options.y
    if scale == "log" or (may_be_log and _spans_a_decade(lines, how.column)):
        heights = line_of(drawn, how.column)
        top = asked_top or 1.5 * max([_highest(has_runs(_algorithms(panel.rows)), how.column), *bounds])
        smallest = float(heights[heights > 0].min()) if np.any(heights > 0) else 1.0
        axes.set_ylim(asked_low or min(smallest / 1.5, top / 10), top)
        axes.set_yscale("log", nonpositive="clip")
        canvas.say_if_zero(axes, heights, "no regret" if how.column == "mean" else "all are 0")
        return
    highest = _highest(lines, how.column)
    ends = panel.rows[panel.rows["algorithm"] == BOUND].groupby("label")["mean"].max() if len(bounds) else []
    top = asked_top or 1.05 * max([highest, *(end for end in ends if end <= MOST_ABOVE * highest)])
    axes.set_ylim(asked_low or 0, top)
    canvas.shorten_numbers(axes.yaxis, top)


def _shown_curves(drawn: "DataFrame", front: Key | None, changes: bool, column: str) -> "DataFrame":
    """The curves that a linear axis holds: all that are at most `MOST_ABOVE` times as high as those of what learns.

    Among these are all that would not be seen at all otherwise, and the one that the panel is for. What is run again
    for each horizon is what learns only if the world changes, or if there is nothing else.
    """
    curves = groups(drawn, "algorithm", "label")
    learning = [(key, rows) for key, rows in curves if key[0] != BASELINE] or curves
    joined = [(key, rows) for key, rows in learning if changes or not _is_points(rows)] or learning
    top = max(_highest(rows, column) for _, rows in joined)
    shown = {key for key, _ in joined} | {front}
    for key, rows in learning:
        line = line_of(rows, column)
        if line.max() <= MOST_ABOVE * top or line.min() > top:
            shown.add(key)
    return drawn[[key in shown for key in zip(drawn["algorithm"], drawn["label"], strict=True)]]


def _spans_a_decade(rows: "DataFrame", column: str) -> bool:
    """Whether the curves end so far apart that a linear axis would show the lowest flat."""
    ends = [float(line_of(curve, column)[-1]) for _, curve in groups(rows, "algorithm", "label")]
    return max(ends, default=0.0) >= 10 * min(ends, default=0.0) > 0


def _highest(rows: "DataFrame", column: str) -> float:
    """The highest point of curves, their bands and single runs; 1 if nothing is above 0."""
    parts = [line_of(rows, column), rows["high"].to_numpy(np.float64)]
    return max((float(np.nanmax(part, initial=0.0)) for part in parts), default=0.0) or 1.0


def _beyond(axes: "Axes", rows: "DataFrame", column: str) -> list[str]:
    """The labels of the curves and bounds of which a part is above the axes."""
    top = axes.get_ylim()[1]
    lost = [key[1] for key, curve in groups(_curves(rows), "algorithm", "label") if line_of(curve, column).max() > top]
    bounds = groups(rows[rows["algorithm"] == BOUND], "label")
    return lost + [label for label, line in bounds if line["mean"].max() > top]
