"""Plays the runs of a plan on all cores, and survives what runs, workers and users do.

Runs are independent: what is computed depends neither on the number of workers nor on the order of the runs.
Workers write the files themselves, so that a run that is over is kept whatever happens next.
"""

import contextlib
import multiprocessing
import os
import queue
import signal
import sys
import threading
import time
import warnings
from collections.abc import Generator, Iterator
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath
from typing import Any

from duelbench.algorithms import registry
from duelbench.errors import RunsFailed
from duelbench.execution import isolated, pulse
from duelbench.execution.isolated import DIED, HEAR_SECONDS, IsolatedPool, next_of
from duelbench.execution.plan import Plan
from duelbench.execution.progress import Look, Progress, short
from duelbench.execution.queue import Backlog
from duelbench.execution.time_left import TimeLeft
from duelbench.execution.worker import (
    Chunk,
    Report,
    become_worker,
    is_ours,
    is_there,
    is_warm,
    load_compiled_code,
    play,
    play_numbered,
)
from duelbench.results import failures
from duelbench.results.cells import Cell

SPRINT_SECONDS = 0.7
"""How long runs are played in this process before workers, which take about as long to start, are worth it."""

WORTH_WORKERS_SECONDS = 1.0

CLOSE_SECONDS = 0.3

DEATHS_BEFORE_GIVING_UP = 3
"""So many runs of a cell that kill their worker, and none that succeeds: the others are not tried."""

GUESS_AFTER_SECONDS = 5.0
"""When the cells are estimated of which no run was played by then."""

GUESS_SECONDS = 0.1
"""How long it may take to estimate one of them."""

WORTH_TELLING_SECONDS = 2.0
"""Of runs that take longer it is told how far they are."""

_THREAD = "duelbench-runs"

Played = tuple[Chunk, list[Report]]


@dataclass(frozen=True)
class Failure:
    """A run without a result. ``run`` is 0-based."""

    cell: Cell
    run: int
    error: str


@dataclass
class Outcome:
    """What became of a plan."""

    n_done: int = 0
    failures: list[Failure] = field(default_factory=list)


def execute(
    plan: Plan,
    *,
    jobs: int,
    backend: str = "loky",
    fail_fast: bool = False,
    progress: Progress | None = None,
    run_timeout: float | None = None,
) -> Outcome:
    """Play all runs that a prepared plan has to do.

    Parameters
    ----------
    plan : Plan
        After `duelbench.execution.plan.prepare`.
    jobs : int
        Workers; 1 plays the algorithms of duelbench in this process.
    backend : str
        Of joblib: ``loky``, ``threading``, or another that can hand over results as they come, such as ``dask``.
    fail_fast : bool
        Stop at the first run that fails.
    progress : Progress, optional
    run_timeout : float, optional
        Seconds after which a run is ended and counts as failed.

    Returns
    -------
    Outcome

    Raises
    ------
    RunsFailed
        When results cannot be written: there is no point in computing more of them.
    KeyboardInterrupt
        After the workers were stopped. The runs that are over are kept.
    """
    progress = progress or Progress(plan.n_todo, quiet=True)
    todo = [(cell_plan.cell, cell_plan.todo) for cell_plan in plan.cells]
    backlog = Backlog(plan.folder.resolve(), todo, jobs)
    book = _Book(plan, backlog, progress, jobs)
    played = _play_all(backlog, jobs, backend, book, run_timeout)
    # When one leaves early, joblib warns that results will not be fetched.
    with warnings.catch_warnings(), contextlib.closing(book), contextlib.closing(played):
        warnings.filterwarnings("ignore", category=UserWarning, module="joblib")
        for chunk, reports in played:
            book.enter(chunk, reports)
            if fail_fast and book.outcome.failures:
                return book.outcome
    assert book.outcome.n_done + len(book.outcome.failures) == plan.n_todo, "a run was lost"
    return book.outcome


def end_workers() -> None:
    """End all processes that this one has started to play runs, whatever they do: nothing else stops compiled code."""
    isolated.end_all()
    for process in multiprocessing.active_children():
        with contextlib.suppress(ProcessLookupError):
            os.kill(process.pid or 0, signal.SIGKILL)


def is_playing() -> bool:
    """Whether a run is still being played in this process, which happens after `execute` was left early.

    Then the process must end with `os._exit`: Python crashes when it shuts down with a thread in compiled code.
    """
    return any(thread.name == _THREAD for thread in threading.enumerate())


