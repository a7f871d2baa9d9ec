"""How regret at the horizon is distributed, on axes of regret: the share of the runs below each, or boxes."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from duelbench.figures.content.finals import Finals
from duelbench.figures.content.labelled import labelled, missing_of
from duelbench.figures.drawing import canvas
from duelbench.figures.drawing.regret_figure import REGRET_NAMES, csv_of
from duelbench.figures.drawing.style import Style, styles_of
from duelbench.figures.options import FigureOptions
from duelbench.statistics.curves import count_of
from duelbench.statistics.tails import distribution, simultaneous_half_width

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

ECDF_COLUMNS = ("problem", "algorithm", "label", "x", "share", "low", "high", "runs")
BOX_COLUMNS = ("problem", "algorithm", "label", *("smallest", "q05", "q25", "median", "q75", "q95", "largest"), "runs")

_QUANTILES = (0.0, 0.05, 0.25, 0.5, 0.75, 0.95, 1.0)
"""Of `BOX_COLUMNS`."""

_MARKERS_PER_CURVE = 6


def final_figure(
    found: Sequence[Finals],
    options: FigureOptions,
    regret: str,
    title: str | None,
    only: Iterable[str] | None,
    stamp: str | None,
) -> "Figure":
    """Draw the distribution of regret at the horizon: a panel per problem.

    Parameters
    ----------
    found : sequence of Finals
        At least one, in the order of the spec.
    options : FigureOptions
        Its ``form`` is ``ecdf`` or ``box``.
    regret : str
        The definition of regret.
    title : str, optional
    only : iterable of str, optional
        Labels to draw; by default all.
    stamp : str, optional
        A warning across every panel, beside that of missing runs.
    """
    looks = styles_of((one.algorithm, one.label) for one in found)
    drawn = labelled(found, only)
    problems = list(dict.fromkeys(one.problem for one in drawn))
    is_box = options.form == "box"
    with canvas.house_style():
        grid = canvas.new_grid(len(problems), title, options.columns)
        for k, (axes, problem) in enumerate(zip(grid.panels, problems, strict=True)):
            own = [one for one in drawn if one.problem == problem]
            _set_regret_axis(axes, own, options)
            if is_box:
                _draw_boxes(axes, own, looks)
            else:
                _draw_curves(axes, own, looks)
            canvas.stamp(axes, missing_of(own), stamp)
            if len(problems) > 1:
                axes.set_title(canvas.wrapped(problem, 0.9 * grid.panel_width))
            if k + grid.columns >= len(problems):
                sign = "" if is_box else ", x"
                name = f"{REGRET_NAMES.get(regret, f'{regret} regret')} at the horizon{sign} (duels)"
                axes.set_xlabel(canvas.wrapped(name, 0.8 * grid.panel_width))
            if k % grid.columns == 0 and not is_box:
                axes.set_ylabel("share of the runs up to x")
        runs = count_of([one.runs for one in drawn])
        said = (
            "median, quartiles, 5% and 95% quantiles, smallest and largest run"
            if is_box
            else "band: holds the whole distribution with 95% confidence"
        )
        canvas.add_legend(grid, _handles(drawn, looks, is_box), f"{runs}, {said}")
    return grid.figure


def _set_regret_axis(axes: "Axes", own: Sequence[Finals], options: FigureOptions) -> None:
    from matplotlib.ticker import FuncFormatter

    together = np.concatenate([one.regret for one in own])
    high = float(together.max(initial=0.0)) or 1.0
    if options.x_scale == "linear":
        left, right = options.x or (0, 1.05 * high)
        axes.set_xlim(left, right)
        axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: canvas.short_number(value, right)))
        return
    axes.set_xscale("log", nonpositive="clip")
    low = float(together[together > 0].min(initial=high))
    axes.set_xlim(*(options.x or (min(low, high / 10) / 1.1, 1.1 * high)))


def _handles(drawn: Sequence[Finals], looks: dict[tuple[str, str], Style], is_box: bool) -> list[Any]:
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    keys = dict.fromkeys((one.algorithm, one.label) for one in drawn)
    if is_box:
        return [Patch(facecolor=looks[key].colour, alpha=0.5, label=canvas.literal(key[1])) for key in keys]
    return [Line2D([], [], label=canvas.literal(key[1]), **canvas.line(looks[key])) for key in keys]


def _draw_curves(axes: "Axes", own: Sequence[Finals], looks: dict[tuple[str, str], Style]) -> None:
    left, right = axes.get_xlim()
    axes.set_ylim(0, 1.03)
    for number, one in enumerate(own):
        if not one.runs:
            continue
        look, layer = looks[one.algorithm, one.label], 3 + 0.001 * (len(own) - number)
        x, share, low, high = _curve(one)
        edges = np.concatenate([[min(left, x[0])], x, [max(right, x[-1])]])
        start = (0.0, 0.0, min(1.0, simultaneous_half_width(one.runs)))
        below, bottom, top = (np.concatenate([[a], b, b[-1:]]) for a, b in zip(start, (share, low, high), strict=True))
        axes.fill_between(edges, bottom, top, step="post", color=look.colour, alpha=0.12, lw=0, zorder=layer - 1)
        marks = (np.arange(_MARKERS_PER_CURVE) + (number + 0.5) / len(own)) / _MARKERS_PER_CURVE
        marked = np.unique(np.searchsorted(below[:-1], marks)).clip(1, len(x)).tolist()
        axes.plot(edges, below, drawstyle="steps-post", markevery=marked, zorder=layer, **canvas.line(look))


def _curve(one: Finals) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Where the share of the runs rises, the share from there on, and the ends of its band."""
    x, count = distribution(one.regret)
    share, half = count / max(one.runs, 1), simultaneous_half_width(max(one.runs, 1))
    return x, share, np.maximum(share - half, 0.0), np.minimum(share + half, 1.0)


