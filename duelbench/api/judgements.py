"""Collections of judged documents, read from files of any size and cached.

The cache takes two bytes for each document and ranker, and one for each grade, in a folder named by the SHA-256 of the
files; it may be deleted at any time. An interrupted command goes on with what is there. The arrays are memory-mapped,
and compiled code goes where they point: their own SHA-256 is checked before they are used.
"""

import hashlib
import json
import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import pairwise, takewhile
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from duelbench.errors import InputError
from duelbench.kernels.decorators import user_cache
from duelbench.rankings.collection import Collection
from duelbench.rankings.reading import BLOCK_BYTES, Index, blocks, read_block, read_scores, scan
from duelbench.results import atomic

FORMAT = 3
"""Of the cache; raised when it, or how files are read, changes."""

STATE = "state.json"
"""What is in the cache: of all, and of the blocks so far."""

SCORES_KEY = 2**31
"""The keys of rankers with scores of their own begin here."""

_DAMAGE = (OSError, ValueError, KeyError, TypeError, EOFError, IndexError)
"""What reading a damaged cache raises."""

Tell = Callable[[str, float], object]


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
    say: Callable[[str], object],
    tell: Tell,
) -> Judgements:
    """Read judged documents, or take them from the cache.

    Parameters
    ----------
    paths : sequence of str
        Files in the SVMlight format.
    scores : mapping of str to str
        Names of further rankers, and files with a score of each for every document.
    jobs : int
        Processes that read at the same time.
    cache : Path or None
        The folder of the cache; None for the usual one.
    say : callable
        Told when the cache is damaged.
    tell : callable
        Told what is done, and which share of it is over.

    Raises
    ------
    InputError
        Naming the file and line of what is wrong, or the folder that cannot be written.
    """
    read = [*paths, *scores.values()]
    sha256 = _hashed(read, tell)
    text = json.dumps({"format": FORMAT, "files": sha256, "scores": [*scores]}, sort_keys=True)
    folder = (cache or _usual()) / hashlib.sha256(text.encode()).hexdigest()[:20]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        os.utime(folder)
    except OSError as error:
        raise InputError(f"{folder}: cannot be written: {error.strerror or error}; choose another cache") from None
    try:
        collection = _cached(folder)
    except _DAMAGE:
        say(f"{folder}: the cache is damaged; it is made again")
        collection = None
    if collection is None:
        _read(folder, paths, scores, jobs, sha256, tell)
        collection = _cached(folder)
    if collection is None:
        raise InputError(f"{folder}: the cache does not keep what is written; choose another one")
    return Judgements(collection, dict(zip(read, sha256, strict=True)))


def _usual() -> Path:
    cache = user_cache()
    if cache is None:
        raise InputError("there is no home folder to cache the collection in; choose a folder for the cache")
    return cache / "rankings"


def _hashed(paths: Sequence[str], tell: Tell) -> list[str]:
    """The SHA-256 of each file."""
    for path in paths:
        _check_file(path)
    total = sum(os.path.getsize(path) for path in paths)
    found, so_far = [], 0
    for path in paths:
        digest = hashlib.sha256()
        try:
            with open(path, "rb") as file:
                while part := file.read(BLOCK_BYTES):
                    digest.update(part)
                    so_far += len(part)
                    tell("checking the cache", min(so_far / total, 1.0))
        except OSError as error:
            raise InputError(f"{path}: cannot be read: {error.strerror or error}") from None
        found.append(digest.hexdigest())
    return found


def _check_file(path: str) -> None:
    from duelbench.problem.matrix_files import check_file

    with suppress(OSError):
        if os.path.getsize(path) > 0 and os.path.isfile(path):  # of any size, while matrix files are small
            return
    check_file(path, "judgements")
    raise InputError(f"{path}: cannot be read")


def _cached(folder: Path) -> Collection | None:
    """What is in the cache; None where it is not complete, one of `_DAMAGE` where it is damaged."""
    if not (folder / STATE).exists():
        return None
    about = _unsealed(folder / STATE)
    if len(about["blocks"]) < len(about["ends"]):
        return None
    starts, grades = np.load(folder / "starts.npy"), np.load(folder / "grades.npy", mmap_mode="r")
    orders = np.load(folder / "orders.npy", mmap_mode="r")
    if about["starts"] != _digest(starts) or about["blocks"] != _digests(grades, orders, about["ends"]):
        raise ValueError("damaged")
    return Collection(starts, np.array(grades), orders, tuple(about["names"]), tuple(about["keys"]))


