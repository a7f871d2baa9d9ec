"""Kernels in plain Python: for runs so short that compiling would take longer than playing them.

Interpreted, a run takes some hundred times as long as compiled and has the same trace to the last bit: kernels use what
Python and compiled code compute alike, and nothing else. Which way is taken is each thread's own affair.
"""

import contextlib
import threading
import time
from collections.abc import Iterator

import numba
import numpy as np


class TimeIsUp(Exception):
    """What is interpreted has taken as long as it may."""


class _Thread(threading.local):
    """Until when this thread interprets kernels, by `time.monotonic`; None where it does not."""

    deadline: float | None = None


_here = _Thread()


@contextlib.contextmanager
def interpreted(seconds: float) -> Iterator[None]:
    """Within it, this thread calls kernels as plain Python; the first after ``seconds`` raises `TimeIsUp`.

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
    """Whether this thread calls kernels as plain Python, as all do under NUMBA_DISABLE_JIT=1; or `TimeIsUp`."""
    if _here.deadline is None:
        return bool(numba.config.DISABLE_JIT)
    if time.monotonic() > _here.deadline:
        raise TimeIsUp
    return True
