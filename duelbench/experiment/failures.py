"""Runs that failed: one JSON file each, so that they are seen again, tried again, and never taken for results."""

import contextlib
import json
from pathlib import Path
from typing import Any

from duelbench.experiment import atomic
from duelbench.experiment.cells import Cell

FOLDER = "failures"


def record(folder: Path, cell: Cell, run: int, error: str, trace: str) -> None:
    """Write why a run failed to ``<folder>/failures/<key>.json``.

    Parameters
    ----------
    folder : Path
        The experiment's.
    cell : Cell
    run : int
        0-based.
    error : str
        One line.
    trace : str
        The traceback, or whatever else helps.

    Raises
    ------
    OSError
        When it cannot be written.
    """
    key = cell.identity.key(run)
    content = {
        "error": error,
        "problem": cell.problem,
        "label": cell.label,
        "run": run,
        "seed": cell.identity.seed,
        "key": key,
        "identity": cell.identity.content(),
        "how_to_reproduce": reproduce(cell, run),
        "traceback": trace,
    }
    atomic.write(_path(folder, key), (json.dumps(content, indent=2) + "\n").encode())


def forget(folder: Path, key: str) -> None:
    """Remove the record of a run that has succeeded after all."""
    with contextlib.suppress(FileNotFoundError, NotADirectoryError):
        _path(folder, key).unlink()


def read_messages(folder: Path) -> dict[str, str]:
    """The errors on record, by key; a record that cannot be read counts as an unknown error.

    Examples
    --------
    >>> read_messages(Path("no such folder"))
    {}
    """
    messages = {}
    for path in sorted((folder / FOLDER).glob("*.json")):
        try:
            content: Any = json.loads(path.read_bytes())
            messages[path.stem] = str(content["error"])
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            messages[path.stem] = "unknown error"
    return messages


def reproduce(cell: Cell, run: int) -> str:
    """Python that plays a run of a cell again."""
    identity = cell.identity
    arguments = [
        repr(identity.algorithm),
        "P",
        f"horizon={identity.horizon}",
        f"seed={identity.seed}",
        f"run={run}",
        f"regret={identity.regret!r}",
        f"shuffle_arms={identity.shuffle_arms}",
        f"feedback_delay={identity.feedback_delay}",
        *(f"{name}={value!r}" for name, value in identity.parameters.items()),
    ]
    matrix = f"P = duelbench.PreferenceMatrix.load({cell.matrix.source!r})" if cell.matrix.source else "P = ..."
    return f"import duelbench; {matrix}; duelbench.simulate({', '.join(arguments)})"


def _path(folder: Path, key: str) -> Path:
    return folder / FOLDER / f"{key}.json"
