"""Standard streams whose reader may leave: ``duelbench report results | head -1`` ends in peace, with its work done.

Python raises `BrokenPipeError` at whatever line happens to print next, and Typer makes exit code 1 of it. Here what
nobody reads is thrown away instead: the command goes on, writes the files it was asked for, and ends as it would have.
"""

import io
import os
import sys
from typing import Any, TextIO


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
    sys.stdout = _patient(sys.stdout, 1)
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
        errors=stream.errors,
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
    raw = getattr(getattr(sys.stdout, "buffer", None), "raw", None)
    return not (isinstance(raw, _Pipe) and raw.left)
