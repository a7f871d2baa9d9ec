"""The progress of a running experiment on standard error: a display on a terminal, elsewhere a line now and then."""

import contextlib
import os
import sys
import threading
import time
from collections.abc import Callable, Sequence
from typing import NamedTuple, TextIO

from duelbench import system
from duelbench.execution.display import Display, Frame, Task

SHORTEST_SECONDS, LONGEST_SECONDS = 1.0, 60.0
"""Between two lines, where there is no display."""

TICK_SECONDS = 0.5
"""How often a display is drawn."""

WORTH_AN_ACCOUNT_SECONDS = 5.0
"""Only of runs that took longer is it said how long that was, and what was estimated."""

EARLY = 0.2
"""The first estimate counts as one only if no larger part than this of the time left has passed."""

PATIENCE_SECONDS, READING_SECONDS = 1.0, 5.0
"""How long nothing is said of reading results and drawing them; and between two lines about reading."""


class Snapshot(NamedTuple):
    """What there is to say of an experiment beside the runs that are over.

    doing : str. What is run or compiled at this moment.
    rounds : int. Rounds so far of runs that are not over.
    seconds_left : float, optional.
    share : float, optional. How much of the work is done, in [0, 1].
    tasks : sequence of Task. What is run or compiled, for a display.
    """

    doing: str = ""
    rounds: int = 0
    seconds_left: float | None = None
    share: float | None = None
    tasks: Sequence[Task] = ()


class Progress:
    """Counts runs and says how far it is, how long it took and will take, and what is done now.

    A terminal shows a display. Elsewhere, and where ``TERM`` is ``dumb``, a line is printed after a second, for every
    tenth of the runs, though at most once a second, and once per minute.

    Parameters
    ----------
    total : int
        Runs to compute.
    quiet : bool
        Say nothing but what `say` is given.
    stream : file, optional
        Default: standard error.
    """

    def __init__(self, total: int, *, quiet: bool = False, stream: TextIO | None = None) -> None:
        self.total = total
        self.quiet = quiet
        self.stream = stream or sys.stderr
        self.done = 0
        self.failed = 0
        self.rounds = 0
        self._start = self._running_since = time.monotonic()
        self._estimate: float | None = None
        self._said_at: float | None = None
        self._said_tenths = 0
        self._display: Display | None = None
        self._has_display = self.stream.isatty() and os.environ.get("TERM") != "dumb"
        self._snapshot: Callable[[], Snapshot] = Snapshot
        self._lock = threading.RLock()
        self._closed = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self, snapshot: Callable[[], Snapshot]) -> None:
        """Begin to say how far it is, whatever else this process does; ``snapshot`` returns what there is to say."""
        self._snapshot = snapshot
        if not self.quiet:
            self.tick()
            self._thread = threading.Thread(target=self._tick_on, name="duelbench-progress", daemon=True)
            self._thread.start()

    def count(self, rounds: int, *, failed: bool = False) -> None:
        """One more run of so many rounds is over; those of failed runs are not counted."""
        self.done += 1
        self.failed += failed
        self.rounds += 0 if failed else rounds

    def tick(self) -> None:
        """Say how far it is, if it is time."""
        if self.quiet:
            return
        snapshot = self._snapshot()
        with self._lock:
            now = time.monotonic()
            if not self.rounds + snapshot.rounds:
                self._running_since = now
            if self._has_display:
                self._show(self._frame(now, snapshot))
            elif self._is_due(now):
                print(self._line(now, snapshot), file=self.stream, flush=True)
                self._said_at, self._said_tenths = now, self._tenths()

    def say(self, message: str) -> None:
        """Print a line of its own, whatever `quiet` is."""
        with self._lock:
            if self._display:
                self._display.say(message)
            else:
                print(message, file=self.stream, flush=True)

    def say_in_lines(self, message: str) -> None:
        """Print a line of its own where no display says it."""
        if not (self.quiet or self._has_display):
            self.say(message)

    def account(self) -> str | None:
        """How long all runs took, and what the first estimate was; None where it was quick, or none was shown."""
        took = time.monotonic() - self._start
        if self._estimate is None or self.done < self.total or took < WORTH_AN_ACCOUNT_SECONDS:
            return None
        return f"took {spelled(took)}; {spelled(self._estimate)} were estimated at first"

    def close(self) -> None:
        """Say no more; the terminal is left at the beginning of an empty line."""
        self._closed.set()
        if self._thread:
            self._thread.join()
            self._thread = None
        with self._lock:
            if 0 < self.total == self.done and not self._has_display:
                self.tick()
            if self._display:
                self._display.close()
                self._display = None

    def _tick_on(self) -> None:
        system.block_signals()  # they are the main thread's business
        with contextlib.suppress(OSError):  # nobody reads it any more
            while not self._closed.wait(TICK_SECONDS):
                self.tick()

    def _is_due(self, now: float) -> bool:
        if self._said_at is None:
            return now - self._start >= SHORTEST_SECONDS
        is_news = self._tenths() > self._said_tenths
        pause = SHORTEST_SECONDS if is_news else LONGEST_SECONDS
        return (is_news and self.done == self.total) or now - self._said_at >= pause

    def _tenths(self) -> int:
        return 10 * self.done // self.total

    def _line(self, now: float, snapshot: Snapshot) -> str:
        runs = f"{self.done:>{len(str(self.total))}}/{self.total} runs"
        doing = [snapshot.doing] if snapshot.doing and self.done < self.total else []
        head = [runs, f"{self.done / self.total:4.0%}", *self._failures(), clock(now - self._start)]
        return "  ".join([*head, *self._left(now, snapshot), *self._speed(now, snapshot), *doing])

    def _frame(self, now: float, snapshot: Snapshot) -> Frame:
        share = self.done / self.total if snapshot.share is None else snapshot.share
        runs = f"{self.done}/{self.total} {'run' if self.total == 1 else 'runs'}"
        facts = [f"{share:.0%}", *self._failures(), runs, *self._left(now, snapshot), *self._speed(now, snapshot)]
        return Frame(share, [*facts, f"{clock(now - self._start)} so far"], snapshot.tasks)

    def _failures(self) -> list[str]:
        return [f"{self.failed} failed"] if self.failed else []

    def _left(self, now: float, snapshot: Snapshot) -> list[str]:
        """How long it will take; the first estimate is remembered."""
        if snapshot.seconds_left is None or self.done == self.total:
            return []
        elapsed = now - self._start
        if self._estimate is None and elapsed < EARLY * snapshot.seconds_left:
            self._estimate = elapsed + snapshot.seconds_left
        return [f"~{clock(snapshot.seconds_left)} left"]

    def _speed(self, now: float, snapshot: Snapshot) -> list[str]:
        """Rounds per second; the time before the first round, in which code is compiled, does not count."""
        rounds, seconds = self.rounds + snapshot.rounds, now - self._running_since
        return [f"{short(rounds / seconds)} rounds/s"] if rounds and seconds > 0 else []

    def _show(self, frame: Frame) -> None:
        self._display = self._display or Display(self.stream)
        self._display.show(frame)


