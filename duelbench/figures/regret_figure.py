"""Cumulative regret against log time: one panel per problem, the mean of the runs with a band."""

import csv
import io
import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from duelbench.figures import drawing
from duelbench.figures.curves import BANDS, Curve
from duelbench.figures.panels import Entry, Panel
from duelbench.figures.style import DASHES, Style, styles_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

REGRET_NAMES = {
    "copeland": "Copeland regret",
    "copeland-komiyama": "Copeland regret (Komiyama)",
    "copeland-zoghi": "Copeland regret (Zoghi)",
    "copeland-binary": "binary Copeland regret",
    "condorcet": "Condorcet regret",
    "condorcet-sum": "summed Condorcet regret",
    "strong": "strong regret",
    "weak": "weak regret",
    "borda": "Borda regret",
}
"""Regret definition -> its name on an axis."""

BASELINE = "random"
"""The algorithm that learns nothing: its linear regret may leave the axes, unless it is alone in them."""

CSV_COLUMNS = ("problem", "algorithm", "label", "round", "mean", "low", "high", "runs", "band")

_MARKERS_PER_CURVE = 7
_NO_BREAK = "\N{NO-BREAK SPACE}"
_LABEL_WIDTH = 3.0  # inches, before a label of the legend goes on in a second line
_BOUND_LABEL_WIDTH = 2.0  # the caption's: beside one panel, the legend is as wide as its longest line
_BOUND_DASHES = ("dotted", "dashed", "dash-dot", "long")


@dataclass(frozen=True)
class Options:
    """How the figure is drawn, whatever its data.

    Parameters
    ----------
    regret : str
        The definition of regret that the curves are of.
    log_regret : bool
        A logarithmic regret axis.
    first_round : int
        Left end of the time axis, 1-based; the papers begin at round 10.
    ymax : float, optional
        Top of the regret axes, in duels; curves that pass it are cut off. By default a linear axis
        reaches over all curves but that of `BASELINE`, a logarithmic one over all.
    title : str, optional
        Stands above the panels.
    ymin : float, optional
        Bottom of the regret axes, in duels; by default 0, or what a logarithmic axis needs.
    last_round : int, optional
        Right end of the time axis; by default that of the longest run.
    log_time : bool
        A logarithmic time axis.
    columns : int, optional
        Panels in a row.
    """

    regret: str = "copeland"
    log_regret: bool = False
    first_round: int = 10
    ymax: float | None = None
    title: str | None = None
    ymin: float | None = None
    last_round: int | None = None
    log_time: bool = True
    columns: int | None = None


def regret_figure(panels: Sequence[Panel], options: Options, only: Iterable[str] | None = None) -> "Figure":
    """Draw cumulative regret against log time.

    Parameters
    ----------
    panels : sequence of Panel
        At least one, each with at least one entry.
    options : Options
    only : iterable of str, optional
        Labels to draw; the others are left out, and those drawn look as they do beside them.

    Returns
    -------
    Figure
        Save it with `duelbench.figures.drawing.render`.
    """
    shown = [visible(panel, options.first_round, only, options.last_round) for panel in panels]
    looks = styles_of((entry.algorithm, entry.label) for panel in panels for entry in panel.entries)
    with drawing.house_style():
        grid = drawing.new_grid(len(shown), options.title, options.columns)
        for axes, panel in zip(grid.panels, shown, strict=True):
            _draw_panel(axes, panel, looks, _bound_labels(shown), options)
            if len(shown) > 1:
                axes.set_title(drawing.wrapped(panel.title, 0.9 * grid.panel_width))
        _name_axes(grid, options.regret)
        entries = [entry for panel in shown for entry in panel.entries]
        handles = _entry_handles(entries, looks) + _bound_handles(shown)
        drawing.add_legend(grid, handles, caption(entries))
    return grid.figure


def visible(
    panel: Panel, first_round: int = 1, only: Iterable[str] | None = None, last_round: int | None = None
) -> Panel:
    """The panel as drawn: entries whose label is in ``only`` (None: all), from ``first_round`` to ``last_round``."""
    labels = None if only is None else set(only)
    entries = tuple(
        Entry(
            entry.algorithm,
            entry.label,
            entry.curve.since(first_round).until(last_round),
            entry.restarts,
            entry.found,
            entry.planned,
        )
        for entry in panel.entries
        if labels is None or entry.label in labels
    )
    return Panel(panel.title, panel.problem, entries, panel.bounds, panel.mixed_versions)


def caption(entries: Sequence[Entry]) -> str:
    """What lines and bands are, in words: ``mean of 100 runs, band: 95% confidence interval of the mean``."""
    usual = _usual_runs(entries)
    bands = [entry.curve.band for entry in entries if entry.curve.band != "none"]
    if usual == 1 and not bands:
        return "a single run, no band"
    words = f"mean of {_count(usual)}"
    return f"{words}, band: {BANDS[bands[0]]}" if bands else f"{words}, no band"