def _draw_boxes(axes: "Axes", own: Sequence[Finals], looks: dict[tuple[str, str], Style]) -> None:
    """Lying boxes, the first algorithm on top."""
    axes.grid(False, axis="y")
    axes.set_yticks([])
    axes.set_ylim(len(own) - 0.4, -0.6)
    for place, one in enumerate(own):
        if not one.runs:
            continue
        colour = looks[one.algorithm, one.label].colour
        smallest, q05, q25, median, q75, q95, largest = np.quantile(one.regret, _QUANTILES).tolist()
        axes.hlines(place, q05, q95, color=colour, linewidth=1.0, zorder=3)
        axes.vlines([q05, q95], place - 0.12, place + 0.12, color=colour, linewidth=1.0, zorder=3)
        axes.barh(place, q75 - q25, 0.56, left=q25, color=colour, alpha=0.5, lw=0, zorder=4)
        axes.vlines(median, place - 0.28, place + 0.28, color=canvas.INK, linewidth=1.4, zorder=5)
        axes.plot([smallest, largest], [place, place], "|", color=colour, markersize=4, zorder=3)


def final_numbers(found: Sequence[Finals], options: FigureOptions, only: Iterable[str] | None) -> str:
    """The numbers of the figure as CSV, with the columns `ECDF_COLUMNS` or `BOX_COLUMNS`, to the last bit."""
    rows: list[dict[str, Any]] = []
    for one in labelled(found, only):
        names = {"problem": one.problem, "algorithm": one.algorithm, "label": one.label, "runs": one.runs}
        if not one.runs:
            continue
        if options.form == "box":
            numbers = np.quantile(one.regret, _QUANTILES).tolist()
            rows.append({**names, **dict(zip(BOX_COLUMNS[3:-1], map(repr, numbers), strict=True))})
            continue
        rows += [
            {**names, **dict(zip(ECDF_COLUMNS[3:-1], map(repr, point), strict=True))}
            for point in zip(*(numbers.tolist() for numbers in _curve(one)), strict=True)
        ]
    return csv_of(BOX_COLUMNS if options.form == "box" else ECDF_COLUMNS, rows)
