"""What systems do differently: files, signals, processes and terminals of Linux, macOS and Windows.

See docs/platforms.md. `mypy --platform win32` finds what Windows does not have.
"""

import contextlib
import errno
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, Any

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl
    import select
    import termios
    import tty

AS_IT_IS = sum(getattr(os, flag, 0) for flag in ("O_BINARY", "O_CLOEXEC"))
"""Flags to open a file: bytes without changes to ends of lines, and for this process alone."""

WITHOUT_WAITING = AS_IT_IS | getattr(os, "O_NONBLOCK", 0)
"""The same, without waiting for the writer of a pipe."""

# --- files ---


def path_from(path: Path, folder: Path) -> str:
    """A path as seen from a folder; absolute between two drives of Windows.

    Examples
    --------
    >>> path_from(Path("configs/a.yaml"), Path("results")).replace(os.sep, "/")
    '../configs/a.yaml'
    """
    try:
        return os.path.relpath(path, folder)
    except ValueError:
        return str(path.absolute())


def user_cache() -> Path | None:
    """The folder of a user's caches; None if there is none."""
    configured = os.environ.get("XDG_CACHE_HOME", "")
    # Not Path.home(), which raises where a user has no home folder; what cannot be expanded stays "~".
    cache = configured if os.path.isabs(configured) else os.path.join(os.path.expanduser("~"), ".cache")
    return Path(cache, "duelbench") if os.path.isabs(cache) else None


def lock(file: IO[bytes]) -> None:
    """Wait for the lock of a file, and hold it until the file is closed.

    Raises
    ------
    OSError
        On a file system without locks, and on Windows after ten seconds.
    """
    if sys.platform == "win32":
        msvcrt.locking(file.fileno(), msvcrt.LK_LOCK, 1)
    else:
        fcntl.flock(file, fcntl.LOCK_EX)


def try_lock(descriptor: int) -> bool:
    """Take the lock of an open file until it is closed; False where somebody else has it.

    Raises
    ------
    OSError
        On a file system without locks.
    """
    try:
        if sys.platform == "win32":
            os.lseek(descriptor, 2**40, os.SEEK_SET)  # behind the end: everybody can go on reading
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        else:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno in (errno.EAGAIN, errno.EACCES, errno.EDEADLK):
            return False
        raise
    return True


# --- signals ---


def block_signals() -> Any:
    """Leave Ctrl-C and SIGTERM to other threads, or to the parent; returns what was blocked before.

    Processes inherit it. Windows gives signals to the main thread only.
    """
    if sys.platform == "win32":
        return None
    return signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM})


# --- processes ---


def is_running(pid: int) -> bool:
    """Whether there is a process of that number on this machine; on Windows, where `os.kill` would end it, always.

    Examples
    --------
    >>> is_running(os.getpid())
    True
    """
    if sys.platform == "win32":
        return True
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        return True
    return True


def start_apart(command: Sequence[str], **options: Any) -> "subprocess.Popen[bytes]":
    """Start a process that Ctrl-C does not reach, and that `end_group` ends with all that it started."""
    if sys.platform == "win32":
        return subprocess.Popen(command, creationflags=subprocess.CREATE_NEW_PROCESS_GROUP, **options)
    return subprocess.Popen(command, start_new_session=True, **options)


def end_group(process: "subprocess.Popen[bytes]") -> None:
    """End a process of `start_apart` that was not waited for yet, and the processes that it started."""
    if sys.platform == "win32":
        subprocess.run(["taskkill", "/T", "/F", "/PID", str(process.pid)], capture_output=True, check=False)
    else:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)


# --- terminals ---


@contextlib.contextmanager
def key_by_key(descriptor: int) -> Iterator[None]:
    """Within it a terminal hands over each key at once, and does not show it; also after the process was stopped."""
    if sys.platform == "win32":
        yield
    else:
        before = termios.tcgetattr(descriptor)
        handler = signal.signal(signal.SIGCONT, lambda number, frame: tty.setcbreak(descriptor))
        tty.setcbreak(descriptor)
        try:
            yield
        finally:
            signal.signal(signal.SIGCONT, handler)
            termios.tcsetattr(descriptor, termios.TCSADRAIN, before)


def read_keys(descriptor: int, seconds: float | None = None) -> str | None:
    """What was pressed on a terminal within `key_by_key`: a character, a sequence of one, or several at once.

    None where nothing was pressed in that many seconds, ``""`` where the terminal is gone.
    """
    if sys.platform == "win32":
        return msvcrt.getwch() if seconds is None or msvcrt.kbhit() else None
    else:
        if not select.select([descriptor], [], [], seconds)[0]:
            return None
        with contextlib.suppress(OSError):
            return os.read(descriptor, 64).decode(errors="replace")
        return ""
