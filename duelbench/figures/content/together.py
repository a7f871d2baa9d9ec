"""Several experiments in one set of axes: their panels merged, and labels told apart by the name of the experiment."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from duelbench.errors import InputError
from duelbench.figures.content.changes import DIFFERENT
from duelbench.figures.content.panels import Panel


def together(
    experiments: Mapping[str, Sequence[Panel]], only: Sequence[str] | None = None
) -> tuple[list[Panel], list[str] | None]:
    """One panel for each problem, with the curves of all experiments.

    Where every experiment has one problem, all share one panel, whatever the problems are called. A label, or the name
    of a bound, that several experiments have gets the name of its experiment, as in ``RUCB (first)``; a bound of one
    value is one line.

    Parameters
    ----------
    experiments : mapping of str to sequence of Panel
        Name of an experiment -> its panels, at least one.
    only : sequence of str, optional
        Labels to draw, as they are without the names.

    Returns
    -------
    panels : list of Panel
    only : list of str, optional
        The labels to draw as they are in the panels.

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
    kept = None if only is None else [new for label in only for new in _names(label, homes.get(label, ()))]
    return [_merged(group, homes) for group in groups.values()], kept


def _names(label: str, homes: "Sequence[str] | set[str]") -> list[str]:
    """What a label is called in the panels."""
    return [label] if len(homes) < 2 else [f"{label} ({name})" for name in homes]


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
    mixed = any(panel.mixed_versions for _, panel in group)
    changes = {panel.changes for _, panel in group}
    shared = changes.pop() if len(changes) == 1 else DIFFERENT
    return Panel(first.problem, first.problem, entries, tuple(bounds.items()), mixed, changes=shared)
