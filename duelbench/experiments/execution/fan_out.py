"""Hands chunks of runs to joblib's threads or processes, and brings back their reports.

When a worker process dies, loky ends its siblings too. Each process notes in a file which runs it has started. Runs
that were late have failed; if there are none, each started run is tried once more, alone, and has failed if it ends its
process again. Everything else goes back into the queue.
"""

import contextlib
import itertools
import json
import os
import pickle
import signal
import sys
import tempfile
import threading
import time
import warnings
from collections import deque
from collections.abc import Generator, Iterator
from concurrent.futures.process import BrokenProcessPool
from dataclasses import replace
from pathlib import Path

from duelbench.bandits import opened_files
from duelbench.bandits.algorithms import registry
from duelbench.experiments.execution import heartbeat
from duelbench.experiments.execution.chunks import Queue
from duelbench.experiments.execution.heartbeat import Beat
from duelbench.experiments.execution.worker import Chunk, Report, is_ours, run_chunk

Done = tuple[Chunk, list[Report]]

DIED = "its worker process died (out of memory, killed, or a crash in compiled code)"

IDLE_SECONDS = 10
"""An idle worker process ends after this time."""

PARENT_SECONDS = 1
"""Time between the looks of a worker at whether its parent lives."""

LAST_RUN_SECONDS = 1
"""How long an interruption waits for the current run of a thread, so that it is saved and counted."""


def late(limit: float) -> str:
    """The error of a run that exceeded its time limit."""
    return f"took longer than {limit:g} s; it was ended"


def can_start_workers() -> bool:
    """Whether joblib starts worker processes when it is called here.

    It runs everything in the calling process instead if that is daemonic (as are those of `multiprocessing.Pool` and
    Dask), in a thread that joblib itself has started, and if ``JOBLIB_MULTIPROCESSING`` is 0.
    """
    from joblib import effective_n_jobs, parallel_config

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # joblib warns that it will use threads, or one process
        with parallel_config("loky"):
            return effective_n_jobs(2) > 1


def in_threads(queue: Queue) -> Generator[Done, None, None]:
    """Run everything in a thread of this process, which keeps handling signals."""
    from joblib import Parallel, delayed

    stop, at_work = threading.Event(), threading.Lock()

    def run(number: int, chunk: Chunk) -> Done:
        with at_work:
            return chunk, run_chunk(replace(chunk, is_alone=False), number, stop=stop)

    # With one job joblib would run in this thread, which could then not handle signals.
    parallel = Parallel(2, backend="threading", return_as="generator_unordered", batch_size=1, pre_dispatch=1)
    try:
        yield from parallel(delayed(run)(number, chunk) for number, chunk in enumerate(iter(queue.take, None)))
    finally:
        stop.set()
        if at_work.acquire(timeout=LAST_RUN_SECONDS):
            at_work.release()


