"""How regret at the horizon is distributed over the runs: step curves of the share above or up to x, or boxes."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from duelbench.figures.drawing import canvas
from duelbench.figures.drawing.regret_figure import regret_name, unit
from duelbench.figures.numbers import names_of, table_of
from duelbench.figures.picture import OfRuns, Picture, Request, about, longest, panel_per_problem
from duelbench.results.experiments import LoadedCell
from duelbench.statistics import tails
from duelbench.statistics.curves import count_of
from duelbench.statistics.tails import simultaneous_half_width

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from pandas import DataFrame

STEP_COLUMNS = ("problem", "algorithm", "label", "x", "share", "low", "high", "runs")
BOX_COLUMNS = ("problem", "algorithm", "label", *("smallest", "q05", "q25", "median", "q75", "q95", "largest"), "runs")

_QUANTILES = (0.0, 0.05, 0.25, 0.5, 0.75, 0.95, 1.0)
"""Of `BOX_COLUMNS`."""

_NEARLY_ALL = 0.98  # of the runs: where more are above, a curve shows nothing, and the axis need not


@dataclass(frozen=True, eq=False, kw_only=True)
class Steps(OfRuns):
    """The share of the runs of one algorithm on one problem, as a step curve."""

    x: np.ndarray  # where the share changes, increasing
    share: np.ndarray  # from there on
    low: np.ndarray  # the ends of its band
    high: np.ndarray
    start: tuple[float, float, float]  # the share before the first step, with the ends of its band
    shaded: tuple[int, int | None] = (0, None)  # which of the steps, with both ends of the axis, have a band


def survival(request: Request) -> Picture:
    """The share of the runs above each regret at the longest horizon, with Clopper and Pearson's intervals."""

    def steps_of(regret: np.ndarray) -> dict[str, Any]:
        x, above = tails.survival(regret)
        low, high = tails.clopper_pearson(above, len(regret))
        share = above / max(len(regret), 1)
        return {"x": x, "share": share, "low": low, "high": high, "start": (1.0, 1.0, 1.0), "shaded": (1, -1)}

    drawn = _at_the_horizon(request, steps_of)

    def draw(axes: "Axes", own: list[Steps]) -> None:
        _set_survival_axes(axes, own, request)
        draw_steps(axes, own, request)

    names = f"{regret_name(request.regret)} at the horizon, x ({unit(request.regret)})", "share of the runs above x"
    said = f"{count_of([one.runs for one in drawn])}, band: 95% confidence interval of each share"
    return Picture(lambda: panel_per_problem(request, drawn, draw, names, said), lambda: table_of_steps(drawn, "x"))


def _at_the_horizon(request: Request, steps_of: Callable[[np.ndarray], dict[str, Any]]) -> list[Steps]:
    """The step curves of regret at the longest horizon of each algorithm on each problem that is to be drawn."""
    cells = longest(request.experiment.cells)
    return request.shown([Steps(**about([cell]), **steps_of(_at_the_end(cell, request))) for cell in cells])


def _at_the_end(cell: LoadedCell, request: Request) -> np.ndarray:
    return cell.regret[:, request.which, -1] if cell.n_runs else np.zeros(0)


def _set_survival_axes(axes: "Axes", own: Sequence[Steps], request: Request) -> None:
    there = [one for one in own if one.runs]
    axes.set_xscale("log", nonpositive="clip")
    axes.set_yscale("log", nonpositive="clip")
    largest = max((float(one.x[-1]) for one in there), default=0.0) or 1.0
    begins = [one.x[one.share <= _NEARLY_ALL][0] for one in there]
    low = min((float(x) for x in begins if x > 0), default=largest / 10)
    axes.set_xlim(*(request.options.x or (low / 1.1, max(largest, 1.1 * low) * 1.1)))
    canvas.name_few(axes.xaxis)
    most = max((one.runs for one in there), default=1)
    axes.set_ylim(*(request.options.y or (0.6 / most, 1.3)))


def draw_steps(axes: "Axes", own: Sequence[Steps], request: Request) -> None:
    """Draw the curves of all that have runs, with their bands, across the whole axis."""
    left, right = axes.get_xlim()
    for number, one in enumerate(own):
        if not one.runs:
            continue
        look, zorder = request.looks[one.key], canvas.layer(number, len(own))
        edges = np.array([min(left, *one.x[:1]), *one.x, max(right, *one.x[-1:])] if one.x.size else [left, right])
        line, bottom, top = (
            np.array([first, *part, part[-1] if part.size else first])
            for first, part in zip(one.start, (one.share, one.low, one.high), strict=True)
        )
        shade: dict[str, Any] = {"color": look.colour, "alpha": 0.14, "lw": 0, "zorder": zorder - 1}
        shaded = slice(*one.shaded)
        axes.fill_between(edges[shaded], bottom[shaded], top[shaded], step="post", **shade)
        places = canvas.marker_places(number, len(own))
        shares = (1 / one.runs) ** places if axes.get_yscale() == "log" else places
        sign = -1 if one.start[0] else 1
        marked = np.unique(np.searchsorted(sign * line[:-1], sign * shares)).clip(1, len(line) - 1).tolist()
        axes.plot(edges, line, drawstyle="steps-post", markevery=marked, zorder=zorder, **canvas.line(look))


