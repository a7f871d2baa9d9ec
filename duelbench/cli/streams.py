"""Standard streams: `say` prints a command's answer, the one thing that goes to standard output.

What else is printed while a command runs, by a plug-in say, goes to standard error. A reader that leaves, as in
``duelbench report results | head -1``, does not end the command: it still writes the files that it was asked for.
"""

import contextlib
import io
import json
import os
import sys
from collections.abc import Iterator
from typing import Any, TextIO

_answers: list[TextIO] = []
"""Where the answer of the current command goes."""


class _Pipe(io.FileIO):
    """A standard stream; what nobody reads is discarded."""

    def write(self, data: Any) -> int:
        try:
            return super().write(data)
        except BrokenPipeError:
            return memoryview(data).nbytes


def open_streams() -> None:
    """Let standard output and error outlive their readers; closed ones (``2>&-``) become `os.devnull`."""
    for descriptor in (0, 1, 2):
        try:
            os.fstat(descriptor)
        except OSError:  # the lowest free number, which no other file may get
            os.set_inheritable(os.open(os.devnull, os.O_RDWR), True)
    answers = os.dup(1)
    os.dup2(2, 1)  # what workers print, which inherit it
    sys.stdout = _lasting(sys.stdout, answers)
    sys.stderr = _lasting(sys.stderr, 2)


def _lasting(stream: TextIO | None, descriptor: int) -> TextIO:
    """A text stream on a `_Pipe`, otherwise like ``stream``."""
    raw = io.BufferedWriter(_Pipe(descriptor, "w", closefd=False))
    is_line_buffered = descriptor == 2 or os.isatty(descriptor)
    encoding = getattr(stream, "encoding", None)
    return io.TextIOWrapper(raw, encoding, errors="backslashreplace", line_buffering=is_line_buffered)


@contextlib.contextmanager
def answering() -> Iterator[None]:
    """While a command runs, what is not printed by `say` goes to standard error."""
    _answers.append(sys.stdout)
    try:
        with contextlib.redirect_stdout(sys.stderr):
            yield
    finally:
        _answers.pop()


def say(text: str, end: str = "\n", flush: bool = False) -> None:
    """Print a part of the command's answer.

    Examples
    --------
    >>> with answering():
    ...     say("the answer")
    the answer
    """
    print(text, end=end, file=_answers[-1] if _answers else sys.stdout, flush=flush)


def say_json(content: Any) -> None:
    """Print the answer of ``--json``."""
    say(json.dumps(content, indent=2))
