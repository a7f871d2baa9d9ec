"""Plays runs in processes that can be ended at any time: for runs with a time limit, and for algorithms plugged in.

joblib's workers share one fate: when one of them dies, all are started anew, and which run it was has to be found out.
Here a process plays one run at a time and reports each, so that it is known which run does not end, or ends its
process, and no other run is lost with it. Neither compiled code nor code that is not ours can be stopped from within.
"""

import contextlib
import os
import queue
import signal
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import replace
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from pathlib import PurePosixPath
from typing import TypeVar

from duelbench.algorithms import registry
from duelbench.execution.queue import Backlog
from duelbench.execution.worker import Chunk, Report, become_worker, is_there, load_compiled_code, play_each
from duelbench.results.cells import Cell

LOADING_SECONDS = 120.0
"""How long a process may take to start and to compile or load an algorithm, beside the time limit of a run."""

GIVE_UP_AFTER = 3
"""So many runs of a cell that end their process or do not end, and none that succeeds: the others are not tried."""

ONE_THREAD = {f"{library}_NUM_THREADS": "1" for library in ("OMP", "OPENBLAS", "MKL")}
"""For libraries that would start a thread for every core in every process."""

_LOADED, _WRITTEN = "the algorithm is loaded", "all files are written"
"""What a process says beside its reports."""

_processes: set["subprocess.Popen[bytes]"] = set()
"""All that run."""

_is_ending = threading.Event()

DIED = "its worker process died (out of memory, killed, or a crash in compiled code)"


HEAR_SECONDS = 0.2
"""How often the main thread looks up from waiting."""

Item = TypeVar("Item")


def next_of(items: "queue.SimpleQueue[Item]") -> Item:
    """The next item of a queue, waited for in such a way that signals are heard.

    When two signals come at once, the system may hand both to a thread of some library. Python notes them, but nothing
    wakes the main thread, which alone acts on them.
    """
    while True:
        with contextlib.suppress(queue.Empty):
            return items.get(timeout=HEAR_SECONDS)


class IsolatedPool:
    """Plays the chunks of a backlog, each worker in a process of its own.

    A run that ends its process is tried once more, for it may have been killed for what others did. A run that takes
    longer than the limit is ended, and not tried again.

    Parameters
    ----------
    backlog : Backlog
    jobs : int
        How many processes.
    time_limit : float, optional
        Seconds for each run, by the clock on the wall.
    cold : list of Cell
        One of each algorithm that has to be compiled: each by one process, before anything is played.
    """

    def __init__(self, backlog: Backlog, jobs: int, time_limit: float | None, cold: Iterable[Cell] = ()) -> None:
        self._backlog = backlog
        self._time_limit = time_limit
        self._cold = deque(cold)
        self._all_compiled = threading.Barrier(jobs)
        self._played: queue.SimpleQueue[tuple[Chunk, list[Report]] | BaseException | None] = queue.SimpleQueue()
        self._stop = threading.Event()
        self._lock = threading.Lock()
        self._lost: dict[PurePosixPath, int] = {}
        self._good: set[PurePosixPath] = set()
        self._players = [_Player() for _ in range(jobs)]
        self._threads = [
            threading.Thread(target=self._work, args=(player,), daemon=True, name=f"isolated-{k}")
            for k, player in enumerate(self._players)
        ]

    def play(self) -> Iterator[tuple[Chunk, list[Report]]]:
        """Everything in the backlog."""
        for thread in self._threads:
            thread.start()
        working = len(self._threads)
        while working:
            item = next_of(self._played)
            if item is None:
                working -= 1
            elif isinstance(item, BaseException):
                raise item
            else:
                yield item

    def close(self) -> None:
        """End all processes at once."""
        self._stop.set()
        self._all_compiled.abort()
        for player in self._players:
            player.end()

    def _work(self, player: "_Player") -> None:
        # What a process is started with is inherited: Ctrl-C and SIGTERM are the parent's business.
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM})
        try:
            while cell := self._next_cold():
                player.play(Chunk(0, cell, self._backlog.folder, ()), self._time_limit)
            self._all_compiled.wait()
            while not self._stop.is_set() and (chunk := self._backlog.take()):
                for played in self._play(player, chunk):
                    self._played.put(played)
        except BaseException as error:
            self._played.put(error)
        else:
            self._played.put(None)
        finally:
            player.end()

    def _next_cold(self) -> Cell | None:
        with self._lock:
            return self._cold.popleft() if self._cold and not self._stop.is_set() else None

    def _play(self, player: "_Player", chunk: Chunk) -> Iterator[tuple[Chunk, list[Report]]]:
        """The reports of a chunk; runs that a lost process has not begun, or not written, go back to the backlog."""
        reports, loss = player.play(chunk, self._time_limit)
        left = chunk.runs[len(reports) :]
        if loss:
            lost = min(len(reports), len(chunk.runs) - 1)  # the run it was lost in, or after which it was
            over, reports = reports[:lost], []
            for report in over:
                if report.error is not None or is_there(_alone(chunk, report.run)):
                    reports.append(report)
            settled = {chunk.runs[lost], *(report.run for report in reports)}
            left = tuple(run for run in chunk.runs if run not in settled)
            alone = _alone(chunk, chunk.runs[lost])
            if loss is DIED and not self._stop.is_set():
                again, loss = player.play(alone, self._time_limit)
                reports += [] if loss else again
            if loss:
                reports.append(Report(alone.runs[0], None, None if is_there(alone) else loss))
        if self._stop.is_set():
            return
        with self._lock:
            folder = chunk.cell.folder
            if any(report.error is None for report in reports):
                self._good.add(folder)
            self._lost[folder] = self._lost.get(folder, 0) + (loss is not None)
            give_up = self._lost[folder] >= GIVE_UP_AFTER and folder not in self._good
        self._backlog.add(chunk.cell, left)
        yield chunk, reports
        if give_up:
            yield from self._given_up(chunk)

    def _given_up(self, chunk: Chunk) -> Iterator[tuple[Chunk, list[Report]]]:
        withdrawn = self._backlog.withdraw(chunk.cell)
        error = f"not tried: {self._lost[chunk.cell.folder]} runs of it were, and none came to an end"
        yield replace(chunk, runs=tuple(withdrawn)), [Report(run, None, error) for run in withdrawn]