def table_of_steps(found: Sequence[Steps], x_name: str) -> "DataFrame":
    """Exactly the steps that are drawn."""
    columns = tuple(x_name if name == "x" else name for name in STEP_COLUMNS)
    rows: list[dict[str, Any]] = []
    for one in found:
        said = {**names_of(one), "runs": one.runs}
        points = zip(one.x.tolist(), one.share.tolist(), one.low.tolist(), one.high.tolist(), strict=True)
        rows += [{**said, x_name: x, "share": share, "low": low, "high": high} for x, share, low, high in points]
    return table_of(columns, rows)


def with_band(share: np.ndarray, n: int, start: float) -> dict[str, Any]:
    """Shares of n runs with a band that holds the whole distribution with 95% confidence: fields of `Steps`."""
    half = simultaneous_half_width(max(n, 1))
    ends = max(start - half, 0.0), min(start + half, 1.0)
    band = {"low": np.maximum(share - half, 0.0), "high": np.minimum(share + half, 1.0)}
    return {"share": share, **band, "start": (start, *ends)}


def distribution(request: Request) -> Picture:
    """The distribution of regret at the longest horizon; the option ``form`` is ``ecdf`` or ``box``."""
    if request.options.form == "box":
        return _boxes(request)

    def steps_of(regret: np.ndarray) -> dict[str, Any]:
        x, count = tails.distribution(regret)
        return {"x": x, **with_band(count / max(len(regret), 1), len(regret), 0.0)}

    drawn = _at_the_horizon(request, steps_of)

    def draw(axes: "Axes", own: list[Steps]) -> None:
        _set_regret_axis(axes, np.concatenate([one.x for one in own]), request)
        axes.set_ylim(0, 1.03)
        draw_steps(axes, own, request)

    names = f"{regret_name(request.regret)} at the horizon, x ({unit(request.regret)})", "share of the runs up to x"
    said = f"{count_of([one.runs for one in drawn])}, band: holds the whole distribution with 95% confidence"
    return Picture(
        lambda: panel_per_problem(request, drawn, draw, names, said),
        lambda: table_of_steps([one for one in drawn if one.runs], "x"),
    )


def _set_regret_axis(axes: "Axes", regret: np.ndarray, request: Request) -> None:
    ends = request.options.x
    high = float(regret.max(initial=0.0)) or 1.0
    if request.options.x_scale == "linear":
        left, right = ends or (0, 1.05 * high)
        axes.set_xlim(left, right)
        canvas.shorten_numbers(axes.xaxis, right)
        return
    axes.set_xscale("log", nonpositive="clip")
    low = float(regret[regret > 0].min(initial=high))
    axes.set_xlim(*(ends or (min(low, high / 10) / 1.1, 1.1 * high)))
    canvas.name_few(axes.xaxis)


@dataclass(frozen=True, eq=False, kw_only=True)
class _Finals(OfRuns):
    """The runs of one algorithm on one problem."""

    regret: np.ndarray  # (n_runs,) float64, in duels
    quantiles: list[float]  # those of `_QUANTILES`; none without runs


def _boxes(request: Request) -> Picture:
    """Lying boxes, the first algorithm on top."""
    from matplotlib.patches import Patch

    found = []
    for cell in longest(request.experiment.cells):
        regret = _at_the_end(cell, request)
        quantiles = np.quantile(regret, _QUANTILES).tolist() if cell.n_runs else []
        found.append(_Finals(**about([cell]), regret=regret, quantiles=quantiles))
    drawn, looks = request.shown(found), request.looks

    def draw(axes: "Axes", own: list[_Finals]) -> None:
        _set_regret_axis(axes, np.concatenate([one.regret for one in own]), request)
        axes.grid(False, axis="y")
        axes.set_yticks([])
        axes.set_ylim(len(own) - 0.4, -0.6)
        for place, one in enumerate(own):
            if one.runs:
                _draw_box(axes, place, one.quantiles, looks[one.key].colour)

    name = f"{regret_name(request.regret)} at the horizon ({unit(request.regret)})"
    said = "median, quartiles, 5% and 95% quantiles, smallest and largest run"
    caption = f"{count_of([one.runs for one in drawn])}, {said}"

    def handles() -> list[Any]:
        keys = dict.fromkeys(one.key for one in drawn)
        return [Patch(facecolor=looks[key].colour, alpha=0.5, label=canvas.literal(key[1])) for key in keys]

    rows = [
        {**names_of(one), "runs": one.runs, **dict(zip(BOX_COLUMNS[3:-1], one.quantiles, strict=True))}
        for one in drawn
        if one.runs
    ]
    return Picture(
        lambda: panel_per_problem(request, drawn, draw, (name, ""), caption, handles=handles),
        lambda: table_of(BOX_COLUMNS, rows),
    )


def _draw_box(axes: "Axes", place: int, quantiles: Sequence[float], colour: str) -> None:
    smallest, q05, q25, median, q75, q95, largest = quantiles
    axes.hlines(place, q05, q95, color=colour, linewidth=1.0, zorder=3)
    axes.vlines([q05, q95], place - 0.12, place + 0.12, color=colour, linewidth=1.0, zorder=3)
    axes.barh(place, q75 - q25, 0.56, left=q25, color=colour, alpha=0.5, lw=0, zorder=4)
    axes.vlines(median, place - 0.28, place + 0.28, color=canvas.INK, linewidth=1.4, zorder=5)
    axes.plot([smallest, largest], [place, place], "|", color=colour, markersize=4, zorder=3)
