"""The panels of a figure of curves, before anything is drawn: entries, each with its curve."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from duelbench.errors import InputError
from duelbench.figures.content.changes import NONE, Changes, changes_of
from duelbench.figures.options import FigureOptions
from duelbench.figures.picture import OfRuns, about
from duelbench.problem.preferences import PreferenceMatrix
from duelbench.problem.winners import ties
from duelbench.results.experiments import Experiment, LoadedCell, bounds_of
from duelbench.statistics.curves import Curve, drawn_band, of_ends, summarise

BOUND_NAMES = {
    "copeland": "lower bound",
    "ecw": "bound of ECW-RMED",
    "condorcet": "Condorcet lower bound",
}
"""Kind of bound -> what legends and pages call it."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Entry(OfRuns):
    """One algorithm of one panel; its runs are those to all horizons together."""

    curve: Curve
    # True for an algorithm that was run again for every horizon: each point of the curve is then the end of runs of
    # their own, and nothing joins them
    restarts: bool = False
    # (n, m) float64: the regret of n single runs at the m rounds of the curve, to be drawn beside it
    single: np.ndarray | None = None

    def between(self, first: int, last: int | None) -> "Entry":
        """The part from round ``first`` to ``last`` (1-based; None: to the end)."""
        rounds = self.curve.rounds
        kept = (rounds >= first) & (rounds <= (last or np.inf))
        single = None if self.single is None else self.single[:, kept]
        return replace(self, curve=self.curve.since(first).until(last), single=single)


@dataclass(frozen=True)
class Options:
    """How the figure is drawn, whatever its data."""

    regret: str = "copeland"  # the definition of regret that the curves are of
    log_regret: bool | None = False  # A logarithmic regret axis; None: where regret spans a decade at the end
    first_round: int = 10  # left end of the time axis, 1-based; the papers begin at round 10
    # top of the regret axes, in duels (by default what fits the data); what passes it is cut off, as the caption says
    ymax: float | None = None
    title: str | None = None  # stands above the panels
    ymin: float | None = None  # bottom of the regret axes, in duels; by default 0, or what a logarithmic axis needs
    last_round: int | None = None  # right end of the time axis; by default that of the longest run
    log_time: bool = True  # A logarithmic time axis
    columns: int | None = None  # panels in a row
    y_name: str = ""  # of the upright axes, and above the legend, where it is not regret that is drawn
    caption: str = ""


@dataclass(frozen=True, eq=False)
class Panel:
    """The curves of one problem."""

    title: str  # shown above the panel where there are several
    problem: str  # the problem in the CSV file
    entries: tuple[Entry, ...]  # in the order of the spec
    bounds: tuple[tuple[str, float], ...] = ()  # lower bounds: what the line C log t is called, and its C in duels
    stamp: str | None = None  # A warning to write across it, besides one about missing runs
    in_front: str | None = None  # label of the entry that the panel is for; the others are thin and grey
    changes: Changes = NONE  # of the world that its runs are in
    how: Options = Options()  # the first panel of a figure has those of the figure as a whole


def panels_of(experiment: Experiment, options: FigureOptions, regret: str, stamp: str | None = None) -> list[Panel]:
    """The panels of a figure of regret: one per problem, each with one entry per algorithm of the spec."""
    if options.pool:
        experiment = _pooled(experiment)
    by_problem: dict[str, list[LoadedCell]] = {}
    for cell in experiment.cells:
        by_problem.setdefault(cell.stored.problem, []).append(cell)
    which = experiment.definitions.index(regret)
    return [
        Panel(
            problem,
            problem,
            _entries(cells, which, options.band, options.single_runs),
            _bound_lines(experiment, cells[0], regret),
            stamp=stamp,
            changes=changes_of(cells),
        )
        for problem, cells in by_problem.items()
    ]


def _entries(cells: Sequence[LoadedCell], which: int, band: str, single_runs: int) -> tuple[Entry, ...]:
    by_entry: dict[int, list[LoadedCell]] = {}
    for cell in cells:
        by_entry.setdefault(cell.stored.position, []).append(cell)
    return tuple(_entry(own, which, band, single_runs) for own in by_entry.values())


