"""How regret at the horizon is distributed, on axes of regret: the share of the runs below each, or boxes."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from duelbench.figures.content.panels import check_number_of_panels
from duelbench.figures.drawing import canvas
from duelbench.figures.drawing.regret_figure import regret_name
from duelbench.figures.numbers import csv_of, names_of, points_of
from duelbench.figures.picture import (
    Looks,
    Picture,
    Request,
    labels_of,
    layer,
    longest,
    marker_places,
    panel_per_problem,
)
from duelbench.statistics.curves import count_of
from duelbench.statistics.tails import distribution as shares_below
from duelbench.statistics.tails import simultaneous_half_width

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

ECDF_COLUMNS = ("problem", "algorithm", "label", "x", "share", "low", "high", "runs")
BOX_COLUMNS = ("problem", "algorithm", "label", *("smallest", "q05", "q25", "median", "q75", "q95", "largest"), "runs")

_QUANTILES = (0.0, 0.05, 0.25, 0.5, 0.75, 0.95, 1.0)
"""Of `BOX_COLUMNS`."""


@dataclass(frozen=True, eq=False)
class _Finals:
    """The runs of one algorithm on one problem, up to the longest horizon."""

    problem: str
    algorithm: str
    label: str
    regret: np.ndarray  # (n_runs,) float64, in duels
    runs: int
    planned: int

    @property
    def curve(self) -> dict[str, np.ndarray]:
        """Where the share of the runs rises, the share from there on, and the ends of its band."""
        x, count = shares_below(self.regret)
        share, half = count / max(self.runs, 1), simultaneous_half_width(max(self.runs, 1))
        return {"x": x, "share": share, "low": np.maximum(share - half, 0.0), "high": np.minimum(share + half, 1.0)}


def distribution(request: Request) -> Picture:
    """The distribution of regret at the longest horizon; the option ``form`` is ``ecdf`` or ``box``."""
    cells = longest(request.experiment.cells)
    check_number_of_panels(request.experiment, len({cell.stored.problem for cell in cells}))
    found = [
        _Finals(
            *(cell.stored.problem, cell.stored.algorithm, cell.stored.label),
            cell.regret[:, request.which, -1] if cell.n_runs else np.zeros(0),
            *(cell.n_runs, cell.stored.n_runs),
        )
        for cell in cells
    ]
    is_box = request.options.form == "box"
    return Picture(
        lambda: _figure(request, found, is_box),
        lambda: _numbers([one for one in request.shown(found) if one.runs], is_box),
        labels_of(found),
    )


def _figure(request: Request, found: Sequence[_Finals], is_box: bool) -> "Figure":
    from matplotlib.patches import Patch

    drawn, looks = request.shown(found), request.looks

    def draw(axes: "Axes", own: list[_Finals]) -> None:
        _set_regret_axis(axes, own, request)
        (_draw_boxes if is_box else _draw_curves)(axes, own, looks)

    name = f"{regret_name(request.regret)} at the horizon{'' if is_box else ', x'} (duels)"
    said = "band: holds the whole distribution with 95% confidence"
    handles: list[Any] | None = None
    if is_box:
        said = "median, quartiles, 5% and 95% quantiles, smallest and largest run"
        keys = dict.fromkeys((one.algorithm, one.label) for one in drawn)
        with canvas.house_style():
            handles = [Patch(facecolor=looks[key].colour, alpha=0.5, label=canvas.literal(key[1])) for key in keys]
    caption = f"{count_of([one.runs for one in drawn])}, {said}"
    names = name, "" if is_box else "share of the runs up to x"
    return panel_per_problem(request, found, draw, names, caption, handles=handles)


def _set_regret_axis(axes: "Axes", own: Sequence[_Finals], request: Request) -> None:
    ends = request.options.x
    together = np.concatenate([one.regret for one in own])
    high = float(together.max(initial=0.0)) or 1.0
    if request.options.x_scale == "linear":
        left, right = ends or (0, 1.05 * high)
        axes.set_xlim(left, right)
        canvas.shorten_numbers(axes.xaxis, right)
        return
    axes.set_xscale("log", nonpositive="clip")
    low = float(together[together > 0].min(initial=high))
    axes.set_xlim(*(ends or (min(low, high / 10) / 1.1, 1.1 * high)))


def _draw_curves(axes: "Axes", own: Sequence[_Finals], looks: Looks) -> None:
    left, right = axes.get_xlim()
    axes.set_ylim(0, 1.03)
    for number, one in enumerate(own):
        if not one.runs:
            continue
        look, zorder = looks[one.algorithm, one.label], layer(number, len(own))
        x, share, low, high = one.curve.values()
        edges = np.concatenate([[min(left, x[0])], x, [max(right, x[-1])]])
        start = (0.0, 0.0, min(1.0, simultaneous_half_width(one.runs)))
        below, bottom, top = (np.concatenate([[a], b, b[-1:]]) for a, b in zip(start, (share, low, high), strict=True))
        axes.fill_between(edges, bottom, top, step="post", color=look.colour, alpha=0.12, lw=0, zorder=zorder - 1)
        marked = np.unique(np.searchsorted(below[:-1], marker_places(number, len(own)))).clip(1, len(x)).tolist()
        axes.plot(edges, below, drawstyle="steps-post", markevery=marked, zorder=zorder, **canvas.line(look))


def _draw_boxes(axes: "Axes", own: Sequence[_Finals], looks: Looks) -> None:
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


def _numbers(found: Sequence[_Finals], is_box: bool) -> str:
    rows: list[dict[str, Any]] = []
    for one in found:
        said = {**names_of(one), "runs": one.runs}
        if is_box:
            quantiles = np.quantile(one.regret, _QUANTILES).tolist()
            rows.append({**said, **dict(zip(BOX_COLUMNS[3:-1], quantiles, strict=True))})
        else:
            rows += points_of(said, one.curve)
    return csv_of(BOX_COLUMNS if is_box else ECDF_COLUMNS, rows)