class _Book:
    """Keeps the account of a plan: failures on record, progress, and times."""

    def __init__(self, plan: Plan, backlog: Backlog, progress: Progress, jobs: int) -> None:
        self.outcome = Outcome()
        self.progress = progress
        self._plan = plan
        self._backlog = backlog
        self._failed_before = failures.read(plan.folder)
        self._cells = {str(cell_plan.cell.folder): cell_plan.cell for cell_plan in plan.cells}
        self._time_left = TimeLeft([(cell_plan.cell, len(cell_plan.todo)) for cell_plan in plan.cells], jobs)
        self._announced: set[str] = set()
        self._doing_last = "starting"
        self._closed = threading.Event()
        self._guesser = threading.Thread(target=self._guess, name=_THREAD, daemon=True)
        if not progress.quiet:
            self._guesser.start()
            progress.start(self.look)

    def announce(self, cold: list[Cell]) -> None:
        """Say what will be compiled."""
        self._announced |= {cell.identity.algorithm for cell in cold}
        if cold and not self.progress.quiet:
            names = ", ".join(cell.identity.algorithm for cell in cold)
            self.progress.say(f"compiling {names} (first use) ...")
            self._doing_last = f"compiling {names}"

    def enter(self, chunk: Chunk, reports: list[Report]) -> None:
        for report in sorted(reports, key=lambda report: report.is_unwritable):  # the others are kept
            if report.is_unwritable:
                raise RunsFailed(
                    f"cannot write results: {report.error}; {self.outcome.n_done} of {self._plan.n_todo} runs are"
                    " kept; mend that and run the same command to go on"
                )
            if report.error is None:
                self._succeeded(chunk.cell, report)
            else:
                self._failed(chunk.cell, report)
        self._doing_last = chunk.cell.name

    def look(self) -> Look:
        """What is done at this moment; called from another thread."""
        pulses = [*pulse.here(), *pulse.elsewhere(self._plan.folder)]
        pulses = [pulse for pulse in pulses if pulse.cell in self._cells]
        compiling = list(dict.fromkeys(self._cells[p.cell].identity.algorithm for p in pulses if p.compiling))
        for algorithm in compiling:
            if algorithm not in self._announced:
                self._announced.add(algorithm)
                self.progress.say(f"compiling {algorithm} (first use with these settings) ...")
        return Look(
            self._doing(pulses, compiling), sum(pulse.rounds for pulse in pulses), self._time_left.seconds(pulses)
        )

    def close(self) -> None:
        """Stop to guess, and remove what workers told."""
        self._closed.set()
        while self._guesser.is_alive():
            self._guesser.join(HEAR_SECONDS)
        pulse.remove(self._plan.folder)

    def _doing(self, pulses: list[pulse.Pulse], compiling: list[str]) -> str:
        if compiling:
            return f"compiling {', '.join(compiling)}"
        slow = [p for p in pulses if p.seconds >= WORTH_TELLING_SECONDS and p.run != pulse.LOADING]
        if not slow:
            return self._doing_last
        longest = max(slow, key=lambda pulse: pulse.seconds)
        cell = self._cells[longest.cell]
        others = f", {len(slow) - 1} more" if len(slow) > 1 else ""
        return f"{cell.name}: {short(longest.rounds)} of {short(cell.identity.horizon)} rounds{others}"

    def _guess(self) -> None:
        """Estimate what runs take of which none was played in the first seconds."""
        from duelbench.execution.estimate import estimate

        self._closed.wait(GUESS_AFTER_SECONDS)
        while not self._closed.is_set() and (cell := self._time_left.unknown()):
            seconds = estimate([cell], [1], GUESS_SECONDS)[0].seconds
            self._time_left.expect(cell, seconds)

    def _succeeded(self, cell: Cell, report: Report) -> None:
        self.outcome.n_done += 1
        if self._failed_before:
            failures.forget(self._plan.folder, cell, report.run, self._failed_before)
        if report.seconds is not None:
            self._backlog.measured(cell, report.seconds)
        self._time_left.over(cell, report.seconds)
        self.progress.count(cell.identity.horizon)

    def _failed(self, cell: Cell, report: Report) -> None:
        assert report.error is not None
        if not self.outcome.failures:
            self.progress.say(f"failed: {cell.name}, run {report.run}: {report.error}")
        self.outcome.failures.append(Failure(cell, report.run, report.error))
        with contextlib.suppress(OSError):  # the run is reported as failed all the same
            failures.record(self._plan.folder, cell, report.run, report.error, report.details)
        self._time_left.over(cell, None)
        self.progress.count(cell.identity.horizon, failed=True)