def _digest(*arrays: np.ndarray) -> str:
    """The SHA-256 of what arrays hold, and of their shapes."""
    digest = hashlib.sha256()
    for array in arrays:
        digest.update(f"{array.dtype.str} {array.shape};".encode())
        digest.update(np.ascontiguousarray(array).data)
    return digest.hexdigest()


def _digests(grades: np.ndarray, orders: np.ndarray, ends: Sequence[int]) -> list[str]:
    """The SHA-256 of each block, by the numbers of documents at which they end."""
    return [_digest(grades[begin:end], orders[:, begin:end]) for begin, end in pairwise([0, *ends])]


def _seal(path: Path, about: Mapping[str, Any]) -> None:
    """Write some facts with a SHA-256 of their own."""
    text = json.dumps(about)
    atomic.write(path, json.dumps({"facts": text, "sha256": hashlib.sha256(text.encode()).hexdigest()}).encode())


def _unsealed(path: Path) -> Any:
    """The facts that `_seal` has written; one of `_DAMAGE` where it has not."""
    sealed = json.loads(path.read_text(encoding="utf-8"))
    if hashlib.sha256(sealed["facts"].encode()).hexdigest() != sealed["sha256"]:
        raise ValueError("damaged")
    return json.loads(sealed["facts"])


def _read(
    folder: Path, paths: Sequence[str], scores: Mapping[str, str], jobs: int, sha256: Sequence[str], tell: Tell
) -> None:
    """Read all files, block by block."""
    index = _scanned(paths, tell)
    starts = np.cumsum([0, *(query.n_documents for query in index.queries)], dtype=np.int64)
    columns = [read_scores(path, index.n_documents) for path in scores.values()]
    more = np.array(columns).reshape(len(columns), index.n_documents)
    features = range(index.first, index.last + 1)
    parts = blocks(index)
    about: dict[str, Any] = {
        "starts": _digest(starts),
        "ends": [int(starts[part.stop]) for part in parts],
        "names": [*(f"feature {k}" for k in features), *scores],
        "keys": [*features, *map(_key, scores)],
    }
    try:
        orders = _opened(folder / "orders.npy", np.uint16, (len(features) + len(more), index.n_documents))
        grades = _opened(folder / "grades.npy", np.uint8, (index.n_documents,))
        with (folder / "starts.npy").open("wb") as file:
            np.save(file, starts)
        done = _done(folder, grades, orders, about["ends"])
        for k, block in enumerate(_blocks_read(index, parts[len(done) :], starts, more, jobs), len(done)):
            place = slice(starts[parts[k].start], starts[parts[k].stop])
            grades[place], orders[:, place] = block
            grades.flush()
            orders.flush()
            done.append(_digest(*block))
            _seal(folder / STATE, {**about, "blocks": done})
            tell("reading judgements", (k + 1) / len(parts))
        if _hashed([*paths, *scores.values()], tell) != sha256:
            (folder / STATE).unlink()
            raise InputError(f"{', '.join([*paths, *scores.values()])}: changed while being read; try again")
    except OSError as error:
        raise InputError(f"{folder}: cannot be written: {error.strerror or error}") from None


def _scanned(paths: Sequence[str], tell: Tell) -> Index:
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
    return np.lib.format.open_memmap(path, mode="w+", dtype=dtype, shape=shape)


def _done(folder: Path, grades: np.ndarray, orders: np.ndarray, ends: Sequence[int]) -> list[str]:
    """The SHA-256 of the first blocks, as far as they are there as they were written."""
    with suppress(*_DAMAGE):
        before = _unsealed(folder / STATE)["blocks"]
        found = _digests(grades, orders, ends[: len(before)])
        return [a for a, b in takewhile(lambda pair: pair[0] == pair[1], zip(before, found, strict=True))]
    return []


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