class Waiting(Progress):
    """Says what a command is doing that shows results, if it takes longer than a second or so."""

    def __init__(self, stream: TextIO | None = None, quiet: bool = False) -> None:
        super().__init__(0, quiet=quiet, stream=stream)
        self._spoke_at = -float("inf")

    def reading(self, total: int, whose: str) -> None:
        """One more of ``total`` runs is being read, of an experiment called ``whose``."""
        self.done += 1
        pause = TICK_SECONDS if self._has_display else READING_SECONDS
        if time.monotonic() - self._spoke_at >= pause:
            self.doing(f"reading {self.done} of {total} runs ({whose})")

    def doing(self, what: str) -> None:
        """Something begins that may take a while."""
        now = time.monotonic()
        if self.quiet or now - self._start < PATIENCE_SECONDS:
            return
        self._spoke_at = now
        if self._has_display:
            self._show(Frame(None, [what]))
        else:
            print(what, file=self.stream, flush=True)


def short(number: float) -> str:
    """A large number as a person can read it.

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
    """Hours, minutes and seconds.

    Examples
    --------
    >>> clock(21.4), clock(3661)
    ('0:00:21', '1:01:01')
    """
    whole = round(seconds)
    return f"{whole // 3600}:{whole // 60 % 60:02d}:{whole % 60:02d}"


def spelled(seconds: float) -> str:
    """A duration to the second, in words.

    Examples
    --------
    >>> spelled(40), spelled(130), spelled(7201)
    ('40 s', '2 min 10 s', '2 h 0 min 1 s')
    """
    whole = round(seconds)
    parts = [(whole // 3600, "h"), (whole // 60 % 60, "min"), (whole % 60, "s")]
    first = next((k for k, (count, _) in enumerate(parts) if count), len(parts) - 1)
    return " ".join(f"{count} {unit}" for count, unit in parts[first:])


def duration(seconds: float) -> str:
    """A rough duration in words.

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
