"""Writes the log of a live session: a file of JSON lines that only grows.

Each line is an object whose last key, ``digest``, is a digest of the line and of the digest before it. So reading finds
any line that was changed, removed or inserted by hand, except whole lines that are missing at the end. A line is on the
disk before it is acknowledged. A process that is killed while it writes leaves an incomplete last line. It was not
acknowledged, and is removed when the log is opened again.
"""

import contextlib
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from duelbench.common import atomic, system
from duelbench.data.session_log import check_is_file, content_of, line_of
from duelbench.errors import InputError


def check_folder(path: Path) -> None:
    """Raise an `InputError` if the folder of a log does not exist."""
    if not path.parent.is_dir():
        raise InputError(f"{path}: there is no folder {path.parent} for the log; create it, or name another")


class SessionLog:
    """A log that is open for writing, and locked for other processes; use `create` or `open`."""

    def __init__(self, path: Path, flags: int) -> None:
        self.path = path
        self._place = path.absolute()
        self._file: int | None = None
        self._size, self._digest = 0, ""
        self.notes: list[str] = []  # on changes to the file while it was open
        try:
            self._file = os.open(path, os.O_RDWR | os.O_APPEND | system.AS_IT_IS | flags, 0o666)
        except OSError as error:
            raise InputError(f"{path}: the log cannot be written: {error.strerror or error}") from None
        try:
            is_ours = system.try_lock(self._file)
        except OSError as error:
            raise InputError(
                f"{path}: cannot be locked ({error.strerror or error}); keep the log on another disk"
            ) from None
        if not is_ours:
            self.close()
            raise InputError(f"{path}: this session is already open, here or in another process; close it there first")

    @classmethod
    def create(cls, path: Path, header: Mapping[str, Any]) -> "SessionLog":
        """Start a log with a first line; refuse a file that is not empty."""
        check_folder(path)
        log = cls(path, os.O_CREAT)
        try:
            if path.stat().st_size > 0:
                raise InputError(
                    f"{path}: exists already; continue it with Session.open if it is a log, or name another file"
                )
            log.append(header)
            atomic.sync_folder(path.parent)
        except BaseException:
            log.close()
            raise
        return log

    @classmethod
    def open(cls, path: Path) -> "tuple[SessionLog, list[dict[str, Any]], list[str]]":
        """Open an existing log, and return it, its events, and notes on what was repaired."""
        check_is_file(path)
        log = cls(path, 0)
        try:
            content = content_of(path)
            log._size, log._digest = content.size, content.digest
            if content.notes:
                os.truncate(path, content.size)
            if content.lacks_newline:
                log._write(b"\n")
            return log, content.lines, content.notes
        except BaseException:
            log.close()
            raise

    def append(self, event: Mapping[str, Any], durable: bool = True) -> None:
        """Add a line; wait until it is on the disk unless ``durable`` is False. An error leaves the log unchanged."""
        text, digest = line_of(event, self._digest)
        try:
            self._write(text.encode() + b"\n", durable)
        except OSError as error:
            raise InputError(
                f"{self.path}: cannot be written: {error.strerror or error}; this was not saved, and nothing saved"
                " earlier is lost"
            ) from None
        self._digest = digest

    def _write(self, data: bytes, durable: bool = True) -> None:
        assert self._file is not None
        file_status = os.fstat(self._file)
        if not self._place.exists():
            self._restore()
        elif not os.path.samestat(file_status, os.stat(self._place)):
            raise InputError(f"{self.path}: is another file now; this was not saved: put the log back to continue")
        elif file_status.st_size != self._size:
            raise InputError(f"{self.path}: another program has changed the file; this was not saved")
        try:
            remaining = data
            while remaining:
                # If the disk is nearly full, only a part may be written.
                remaining = remaining[os.write(self._file, remaining) :]
            if durable:
                os.fsync(self._file)
        except BaseException:  # Ctrl-C, too: remove the line, which was not acknowledged
            with contextlib.suppress(OSError):
                os.ftruncate(self._file, self._size)
            raise
        self._size += len(data)

    def _restore(self) -> None:
        """Write the log again after it was removed or moved: its content can still be read from the open file."""
        assert self._file is not None
        copy = self._place.with_name(f".{self._place.name}.restored")
        try:
            restored = os.open(copy, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_TRUNC | system.AS_IT_IS, 0o666)
            system.try_lock(restored)
            content = os.pread(self._file, self._size, 0)
            while content:
                content = content[os.write(restored, content) :]
            os.fsync(restored)
            copy.rename(self._place)
            atomic.sync_folder(self._place.parent)
        except OSError as error:
            raise InputError(
                f"{self.path}: was removed or moved, and cannot be written again: {error.strerror or error}; this was"
                " not saved: put it back to continue"
            ) from None
        os.close(self._file)
        self._file = restored
        self.notes.append(f"{self.path}: was removed or moved; all of it was written again")

    def read_again(self) -> list[dict[str, Any]]:
        """Read all events again, after an interrupted `append` that may or may not have written a line."""
        content = content_of(self._place)
        self._size, self._digest = content.size, content.digest
        return content.lines

    def close(self) -> None:
        """Close and unlock the file."""
        if self._file is not None:
            os.close(self._file)
            self._file = None

    def __del__(self) -> None:
        self.close()
