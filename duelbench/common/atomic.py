"""Writes files that are either complete or absent, such as all files in a results folder."""

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

from duelbench.common import system
from duelbench.errors import InputError

STALE_SECONDS = 24 * 3600.0
"""Older temporary files are removed even if a process with their number runs: systems reuse the numbers."""

ATTEMPTS = 3
"""How often a write is tried when its temporary file or its folder vanishes."""

WRITERS = 8
"""Threads that write files in the background; they wait for the disk."""

MOST_WAITING = 2 * WRITERS
"""Largest number of files that wait to be written."""

_TEMPORARY = re.compile(r"\.tmp-(\d+)-[0-9a-f]{32}")


def write(path: Path, data: bytes) -> None:
    """Write a file that is complete or absent, even if the process is killed meanwhile.

    The data are written to a temporary file in the same folder, flushed to the disk, and renamed. Missing folders are
    made. After an `OSError` the file is as it was before, and no temporary file is left.

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
    """Write a file as `write` does; if that fails, raise an `InputError` whose message starts with ``called``."""
    try:
        write(path, data)
    except OSError as error:
        raise InputError(f"{called} cannot be written: {error.strerror or error}") from None


def _put(path: Path, data: bytes) -> None:
    for _ in range(ATTEMPTS - 1):
        # Another machine that shares the folder may remove the temporary file, since it cannot see this process, or
        # the folder while that is empty.
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
                left = left[os.write(file, left) :]  # on a nearly full disk, only a part may be written
            os.fsync(file)
        finally:
            os.close(file)
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise


class Background:
    """Writes files as `write` does, in threads: a short run takes less time than writing its file.

    Attributes
    ----------
    failed : dict of Path to OSError
        Files that could not be written; complete after `close`.
    """

    def __init__(self) -> None:
        self.failed: dict[Path, OSError] = {}
        self._threads = ThreadPoolExecutor(WRITERS)
        self._waiting: deque[tuple[Path, Future[None]]] = deque()
        self._folders: set[Path] = set()

    def write(self, path: Path, data: bytes) -> None:
        """Start to write a file; first wait until fewer than `MOST_WAITING` others are unwritten."""
        self._settle(MOST_WAITING - 1)
        self._waiting.append((path, self._threads.submit(_put, path, data)))
        self._folders.add(path.parent)

    def close(self) -> None:
        """Wait until all files are written, and flush their folders."""
        self._settle(0)
        self._threads.shutdown()
        while self._folders:
            sync_folder(self._folders.pop())

    def _settle(self, most: int) -> None:
        """Wait until at most ``most`` files are unwritten."""
        while len(self._waiting) > most or (self._waiting and self._waiting[0][1].done()):
            path, future = self._waiting.popleft()
            try:
                future.result()
            except OSError as error:
                self.failed[path] = error


def read(path: Path | str, most: int) -> bytes:
    """Return the content of a regular file; raise an `OSError` for anything else, or for more than ``most`` bytes.

    It uses system calls: a plan reads 10^5 files, and creating a file object takes as long as reading the file. It does
    not wait for the writer of a pipe.
    """
    file = os.open(path, os.O_RDONLY | system.WITHOUT_WAITING)
    try:
        status = os.fstat(file)
        if not stat.S_ISREG(status.st_mode):
            reason = "it is not a file but a folder" if stat.S_ISDIR(status.st_mode) else "it is not a file"
            raise OSError(errno.EINVAL, reason, str(path))
        if status.st_size > most:
            raise OSError(errno.EFBIG, f"it has {status.st_size} bytes, too many", str(path))
        data = os.read(file, status.st_size)
        while len(data) < status.st_size and (more := os.read(file, status.st_size - len(data))):
            data += more
        return data
    finally:
        os.close(file)


def sweep(folder: Path) -> int:
    """Remove the temporary files of killed processes in ``folder`` and below; return how many.

    The temporary files of running processes stay, for a day at most.
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
    """Flush the names of new files to the disk, if the file system can do that for a folder."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
