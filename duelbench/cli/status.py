"""``duelbench status``: how many runs are done, missing, failed or damaged."""

from collections import Counter
from contextlib import closing
from functools import partial
from typing import TYPE_CHECKING, Any

from duelbench.cli.options import Json, PlugIn, Results
from duelbench.cli.printing import columns, tell_notes
from duelbench.cli.streams import say, say_json
from duelbench.common.words import counted

if TYPE_CHECKING:
    from duelbench.experiments.results.status import CellStatus, Status


def status(results: Results, plug_in: PlugIn = None, json: Json = False) -> None:
    """Check all results, and list those that are missing or damaged.

    \b
    Examples:
      duelbench status results/
      duelbench status first.yaml --json

    Checks every file to the last bit, counts the runs that are done, missing, failed or damaged, and prints how to
    reproduce failed ones. For a spec it also counts the runs that are still to do.
    """
    from duelbench.experiments.execution.progress import Waiting
    from duelbench.experiments.places import results_at, still_to_run
    from duelbench.experiments.results.experiments import code_notes
    from duelbench.experiments.results.manifest import FILE, without_manifest
    from duelbench.experiments.results.status import status_of
    from duelbench.experiments.results.store import NewerResult

    opened, damaged = results_at(results, plug_in=plug_in or ())
    statuses = []
    total = sum(cell.n_runs for experiment in opened for cell in experiment.cells)
    with closing(Waiting()) as waiting:
        for experiment in opened:
            try:
                statuses.append(status_of(experiment, partial(waiting.reading, total, experiment.name)))
            except NewerResult as error:
                damaged.note_unreadable(experiment.folder, error)
    n_to_run = still_to_run(results, [status.results.folder for status in statuses])
    for status in statuses:
        status.n_to_run = n_to_run.get(status.results.folder, 0)
    parents = [path for path in results if path.is_dir() and not (path / FILE).exists()]
    without = [folder for parent in parents for folder in without_manifest(parent)]
    if json:
        experiments = [_as_json(status) for status in statuses]
        broken = {**damaged.unreadable, **dict.fromkeys(without, f"it has no {FILE}")}
        for folder, reason in broken.items():
            names = {"experiment": folder.name, "results": str(folder)}
            experiments.append({**names, "complete": False, "error": reason, "cells": []})
        say_json({"experiments": experiments})
    elif statuses:
        say("\n\n".join(_as_text(status) for status in statuses))
    tell_notes(code_notes(status.results for status in statuses))
    incomplete = [str(status.results.folder) for status in statuses if not status.is_complete]
    if without:
        damaged.errors.append(
            f"runs without {FILE}, which describes their experiment: {', '.join(map(str, without))};"
            " `duelbench run` with the spec restores it, and reuses the runs"
        )
    if incomplete:
        damaged.errors.append(f"not complete: {', '.join(incomplete)}; `duelbench run` with the spec resumes")
    damaged.raise_any()


def _as_json(status: "Status") -> dict[str, Any]:
    from duelbench.experiments.results.settings import settings_of
    from duelbench.experiments.stale import stale_figures

    return {
        "experiment": status.results.name,
        "results": str(status.results.folder),
        "complete": status.is_complete,
        "cells": [
            {
                "problem": cell_status.cell.problem,
                "algorithm": cell_status.cell.algorithm,
                "label": cell_status.cell.label,
                "horizon": cell_status.cell.horizon,
                "settings": settings_of(cell_status.cell),
                "runs": cell_status.cell.n_runs,
                "done": len(cell_status.done),
                "missing": cell_status.missing,
                "failed": {str(run): record.error for run, record in cell_status.failed.items()},
                "damaged": {str(run): reason for run, reason in cell_status.damaged.items()},
            }
            for cell_status in status.cells
        ],
        **({"to_run": status.n_to_run} if status.n_to_run else {}),
        **({"until": status.standing.content} if status.standing else {}),
        **({"stale": stale} if (stale := stale_figures(status.results)) else {}),
    }


def _as_text(status: "Status") -> str:
    from duelbench.experiments.results.cells import games_together
    from duelbench.experiments.results.settings import in_words, played
    from duelbench.experiments.stale import stale_figures

    rows = [["problem", "algorithm", "horizon", "runs", "done", "missing", "failed", "damaged"]]
    for cells in games_together(status.cells):
        first = cells[0].cell
        states = [
            (cell_status.done, cell_status.missing, cell_status.failed, cell_status.damaged) for cell_status in cells
        ]
        n_runs = sum(cell_status.cell.n_runs for cell_status in cells)
        counts = (n_runs, *(sum(map(len, runs)) for runs in zip(*states, strict=True)))
        rows.append([first.setting, first.label, *map(str, (first.horizon, *counts))])
    state = "complete" if status.is_complete else "not complete"
    title = f"{status.results.name}: {state} ({status.results.folder})"
    lines = [title, *columns(rows, right=range(2, 8))]
    for cell_status in status.cells:
        lines += _reasons(cell_status)
    settings = in_words(played(cell_status.cell for cell_status in status.cells), status.results.question)
    if settings:
        lines.append(f"played: {settings}")
    if status.standing:
        lines += status.standing.lines()
    if status.n_to_run:
        lines.append(f"the spec needs {counted(status.n_to_run, 'more run')}")
    lines += [f"stale: {line}" for line in stale_figures(status.results)]
    return "\n".join(lines)


def _reasons(cell_status: "CellStatus") -> list[str]:
    """Lines on why runs failed or are damaged; runs with the same reason share a line."""
    lines = []
    errors = {run: record.error for run, record in cell_status.failed.items()}
    for state, runs in (("failed", errors), ("damaged", cell_status.damaged)):
        for reason, count in Counter(runs.values()).items():
            first = next(run for run, error in runs.items() if error == reason)
            others = f" and {count - 1} more" if count > 1 else ""
            lines.append(
                f"{state}: {cell_status.cell.label} on {cell_status.cell.problem}, run {first}{others}: {reason}"
            )
            if state == "failed":
                lines.append(f"    details, and how to reproduce it: {cell_status.failed[first].path}")
    return lines
