"""How far a command is that makes a matrix: a bar on a terminal, elsewhere a line for every tenth and every minute."""

import os
import sys
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from duelbench.execution.display import Display

PATIENCE_SECONDS = 1.0
"""Nothing is said of what takes no longer."""

DRAWING_SECONDS = 0.5
LINE_SECONDS = 60.0


class Telling:
    """Says how far it is, on standard error."""

    def __init__(self) -> None:
        self._stream = sys.stderr
        self._is_terminal = self._stream.isatty() and os.environ.get("TERM") != "dumb"
        self._display: Display | None = None
        self._what = ""
        self._began = self._told = time.monotonic()
        self._first = self._told_share = 0.0

    def say(self, message: str) -> None:
        """Print a line of its own."""
        if self._display:
            self._display.say(message)
        else:
            print(message, file=self._stream, flush=True)

    def tell(self, what: str, share: float) -> None:
        """So much of something is done, in [0, 1]."""
        now = time.monotonic()
        if what != self._what:
            self._what, self._began, self._told, self._first, self._told_share = what, now, now, share, share
        if now - self._began < PATIENCE_SECONDS:
            return
        if self._is_terminal:
            if now - self._told >= DRAWING_SECONDS or self._display is None:
                self._draw(share, now)
        elif int(10 * share) > int(10 * self._told_share) or now - self._told >= LINE_SECONDS:
            self.say("  ".join(self._facts(share, now)))
            self._told, self._told_share = now, share

    def close(self) -> None:
        """Remove the bar."""
        if self._display:
            self._display.close()

    def _draw(self, share: float, now: float) -> None:
        from duelbench.execution.display import Display, Frame

        if self._display is None:
            self._display = Display(self._stream)
        self._display.show(Frame(share, self._facts(share, now)))
        self._told = now

    def _facts(self, share: float, now: float) -> list[str]:
        from duelbench.execution.progress import clock

        facts = [self._what, f"{share:.0%}"]
        if share > self._first:
            left = (now - self._began) / (share - self._first) * (1 - share)
            facts.append(f"~{clock(left)} left")
        return facts
