"""Records of failed runs: one JSON file each, so that runs are reported and tried again."""

import contextlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from duelbench.bandits.algorithms import registry
from duelbench.common import atomic
from duelbench.experiments.results.cells import Cell, run_file

FOLDER = "failures"

MAX_BYTES = 2**24
"""The size of the largest record that is read."""

MAX_LINE = 500
"""The length of the longest error that is shown, in characters."""

MAX_TEXT = 100_000
"""The maximum length of a recorded error or traceback, in characters; those of plug-ins can have any length."""


@dataclass(frozen=True)
class Record:
    """The record of a failed run: its error in one line, and its file."""

    error: str
    path: Path


def record(folder: Path, cell: Cell, run: int, error: str, traceback: str) -> None:
    """Record why a run (0-based) failed: ``error`` is one line, ``traceback`` can be empty. Raises `OSError`."""
    content = {
        "error": _shortened(error),
        "problem": cell.problem,
        "label": cell.label,
        "run": run,
        "seed": cell.identity.seed,
        "key": cell.identity.key(run),
        "identity": cell.identity.content(),
        "how_to_reproduce": reproduce(folder, cell, run),
        **({"traceback": _shortened(traceback).splitlines()} if traceback else {}),
    }
    atomic.write(_path(folder, cell, run), (json.dumps(content, indent=2) + "\n").encode())


def forget(folder: Path, cell: Cell, run: int, known: Mapping[str, Record]) -> None:
    """Remove the records of a run (0-based) that succeeded after all, and the folders that are empty then.

    ``known`` are the records of `read`: some may have another label, or no code of the plug-in.
    """
    keys = [identity.key(run) for identity in (cell.identity, replace(cell.identity, code=None))]
    for path in {_path(folder, cell, run), *(known[key].path for key in keys if key in known)}:
        with contextlib.suppress(OSError):  # the file is gone, or the folder is not empty
            path.unlink()
            while (path := path.parent) != folder:
                path.rmdir()


def read(folder: Path) -> dict[str, Record]:
    """Return the records in a results folder, by the keys of runs; an unreadable record becomes an unknown error."""
    records = {}
    for path in sorted((folder / FOLDER).rglob("*.json")):
        key, error = path.stem, "unknown error"
        with contextlib.suppress(OSError, ValueError, KeyError, TypeError, RecursionError):
            content: Any = json.loads(atomic.read(path, MAX_BYTES))
            key, error = str(content["key"]), one_line(str(content["error"]))
        records[key] = Record(error, path)
    return records


def reproduce(folder: Path, cell: Cell, run: int) -> str:
    """Return Python code that repeats a run of a cell from any folder, with the matrix in the manifest."""
    identity = cell.identity
    arguments = [
        repr(identity.algorithm),
        "P",
        f"horizon={identity.horizon}",
        f"seed={identity.seed}",
        f"run={run}",
        f"regret={identity.regret!r}",
        *(f"{name}={value!r}" for name, value in {"shuffle_arms": True, **identity.settings}.items()),
        *([f"checkpoints={tuple(cell.terms.checkpoints)!r}"] if "cut_at_checkpoints" in identity.settings else []),
        *(f"{name}={value!r}" for name, value in identity.parameters.items()),
    ]
    algorithm = identity.algorithm.partition(registry.UNTIL)[0]
    plug_ins = [name for name, ids in registry.named_plug_ins.items() if algorithm in ids]
    steps = [
        "from pathlib import Path",
        "import duelbench",
        "from duelbench.experiments.results.manifest import open_results",
        *(f"duelbench.load_plug_in({name!r})" for name in plug_ins),
        f"cells = open_results(Path({str(folder.absolute())!r})).cells",
        f"P = next(cell.matrix for cell in cells if cell.identity.matrix == {identity.matrix!r})",
        f"duelbench.simulate({', '.join(arguments)})",
    ]
    return "; ".join(steps)


def one_line(text: str, end: str = "") -> str:
    """Return text on one line without control characters, shortened to a readable length before its ``end``.

    Examples
    --------
    >>> one_line("a\\x1b[2J\\n b")
    'a?[2J b'
    """
    line, end = _printable(text), _printable(end)
    if end:
        end = f" {end[: MAX_LINE // 2]}"
    most = MAX_LINE - len(end)
    if len(line) > most:
        line = line[: most - 4] + " ..."
    return line + end


def _printable(text: str) -> str:
    return "".join(character if character.isprintable() else "?" for character in " ".join(text.split()))


def _shortened(text: str) -> str:
    return text if len(text) <= MAX_TEXT else f"{text[: MAX_TEXT // 2]} ... {text[-MAX_TEXT // 2 :]}"


def _path(folder: Path, cell: Cell, run: int) -> Path:
    return (folder / FOLDER / cell.folder / run_file(run)).with_suffix(".json")
