"""A few lines at the end of a terminal that are drawn again and again while something takes long, with Rich."""

import contextlib
import os
import sys
from collections.abc import Sequence
from typing import NamedTuple, TextIO

USUAL_SIZE = (80, 25)
"""Columns and lines of a terminal that does not say."""

MARGIN = 3
"""Columns that stay free on the right: the terminal writes ^C there when somebody presses it."""

MOST_TASKS = 8
LONGEST_BAR, TASK_BAR = 40, 10


class Task(NamedTuple):
    """What is done at this moment.

    what : str. Such as ``D-TS on mslr5``.
    share : float, optional. How much of it is done, in [0, 1].
    note : str. What stands behind the bar.
    """

    what: str
    share: float | None = None
    note: str = ""


class Frame(NamedTuple):
    """One picture of work that is going on.

    share : float, optional. Of the whole, in [0, 1].
    facts : sequence of str. Behind the bar, the most important first; what does not fit is left out.
    tasks : sequence of Task.
    """

    share: float | None
    facts: Sequence[str]
    tasks: Sequence[Task] = ()


class Display:
    """A region at the end of a terminal; Rich prints everything else that this process says above it."""

    def __init__(self, stream: TextIO) -> None:
        from rich.console import Console
        from rich.live import Live

        self._console = Console(file=stream, force_terminal=True, highlight=False, emoji=False)
        self._stream = stream
        self._live = Live(
            console=self._console,
            auto_refresh=False,
            transient=True,
            redirect_stderr=stream is sys.stderr,
            redirect_stdout=stream is sys.stderr is sys.stdout,
            vertical_overflow="crop",
        )
        self._live.start()
        self._console.show_cursor(True)  # a process that is killed leaves the terminal as it was

    def show(self, frame: Frame) -> None:
        """Draw another picture in the place of the last one."""
        from rich.console import ConsoleDimensions, Group
        from rich.progress_bar import ProgressBar
        from rich.table import Table
        from rich.text import Text

        with contextlib.suppress(OSError, ValueError):  # Rich would ask standard input, which may be no terminal
            columns, lines = os.get_terminal_size(self._stream.fileno())
            self._console.size = ConsoleDimensions((columns or USUAL_SIZE[0]) - MARGIN, lines or USUAL_SIZE[1])
        width = self._console.width
        facts = list(frame.facts)
        while facts and sum(2 + len(fact) for fact in facts) > width - TASK_BAR * (frame.share is not None):
            facts.pop()
        head = Table.grid(padding=(0, 2))
        head.add_column(max_width=LONGEST_BAR)
        head.add_column(no_wrap=True)
        words = "  ".join(facts)
        head.add_row(words) if frame.share is None else head.add_row(ProgressBar(1.0, frame.share), words)
        tasks = Table.grid(padding=(0, 2))
        tasks.add_column(no_wrap=True, overflow="ellipsis", max_width=width - TASK_BAR - 20)
        for what, share, note in frame.tasks[:MOST_TASKS]:
            bar = "" if share is None else ProgressBar(1.0, share, width=TASK_BAR)
            tasks.add_row(Text(f"  {what}"), bar, note)
        if (more := len(frame.tasks) - MOST_TASKS) > 0:
            tasks.add_row(f"  and {more} more")
        self._live.update(Group(head, tasks) if frame.tasks else head, refresh=True)

    def say(self, message: str) -> None:
        """Print a message above."""
        self._console.print(message, markup=False, soft_wrap=True)

    def close(self) -> None:
        """Remove the region; the cursor is left where it began."""
        self._live.stop()
