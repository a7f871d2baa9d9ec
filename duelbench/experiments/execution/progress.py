"""Shows the progress of a running experiment on standard error: a display on a terminal, otherwise occasional lines."""

import contextlib
import os
import sys
import threading
import time
from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import NamedTuple, TextIO

from duelbench.common import system

SHORTEST_SECONDS, LONGEST_SECONDS = 1.0, 60.0
"""Shortest and longest time between two lines, if there is no display."""

TICK_SECONDS = 0.5
"""Seconds between two updates of a display."""

WORTH_TELLING_SECONDS = 5.0
"""If the runs of a command took at least this long, the command says how long."""

QUIET_SECONDS, READING_SECONDS = 1.0, 5.0
"""Seconds before a line about reading or drawing results, and between two lines about reading."""

USUAL_SIZE = (80, 25)
"""Columns and lines of a terminal of unknown size."""

MARGIN = 3
"""Columns that stay free on the right: the terminal writes ^C there when you press it."""

MOST_LINES = 8
BAR = 10

COMPILING = "compiling"


class Line(NamedTuple):
    """The current state of an algorithm on a problem."""

    name: str  # such as ``D-TS on mslr5``
    note: str  # `COMPILING`, the number of runs that are over, ...
    share: float | None = None  # the part that is done, in [0, 1]; None if nothing is
    is_active: bool = False  # whether something runs or compiles


class Snapshot(NamedTuple):
    """Details on an experiment besides the number of finished runs."""

    rounds: int = 0  # rounds so far of runs that are not over
    seconds_left: float | None = None
    share: float | None = None  # how much of the work is done, in [0, 1]
    lines: Sequence[Line] = ()


class Progress:
    """Counts runs and shows the progress, the time left, and the current work.

    A terminal shows a display. Elsewhere, and if ``TERM`` is ``dumb``, lines are printed: the first after a second,
    then one for every tenth of the runs and whenever something is compiled. There is at most one line a second, and at
    least one a minute.

    Parameters
    ----------
    total : int
        Runs to compute.
    quiet : bool
        Print only the lines of `say`.
    stream : file, optional
        Default: standard error.
    """

    def __init__(self, total: int, *, quiet: bool = False, stream: TextIO | None = None) -> None:
        self.total = total
        self.quiet = quiet
        self.stream = stream or sys.stderr
        self.done = self.failed = self.rounds = 0
        self._start = self._running_since = time.monotonic()
        self._said_at: float | None = None
        self._said: tuple[int, int] = (0, 0)  # tenths of the runs, and how many algorithms are being compiled
        self._display: _Display | None = None
        self._has_display = self.stream.isatty() and os.environ.get("TERM") != "dumb"
        self._snapshot: Callable[[], Snapshot] = Snapshot
        self._lock = threading.RLock()
        self._closed = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self, snapshot: Callable[[], Snapshot]) -> None:
        """Show the progress from a separate thread; ``snapshot`` returns the details."""
        self._snapshot = snapshot
        if not self.quiet:
            self.tick()
            self._thread = threading.Thread(target=self._tick_on, name="duelbench-progress", daemon=True)
            self._thread.start()

    def count(self, rounds: int, *, failed: bool = False) -> None:
        """Count one more finished run; rounds of failed runs are not counted."""
        self.done += 1
        self.failed += failed
        self.rounds += 0 if failed else rounds

    def tick(self) -> None:
        """Show the progress, if it is time."""
        if self.quiet:
            return
        snapshot = self._snapshot()
        with self._lock:
            now = time.monotonic()
            if not self.rounds + snapshot.rounds:
                self._running_since = now
            failures = [f"{self.failed} failed"] if self.failed else []
            runs, so_far = runs_of(self.done, self.total), clock(now - self._start)
            if self._has_display:
                share = self.done / self.total if snapshot.share is None else snapshot.share
                facts = [f"{share:.0%}", *failures, runs, *self._speeds(now, snapshot), f"{so_far} so far"]
                self._show([Line("all", "  ".join(facts), share), *snapshot.lines])
                return
            compiling = sum(line.note == COMPILING for line in snapshot.lines)
            state = 10 * self.done // max(self.total, 1), compiling
            if self._is_due(now, state != self._said):
                facts = [runs, f"{self.done / self.total:4.0%}", *failures, so_far]
                doing = [f"{line.name} {line.note}" for line in snapshot.lines if line.is_active]
                print("  ".join([*facts, *self._speeds(now, snapshot), *doing[:1]]), file=self.stream, flush=True)
                self._said_at, self._said = now, state

    def say(self, message: str) -> None:
        """Print a separate line, even if `quiet`."""
        with self._lock:
            if self._display:
                self._display.console.print(message, markup=False, soft_wrap=True)
            else:
                print(message, file=self.stream, flush=True)

    def say_in_lines(self, message: str) -> None:
        """Print a separate line if there is no display."""
        if not (self.quiet or self._has_display):
            self.say(message)

    def account(self) -> str | None:
        """Return how long all runs took, in words; None if that was short, or if not all runs are over."""
        took = time.monotonic() - self._start
        return f"took {clock(took)}" if self.done == self.total and took >= WORTH_TELLING_SECONDS else None

    def close(self) -> None:
        """Stop showing progress; leave the terminal at the start of an empty line."""
        self._closed.set()
        if self._thread:
            self._thread.join()
            self._thread = None
        with self._lock:
            if 0 < self.total == self.done and not self._has_display:
                self.tick()
            if self._display:
                self._display.live.stop()
                self._display = None

    def _tick_on(self) -> None:
        system.block_signals()  # the main thread handles them
        with contextlib.suppress(OSError):  # nobody reads the stream any more
            while not self._closed.wait(TICK_SECONDS):
                self.tick()

    def _is_due(self, now: float, is_news: bool) -> bool:
        if self._said_at is None:
            return now - self._start >= SHORTEST_SECONDS
        pause = SHORTEST_SECONDS if is_news else LONGEST_SECONDS
        return (is_news and self.done == self.total) or now - self._said_at >= pause

    def _speeds(self, now: float, snapshot: Snapshot) -> list[str]:
        """Return the time left, and the rounds per second since compiling ended."""
        parts = []
        if snapshot.seconds_left is not None and self.done < self.total:
            parts.append(f"~{clock(snapshot.seconds_left)} left")
        rounds, seconds = self.rounds + snapshot.rounds, now - self._running_since
        return [*parts, f"{short(rounds / seconds)} rounds/s"] if rounds and seconds > 0 else parts

    def _show(self, lines: Sequence[Line]) -> None:
        self._display = self._display or _Display(self.stream)
        self._display.show(lines)


