"""The files that third-party code opens or imports while it runs, such as a table of weights beside it.

Import statements are read from the code (`duelbench.bandits.third_party`). Everything else is known only once the code
has run: an audit hook records it in the processes that duelbench starts for such code, and the names are kept in the
user's cache. Only files in the folder of the code count; environment variables do not.
"""

import contextlib
import importlib.util
import json
import os
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from duelbench.common import system

FOLDER = "opened-files"
"""The folder in the user's cache where names are kept, in a file for each digest of sources."""

kept: dict[str, tuple[str, ...]] = {}
"""The names that this process uses, by digest of sources; a worker gets those of the process that started it."""

_opened: set[str] = set()
_written: set[str] = set()
_is_recording = False


def record() -> None:
    """Record which files this process opens from now on. Call it only in a process that duelbench has started."""
    global _is_recording
    if not _is_recording:
        _is_recording = True
        sys.addaudithook(_hook)


def _hook(event: str, arguments: tuple[Any, ...]) -> None:
    """Note an opened file. Imports open files, too: the source, or what Python has compiled of it."""
    if event != "open" or not isinstance(arguments[0], (str, bytes)):
        return
    path, mode, flags = arguments
    is_writing = any(letter in mode for letter in "wax") if mode else bool(flags & (os.O_WRONLY | os.O_CREAT))
    (_written if is_writing else _opened).add(os.path.abspath(os.fsdecode(path)))


def count() -> int:
    """How many files this process has opened since it records them."""
    return len(_opened)


def opened_in(folder: Path) -> set[Path]:
    """The files in a folder that were opened for reading and not written by this process."""
    files = set()
    for name in _opened - _written:
        path = Path(name)
        if path.parent.name == "__pycache__":
            if path.suffix != ".pyc":
                continue
            path = Path(importlib.util.source_from_cache(path))
        if path.is_relative_to(folder) and path.is_file():
            files.add(path)
    return files


def names(sources: str) -> tuple[str, ...]:
    """The names that are kept for a digest of sources; paths relative to the folder of these sources.

    They stay the same as long as this process lives, so that all its results depend on the same files.
    """
    if sources not in kept:
        file = _file(sources)
        try:
            kept[sources] = tuple(json.loads(file.read_text(encoding="utf-8"))) if file else ()
        except (OSError, ValueError):
            kept[sources] = ()
    return kept[sources]


def are_known(sources: str) -> bool:
    """Whether code with these sources has run before, in a process that recorded what it opened."""
    file = _file(sources)
    return bool(names(sources)) or (file is not None and file.exists())


def keep(sources: str, new: Iterable[str]) -> tuple[str, ...]:
    """Add names to those in the cache, for processes that start later; return all of them."""
    file = _file(sources)
    together = tuple(sorted({*names(sources), *new}))
    if file is not None:
        with contextlib.suppress(OSError):  # a cache that cannot be written
            file.parent.mkdir(parents=True, exist_ok=True)
            temporary = file.with_suffix(f".{os.getpid()}")
            temporary.write_text(json.dumps(together), encoding="utf-8")
            temporary.replace(file)
    return together


def _file(sources: str) -> Path | None:
    cache = system.user_cache()
    return None if cache is None else cache / FOLDER / f"{sources}.json"