def _play_all(
    backlog: Backlog, jobs: int, backend: str, book: _Book, run_timeout: float | None
) -> Generator[Played, None, None]:
    """Everything in the backlog: here where that is quick or asked for, the rest in workers."""
    cells = backlog.cells()
    cold = _cold(cells)
    if backend == "loky" and (run_timeout is not None or not all(is_ours(cell) for cell in cells)):
        yield from _play_isolated(backlog, jobs, cold, book, run_timeout)
        return
    if jobs == 1:
        book.announce(cold)
        backlog.one_of_each_first()
        with contextlib.closing(_Here(backlog)) as here:
            yield from here.until_done()
        return
    with contextlib.ExitStack() as stack:
        sprinter = None
        if _begins_here(cold):
            sprinter = stack.enter_context(contextlib.closing(_Here(backlog)))
            yield from sprinter.sprint()
        if not backlog.is_empty():
            book.announce(cold)
            backlog.one_of_each_first()
            pool = _Pool(backlog, min(jobs, max(2, backlog.n_waiting())), backend)
            if cold:
                pool.warm_up(cold)
            yield from pool.play()
        if sprinter:
            yield from sprinter.until_done()


def _play_isolated(
    backlog: Backlog, jobs: int, cold: list[Cell], book: _Book, run_timeout: float | None
) -> Iterator[Played]:
    """Everything in the backlog, each worker in a process of its own: runs that must be ended, and foreign code."""
    book.announce(cold)
    backlog.one_of_each_first()
    jobs = max(1, min(jobs, backlog.n_waiting()))
    with contextlib.closing(IsolatedPool(backlog, jobs, run_timeout, cold)) as pool:
        yield from pool.play()


def _begins_here(cold: list[Cell]) -> bool:
    """Whether runs are played in this process until workers are there: not where it would compile first."""
    return not cold


def _cold(cells: list[Cell]) -> list[Cell]:
    """One cell of each algorithm that has to be compiled."""
    first = {cell.identity.algorithm: cell for cell in reversed(cells)}
    return [cell for algorithm, cell in reversed(first.items()) if not is_warm(algorithm)]


class _Here:
    """Plays chunks in a thread of this process. Compiled code runs without the GIL, so that Ctrl-C is heard at once.

    The thread is a daemon: it does not keep an interrupted process alive. Python cannot end it while it is inside
    compiled code, though; see `is_playing`.
    """

    def __init__(self, backlog: Backlog) -> None:
        self._backlog = backlog
        self._played: queue.SimpleQueue[Played | BaseException | None] = queue.SimpleQueue()
        self._take_no_more = threading.Event()
        self._stop = threading.Event()
        self._is_loaded = threading.Event()
        self._is_done = False
        self._thread = threading.Thread(target=self._work, name=_THREAD, daemon=True)
        self._thread.start()

    def sprint(self) -> Iterator[Played]:
        """What is played until it seems worth while to start workers for the rest."""
        while not self._is_loaded.wait(HEAR_SECONDS):  # workers would have to load what is compiled as well
            pass
        deadline = time.monotonic() + SPRINT_SECONDS
        while not self._is_done and time.monotonic() < deadline:
            yield from self._next(timeout=max(0.0, deadline - time.monotonic()))
        left = self._backlog.seconds_waiting()
        if left is not None and left < WORTH_WORKERS_SECONDS:
            yield from self.until_done()
        self._take_no_more.set()

    def until_done(self) -> Iterator[Played]:
        """What is played until nothing waits, or, after a sprint, what it had begun."""
        while not self._is_done:
            yield from self._next(timeout=None)

    def close(self) -> None:
        """Let it end after the run that it plays, and wait a little for that."""
        self._take_no_more.set()
        self._stop.set()
        self._thread.join(CLOSE_SECONDS)

    def _next(self, timeout: float | None) -> Iterator[Played]:
        try:
            item = next_of(self._played) if timeout is None else self._played.get(timeout=timeout)
        except queue.Empty:
            return
        if item is None:
            self._is_done = True
        elif isinstance(item, BaseException):
            self._is_done = True
            raise item
        else:
            yield item

    def _work(self) -> None:
        try:
            with contextlib.redirect_stdout(sys.stderr):  # what an algorithm prints is not the command's answer
                while not self._take_no_more.is_set() and (chunk := self._backlog.take()):
                    load_compiled_code(chunk)
                    self._is_loaded.set()
                    self._played.put((chunk, play(chunk, self._stop)))
        except BaseException as error:
            self._played.put(error)
        else:
            self._played.put(None)
        finally:
            self._is_loaded.set()