class Waiting(Progress):
    """Shows what a command on results does, if it takes longer than about a second."""

    def __init__(self, stream: TextIO | None = None, quiet: bool = False) -> None:
        super().__init__(0, quiet=quiet, stream=stream)
        self._spoke_at = -float("inf")

    def reading(self, total: int, experiment: str) -> None:
        """Count one more of ``total`` runs that are read; it belongs to ``experiment``."""
        self.done += 1
        self.still(f"reading {self.done} of {total} runs ({experiment})")

    def still(self, activity: str) -> None:
        """Show an activity that goes on, once in a while."""
        pause = TICK_SECONDS if self._has_display else READING_SECONDS
        if time.monotonic() - self._spoke_at >= pause:
            self.doing(activity)

    def doing(self, activity: str) -> None:
        """Show an activity that starts and may take a while."""
        now = time.monotonic()
        if self.quiet or now - self._start < QUIET_SECONDS:
            return
        self._spoke_at = now
        if self._has_display:
            self._show([Line(activity, "")])
        else:
            print(activity, file=self.stream, flush=True)


class _Display:
    """A region at the end of a terminal; Rich prints all other output of this process above it."""

    def __init__(self, stream: TextIO) -> None:
        from rich.console import Console
        from rich.live import Live

        self._stream = stream
        self.console = Console(file=stream, force_terminal=True, highlight=False, emoji=False)
        self.live = Live(
            console=self.console,
            auto_refresh=False,
            transient=True,
            redirect_stderr=stream is sys.stderr,
            redirect_stdout=stream is sys.stderr is sys.stdout,
            vertical_overflow="crop",
        )
        self.live.start()
        self.console.show_cursor(True)  # a killed process leaves the terminal in its normal state

    def show(self, lines: Sequence[Line]) -> None:
        """Draw the first lines, each with a bar if it has a share; cut off lines that do not fit."""
        from rich.console import ConsoleDimensions
        from rich.progress_bar import ProgressBar
        from rich.table import Table
        from rich.text import Text

        with contextlib.suppress(OSError, ValueError):  # Rich would ask standard input, which may be no terminal
            columns, rows = os.get_terminal_size(self._stream.fileno())
            self.console.size = ConsoleDimensions((columns or USUAL_SIZE[0]) - MARGIN, rows or USUAL_SIZE[1])
        table = Table.grid(padding=(0, 2), expand=len(lines) > 1)
        table.add_column(
            no_wrap=True, overflow="ellipsis", max_width=self.console.width // (3 if len(lines) > 1 else 1)
        )
        table.add_column(no_wrap=True)
        table.add_column(no_wrap=True, overflow="ellipsis", ratio=1)
        for name, note, share, _ in lines[: MOST_LINES + 1]:
            bar = "" if share is None else ProgressBar(1.0, share, width=BAR)
            table.add_row(Text(name), bar, Text(note))
        if (more := len(lines) - MOST_LINES - 1) > 0:
            table.add_row(f"and {more} more")
        self.live.update(table, refresh=True)


def runs_of(done: int, total: int) -> str:
    """Return the number of finished runs in words.

    Examples
    --------
    >>> runs_of(0, 1), runs_of(3, 20)
    ('0/1 run', '3/20 runs')
    """
    return f"{done}/{total} {'run' if total == 1 else 'runs'}"


def short(number: float) -> str:
    """Return a large number in short form.

    Examples
    --------
    >>> short(1_940_000), short(512), short(3.2e9)
    ('1.9 M', '512', '3.2 G')
    """
    for size, unit in ((1e9, " G"), (1e6, " M"), (1e3, " k")):
        if number >= size:
            return f"{number / size:.1f}{unit}"
    return f"{number:.0f}"


def clock(seconds: float) -> str:
    """Return a time as hours, minutes and seconds.

    Examples
    --------
    >>> clock(21.4), clock(3661)
    ('0:00:21', '1:01:01')
    """
    return str(timedelta(seconds=round(seconds)))


def duration(seconds: float) -> str:
    """Return a rough duration in words.

    Examples
    --------
    >>> duration(0.2), duration(40), duration(130), duration(7000)
    ('< 1 s', '40 s', '2 min', '1.9 h')
    """
    if seconds < 1:
        return "< 1 s"
    if seconds < 90:
        return f"{seconds:.0f} s"
    if seconds < 5400:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h"
