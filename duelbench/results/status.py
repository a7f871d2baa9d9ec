"""The status of a results folder: what it holds, compared with its manifest."""

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from duelbench.results import failures
from duelbench.results.decided import Standing, in_sequence, standing
from duelbench.results.manifest import Results, StoredCell
from duelbench.results.store import DamagedResult, Result


@dataclass
class CellStatus:
    """The state of the runs (0-based) of one cell; every run is in exactly one of the four."""

    cell: StoredCell
    done: list[int] = field(default_factory=list)  # files that are there and whole
    missing: list[int] = field(default_factory=list)  # not there; never tried, or interrupted
    failed: dict[int, failures.Record] = field(default_factory=dict)  # not there because the run failed
    damaged: dict[int, str] = field(default_factory=dict)  # there, but not to be trusted, and why
    regret: dict[int, float] = field(default_factory=dict)  # of those that are done, as interim analyses need it

    @property
    def is_complete(self) -> bool:
        """Whether all runs are done."""
        return len(self.done) == self.cell.n_runs


@dataclass
class Status:
    """The state of an experiment."""

    results: Results
    cells: list[CellStatus]
    n_asked: int = 0  # runs that the spec as it is now asks for, beyond those of the manifest

    @property
    def is_complete(self) -> bool:
        """Whether all runs are done."""
        is_over = self.standing is None or self.standing.is_over
        return is_over and not self.n_asked and all(cell.is_complete for cell in self.cells)

    @cached_property
    def standing(self) -> Standing | None:
        """What is decided, where the number of runs is decided while they run."""
        return standing_of(self.results, (cell.regret for cell in self.cells))


def standing_of(results: Results, regret: Iterable[Mapping[int, float]]) -> Standing | None:
    """What is decided by the regret of the runs of each cell; None where the spec says how many runs there are."""
    rule = results.until
    return None if rule is None else standing(rule, results.cells, [in_sequence(one) for one in regret])


def status_of(results: Results) -> Status:
    """Read and check every run that the manifest of a results folder lists; `NewerResult` as of `read_run`."""
    failed = failures.read(results.folder)
    return Status(results, [_status_of_cell(cell, failed) for cell in results.cells])


def read_runs(
    cell: StoredCell, failed: Mapping[str, failures.Record]
) -> Iterator[Result | DamagedResult | failures.Record | None]:
    """Each run of a cell, or how its file is damaged, or how it failed (as `failures.read` has it); None: missing."""
    for run, key in enumerate(cell.identity.keys(range(cell.n_runs))):
        if not os.path.lexists(cell.path(run)):
            yield failed.get(key)
            continue
        try:
            yield cell.read(run)
        except DamagedResult as error:
            yield error


def _status_of_cell(cell: StoredCell, failed: Mapping[str, failures.Record]) -> CellStatus:
    found = CellStatus(cell)
    for run, what in enumerate(read_runs(cell, failed)):
        if isinstance(what, DamagedResult):
            found.damaged[run] = what.reason
        elif isinstance(what, failures.Record):
            found.failed[run] = what
        elif what is None:
            found.missing.append(run)
        else:
            found.done.append(run)
            found.regret[run] = float(what.trace.regret[0, -1])
    return found
