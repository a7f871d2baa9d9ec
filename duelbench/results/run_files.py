"""The files of an experiment's folder: which may hold runs, and where files in the way are moved."""

import contextlib
import os
import re
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path

from duelbench.results import failures
from duelbench.results.cells import run_file

DAMAGED = "damaged"
"""The folder of files that are not results."""

SET_ASIDE = "set-aside"
"""The folder of whole results that the spec does not ask for, named by their keys."""

_RUN_FILE = re.compile(r"run-(\d{5,9})\.npz")
_KEY_FILE = re.compile(r"[0-9a-f]{64}\.npz")


def number(name: str) -> int | None:
    """The run (0-based) of which a file has the name; None where it has that of none."""
    match = _RUN_FILE.fullmatch(name)
    return int(match.group(1)) if match and name == run_file(int(match.group(1))) else None


def all_of(folder: Path, without: Iterable[Path] = ()) -> Iterator[Path]:
    """All files of an experiment's folder that may hold runs, but for damaged ones and those in some folders."""
    left_out = set(without)
    for parent, folders, names in os.walk(folder):
        folders.sort()
        if Path(parent) == folder:
            folders[:] = sorted(set(folders) - {DAMAGED, failures.FOLDER})
        if Path(parent) not in left_out:
            yield from (
                Path(parent, name) for name in sorted(names) if _RUN_FILE.fullmatch(name) or _KEY_FILE.fullmatch(name)
            )


def aside(folder: Path, key: str) -> Path:
    """Where the whole result of that key is set aside in an experiment's folder."""
    return folder / SET_ASIDE / f"{key}.npz"


def put_away(path: Path, folder: Path) -> None:
    """Move a file that is not a result to the folder of such files."""
    move(path, _free_name(folder / DAMAGED / path.relative_to(folder)))


def move(path: Path, target: Path) -> None:
    """Move a file, which may be gone by now."""
    target.parent.mkdir(parents=True, exist_ok=True)
    with contextlib.suppress(FileNotFoundError):  # another invocation was faster
        shutil.move(path, target)


def remove(paths: Iterable[Path], top: Path) -> None:
    """Remove files, and the folders below ``top`` that they leave empty."""
    paths = list(paths)
    for path in paths:
        with contextlib.suppress(FileNotFoundError):
            path.unlink()
    for folder in {path.parent for path in paths}:
        with contextlib.suppress(OSError):  # not empty, or removed by another invocation
            while folder != top:
                folder.rmdir()
                folder = folder.parent


def _free_name(path: Path) -> Path:
    """``path``, or ``path`` with a number where something has that name already."""
    name, count = path, 1
    while os.path.lexists(name):
        count += 1
        name = path.with_name(f"{path.stem}-{count}{path.suffix}")
    return name
