"""Runs that failed: one JSON file each, so that they are seen again, tried again, and never taken for results."""

import contextlib
import json
from pathlib import Path
from typing import Any

from duelbench.algorithms import registry
from duelbench.experiment import atomic
from duelbench.experiment.cells import Cell
from duelbench.problem.scalar_bandit import ScalarBandit

FOLDER = "failures"

MAX_BYTES = 2**24
"""No larger record is read."""

MAX_LINE = 500
"""Longest error that is shown, in characters."""

MAX_TEXT = 100_000
"""Longest error or traceback that is kept, in characters: a plug-in may say anything."""


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
        "error": _shortened(error),
        "problem": cell.problem,
        "label": cell.label,
        "run": run,
        "seed": cell.identity.seed,
        "key": key,
        "identity": cell.identity.content(),
        "how_to_reproduce": reproduce(cell, run),
        "traceback": _shortened(trace),
    }
    atomic.write(path_of(folder, key), (json.dumps(content, indent=2) + "\n").encode())


def forget(folder: Path, key: str) -> None:
    """Remove the record of a run that has succeeded after all."""
    with contextlib.suppress(FileNotFoundError, NotADirectoryError):
        path_of(folder, key).unlink()


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
            content: Any = json.loads(atomic.read(path, MAX_BYTES))
            messages[path.stem] = one_line(str(content["error"]))
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
    if isinstance(cell.matrix, ScalarBandit):
        given = "".join(f", {name}={value!r}" for name, value in cell.matrix.parameters.items())
        bandit = f"duelbench.scalar_bandit({cell.matrix.means.tolist()!r}, {cell.matrix.decision.name!r}{given})"
        return f"import duelbench; P = {bandit}; duelbench.simulate({', '.join(arguments)})"
    matrix = f"P = duelbench.PreferenceMatrix.load({cell.matrix.source!r})" if cell.matrix.source else "P = ..."
    plug_ins = "".join(
        f"registry.load_plug_in({name!r}); "
        for name, ids in registry.named_plug_ins.items()
        if identity.algorithm in ids
    )
    if plug_ins:
        plug_ins = f"from duelbench.algorithms import registry; {plug_ins}"
    return f"import duelbench; {plug_ins}{matrix}; duelbench.simulate({', '.join(arguments)})"


def one_line(text: str) -> str:
    """Text on one line, without what would move a terminal's cursor, cut to a readable length.

    Examples
    --------
    >>> one_line("a\\x1b[2J\\n b")
    'a?[2J b'
    """
    line = " ".join(text.split())
    line = "".join(character if character.isprintable() else "?" for character in line)
    return line if len(line) <= MAX_LINE else line[: MAX_LINE - 4] + " ..."


def _shortened(text: str) -> str:
    return text if len(text) <= MAX_TEXT else f"{text[: MAX_TEXT // 2]} ... {text[-MAX_TEXT // 2 :]}"


def path_of(folder: Path, key: str) -> Path:
    """The record of a run in the experiment's folder, where it has one."""
    return folder / FOLDER / f"{key}.json"
