"""What a person answers: keys of a terminal, or the lines of a script."""

import contextlib
import sys
from collections.abc import Iterator
from enum import Enum
from typing import TextIO

from duelbench import system

QUIET_SECONDS = 0.15
"""A key that comes so soon after another belongs to the question before; a key that is held answers nothing."""


class Answer(Enum):
    """What a person can answer."""

    FIRST = "1"
    SECOND = "2"
    TIE = "tie"
    SKIP = "skip"
    UNDO = "undo"
    KNOWN = "?"
    QUIT = "quit"


MEANING = {
    "1": Answer.FIRST,
    "left": Answer.FIRST,
    "\x1b[D": Answer.FIRST,
    "\x1bOD": Answer.FIRST,
    "2": Answer.SECOND,
    "right": Answer.SECOND,
    "\x1b[C": Answer.SECOND,
    "\x1bOC": Answer.SECOND,
    **{word: answer for answer in (Answer.TIE, Answer.SKIP, Answer.UNDO) for word in (answer.value[0], answer.value)},
    "?": Answer.KNOWN,
    "q": Answer.QUIT,
    "quit": Answer.QUIT,
    "\x04": Answer.QUIT,
}
"""Keys, what arrow keys send, and the words of a script; Ctrl-D ends like q."""

KEYS = "1 or left, 2 or right; t tie, s skip, u undo, ? what is known, q quit"


class Keyboard:
    """Reads one key, or one line, after each question.

    Parameters
    ----------
    stream : file, optional
        Default: standard input.
    screen : file, optional
        Where the question stands, and where what is not understood is said. Default: standard error.
    """

    def __init__(self, stream: TextIO | None = None, screen: TextIO | None = None) -> None:
        self.stream = stream or sys.stdin
        self.screen = screen or sys.stderr
        self.has_keys = self.stream.isatty() and self.screen.isatty()

    @contextlib.contextmanager
    def opened(self) -> Iterator["Keyboard"]:
        """Within it a terminal hands over each key at once."""
        with system.key_by_key(self.stream.fileno()) if self.has_keys else contextlib.nullcontext():
            yield self

    def answer(self, prompt: str) -> Answer:
        """The next answer; what is none is asked for again. The end of a script is `Answer.QUIT`."""
        while True:
            said = self._key(prompt) if self.has_keys else self._line(prompt)
            if said is None:
                return Answer.QUIT
            if said in MEANING:
                return MEANING[said]
            what = ascii(said) if self.has_keys else f"'{_printable(said)}'"
            self._print(f"{what} is no answer: {KEYS}\n")

    def _key(self, prompt: str) -> str | None:
        """What is pressed once the keys are quiet."""
        descriptor = self.stream.fileno()
        while system.read_keys(descriptor, QUIET_SECONDS):
            """These were pressed before the question could be read."""
        self._print(prompt)
        keys = system.read_keys(descriptor)
        self._print("\n")
        if not keys:
            return None
        return keys if keys.startswith("\x1b") else keys[0].lower()

    def _line(self, prompt: str) -> str | None:
        self._print(prompt)
        line = self.stream.readline()
        self._print("\n")
        return line.strip().lower() if line else None

    def _print(self, text: str) -> None:
        print(text, end="", file=self.screen, flush=True)


def _printable(text: str) -> str:
    return "".join(character if character.isprintable() else "?" for character in text)[:40]
