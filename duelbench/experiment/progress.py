"""What a running experiment says on standard error: one line that is rewritten, or now and then a line."""

import os
import sys
import time
from typing import TextIO

SHORTEST_SECONDS, LONGEST_SECONDS = 1.0, 60.0
"""Between two lines, where no line is rewritten."""

REWRITE_SECONDS = 0.1

PATIENCE_SECONDS = 1.0
"""So long nothing is said of reading results and drawing them."""

READING_SECONDS = 5.0
"""Between two lines about reading results, where no line is rewritten."""


class Progress:
    """Counts runs and says how far it is.

    On a terminal one line is rewritten. Elsewhere, and where ``TERM`` is ``dumb``, a line is printed for every tenth of
    the runs, though not every moment, and once per minute. There is no colour, so that there is none to switch off.

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
        self._start = time.monotonic()
        self._said_at = self._start
        self._said_tenths = 0
        self._width = 0
        self._rewrites = self.stream.isatty() and os.environ.get("TERM") != "dumb"

    def count(self, rounds: int, *, failed: bool = False, seconds_left: float | None = None) -> None:
        """One more run of so many rounds is over.

        Parameters
        ----------
        rounds : int
            Of the run; those of failed runs are not counted.
        failed : bool
        seconds_left : float, optional
            Estimate of what the other runs take.
        """
        self.done += 1
        self.failed += failed
        self.rounds += 0 if failed else rounds
        if self.quiet:
            return
        now = time.monotonic()
        if self._rewrites:
            if now - self._said_at >= REWRITE_SECONDS or self.done == self.total:
                self._rewrite(self._line(now, seconds_left))
                self._said_at = now
            return
        tenths = 10 * self.done // self.total
        is_due = tenths > self._said_tenths and now - self._said_at >= SHORTEST_SECONDS
        if is_due or now - self._said_at >= LONGEST_SECONDS:
            print(self._line(now, seconds_left), file=self.stream, flush=True)
            self._said_at, self._said_tenths = now, tenths

    def say(self, message: str) -> None:
        """Print a line of its own, whatever `quiet` is."""
        self._clear()
        print(message, file=self.stream, flush=True)

    def close(self) -> None:
        """Leave the terminal at the beginning of an empty line."""
        self._clear()

    def _line(self, now: float, seconds_left: float | None) -> str:
        parts = [f"{self.done:>{len(str(self.total))}}/{self.total} runs", f"{self.done / self.total:4.0%}"]
        elapsed = now - self._start
        if self.rounds and elapsed > 0:
            parts.append(f"{per_second(self.rounds / elapsed)} rounds/s")
        if seconds_left is not None and self.done < self.total:
            parts.append(f"{clock(seconds_left)} left")
        if self.failed:
            parts.append(f"{self.failed} failed")
        return "  ".join(parts)

    def _rewrite(self, line: str) -> None:
        self.stream.write("\r" + line.ljust(self._width))
        self.stream.flush()
        self._width = len(line)

    def _clear(self) -> None:
        if self._width:
            self.stream.write("\r" + " " * self._width + "\r")
            self.stream.flush()
            self._width = 0


class Waiting(Progress):
    """Says what a command is doing that shows results, if it takes longer than a second or so.

    Parameters
    ----------
    stream : file, optional
        Default: standard error.
    """

    def __init__(self, stream: TextIO | None = None) -> None:
        super().__init__(0, stream=stream)
        self._said_at = -float("inf")

    def reading(self, total: int) -> None:
        """One more of ``total`` runs is being read."""
        self.done += 1
        pause = REWRITE_SECONDS if self._rewrites else READING_SECONDS
        if time.monotonic() - self._said_at >= pause:
            self.doing(f"reading {self.done} of {total} runs")

    def doing(self, what: str) -> None:
        """Something begins that may take a while."""
        now = time.monotonic()
        if now - self._start < PATIENCE_SECONDS:
            return
        self._said_at = now
        if self._rewrites:
            self._rewrite(what)
        else:
            print(what, file=self.stream, flush=True)


def per_second(rate: float) -> str:
    """A rate with a unit a person can read.

    Examples
    --------
    >>> per_second(1_940_000), per_second(512), per_second(3.2e9)
    ('1.9 M', '512', '3.2 G')
    """
    for size, unit in ((1e9, " G"), (1e6, " M"), (1e3, " k")):
        if rate >= size:
            return f"{rate / size:.1f}{unit}"
    return f"{rate:.0f}"


def clock(seconds: float) -> str:
    """Hours, minutes and seconds.

    Examples
    --------
    >>> clock(21.4), clock(3661)
    ('0:00:21', '1:01:01')
    """
    whole = round(seconds)
    return f"{whole // 3600}:{whole // 60 % 60:02d}:{whole % 60:02d}"


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
