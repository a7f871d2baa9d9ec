"""Files that are whole or not there: the one writer of the results folder."""

import contextlib
import errno
import os
import re
import stat
import time
import uuid
from collections.abc import Iterator
from pathlib import Path

STALE_SECONDS = 24 * 3600.0
"""Temporary files older than this are swept even if a process of their number runs: numbers are used again."""

ATTEMPTS = 3
"""How often a file is written when its temporary file or its folder vanishes."""

_TEMPORARY = re.compile(r"\.tmp-(\d+)-[0-9a-f]{32}")


def write(path: Path, data: bytes) -> None:
    """Put ``data`` at ``path`` so that a file of that name is always whole, whenever the process is killed.

    The data go to a temporary file in the same folder, to the disk, and only then to their name. Missing folders are
    made. What was at ``path`` before stays until it is replaced.

    Parameters
    ----------
    path : Path
    data : bytes

    Raises
    ------
    OSError
        When the data cannot be written; ``path`` is as it was before, and no temporary file is left.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "new" / "notes.txt"
    ...     write(path, b"whole")
    ...     path.read_bytes(), len(list(path.parent.iterdir()))
    (b'whole', 1)
    """
    for _ in range(ATTEMPTS - 1):
        # Another machine that shares the folder may sweep the temporary file, for it cannot see our processes, or
        # remove the folder while it is empty.
        with contextlib.suppress(FileNotFoundError):
            return _write(path, data)
    _write(path, data)


def _write(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.parent / f".tmp-{os.getpid()}-{uuid.uuid4().hex}"
    try:
        with open(temporary, "xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise
    _sync_folder(path.parent)


def read(path: Path, most: int) -> bytes:
    """The content of a regular file of at most so many bytes; never waits, as one would for the writer of a pipe.

    Raises
    ------
    OSError
        When it is something else, larger, or cannot be read.

    Examples
    --------
    >>> read(Path("/dev/null"), most=10)
    Traceback (most recent call last):
    ...
    OSError: [Errno 22] it is not a file: '/dev/null'
    """
    with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode):
            raise OSError(errno.EINVAL, "it is not a file", str(path))
        if status.st_size > most:
            raise OSError(errno.EFBIG, f"it has {status.st_size} bytes", str(path))
        return file.read(status.st_size)


def sweep(folder: Path) -> int:
    """Remove the temporary files that killed processes left in ``folder`` and below; return their number.

    A temporary file is left alone while the process that wrote it runs, for a day at most.

    Examples
    --------
    >>> sweep(Path("no such folder"))
    0
    """
    swept = 0
    for path in _temporary_files(folder):
        with contextlib.suppress(OSError):
            if _is_stale(path):
                path.unlink()
                swept += 1
    return swept


def _temporary_files(folder: Path) -> Iterator[Path]:
    for parent, _, names in os.walk(folder):
        for name in names:
            if _TEMPORARY.fullmatch(name):
                yield Path(parent, name)


def _is_stale(path: Path) -> bool:
    match = _TEMPORARY.fullmatch(path.name)
    assert match is not None
    is_old = time.time() - path.lstat().st_mtime > STALE_SECONDS
    return is_old or not _is_running(int(match.group(1)))


def _is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        return True
    return True


def _sync_folder(folder: Path) -> None:
    """Make the new name itself durable, on file systems that can do so for folders."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
