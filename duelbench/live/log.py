"""The log of a live session: a file of JSON lines to which lines are added, and nothing else ever happens.

Each line is an object, and its last key, ``digest``, is a digest of the line and of the digest of the line before. So a
line that was changed, left out or put in by hand is noticed, and so is the place; only whole lines that are missing at
the end cannot be. A line is on the disk before it is acknowledged. A process that is killed while it writes leaves a
torn last line, which holds nothing that was acknowledged, and is cut off when the log is opened again.
"""

import codecs
import contextlib
import hashlib
import json
import os
import weakref
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from duelbench import system
from duelbench.errors import InputError
from duelbench.results import atomic

MOST_BYTES = 2**31
"""A log is read as a whole."""

IN_USE = "another process has this session open; close it there first, or wait until it is done"

IN_USE_HERE = "this process has this session open already; go on with that one, or close it first"

_open: "weakref.WeakSet[Log]" = weakref.WeakSet()
"""The logs that this process has open for adding to them."""


def check_folder(path: Path) -> None:
    """Whether there is a folder for a log.

    Raises
    ------
    InputError
        When there is none.
    """
    if not path.parent.is_dir():
        raise InputError(f"{path}: there is no folder {path.parent} for the log; make it first, or name another")


class Log:
    """A log that is open for adding to it; nobody else can have it open so.

    Use `create` or `open`.

    Attributes
    ----------
    path : Path
    """

    def __init__(self, path: Path, file: int, size: int, digest: str) -> None:
        self.path = path
        self._file: int | None = file
        self._size = size
        self._digest = digest

    @classmethod
    def create(cls, path: Path, header: Mapping[str, Any]) -> "Log":
        """Begin a log with a first line, in a folder that is there.

        Raises
        ------
        InputError
            When there is a file of that name with something in it, or it cannot be written.
        """
        check_folder(path)
        try:
            file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | system.AS_IT_IS, 0o666)
        except OSError as error:
            raise InputError(f"{path}: the log cannot be written: {error.strerror or error}") from None
        log = cls(path, file, 0, "")
        try:
            log._take()
            if os.fstat(file).st_size > 0:
                raise InputError(
                    f"{path}: there is a log, or another file, already; go on with it by Session.open, or name another"
                )
            log.append(header)
            atomic.sync_folder(path.parent)
        except BaseException:
            log.close()
            raise
        return log

    @classmethod
    def open(cls, path: Path) -> tuple["Log", list[dict[str, Any]], list[str]]:
        """Go on with a log.

        Returns
        -------
        (Log, list of dict, list of str)
            The log, what its lines hold, and in words what had to be mended.

        Raises
        ------
        InputError
            Naming the file, and the line where there is one.
        """
        _check_is_file(path)
        try:
            file = os.open(path, os.O_RDWR | os.O_APPEND | system.AS_IT_IS)
        except OSError as error:
            raise InputError(f"{path}: the log cannot be written: {error.strerror or error}") from None
        log = cls(path, file, 0, "")
        try:
            log._take()
            content = _Content(path)
            log._size, log._digest = content.size, content.digest
            if content.size < content.size_found:
                os.ftruncate(file, content.size)
            if content.lacks_newline:
                log._write(b"\n")
            return log, content.lines, content.notes
        except BaseException:
            log.close()
            raise

    def _take(self) -> None:
        assert self._file is not None
        try:
            is_ours = system.try_lock(self._file)
        except OSError as error:
            raise InputError(
                f"{self.path}: cannot be locked ({error.strerror or error}); keep the log on another disk"
            ) from None
        if not is_ours:
            is_here = any(os.path.sameopenfile(log._file, self._file) for log in _open if log._file is not None)
            raise InputError(f"{self.path}: {IN_USE_HERE if is_here else IN_USE}")
        _open.add(self)

    def append(self, event: Mapping[str, Any], durable: bool = True) -> None:
        """Add a line; it is on the disk afterwards, unless ``durable`` is False. On an error the log is as before.

        Raises
        ------
        InputError
            When it cannot be written, or the file is not as it was left.
        """
        text, digest = _line(event, self._digest)
        try:
            self._write(text.encode() + b"\n", durable)
        except OSError as error:
            raise InputError(
                f"{self.path}: cannot be written: {error.strerror or error}; nothing of before is lost, but this was"
                " not taken"
            ) from None
        self._digest = digest

    def _write(self, data: bytes, durable: bool = True) -> None:
        if self._file is None:
            raise InputError(f"{self.path}: the session is closed; go on with it by Session.open")
        found = os.fstat(self._file)
        if found.st_nlink == 0:
            raise InputError(f"{self.path}: was removed while the session went on; this was not taken")
        if found.st_size != self._size:
            raise InputError(f"{self.path}: somebody else has changed the file; this was not taken")
        try:
            left = data
            while left:
                left = left[os.write(self._file, left) :]  # a disk that is nearly full takes a part
            if durable:
                os.fsync(self._file)
        except BaseException:  # Ctrl-C, too: what is not acknowledged is not there
            with contextlib.suppress(OSError):
                os.ftruncate(self._file, self._size)
            raise
        self._size += len(data)

    def read_again(self) -> list[dict[str, Any]]:
        """All lines, and where they end, as after an interruption of `append`: the line is there, or it is not.

        Raises
        ------
        InputError
            As `open`.
        """
        content = _Content(self.path)
        self._size, self._digest = content.size, content.digest
        return content.lines

    def close(self) -> None:
        """Let others have it."""
        if self._file is not None:
            os.close(self._file)
            self._file = None

    def __del__(self) -> None:
        self.close()


