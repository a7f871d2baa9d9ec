"""Identification: the share of the runs still without an answer over time, and algorithms by their duels and errors."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from duelbench.figures.content.answer_times import Answers
from duelbench.figures.content.labelled import labelled, missing_of
from duelbench.figures.drawing import canvas
from duelbench.figures.drawing.regret_figure import csv_of
from duelbench.figures.drawing.style import Style, styles_of
from duelbench.figures.options import FigureOptions
from duelbench.statistics.curves import count_of
from duelbench.statistics.tails import clopper_pearson, simultaneous_half_width

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Looks = dict[tuple[str, str], Style]

WAITING_COLUMNS = ("problem", "algorithm", "label", "round", "share", "low", "high", "runs")
ERROR_COLUMNS = (
    *("problem", "algorithm", "label", "rounds", "rounds_low", "rounds_high", "median"),
    *("error", "error_low", "error_high", "unanswered", "bound", "runs"),
)

_MARKERS_PER_CURVE = 6
_ARROW = 1.6  # length, on an axis of logarithms
_BOUND: dict[str, Any] = {"color": canvas.INK, "linestyle": (0, (1, 1.6)), "linewidth": 1.0, "zorder": 1.5}


def waiting_figure(
    found: Sequence[Answers], options: FigureOptions, title: str | None, only: Iterable[str] | None, stamp: str | None
) -> "Figure":
    """Draw the share of the runs that have no answer yet, against log time: a panel per problem.

    Parameters
    ----------
    found : sequence of Answers
        At least one, in the order of the spec.
    options : FigureOptions
    title : str, optional
    only : iterable of str, optional
        Labels to draw; by default all.
    stamp : str, optional
        A warning across every panel, beside that of missing runs.
    """
    looks = styles_of((one.algorithm, one.label) for one in found)
    drawn = labelled(found, only)
    with canvas.house_style():
        grid = _new_grid(drawn, options, title)
        for axes, own in zip(grid.panels, _by_problem(drawn), strict=True):
            _set_rounds_axis(axes, own, options)
            axes.set_ylim(*(options.y or (0, 1.03)))
            for number, one in enumerate(own):
                _draw_waiting(axes, one, looks[one.algorithm, one.label], number, len(own))
            _draw_bound(axes, own)
            canvas.stamp(axes, missing_of(own), stamp)
        _name_axes(grid, "round t", "share of the runs without an answer")
        runs = count_of([one.runs for one in drawn])
        said = f"{runs}, band: holds the whole distribution with 95% confidence"
        canvas.add_legend(grid, _handles(drawn, looks, joined=True), said)
    return grid.figure


def error_map(
    found: Sequence[Answers], options: FigureOptions, title: str | None, only: Iterable[str] | None, stamp: str | None
) -> "Figure":
    """Draw each algorithm as a point: how many rounds its answer takes, how often it is wrong. A panel per problem.

    Parameters are those of `waiting_figure`. An algorithm with runs that have no answer stands at the median, with an
    arrow to the right; at the end of the axis where fewer than half have one.
    """
    looks = styles_of((one.algorithm, one.label) for one in found)
    drawn = labelled(found, only)
    with canvas.house_style():
        grid = _new_grid(drawn, options, title)
        for axes, own in zip(grid.panels, _by_problem(drawn), strict=True):
            _set_rounds_axis(axes, own, options)
            _draw_points(axes, own, looks, options)
            axes.axhline(own[0].delta, color=canvas.INK, linewidth=0.8, linestyle=(0, (4, 2)), zorder=1.5)
            _draw_bound(axes, own)
            canvas.stamp(axes, missing_of(own), stamp)
        _name_axes(grid, "rounds before the answer", "share of wrong answers")
        runs = count_of([one.runs for one in drawn])
        said = f"mean of {runs}, 95% confidence intervals; arrow: some without an answer, at the median; dashes: delta"
        canvas.add_legend(grid, _handles(drawn, looks, joined=False), said)
    return grid.figure


def _by_problem(drawn: Sequence[Answers]) -> list[list[Answers]]:
    problems = list(dict.fromkeys(one.problem for one in drawn))
    return [[one for one in drawn if one.problem == problem] for problem in problems]


def _new_grid(drawn: Sequence[Answers], options: FigureOptions, title: str | None) -> canvas.Grid:
    """A panel per problem, with its name where there are several."""
    problems = list(dict.fromkeys(one.problem for one in drawn))
    grid = canvas.new_grid(len(problems), title, options.columns)
    for axes, problem in zip(grid.panels, problems, strict=True):
        if len(problems) > 1:
            axes.set_title(canvas.wrapped(problem, 0.9 * grid.panel_width))
    return grid


def _name_axes(grid: canvas.Grid, x_name: str, y_name: str) -> None:
    for k, axes in enumerate(grid.panels):
        if k + grid.columns >= len(grid.panels):
            axes.set_xlabel(x_name)
        if k % grid.columns == 0:
            axes.set_ylabel(canvas.wrapped(y_name, 0.75 * grid.panel_height))


def _set_rounds_axis(axes: "Axes", own: Sequence[Answers], options: FigureOptions) -> None:
    """A logarithmic axis that holds every answer, and the bound."""
    axes.set_xscale("log")
    finite = [one.rounds[np.isfinite(one.rounds)] for one in own]
    there = np.concatenate([*finite, [one.bound for one in own if one.bound], [1.0 * min(one.horizon for one in own)]])
    low, high = float(there[there > 0].min()), float(there.max())
    if not any(one.n_answered < one.runs for one in own):
        high = max((float(part.max()) for part in finite if part.size), default=high)
    axes.set_xlim(*(options.x or (low / 1.3, 1.3 * high)))


def _draw_bound(axes: "Axes", own: Sequence[Answers]) -> None:
    if own[0].bound:
        axes.axvline(own[0].bound, **_BOUND)


def _handles(drawn: Sequence[Answers], looks: Looks, joined: bool) -> list[Any]:
    from matplotlib.lines import Line2D

    keys = dict.fromkeys((one.algorithm, one.label) for one in drawn)
    handles = [Line2D([], [], label=canvas.literal(key[1]), **canvas.line(looks[key], joined=joined)) for key in keys]
    if any(one.bound for one in drawn):
        handles.append(Line2D([], [], label="lower bound on the mean", **_BOUND))
    return handles


def _waiting(one: Answers) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """After which rounds the share falls, the share from then on, and the ends of its band."""
    x, counts = np.unique(one.rounds[np.isfinite(one.rounds)], return_counts=True)
    share = 1 - np.cumsum(counts) / max(one.runs, 1)
    half = simultaneous_half_width(max(one.runs, 1))
    return x, share, np.maximum(share - half, 0.0), np.minimum(share + half, 1.0)


def _draw_waiting(axes: "Axes", one: Answers, look: Style, number: int, n_curves: int) -> None:
    if not one.runs:
        return
    left, right = axes.get_xlim()
    layer = 3 + 0.001 * (n_curves - number)
    x, share, low, high = _waiting(one)
    half = min(1.0, simultaneous_half_width(one.runs))
    edges = np.concatenate([[min(left, *x[:1])] if x.size else [left], x, [right]])
    line, bottom, top = (
        np.concatenate([[start], part, part[-1:] if part.size else [start]])
        for start, part in zip((1.0, 1.0 - half, 1.0), (share, low, high), strict=True)
    )
    inner = slice(1, -1) if one.n_answered == one.runs else slice(1, None)  # where all wait, or none, bands say nothing
    shade: dict[str, Any] = {"color": look.colour, "alpha": 0.12, "lw": 0, "zorder": layer - 1}
    axes.fill_between(edges[inner], bottom[inner], top[inner], step="post", **shade)
    marks = (np.arange(_MARKERS_PER_CURVE) + (number + 0.5) / n_curves) / _MARKERS_PER_CURVE
    marked = np.unique(np.searchsorted(-line[:-1], -marks)).clip(0, len(line) - 1).tolist()
    axes.plot(edges, line, drawstyle="steps-post", markevery=marked, zorder=layer, **canvas.line(look))


def _errors(one: Answers) -> tuple[float, float, float]:
    """The share of wrong answers and its confidence interval."""
    low, high = clopper_pearson(np.array([one.n_wrong]), max(one.runs, 1))
    return one.n_wrong / max(one.runs, 1), float(low[0]), float(high[0])


def _rounds(one: Answers) -> tuple[float, float, float]:
    """The mean and its confidence interval; where a run has no answer the median, without one."""
    if one.n_answered < one.runs:
        median = float(np.quantile(one.rounds, 0.5, method="higher"))
        return median, median, median
    half = 1.96 * float(one.rounds.std(ddof=1)) / one.runs**0.5 if one.runs > 1 else 0.0
    return one.mean, max(one.mean - half, one.rounds.min()), one.mean + half


def _draw_points(axes: "Axes", own: Sequence[Answers], looks: Looks, options: FigureOptions) -> None:
    right = axes.get_xlim()[1]
    top = 2 * own[0].delta
    for one in own:
        if not one.runs:
            continue
        look = looks[one.algorithm, one.label]
        error, low, high = _errors(one)
        x, left_end, right_end = _rounds(one)
        is_open = one.n_answered < one.runs
        if is_open:
            x = left_end = right_end = min(x, right / _ARROW)
        axes.errorbar(
            x,
            error,
            xerr=[[x - left_end], [right_end - x]],
            yerr=[[error - low], [high - error]],
            elinewidth=0.8,
            zorder=3,
            **canvas.line(look, joined=False),
        )
        if is_open:
            arrow = {"arrowstyle": "->", "color": look.colour, "linewidth": 1.2, "shrinkA": 0}
            axes.annotate("", (min(x * _ARROW, right), error), (x, error), arrowprops=arrow, zorder=3)
        top = max(top, 1.1 * high)
    axes.set_ylim(*(options.y or (-0.03 * top, top)))


def waiting_numbers(found: Sequence[Answers], only: Iterable[str] | None) -> str:
    """The numbers of `waiting_figure` as CSV, with the columns `WAITING_COLUMNS`, to the last bit."""
    rows = [
        {
            "problem": one.problem,
            "algorithm": one.algorithm,
            "label": one.label,
            "round": repr(x),
            "share": repr(share),
            "low": repr(low),
            "high": repr(high),
            "runs": one.runs,
        }
        for one in labelled(found, only)
        for x, share, low, high in zip(*(part.tolist() for part in _waiting(one)), strict=True)
    ]
    return csv_of(WAITING_COLUMNS, rows)


def error_numbers(found: Sequence[Answers], only: Iterable[str] | None) -> str:
    """The numbers of `error_map` as CSV, with the columns `ERROR_COLUMNS`, to the last bit."""
    rows = []
    for one in labelled(found, only):
        if not one.runs:
            continue
        error, low, high = _errors(one)
        mean, left, right = _rounds(one)
        has_all = one.n_answered == one.runs
        rows.append(
            {
                "problem": one.problem,
                "algorithm": one.algorithm,
                "label": one.label,
                "rounds": repr(mean) if has_all else "",
                "rounds_low": repr(float(left)) if has_all else "",
                "rounds_high": repr(right) if has_all else "",
                "median": repr(float(np.quantile(one.rounds, 0.5, method="higher"))),
                "error": repr(error),
                "error_low": repr(low),
                "error_high": repr(high),
                "unanswered": one.runs - one.n_answered,
                "bound": repr(one.bound) if one.bound else "",
                "runs": one.runs,
            }
        )
    return csv_of(ERROR_COLUMNS, rows)
