"""Reads collections of judged documents from files of any size, and caches them.

The cache takes two bytes for each document and ranker, and one for each grade, in a folder named by the SHA-256 of the
files. You can delete it at any time. An interrupted command continues after the cached blocks.
"""

import hashlib
import io
import json
import os
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple
from zipfile import BadZipFile

import numpy as np

from duelbench.common import atomic
from duelbench.common.system import user_cache
from duelbench.data.rankings.orders import Collection
from duelbench.data.rankings.reading import BLOCK_BYTES, Block, Index, Query, blocks, read_block, read_scores, scan
from duelbench.errors import InputError

FORMAT = 6
"""Version of the cache; increased when the cache or the reading of files changes."""

SCORES_KEY = 2**31
"""Smallest key of a ranker that is a file of scores."""

Tell = Callable[[str, float], object]

Arrays = Mapping[str, np.ndarray]


class Judgements(NamedTuple):
    """A collection and its files."""

    collection: Collection
    sha256: dict[str, str]  # of each file
    positions: Index  # of the queries in the files


def read_judgements(
    paths: Sequence[str], scores: Mapping[str, str], jobs: int, say: Callable[[str], object], tell: Tell
) -> Judgements:
    """Read judged documents from files or from the cache.

    Parameters
    ----------
    paths : sequence of str
        Files in the SVMlight format.
    scores : mapping of str to str
        More rankers: for each name, a file with a score for every document.
    jobs : int
        Processes that read at the same time.
    say : callable
        Prints that the cache is damaged.
    tell : callable
        Shows the current stage, and the share of it that is done.

    Raises
    ------
    InputError
        When a file is wrong, with file and line, or the cache cannot be written.
    """
    files = [*paths, *scores.values()]
    sha256 = _hashed(files, tell)
    folder = _cache(json.dumps({"format": FORMAT, "files": sha256, "scores": [*scores]}, sort_keys=True))
    index = _index(folder, paths, say, tell)
    features = range(index.first, index.last + 1)
    names = (*(f"feature {k}" for k in features), *scores)
    keys = (*features, *(_key_of_scores(name) for name in scores))
    starts = np.cumsum([0, *(query.n_documents for query in index.queries)], dtype=np.int64)
    grades, orders = np.empty(starts[-1], np.uint8), np.empty((len(keys), starts[-1]), np.uint16)
    occurs = np.zeros(len(keys), dtype=bool)
    parts = blocks(index)
    places = [slice(starts[part.start], starts[part.stop]) for part in parts]

    def add(k: int, block: Block) -> None:
        grades[places[k]], orders[:, places[k]] = block.grades, block.orders
        occurs[:] |= block.occurs

    missing = []
    for k in range(len(parts)):
        if (arrays := stored(folder / f"block-{k}.npz", say)) is None:
            missing.append(k)
        else:
            add(k, Block(**arrays))
    n_done = len(parts) - len(missing)
    for k, block in zip(missing, _blocks_read(index, missing, starts, scores, jobs), strict=True):
        add(k, block)
        _store(folder / f"block-{k}.npz", block._asdict())
        n_done += 1
        tell("reading judgements", n_done / len(parts))
    if missing and _hashed(files, tell) != sha256:
        shutil.rmtree(folder, ignore_errors=True)
        raise InputError(f"{', '.join(files)}: changed while being read; try again")
    collection = Collection(starts, grades, orders, names, keys).of(np.flatnonzero(occurs).tolist())
    return Judgements(collection, dict(zip(files, sha256, strict=True)), index)


def _hashed(paths: Sequence[str], tell: Tell) -> list[str]:
    """The SHA-256 of each file."""
    for path in paths:
        _check_file(path)
    total = sum(os.path.getsize(path) for path in paths)
    digests, so_far = [], 0
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
        digests.append(digest.hexdigest())
    return digests


def _check_file(path: str) -> None:
    from duelbench.bandits.problem.matrix_files import check_file

    with suppress(OSError):
        if os.path.getsize(path) > 0 and os.path.isfile(path):  # of any size; `check_file` would refuse large files
            return
    check_file(path, "judgements")
    raise InputError(f"{path}: cannot be read")


def _cache(content: str) -> Path:
    """The cache folder of a collection."""
    cache = user_cache()
    if cache is None:
        raise InputError("there is no home folder to cache the collection in; set XDG_CACHE_HOME to a folder")
    folder = cache / "rankings" / hashlib.sha256(content.encode()).hexdigest()[:20]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        os.utime(folder)
    except OSError as error:
        raise InputError(f"{folder}: cannot be written: {error.strerror or error}; set XDG_CACHE_HOME") from None
    return folder


def _index(folder: Path, paths: Sequence[str], say: Callable[[str], object], tell: Tell) -> Index:
    """The positions of the queries in the files."""
    path = folder / "queries.npz"
    if (arrays := stored(path, say)) is not None:
        first, last = arrays["features"].tolist()
        return Index(tuple(paths), tuple(Query(*fields) for fields in arrays["queries"].tolist()), first, last)
    total = sum(os.path.getsize(path) for path in paths)
    so_far = 0

    def read(n_bytes: int) -> None:
        nonlocal so_far
        so_far += n_bytes
        tell("looking for queries", min(so_far / total, 1.0))

    index = scan(paths, read)
    _store(path, {"queries": np.array(index.queries), "features": np.array([index.first, index.last])})
    return index


def stored(path: Path, say: Callable[[str], object]) -> dict[str, np.ndarray] | None:
    """Read the arrays of an .npz file; None if it is missing or damaged. ``say`` prints that it is damaged."""
    try:
        with np.load(path, allow_pickle=False) as file:  # the CRC-32 of each array is checked
            return dict(file)
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, EOFError, SyntaxError, NotImplementedError, BadZipFile):
        say(f"{path}: the cache is damaged; it is built again")
        return None


def _store(path: Path, arrays: Arrays) -> None:
    content = io.BytesIO()
    np.savez(content, **arrays)  # type: ignore[arg-type]  # allow_pickle came with NumPy 2.1
    atomic.write_asked(path, content.getvalue(), f"{path}:")


def _blocks_read(
    index: Index, wanted: Sequence[int], starts: np.ndarray, scores: Mapping[str, str], jobs: int
) -> Iterator[Block]:
    """Read blocks, in the order of ``wanted``."""
    from joblib import Parallel, delayed

    if not wanted:
        return
    all_scores = np.array([read_scores(path, index.n_documents) for path in scores.values()])
    all_scores = all_scores.reshape(len(scores), index.n_documents)
    all_parts = blocks(index)
    parts = [all_parts[k] for k in wanted]
    tasks = (
        delayed(read_block)(
            replace(index, queries=index.queries[part.start : part.stop]),
            all_scores[:, starts[part.start] : starts[part.stop]],
        )
        for part in parts
    )
    yield from Parallel(n_jobs=min(jobs, len(parts)), return_as="generator", pre_dispatch="n_jobs")(tasks)


def _key_of_scores(name: str) -> int:
    """The key of a ranker that is a file of scores, from its name; its random draws depend on it."""
    return SCORES_KEY + int.from_bytes(hashlib.sha256(name.encode()).digest()[:4], "big") % SCORES_KEY
