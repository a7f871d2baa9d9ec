"""Grouped bars: the spread of regret at the horizon, and the share of the winners in the self-duels of a run."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from duelbench.errors import IncompleteResults
from duelbench.figures.drawing import canvas
from duelbench.figures.drawing.regret_figure import regret_name, unit
from duelbench.figures.drawing.style import COLOURS, HATCHES
from duelbench.figures.frame import current
from duelbench.figures.numbers import table_of
from duelbench.figures.picture import OfRuns, Picture, Request, about, missing_of
from duelbench.results.experiments import Experiment, LoadedCell, winners_of
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


@dataclass(frozen=True, eq=False, kw_only=True)
class _Spread(OfRuns):
    """Spread of one algorithm's regret at the horizon on one problem, in duels."""

    horizon: int
    value: float  # the statistic
    reference: float  # mean regret of the algorithm that all are normalised to, or 1

    @property
    def height(self) -> float:
        """Of the bar; 0 / 0 counts as 0."""
        return self.value / self.reference if self.reference else 0.0


def bars(request: Request) -> Picture:
    """Standard deviation, or mean, of regret at the longest horizon, for every algorithm and problem."""
    found = _spreads(request)
    drawn, options = request.shown(found), request.options
    warning = "\n".join(filter(None, (missing_of(drawn), request.stamp)))
    what = "standard deviation" if options.statistic == "std" else "mean"
    relative = f", over the mean of {options.normalise_to}" if options.normalise_to else f" ({unit(request.regret)})"
    name = f"{what} of {regret_name(request.regret)} at the horizon{relative}"
    shown = [_Bar("", one.problem, one.label, request.looks[one.key].colour, one.height) for one in drawn]
    said = {"statistic": options.statistic, "normalised_to": options.normalise_to}
    rows = [{**vars(one), **said, "height": one.height} for one in drawn]
    caption = count_of([one.runs for one in found])
    return Picture(lambda: _figure(shown, name, caption, request, warning), lambda: table_of(SPREAD_COLUMNS, rows))


def _spreads(request: Request) -> list[_Spread]:
    experiment, statistic = request.experiment, request.options.statistic
    cells = [cell for cell in _to_the_horizon(experiment) if cell.n_runs]
    ends = [cell.regret[:, request.which, -1] for cell in cells]
    names = [(cell.stored.problem, cell.stored.label) for cell in cells]
    means = {name: float(regrets.mean()) for name, regrets in zip(names, ends, strict=True)}
    label = request.options.normalise_to
    found = []
    for cell, regrets in zip(cells, ends, strict=True):
        problem = cell.stored.problem
        if label is not None and (problem, label) not in means:
            raise IncompleteResults(f"{experiment.name}: no run of {label} on {problem}, which bars are relative to")
        if statistic == "std" and len(regrets) < 2:
            raise IncompleteResults(f"{experiment.name}: a standard deviation needs at least 2 runs")
        value = float(regrets.std(ddof=1) if statistic == "std" else regrets.mean())
        reference = 1.0 if label is None else means[problem, label]
        found.append(_Spread(**about([cell]), horizon=cell.stored.horizon, value=value, reference=reference))
    return found


def _to_the_horizon(experiment: Experiment) -> list[LoadedCell]:
    return [cell for cell in experiment.cells if cell.stored.horizon == experiment.results.spec["horizon"]]


def self_duels(request: Request) -> Picture:
    """Self-duels of the Copeland winners, and of all other arms together, in one run of every algorithm."""
    run = request.options.run
    rows: list[dict[str, Any]] = []
    for cell in _to_the_horizon(request.experiment):
        stored = cell.stored
        counts = np.diag(stored.read(run).trace.duels)
        named = {stored.matrix.names[arm]: int(counts[arm]) for arm in winners_of("copeland", stored).tolist()}
        total = int(counts.sum())
        for arm, count in {**named, _OTHERS: total - sum(named.values())}.items():
            said = {"problem": stored.problem, "algorithm": stored.algorithm, "label": stored.label, "run": run}
            share = count / total if total else 0.0
            rows.append({**said, "arm": arm, "self_duels": count, "all_self_duels": total, "share": share})
    arms = list(dict.fromkeys(row["arm"] for row in rows if row["arm"] != _OTHERS))
    colour = {arm: COLOURS[_HUES[k % len(_HUES)]] for k, arm in enumerate(arms)} | {_OTHERS: COLOURS["grey"]}
    names = {arm: f"arm {arm}" if arm.isdecimal() else arm for arm in arms} | {_OTHERS: "all other arms"}
    drawn = [row for row in rows if request.has(row["label"])]
    shown = [_Bar(row["problem"], row["label"], names[row["arm"]], colour[row["arm"]], row["share"]) for row in drawn]
    counted = " (arms from 0)" if any(arm.isdecimal() for arm in arms) else ""
    caption = f"run {run}, Copeland winners{counted}"
    return Picture(
        lambda: _figure(shown, "share of the self-duels", caption, request, request.stamp),
        lambda: table_of(SELF_DUEL_COLUMNS, drawn),
    )


def _figure(bars: Sequence[_Bar], y_name: str, caption: str, request: Request, stamp: str | None) -> Any:
    """Groups side by side, in each of them one bar per series; all in the order in which they are met."""
    from matplotlib.patches import Patch

    options = request.options
    panels = list(dict.fromkeys(bar.panel for bar in bars))
    looks = _fillings({bar.series: bar.colour for bar in bars})
    with canvas.house_style():
        grid = canvas.new_grid(panels, request.title, options.columns)
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
    edge: dict[str, Any] = {"edgecolor": canvas.INK, "linewidth": canvas.points(0.5)}
    return {
        series: {"facecolor": _PALE[k % len(_PALE)], "hatch": HATCHES[k % len(HATCHES)], **edge}
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