class Workers:
    """The worker processes of an experiment, which load plug-ins, and end runs that take longer than a time limit."""

    def __init__(self, queue: Queue, jobs: int, time_limit: float | None, plug_ins: tuple[str, ...]) -> None:
        self._queue = queue
        self._jobs = jobs
        self._time_limit = time_limit
        self._plug_ins = plug_ins
        self._suspects: deque[Chunk] = deque()
        self._in_flight: dict[int, Chunk] = {}
        self._numbers = itertools.count()
        self._notes = Path()

    def beats(self) -> list[Beat]:
        """The heartbeats of the workers."""
        beats = []
        for path in self._notes.glob("*.json"):
            with contextlib.suppress(OSError, ValueError, TypeError):  # it is being written at this moment
                beats.append(Beat(*json.loads(path.read_bytes())))
        return [beat for beat in beats if beat.chunk in self._in_flight]

    def run(self) -> Generator[Done, None, None]:
        """Run everything."""
        from joblib import Parallel, delayed, parallel_config

        with tempfile.TemporaryDirectory(prefix="duelbench-") as notes, _environment_of_workers():
            self._notes = Path(notes)
            terms = notes, self._time_limit
            # Plug-ins need new processes: those of an earlier experiment may have loaded other code.
            has_plug_ins = not all(is_ours(cell) for cell in self._queue.cells())
            setup = (self._plug_ins, notes, dict(opened_files.kept)) if has_plug_ins else ((), "", {})
            options = {"inner_max_num_threads": 1, "idle_worker_timeout": IDLE_SECONDS}
            while self._suspects or not self._queue.is_empty():
                alone = bool(self._suspects)
                jobs = 1 if alone else min(self._jobs, self._queue.n_waiting())
                chunks = self._alone() if alone else iter(self._queue.take, None)
                workers = max(2, self._jobs)  # with one joblib would run in this process
                with parallel_config("loky", **options, initializer=_become_worker, initargs=(os.getpid(), *setup)):
                    parallel = Parallel(workers, return_as="generator_unordered", batch_size=1, pre_dispatch=jobs)
                try:
                    for number, reports in parallel(delayed(_in_process)(terms, *sent) for sent in self._sent(chunks)):
                        yield self._in_flight.pop(number), reports
                except BrokenProcessPool:
                    yield from self._sort_out(alone)

    def _alone(self) -> Iterator[Chunk]:
        """Run suspects, one after the other."""
        while self._suspects:
            yield self._suspects.popleft()

    def _sent(self, chunks: Iterator[Chunk]) -> Iterator[tuple[int, bytes]]:
        for chunk in chunks:
            number = next(self._numbers)
            self._in_flight[number] = chunk
            yield number, pickle.dumps(chunk)

    def _sort_out(self, alone: bool) -> Iterator[Done]:
        """After workers have died: report finished and failed runs, and put the others back into the queue."""
        begun = {beat.chunk: beat for beat in self.beats()}
        for path in self._notes.glob("*.json"):
            path.unlink()
        is_late = any(beat.late for beat in begun.values())
        for number, chunk in sorted(self._in_flight.items()):
            beat = begun.get(number)
            over = [run for run in chunk.runs if chunk.has_file(run)]
            left = [run for run in chunk.runs if run not in over]
            reports = [Report(run, None) for run in over]
            if beat and left:
                run = beat.run if beat.run in left else left[0]
                if beat.late or (alone and not is_late):
                    why = late(self._time_limit) if beat.late and self._time_limit else DIED
                    reports.append(Report(run, None, why, is_lost=True))
                    left.remove(run)
                elif not is_late:
                    self._suspects.append(chunk.of(run))
                    left.remove(run)
            self._queue.add(chunk.cell, left)
            yield chunk, reports
        self._in_flight.clear()


@contextlib.contextmanager
def _environment_of_workers() -> Iterator[None]:
    """Set the environment of processes that start inside the block.

    They import no module of the working folder in place of one that joblib needs, such as a ``queue.py`` there, and do
    not warn of semaphores, of which a killed command leaves some.
    """
    warnings_before = os.environ.get("PYTHONWARNINGS")
    warnings_of_workers = ",".join(filter(None, [warnings_before, "ignore:resource_tracker:UserWarning"]))
    changes = {"PYTHONSAFEPATH": "1", "PYTHONWARNINGS": warnings_of_workers}
    before = {name: os.environ.get(name) for name in changes}
    os.environ.update(changes)
    try:
        yield
    finally:
        for name, value in before.items():
            del os.environ[name]
            if value is not None:
                os.environ[name] = value


_is_worker = False
"""Whether this process was started as a worker, and so may be ended by its heartbeat."""


def _become_worker(parent: int, plug_ins: tuple[str, ...], notes: str, kept: dict[str, tuple[str, ...]]) -> None:
    """Set up a worker process; joblib calls it in new processes only.

    A process that runs plug-ins records the files that they open; ``kept`` are those known before.
    """
    global _is_worker
    _is_worker = True
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent handles Ctrl-C
    threading.Thread(target=_end_with, args=(parent,), name="duelbench-parent", daemon=True).start()
    if notes:
        opened_files.kept.update(kept)
        opened_files.record()
    registry.load_named_plug_ins(plug_ins)


def _end_with(parent: int) -> None:
    """End this worker process when its parent was killed; loky lets it wait for work, and then for a lock, for 40 s."""
    while os.getppid() == parent:
        time.sleep(PARENT_SECONDS)
    os._exit(1)


def _in_process(terms: tuple[str, float | None], number: int, pickled: bytes) -> tuple[int, list[Report]]:
    """Run a chunk in a worker process; it is pickled because its classes may be in plug-ins."""
    notes, time_limit = terms
    note = Path(notes, f"{os.getpid()}.json")

    def send(beat: Beat) -> None:
        note.write_text(json.dumps(beat), encoding="utf-8")

    watched = heartbeat.watched(send, time_limit, may_end=_is_worker)
    try:
        with contextlib.redirect_stdout(sys.stderr), watched:
            return number, run_chunk(pickle.loads(pickled), number, send)
    finally:
        with contextlib.suppress(OSError):
            note.unlink()
