"""Cells of a leaderboard played again: whether the code still gives what the summary says."""

import hashlib
from collections.abc import Callable
from pathlib import Path

import numpy as np

from duelbench.execution.worker import simulate_cell
from duelbench.leaderboard import building
from duelbench.leaderboard.comparing import FARTHEST, other_environment
from duelbench.leaderboard.summary import Cell, Summary
from duelbench.results import cells
from duelbench.results.environment import environment
from duelbench.results.store import digest_of
from duelbench.simulation.trace import Trace
from duelbench.spec.load import load

Play = Callable[[cells.Cell, int], Trace]


def _whole(cell: cells.Cell, run: int) -> Trace:
    return simulate_cell(cell, run, cell.identity.horizon)


def fault_of(summary: Summary, cell: Cell, root: Path, play: Play = _whole) -> str | None:
    """Play all runs of a cell from its spec, and say what is another than in the summary; None where nothing is.

    With the libraries and the machine that the summary was made with, everything must be the same. Elsewhere a run may
    go another way by the last bit of some probability, and the means are compared.

    Parameters
    ----------
    summary : Summary
    cell : Cell
    root : Path
        Where the path of its spec begins.
    play : callable, optional
        Plays a run (0-based) of a cell of the spec.
    """
    own = spec_cell(summary, cell, root)
    traces = [play(own, run) for run in range(cell.runs)]
    name = f"{own.label} on {own.problem} to {cell.horizon} rounds"
    place = traces[0].rounds.tolist().index(cell.horizon)
    regret = {
        definition: np.array([trace.regret[row, place] for trace in traces])
        for row, definition in enumerate(traces[0].definitions)
    }
    if is_same_environment(summary):
        digest = hashlib.sha256("".join(digest_of(trace) for trace in traces).encode()).hexdigest()
        shown = {definition: building.statistics(values) for definition, values in regret.items()}
        if digest != cell.digest:
            return f"{name}: its runs are others (digest {digest[:12]}, in the summary {cell.digest[:12]})"
        wrong = [definition for definition in shown if shown[definition] != cell.regret[definition]]
        return f"{name}: the summary says something else of its {', '.join(wrong)} regret" if wrong else None
    for definition, values in regret.items():
        mean, error = cell.regret[definition][:2]
        spread = np.hypot(mean * error, values.std(ddof=1) / len(values) ** 0.5)
        if abs(values.mean() - mean) > FARTHEST * spread + 1e-3 * mean:
            return f"{name}: mean {definition} regret {values.mean():.4g}, in the summary {mean:.4g}"
    return None


def spec_cell(summary: Summary, cell: Cell, root: Path) -> cells.Cell:
    """The cell of the spec whose runs a cell of the summary was read from."""
    problem, algorithm = summary.problems[cell.problem], summary.algorithms[cell.algorithm]
    found = [
        own
        for own in cells.cells(load(root / str(cell.spec), cell.scale))
        if own.matrix.sha256 == problem.sha256
        and own.label == algorithm.label
        and cell.horizon <= own.identity.horizon
        and tuple(summary.rounds[cell.rounds]) == own.checkpoints
    ]
    assert len(found) == 1, f"{cell.spec} has {len(found)} cells for {algorithm.label} on {problem.name}"
    return found[0]


def is_same_environment(summary: Summary) -> bool:
    """Whether the summary's runs were played with the libraries and on the kind of machine that are here."""
    return not other_environment([environment()], summary.made_with)
