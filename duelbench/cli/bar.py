"""Shows progress on standard error: a bar on a terminal, elsewhere a line for each tenth or each minute."""

import time

SHORTEST_SECONDS, LONGEST_SECONDS = 1.0, 60.0
"""Shortest and longest time between two lines if there is no bar."""


class Bar:
    """Shows the progress of a command's stages."""

    def __init__(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

        self._console = Console(stderr=True, markup=False, highlight=False, emoji=False, soft_wrap=True)
        self._is_shown = self._console.is_terminal and not self._console.is_dumb_terminal
        columns = (
            BarColumn(),
            TextColumn("{task.description}", markup=False),
            TimeElapsedColumn(),
            TimeRemainingColumn(),
        )
        self._progress = Progress(*columns, console=self._console, transient=True, disable=not self._is_shown)
        self._task = self._progress.add_task("")
        self._stage, self._tenths, self._printed_at = "", 0, 0.0

    def say(self, message: str) -> None:
        """Print a message on a separate line."""
        self._console.print(message)

    def show(self, stage: str, text: str, share: float | None) -> None:
        """Show ``text`` for a stage; ``share``, in [0, 1], is the part that is done, or None if that is unknown."""
        now, tenths = time.monotonic(), int(10 * (share or 0))
        if stage != self._stage:
            self._stage, self._tenths, self._printed_at = stage, tenths, now
            self._progress.reset(self._task, total=None if share is None else 1.0)
            self._progress.start()
            if self._is_shown:
                self._console.show_cursor(True)  # so that a killed process leaves the terminal as it was
        self._progress.update(self._task, description=text, completed=share or 0)
        pause = SHORTEST_SECONDS if tenths > self._tenths else LONGEST_SECONDS
        if not self._is_shown and now - self._printed_at > pause:
            self._tenths, self._printed_at = tenths, now
            self.say(text)

    def close(self) -> None:
        """Remove the bar."""
        self._progress.stop()
