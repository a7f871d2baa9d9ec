"""Standard streams whose reader may leave: ``duelbench report results | head -1`` ends in peace, with its work done.

Python raises `BrokenPipeError` at whatever line happens to print next, and Typer makes exit code 1 of it. Here what
nobody reads is thrown away instead: the command goes on, writes the files it was asked for, and ends as it would have.

Standard output is the command's answer alone, which `say` prints. Whatever else is printed there while a command runs,
by a plug-in for example, goes to standard error.
"""

import contextlib
import io
import os
import sys
from collections.abc import Iterator
from typing import Any, TextIO

_answers: list[TextIO] = []
"""Where the answer of the command that runs goes."""


class _Pipe(io.FileIO):
    """A standard stream that takes what it is given also when nobody reads any more."""

    left = False
    """Whether the reader has left."""

    def write(self, data: Any) -> int:
        """Write bytes; where nobody reads them, they are gone."""
        try:
            return super().write(data)
        except BrokenPipeError:
            self.left = True
            return memoryview(data).nbytes


def open_streams() -> None:
    """Let standard output and error outlive their readers; closed ones (``2>&-``) are as good as `os.devnull`.

    Files must not get the number of a closed stream.
    """
    for descriptor in (0, 1, 2):
        try:
            os.fstat(descriptor)
        except OSError:
            opened = os.open(os.devnull, os.O_RDWR)  # gets the lowest free number
            os.set_inheritable(opened, True)
    answers = os.dup(1)
    os.dup2(2, 1)  # what compiled code prints
    sys.stdout = _patient(sys.stdout, answers)
    sys.stderr = _patient(sys.stderr, 2)


def _patient(stream: TextIO | None, descriptor: int) -> TextIO:
    """A text stream like ``stream`` on a `_Pipe`."""
    raw = _Pipe(descriptor, "w", closefd=False)
    if not isinstance(stream, io.TextIOWrapper):
        return io.TextIOWrapper(io.BufferedWriter(raw), line_buffering=descriptor == 2)
    stream.flush()
    return io.TextIOWrapper(
        io.BufferedWriter(raw),
        encoding=stream.encoding,
        errors="backslashreplace" if stream.errors == "strict" else stream.errors,  # a label never ends the command
        line_buffering=stream.line_buffering,
        write_through=stream.write_through,
    )


def is_read() -> bool:
    """Whether somebody may still read standard output.

    Examples
    --------
    >>> is_read()
    True
    """
    raw = getattr(getattr(_answer(), "buffer", None), "raw", None)
    return not (isinstance(raw, _Pipe) and raw.left)


@contextlib.contextmanager
def answering() -> Iterator[None]:
    """While a command runs, what is not said by `say` goes to standard error."""
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
    print(text, end=end, file=_answer(), flush=flush)


def _answer() -> TextIO:
    return _answers[-1] if _answers else sys.stdout
