"""Grouped bars: the spread of regret at the horizon, and the share of the winners in the self-duels of a run."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from duelbench.errors import IncompleteResults
from duelbench.figures.drawing import canvas
from duelbench.figures.drawing.regret_figure import regret_name
from duelbench.figures.drawing.style import COLOURS, HATCHES
from duelbench.figures.frame import current
from duelbench.figures.numbers import csv_of
from duelbench.figures.picture import Picture, Request, labels_of, missing_of
from duelbench.results.experiments import LoadedCell, winners_of
from duelbench.statistics.curves import count_of

SPREAD_COLUMNS = (
    *("problem", "algorithm", "label", "horizon", "statistic", "value", "normalised_to", "reference", "height"),
    *("runs", "planned"),
)
SELF_DUEL_COLUMNS = ("problem", "algorithm", "label", "run", "arm", "self_duels", "all_self_duels", "share")

_OTHERS = "others"
_HUES = ("blue", "orange", "green", "pink", "sky", "vermilion", "olive", "indigo")
_PALE = ("#FFFFFF", "#B4B4B4", "#E2E2E2", "#8C8C8C")
"""Greys of bars in greyscale, in turn."""


class _Bar(NamedTuple):
    """One bar: its panel, its place on the axis, what its colour stands for, and how high it is."""

    panel: str
    group: str
    series: str
    colour: str
    height: float


@dataclass(frozen=True, eq=False)
class _Spread:
    """Spread of one algorithm's regret at the horizon on one problem, in duels."""

    problem: str
    algorithm: str
    label: str
    horizon: int
    value: float  # the statistic
    reference: float  # mean regret of the algorithm that all are normalised to, or 1
    runs: int
    planned: int

    @property
    def height(self) -> float:
        """Of the bar; nothing of nothing is 0."""
        return self.value / self.reference if self.reference else 0.0


@dataclass(frozen=True)
class _SelfDuels:
    """How often one run of one algorithm dueled an arm with itself; names are those of the CSV file."""

    problem: str
    algorithm: str
    label: str
    run: int  # 0-based
    arm: str  # name of a Copeland winner, or `_OTHERS`
    self_duels: int
    all_self_duels: int

    @property
    def share(self) -> float:
        """Of the self-duels of the run, in [0, 1]."""
        return self.self_duels / self.all_self_duels if self.all_self_duels else 0.0


def bars(request: Request) -> Picture:
    """Standard deviation, or mean, of regret at the longest horizon, for every algorithm and problem."""
    found = _spreads(request)
    drawn, options = request.shown(found), request.options
    warning = "\n".join(filter(None, (missing_of(drawn), request.stamp)))
    what = "standard deviation" if options.statistic == "std" else "mean"
    relative = f", over the mean of {options.normalise_to}" if options.normalise_to else " (duels)"
    name = f"{what} of {regret_name(request.regret)} at the horizon{relative}"
    shown = [
        _Bar("", one.problem, one.label, request.looks[one.algorithm, one.label].colour, one.height) for one in drawn
    ]
    said = {"statistic": options.statistic, "normalised_to": options.normalise_to}
    rows = [{**vars(one), **said, "height": one.height} for one in drawn]
    caption = count_of([one.runs for one in found])
    return Picture(
        lambda: _figure(shown, name, caption, request, warning), lambda: csv_of(SPREAD_COLUMNS, rows), labels_of(found)
    )


def _spreads(request: Request) -> list[_Spread]:
    experiment, statistic = request.experiment, request.options.statistic
    ends: dict[str, list[LoadedCell]] = {}
    for cell in experiment.cells:
        if cell.stored.horizon == experiment.results.spec["horizon"] and cell.n_runs:
            ends.setdefault(cell.stored.problem, []).append(cell)
    found = []
    for problem, cells in ends.items():
        reference = _reference(request, problem, cells)
        for cell in cells:
            regrets, stored = cell.regret[:, request.which, -1], cell.stored
            if statistic == "std" and len(regrets) < 2:
                raise IncompleteResults(f"{experiment.name}: a standard deviation needs at least 2 runs")
            value = float(regrets.std(ddof=1) if statistic == "std" else regrets.mean())
            numbers = (stored.horizon, value, reference, cell.n_runs, stored.n_runs)
            found.append(_Spread(problem, stored.algorithm, stored.label, *numbers))
    return found


def _reference(request: Request, problem: str, cells: Sequence[LoadedCell]) -> float:
    """Mean regret of the algorithm that all are normalised to; 1 where there is none."""
    label = request.options.normalise_to
    if label is None:
        return 1.0
    for cell in cells:
        if cell.stored.label == label:
            return float(cell.regret[:, request.which, -1].mean())
    raise IncompleteResults(f"{request.experiment.name}: no run of {label} on {problem}, which bars are relative to")


