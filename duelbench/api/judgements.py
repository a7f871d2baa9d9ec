"""Collections of judged documents, read from files of any size and cached.

The cache takes two bytes for each document and ranker, and one for each grade, in a folder named by the SHA-256 of the
files. It may be deleted at any time. An interrupted command goes on with the blocks that are there.
"""

import hashlib
import io
import json
import os
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple
from zipfile import BadZipFile

import numpy as np

from duelbench.errors import InputError
from duelbench.kernels.decorators import user_cache
from duelbench.rankings.orders import Collection
from duelbench.rankings.reading import BLOCK_BYTES, Index, blocks, read_block, read_scores, scan
from duelbench.results import atomic

FORMAT = 4
"""Of the cache; raised when it, or how files are read, changes."""

SCORES_KEY = 2**31
"""The keys of rankers with scores of their own begin here."""

Tell = Callable[[str, float], object]

_Arrays = Mapping[str, np.ndarray]


class Judgements(NamedTuple):
    """A collection, and where it comes from."""

    collection: Collection
    sha256: dict[str, str]  # of each file that it was read from


def read_judgements(
    paths: Sequence[str], scores: Mapping[str, str], jobs: int, say: Callable[[str], object], tell: Tell
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
    cache = user_cache()
    if cache is None:
        raise InputError("there is no home folder to cache the collection in; set XDG_CACHE_HOME to a folder")
    folder = cache / "rankings" / hashlib.sha256(text.encode()).hexdigest()[:20]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        os.utime(folder)
    except OSError as error:
        raise InputError(f"{folder}: cannot be written: {error.strerror or error}; set XDG_CACHE_HOME") from None
    collection, n_read = _collection(folder, paths, scores, jobs, say, tell)
    if n_read and _hashed(read, tell) != sha256:
        shutil.rmtree(folder, ignore_errors=True)
        raise InputError(f"{', '.join(read)}: changed while being read; try again")
    return Judgements(collection, dict(zip(read, sha256, strict=True)))


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


def _collection(
    folder: Path, paths: Sequence[str], scores: Mapping[str, str], jobs: int, say: Callable[[str], object], tell: Tell
) -> tuple[Collection, int]:
    """The collection, and how many blocks of it were read from the files and not from the cache."""
    index = None
    facts = _stored(folder / "facts.npz", say)
    if facts is None:
        index = _scanned(paths, tell)
        facts = _facts(index, scores)
        _store(folder / "facts.npz", facts)
    starts, keys = facts["starts"], facts["keys"].tolist()
    grades = np.empty(starts[-1], np.uint8)
    orders = np.empty((len(keys), starts[-1]), np.uint16)
    places = [slice(*ends) for ends in pairwise([0, *facts["ends"].tolist()])]
    missing = []
    for k, place in enumerate(places):
        block = _stored(folder / f"block-{k}.npz", say)
        if block is None:
            missing.append(k)
        else:
            grades[place], orders[:, place] = block["grades"], block["orders"]
    if missing:
        index = index or _scanned(paths, tell)
        for k, read in zip(missing, _blocks_read(index, missing, starts, scores, jobs), strict=True):
            grades[places[k]], orders[:, places[k]] = read["grades"], read["orders"]
            _store(folder / f"block-{k}.npz", read)
            tell("reading judgements", 1 - (len(missing) - missing.index(k) - 1) / len(places))
    return Collection(starts, grades, orders, tuple(facts["names"].tolist()), tuple(keys)), len(missing)


def _facts(index: Index, scores: Mapping[str, str]) -> dict[str, np.ndarray]:
    """What is known of a collection before its documents are read; ``ends`` are the ends of blocks, in documents."""
    starts = np.cumsum([0, *(query.n_documents for query in index.queries)], dtype=np.int64)
    features = range(index.first, index.last + 1)
    return {
        "starts": starts,
        "ends": starts[[part.stop for part in blocks(index)]],
        "names": np.array([*(f"feature {k}" for k in features), *scores]),
        "keys": np.array([*features, *map(_key, scores)], dtype=np.int64),
    }


def _stored(path: Path, say: Callable[[str], object]) -> dict[str, np.ndarray] | None:
    """The arrays in a file of the cache; None where it is not there, or damaged."""
    try:
        with np.load(path, allow_pickle=False) as file:  # the CRC-32 of each array is checked
            return dict(file)
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, EOFError, SyntaxError, NotImplementedError, BadZipFile):
        say(f"{path}: the cache is damaged; it is made again")
        return None


def _store(path: Path, arrays: _Arrays) -> None:
    content = io.BytesIO()
    np.savez(content, allow_pickle=False, **arrays)
    atomic.write_asked(path, content.getvalue(), f"{path}:")


def _scanned(paths: Sequence[str], tell: Tell) -> Index:
    total = sum(os.path.getsize(path) for path in paths)
    so_far = 0

    def read(n_bytes: int) -> None:
        nonlocal so_far
        so_far += n_bytes
        tell("looking for queries", min(so_far / total, 1.0))

    return scan(paths, read)


def _blocks_read(
    index: Index, wanted: Sequence[int], starts: np.ndarray, scores: Mapping[str, str], jobs: int
) -> Iterator[_Arrays]:
    """Each wanted block's grades and orders, in turn."""
    from joblib import Parallel, delayed

    columns = [read_scores(path, index.n_documents) for path in scores.values()]
    more = np.array(columns).reshape(len(columns), index.n_documents)
    parts = [blocks(index)[k] for k in wanted]
    tasks = [
        delayed(read_block)(
            replace(index, queries=index.queries[part.start : part.stop]),
            more[:, starts[part.start] : starts[part.stop]],
        )
        for part in parts
    ]
    if jobs == 1 or len(parts) < 2:
        found = (task(*arguments, **named) for task, arguments, named in tasks)
    else:
        found = Parallel(n_jobs=min(jobs, len(parts)), return_as="generator", pre_dispatch="n_jobs")(tasks)
    for grades, orders in found:
        yield {"grades": grades, "orders": orders}


def _key(name: str) -> int:
    """The number by which a ranker with scores of its own draws: that of its name."""
    return SCORES_KEY + int.from_bytes(hashlib.sha256(name.encode()).digest()[:4], "big") % SCORES_KEY
