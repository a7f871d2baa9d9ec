"""Kernels in plain Python, for runs so short that compiling takes longer than playing them.

Interpreted, a run takes about a hundred times as long as compiled, and has the same trace to the last bit: kernels only
use operations that Python and compiled code compute alike. Each thread has a setting of its own.
"""

import contextlib
import threading
import time
from collections.abc import Iterator

import numba
import numpy as np


class TimeIsUp(Exception):
    """Raised if interpreted kernels have used up their time."""


class _Thread(threading.local):
    """The time, by `time.monotonic`, until which this thread interprets kernels; None if it does not."""

    deadline: float | None = None


_here = _Thread()


@contextlib.contextmanager
def interpreted(seconds: float) -> Iterator[None]:
    """Make this thread call kernels as plain Python; the first call after ``seconds`` raises `TimeIsUp`.

    Examples
    --------
    >>> with interpreted(seconds=60.0):
    ...     is_interpreted()
    True
    """
    before, _here.deadline = _here.deadline, time.monotonic() + seconds
    try:
        with np.errstate(all="ignore"):  # compiled code does not warn either
            yield
    finally:
        _here.deadline = before


def is_interpreted() -> bool:
    """Return whether this thread interprets kernels, as all do with NUMBA_DISABLE_JIT=1, or raise `TimeIsUp`."""
    if _here.deadline is None:
        return bool(numba.config.DISABLE_JIT)
    if time.monotonic() > _here.deadline:
        raise TimeIsUp
    return True