def read(path: Path) -> tuple[list[dict[str, Any]], list[str]]:
    """What the lines of a log hold, and notes; somebody may have it open, and nothing is changed.

    Raises
    ------
    InputError
        As `Log.open`.
    """
    _check_is_file(path)
    content = _Content(path)
    return content.lines, content.notes


class _Content:
    """What is in a file.

    Attributes
    ----------
    lines : list of dict
        Without their digests.
    notes : list of str
    digest : str
        Of the last line.
    size, size_found : int
        Bytes of whole lines, and of the file.
    lacks_newline : bool
        Whether the last line is whole but for its end.
    """

    def __init__(self, path: Path) -> None:
        try:
            if os.path.getsize(path) > MOST_BYTES:
                raise InputError(f"{path}: is larger than {MOST_BYTES:_} bytes, and so no log of a session")
            data = path.read_bytes()
        except OSError as error:
            raise InputError(f"{path}: cannot be read: {error.strerror or error}") from None
        self._path = path
        self.lines: list[dict[str, Any]] = []
        self.notes: list[str] = []
        self.digest = ""
        self.size = 0
        self.size_found = len(data)
        whole, newline, rest = data.rpartition(b"\n")
        for raw in whole.split(b"\n") if newline else []:
            self._take(raw)
            self.size += len(raw) + 1
        self.lacks_newline = False
        if rest and _is_object(rest):
            self._take(rest)
            self.size += len(rest)
            self.lacks_newline = True
        elif rest and self.lines:
            self.notes.append(
                f"{path}: line {len(self.lines) + 1} was torn when its process ended, and is left out; it holds nothing"
                " that was acknowledged"
            )
        if not self.lines:
            raise InputError(f"{path}: holds no whole first line, so that nothing was told yet; remove it and begin")

    def _take(self, raw: bytes) -> None:
        number = len(self.lines) + 1
        place = f"{self._path}: line {number}"
        event = _parsed(raw)
        if raw.startswith(codecs.BOM_UTF8) and isinstance(_parsed(raw.removeprefix(codecs.BOM_UTF8)), dict):
            raise InputError(
                f"{place} begins with a byte order mark, as some editors write it; save the file as UTF-8 without one,"
                " and the log is as it was"
            )
        if not raw.strip():
            raise InputError(f"{place} is blank, and no line of a session's log is; remove it")
        if raw.endswith(b"\r") and isinstance(event, dict):
            raise InputError(
                f"{place} ends with CR LF, as Git (core.autocrlf) or an editor writes lines; end all lines with LF"
                " again, as dos2unix does, and the log is as it was"
            )
        digest = event.pop("digest", None) if isinstance(event, dict) else None
        if digest is None:
            if number == 1:
                raise InputError(f"{place} is not the first line of a session's log")
            raise InputError(f"{place} is no line of a session's log; {self._mend(number)}")
        text, expected = _line(event, self.digest)
        if digest != expected or text.encode() != raw:
            raise InputError(
                f"{place} is not as it was written, or does not follow the line before: lines were changed, left out"
                f" or added by hand; {self._mend(number)}"
            )
        self.lines.append(event)
        self.digest = digest

    def _mend(self, number: int) -> str:
        if number == 1:
            return "take a copy of the file of before"
        return f"take a copy of the file of before, or keep the first {number - 1} lines, which are sound"


def _line(event: Mapping[str, Any], before: str) -> tuple[str, str]:
    """A line without its end, and its digest, given that of the line before."""
    text = json.dumps(event, ensure_ascii=False)
    digest = hashlib.sha256((before + text).encode()).hexdigest()[:16]
    return json.dumps({**event, "digest": digest}, ensure_ascii=False), digest


def _parsed(raw: bytes) -> Any:
    try:
        return json.loads(raw.decode())
    except (ValueError, RecursionError):
        return None


def _is_object(raw: bytes) -> bool:
    """Whether it is a whole object: a part of one never is."""
    return isinstance(_parsed(raw), dict)


def _check_is_file(path: Path) -> None:
    if not path.exists():
        raise InputError(f"{path}: there is no such log")
    if not path.is_file():
        raise InputError(f"{path}: is no file; a session's log is one")