def _usual_runs(entries: Sequence[Entry]) -> int:
    counts = Counter(_runs(entry.curve) for entry in entries)
    return max(counts, key=lambda runs: (counts[runs], runs))


def _runs(curve: Curve) -> int:
    return int(curve.runs.max(initial=0))


def _count(runs: int) -> str:
    return "1 run" if runs == 1 else f"{runs} runs"


def _legend_label(entries: Sequence[Entry], usual: int) -> str:
    """The label of a look, given its entry in every panel; with its runs where the caption has others."""
    label = entries[0].label
    found, planned = sum(entry.found for entry in entries), sum(entry.planned for entry in entries)
    if found < planned:
        return f"{label} ({found} of {_count(planned)})"
    fewest, most = min(_runs(entry.curve) for entry in entries), max(_runs(entry.curve) for entry in entries)
    if fewest == most:
        return label if most == usual else f"{label} ({_count(most)})"
    return f"{label} ({fewest} to {_count(most)})"


def _draw_panel(
    axes: "Axes", panel: Panel, looks: dict[tuple[str, str], Style], bounds: Sequence[str], options: Options
) -> None:
    """``bounds`` are the labels of the bounds of all panels, which decide the dashes."""
    last = max(int(entry.curve.rounds.max(initial=1)) for entry in panel.entries)
    for k, entry in enumerate(panel.entries):
        look = looks[entry.algorithm, entry.label]
        layer = 3 + 0.001 * (len(panel.entries) - k)  # the first entries of the spec lie on top
        if entry.restarts:
            _draw_restarts(axes, entry.curve, look, layer)
        else:
            phase = (k + 0.5) / len(panel.entries)
            _draw_curve(axes, entry.curve, look, layer, _marked(entry.curve.rounds, options.first_round, last, phase))
    for label, constant in panel.bounds:
        t = np.geomspace(options.first_round, last, 50)
        axes.plot(t, constant * np.log(t), **_bound_line(bounds.index(label)))
    if panel.warning:
        drawing.stamp(axes, panel.warning)
    _set_scales(axes, panel, options, last)


def _draw_curve(axes: "Axes", curve: Curve, look: Style, layer: float, marked: list[int]) -> None:
    if curve.band != "none":
        axes.fill_between(curve.rounds, curve.low, curve.high, color=look.colour, alpha=0.16, lw=0, zorder=layer - 1)
    axes.plot(curve.rounds, curve.mean, zorder=layer, markevery=marked, **_line(look))


def _draw_restarts(axes: "Axes", curve: Curve, look: Style, layer: float) -> None:
    below, above = curve.mean - curve.low, curve.high - curve.mean
    bars = np.zeros((2, len(curve.mean))) if curve.band == "none" else np.maximum([below, above], 0)
    axes.errorbar(
        curve.rounds,
        curve.mean,
        yerr=bars,
        elinewidth=1.0,
        capsize=2.0,
        zorder=layer,
        **_line(look, joined=False),
    )


def _line(look: Style, joined: bool = True) -> dict[str, Any]:
    return drawing.line(look, joined)


def _bound_line(number: int) -> dict[str, Any]:
    dash = DASHES[_BOUND_DASHES[number % len(_BOUND_DASHES)]]
    return {"color": "#555555", "linewidth": 0.9, "linestyle": (0, dash), "zorder": 2.5}


def _marked(rounds: np.ndarray, first: int, last: int, phase: float) -> list[int]:
    """Indices of the points with a marker: evenly in log time, each curve shifted so that none are covered.

    The first fifth of the axis, where all curves still lie on each other, has none.
    """
    if last <= first or len(rounds) <= 2:
        return list(range(len(rounds)))
    places = 0.2 + 0.8 * (np.arange(_MARKERS_PER_CURVE) + phase) / _MARKERS_PER_CURVE
    wanted = first * (last / first) ** places
    return sorted({int(np.argmin(np.abs(np.log(rounds / t)))) for t in wanted if t <= rounds[-1]})


def _set_scales(axes: "Axes", panel: Panel, options: Options, last: int) -> None:
    from matplotlib.ticker import FuncFormatter

    last = max(options.last_round or last, options.first_round + 1)
    if options.log_time:
        axes.set_xscale("log")
        axes.set_xlim(options.first_round, last * (last / options.first_round) ** 0.02)  # room for a marker at the end
    else:
        axes.set_xlim(options.first_round, last + 0.02 * (last - options.first_round))
        axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: drawing.short_number(value, last)))
    if options.log_regret:
        top = options.ymax or 1.5 * _highest([entry.curve for entry in panel.entries], panel, last)
        axes.set_ylim(options.ymin or min(_smallest_positive(panel) / 1.5, top / 10), top)
        axes.set_yscale("log", nonpositive="clip")
        return
    drawn = [entry for entry in panel.entries if len(entry.curve.rounds)]
    learning = [entry.curve for entry in drawn if entry.algorithm != BASELINE]
    curves = learning or [entry.curve for entry in drawn]
    top = options.ymax or 1.05 * _highest(curves, panel, last)
    axes.set_ylim(options.ymin or 0, top)
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: drawing.short_number(value, top)))


