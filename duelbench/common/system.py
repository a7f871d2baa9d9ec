"""Files, signals, processes and terminals of a POSIX operating system."""

import contextlib
import fcntl
import os
import select
import signal
import subprocess
import termios
import tty
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, Any

AS_IT_IS = os.O_CLOEXEC
"""Flags to open a file that child processes do not inherit."""

WITHOUT_WAITING = AS_IT_IS | os.O_NONBLOCK
"""The same, without waiting for the writer of a pipe."""

# --- files ---


def user_cache() -> Path | None:
    """Return the folder of a user's caches; None if there is none."""
    configured = os.environ.get("XDG_CACHE_HOME", "")
    # Not Path.home(), which raises if a user has no home folder; a path that cannot be expanded starts with "~".
    cache = configured if os.path.isabs(configured) else os.path.join(os.path.expanduser("~"), ".cache")
    return Path(cache, "duelbench") if os.path.isabs(cache) else None


def lock(file: IO[bytes]) -> None:
    """Wait for the lock of a file, and hold it until the file is closed.

    Raises
    ------
    OSError
        On a file system without locks.
    """
    fcntl.flock(file, fcntl.LOCK_EX)


def try_lock(descriptor: int) -> bool:
    """Take the lock of an open file until it is closed; False if another process has it.

    Raises
    ------
    OSError
        On a file system without locks.
    """
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


# --- signals ---


def block_signals() -> Any:
    """Leave Ctrl-C and SIGTERM to other threads, or to the parent; return the signals that were blocked before.

    Child processes inherit the block.
    """
    return signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM})


# --- processes ---


def is_running(pid: int) -> bool:
    """Return whether there is a process with this number on this machine.

    Examples
    --------
    >>> is_running(os.getpid())
    True
    """
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        return True
    return True


def start_apart(command: Sequence[str], **options: Any) -> "subprocess.Popen[bytes]":
    """Start a process that Ctrl-C does not reach; `end_group` ends it with all processes that it started."""
    return subprocess.Popen(command, start_new_session=True, **options)


def end_group(process: "subprocess.Popen[bytes]") -> None:
    """End a process from `start_apart`, which was not waited for yet, and the processes that it started."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)


# --- terminals ---


@contextlib.contextmanager
def key_by_key(descriptor: int) -> Iterator[None]:
    """Inside the block, a terminal delivers each key at once and does not show it, also after a suspension."""
    before = termios.tcgetattr(descriptor)
    handler = signal.signal(signal.SIGCONT, lambda number, frame: tty.setcbreak(descriptor))
    tty.setcbreak(descriptor)
    try:
        yield
    finally:
        signal.signal(signal.SIGCONT, handler)
        termios.tcsetattr(descriptor, termios.TCSADRAIN, before)


def read_keys(descriptor: int, seconds: float | None = None) -> str | None:
    """Return the keys pressed on a terminal within `key_by_key`: a character, an escape sequence, or several at once.

    None if no key was pressed within ``seconds``, ``""`` if the terminal is gone.
    """
    if not select.select([descriptor], [], [], seconds)[0]:
        return None
    with contextlib.suppress(OSError):
        return os.read(descriptor, 64).decode(errors="replace")
    return ""
