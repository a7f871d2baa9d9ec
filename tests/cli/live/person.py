"""Somebody at a terminal, for tests: waits for each prompt, then presses the next key."""

import fcntl
import os
import pty
import struct
import termios
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from tests.terminal import Screen


class Person:
    """Reads what is written to a terminal, and presses keys at it.

    Parameters
    ----------
    keys : sequence of str
        One for each prompt; after the last one only reads on.
    prompt : str
        What ends every prompt.
    columns : int
        Of the terminal.
    """

    def __init__(self, keys: Sequence[str], prompt: str = ": ", columns: int = 80) -> None:
        self._keys, self._prompt = list(keys), prompt
        self._master, self.terminal = pty.openpty()
        fcntl.ioctl(self.terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        self.heard = ""
        self.modes: list[Any] = []
        self._thread = threading.Thread(target=self._sit, daemon=True)

    def note_modes(self) -> None:
        """Note how the terminal is set up."""
        self.modes.append(termios.tcgetattr(self.terminal))

    @contextmanager
    def sitting(self) -> Iterator["Person"]:
        """Within it keys are pressed."""
        self._thread.start()
        try:
            yield self
        finally:
            os.close(self.terminal)
            self._thread.join(60)
            os.close(self._master)

    def _sit(self) -> None:
        seen = 0
        while True:
            try:
                data = os.read(self._master, 4096)
            except OSError:  # nobody has the terminal any more
                return
            if not data:
                return
            self.heard += data.decode(errors="replace")
            if self._keys and self.heard[seen:].endswith(self._prompt):
                seen = len(self.heard)
                self.press(self._keys.pop(0))

    def press(self, key: str) -> None:
        """Press a key, whatever stands on the screen."""
        os.write(self._master, key.encode())

    @property
    def lines(self) -> list[str]:
        """What stands on the screen."""
        return Screen().feed(self.heard.replace("\r\n", "\n")).lines()