class _Pool:
    """Plays chunks in worker processes, and finds out which run it was when one of them dies."""

    def __init__(self, backlog: Backlog, jobs: int, backend: str) -> None:
        self._backlog = backlog
        self._jobs = jobs
        self._backend = backend
        self._in_flight: dict[int, Chunk] = {}
        self._deaths: dict[PurePosixPath, int] = {}
        self._quarantine: list[tuple[Cell, int]] = []
        self._good: set[PurePosixPath] = set()

    def warm_up(self, cells: list[Cell]) -> None:
        """Compile the algorithms of these cells, each in one worker, so that the others load them from disk."""
        from joblib import delayed

        chunks = [Chunk(0, cell, self._backlog.folder, ()) for cell in cells]
        with contextlib.suppress(BrokenProcessPool):  # the run that kills its worker will be found out
            for _ in self._parallel((delayed(play_numbered)(chunk) for chunk in chunks), self._jobs):
                pass

    def play(self) -> Iterator[Played]:
        """Everything in the backlog."""
        found_out = True
        while not self._backlog.is_empty():
            try:
                yield from self._play(self._hand_out(), self._jobs)
            except BrokenProcessPool:
                lost = sorted(self._in_flight.values(), key=lambda chunk: chunk.number)
                self._in_flight.clear()
                # Chunks are started in the order in which they are handed out. Where the culprit was not among those
                # that can have been running, all of them are looked at the next time.
                suspects = lost[: self._jobs] if found_out else lost
                deaths = sum(self._deaths.values())
                for chunk in lost:
                    yield from self._look_after(chunk, is_suspect=chunk in suspects)
                found_out = sum(self._deaths.values()) > deaths
        yield from self._play_quarantine()

    def _look_after(self, chunk: Chunk, is_suspect: bool) -> Iterator[Played]:
        """Runs of a chunk whose report was lost: keep those that are over, try those under suspicion alone."""
        again = []
        for run in chunk.runs:
            alone = replace(chunk, runs=(run,))
            if is_there(alone):
                yield alone, [Report(run, None)]
            elif chunk.cell.folder in self._deaths:
                self._quarantine.append((chunk.cell, run))
            elif is_suspect:
                yield self._play_alone(alone)
            else:
                again.append(run)
        self._backlog.add(chunk.cell, again)

    def _play_alone(self, chunk: Chunk) -> Played:
        """Play a chunk of one run with nothing beside it; if the worker dies, it was this run."""
        try:
            (played,) = self._play(iter([self._task(chunk)]), 2)  # joblib plays a pool of one in this very process
        except BrokenProcessPool:
            self._in_flight.clear()
            cell = chunk.cell
            self._deaths[cell.folder] = self._deaths.get(cell.folder, 0) + 1
            self._quarantine += [(cell, run) for run in self._backlog.withdraw(cell)]
            return chunk, [Report(chunk.runs[0], None, DIED)]
        return played

    def _play_quarantine(self) -> Iterator[Played]:
        """The other runs of cells of which one has killed its worker: each alone, at the end."""
        while self._quarantine:
            cell, run = self._quarantine.pop(0)
            chunk = Chunk(0, cell, self._backlog.folder, (run,))
            deaths = self._deaths[cell.folder]
            if deaths >= DEATHS_BEFORE_GIVING_UP and cell.folder not in self._good:
                yield chunk, [Report(run, None, f"not tried: {deaths} runs of it were, and each killed its worker")]
            else:
                yield self._play_alone(chunk)

    def _hand_out(self) -> Iterator[Any]:
        while chunk := self._backlog.take():
            yield self._task(chunk)

    def _task(self, chunk: Chunk) -> Any:
        from joblib import delayed

        self._in_flight[chunk.number] = chunk
        return delayed(play_numbered)(chunk)

    def _play(self, tasks: Iterator[Any], jobs: int) -> Iterator[Played]:
        for number, reports in self._parallel(tasks, jobs):
            chunk = self._in_flight.pop(number)
            if any(report.error is None for report in reports):
                self._good.add(chunk.cell.folder)
            yield chunk, reports

    def _parallel(self, tasks: Iterator[Any], jobs: int) -> Iterator[Any]:
        from joblib import Parallel, parallel_config

        options: dict[str, Any] = {}
        if self._backend == "loky":
            options = {"inner_max_num_threads": 1, "initializer": become_worker}
            options["initargs"] = (os.getpid(), list(registry.named_plug_ins))
            _start_trackers()
        with parallel_config(backend=self._backend, n_jobs=jobs, **options):
            parallel = Parallel(return_as="generator_unordered", batch_size=1)
        # Workers start now, and inherit that signals which are sent to all processes are none of their business. Here
        # the signals wait until the workers are there: a half-started pool cannot be stopped.
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM})
        try:
            return parallel(tasks)
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _start_trackers() -> None:
    """Start the helper processes that workers need: when they start on their own, they unblock signals.

    They clear up shared memory when all others have ended, also when these were killed. So they must outlive a terminal
    that is closed, and inherit that SIGHUP waits for ever; SIGINT and SIGTERM they ignore of themselves.
    """
    from multiprocessing import resource_tracker

    from joblib.externals.loky.backend import resource_tracker as loky_resource_tracker

    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGHUP})
    try:
        resource_tracker.ensure_running()
        loky_resource_tracker.ensure_running()
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
