"""The folder of a leaderboard: its data, the digests of all runs, and the page."""

import csv
import io
import json
from collections.abc import Sequence
from pathlib import Path

from duelbench.errors import InputError
from duelbench.leaderboard import building
from duelbench.leaderboard.page.document import page
from duelbench.leaderboard.summary import FILE, MAX_BYTES, Summary
from duelbench.results import atomic
from duelbench.results.experiments import Experiment

DIGESTS = "digests.csv"
PAGE = "index.html"

COLUMNS = ("experiment", "problem", "algorithm", "horizon", "run", "sha256")


def check_folder(folder: Path) -> None:
    """Whether a leaderboard can be written into a folder: where files of these names are not of one, they are kept.

    Raises
    ------
    InputError
        When it cannot.
    """
    if folder.exists() and not folder.is_dir():
        raise InputError(f"--output {folder}: a leaderboard is a folder, and this is a file")
    there = [name for name in (FILE, DIGESTS, PAGE) if (folder / name).exists()]
    if not there:
        return
    if not _is_leaderboard(folder / FILE):
        raise InputError(
            f"--output {folder}: {', '.join(there)} in it would be written over, and no {FILE} says that this folder"
            " holds a leaderboard; name another one"
        )


def _is_leaderboard(path: Path) -> bool:
    """Whether a file is a summary, of whatever version."""
    try:
        content = json.loads(atomic.read(path, MAX_BYTES))
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(content, dict) and {"format", "cells", "tables"} <= content.keys()


def write(folder: Path, summary: Summary, experiments: Sequence[Experiment]) -> list[Path]:
    """Write a leaderboard into a folder: the same bytes for the same results.

    Returns
    -------
    list of Path
        What was written.

    Raises
    ------
    InputError
        When it cannot be written.
    """
    files = {
        FILE: summary.encode(),
        DIGESTS: _digests(experiments),
        PAGE: page(summary.content()).encode(),
    }
    for name, data in files.items():
        atomic.write_asked(folder / name, data, f"--output {folder / name}:")
    return [folder / name for name in files]


def _digests(experiments: Sequence[Experiment]) -> bytes:
    lines = io.StringIO()
    table = csv.writer(lines, lineterminator="\n")
    table.writerow(COLUMNS)
    table.writerows(building.digests(experiments))
    return lines.getvalue().encode()
