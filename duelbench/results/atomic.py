"""Files that are either whole or absent: the one writer of the results folder."""

import contextlib
import errno
import os
import re
import stat
import time
import uuid
from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

from duelbench import system
from duelbench.errors import InputError

STALE_SECONDS = 24 * 3600.0
"""Temporary files older than this are swept even if a process of their number runs: numbers are used again."""

ATTEMPTS = 3
"""How often a file is written when its temporary file or its folder vanishes."""

WRITERS = 8
"""Threads that write files in the background. The disk is waited for, not the processor."""

MOST_WAITING = 2 * WRITERS
"""Files that may wait to be written."""

_TEMPORARY = re.compile(r"\.tmp-(\d+)-[0-9a-f]{32}")


def write(path: Path, data: bytes) -> None:
    """Put ``data`` at ``path`` so that a file of that name is always whole, whenever the process is killed.

    The data go to a temporary file in the same folder, to the disk, and only then to their name. Missing folders are
    made. After an `OSError` ``path`` is as it was, and no temporary file is left.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "new" / "notes.txt"
    ...     write(path, b"whole")
    ...     path.read_bytes(), len(list(path.parent.iterdir()))
    (b'whole', 1)
    """
    _put(path, data)
    sync_folder(path.parent)


def write_asked(path: Path, data: bytes, called: str) -> None:
    """Write a file that the user has asked for, as `write`; ``called`` begins the `InputError` if it cannot be."""
    try:
        write(path, data)
    except OSError as error:
        raise InputError(f"{called} cannot be written: {error.strerror or error}") from None


def _put(path: Path, data: bytes) -> None:
    for _ in range(ATTEMPTS - 1):
        # Another machine that shares the folder may sweep the temporary file, for it cannot see our processes, or
        # remove the folder while it is empty.
        with contextlib.suppress(FileNotFoundError):
            return _put_once(path, data)
        path.parent.mkdir(parents=True, exist_ok=True)
    _put_once(path, data)


def _put_once(path: Path, data: bytes) -> None:
    temporary = os.path.join(path.parent, f".tmp-{os.getpid()}-{uuid.uuid4().hex}")
    try:
        file = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | system.AS_IT_IS, 0o666)
        try:
            left = memoryview(data)
            while left:
                left = left[os.write(file, left) :]  # a disk that is nearly full takes a part
            os.fsync(file)
        finally:
            os.close(file)
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise


class Background:
    """Writes files as `write` does, several at once, while the caller goes on: short runs take less than the disk.

    Attributes
    ----------
    failed : dict of Path to OSError
        Files that could not be written, as far as that is known; all of them after `close`.
    """

    def __init__(self) -> None:
        self.failed: dict[Path, OSError] = {}
        self._threads = ThreadPoolExecutor(WRITERS)
        self._waiting: deque[tuple[Path, Future[None]]] = deque()
        self._folders: set[Path] = set()

    def write(self, path: Path, data: bytes) -> None:
        """Begin to write a file; the caller waits where `MOST_WAITING` others are not written yet."""
        self._settle(MOST_WAITING - 1)
        self._waiting.append((path, self._threads.submit(_put, path, data)))
        self._folders.add(path.parent)

    def close(self) -> None:
        """Wait until everything is written, and flush the folders."""
        self._settle(0)
        self._threads.shutdown()
        while self._folders:
            sync_folder(self._folders.pop())

    def _settle(self, most: int) -> None:
        """Wait until at most ``most`` files are not written."""
        while len(self._waiting) > most or (self._waiting and self._waiting[0][1].done()):
            path, written = self._waiting.popleft()
            try:
                written.result()
            except OSError as error:
                self.failed[path] = error


def read(path: Path | str, most: int) -> bytes:
    """The content of a regular file of at most ``most`` bytes; an `OSError` when it is something else or larger.

    Never waits, as one would for the writer of a pipe. By the system's calls, because plans read 10^5 files, and a file
    object takes as long as the reading.
    """
    file = os.open(path, os.O_RDONLY | system.WITHOUT_WAITING)
    try:
        status = os.fstat(file)
        if not stat.S_ISREG(status.st_mode):
            raise OSError(errno.EINVAL, "it is not a file" + " but a folder" * stat.S_ISDIR(status.st_mode), str(path))
        if status.st_size > most:
            raise OSError(errno.EFBIG, f"it has {status.st_size} bytes, too many", str(path))
        data = os.read(file, status.st_size)
        while len(data) < status.st_size and (more := os.read(file, status.st_size - len(data))):
            data += more
        return data
    finally:
        os.close(file)


def sweep(folder: Path) -> int:
    """Remove the temporary files that killed processes left in ``folder`` and below; return their number.

    A temporary file is left alone while the process that wrote it runs, for a day at most.
    """
    swept = 0
    for parent, _, names in os.walk(folder):
        for name in names:
            if match := _TEMPORARY.fullmatch(name):
                path = Path(parent, name)
                with contextlib.suppress(OSError):
                    is_old = time.time() - path.lstat().st_mtime > STALE_SECONDS
                    if is_old or not system.is_running(int(match.group(1))):
                        path.unlink()
                        swept += 1
    return swept


def sync_folder(folder: Path) -> None:
    """Make the new name itself durable, on file systems that can do so for folders."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