class _Player:
    """A process that plays runs: started when there is something to play, and anew after it was lost."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._pipe: Connection | None = None
        self._ended = False
        self._lock = threading.Lock()

    def play(self, chunk: Chunk, time_limit: float | None) -> tuple[list[Report], str | None]:
        """Reports, and why the process was lost in the run after the last of them, or None."""
        reports: dict[int, Report] = {}
        limit = other_limit = None if time_limit is None else time_limit + LOADING_SECONDS
        loss = None
        try:
            pipe = self._started()
            pipe.send(chunk)
            while True:
                if not self._hears(pipe, limit):
                    loss = _too_long(time_limit)
                    break
                said = pipe.recv()
                if said == _WRITTEN:
                    break
                if said != _LOADED:
                    reports[said.run] = said
                limit = time_limit if len(reports) < len(chunk.runs) else other_limit
        except (EOFError, OSError):
            self._lose()
            loss = DIED
        return list(reports.values()), loss

    def end(self) -> None:
        """End the process; no other one is started."""
        with self._lock:
            self._ended = True
        self._lose()

    def _hears(self, pipe: Connection, seconds: float | None) -> bool:
        """Whether the process says something in time; if not, it is ended."""
        if pipe.poll(seconds):
            return True
        self._lose()
        return False

    def _started(self) -> Connection:
        with self._lock:
            if self._ended:
                raise EOFError
            if self._process is None or self._pipe is None:
                self._pipe, self._process = _start()
            return self._pipe

    def _lose(self) -> None:
        with self._lock:
            process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.wait()
            _processes.discard(process)


def _alone(chunk: Chunk, run: int) -> Chunk:
    return replace(chunk, runs=(run,))


def _too_long(time_limit: float | None) -> str:
    assert time_limit is not None
    return f"took longer than {time_limit:g} s (--run-timeout); it was ended"


def _start() -> tuple[Connection, "subprocess.Popen[bytes]"]:
    """A process that waits for chunks, and the pipe that leads to it."""
    ours, theirs = Pipe()
    code = (
        f"import sys; sys.path[:] = {[str(entry) for entry in sys.path]!r};"
        f"from duelbench.execution.isolated import serve; serve({theirs.fileno()}, {os.getpid()})"
    )
    with theirs:
        process = subprocess.Popen(
            [sys.executable, "-c", code],
            pass_fds=[theirs.fileno()],
            stdin=subprocess.DEVNULL,
            env={**os.environ, **ONE_THREAD},
        )
    _processes.add(process)
    if _is_ending.is_set():
        process.kill()
    with contextlib.suppress(OSError):  # it died at once, which the first chunk will tell
        ours.send(list(registry.named_plug_ins))
    return ours, process


def end_all() -> None:
    """End all processes of all pools at once, whatever they do; none that is started afterwards lives."""
    _is_ending.set()
    for process in list(_processes):
        process.kill()


def serve(descriptor: int, parent: int) -> None:
    """What such a process does: play the chunks that come through the pipe, and report every run."""
    with Connection(descriptor) as pipe, contextlib.suppress(EOFError, BrokenPipeError):
        become_worker(parent, pipe.recv())
        while True:
            _serve_chunk(pipe, pipe.recv())


def _serve_chunk(pipe: Connection, chunk: Chunk) -> None:
    load_compiled_code(chunk)
    pipe.send(_LOADED)
    for report in play_each(chunk):
        pipe.send(report)
    pipe.send(_WRITTEN)
