"""``duelbench merge``: merge the results of one experiment from several machines."""

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from duelbench.cli.options import USUAL, Json, Output
from duelbench.cli.printing import tell_notes
from duelbench.cli.streams import say, say_json
from duelbench.common.words import plural
from duelbench.errors import IncompleteResults

if TYPE_CHECKING:
    from duelbench.experiments.merging import Merged
    from duelbench.experiments.results.status import CellStatus


def merge(
    results: Annotated[
        list[Path], typer.Argument(metavar="DIR...", help="Results folders, or folders of several experiments.")
    ],
    output: Output = USUAL,
    json: Json = False,
) -> None:
    """Merge the results of several machines.

    \b
    Examples:
      duelbench merge shard-*/first -o results
      duelbench merge /scratch/*/results laptop/results -o results

    Copies the runs of each experiment to DIR/<name of the experiment>, byte for byte, and leaves the source folders as
    they are. Refuses folders of different experiments, and runs that differ between folders, before it writes anything.
    Prints what is missing, and the command that runs it.
    """
    from duelbench.experiments import merging

    merged = merging.merge(results, output)
    if json:
        say_json({"experiments": [_as_json(result) for result in merged]})
    else:
        say("\n\n".join(_as_text(result) for result in merged))
    tell_notes(note for result in merged for note in result.notes)
    incomplete = [result for result in merged if not result.status.is_complete]
    if incomplete:
        folders = ", ".join(str(result.status.results.folder) for result in incomplete)
        commands = "\n".join(f"  {result.command}" for result in incomplete)
        raise IncompleteResults(f"not complete: {folders}; to run what is missing:\n{commands}")


def _as_json(merged: "Merged") -> dict[str, Any]:
    status = merged.status
    return {
        "experiment": status.results.name,
        "results": str(status.results.folder),
        "complete": status.is_complete,
        "runs": sum(cell_status.cell.n_runs for cell_status in status.cells),
        "done": sum(len(cell_status.done) for cell_status in status.cells),
        "there_before": merged.n_before,
        "from": {str(folder): count for folder, count in merged.n_from.items()},
        "missing": [
            {
                "problem": cell_status.cell.problem,
                "label": cell_status.cell.label,
                "horizon": cell_status.cell.horizon,
                "runs": cell_status.missing,
                "failed": sorted(cell_status.failed),
                "damaged": sorted(cell_status.damaged),
            }
            for cell_status in status.cells
            if not cell_status.is_complete
        ],
        "command": None if status.is_complete else merged.command,
    }


def _as_text(merged: "Merged") -> str:
    status = merged.status
    n_done = sum(len(cell_status.done) for cell_status in status.cells)
    n_runs = sum(cell_status.cell.n_runs for cell_status in status.cells)
    lines = [f"{status.results.name}: {n_done} of {n_runs} runs ({status.results.folder})"]
    if merged.n_before:
        lines.append(f"  {merged.n_before} already there")
    lines += [f"  {count} from {folder}" for folder, count in merged.n_from.items()]
    lines += [line for cell_status in status.cells for line in _gaps(cell_status)]
    if status.is_complete:
        lines.append(f"next: duelbench plot {shlex.quote(str(status.results.folder))}")
    return "\n".join(lines)


def _gaps(cell_status: "CellStatus") -> list[str]:
    """Lines on the runs of a cell that are missing, failed or damaged."""
    states = {"missing": cell_status.missing, "failed": [*cell_status.failed], "damaged": [*cell_status.damaged]}
    return [
        f"  {state}: {cell_status.cell.label} on {cell_status.cell.problem}, {plural(len(runs), 'run')} {ranges(runs)}"
        for state, runs in states.items()
        if runs
    ]


def ranges(numbers: list[int]) -> str:
    """Format increasing numbers, with consecutive ones as a range.

    Examples
    --------
    >>> ranges([3, 5, 6, 7, 9])
    '3, 5-7, 9'
    """
    parts: list[list[int]] = []
    for number in numbers:
        if parts and number == parts[-1][-1] + 1:
            parts[-1].append(number)
        else:
            parts.append([number])
    return ", ".join(f"{part[0]}-{part[-1]}" if len(part) > 1 else str(part[0]) for part in parts)
