"""Pure exploration in three panels, as Urvoy et al. 2013 draw it: accuracy, regret, and what is still explored.

Against log time: the share of runs whose announced decision costs nothing, cumulative regret, and the mean number of
parameters (or arms) still explored, on a logarithmic axis. Where the decision is an arm of a scalar bandit, it counts
as explored itself, so that one is left in the end, as in the paper. Published curves can stand beside ours, as marks.
Random matrices at one value of a sweep are taken together: each counts as much as the others, and standard errors and
bands are those of the mean over matrices, because runs on one matrix are alike. The band of accuracy is Wilson's.

References
----------
.. [1] T. Urvoy, F. Clerot, R. Feraud, S. Naamane, "Generic Exploration and K-armed Voting Bandits", ICML 2013,
   figures 3 to 6 and 8 to 11.
"""

import csv
import io
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from duelbench.figures.content.explorers import PANELS, Explorer, Published
from duelbench.figures.content.labelled import labelled
from duelbench.figures.drawing import canvas
from duelbench.figures.drawing.regret_figure import axis_name
from duelbench.figures.drawing.style import DASHES, Style, styles_of
from duelbench.figures.frame import current
from duelbench.statistics.curves import band_in_words, count_of, missing_in_words

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


COLUMNS = (
    *("problem", "panel", "algorithm", "label"),
    *("round", "mean", "sem", "low", "high", "published"),
)

_ONE_COLUMN = 4.8
"""Inches that the panels of one problem are wide."""

_PANEL_HEIGHT = 1.8
"""Inches, about."""


