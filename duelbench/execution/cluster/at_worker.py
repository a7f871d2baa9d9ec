"""What a worker of a Dask cluster does: it has runs played in a process of its own, and hands back their files.

So what holds for the workers of this machine holds there: a run that ends its process, or takes too long, costs itself.
"""

import contextlib
import os
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from distributed import WorkerPlugin, get_worker

from duelbench.errors import RunsFailed
from duelbench.execution import pulse
from duelbench.execution.cluster import sameness
from duelbench.execution.cluster.plug_in_files import PlugIn, put
from duelbench.execution.processes import WorkerProcesses
from duelbench.execution.worker import Chunk, Report
from duelbench.results import atomic
from duelbench.results.cells import Cell, run_file

Answer = tuple[int, list[Report], dict[int, bytes]]
"""The number of a chunk, its reports, and the files of its runs that were not written to a shared folder."""


class Experiment(WorkerPlugin):
    """What all workers of a cluster know of an experiment, those that join it later included.

    Parameters
    ----------
    name : str
        A name that no other has.
    cells : list of Cell
    plug_ins : tuple of PlugIn
        Files and modules with algorithms.
    folder : Path
        Of the experiment, where the client sees it.
    marker : str
        The name of a file in it. A worker that sees it there shares the folder, and writes results there itself.
    """

    def __init__(self, name: str, cells: list[Cell], plug_ins: tuple[PlugIn, ...], folder: Path, marker: str) -> None:
        self.name = name
        self._cells = cells
        self._plug_ins = plug_ins
        self._folder = folder
        self._marker = marker
        self._asked_by = sameness.own_answer()

    def setup(self, worker: Any) -> None:
        """At every worker: nothing is started before there is something to play."""
        self._worker = worker
        self._is_same = self._asked_by == sameness.own_answer()
        self._processes: WorkerProcesses | None = None
        self._lock = threading.Lock()

    def teardown(self, worker: Any) -> None:
        """At the end of the experiment, whatever is still being played."""
        self._end()

    def play(self, number: int, cell: int, runs: tuple[int, ...], time_limit: float | None) -> Answer:
        """Play a chunk; ``cell`` is the position of its cell.

        Raises
        ------
        RunsFailed
            When this worker can play nothing, or is of another duelbench: it would soon have spoiled all that waits.
        """
        if not self._is_same:
            raise RunsFailed(
                f"the worker {self._worker.address}, which joined in the middle, has another duelbench; the runs that"
                " are over are kept; end it, and run the same command to go on"
            )
        try:
            return self._play(number, cell, runs, time_limit)
        except OSError as error:
            reason = f"{error.strerror or error}: {error.filename or self._worker.local_directory}"
            raise RunsFailed(
                f"the worker {self._worker.address} cannot play: {reason}; the runs that are over are kept; mend that,"
                " and run the same command to go on"
            ) from None

    def _play(self, number: int, cell: int, runs: tuple[int, ...], time_limit: float | None) -> Answer:
        with tempfile.TemporaryDirectory(prefix="duelbench-", dir=self._worker.local_directory) as own:
            chunk = Chunk(self._cells[cell], Path(own), runs)
            with self._telling(number, chunk.folder):
                _, reports = self._started().play(chunk, time_limit)
            contents = {
                report.run: (chunk.folder / chunk.cell.folder / run_file(report.run)).read_bytes()
                for report in reports
                if report.error is None
            }
        return number, reports, self._not_shared(chunk.cell, contents)

    def _started(self) -> WorkerProcesses:
        with self._lock:
            if self._processes is None:
                self._processes = WorkerProcesses(os.getpid(), tuple(put(plug_in) for plug_in in self._plug_ins))
            return self._processes

    def _end(self) -> None:
        with self._lock:
            processes, self._processes = self._processes, None
        if processes is not None:
            processes.close()

    def _not_shared(self, cell: Cell, contents: dict[int, bytes]) -> dict[int, bytes]:
        """Write files to the experiment's folder if it is seen from here; what could not be written there."""
        if not ((self._folder / self._marker).exists() and os.access(self._folder, os.W_OK)):
            return contents
        with contextlib.closing(atomic.Background()) as files:
            paths = {run: self._folder / cell.folder / run_file(run) for run in contents}
            for run, content in contents.items():
                files.write(paths[run], content)
        return {run: content for run, content in contents.items() if paths[run] in files.failed}

    @contextlib.contextmanager
    def _telling(self, number: int, folder: Path) -> Iterator[None]:
        """Tell the client now and then how far a chunk is; end what is played when nobody waits for it any more."""
        is_over = threading.Event()
        task = self._worker.get_current_task()

        def tell() -> None:
            while not is_over.wait(pulse.BEAT_SECONDS):
                known = self._worker.state.tasks.get(task)
                if known is None or known.state == "cancelled":  # the client is gone
                    self._end()
                    return
                for told in pulse.elsewhere(folder):
                    self._worker.log_event(self.name, [number, *told])

        teller = threading.Thread(target=tell, name="duelbench-pulse", daemon=True)
        teller.start()
        try:
            yield
        finally:
            is_over.set()
            teller.join()


def play(name: str, number: int, cell: int, runs: tuple[int, ...], time_limit: float | None) -> Answer:
    """The task that is handed to a cluster: have the worker that it has come to play a chunk of an experiment."""
    return get_worker().plugins[name].play(number, cell, runs, time_limit)
