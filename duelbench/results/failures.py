"""Runs that failed: one JSON file each, so that they are reported, tried again, and never taken for results."""

import contextlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from duelbench.algorithms import registry
from duelbench.results import atomic
from duelbench.results.cells import Cell, run_file

FOLDER = "failures"

MAX_BYTES = 2**24
"""No larger record is read."""

MAX_LINE = 500
"""Longest error that is shown, in characters."""

MAX_TEXT = 100_000
"""Longest error or traceback that is recorded, in characters: a plug-in may say anything."""


@dataclass(frozen=True)
class Record:
    """A failure on record: the error in one line, and the file."""

    error: str
    path: Path


def record(folder: Path, cell: Cell, run: int, error: str, trace: str) -> None:
    """Write why a run (0-based) failed: ``error`` is one line, ``trace`` the traceback. An OSError if it cannot be."""
    key = cell.identity.key(run)
    content = {
        "error": _shortened(error),
        "problem": cell.problem,
        "label": cell.label,
        "run": run,
        "seed": cell.identity.seed,
        "key": key,
        "identity": cell.identity.content(),
        "how_to_reproduce": reproduce(folder, cell, run),
        **({"traceback": _shortened(trace).splitlines()} if trace else {}),
    }
    atomic.write(_path(folder, cell, run), (json.dumps(content, indent=2) + "\n").encode())


def forget(folder: Path, cell: Cell, run: int, known: Mapping[str, Record]) -> None:
    """Remove the records of a run (0-based) that has succeeded after all, and folders that this leaves empty.

    ``known`` is what `read` has found: the run's label may have been another, and the code of a plug-in.
    """
    identity = cell.identity
    keys = [one.key(run) for one in (identity, replace(identity, code=None))]
    for path in {_path(folder, cell, run), *(known[key].path for key in keys if key in known)}:
        with contextlib.suppress(OSError):  # not there; or a folder that is not empty
            path.unlink()
            while (path := path.parent) != folder:
                path.rmdir()


def read(folder: Path) -> dict[str, Record]:
    """The failures on record, by the runs' keys; one that cannot be read counts as an unknown error."""
    records = {}
    for path in sorted((folder / FOLDER).rglob("*.json")):
        key, error = path.stem, "unknown error"
        with contextlib.suppress(OSError, ValueError, KeyError, TypeError, RecursionError):
            content: Any = json.loads(atomic.read(path, MAX_BYTES))
            key, error = str(content["key"]), one_line(str(content["error"]))
        records[key] = Record(error, path)
    return records


def reproduce(folder: Path, cell: Cell, run: int) -> str:
    """Python that repeats a run of a cell, wherever it is started; its matrix is the manifest's."""
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
    plug_ins = [
        name for name, ids in registry.named_plug_ins.items() if identity.algorithm.partition(registry.UNTIL)[0] in ids
    ]
    steps = [
        "from pathlib import Path",
        "import duelbench",
        "from duelbench.results.manifest import open_results",
        *(f"duelbench.load_plug_in({name!r})" for name in plug_ins),
        f"cells = open_results(Path({str(folder.absolute())!r})).cells",
        f"P = next(cell.matrix for cell in cells if cell.identity.matrix == {identity.matrix!r})",
        f"duelbench.simulate({', '.join(arguments)})",
    ]
    return "; ".join(steps)


def one_line(text: str, end: str = "") -> str:
    """Text on one line, without what would move a terminal's cursor, cut to a readable length before its end.

    Examples
    --------
    >>> one_line("a\\x1b[2J\\n b")
    'a?[2J b'
    """
    line, at = ("".join(c if c.isprintable() else "?" for c in " ".join(part.split())) for part in (text, end))
    at = f" {at[: MAX_LINE // 2]}" if at else ""
    most = MAX_LINE - len(at)
    return (line if len(line) <= most else line[: most - 4] + " ...") + at


def _shortened(text: str) -> str:
    return text if len(text) <= MAX_TEXT else f"{text[: MAX_TEXT // 2]} ... {text[-MAX_TEXT // 2 :]}"


def _path(folder: Path, cell: Cell, run: int) -> Path:
    return (folder / FOLDER / cell.folder / run_file(run)).with_suffix(".json")