def exploration_figure(
    explorers: Sequence[Explorer],
    title: str | None,
    first_round: int = 100,
    published: Published | None = None,
    ymax: float | None = None,
    only: Sequence[str] | None = None,
    log_regret: bool = False,
) -> "Figure":
    """The three panels one above the other, for each problem a column.

    Parameters
    ----------
    explorers : sequence of Explorer
    title : str, optional
    first_round : int
        Where the time axis begins, 1-based.
    published : mapping, optional
        Curves to show as marks beside those of the same label.
    ymax : float, optional
        Top of the axes of regret.
    only : sequence of str, optional
        Labels to draw; the others are left out, and those drawn look as they do beside them.
    log_regret : bool
        Logarithmic axes of regret.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    looks = styles_of((explorer.algorithm, explorer.label) for explorer in explorers)
    explorers = labelled(explorers, only)
    problems = list(dict.fromkeys(explorer.problem for explorer in explorers))
    with canvas.house_style():
        frame = current()
        usual = _ONE_COLUMN * len(problems)
        width = frame.width or usual
        figure = Figure(figsize=(width, frame.height or 7.0 * min(1.0, width / usual)), layout="constrained")
        FigureCanvasAgg(figure)
        grid = figure.subplots(len(PANELS), len(problems), sharex="col", squeeze=False)
        for column, problem in enumerate(problems):
            own = [explorer for explorer in explorers if explorer.problem == problem]
            for row, panel in enumerate(PANELS):
                marks = (published or {}).get(panel, {})
                _draw(grid[row, column], panel, own, looks, first_round, marks, log_regret)
            if ymax is not None:
                grid[1, column].set_ylim(top=ymax)
            grid[-1, column].set_xlabel("round t")
            if len(problems) > 1:
                grid[0, column].set_title(canvas.wrapped(problem, 0.73 * width / len(problems)))
            canvas.stamp(grid[0, column], missing_in_words(sum(e.found for e in own), sum(e.planned for e in own)))
        if title:
            figure.suptitle(canvas.wrapped(title, 0.75 * width))
        handles, caption = _entries(explorers, looks, published is not None)
        if frame.has_size or frame.legend:
            panels = [grid[row, column] for row in range(len(PANELS)) for column in range(len(problems))]
            canvas.add_legend(canvas.Grid(figure, panels, width, _PANEL_HEIGHT, len(problems)), handles, caption)
        else:
            _add_legend(figure, handles, caption)
    return figure


def _draw(
    axes: "Axes",
    panel: str,
    explorers: Sequence[Explorer],
    looks: Mapping[tuple[str, str], Style],
    first_round: int,
    published: Mapping[str, Mapping[int, float]],
    log_regret: bool,
) -> None:
    from matplotlib.ticker import FuncFormatter

    last = max(int(explorer.rounds[-1]) for explorer in explorers)
    top = 0.0
    for explorer in explorers:
        if panel not in explorer.mean:
            continue
        look = looks[explorer.algorithm, explorer.label]
        kept = explorer.rounds >= first_round
        mean = explorer.mean[panel][kept]
        if panel == "explored":
            mean = np.where(mean > 0, mean, np.nan)
        marks = {t: value for t, value in published.get(explorer.label, {}).items() if first_round <= t <= last}
        top = max(top, float(np.nanmax(mean, initial=0.0)), *marks.values())
        dashes = DASHES[look.dash]
        on_top = 2.1 if dashes else 2.0  # where curves coincide, both are seen
        axes.plot(explorer.rounds[kept], mean, color=look.colour, dashes=dashes or (1, 0), zorder=on_top)
        if panel in explorer.low:
            low, high = explorer.low[panel][kept], explorer.high[panel][kept]
            axes.fill_between(explorer.rounds[kept], low, high, color=look.colour, alpha=0.15, lw=0)
        axes.plot(list(marks), list(marks.values()), ls="", marker=look.marker, mfc="none", color=look.colour, ms=3.5)
    axes.set_xscale("log")
    axes.set_xlim(first_round, last)
    axes.set_ylabel(canvas.wrapped(_axis_name(panel, explorers[0].definition), _PANEL_HEIGHT))
    if panel == "accuracy":
        axes.set_ylim(-0.02, 1.02)
    elif panel == "explored":
        axes.set_yscale("log")
        axes.set_ylim(0.8, 1.3 * max(top, 1.0))
    elif log_regret:
        axes.set_yscale("log", nonpositive="clip")
    else:
        axes.set_ylim(0, top * 1.05 if top > 0 else 1)
        axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: canvas.short_number(value, axes.get_ylim()[1])))


def _axis_name(panel: str, definition: str) -> str:
    if panel == "regret":
        return axis_name(definition)
    return "share of runs with an optimal decision" if panel == "accuracy" else "parameters or arms still explored"


def _entries(
    explorers: Sequence[Explorer], looks: Mapping[tuple[str, str], Style], with_marks: bool
) -> tuple[list[Any], str]:
    """What the legend has, and what stands above it."""
    from matplotlib.lines import Line2D

    handles: list[Any] = []
    for algorithm, label in dict.fromkeys((explorer.algorithm, explorer.label) for explorer in explorers):
        look = looks[algorithm, label]
        line = Line2D([], [], label=canvas.literal(label), color=look.colour, dashes=DASHES[look.dash] or (1, 0))
        if with_marks:
            line.set(marker=look.marker, markerfacecolor="none", markersize=3.5)
        handles.append(line)
    matrices = max(explorer.matrices for explorer in explorers)
    on = f" on {matrices} matrices" if matrices > 1 else ""
    bands = {explorer.band for explorer in explorers}
    few = f" (of regret: {band_in_words('range', matrices)})" * ("range" in bands)
    caption = f"mean of {count_of([explorer.found for explorer in explorers])}{on}, "
    caption += "no bands" if bands == {"none"} else f"bands: 95% confidence intervals{few}"
    caption += "; marks: published values" if with_marks else ""
    return handles, caption


def _add_legend(figure: "Figure", handles: Sequence[Any], caption: str) -> None:
    columns = 3 if figure.get_figwidth() > _ONE_COLUMN else 2
    figure.legend(
        handles=list(handles),
        loc="outside lower center",
        ncols=columns,
        title=canvas.wrapped(caption, 0.9 * figure.get_figwidth()),
        handlelength=2.6,
    )


def plotted_numbers(
    explorers: Sequence[Explorer], published: Published | None = None, only: Sequence[str] | None = None
) -> str:
    """The numbers of the figure as CSV: means, their errors, the ends of the bands, and published values.

    What the figure does not have stands empty: the band of a panel without one, a published value where there is none.
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    for explorer in labelled(explorers, only):
        for panel in explorer.mean:
            marks = (published or {}).get(panel, {}).get(explorer.label, {})
            names = (explorer.problem, panel, explorer.algorithm, explorer.label)
            shown_of_it = (explorer.mean, explorer.sem, explorer.low, explorer.high)
            for k, t in enumerate(explorer.rounds.tolist()):
                numbers = [repr(float(one[panel][k])) if panel in one else "" for one in shown_of_it]
                writer.writerow((*names, t, *numbers, marks.get(t, "")))
    return text.getvalue()
