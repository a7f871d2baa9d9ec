"""Pure exploration in three panels, as Urvoy et al. 2013 draw it: accuracy, regret, and what is still explored.

Against log time: the share of runs whose announced decision costs nothing, cumulative regret, and the mean number of
parameters (or arms) still explored. An arm of a scalar bandit that is the decision counts as explored, as in the paper.
Random matrices at one value of a sweep are one observation each. The band
of accuracy is Wilson's.

References
----------
.. [1] T. Urvoy, F. Clerot, R. Feraud, S. Naamane, "Generic Exploration and K-armed Voting Bandits", ICML 2013,
   figures 3 to 6 and 8 to 11.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from duelbench.errors import InputError
from duelbench.figures.drawing import canvas
from duelbench.figures.drawing.regret_figure import axis_name
from duelbench.figures.drawing.style import DASHES
from duelbench.figures.frame import current
from duelbench.figures.numbers import names_of, table_of
from duelbench.figures.picture import FIRST_ROUND, OfRuns, Picture, Request, about, longest, missing_of
from duelbench.problem.scalar_bandit import ScalarBandit
from duelbench.results.cells import games_together
from duelbench.results.experiments import Experiment, LoadedCell, found_winner
from duelbench.statistics.curves import Curve, band_in_words, count_of, proportion_interval, summarise

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from pandas import DataFrame

PANELS = ("accuracy", "regret", "explored")
COLUMNS = (
    *("problem", "panel", "algorithm", "label"),
    *("round", "mean", "sem", "low", "high"),
)

_ONE_COLUMN = 4.8  # inches that the panels of one problem are wide
_PANEL_HEIGHT = 1.8  # inches, about
_HEIGHT = 6.8  # inches of the figure without its legend


@dataclass(frozen=True, eq=False, kw_only=True)
class Explorer(OfRuns):
    """One algorithm at its longest horizon on one problem, or on all random matrices at one value of a sweep."""

    rounds: np.ndarray  # (n,) int64: checkpoints, 1-based
    # panel -> (m, n) float64: m runs, or the means on m matrices; without ``explored`` where the algorithm does not say
    units: dict[str, np.ndarray]
    band: str  # `ci95` or `none`
    matrices: int

    @cached_property
    def mean(self) -> dict[str, np.ndarray]:
        """Panel -> (n,)."""
        return {panel: own.mean(axis=0) for panel, own in self.units.items()}

    @cached_property
    def sem(self) -> dict[str, np.ndarray]:
        """The standard errors of the means; 0 of a single run or matrix."""
        n = len(self.units["regret"])
        return {panel: own.std(axis=0, ddof=1 if n > 1 else 0) / np.sqrt(n) for panel, own in self.units.items()}

    @cached_property
    def bands(self) -> dict[str, Curve]:
        """Accuracy and regret with their bands; none of a single run or matrix."""
        regret = summarise(self.rounds, self.units["regret"])
        if self.band == "none" or regret.band == "none":
            return {}
        share = self.mean["accuracy"]
        low, high = proportion_interval(share, len(self.units["accuracy"]))
        return {"accuracy": replace(regret, mean=share, low=low, high=high), "regret": regret}


def exploration(request: Request) -> Picture:
    """Accuracy, regret and what is still explored, one above the other, for each problem a column."""
    options, name = request.options, request.experiment.name
    shown = request.shown(explorers(request.experiment, request.regret, options.band))
    if not any("explored" in one.mean for one in shown):
        raise InputError(f"{name} has no algorithm that says what it still explores; draw another kind of figure")
    return Picture(lambda: _figure(request, shown), lambda: _numbers(shown))


def explorers(experiment: Experiment, regret: str, band: str = "ci95") -> list[Explorer]:
    """All algorithms that have runs, with the definition of regret and the band (``ci95`` or ``none``) asked for."""
    which = experiment.definitions.index(regret)
    found = []
    for cells in games_together(longest(experiment.cells)):
        there = [cell for cell in cells if cell.n_runs]
        if not there:
            continue
        values = [_values(cell, regret, which) for cell in there]
        panels = [panel for panel in PANELS if all(panel in of_one for of_one in values)]
        means = {panel: np.array([of_one[panel].mean(axis=0) for of_one in values]) for panel in panels}
        units = means if len(there) > 1 else values[0]
        names = {**about(cells), "problem": cells[0].stored.setting}
        found.append(Explorer(**names, rounds=there[0].rounds, units=units, band=band, matrices=len(there)))
    return found


def _values(cell: LoadedCell, definition: str, which: int) -> dict[str, np.ndarray]:
    """Panel -> (n_runs, n) float64, what each run has; without those that the runs do not have."""
    values = {"accuracy": found_winner(definition, cell).astype(np.float64), "regret": cell.regret[:, which]}
    if cell.explored is not None:
        matrix = cell.stored.matrix
        last = isinstance(matrix, ScalarBandit) and matrix.decision.names_parameter
        values["explored"] = np.maximum(cell.explored.astype(np.float64), 1.0 if last else 0.0)
    return values


def _figure(request: Request, shown: Sequence[Explorer]) -> "Figure":
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    problems = list(dict.fromkeys(one.problem for one in shown))
    with canvas.house_style():
        frame = current()
        usual = _ONE_COLUMN * len(problems)
        width = frame.width or usual
        figure = Figure(figsize=(width, frame.height or _HEIGHT * min(1.0, width / usual)), layout="constrained")
        FigureCanvasAgg(figure)
        grid = figure.subplots(len(PANELS), len(problems), sharex="col", squeeze=False)
        for column, problem in enumerate(problems):
            own = [one for one in shown if one.problem == problem]
            for row, panel in enumerate(PANELS):
                _draw(grid[row, column], panel, own, request)
            if request.options.y is not None:
                grid[1, column].set_ylim(top=request.options.y[1])
            grid[-1, column].set_xlabel("round t")
            if len(problems) > 1:
                grid[0, column].set_title(canvas.wrapped(problem, 0.73 * width / len(problems)))
            canvas.stamp(grid[0, column], missing_of(own), request.stamp)
        if request.title:
            figure.suptitle(canvas.wrapped(request.title, 0.75 * width))
        whole = canvas.Grid(figure, list(grid.flat), width, _PANEL_HEIGHT, len(problems))
        canvas.add_legend(whole, *_entries(request, shown))
    return figure


def _draw(axes: "Axes", panel: str, found: Sequence[Explorer], request: Request) -> None:
    first, last = request.options.first_round or FIRST_ROUND, max(int(one.rounds[-1]) for one in found)
    top = 0.0
    for one in found:
        if panel not in one.mean:
            continue
        look = request.looks[one.key]
        late = one.rounds >= first
        mean = one.mean[panel][late]
        if panel == "explored":
            mean = np.where(mean > 0, mean, np.nan)
        top = max(top, float(np.nanmax(mean, initial=0.0)))
        dashes = DASHES[look.dash]
        on_top = 2.1 if dashes else 2.0  # where curves coincide, both are seen
        axes.plot(one.rounds[late], mean, color=look.colour, dashes=dashes or (1, 0), zorder=on_top)
        if panel in one.bands:
            band = one.bands[panel].since(first)
            axes.fill_between(band.rounds, band.low, band.high, color=look.colour, alpha=0.15, lw=0)
    axes.set_xscale("log")
    axes.set_xlim(first, last)
    names = {"accuracy": "share of runs with an optimal decision", "explored": "parameters or arms still explored"}
    axes.set_ylabel(canvas.wrapped(names.get(panel) or axis_name(request.regret), _PANEL_HEIGHT))
    if panel == "accuracy":
        axes.set_ylim(-0.02, 1.02)
    elif panel == "explored":
        axes.set_yscale("log")
        axes.set_ylim(0.8, 1.3 * max(top, 1.0))
    elif request.options.y_scale == "log":
        axes.set_yscale("log", nonpositive="clip")
    else:
        axes.set_ylim(0, top * 1.05 if top > 0 else 1)
        canvas.shorten_numbers(axes.yaxis, (request.options.y or axes.get_ylim())[1])


def _entries(request: Request, found: Sequence[Explorer]) -> tuple[list[Any], str]:
    """What the legend has, and what stands above it."""
    from matplotlib.lines import Line2D

    handles: list[Any] = []
    for key in dict.fromkeys(one.key for one in found):
        look = request.looks[key]
        line = Line2D([], [], label=canvas.literal(key[1]), color=look.colour, dashes=DASHES[look.dash] or (1, 0))
        handles.append(line)
    matrices = max(one.matrices for one in found)
    on = f" on {matrices} matrices" if matrices > 1 else ""
    bands = {one.bands["regret"].band if one.bands else "none" for one in found}
    few = f" (of regret: {band_in_words('range', matrices)})" * ("range" in bands)
    caption = f"mean of {count_of([one.runs for one in found])}{on}, "
    caption += "no bands" if bands == {"none"} else f"bands: 95% confidence intervals{few}"
    return handles, caption


def _numbers(found: Sequence[Explorer]) -> "DataFrame":
    """Means, their standard errors and the ends of the bands; what the figure does not have is empty."""
    rows = []
    for one in found:
        for panel, mean in one.mean.items():
            band = one.bands.get(panel)
            for k, t in enumerate(one.rounds.tolist()):
                row = {"panel": panel, "round": t, "mean": float(mean[k]), "sem": float(one.sem[panel][k])}
                row |= {"low": float(band.low[k]), "high": float(band.high[k])} if band else {}
                rows.append({**names_of(one), **row})
    return table_of(COLUMNS, rows)
