"""Keeps account of a running experiment: results, failures, progress, and the time left."""

import contextlib
import time
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field

from duelbench.errors import RunsFailed
from duelbench.experiments.execution.chunks import Queue
from duelbench.experiments.execution.heartbeat import LOADING, Beat
from duelbench.experiments.execution.plan import Work
from duelbench.experiments.execution.progress import COMPILING, MOST_LINES, Line, Progress, Snapshot, runs_of
from duelbench.experiments.execution.worker import Chunk, Report
from duelbench.experiments.results import failures
from duelbench.experiments.results.cells import Cell

GIVE_UP_AFTER = 3
"""If this many runs of a cell ended their process or hung, and none succeeded, its other runs are not tried."""

RECENT_SECONDS = 3.0
"""A cell whose last run ended within this time counts as running, even if its runs are too short for heartbeats."""


@dataclass(frozen=True)
class Failure:
    """A run without a result. ``run`` is 0-based."""

    cell: Cell
    run: int
    error: str


@dataclass
class Outcome:
    """The outcome of a plan."""

    n_done: int = 0
    n_not_tried: int = 0
    failures: list[Failure] = field(default_factory=list)


@dataclass
class _Runs:
    """The runs of a cell: how many there are, how many are over or lost their process, and how long they took."""

    cell: Cell
    todo: int
    over: int = 0
    lost: int = 0
    heard_at: float = -float("inf")
    times: list[float] = field(default_factory=list)

    @property
    def kind(self) -> tuple[str, int, int]:
        """Algorithm, number of arms and horizon; runs of the same kind take about the same time."""
        return self.cell.identity.algorithm, self.cell.identity.n_arms, self.cell.identity.horizon

    def line(self, beats: Sequence[Beat], cold: Collection[str], have_workers: bool) -> Line:
        """Return the state of the runs, from the heartbeats of this cell; without workers, these still start."""
        if self.over == self.todo:
            return Line(self.cell.name, "done", 1.0)
        running = [beat.rounds for beat in beats if beat.run != LOADING]
        if not running and beats and self.cell.identity.algorithm in cold:
            return Line(self.cell.name, COMPILING, is_active=True)
        is_active = bool(running) or time.monotonic() - self.heard_at <= RECENT_SECONDS
        if not is_active and not self.over:
            return Line(self.cell.name, "starting" if beats or not have_workers else "waiting")
        begun = min(sum(running) / self.cell.identity.horizon, self.todo - self.over)
        return Line(self.cell.name, runs_of(self.over, self.todo), (self.over + begun) / self.todo, is_active)


