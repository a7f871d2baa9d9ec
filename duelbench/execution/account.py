"""The account of an experiment that is being played: results, failures on record, progress, and times."""

import contextlib
import threading
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from duelbench.errors import RunsFailed
from duelbench.execution import estimate, pulse
from duelbench.execution.plan import Plan
from duelbench.execution.progress import Progress, Snapshot, duration, short
from duelbench.execution.queue import RunQueue
from duelbench.execution.time_left import TimeLeft
from duelbench.execution.worker import Chunk, Report
from duelbench.results import failures
from duelbench.results.cells import Cell

GIVE_UP_AFTER = 3
"""So many runs of a cell that end their process or do not end, and none that succeeds: the others are not tried."""

GUESS_AFTER_SECONDS = 5.0
"""When the cells are estimated of which no run was played by then."""

GUESS_SECONDS = 0.1
"""How long it may take to estimate one of them."""

WORTH_TELLING_SECONDS = 2.0
"""Of runs that take longer it is told how far they are."""

HEAR_SECONDS = 0.2
"""How often the main thread looks up from waiting.

When two signals come at once, the system may hand both to a thread of some library. Python notes them, but nothing
wakes the main thread, which alone acts on them.
"""

THREAD = "duelbench-runs"
"""Name of threads that are inside compiled code."""


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
    """Keeps the account of a plan, and puts runs back into the queue that were not played.

    Parameters
    ----------
    plan : Plan
    queue : RunQueue
    progress : Progress
    jobs : int
        Workers.
    """

    def __init__(self, plan: Plan, queue: RunQueue, progress: Progress, jobs: int) -> None:
        self.outcome = Outcome()
        self.progress = progress
        self._plan = plan
        self._queue = queue
        self._failed_before = failures.read(plan.folder)
        self._cells = {str(cell_plan.cell.folder): cell_plan.cell for cell_plan in plan.cells}
        self._time_left = TimeLeft([(cell_plan.cell, len(cell_plan.todo)) for cell_plan in plan.cells], jobs)
        self._lost: Counter[PurePosixPath] = Counter()
        self._good: set[PurePosixPath] = set()
        self._jobs = jobs
        self._compiling: dict[str, str] = {}
        self._doing_last = "starting"
        self._closed = threading.Event()
        self._guesser = threading.Thread(target=self._guess, name=THREAD, daemon=True)
        if not progress.quiet:
            self._guesser.start()
            progress.start(self.snapshot)

    def announce(self, cold: Iterable[Cell]) -> None:
        """Say what will be compiled, in this order."""
        algorithms = [cell.identity.algorithm for cell in cold]
        if algorithms and not self.progress.quiet:
            self._say_compiling(algorithms, "first use")
            self._doing_last = self._compiling_now(algorithms[: self._jobs])

    def enter(self, chunk: Chunk, reports: list[Report]) -> None:
        """Note what became of a chunk; runs of which there is no report are to be played again."""
        self._queue.compiled(chunk.cell)
        self._doing_last = chunk.cell.name
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
        reported = {report.run for report in reports}
        self._queue.add(chunk.cell, [run for run in chunk.runs if run not in reported])
        self._give_up_if_hopeless(chunk.cell)

    def snapshot(self) -> Snapshot:
        """What is done at this moment; called from another thread."""
        pulses = [*pulse.here(), *pulse.elsewhere(self._plan.folder)]
        pulses = [pulse for pulse in pulses if pulse.cell in self._cells]
        compiling = list(dict.fromkeys(self._cells[p.cell].identity.algorithm for p in pulses if p.compiling))
        for algorithm in compiling:
            if algorithm not in self._compiling:
                self._say_compiling([algorithm], "first use with these settings")
        return Snapshot(
            self._doing(pulses, compiling), sum(pulse.rounds for pulse in pulses), self._time_left.seconds(pulses)
        )

    def close(self) -> None:
        """Stop to guess, and remove what workers told."""
        self._closed.set()
        while self._guesser.is_alive():
            self._guesser.join(HEAR_SECONDS)
        pulse.remove(self._plan.folder)

    def _say_compiling(self, algorithms: list[str], why: str) -> None:
        for algorithm in algorithms:
            seconds = estimate.compiling_seconds([algorithm])
            self._compiling[algorithm] = f"{algorithm} (about {duration(seconds)})"
        seconds = estimate.compiling_seconds(algorithms, self._jobs)
        self.progress.say(f"compiling {', '.join(algorithms)} ({why}, about {duration(seconds)}) ...")

    def _compiling_now(self, algorithms: list[str]) -> str:
        return f"compiling {', '.join(self._compiling[algorithm] for algorithm in algorithms)}"

    def _doing(self, pulses: list[pulse.Pulse], compiling: list[str]) -> str:
        if compiling:
            return self._compiling_now(compiling)
        playing = [p for p in pulses if p.run != pulse.LOADING]
        slow = [p for p in playing if p.seconds >= WORTH_TELLING_SECONDS]
        if not slow:
            return self._cells[playing[0].cell].name if playing else self._doing_last
        longest = max(slow, key=lambda pulse: pulse.seconds)
        cell = self._cells[longest.cell]
        others = f", {len(slow) - 1} more" if len(slow) > 1 else ""
        return f"{cell.name}: {short(longest.rounds)} of {short(cell.identity.horizon)} rounds{others}"

    def _guess(self) -> None:
        """Estimate what runs take of which none was played in the first seconds."""
        self._closed.wait(GUESS_AFTER_SECONDS)
        while not self._closed.is_set() and (cell := self._time_left.unknown()):
            seconds = estimate.estimate([cell], [1], GUESS_SECONDS, self._queue.patience)[0].seconds
            self._time_left.expect(cell, seconds)

    def _succeeded(self, cell: Cell, report: Report) -> None:
        self.outcome.n_done += 1
        self._good.add(cell.folder)
        if self._failed_before:
            failures.forget(self._plan.folder, cell, report.run, self._failed_before)
        if report.seconds is not None:
            self._queue.measured(cell, report.seconds)
        self._time_left.over(cell, report.seconds)
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
        self.progress.count(cell.identity.horizon, failed=True)

    def _give_up_if_hopeless(self, cell: Cell) -> None:
        """Do not try the other runs of a cell of which every run costs a process."""
        if self._lost[cell.folder] >= GIVE_UP_AFTER and cell.folder not in self._good:
            withdrawn = len(self._queue.withdraw(cell))
            for _ in range(withdrawn):
                self._time_left.over(cell, None)
                self.progress.count(0)
            if withdrawn:
                self.outcome.n_not_tried += withdrawn
                self.progress.say(f"{cell.name}: {withdrawn} runs are not tried, because none has come to an end")
