"""Finds the files of runs in an experiment's folder, and moves other files out of their places."""

import contextlib
import os
import re
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path

from duelbench.experiments.results import failures
from duelbench.experiments.results.cells import run_file

DAMAGED = "damaged"
"""The folder of damaged files."""

SET_ASIDE = "set-aside"
"""The folder of undamaged results that the spec does not contain, named by their keys."""

_RUN_FILE = re.compile(r"run-(\d{5,9})\.npz")
_KEY_FILE = re.compile(r"[0-9a-f]{64}\.npz")


def number(name: str) -> int | None:
    """Return the run (0-based) that a file name contains; None for other names."""
    match = _RUN_FILE.fullmatch(name)
    return int(match.group(1)) if match and name == run_file(int(match.group(1))) else None


def all_of(folder: Path, without: Iterable[Path] = ()) -> Iterator[Path]:
    """Yield all files in an experiment's folder that may be runs, except damaged ones and those in ``without``."""
    excluded = set(without)
    for parent, folders, names in os.walk(folder):
        folders.sort()
        if Path(parent) == folder:
            folders[:] = sorted(set(folders) - {DAMAGED, failures.FOLDER})
        if Path(parent) not in excluded:
            for name in sorted(names):
                if _RUN_FILE.fullmatch(name) or _KEY_FILE.fullmatch(name):
                    yield Path(parent, name)


def aside(folder: Path, key: str) -> Path:
    """Return the path at which an undamaged result is set aside in an experiment's folder."""
    return folder / SET_ASIDE / f"{key}.npz"


def put_away(path: Path, folder: Path) -> None:
    """Move a damaged file to the folder of damaged files, under a free name."""
    target = folder / DAMAGED / path.relative_to(folder)
    stem, count = target.stem, 1
    while os.path.lexists(target):
        count += 1
        target = target.with_name(f"{stem}-{count}{path.suffix}")
    move(path, target)


def move(path: Path, target: Path) -> None:
    """Move a file, unless another process has moved it."""
    target.parent.mkdir(parents=True, exist_ok=True)
    with contextlib.suppress(FileNotFoundError):
        shutil.move(path, target)


def remove(paths: Iterable[Path], top: Path) -> None:
    """Remove files, and the folders below ``top`` that are empty then."""
    paths = list(paths)
    for path in paths:
        with contextlib.suppress(FileNotFoundError):
            path.unlink()
    for folder in {path.parent for path in paths}:
        with contextlib.suppress(OSError):  # not empty, or removed by another process
            while folder != top:
                folder.rmdir()
                folder = folder.parent
