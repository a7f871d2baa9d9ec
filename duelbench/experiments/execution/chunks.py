"""The queue of runs, and the measured times of runs."""

import threading
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path, PurePosixPath

from duelbench.bandits.algorithms import registry
from duelbench.bandits.simulation.compiled_loops import loop_name
from duelbench.experiments.execution.worker import Chunk
from duelbench.experiments.results.cells import Cell

CHUNK_SECONDS = 0.5
"""The time a worker needs for a chunk: much longer than handing it over, but a small loss if the worker dies."""


class Queue:
    """Hands out runs in chunks, cell after cell, to ``jobs`` workers; safe to use from several threads.

    ``budgets`` maps a cell's folder to the time for which its runs may be interpreted: see `Chunk`.
    """

    def __init__(
        self,
        folder: Path,
        todo: Iterable[tuple[Cell, Iterable[int]]],
        jobs: int,
        budgets: Mapping[PurePosixPath, float],
        chunk_seconds: float,
    ) -> None:
        self._folder = folder
        self._budgets = budgets
        self._jobs = jobs
        self._chunk_seconds = chunk_seconds
        self._waiting: deque[tuple[Cell, deque[int]]] = deque()
        self._seconds: dict[PurePosixPath, tuple[float, int]] = {}
        self._cold: set[str] = set()  # loops that no worker compiles yet
        self._compiling: set[str] = set()
        self._lock = threading.Lock()
        for cell, runs in todo:
            self.add(cell, runs)

    def add(self, cell: Cell, runs: Iterable[int]) -> None:
        """Append runs of a cell."""
        waiting = deque(runs)
        if waiting:
            with self._lock:
                self._waiting.append((cell, waiting))

    def take(self) -> Chunk | None:
        """Return the next chunk, or None if no run waits; prefer a loop that no other worker is compiling."""
        with self._lock:
            if not self._waiting:
                return None
            k = next((k for k, (cell, _) in enumerate(self._waiting) if _loop(cell) not in self._compiling), -1)
            cell, runs = self._waiting[k]
            taken = tuple(runs.popleft() for _ in range(self._size(cell, len(runs))))
            if not runs:
                del self._waiting[k]
            if _loop(cell) in self._cold:
                self._cold.remove(_loop(cell))
                self._compiling.add(_loop(cell))
            return Chunk(cell, self._folder, taken, self._budgets.get(cell.folder, 0.0))

    def compiled(self, cell: Cell) -> None:
        """Record that a cell's loop is compiled."""
        with self._lock:
            self._compiling.discard(_loop(cell))

    def cells(self) -> list[Cell]:
        """Return the cells with waiting runs."""
        with self._lock:
            return [cell for cell, _ in self._waiting]

    def is_empty(self) -> bool:
        """Return whether no run waits."""
        with self._lock:
            return not self._waiting

    def n_waiting(self) -> int:
        """Return the number of waiting runs."""
        with self._lock:
            return sum(len(runs) for _, runs in self._waiting)

    def withdraw(self, cell: Cell) -> list[int]:
        """Remove all waiting runs of a cell."""
        with self._lock:
            withdrawn = [run for waiting_cell, runs in self._waiting if waiting_cell is cell for run in runs]
            self._waiting = deque(
                (waiting_cell, runs) for waiting_cell, runs in self._waiting if waiting_cell is not cell
            )
            return withdrawn

    def measured(self, cell: Cell, seconds: float) -> None:
        """Record how long a run of a cell took."""
        with self._lock:
            total, count = self._seconds.get(cell.folder, (0.0, 0))
            self._seconds[cell.folder] = (total + seconds, count + 1)

    def one_of_each_first(self, cold: Sequence[Cell] = ()) -> None:
        """Move one run of each cell to the front, to find mistakes and measure times; ``cold`` cells come first."""
        with self._lock:
            self._cold = set(map(_loop, cold))
            places = {cell.folder: k for k, cell in enumerate(cold)}
            first = [(cell, deque([runs.popleft()])) for cell, runs in self._waiting]
            first.sort(key=lambda item: places.get(item[0].folder, len(places)))
            self._waiting = deque([*first, *((cell, runs) for cell, runs in self._waiting if runs)])

    def _size(self, cell: Cell, n_waiting: int) -> int:
        total, count = self._seconds.get(cell.folder, (0.0, 0))
        if not count:
            return 1
        by_time = int(self._chunk_seconds * count / max(total, 1e-6 * count))
        # The last chunks are small, so that all workers finish at the same time.
        fair_share = n_waiting // (2 * self._jobs)
        return max(1, min(by_time, fair_share))


def _loop(cell: Cell) -> str:
    return _loop_name(cell.identity.algorithm)


@cache
def _loop_name(algorithm: str) -> str:
    return loop_name(registry.get(algorithm))
