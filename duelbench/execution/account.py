"""The account of an experiment that is being played: results, failures on record, progress, and times."""

import contextlib
import time
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from duelbench.algorithms import registry
from duelbench.errors import RunsFailed
from duelbench.execution.chunks import Queue
from duelbench.execution.display import Task
from duelbench.execution.heartbeat import LOADING, Beat
from duelbench.execution.plan import Work
from duelbench.execution.progress import Progress, Snapshot, short
from duelbench.execution.time_left import TimeLeft
from duelbench.execution.worker import Chunk, Report
from duelbench.results import failures
from duelbench.results.cells import Cell

GIVE_UP_AFTER = 3
"""So many runs of a cell that end their process or do not end, and none that succeeds: the others are not tried."""

RECENT_SECONDS = 3.0
"""A cell of which a run was over so recently is being played, though no run of it lasts long enough to be told of."""

WORTH_TELLING_SECONDS = 2.0
"""Of runs that take longer it is told how far they are."""


@dataclass(frozen=True)
class Failure:
    """A run without a result. ``run`` is 0-based."""

    cell: Cell
    run: int
    error: str


@dataclass
class Outcome:
    """What became of a plan; runs of which no other has come to an end were not tried."""

    n_done: int = 0
    n_not_tried: int = 0
    failures: list[Failure] = field(default_factory=list)