def _entry(cells: Sequence[LoadedCell], which: int, band: str, single_runs: int) -> Entry:
    """One entry; the cells are its horizons, of which those without a run have no point."""
    found = [cell for cell in cells if cell.n_runs]
    band = drawn_band(band, min((cell.n_units for cell in found if cell.n_units > 1), default=1))
    curves = [summarise(cell.rounds, cell.regret[:, which], band, cell.games) for cell in found]
    entry = entry_of(cells, curves, restarts=len(cells) > 1)
    if entry.restarts or not found or not single_runs:
        return entry
    return replace(entry, single=_some(found[0].regret[:, which], single_runs))


def entry_of(cells: Sequence[LoadedCell], curves: Sequence[Curve], restarts: bool) -> Entry:
    """An algorithm with its curve, or with the ends of several at increasing rounds; without a point where none is."""
    if not curves:
        curve = summarise(np.zeros(0, dtype=np.int64), np.zeros((1, 0)), "none")
    else:
        curve = of_ends(curves) if restarts or len(curves) > 1 else curves[0]
    return Entry(**about(cells), curve=curve, restarts=restarts)


def _some(runs: np.ndarray, most: int) -> np.ndarray:
    """At most ``most`` of the runs, evenly spaced: those of several matrices are concatenated."""
    return runs[np.arange(min(most, len(runs))) * len(runs) // min(most, len(runs))]


def _bound_lines(experiment: Experiment, cell: LoadedCell, definition: str) -> tuple[tuple[str, float], ...]:
    """What the lines C log t of the problem are called, and their C."""
    matrix = cell.stored.matrix
    has_ties = isinstance(matrix, PreferenceMatrix) and bool(ties(matrix))
    tied = {kind: " without the ties" for kind in ("copeland", "ecw") if has_ties}
    bounds = bounds_of(experiment, cell, definition)
    return tuple((BOUND_NAMES[kind] + tied.get(kind, ""), constant) for kind, constant in bounds.items())


def last_round(panels: Sequence[Panel]) -> int:
    """The last round of which there is data."""
    return max(int(entry.curve.rounds.max(initial=1)) for panel in panels for entry in panel.entries)


def by_algorithm(whole: Sequence[Panel], only: Sequence[str] | None = None) -> list[Panel]:
    """A panel for each algorithm of each panel (of those in ``only``), in which the others stand behind it."""
    return [
        replace(panel, title=_title_of_one(entry, panel.title if len(whole) > 1 else ""), in_front=entry.label)
        for panel in whole
        for entry in panel.entries
        if only is None or entry.label in only
    ]


def _title_of_one(entry: Entry, problem: str) -> str:
    """Above the panel of an algorithm; with its runs where some are missing."""
    few = f" ({entry.runs} of {entry.planned} runs)" if entry.runs < entry.planned else ""
    return f"{entry.label}{few}{' on ' if problem else ''}{problem}"


def _pooled(experiment: Experiment) -> Experiment:
    """The experiment with all its matrices treated as random ones of one problem."""
    groups: dict[tuple[int, int], list[LoadedCell]] = {}
    for cell in experiment.cells:
        groups.setdefault((cell.stored.position, cell.stored.horizon), []).append(cell)
    return replace(experiment, cells=tuple(pool_cells(experiment, cells) for cells in groups.values()))


def pool_cells(experiment: Experiment, cells: Sequence[LoadedCell]) -> LoadedCell:
    """The runs on several matrices as one cell, which knows the matrix of each."""
    there = [cell for cell in cells if cell.n_runs] or [cells[0]]
    stored = replace(cells[0].stored, problem="all problems", n_runs=sum(cell.stored.n_runs for cell in cells))
    if any(len(cell.rounds) != len(there[0].rounds) or np.any(cell.rounds != there[0].rounds) for cell in there):
        raise InputError(f"{experiment.name}: runs to different horizons cannot be pooled into one curve")
    return LoadedCell(
        stored,
        there[0].rounds,
        np.concatenate([cell.regret for cell in there]),
        np.concatenate([cell.recommendations for cell in there]),
        np.concatenate([cell.decisions for cell in there]),
        np.concatenate([cell.indices for cell in there]),
        sum(cell.missing for cell in cells),
        tuple(fault for cell in cells for fault in cell.damaged),
        games=np.repeat(np.arange(len(there)), [cell.n_runs for cell in there]),
    )
