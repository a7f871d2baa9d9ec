"""Pure exploration in three panels, as Urvoy et al. 2013 draw it: accuracy, regret, and what is still explored.

Against log samples: the share of runs whose announced decision costs nothing, cumulative regret, and the mean number of
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
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from duelbench.errors import IncompleteResults, InputError
from duelbench.figures import drawing
from duelbench.figures.style import DASHES, Style, styles_of
from duelbench.problem import round_losses
from duelbench.problem.scalar_bandit import ScalarBandit
from duelbench.results.manifest import Results, StoredCell
from duelbench.results.store import DamagedResult
from duelbench.statistics.curves import Curve, band_in_words, proportion_interval, summarise

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

PANELS = {
    "accuracy": "optimal decision",
    "regret": "regret",
    "explored": "still explored",
}
"""Panel -> what its axis says; the names are those of the column ``panel`` in files of published curves."""

COLUMNS = (
    *("problem", "panel", "algorithm", "label"),
    *("round", "mean", "sem", "low", "high", "published"),
)

_ONE_COLUMN = 4.8
"""Inches that the panels of one problem are wide."""

Published = Mapping[str, Mapping[str, Mapping[int, float]]]
"""Panel -> label -> samples -> value."""


@dataclass(frozen=True, eq=False)
class Explorer:
    """One algorithm on one problem, or on all random matrices at one value of a sweep.

    Parameters
    ----------
    problem, algorithm, label : str
    rounds : (n,) int64
        Checkpoints, 1-based.
    mean, sem : mapping of str to (n,) float64
        Panel -> mean of the runs and its standard error; without ``explored`` where the algorithm does not say.
    low, high : mapping of str to (n,) float64
        Panel -> the ends of its band; without those that have none.
    band : str
        That of regret, a key of `duelbench.statistics.curves.BANDS`.
    finished : (n_runs,) int64 or None
        First round after exploration; 0 where it never ended.
    found, planned : int
        How many runs there are, and how many the spec asks for.
    matrices : int
        On how many matrices they are.
    """

    problem: str
    algorithm: str
    label: str
    rounds: np.ndarray
    mean: Mapping[str, np.ndarray]
    sem: Mapping[str, np.ndarray]
    low: Mapping[str, np.ndarray]
    high: Mapping[str, np.ndarray]
    band: str
    finished: np.ndarray | None
    found: int
    planned: int
    matrices: int


def read_explorers(
    results: Results,
    allow_partial: bool = False,
    regret: str | None = None,
    band: str = "ci95",
    count: Callable[[], None] = lambda: None,
) -> list[Explorer]:
    """All algorithms of an experiment, each at its longest horizon.

    Parameters
    ----------
    results : Results
    allow_partial : bool
        Whether missing and damaged runs are left out instead of refused.
    regret : str, optional
        The regret definition; by default the first that was recorded.
    band : str
        ``ci95``, of fewer than `duelbench.statistics.curves.FEWEST` runs or matrices their range; or ``none``.
    count : callable, optional
        Is called before each run is read.

    Raises
    ------
    IncompleteResults
        When runs are missing or damaged and that is not allowed, or when there are none.
    """
    longest: dict[tuple[str, int], dict[str, StoredCell]] = {}
    for cell in results.cells:
        together = longest.setdefault((cell.setting, cell.position), {})
        if cell.problem not in together or cell.horizon > together[cell.problem].horizon:
            together[cell.problem] = cell
    definitions = results.spec["regret"]
    which = 0 if regret is None else definitions.index(regret)
    asked = (which, definitions[which], band, count)
    explorers = [_read(list(together.values()), *asked) for together in longest.values()]
    gaps = [f"{e.label} on {e.problem}: {e.found} of {e.planned} runs" for e in explorers if e.found < e.planned]
    if gaps and not allow_partial:
        raise IncompleteResults("\n  ".join(["these results are not complete:", *gaps]))
    explorers = [explorer for explorer in explorers if explorer.found]
    if not explorers:
        raise IncompleteResults(f"{results.folder}: no run of it is there; `duelbench run` its spec")
    return explorers


def _read(cells: Sequence[StoredCell], which: int, definition: str, band: str, count: Callable[[], None]) -> Explorer:
    """One algorithm: a cell, or those of all matrices at one value of a sweep."""
    first = cells[0]
    matrices = [matrix for cell in cells if (matrix := _read_runs(cell, which, definition, count)).found]
    panels = [panel for panel in PANELS if matrices and all(panel in matrix.values for matrix in matrices)]
    means = {panel: np.array([matrix.values[panel].mean(axis=0) for matrix in matrices]) for panel in panels}
    alike = {panel: means[panel] if len(matrices) > 1 else matrices[0].values[panel] for panel in panels}
    rounds = matrices[0].rounds if matrices else np.zeros(0, np.int64)
    bands = {} if band == "none" or not matrices else _bands(rounds, alike)
    regret = bands.get("regret")
    return Explorer(
        problem=first.setting,
        algorithm=first.algorithm,
        label=first.label,
        rounds=rounds,
        mean={panel: means[panel].mean(axis=0) for panel in panels},
        sem={panel: _standard_error(alike[panel]) for panel in panels},
        low={panel: curve.low for panel, curve in bands.items()},
        high={panel: curve.high for panel, curve in bands.items()},
        band=regret.band if regret else "none",
        finished=np.concatenate([matrix.finished for matrix in matrices]) if "explored" in panels else None,
        found=sum(matrix.found for matrix in matrices),
        planned=sum(cell.n_runs for cell in cells),
        matrices=len(matrices),
    )


def _bands(rounds: np.ndarray, alike: Mapping[str, np.ndarray]) -> dict[str, Curve]:
    """Accuracy and regret with their bands, of (n, n_rounds) values that are independent; none of a single one."""
    regret = summarise(rounds, alike["regret"])
    if regret.band == "none":
        return {}
    share = alike["accuracy"].mean(axis=0)
    low, high = proportion_interval(share, len(alike["accuracy"]))
    return {"accuracy": replace(regret, mean=share, low=low, high=high), "regret": regret}


def _standard_error(values: np.ndarray) -> np.ndarray:
    """Of the mean of (n, n_rounds) values that are independent; 0 for a single one."""
    n = len(values)
    return values.std(axis=0, ddof=1 if n > 1 else 0) / np.sqrt(n)


@dataclass(frozen=True, eq=False)
class _Runs:
    """The runs of a cell.

    found : int. How many there are.
    rounds : (n,) int64. Checkpoints, 1-based.
    values : mapping of str to (found, n) float64. Panel -> each run's; without those that the runs do not have.
    finished : (found,) int64. First round after exploration; 0 where it never ended, or is not known.
    """

    found: int
    rounds: np.ndarray
    values: Mapping[str, np.ndarray]
    finished: np.ndarray


def _read_runs(cell: StoredCell, which: int, definition: str, count: Callable[[], None]) -> _Runs:
    """``which`` is the row of the regret ``definition`` in the traces."""
    traces = []
    for run in range(cell.n_runs):
        count()
        try:
            traces.append(cell.read(run).trace)
        except DamagedResult:
            continue
    if not traces:
        return _Runs(0, np.zeros(0, np.int64), {}, np.zeros(0, np.int64))
    best = round_losses.best_decisions(definition, cell.matrix)
    values = {
        "accuracy": np.array([np.isin(trace.recommended, best) for trace in traces], np.float64),
        "regret": np.array([trace.regret[which] for trace in traces]),
    }
    explored = [trace.explored for trace in traces if trace.explored is not None]
    if len(explored) == len(traces):
        last = isinstance(cell.matrix, ScalarBandit) and cell.matrix.decision.names_parameter
        values["explored"] = np.maximum(np.array(explored, np.float64), 1.0 if last else 0.0)
    finished = np.array([trace.finished or 0 for trace in traces])
    return _Runs(len(traces), traces[0].rounds, values, finished)


def read_published(path: Path, figure: str) -> Published:
    """Published curves of one figure from a CSV file with the columns figure, panel, algorithm, samples, value.

    Raises
    ------
    InputError
        When the file cannot be read, or has no curve of that figure.
    """
    curves: dict[str, dict[str, dict[int, float]]] = {}
    figures = set()
    try:
        with open(path, encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                figures.add(row["figure"])
                if row["figure"] == figure:
                    curve = curves.setdefault(row["panel"], {}).setdefault(row["algorithm"], {})
                    curve[int(row["samples"])] = float(row["value"])
    except OSError as error:
        raise InputError(f"--beside {path}: cannot be read: {error.strerror or error}") from None
    except (KeyError, TypeError, ValueError, csv.Error):
        raise InputError(f"--beside {path}: needs the columns figure, panel, algorithm, samples, value") from None
    if not curves:
        known = ", ".join(sorted(figures)) or "none"
        raise InputError(f"--beside {path}: has no figure '{figure}' (there are {known})")
    return curves


def exploration_figure(
    explorers: Sequence[Explorer],
    title: str,
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
    title : str
    first_round : int
        Where the axis of samples begins.
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
    explorers = shown(explorers, only)
    problems = list(dict.fromkeys(explorer.problem for explorer in explorers))
    with drawing.house_style():
        figure = Figure(figsize=(_ONE_COLUMN * len(problems), 7.0), layout="constrained")
        FigureCanvasAgg(figure)
        grid = figure.subplots(len(PANELS), len(problems), sharex="col", squeeze=False)
        for column, problem in enumerate(problems):
            own = [explorer for explorer in explorers if explorer.problem == problem]
            for row, panel in enumerate(PANELS):
                marks = (published or {}).get(panel, {})
                _draw(grid[row, column], panel, own, looks, first_round, marks, log_regret)
            if ymax is not None:
                grid[1, column].set_ylim(top=ymax)
            grid[-1, column].set_xlabel("samples")
            if len(problems) > 1:
                grid[0, column].set_title(drawing.wrapped(problem, 3.5))
            found, planned = sum(e.found for e in own), sum(e.planned for e in own)
            if found < planned:
                drawing.stamp(grid[0, column], f"partial: {found} of {planned} runs")
        figure.suptitle(drawing.wrapped(title, 3.6 * len(problems)))
        _add_legend(figure, explorers, looks, published is not None)
    return figure


def shown(explorers: Sequence[Explorer], only: Sequence[str] | None) -> list[Explorer]:
    """Those whose label is in ``only`` (None: all)."""
    return [explorer for explorer in explorers if only is None or explorer.label in only]


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
    axes.set_ylabel(PANELS[panel])
    if panel == "accuracy":
        axes.set_ylim(-0.02, 1.02)
    elif panel == "explored":
        axes.set_yscale("log")
        axes.set_ylim(0.8, 1.3 * max(top, 1.0))
    elif log_regret:
        axes.set_yscale("log", nonpositive="clip")
    else:
        axes.set_ylim(0, top * 1.05 if top > 0 else 1)
        axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: drawing.short_number(value, axes.get_ylim()[1])))


def _add_legend(
    figure: "Figure", explorers: Sequence[Explorer], looks: Mapping[tuple[str, str], Style], with_marks: bool
) -> None:
    from matplotlib.lines import Line2D

    handles: list[Any] = []
    for algorithm, label in dict.fromkeys((explorer.algorithm, explorer.label) for explorer in explorers):
        look = looks[algorithm, label]
        line = Line2D([], [], label=drawing.literal(label), color=look.colour, dashes=DASHES[look.dash] or (1, 0))
        if with_marks:
            line.set(marker=look.marker, markerfacecolor="none", markersize=3.5)
        handles.append(line)
    counts = sorted({explorer.found for explorer in explorers})
    runs = f"{counts[0]}" if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
    matrices = max(explorer.matrices for explorer in explorers)
    on = f" on {matrices} matrices" if matrices > 1 else ""
    bands = {explorer.band for explorer in explorers}
    few = f" (regret: {band_in_words('range', matrices)})" * ("range" in bands)
    caption = f"Means of {runs} runs{on}, " + ("no bands" if bands == {"none"} else f"bands 95%{few}")
    caption += "; marks: published" if with_marks else ""
    columns = 3 if figure.get_figwidth() > _ONE_COLUMN else 2
    figure.legend(handles=handles, loc="outside lower center", ncols=columns, title=caption, handlelength=2.6)


def plotted_numbers(
    explorers: Sequence[Explorer], published: Published | None = None, only: Sequence[str] | None = None
) -> str:
    """The numbers of the figure as CSV: means, their errors, the ends of the bands, and published values.

    What the figure does not have stands empty: the band of a panel without one, a published value where there is none.
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    for explorer in shown(explorers, only):
        for panel in explorer.mean:
            marks = (published or {}).get(panel, {}).get(explorer.label, {})
            names = (explorer.problem, panel, explorer.algorithm, explorer.label)
            shown_of_it = (explorer.mean, explorer.sem, explorer.low, explorer.high)
            for k, t in enumerate(explorer.rounds.tolist()):
                numbers = [repr(float(one[panel][k])) if panel in one else "" for one in shown_of_it]
                writer.writerow((*names, t, *numbers, marks.get(t, "")))
    return text.getvalue()
