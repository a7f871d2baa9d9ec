"""The status of a results folder: its files, compared with its manifest."""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from duelbench.experiments.results import failures
from duelbench.experiments.results.decided import Standing, in_sequence, standing
from duelbench.experiments.results.manifest import Results, StoredCell
from duelbench.experiments.results.store import DamagedResult, Result


@dataclass
class CellStatus:
    """The state of the runs (0-based) of one cell. Each run is done, missing, failed or damaged."""

    cell: StoredCell
    done: list[int] = field(default_factory=list)  # runs with an undamaged file
    missing: list[int] = field(default_factory=list)  # runs that were never tried, or interrupted
    failed: dict[int, failures.Record] = field(default_factory=dict)
    damaged: dict[int, str] = field(default_factory=dict)  # run -> what is wrong with its file
    regret: dict[int, float] = field(default_factory=dict)  # run that is done -> regret, for interim analyses

    @property
    def is_complete(self) -> bool:
        """Whether all runs are done."""
        return len(self.done) == self.cell.n_runs


@dataclass
class Status:
    """The state of an experiment."""

    results: Results
    cells: list[CellStatus]
    n_to_run: int = 0  # further runs that the spec needs, if it changed since the manifest was written

    @property
    def is_complete(self) -> bool:
        """Whether all runs are done."""
        is_over = self.standing is None or self.standing.is_over
        return is_over and not self.n_to_run and all(cell.is_complete for cell in self.cells)

    @cached_property
    def standing(self) -> Standing | None:
        """The decisions of the interim analyses; None if the spec gives the number of runs."""
        return standing_of(self.results, (cell.regret for cell in self.cells))


def standing_of(results: Results, regret: Iterable[Mapping[int, float]]) -> Standing | None:
    """Return the decisions of interim analyses on the regret of each cell (run -> regret); None if there are none."""
    rule = results.until
    return None if rule is None else standing(rule, results.cells, [in_sequence(of_runs) for of_runs in regret])


def status_of(results: Results, count: Callable[[], None] = lambda: None) -> Status:
    """Read and check all runs in the manifest of a results folder, and ``count`` each.

    Raises `NewerResult` as `read_run`.
    """
    failed = failures.read(results.folder)
    cells = []
    for cell in results.cells:
        status = CellStatus(cell)
        for run, state in enumerate(read_runs(cell, failed)):
            count()
            if isinstance(state, DamagedResult):
                status.damaged[run] = state.reason
            elif isinstance(state, failures.Record):
                status.failed[run] = state
            elif state is None:
                status.missing.append(run)
            else:
                status.done.append(run)
                status.regret[run] = float(state.trace.regret[0, -1])
        cells.append(status)
    return Status(results, cells)


def read_runs(
    cell: StoredCell, failed: Mapping[str, failures.Record]
) -> Iterator[Result | DamagedResult | failures.Record | None]:
    """Yield for each run its result, the damage of its file, its failure (of `failures.read`), or None if missing."""
    for run, key in enumerate(cell.identity.keys(range(cell.n_runs))):
        if not os.path.lexists(cell.path(run)):
            yield failed.get(key)
            continue
        try:
            yield cell.read(run)
        except DamagedResult as error:
            yield error