def _highest(curves: Sequence[Curve], panel: Panel, last: int) -> float:
    """The highest point of curves, their bands and the panel's bounds; 1 where nothing is above 0."""
    heights = [float(np.maximum(curve.mean, curve.high).max(initial=0)) for curve in curves]
    heights += [constant * math.log(last) for _, constant in panel.bounds]
    return max(heights, default=0.0) or 1.0


def _smallest_positive(panel: Panel) -> float:
    means = np.concatenate([entry.curve.mean for entry in panel.entries])
    return float(means[means > 0].min(initial=np.inf)) if np.any(means > 0) else 1.0


def _name_axes(grid: drawing.Grid, regret: str) -> None:
    """Name each axis once: time under the lowest panel of a column, regret at the left of a row."""
    name = f"cumulative {REGRET_NAMES.get(regret, f'{regret} regret')} (duels)"
    for k, axes in enumerate(grid.panels):
        if k + grid.columns >= len(grid.panels):
            axes.set_xlabel("round t")
        if k % grid.columns == 0:
            axes.set_ylabel(drawing.wrapped(name, 0.75 * grid.panel_height))


def _entry_handles(entries: Sequence[Entry], looks: dict[tuple[str, str], Style]) -> list[Any]:
    from matplotlib.lines import Line2D

    usual = _usual_runs(entries)
    by_look: dict[tuple[str, str], list[Entry]] = {}
    for entry in entries:
        by_look.setdefault((entry.algorithm, entry.label), []).append(entry)
    handles = []
    for key, same in by_look.items():
        label = drawing.wrapped(_legend_label(same, usual), _LABEL_WIDTH)
        handles.append(Line2D([], [], label=label, **_line(looks[key], joined=not same[0].restarts)))
    return handles


def _bound_labels(panels: Sequence[Panel]) -> list[str]:
    """The labels of the bounds of all panels, each once: not every bound is in every panel."""
    return list(dict.fromkeys(label for panel in panels for label, _ in panel.bounds))


def _bound_handles(panels: Sequence[Panel]) -> list[Any]:
    """One handle per bound; its constant is in the label unless several panels have it."""
    from matplotlib.lines import Line2D

    handles = []
    for k, name in enumerate(_bound_labels(panels)):
        constants = [constant for panel in panels for label, constant in panel.bounds if label == name]
        factor = f"{constants[0]:.4g}" if len(constants) == 1 else "C"
        formula = f"{factor} log t".replace(" ", _NO_BREAK)
        label = drawing.wrapped(f"{name}: {formula}", _BOUND_LABEL_WIDTH).replace(_NO_BREAK, " ")
        handles.append(Line2D([], [], label=label, **_bound_line(k)))
    return handles


def plotted_numbers(panels: Sequence[Panel], options: Options, only: Iterable[str] | None = None) -> str:
    """The numbers of the figure as CSV: exactly the points drawn, in the order drawn.

    Parameters
    ----------
    panels, options, only
        As for `regret_figure`.

    Returns
    -------
    str
        Columns `CSV_COLUMNS`; ``low`` and ``high`` are empty where there is no band. A bound has the
        algorithm ``bound`` and its value C log t at the ends of its line. Numbers are written so that they
        are read back to the last bit.
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(CSV_COLUMNS)
    for panel in (visible(panel, options.first_round, only, options.last_round) for panel in panels):
        for entry in panel.entries:
            writer.writerows(_rows(panel.problem, entry))
        writer.writerows(_bound_rows(panel, options.first_round))
    return text.getvalue()


def _rows(problem: str, entry: Entry) -> list[tuple[Any, ...]]:
    curve = entry.curve
    rows = []
    for t, mean, low, high, runs in zip(
        curve.rounds.tolist(),
        curve.mean.tolist(),
        curve.low.tolist(),
        curve.high.tolist(),
        curve.runs.tolist(),
        strict=True,
    ):
        band = "none" if runs == 1 else curve.band
        ends = ("", "") if band == "none" else (repr(low), repr(high))
        rows.append((problem, entry.algorithm, entry.label, t, repr(mean), *ends, runs, band))
    return rows


def _bound_rows(panel: Panel, first_round: int) -> list[tuple[Any, ...]]:
    last = max(int(entry.curve.rounds.max(initial=1)) for entry in panel.entries)
    return [
        (panel.problem, "bound", label, t, repr(constant * math.log(t)), "", "", "", "none")
        for label, constant in panel.bounds
        for t in (first_round, last)
    ]
