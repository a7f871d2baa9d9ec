"""Plays the runs of a plan on all cores, and survives what runs, workers and users do.

Runs are independent: what is computed depends neither on the number of workers nor on the order of the runs.
Workers write the files themselves, so that a run that is over is kept whatever happens next.
"""

import contextlib
import os
import sys
import threading
import time
import warnings
from collections.abc import Generator, Iterator, Sequence
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING

from duelbench.algorithms import registry
from duelbench.execution import processes
from duelbench.execution.account import HEAR_SECONDS, THREAD, Account, Outcome
from duelbench.execution.estimate import cold, interpretable
from duelbench.execution.plan import Work
from duelbench.execution.processes import WorkerProcesses
from duelbench.execution.progress import Progress
from duelbench.execution.queue import CHUNK_SECONDS, RunQueue
from duelbench.execution.worker import Chunk, Report, is_ours, load_compiled_code, play
from duelbench.results.cells import Cell

if TYPE_CHECKING:
    from duelbench.execution.cluster.client import Cluster

SPRINT_SECONDS = 0.7
"""How long runs are played in this process before workers, which take about as long to start, are worth it."""

WORTH_WORKERS_SECONDS = 1.0

CLOSE_SECONDS = 0.3

Played = tuple[Chunk, list[Report]]


def execute(
    plan: Work,
    *,
    jobs: int,
    cluster: "Cluster | None" = None,
    fail_fast: bool = False,
    progress: Progress | None = None,
    run_timeout: float | None = None,
) -> Outcome:
    """Play all runs that a prepared plan has to do.

    Parameters
    ----------
    plan : Work
        A `Plan` after `duelbench.execution.plan.prepare`.
    jobs : int
        Workers; 1 plays the algorithms of duelbench in this process.
    cluster : Cluster, optional
        Its workers play, and ``jobs`` says how many they are.
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
    folder = plan.folder.resolve()
    # What is compiled at a cluster's workers is not known here.
    patience = {} if cluster else interpretable([cell for cell, _ in todo], [len(runs) for _, runs in todo])
    queue = RunQueue(folder, todo, jobs, patience, cluster.chunk_seconds if cluster else CHUNK_SECONDS)
    to_compile = [] if cluster else cold(cell for cell in queue.cells() if cell.folder not in patience)
    if cluster:
        played = cluster.play(queue, folder, run_timeout)
    elif run_timeout is None and all(is_ours(cell) for cell in queue.cells()):
        played = _play_here_or_in_workers(queue, jobs, to_compile)
    else:
        played = _play_in_workers(queue, jobs, to_compile, run_timeout)
    account = Account(plan, queue, progress, jobs, cluster.pulses if cluster else None)
    # When one leaves early, joblib warns that results will not be fetched.
    with warnings.catch_warnings(), contextlib.closing(account), contextlib.closing(played):
        warnings.filterwarnings("ignore", category=UserWarning, module="joblib")
        account.announce(to_compile)
        for chunk, reports in played:
            account.enter(chunk, reports)
            if fail_fast and account.outcome.failures:
                return account.outcome
    outcome = account.outcome
    assert outcome.n_done + outcome.n_not_tried + len(outcome.failures) == plan.n_todo, "a run was lost"
    return outcome


def end_workers() -> None:
    """End all processes that this one has started to play runs, whatever they do: nothing else stops compiled code."""
    processes.end_all()


def close_workers() -> None:
    """End those that play now, as `end_workers`, in a process that goes on and may play again."""
    processes.close_all()


def is_playing() -> bool:
    """Whether a run is still being played in this process, which happens after `execute` was left early.

    Then the process must end with `os._exit`: Python crashes when it shuts down with a thread in compiled code.
    """
    return any(thread.name == THREAD for thread in threading.enumerate())


def _play_here_or_in_workers(queue: RunQueue, jobs: int, to_compile: list[Cell]) -> Generator[Played, None, None]:
    """Everything in the queue: here where that is quick or asked for, the rest in workers."""
    if jobs == 1:
        queue.one_of_each_first()
        with contextlib.closing(_OwnThread(queue)) as here:
            yield from here.until_done()
        return
    if to_compile:  # workers are not made to wait while this process compiles
        yield from _play_in_workers(queue, jobs, to_compile)
        return
    with contextlib.closing(_OwnThread(queue)) as here:
        yield from here.sprint()
        yield from _play_in_workers(queue, jobs)
        yield from here.until_done()


def _play_in_workers(
    queue: RunQueue, jobs: int, to_compile: Sequence[Cell] = (), time_limit: float | None = None
) -> Generator[Played, None, None]:
    """Everything in the queue, in processes that do nothing else; joblib keeps ``jobs`` of them busy.

    joblib ends when the queue is empty, and begins again for the runs of processes that were lost after that.
    """
    if queue.is_empty():
        return
    from joblib import Parallel, delayed

    queue.one_of_each_first(to_compile)
    workers = WorkerProcesses(os.getpid(), tuple(registry.named_plug_ins))
    with contextlib.closing(workers):
        while not queue.is_empty():
            jobs = min(jobs, queue.n_waiting())
            # With one job joblib would play in this very thread, which would then be deaf to some signals.
            parallel = Parallel(
                max(2, jobs), backend="threading", return_as="generator_unordered", batch_size=1, pre_dispatch=jobs
            )
            yield from parallel(delayed(workers.play)(chunk, time_limit) for chunk in iter(queue.take, None))


class _OwnThread:
    """Plays chunks in a thread of this process. Compiled code runs without the GIL, so that Ctrl-C is heard at once.

    The thread is a daemon: it does not keep an interrupted process alive. Python cannot end it while it is inside
    compiled code, though; see `is_playing`.
    """

    def __init__(self, queue: RunQueue) -> None:
        self._queue = queue
        self._played: SimpleQueue[Played | BaseException | None] = SimpleQueue()
        self._take_no_more = threading.Event()
        self._stop = threading.Event()
        self._is_loaded = threading.Event()
        self._is_done = False
        self._thread = threading.Thread(target=self._work, name=THREAD, daemon=True)
        self._thread.start()

    def sprint(self) -> Iterator[Played]:
        """What is played until it seems worth while to start workers for the rest."""
        while not self._is_loaded.wait(HEAR_SECONDS):  # workers would have to load what is compiled as well
            pass
        deadline = time.monotonic() + SPRINT_SECONDS
        while not self._is_done and time.monotonic() < deadline:
            yield from self._next(max(0.0, deadline - time.monotonic()))
        left = self._queue.seconds_waiting()
        if left is not None and left < WORTH_WORKERS_SECONDS:
            yield from self.until_done()
        self._take_no_more.set()

    def until_done(self) -> Iterator[Played]:
        """What is played until nothing waits, or, after a sprint, what it had begun."""
        while not self._is_done:
            yield from self._next(HEAR_SECONDS)

    def close(self) -> None:
        """Let it end after the run that it plays, and wait a little for that."""
        self._take_no_more.set()
        self._stop.set()
        self._thread.join(CLOSE_SECONDS)

    def _next(self, timeout: float) -> Iterator[Played]:
        try:
            item = self._played.get(timeout=timeout)
        except Empty:
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
                while not self._take_no_more.is_set() and (chunk := self._queue.take()):
                    load_compiled_code(chunk)
                    self._is_loaded.set()
                    self._played.put((chunk, play(chunk, self._stop)))
        except BaseException as error:
            self._played.put(error)
        else:
            self._played.put(None)
        finally:
            self._is_loaded.set()
