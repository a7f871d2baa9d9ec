"""Worker processes: each plays the runs that come through its pipe, one at a time, and reports them.

So it is known which run does not end, or ends its process, and no other run is lost with it. Neither compiled code nor
code that is not ours can be stopped from within a process, but a process can be ended at any time.
"""

import contextlib
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from typing import IO, Any
from weakref import WeakSet

from duelbench import system
from duelbench.execution.worker import Chunk, Report, become_worker, is_there, load_compiled_code, play_each

LOADING_SECONDS = 120.0
"""How long a process may take to start and to compile or load an algorithm, beside the time limit of a run."""

IDLE_SECONDS = 60.0
"""A process that was sent nothing for so long ends; another one is started when there is something to play."""

TELL_SECONDS = 0.02
"""Runs that take less are reported together, unless there is a time limit: a message costs a tenth of a millisecond."""

ONE_THREAD = {f"{library}_NUM_THREADS": "1" for library in ("OMP", "OPENBLAS", "MKL")}
"""For libraries that would start a thread for every core in every process."""

_LOADED: list[Report] = []
_WRITTEN = "all files are written"
"""What a process says beside lists of reports."""

DIED = "its worker process died (out of memory, killed, or a crash in compiled code)"

_processes: set["subprocess.Popen[bytes]"] = set()
"""All that run."""

_is_ending = threading.Event()

_in_use: "WeakSet[WorkerProcesses]" = WeakSet()
"""Those of experiments that are played."""


class WorkerProcesses:
    """The worker processes of an experiment: one for each thread that plays, started when it is needed.

    Parameters
    ----------
    listener : int
        The process that is told how far the runs are.
    plug_ins : tuple of str
        Files and modules with algorithms.
    """

    def __init__(self, listener: int, plug_ins: tuple[str, ...]) -> None:
        self._description = listener, plug_ins
        self._all: list[_WorkerProcess] = []
        self._idle: list[_WorkerProcess] = []
        self._lock = threading.RLock()  # a signal may close them while they are being closed
        self._is_closed = False
        _in_use.add(self)

    def play(self, chunk: Chunk, time_limit: float | None) -> tuple[Chunk, list[Report]]:
        """Play a chunk in a process that has nothing else to do.

        A run that ends its process is tried once more, alone, for it may have been killed for what others did. A run
        that takes longer than ``time_limit`` seconds, by the clock on the wall, is ended, and not tried again.

        Returns
        -------
        (Chunk, list of Report)
            No report of a run whose process was lost before it was begun, or before its file was written.
        """
        with self._lock:
            process = self._idle.pop() if self._idle else self._another()
        reports, loss = process.play(chunk, time_limit)
        if loss:
            k, last = len(reports), len(chunk.runs) - 1
            while k < last and is_there(chunk, chunk.runs[k]):
                reports.append(Report(chunk.runs[k], None))
                k += 1
            k = min(k, last)  # the run it was lost in, as far as one can see, or after which it was
            lost = replace(chunk, runs=(chunk.runs[k],))
            reports = [report for report in reports[:k] if report.error is not None or is_there(chunk, report.run)]
            again, loss = process.play(lost, time_limit) if loss == DIED else ([], loss)
            if loss:
                is_written = is_there(chunk, chunk.runs[k])
                again = [Report(chunk.runs[k], None, None if is_written else loss, is_lost=not is_written)]
            reports += again
        with self._lock:
            self._idle.append(process)
        return chunk, reports

    def close(self) -> None:
        """End all processes at once, whatever they play."""
        with self._lock:
            self._is_closed = True
        for process in self._all:
            process.end()
        for process in self._all:
            process.bury()

    def _another(self) -> "_WorkerProcess":
        process = _WorkerProcess(*self._description)
        self._all.append(process)
        if self._is_closed:
            process.end()
        return process


