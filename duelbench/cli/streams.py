"""Standard streams: `say` prints a command's result, and nothing else goes to standard output.

All other output, such as that of a plug-in, goes to standard error. If the reader of the output leaves early, as in
``duelbench report results | head -1``, the command goes on and writes its files.
"""

import contextlib
import io
import json
import os
import sys
from collections.abc import Iterator
from typing import Any, TextIO

_outputs: list[TextIO] = []
"""The streams for the results of commands; the last is that of the current command."""


class _Pipe(io.FileIO):
    """A standard stream that discards output after its reader has left."""

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
        except OSError:  # `os.open` takes the lowest free number, which no other file may get
            os.set_inheritable(os.open(os.devnull, os.O_RDWR), True)
    output = os.dup(1)
    os.dup2(2, 1)  # workers inherit it, and print to standard error
    sys.stdout = _outliving(sys.stdout, output)
    sys.stderr = _outliving(sys.stderr, 2)


def _outliving(stream: TextIO | None, descriptor: int) -> TextIO:
    """A text stream like ``stream``, on a `_Pipe`."""
    raw = io.BufferedWriter(_Pipe(descriptor, "w", closefd=False))
    is_line_buffered = descriptor == 2 or os.isatty(descriptor)
    encoding = getattr(stream, "encoding", None)
    return io.TextIOWrapper(raw, encoding, errors="backslashreplace", line_buffering=is_line_buffered)


@contextlib.contextmanager
def keeping_output_for_say() -> Iterator[None]:
    """Inside the block, send everything that `say` does not print to standard error."""
    _outputs.append(sys.stdout)
    try:
        with contextlib.redirect_stdout(sys.stderr):
            yield
    finally:
        _outputs.pop()


def say(text: str, end: str = "\n", flush: bool = False) -> None:
    """Print a part of the command's result.

    Examples
    --------
    >>> with keeping_output_for_say():
    ...     say("the result")
    the result
    """
    print(text, end=end, file=_outputs[-1] if _outputs else sys.stdout, flush=flush)


def say_json(content: Any) -> None:
    """Print the result of a command as JSON."""
    say(json.dumps(content, indent=2))
