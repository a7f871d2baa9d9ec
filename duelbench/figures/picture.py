"""From results to the figure that their spec asks for, and the numbers in it."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from duelbench.errors import IncompleteResults, InputError
from duelbench.figures import bars, sweep_figure
from duelbench.figures.bars import Bar, SelfDuels, Spread
from duelbench.figures.options import FigureOptions
from duelbench.figures.panels import panels
from duelbench.figures.regret_figure import REGRET_NAMES, Options, plotted_numbers, regret_figure
from duelbench.figures.style import COLOURS, styles_of
from duelbench.figures.sweep_figure import SweepPoint
from duelbench.results.experiments import Experiment, LoadedCell, winners_of
from duelbench.spec.experiment_spec import Point
from duelbench.statistics.curves import summarise

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from duelbench.figures.panels import Panel

FIRST_ROUND = 10
"""Where time axes begin, as in the papers."""

MAX_PANELS = 60

OTHERS = "others"


@dataclass(frozen=True)
class Picture:
    """A figure that can be drawn, and its numbers.

    Parameters
    ----------
    draw : callable
        Returns the Matplotlib figure.
    numbers : callable
        Returns exactly the numbers in it, as CSV.
    labels : tuple of str
        Of the algorithms in it.
    """

    draw: Callable[[], "Figure"]
    numbers: Callable[[], str]
    labels: tuple[str, ...]


def regret_options(options: FigureOptions, regret: str, title: str | None, last: int) -> Options:
    """Options of a regret figure.

    Parameters
    ----------
    options : FigureOptions
    regret : str
        The definition of regret.
    title : str, optional
    last : int
        The last round of which there is data: the axis begins at `FIRST_ROUND`, or at 1 if that is not before it,
        unless the spec says where.
    """
    first = max(1, int(options.x[0])) if options.x else FIRST_ROUND if last > FIRST_ROUND else 1
    return Options(
        regret=regret,
        log_regret=options.y_scale == "log",
        first_round=first,
        ymax=options.y[1] if options.y else None,
        title=title,
        ymin=options.y[0] if options.y else None,
        last_round=int(options.x[1]) if options.x else None,
        log_time=options.x_scale != "linear",
        columns=options.columns,
    )


def picture(
    experiment: Experiment,
    options: FigureOptions,
    regret: str,
    title: str | None = None,
    only: Sequence[str] | None = None,
    stamp: str | None = None,
) -> Picture:
    """The figure of an experiment.

    Parameters
    ----------
    experiment : Experiment
    options : FigureOptions
    regret : str
        The definition of regret to show.
    title : str, optional
    only : sequence of str, optional
        Labels to draw; by default all.
    stamp : str, optional
        A warning to write across figures of bars, sweeps and self-duels, beside those about missing runs.

    Raises
    ------
    InputError
        When a figure of regret would have too many panels.
    IncompleteResults
        When the run is missing whose self-duels are to be shown, or every run of the algorithm to normalise to.
    """
    if options.kind == "sweep":
        points = sweep_points(experiment, options, regret)
        return Picture(
            lambda: sweep_figure.sweep_figure(points, options, regret, title, only),
            lambda: sweep_figure.plotted_numbers(points, only),
            tuple(dict.fromkeys(point.label for point in points)),
        )
    if options.kind == "bars":
        return _spread_picture(experiment, options, regret, title, only, stamp)
    if options.kind == "self-duels":
        return _self_duel_picture(experiment, options, title, only, stamp)
    drawn = panels_of(experiment, options, regret)
    how = regret_options(options, regret, title, last_round(drawn))
    return Picture(
        lambda: regret_figure(drawn, how, only),
        lambda: plotted_numbers(drawn, how, only),
        tuple(dict.fromkeys(entry.label for panel in drawn for entry in panel.entries)),
    )


def last_round(panels: "Sequence[Panel]") -> int:
    """The last round of which there is data."""
    return max(int(entry.curve.rounds.max(initial=1)) for panel in panels for entry in panel.entries)


def panels_of(experiment: Experiment, options: FigureOptions, regret: str) -> "list[Panel]":
    """The panels of a figure of regret.

    Raises
    ------
    InputError
        When they are more than `MAX_PANELS`.
    """
    drawn = panels(_pooled(experiment) if options.pool else experiment, regret, options.band)
    if len(drawn) > MAX_PANELS:
        raise InputError(
            f"{experiment.name}: {len(drawn)} panels, one per matrix, are too many for a figure (at most {MAX_PANELS}):"
            " write 'figure: {kind: sweep}' or 'figure: {pool: true}' into its spec, and run it again"
        )
    return drawn


def _pooled(experiment: Experiment) -> Experiment:
    """The experiment as if all of its matrices were random ones of one problem."""
    groups: dict[tuple[int, int], list[LoadedCell]] = {}
    for cell in experiment.cells:
        groups.setdefault((cell.stored.position, cell.stored.horizon), []).append(cell)
    return replace(experiment, cells=tuple(_pool(experiment, cells) for cells in groups.values()))


def _pool(experiment: Experiment, cells: Sequence[LoadedCell]) -> LoadedCell:
    """The runs on several matrices as one cell, which knows the matrix of each."""
    there = [cell for cell in cells if cell.n_runs] or [cells[0]]
    stored = replace(cells[0].stored, problem="all problems", n_runs=sum(cell.stored.n_runs for cell in cells))
    if any(len(cell.rounds) != len(there[0].rounds) or np.any(cell.rounds != there[0].rounds) for cell in there):
        raise InputError(f"{experiment.name}: runs to different horizons cannot be pooled into one curve")
    return LoadedCell(
        stored,
        there[0].rounds,
        np.concatenate([cell.regret for cell in there]),
        np.concatenate([cell.recommended for cell in there]),
        sum(cell.missing for cell in cells),
        tuple(fault for cell in cells for fault in cell.damaged),
        games=np.repeat(np.arange(len(there)), [cell.n_runs for cell in there]),
    )


def sweep_points(experiment: Experiment, options: FigureOptions, regret: str) -> list[SweepPoint]:
    """The points of a sweep, those without any run left out."""
    which = experiment.definitions.index(regret)
    groups: dict[tuple[str, int], list[LoadedCell]] = {}
    for cell in _at_every_value(experiment):
        groups.setdefault((cell.stored.setting, cell.stored.position), []).append(cell)
    points = []
    for cells in groups.values():
        pooled = _pool(experiment, cells)
        point = cells[0].stored.point
        if not pooled.n_runs or point is None:
            continue
        stored = pooled.stored
        points.append(
            SweepPoint(
                problem=point.problem,
                algorithm=stored.algorithm,
                label=stored.label,
                over=point.over,
                value=tuple(point.value) if isinstance(point.value, list) else point.value,
                curve=summarise(pooled.rounds[-1:], pooled.regret[:, which, -1:], options.band, pooled.games),
                planned=stored.n_runs,
            )
        )
    return points


def _at_every_value(experiment: Experiment) -> Iterator[LoadedCell]:
    """The cells; those of algorithms that a sweep leaves as they are stand at each of its values."""
    sweep = experiment.results.spec.get("sweep", {"values": ()})
    for cell in experiment.cells:
        if cell.stored.point is not None:
            yield cell
            continue
        for value in sweep["values"]:
            point = Point(cell.stored.problem, sweep["over"], value)
            yield replace(cell, stored=replace(cell.stored, point=point))


def spreads(experiment: Experiment, options: FigureOptions, regret: str) -> list[Spread]:
    """Spread of regret at the longest horizon, for every algorithm and problem with enough runs."""
    which = experiment.definitions.index(regret)
    ends: dict[str, list[LoadedCell]] = {}
    for cell in experiment.cells:
        if cell.stored.horizon == experiment.results.spec["horizon"] and cell.n_runs:
            ends.setdefault(cell.stored.problem, []).append(cell)
    found = []
    for problem, cells in ends.items():
        reference = _reference(experiment, problem, cells, options, which)
        for cell in cells:
            regrets = cell.regret[:, which, -1]
            if options.statistic == "std" and len(regrets) < 2:
                raise IncompleteResults(f"{experiment.name}: a standard deviation needs at least 2 runs")
            value = float(regrets.std(ddof=1) if options.statistic == "std" else regrets.mean())
            stored = cell.stored
            numbers = (stored.horizon, value, reference, cell.n_runs, stored.n_runs)
            found.append(Spread(problem, stored.algorithm, stored.label, *numbers))
    return found


def _reference(
    experiment: Experiment, problem: str, cells: Sequence[LoadedCell], options: FigureOptions, which: int
) -> float:
    """Mean regret of the algorithm that all are normalised to; 1 where there is none."""
    if options.normalise_to is None:
        return 1.0
    for cell in cells:
        if cell.stored.label == options.normalise_to:
            return float(cell.regret[:, which, -1].mean())
    raise IncompleteResults(
        f"{experiment.name}: no run of {options.normalise_to} on {problem}, which bars are relative to"
    )


def _spread_picture(
    experiment: Experiment,
    options: FigureOptions,
    regret: str,
    title: str | None,
    only: Sequence[str] | None,
    stamp: str | None,
) -> Picture:
    found = spreads(experiment, options, regret)
    looks = styles_of((spread.algorithm, spread.label) for spread in found)
    drawn = [spread for spread in found if only is None or spread.label in only]
    missing = sum(spread.planned - spread.runs for spread in drawn)
    planned = sum(spread.planned for spread in drawn)
    warning = "\n".join(
        part for part in (f"partial: {planned - missing} of {planned} runs" * bool(missing), stamp) if part
    )
    what = "standard deviation" if options.statistic == "std" else "mean"
    name = f"{what} of {REGRET_NAMES.get(regret, regret)} at the horizon"
    relative = f", over the mean of {options.normalise_to}" if options.normalise_to else " (duels)"
    shown = [
        Bar("", spread.problem, spread.label, looks[spread.algorithm, spread.label].colour, spread.height)
        for spread in drawn
    ]
    caption = f"{max(spread.runs for spread in found)} runs"
    return Picture(
        lambda: bars.bar_figure(shown, name + relative, caption, options, title, warning or None),
        lambda: bars.spread_numbers(drawn, options),
        tuple(dict.fromkeys(spread.label for spread in found)),
    )


def self_duels(experiment: Experiment, options: FigureOptions) -> list[SelfDuels]:
    """Self-duels of the Copeland winners, and of all other arms together, in one run of every algorithm."""
    found = []
    for cell in experiment.cells:
        stored = cell.stored
        if stored.horizon != experiment.results.spec["horizon"]:
            continue
        counts = np.diag(stored.read(options.run).trace.duels)
        winners = winners_of("copeland", stored)
        named = [(stored.matrix.names[arm], int(counts[arm])) for arm in winners.tolist()]
        total = int(counts.sum())
        for arm, count in [*named, (OTHERS, total - sum(count for _, count in named))]:
            found.append(SelfDuels(stored.problem, stored.algorithm, stored.label, options.run, arm, count, total))
    return found


def _self_duel_picture(
    experiment: Experiment, options: FigureOptions, title: str | None, only: Sequence[str] | None, stamp: str | None
) -> Picture:
    found = self_duels(experiment, options)
    drawn = [one for one in found if only is None or one.label in only]
    arms = list(dict.fromkeys(one.arm for one in found if one.arm != OTHERS))
    hues = [COLOURS[name] for name in ("blue", "orange", "green", "pink", "sky", "vermilion", "olive", "indigo")]
    colour = {**{arm: hues[k % len(hues)] for k, arm in enumerate(arms)}, OTHERS: COLOURS["grey"]}
    labels = {arm: f"arm {arm}" if arm.isdecimal() else arm for arm in arms} | {OTHERS: "all other arms"}
    shown = [Bar(one.problem, one.label, labels[one.arm], colour[one.arm], one.share) for one in drawn]
    counted = " (arms from 0)" if any(arm.isdecimal() for arm in arms) else ""
    caption = f"run {options.run}, Copeland winners{counted}"
    return Picture(
        lambda: bars.bar_figure(shown, "share of the self-duels", caption, options, title, stamp),
        lambda: bars.self_duel_numbers(drawn),
        tuple(dict.fromkeys(one.label for one in found)),
    )