class Account:
    """Keeps the account of a plan.

    Parameters
    ----------
    plan : Work
    queue : Queue
    progress : Progress
    jobs : int
        Workers.
    beats : callable
        Returns what the workers do.
    """

    def __init__(
        self,
        plan: Work,
        queue: Queue,
        progress: Progress,
        jobs: int,
        beats: Callable[[], list[Beat]],
    ) -> None:
        self.outcome = Outcome()
        self.progress = progress
        self._plan = plan
        self._queue = queue
        self._failed_before = failures.read(plan.folder)
        self._cells = {str(cell_plan.cell.folder): cell_plan.cell for cell_plan in plan.cells}
        self._time_left = TimeLeft([(cell_plan.cell, len(cell_plan.todo)) for cell_plan in plan.cells], jobs)
        self._n_todo = {str(cell_plan.cell.folder): len(cell_plan.todo) for cell_plan in plan.cells}
        self._n_over: Counter[str] = Counter()
        self._heard: dict[str, float] = {}
        self._lost: Counter[PurePosixPath] = Counter()
        self._good: set[PurePosixPath] = set()
        self._jobs = jobs
        self._beats = beats
        self._compiling: set[str] = set()
        self._doing_last = "starting"
        self._first_tasks = [Task("starting")]
        if not progress.quiet:
            progress.start(self.snapshot)

    def announce(self, cold: Iterable[Cell]) -> None:
        """Say what will be compiled, in this order."""
        algorithms = [cell.identity.algorithm for cell in cold]
        if algorithms and not self.progress.quiet:
            self._say_compiling(algorithms, "first use")
            self._doing_last = self._compiling_now(algorithms[: self._jobs])
            self._first_tasks = [self._compiling_task(algorithm) for algorithm in algorithms[: self._jobs]]

    def enter(self, chunk: Chunk, reports: list[Report]) -> None:
        """Note what became of a chunk."""
        self._queue.compiled(chunk.cell)
        self._doing_last = chunk.cell.name
        self._first_tasks = []
        self._heard[str(chunk.cell.folder)] = time.monotonic()
        for report in sorted(reports, key=lambda report: report.is_unwritable):  # the others are kept
            if report.is_unwritable:
                raise RunsFailed(
                    f"cannot write results: {report.error}; {self.outcome.n_done} of {self._plan.n_todo} runs are"
                    " kept; fix that and run the same command to go on"
                )
            if report.error is None:
                self._succeeded(chunk.cell, report)
            else:
                self._failed(chunk.cell, report)
        self._give_up_if_hopeless(chunk.cell)

    def snapshot(self) -> Snapshot:
        """What is done at this moment; called from another thread."""
        beats = [beat for beat in self._beats() if beat.cell in self._cells]
        compiling = sorted({self._cells[beat.cell].identity.algorithm for beat in beats if beat.compiling})
        for algorithm in compiling:
            if algorithm not in self._compiling:
                self._say_compiling([algorithm], "first use with these settings")
        rounds = sum(beat.rounds for beat in beats)
        left = self._time_left.estimate(beats)
        return Snapshot(self._doing(beats, compiling), rounds, left.seconds, left.share, self._tasks(beats, compiling))

    def _say_compiling(self, algorithms: list[str], why: str) -> None:
        self._compiling.update(algorithms)
        self.progress.say_in_lines(f"compiling {', '.join(algorithms)} ({why}, some seconds each) ...")

    def _compiling_now(self, algorithms: list[str]) -> str:
        return f"compiling {', '.join(algorithms)}"

    def _compiling_task(self, algorithm: str) -> Task:
        return Task(f"compiling {registry.get(algorithm).name}, once")

    def _tasks(self, beats: list[Beat], compiling: list[str]) -> list[Task]:
        """A line for each algorithm that is compiled, and for each cell of which runs are played."""
        playing: dict[str, list[Beat]] = {}
        for told in beats:
            if told.run != LOADING and not told.compiling:
                playing.setdefault(told.cell, []).append(told)
        recently = time.monotonic() - RECENT_SECONDS
        heard = {cell for cell, at in list(self._heard.items()) if at >= recently}
        present = [
            cell
            for cell in self._cells
            if cell in playing or (cell in heard and self._n_over[cell] < self._n_todo[cell])
        ]
        tasks = [*map(self._compiling_task, compiling), *(self._task(cell, playing.get(cell, [])) for cell in present)]
        return tasks or self._first_tasks

    def _task(self, name: str, playing: list[Beat]) -> Task:
        """How far the runs of a cell are."""
        cell, over, todo = self._cells[name], self._n_over[name], self._n_todo[name]
        begun = min(sum(told.rounds for told in playing) / cell.identity.horizon, todo - over)
        return Task(cell.name, (over + begun) / todo, f"{over}/{todo} {'run' if todo == 1 else 'runs'}")

    def _doing(self, beats: list[Beat], compiling: list[str]) -> str:
        if compiling:
            return self._compiling_now(compiling)
        playing = [p for p in beats if p.run != LOADING]
        slow = [p for p in playing if p.seconds >= WORTH_TELLING_SECONDS]
        if not slow:
            return self._cells[playing[0].cell].name if playing else self._doing_last
        longest = max(slow, key=lambda beat: beat.seconds)
        cell = self._cells[longest.cell]
        others = f", {len(slow) - 1} more" if len(slow) > 1 else ""
        return f"{cell.name}: {short(longest.rounds)} of {short(cell.identity.horizon)} rounds{others}"

    def _succeeded(self, cell: Cell, report: Report) -> None:
        self.outcome.n_done += 1
        self._good.add(cell.folder)
        if self._failed_before:
            failures.forget(self._plan.folder, cell, report.run, self._failed_before)
        if report.seconds is not None:
            self._queue.measured(cell, report.seconds)
        self._time_left.over(cell, report.seconds)
        self._n_over[str(cell.folder)] += 1
        self.progress.count(cell.identity.horizon)

    def _failed(self, cell: Cell, report: Report) -> None:
        assert report.error is not None
        self._lost[cell.folder] += report.is_lost
        if not self.outcome.failures:
            self.progress.say(f"failed: {cell.name}, run {report.run}: {report.error}")
        self.outcome.failures.append(Failure(cell, report.run, report.error))
        with contextlib.suppress(OSError):  # the run is reported as failed all the same
            failures.record(self._plan.folder, cell, report.run, report.error, report.details)
        self._time_left.over(cell, None)
        self._n_over[str(cell.folder)] += 1
        self.progress.count(cell.identity.horizon, failed=True)

    def _give_up_if_hopeless(self, cell: Cell) -> None:
        """Do not try the other runs of a cell of which every run costs a process."""
        if self._lost[cell.folder] >= GIVE_UP_AFTER and cell.folder not in self._good:
            withdrawn = len(self._queue.withdraw(cell))
            for _ in range(withdrawn):
                self._time_left.over(cell, None)
                self._n_over[str(cell.folder)] += 1
                self.progress.count(0)
            if withdrawn:
                self.outcome.n_not_tried += withdrawn
                self.progress.say(f"{cell.name}: {withdrawn} runs are not tried, because none has come to an end")