def self_duels(request: Request) -> Picture:
    """Self-duels of the Copeland winners, and of all other arms together, in one run of every algorithm."""
    run = request.options.run
    found = []
    for cell in request.experiment.cells:
        stored = cell.stored
        if stored.horizon != request.experiment.results.spec["horizon"]:
            continue
        counts = np.diag(stored.read(run).trace.duels)
        named = [(stored.matrix.names[arm], int(counts[arm])) for arm in winners_of("copeland", stored).tolist()]
        total = int(counts.sum())
        for arm, count in [*named, (_OTHERS, total - sum(count for _, count in named))]:
            found.append(_SelfDuels(stored.problem, stored.algorithm, stored.label, run, arm, count, total))
    arms = list(dict.fromkeys(one.arm for one in found if one.arm != _OTHERS))
    colour = {arm: COLOURS[_HUES[k % len(_HUES)]] for k, arm in enumerate(arms)} | {_OTHERS: COLOURS["grey"]}
    names = {arm: f"arm {arm}" if arm.isdecimal() else arm for arm in arms} | {_OTHERS: "all other arms"}
    drawn = [one for one in found if request.only is None or one.label in request.only]
    shown = [_Bar(one.problem, one.label, names[one.arm], colour[one.arm], one.share) for one in drawn]
    counted = " (arms from 0)" if any(arm.isdecimal() for arm in arms) else ""
    caption = f"run {run}, Copeland winners{counted}"
    rows = [{**asdict(one), "share": one.share} for one in drawn]
    return Picture(
        lambda: _figure(shown, "share of the self-duels", caption, request, request.stamp),
        lambda: csv_of(SELF_DUEL_COLUMNS, rows),
        labels_of(found),
    )


def _figure(bars: Sequence[_Bar], y_name: str, caption: str, request: Request, stamp: str | None) -> Any:
    """Groups side by side, in each of them one bar per series; all in the order in which they are met."""
    from matplotlib.patches import Patch

    options = request.options
    panels = list(dict.fromkeys(bar.panel for bar in bars))
    looks = _fillings({bar.series: bar.colour for bar in bars})
    with canvas.house_style():
        grid = canvas.new_grid(len(panels), request.title, options.columns)
        for axes, panel in zip(grid.panels, panels, strict=True):
            own = [bar for bar in bars if bar.panel == panel]
            groups = list(dict.fromkeys(bar.group for bar in own))
            series = list(dict.fromkeys(bar.series for bar in own))
            width = 0.8 / len(series)
            for bar in own:
                x = groups.index(bar.group) - 0.4 + (series.index(bar.series) + 0.5) * width
                axes.bar(x, bar.height, 0.92 * width, zorder=3, **looks[bar.series])
            names = [canvas.wrapped(group, 0.85 * grid.panel_width / len(groups)) for group in groups]
            axes.set_xticks(range(len(groups)), names)
            axes.grid(False, axis="x")
            if options.y_scale == "log":
                axes.set_yscale("log")
            canvas.set_y_ends(axes, options.y)
            if len(panels) > 1:
                axes.set_title(canvas.wrapped(panel, 0.9 * grid.panel_width))
            canvas.stamp(axes, stamp)
        canvas.name_axes(grid, "", y_name)
        handles = [Patch(label=canvas.literal(name), **look) for name, look in looks.items()]
        canvas.add_legend(grid, handles, caption)
        _turn_names(grid)
    return grid.figure


def _fillings(colours: Mapping[str, str]) -> dict[str, dict[str, Any]]:
    """What bars of each series are filled with: its colour, or a grey and a pattern."""
    if not current().greyscale:
        return {series: {"color": colour} for series, colour in colours.items()}
    return {
        series: {
            "facecolor": _PALE[k % len(_PALE)],
            "hatch": HATCHES[k % len(HATCHES)],
            "edgecolor": canvas.INK,
            "linewidth": canvas.points(0.5),
        }
        for k, series in enumerate(colours)
    }


def _turn_names(grid: canvas.Grid) -> None:
    """Turn the names of groups where they would touch, in a figure of a width that was asked for."""
    if not current().has_size:
        return
    grid.figure.draw_without_rendering()
    for axes in grid.panels:
        boxes = [label.get_window_extent() for label in axes.get_xticklabels()]
        if any(one.x1 + 2 > other.x0 for one, other in pairwise(boxes)):
            axes.tick_params(axis="x", labelrotation=90)
