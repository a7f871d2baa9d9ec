"""Which share of the runs has more than so much regret at the horizon: a panel per problem."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from duelbench.figures.content.panels import check_number_of_panels
from duelbench.figures.drawing import canvas
from duelbench.figures.drawing.regret_figure import regret_name
from duelbench.figures.drawing.style import Style
from duelbench.figures.numbers import csv_of, names_of, points_of
from duelbench.figures.options import FigureOptions
from duelbench.figures.picture import Picture, Request, labels_of, layer, longest, marker_places, panel_per_problem
from duelbench.results.experiments import LoadedCell
from duelbench.statistics import tails
from duelbench.statistics.curves import count_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

CSV_COLUMNS = ("problem", "algorithm", "label", "x", "share", "low", "high", "runs")

_NEARLY_ALL = 0.98  # of the runs: where more are above, a curve shows nothing, and the axis need not
_LINE = 1.3


@dataclass(frozen=True, eq=False)
class _Survival:
    """The runs of one algorithm on one problem, up to the longest horizon."""

    problem: str
    algorithm: str
    label: str
    x: np.ndarray  # regret in duels, increasing; see `duelbench.statistics.tails.survival`
    share: np.ndarray  # of the runs that have more
    low: np.ndarray  # its 95% confidence interval, point by point
    high: np.ndarray
    runs: int
    planned: int


def survival(request: Request) -> Picture:
    """The share of the runs above each regret at the longest horizon, with Clopper and Pearson's intervals."""
    cells = longest(request.experiment.cells)
    check_number_of_panels(request.experiment, len({cell.stored.problem for cell in cells}))
    found = [_survival(cell, request.which) for cell in cells]
    return Picture(lambda: _figure(request, found), lambda: _numbers(request.shown(found)), labels_of(found))


def _survival(cell: LoadedCell, which: int) -> _Survival:
    stored = cell.stored
    x, above = tails.survival(cell.regret[:, which, -1] if cell.n_runs else np.zeros(0))
    low, high = tails.clopper_pearson(above, cell.n_runs)
    share = above / max(cell.n_runs, 1)
    return _Survival(stored.problem, stored.algorithm, stored.label, x, share, low, high, cell.n_runs, stored.n_runs)


def _figure(request: Request, found: list[_Survival]) -> "Figure":
    from matplotlib.lines import Line2D

    drawn = request.shown(found)
    usual = max((one.runs for one in drawn if one.runs == one.planned), default=0)

    def draw(axes: "Axes", own: list[_Survival]) -> None:
        _set_axes(axes, own, request.options)
        for number, one in enumerate(own):
            look = request.looks[one.algorithm, one.label]
            _draw(axes, one, look, marker_places(number, len(own)), layer(number, len(own)))

    by_key: dict[tuple[str, str], list[_Survival]] = {}
    for one in drawn:
        by_key.setdefault((one.algorithm, one.label), []).append(one)
    with canvas.house_style():
        handles = [
            Line2D([], [], label=_label(own, usual), **canvas.line(request.looks[key])) for key, own in by_key.items()
        ]
    names = f"{regret_name(request.regret)} at the horizon, x (duels)", "share of the runs above x"
    runs = count_of([usual] if usual else [one.runs for one in drawn])
    said = f"{runs}, band: 95% confidence interval of each share"
    return panel_per_problem(request, found, draw, names, said, handles=handles)


def _label(own: list[_Survival], usual: int) -> str:
    """The label, with the numbers of runs where they are not the usual ones."""
    others = [one for one in own if one.runs != usual]
    parts = [f"{one.runs} of {count_of([one.planned])}" for one in others if one.runs < one.planned]
    parts += [count_of([one.runs]) for one in others if one.runs == one.planned]
    said = ", ".join(dict.fromkeys(parts))
    return canvas.literal(f"{own[0].label} ({said})" if said else own[0].label)


def _draw(axes: "Axes", one: _Survival, look: Style, places: np.ndarray, zorder: float) -> None:
    """A step curve from the left end of the axis, where all runs are above, to the largest run, where none is."""
    if not one.runs:
        return
    x = np.concatenate([[axes.get_xlim()[0]], one.x])
    share = np.concatenate([[1.0], one.share])
    marked = np.unique(np.searchsorted(-share[:-1], -((1 / one.runs) ** places)).clip(1, max(1, len(share) - 2)))
    axes.fill_between(one.x, one.low, one.high, step="post", color=look.colour, alpha=0.16, lw=0, zorder=zorder - 1)
    style = canvas.line(look) | {"linewidth": _LINE}
    axes.plot(x, share, drawstyle="steps-post", markevery=marked.tolist(), zorder=zorder, **style)


def _set_axes(axes: "Axes", own: list[_Survival], options: FigureOptions) -> None:
    there = [one for one in own if one.runs]
    axes.set_xscale("log", nonpositive="clip")
    axes.set_yscale("log", nonpositive="clip")
    largest = max((float(one.x[-1]) for one in there), default=0.0) or 1.0
    begins = [one.x[one.share <= _NEARLY_ALL][0] for one in there]
    low = min((float(x) for x in begins if x > 0), default=largest / 10)
    axes.set_xlim(*(options.x or (low / 1.1, max(largest, 1.1 * low) * 1.1)))
    most = max((one.runs for one in there), default=1)
    axes.set_ylim(*(options.y or (0.6 / most, 1.3)))


def _numbers(found: list[_Survival]) -> str:
    return csv_of(
        CSV_COLUMNS,
        [
            point
            for one in found
            for point in points_of(
                {**names_of(one), "runs": one.runs},
                {"x": one.x, "share": one.share, "low": one.low, "high": one.high},
            )
        ],
    )
