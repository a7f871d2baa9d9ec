"""What a terminal shows of work that takes a while: a few lines that are drawn again and again, in the same place.

Rich draws them, and prints everything else that this process says above them. The cursor stays visible, so that a
process that is killed leaves nothing behind that must be mended.
"""

import contextlib
import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple, TextIO

if TYPE_CHECKING:
    from rich.text import Text

USUAL_SIZE = (80, 25)
"""Columns and lines of a terminal that does not say."""

MARGIN = 3
"""Columns that stay free on the right: the terminal writes ^C there when somebody presses it."""

MOST_TASKS = 8
"""Lines for what is done at this moment."""

SHORTEST_BAR, LONGEST_BAR, TASK_BAR = 10, 40, 10
"""Columns of the bar of the whole, and of that of a task."""


class Task(NamedTuple):
    """What is done at this moment.

    what : str. Such as ``D-TS on mslr5``; or all there is to say.
    share : float, optional. How much of it is done, in [0, 1].
    note : str. What stands behind the bar.
    """

    what: str
    share: float | None = None
    note: str = ""


class Frame(NamedTuple):
    """One picture of work that is going on.

    share : float, optional. Of the whole, in [0, 1].
    facts : sequence of str. Behind the bar, as many as fit; the first are the most important ones.
    tasks : sequence of Task.
    """

    share: float | None
    facts: Sequence[str]
    tasks: Sequence[Task] = ()


class Display:
    """A region at the end of a terminal.

    Parameters
    ----------
    stream : file
        The terminal.
    """

    def __init__(self, stream: TextIO) -> None:
        from rich.console import Console
        from rich.live import Live

        self._console = Console(file=stream, force_terminal=True, highlight=False, emoji=False)
        self._stream = stream
        # Within a command, standard output is standard error; in a program it is none of ours.
        self._live = Live(
            console=self._console,
            auto_refresh=False,
            transient=True,
            redirect_stderr=stream is sys.stderr,
            redirect_stdout=stream is sys.stderr is sys.stdout,
            vertical_overflow="crop",
        )
        self._live.start()
        self._console.show_cursor(True)

    def show(self, frame: Frame) -> None:
        """Draw another picture in the place of the last one."""
        from rich.text import Text

        self._measure()
        lines = lines_of(frame, self._console.width - MARGIN, self._console.options.ascii_only)
        self._live.update(Text("\n").join(lines), refresh=True)

    def say(self, message: str) -> None:
        """Print a message above."""
        self._console.print(message, markup=False, soft_wrap=True)

    def _measure(self) -> None:
        """Learn how large this terminal is now; Rich would ask standard input, which may be none."""
        from rich.console import ConsoleDimensions

        with contextlib.suppress(OSError, ValueError):
            columns, lines = os.get_terminal_size(self._stream.fileno())
            self._console.size = ConsoleDimensions(columns or USUAL_SIZE[0], lines or USUAL_SIZE[1])

    def close(self) -> None:
        """Remove the region; the cursor is left where it began."""
        self._live.stop()


def lines_of(frame: Frame, width: int, ascii_only: bool = False) -> "list[Text]":
    """A picture as lines of at most ``width`` columns; what does not fit is left out, words are never cut.

    Examples
    --------
    >>> frame = Frame(0.5, ["50%", "1/2 runs", "3.1 k rounds/s"], [Task("RUCB on cyclic", 0.25, "1/4 runs")])
    >>> for line in lines_of(frame, 40, ascii_only=True):
    ...     print(line.plain)
    ############-------------  50%  1/2 runs
      RUCB on cyclic  ##--------  1/4 runs
    """
    shown = list(frame.tasks[:MOST_TASKS])
    more = len(frame.tasks) - len(shown)
    bars = [task for task in shown if task.share is not None]
    note = max((len(task.note) for task in bars), default=0)
    room = width - 2 - (2 + TASK_BAR) - (2 + note)
    name = min(max((len(task.what) for task in bars), default=0), room)
    tasks = [_task_line(task, name, width, ascii_only) for task in shown]
    return [_head(frame, width, ascii_only), *tasks, *([_cut(f"  and {more} more", width)] if more > 0 else [])]


def _head(frame: Frame, width: int, ascii_only: bool) -> "Text":
    from rich.text import Text

    facts = list(frame.facts)
    while facts and (frame.share is not None) * SHORTEST_BAR + sum(2 + len(fact) for fact in facts) > width:
        facts.pop()
    words = "".join(f"  {fact}" for fact in facts)
    if frame.share is None:
        return Text(words.strip())
    return _bar(frame.share, min(width - len(words), LONGEST_BAR), ascii_only).append(words)


def _task_line(task: Task, name: int, width: int, ascii_only: bool) -> "Text":
    from rich.text import Text

    if task.share is None:
        return _cut(f"  {task.what}", width)
    what = _cut(task.what, name)
    what.pad_right(name - len(what.plain))
    return Text("  ").append(what).append("  ").append(_bar(task.share, TASK_BAR, ascii_only)).append(f"  {task.note}")


def _bar(share: float, width: int, ascii_only: bool) -> "Text":
    """A bar that reads without colours, too."""
    from rich.text import Text

    full, rest = (
        ("#", "-") if ascii_only else ("\N{BOX DRAWINGS HEAVY HORIZONTAL}", "\N{BOX DRAWINGS LIGHT HORIZONTAL}")
    )
    done = int(width * min(max(share, 0.0), 1.0))
    return Text(full * done, "cyan").append(rest * (width - done), "bright_black")


def _cut(text: str, width: int) -> "Text":
    """At most so many columns of a text, with dots where there was more."""
    from rich.text import Text

    whole = Text(text, no_wrap=True)
    whole.truncate(max(width, 1), overflow="ellipsis")
    return whole