class _WorkerProcess:
    """A process that plays runs: started when there is something to play, and again after it was lost."""

    def __init__(self, listener: int, plug_ins: tuple[str, ...]) -> None:
        self._description = listener, plug_ins
        self._process: subprocess.Popen[bytes] | None = None
        self._pipe: Connection | None = None
        self._is_ended = False
        self._lock = threading.RLock()

    def play(self, chunk: Chunk, time_limit: float | None) -> tuple[list[Report], str | None]:
        """Reports, and why the process was lost in the run after the last of them, or None."""
        reports: dict[int, Report] = {}
        try:
            for report in self._reports(chunk, time_limit):
                reports[report.run] = report
            loss = None
        except TimeoutError:
            loss = f"took longer than {time_limit:g} s (--run-timeout); it was ended"
        except (EOFError, OSError):
            loss = DIED
        if loss:
            self.bury()
        return list(reports.values()), loss

    def end(self) -> None:
        """End the process; no other one is started."""
        with self._lock:
            self._is_ended = True
            if self._process is not None:
                self._process.kill()

    def bury(self) -> None:
        """End the process, and wait until the system has cleared up after it."""
        with self._lock:
            process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.wait()
            _processes.discard(process)

    def _reports(self, chunk: Chunk, time_limit: float | None) -> Iterator[Report]:
        pipe = self._started()
        pipe.send((chunk, TELL_SECONDS if time_limit is None else 0.0))
        loading_limit = None if time_limit is None else time_limit + LOADING_SECONDS
        limit, n_left = loading_limit, len(chunk.runs)
        while True:
            if limit is not None and not self._hears(pipe, limit):
                raise TimeoutError
            said = pipe.recv()
            if said == _WRITTEN:
                return
            n_left -= len(said)
            yield from said
            limit = time_limit if n_left > 0 else loading_limit

    def _hears(self, pipe: Connection, seconds: float) -> bool:
        """Whether the process says something in time."""
        return pipe.poll(seconds)

    def _started(self) -> Connection:
        with self._lock:
            if self._process is not None and self._process.poll() is not None:
                self.bury()
            if self._is_ended:
                raise EOFError
            if self._process is None or self._pipe is None:
                self._pipe, self._process = _start(*self._description)
            return self._pipe


def _start(listener: int, plug_ins: tuple[str, ...]) -> tuple[Connection, "subprocess.Popen[bytes]"]:
    """A process that waits for chunks, and the pipe that leads to it."""
    ours: Any
    theirs: Any  # on Windows of another class
    ours, theirs = Pipe()
    code = (
        f"import sys; sys.path[:] = {[str(entry) for entry in sys.path]!r};"
        f"from duelbench.execution.processes import serve; serve({theirs.fileno()}, {os.getpid()}, {listener})"
    )
    with system.blocked_signals():  # Ctrl-C and SIGTERM are the parent's business
        with theirs:
            process = system.start_with_pipe(
                [sys.executable, "-c", code],
                theirs,
                stdin=subprocess.DEVNULL,
                stderr=subprocess.PIPE if os.isatty(2) else None,
                env={**os.environ, **ONE_THREAD},
            )
        _processes.add(process)
    if process.stderr is not None:
        threading.Thread(target=_pass_on, args=(process.stderr,), daemon=True).start()
    if _is_ending.is_set():
        process.kill()
    with contextlib.suppress(OSError):  # it died at once, which the first chunk will tell
        ours.send(plug_ins)
    return ours, process


def _pass_on(messages: IO[bytes]) -> None:
    """Print what a process says, by which it does not disturb what this one shows on the terminal."""
    system.block_signals()
    with messages, contextlib.suppress(OSError, ValueError):  # nobody reads it any more
        for line in messages:
            sys.stderr.write(line.decode(errors="replace"))


def end_all() -> None:
    """End all worker processes at once, whatever they do; none that is started afterwards lives."""
    _is_ending.set()
    for process in list(_processes):
        process.kill()


def close_all() -> None:
    """End all worker processes at once, whatever they do; later experiments can start others."""
    for workers in list(_in_use):
        workers.close()


def serve(descriptor: int, parent: int, listener: int) -> None:
    """What such a process does: play the chunks that come through the pipe, and report every run."""
    with system.pipe_end(descriptor) as pipe, contextlib.suppress(EOFError, BrokenPipeError):
        become_worker(parent, listener, pipe.recv())
        while pipe.poll(IDLE_SECONDS):
            _serve_chunk(pipe, *pipe.recv())


def _serve_chunk(pipe: Connection, chunk: Chunk, tell_seconds: float) -> None:
    load_compiled_code(chunk)
    pipe.send(_LOADED)
    reports, told = [], time.monotonic()
    for report in play_each(chunk):
        reports.append(report)
        if time.monotonic() - told >= tell_seconds:
            pipe.send(reports)
            reports, told = [], time.monotonic()
    pipe.send(reports)
    pipe.send(_WRITTEN)