class Account:
    """Keeps account of a plan that ``jobs`` workers run; ``beats`` returns their heartbeats."""

    def __init__(
        self,
        plan: Work,
        queue: Queue,
        progress: Progress,
        jobs: int,
        beats: Callable[[], list[Beat]],
        to_compile: Iterable[Cell],
    ) -> None:
        self.outcome = Outcome()
        self.progress = progress
        self._plan = plan
        self._queue = queue
        self._failed_before = failures.read(plan.folder)
        self._runs = {
            str(cell_plan.cell.folder): _Runs(cell_plan.cell, len(cell_plan.todo))
            for cell_plan in plan.cells
            if cell_plan.todo
        }
        self._jobs = jobs
        self._beats = beats
        cold = [cell.identity.algorithm for cell in to_compile]
        self._cold = set(cold)
        if cold:
            progress.say_in_lines(f"compiling {', '.join(cold)} (first use, some seconds each) ...")
        progress.start(self.snapshot)

    def enter(self, chunk: Chunk, reports: list[Report]) -> None:
        """Record the outcome of a chunk."""
        self._queue.compiled(chunk.cell)
        self._cold.discard(chunk.cell.identity.algorithm)
        runs = self._runs[str(chunk.cell.folder)]
        runs.heard_at = time.monotonic()
        # The other reports of the chunk count even if one is unwritable, so they come first.
        for report in sorted(reports, key=lambda report: report.is_unwritable):
            if report.is_unwritable:
                raise RunsFailed(
                    f"cannot write results: {report.error}; {self.outcome.n_done} of {self._plan.n_todo} runs are"
                    " done; fix that and run the same command to continue"
                )
            runs.over += 1
            if report.error is None:
                self._succeeded(runs, report)
            else:
                self._failed(runs, report, report.error)
        self._give_up_if_hopeless(runs)

    def snapshot(self) -> Snapshot:
        """Return the current state; called from another thread."""
        beats = defaultdict[str, list[Beat]](list)
        for beat in self._beats():
            beats[beat.cell].append(beat)
        have_workers = bool(beats) or any(runs.over for runs in self._runs.values())
        lines = [runs.line(beats[name], self._cold, have_workers) for name, runs in self._runs.items()]
        if len(lines) > MOST_LINES:
            lines.sort(key=lambda line: not line.is_active)
        running = [beat for of_cell in beats.values() for beat in of_cell if beat.run != LOADING]
        seconds, share = self._left(running)
        is_compiling = any(line.note == COMPILING for line in lines)
        return Snapshot(sum(beat.rounds for beat in running), None if is_compiling else seconds, share, lines)

    def _left(self, running: Sequence[Beat]) -> tuple[float | None, float | None]:
        """Return the seconds until the last run is over, and the share of all work that is done.

        The estimate for a cell comes from its finished runs or, if it has none, from finished runs of the same kind.
        Both results are None if an unfinished cell has no estimate.
        """
        times = defaultdict[tuple[str, int, int], list[float]](list)
        for runs in self._runs.values():
            times[runs.kind] += runs.times
        spent = sum(sum(of_kind) for of_kind in times.values()) + sum(beat.seconds for beat in running)
        work, longest = 0.0, 0.0
        for name, runs in self._runs.items():
            if runs.over == runs.todo:
                continue
            known = runs.times or times[runs.kind]
            if not known:
                return None, None
            each = sum(known) / len(known)
            begun = [min(beat.seconds, each) for beat in running if beat.cell == name]
            work += max(0.0, (runs.todo - runs.over) * each - sum(begun))
            longest = max(longest, each if len(begun) < runs.todo - runs.over else each - min(begun))
        return max(work / self._jobs, longest), spent / (spent + work) if spent + work > 0 else 0.0

    def _succeeded(self, runs: _Runs, report: Report) -> None:
        self.outcome.n_done += 1
        if self._failed_before:
            failures.forget(self._plan.folder, runs.cell, report.run, self._failed_before)
        if report.seconds is not None:
            self._queue.measured(runs.cell, report.seconds)
            runs.times.append(report.seconds)
        self.progress.count(runs.cell.identity.horizon)

    def _failed(self, runs: _Runs, report: Report, error: str) -> None:
        runs.lost += report.is_lost
        if not self.outcome.failures:
            self.progress.say(f"failed: {runs.cell.name}, run {report.run}: {error}")
        self.outcome.failures.append(Failure(runs.cell, report.run, error))
        with contextlib.suppress(OSError):  # the run is reported as failed all the same
            failures.record(self._plan.folder, runs.cell, report.run, error, report.details)
        self.progress.count(runs.cell.identity.horizon, failed=True)

    def _give_up_if_hopeless(self, runs: _Runs) -> None:
        n_failed = sum(failure.cell is runs.cell for failure in self.outcome.failures)
        if runs.lost < GIVE_UP_AFTER or n_failed < runs.over:
            return
        if withdrawn := len(self._queue.withdraw(runs.cell)):
            runs.over += withdrawn
            for _ in range(withdrawn):
                self.progress.count(0)
            self.outcome.n_not_tried += withdrawn
            self.progress.say(f"{runs.cell.name}: none of its runs has finished; not tried: {withdrawn} more")
