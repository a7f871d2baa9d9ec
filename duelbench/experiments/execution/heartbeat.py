"""The progress of current runs: the process that runs them records it, and sends it to the process that waits for them.

A run is one call of compiled code, which counts its rounds in an array. Another thread of the worker reads it, and ends
the process when a run takes too long or is no longer wanted: compiled code cannot be stopped in another way.
"""

import contextlib
import math
import os
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

BEAT_SECONDS = 0.5
"""The time between two heartbeats of a worker, which then checks that its run is not late and still wanted."""

LOADING = -1
LOADING_SECONDS = 120.0
"""The longest time for compiling or loading an algorithm, in addition to the time limit of a run."""


class Beat(NamedTuple):
    """The state of one process or thread."""

    chunk: int  # the number of the chunk that it runs
    cell: str  # the folder of the run's cell, relative to that of the experiment
    run: int  # 0-based; LOADING before the first
    rounds: int  # rounds of the run so far
    seconds: float  # the time since the run began
    late: bool = False  # whether the run has exceeded its time limit, and is ended


@dataclass
class Running:
    """A current run, as `running` yields it."""

    chunk: int
    cell: str
    run: int
    started: float = field(default_factory=time.monotonic)
    counts: np.ndarray | None = None

    def watch(self, counts: np.ndarray) -> None:
        """Store the array in which `simulate` counts rounds."""
        self.counts = counts

    def beat(self) -> Beat:
        rounds = 0 if self.counts is None else int(self.counts.sum())
        return Beat(self.chunk, self.cell, self.run, rounds, time.monotonic() - self.started)


_running: dict[int, Running] = {}  # by thread

_lock = threading.Lock()


@contextlib.contextmanager
def running(chunk: int, cell: str, run: int = LOADING) -> Iterator[Running]:
    """Record that this thread runs something, or loads an algorithm, while the context lasts."""
    thread = threading.get_ident()
    _running[thread] = current = Running(chunk, cell, run)
    try:
        yield current
    finally:
        with _lock:  # from here on, no heartbeat is sent, and the run cannot be late
            del _running[thread]


def here() -> list[Beat]:
    """Return the current runs of this process."""
    return [current.beat() for current in list(_running.values())]


@contextlib.contextmanager
def watched(
    send: Callable[[Beat], None],
    limit: float | None,
    *,
    may_end: bool,
    is_wanted: Callable[[], bool] = lambda: True,
) -> Iterator[None]:
    """Send heartbeats of this thread's run while the context lasts.

    If it ``may_end``, the process ends when ``is_wanted`` returns False, and when a run takes longer than ``limit``
    seconds. A process that was not started as a worker must not end: it belongs to another program.
    """
    thread = threading.get_ident()
    is_over = threading.Event()

    def watch() -> None:
        while not is_over.wait(BEAT_SECONDS):
            if may_end and not is_wanted():
                os._exit(1)
            with _lock:
                if thread not in _running:
                    continue
                beat = _running[thread].beat()
                allowed = math.inf if limit is None or not may_end else limit + LOADING_SECONDS * (beat.run == LOADING)
                with contextlib.suppress(OSError):  # if nothing can be written, the runs report it
                    send(beat._replace(late=beat.seconds > allowed))
                if beat.seconds > allowed:
                    os._exit(1)

    watcher = threading.Thread(target=watch, name="duelbench-heartbeat", daemon=True)
    watcher.start()
    try:
        yield
    finally:
        is_over.set()
        watcher.join()
