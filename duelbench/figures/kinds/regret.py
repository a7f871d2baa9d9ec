"""Cumulative regret over time, of one experiment or of several in one figure."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from duelbench.errors import InputError
from duelbench.figures.content.changes import DIFFERENT
from duelbench.figures.content.panels import Options, Panel, by_algorithm, last_round, panels_of
from duelbench.figures.drawing.regret_figure import plotted_numbers, regret_figure
from duelbench.figures.kinds.curves import how_drawn
from duelbench.figures.picture import Picture, Request


def regret(request: Request) -> Picture:
    """Cumulative regret of one experiment."""
    return regret_of([request])


def regret_of(requests: Sequence[Request]) -> Picture:
    """Regret of one or several experiments, all of their panels in one figure, each with the limits of its spec.

    The numbers are those of the panels of each experiment, in whatever panels they are drawn.
    """
    bands = {request.options.band: request.experiment.name for request in requests}
    if len(bands) > 1:
        listed = ", ".join(f"{band} of {name}" for band, name in bands.items())
        raise InputError(f"the specs ask for different bands ({listed}): choose one of them for the figure")
    only, options, alone = requests[0].only, requests[0].options, len(requests) == 1
    of_each = [_panels(request) for request in requests]
    drawn = [
        panel if alone else _in_company(panel, request, only_one=len(panels) == 1)
        for request, panels in zip(requests, of_each, strict=True)
        for panel in panels
    ]
    shown = [panel for panel in drawn if not only or any(entry.label in only for entry in panel.entries)]
    in_figure, shown_labels = shown, only
    if options.together and not alone:
        names = [request.experiment.name for request in requests]
        in_figure, shown_labels = together(dict(zip(names, of_each, strict=True)), only)
        in_figure = [replace(panel, how=_common([one.how for one in drawn])) for panel in in_figure]
    if options.panels == "algorithm":
        in_figure = by_algorithm(in_figure, shown_labels)
    return Picture(lambda: regret_figure(in_figure, shown_labels), lambda: plotted_numbers(shown, only))


def _panels(request: Request) -> list[Panel]:
    panels = panels_of(request.experiment, request.options, request.regret, request.stamp)
    how = how_drawn(request, last_round(panels))
    if not request.options.y_scale and not request.options.y:
        how = replace(how, log_regret=None)
    return [replace(panel, how=how) for panel in panels]


def _in_company(panel: Panel, request: Request, only_one: bool) -> Panel:
    """The panel with its experiment in its names, for a figure of several experiments."""
    experiment = request.experiment
    title = experiment.title if only_one else f"{experiment.title}: {panel.title}"
    return replace(panel, title=title, problem=f"{experiment.name}/{panel.problem}")


def _common(hows: Sequence[Options]) -> Options:
    """The options of axes that experiments share: the ends that their specs agree on, else what fits the data."""
    first = hows[0]
    same = {
        name: value if all(getattr(how, name) == value for how in hows) else None
        for name, value in (("ymin", first.ymin), ("ymax", first.ymax), ("last_round", first.last_round))
    }
    return replace(first, first_round=min(how.first_round for how in hows), **same)  # type: ignore[arg-type]


def together(
    experiments: Mapping[str, Sequence[Panel]], only: Sequence[str] | None = None
) -> tuple[list[Panel], list[str] | None]:
    """One panel for each problem of several experiments, with the curves of all of them.

    Where every experiment has one problem, all share one panel, whatever the problems are called. A label, or the name
    of a bound, that several experiments have gets the name of its experiment, as in ``RUCB (first)``; a bound of one
    value is one line.

    Returns
    -------
    panels : list of Panel
    only : list of str, optional
        The labels of ``only`` as they are in the panels.

    Raises
    ------
    InputError
        When two of the labels would be the same.
    """
    alone = all(len(panels) == 1 for panels in experiments.values())
    groups: dict[str, list[tuple[str, Panel]]] = {}
    for name, panels in experiments.items():
        for panel in panels:
            groups.setdefault("" if alone else panel.problem, []).append((name, panel))
    homes: dict[str, set[str]] = {}
    for name, panels in experiments.items():
        for entry in (entry for panel in panels for entry in panel.entries):
            homes.setdefault(entry.label, set()).add(name)
    kept = None
    if only is not None:
        kept = [f"{label} ({name})" for label in only if len(own := homes.get(label, ())) > 1 for name in own]
        kept += [label for label in only if len(homes.get(label, ())) < 2]
    return [_merged(group, homes) for group in groups.values()], kept


def _merged(group: Sequence[tuple[str, Panel]], homes: Mapping[str, set[str]]) -> Panel:
    entries = tuple(
        replace(entry, label=f"{entry.label} ({name})" if len(homes[entry.label]) > 1 else entry.label)
        for name, panel in group
        for entry in panel.entries
    )
    labels = [entry.label for entry in entries]
    twice = next((label for label in labels if labels.count(label) > 1), None)
    if twice is not None:
        raise InputError(f"together: two of the curves would be called {twice}; give one of them another label")
    values: dict[str, set[float]] = {}
    for label, constant in (bound for _, panel in group for bound in panel.bounds):
        values.setdefault(label, set()).add(constant)
    bounds = {
        f"{label} ({name})" if len(values[label]) > 1 else label: constant
        for name, panel in group
        for label, constant in panel.bounds
    }
    first = group[0][1]
    changes = {panel.changes for _, panel in group}
    shared = changes.pop() if len(changes) == 1 else DIFFERENT
    return Panel(first.problem, first.problem, entries, tuple(bounds.items()), first.stamp, changes=shared)
