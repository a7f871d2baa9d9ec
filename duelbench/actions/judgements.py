"""Collections of judged documents, read from files of any size and kept for the next time.

What is kept is small: two bytes for each document and ranker, one for each grade. It lies in a folder of the user's
cache, which is known by the files' paths, sizes and times, and may be deleted at any time; while it is made, what is
there already is not read again by the next command. The arrays are used where they lie, and not loaded.
"""

import hashlib
import json
import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from duelbench.errors import InputError
from duelbench.kernels.decorators import user_cache
from duelbench.rankings.collection import Collection
from duelbench.rankings.reading import Index, blocks, read_block, read_scores, scan
from duelbench.results import atomic

FORMAT = 1
"""Of what is kept; raised when it, or how files are read, changes."""

SCORES_KEY = 2**31
"""The keys of rankers with scores of their own begin here."""


class Judgements(NamedTuple):
    """A collection, and where it comes from.

    collection : Collection
    sha256 : dict of str to str. Of each file that it was read from.
    """

    collection: Collection
    sha256: dict[str, str]


def read_judgements(
    paths: Sequence[str],
    scores: Mapping[str, str],
    jobs: int,
    cache: Path | None,
    tell: Callable[[str, float], object],
) -> Judgements:
    """Read judged documents, or what is kept of them.

    Parameters
    ----------
    paths : sequence of str
        Files in the SVMlight format.
    scores : mapping of str to str
        Names of further rankers, and files with a score of each for every document.
    jobs : int
        Processes that read at the same time.
    cache : Path or None
        The folder of all that is kept; None for the usual one.
    tell : callable
        Told what is done, and how much of it is over, in [0, 1].

    Raises
    ------
    InputError
        Naming the file and line of what is wrong, or the folder that cannot be written.
    """
    identity = {"format": FORMAT, "files": [_state(path) for path in [*paths, *scores.values()]], "scores": [*scores]}
    text = json.dumps(identity, sort_keys=True)
    folder = (cache or _usual()) / hashlib.sha256(text.encode()).hexdigest()[:20]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        os.utime(folder)
    except OSError as error:
        raise InputError(f"{folder}: cannot be written: {error.strerror or error}; name a folder by --cache") from None
    if not (folder / "whole.json").is_file():
        _read(folder, paths, scores, jobs, tell)
    return _kept(folder)


def _usual() -> Path:
    cache = user_cache()
    if cache is None:
        raise InputError("there is no home folder to keep the collection in; name a folder by --cache")
    return cache / "rankings"


def _state(path: str) -> list[Any]:
    """What changes when a file does."""
    from duelbench.problem.matrix_files import check_file

    with suppress(OSError):
        if os.path.getsize(path) > 0 and os.path.isfile(path):  # of any size, while matrix files are small
            status = os.stat(path)
            return [os.path.realpath(path), status.st_size, status.st_mtime_ns]
    check_file(path, "judgements")
    raise InputError(f"{path}: cannot be read")


def _kept(folder: Path) -> Judgements:
    try:
        about = json.loads((folder / "whole.json").read_text(encoding="utf-8"))
        starts, grades = np.load(folder / "starts.npy"), np.load(folder / "grades.npy")
        orders = np.load(folder / "orders.npy", mmap_mode="r")
        collection = Collection(starts, grades, orders, tuple(about["names"]), tuple(about["keys"]))
        if grades.shape == (starts[-1],) and orders.shape == (len(collection.names), starts[-1]):
            return Judgements(collection, about["sha256"])
    except (OSError, ValueError, KeyError, EOFError):
        pass
    raise InputError(f"{folder}: is damaged; delete this folder, and it is made again")


def _read(
    folder: Path, paths: Sequence[str], scores: Mapping[str, str], jobs: int, tell: Callable[[str, float], object]
) -> None:
    """Read all files, block by block; ``whole.json`` says that everything is there."""
    index = _scanned(paths, tell)
    starts = np.cumsum([0, *(query.n_documents for query in index.queries)], dtype=np.int64)
    columns = [read_scores(path, index.n_documents) for path in scores.values()]
    more = np.array(columns).reshape(len(columns), index.n_documents)
    n_features = index.last - index.first + 1
    try:
        orders = _opened(folder / "orders.npy", np.uint16, (n_features + len(more), index.n_documents))
        grades = _opened(folder / "grades.npy", np.uint8, (index.n_documents,))
        parts = blocks(index)
        done = _n_done(folder)
        for k, (grades_of_part, orders_of_part) in enumerate(
            _blocks_read(index, parts[done:], starts, more, jobs), done
        ):
            begin, end = starts[parts[k].start], starts[parts[k].stop]
            grades[begin:end], orders[:, begin:end] = grades_of_part, orders_of_part
            grades.flush()
            orders.flush()
            atomic.write(folder / "done.json", json.dumps(k + 1).encode())
            tell("reading judgements", (k + 1) / len(parts))
        with (folder / "starts.npy").open("wb") as file:
            np.save(file, starts)
        about = {
            "sha256": dict(zip(index.paths, index.sha256, strict=True))
            | {path: _sha256(path) for path in scores.values()},
            "names": [*(f"feature {k}" for k in range(index.first, index.last + 1)), *scores],
            "keys": [*range(index.first, index.last + 1), *map(_key, scores)],
        }
        atomic.write(folder / "whole.json", json.dumps(about).encode())
    except OSError as error:
        raise InputError(f"{folder}: cannot be written: {error.strerror or error}") from None


def _scanned(paths: Sequence[str], tell: Callable[[str, float], object]) -> Index:
    total = sum(os.path.getsize(path) for path in paths)
    so_far = 0

    def read(n_bytes: int) -> None:
        nonlocal so_far
        so_far += n_bytes
        tell("looking for queries", min(so_far / total, 1.0))

    return scan(paths, read)


def _opened(path: Path, dtype: type, shape: tuple[int, ...]) -> Any:
    """An array in a file: what an interrupted command has left, or a new one."""
    with suppress(OSError, ValueError):
        there = np.lib.format.open_memmap(path, mode="r+")
        if there.shape == shape and there.dtype == dtype:
            return there
    (path.parent / "done.json").unlink(missing_ok=True)
    return np.lib.format.open_memmap(path, mode="w+", dtype=dtype, shape=shape)


def _n_done(folder: Path) -> int:
    """How many blocks are there already."""
    with suppress(OSError, ValueError):
        return int(json.loads((folder / "done.json").read_text(encoding="utf-8")))
    return 0


def _blocks_read(index: Index, parts: Sequence[range], starts: np.ndarray, more: np.ndarray, jobs: int) -> Any:
    """Each block's grades and orders, in turn."""
    from joblib import Parallel, delayed

    tasks = [
        delayed(read_block)(
            replace(index, queries=index.queries[part.start : part.stop]),
            more[:, starts[part.start] : starts[part.stop]],
        )
        for part in parts
    ]
    if jobs == 1 or len(parts) < 2:
        return (task(*arguments, **named) for task, arguments, named in tasks)
    return Parallel(n_jobs=min(jobs, len(parts)), return_as="generator", pre_dispatch="n_jobs")(tasks)


def _key(name: str) -> int:
    """The number by which a ranker with scores of its own draws: that of its name."""
    return SCORES_KEY + int.from_bytes(hashlib.sha256(name.encode()).digest()[:4], "big") % SCORES_KEY


def _sha256(path: str) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
