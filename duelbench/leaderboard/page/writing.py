"""The folder of a leaderboard: its data, the digests of all runs, and the page."""

import csv
import io
from collections.abc import Sequence
from pathlib import Path

from duelbench.errors import InputError
from duelbench.leaderboard.page.document import page
from duelbench.leaderboard.summary import FILE, Summary
from duelbench.results import atomic
from duelbench.results.experiments import Experiment

DIGESTS = "digests.csv"
PAGE = "index.html"


def check_folder(folder: Path) -> None:
    """Check that a leaderboard can be written into a folder."""
    if folder.exists() and not folder.is_dir():
        raise InputError(f"{folder}: a leaderboard is a folder, and this is a file")


def write(folder: Path, summary: Summary, experiments: Sequence[Experiment]) -> list[Path]:
    """Write a leaderboard into a folder: the same bytes for the same results. Returns what was written."""
    files = {FILE: summary.encode(), DIGESTS: _digests(experiments), PAGE: page(summary.content()).encode()}
    for name, data in files.items():
        atomic.write_asked(folder / name, data, f"{folder / name}:")
    return [folder / name for name in files]


def _digests(experiments: Sequence[Experiment]) -> bytes:
    """A line with the SHA-256 of the arrays of every run (0-based), as CSV."""
    lines = io.StringIO()
    table = csv.writer(lines, lineterminator="\n")
    table.writerow(("experiment", "problem", "algorithm", "horizon", "run", "sha256"))
    for experiment in sorted(experiments, key=lambda one: one.name):
        for loaded in experiment.cells:
            stored = loaded.stored
            for run, digest in zip(loaded.indices.tolist(), loaded.digests, strict=True):
                table.writerow((experiment.name, stored.problem, stored.label, stored.horizon, run, digest))
    return lines.getvalue().encode()
