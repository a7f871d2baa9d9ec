"""``duelbench status``: what is done, missing, failed or damaged."""

import json as json_module
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from duelbench.cli.columns import columns
from duelbench.errors import IncompleteResults

if TYPE_CHECKING:
    from duelbench.experiment.survey import CellSurvey, Survey

SPEC_ENDINGS = (".yaml", ".yml")


def status(
    results: Annotated[
        list[Path],
        typer.Argument(
            metavar="RESULTS...", help="Results folders, a folder of several (results/), or the specs they came from."
        ),
    ],
    out: Annotated[Path, typer.Option("--out", metavar="DIR", help="Where the results of a spec are.")] = Path(
        "results"
    ),
    plug_in: Annotated[
        list[str] | None,
        typer.Option("--plug-in", metavar="FILE", help="Load the algorithms that a spec needs, as `run` does."),
    ] = None,
    scale: Annotated[
        str | None, typer.Option(metavar="NAME", help="The size at which the specs were run, such as quick.")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Check every result, bit by bit, and say what is done, missing, failed or damaged."""
    from duelbench.algorithms.registry import load_plug_in
    from duelbench.experiment.survey import survey

    for name in plug_in or ():
        load_plug_in(name)
    surveys = [survey(folder) for folder in _folders(results, out, scale)]
    if json:
        print(json_module.dumps({"experiments": [_as_json(found) for found in surveys]}, indent=2))
    else:
        print("\n\n".join(_as_text(found) for found in surveys))
    incomplete = [str(found.results.folder) for found in surveys if not found.is_complete]
    if incomplete:
        raise IncompleteResults(
            f"not complete: {', '.join(incomplete)}; `duelbench run` with the spec goes on from there"
        )


def _folders(paths: list[Path], out: Path, scale: str | None) -> list[Path]:
    from duelbench.experiment.manifest import find_experiments

    folders = []
    for path in paths:
        if path.suffix in SPEC_ENDINGS and path.is_file():
            from duelbench.experiment.spec import load

            path = out / load(path, scale).name
        folders += [folder for folder in find_experiments(path) if folder not in folders]
    return folders


def _as_json(survey: "Survey") -> dict[str, Any]:
    return {
        "experiment": survey.results.name,
        "results": str(survey.results.folder),
        "complete": survey.is_complete,
        "cells": [
            {
                "problem": found.cell.problem,
                "algorithm": found.cell.algorithm,
                "label": found.cell.label,
                "horizon": found.cell.horizon,
                "runs": found.cell.n_runs,
                "done": len(found.done),
                "missing": found.missing,
                "failed": {str(run): record.error for run, record in found.failed.items()},
                "damaged": {str(run): reason for run, reason in found.damaged.items()},
            }
            for found in survey.cells
        ],
    }


def _as_text(survey: "Survey") -> str:
    from duelbench.experiment.cells import games_together

    rows = [["problem", "algorithm", "horizon", "runs", "done", "missing", "failed", "damaged"]]
    for cells in games_together(survey.cells):
        first = cells[0].cell
        counts = [
            sum(numbers)
            for numbers in zip(
                *(
                    (found.cell.n_runs, len(found.done), len(found.missing), len(found.failed), len(found.damaged))
                    for found in cells
                ),
                strict=True,
            )
        ]
        rows.append([first.setting, first.label, *map(str, (first.horizon, *counts))])
    state = "complete" if survey.is_complete else "not complete"
    title = f"{survey.results.name}: {state} ({survey.results.folder})"
    reasons = [line for found in survey.cells for line in _reasons(found)]
    return "\n".join([title, *columns(rows, right=range(2, 8)), *reasons])


def _reasons(found: "CellSurvey") -> list[str]:
    """Why runs failed or are damaged; runs with the same reason on one line."""
    lines = []
    errors = {run: record.error for run, record in found.failed.items()}
    for state, runs in (("failed", errors), ("damaged", found.damaged)):
        for reason, count in Counter(runs.values()).items():
            first = next(run for run, other in runs.items() if other == reason)
            others = f" and {count - 1} more" if count > 1 else ""
            lines.append(f"{state}: {found.cell.label} on {found.cell.problem}, run {first}{others}: {reason}")
            if state == "failed":
                lines.append(f"    {found.failed[first].path} has the traceback and says how to reproduce it")
    return lines
