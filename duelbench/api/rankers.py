"""A preference matrix of rankers: every pair is compared, on all cores, and what is known is kept on the way."""

import io
import json
import time
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict
from functools import partial
from itertools import combinations
from pathlib import Path
from threading import Lock
from typing import Any, NamedTuple

import numpy as np

from duelbench.errors import InputError
from duelbench.problem.preferences import PreferenceMatrix
from duelbench.rankings.collection import Collection
from duelbench.rankings.comparing import Compared, Procedure, compare
from duelbench.results import atomic

FORMAT = 1
"""Of what is kept on the way; raised when it, or what comparisons draw, changes."""

KEEP_SECONDS = 10.0
"""After so long, what is known is written to the disk."""

TRIAL_SECONDS = 2.0
"""So long, about, some pairs are tried to say how long all will take."""

TASK_SECONDS = 0.2
"""So long, about, a worker compares before it says what it has found."""

MOST_PER_TASK = 1000
"""Pairs."""


class RankerMatrix(NamedTuple):
    """What all comparisons have shown.

    matrix : PreferenceMatrix
    errors : (K, K) float64. Standard errors of its entries.
    comparisons : int. How many were drawn in all.
    exact : (int, int). Fewest and most queries of a pair that were computed exactly.
    """

    matrix: PreferenceMatrix
    errors: np.ndarray
    comparisons: int
    exact: tuple[int, int]


class Kept:
    """What is known of the pairs, in a file while it is not all.

    Parameters
    ----------
    path : Path
        There only while pairs are to be compared.
    identity : mapping
        Everything that the comparisons depend on, as JSON has it.
    n_pairs : int

    Raises
    ------
    InputError
        When the file belongs to something else.
    """

    def __init__(self, path: Path, identity: Mapping[str, Any], n_pairs: int) -> None:
        self.path = path
        self.found = np.full((n_pairs, len(Compared._fields)), np.nan)
        self._identity = json.dumps(identity, sort_keys=True)
        self._written = time.monotonic()
        if path.exists():
            self._load(identity)

    def _load(self, identity: Mapping[str, Any]) -> None:
        try:
            with np.load(self.path, allow_pickle=False) as file:
                before, found = json.loads(str(file["identity"])), file["found"]
        except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
            before, found = None, self.found
        if before == json.loads(self._identity) and found.shape == self.found.shape:
            self.found = found
        else:
            raise InputError(f"{self.path}: {_difference(before, identity)}; remove it to begin again")

    @property
    def missing(self) -> list[int]:
        """The pairs to be compared, by their number."""
        return np.flatnonzero(np.isnan(self.found[:, 0])).tolist()

    def add(self, pairs: Sequence[int], compared: Sequence[Compared]) -> None:
        """Note what some pairs have shown, and write it, if it is time."""
        self.found[list(pairs)] = compared
        if time.monotonic() - self._written > KEEP_SECONDS:
            self.write()

    def write(self) -> None:
        """Write it all."""
        buffer = io.BytesIO()
        np.savez(buffer, identity=np.array(self._identity), found=self.found)
        atomic.write_asked(self.path, buffer.getvalue(), f"{self.path}:")
        self._written = time.monotonic()

    def remove(self) -> None:
        """All is known and written elsewhere."""
        with suppress(FileNotFoundError):
            self.path.unlink()


def _difference(before: Mapping[str, Any] | None, now: Mapping[str, Any]) -> str:
    """In words, why a file is not what is asked for."""
    if before is None:
        return "is damaged"
    names = [name for name in now if before.get(name) != json.loads(json.dumps(now[name]))]
    return f"holds a matrix that was begun with another {', another '.join(names) or 'number of pairs'}"


def identity_of(collection: Collection, sha256: Mapping[str, str], procedure: Procedure) -> dict[str, Any]:
    """What the comparisons of all pairs depend on, by the names of the options.

    Parameters
    ----------
    collection : Collection
    sha256 : mapping of str to str
        Of the files that it was read from; where they lie does not matter.
    procedure : Procedure
    """
    settings = {name.replace("_", "-"): value for name, value in asdict(procedure).items()}
    return {"format": FORMAT, "data": [*sha256.values()], "features": [*collection.keys], **settings}


def compare_all(
    collection: Collection,
    procedure: Procedure,
    kept: Kept,
    jobs: int,
    say: Callable[[str], object],
    tell: Callable[[str, float], object],
) -> RankerMatrix:
    """Compare every pair of rankers.

    Parameters
    ----------
    collection : Collection
    procedure : Procedure
    kept : Kept
        What is known already; all, afterwards. It is written when this ends early.
    jobs : int
        Threads that compare at the same time: compiled code does not hold them up.
    say : callable
        Told once how long it will take.
    tell : callable
        Told what is done, and how much of it is over, in [0, 1].

    Examples
    --------
    >>> import tempfile
    >>> from duelbench.rankings.clicks import named
    >>> from duelbench.rankings.collection import collected
    >>> opposite = collected([[1, 0]], [np.array([[2.0, 1.0], [1.0, 2.0]])])
    >>> procedure = Procedure("probabilistic", named("perfect", 2))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     kept = Kept(Path(folder, "a.part"), {}, 1)
    ...     found = compare_all(opposite, procedure, kept, 1, print, lambda what, share: None)
    >>> found.matrix.P.tolist()
    [[0.5, 0.75], [0.25, 0.5]]
    """
    pairs = list(combinations(range(len(collection.names)), 2))
    try:
        _compare_missing(collection, procedure, kept, pairs, jobs, say, tell)
    finally:
        if kept.missing and len(kept.missing) < len(pairs):
            kept.write()
    P, errors = np.full((2, len(collection.names), len(collection.names)), 0.5)
    np.fill_diagonal(errors, 0.0)
    for (i, j), (probability, error, *_) in zip(pairs, kept.found.tolist(), strict=True):
        P[i, j], P[j, i] = probability, 1 - probability
        errors[i, j] = errors[j, i] = error
    exact = kept.found[:, 3]
    matrix = PreferenceMatrix(P, collection.names)
    return RankerMatrix(matrix, errors, int(kept.found[:, 2].sum()), (int(exact.min()), int(exact.max())))


def _compare_missing(
    collection: Collection,
    procedure: Procedure,
    kept: Kept,
    pairs: Sequence[tuple[int, int]],
    jobs: int,
    say: Callable[[str], object],
    tell: Callable[[str, float], object],
) -> None:
    from joblib import Parallel, delayed

    from duelbench.execution.progress import duration

    missing = kept.missing
    if len(missing) < len(pairs):
        say(f"{len(pairs) - len(missing)} of {len(pairs)} pairs are there already")
    if not missing:
        return
    tell("compiling", 0.0)
    _compile(procedure)
    seconds = _try_some(collection, procedure, kept, pairs, missing)
    left = kept.missing
    if not left:
        return
    about = duration(seconds * len(left) / min(jobs, len(left)))
    say(f"{len(missing)} pairs to compare, {len(missing) - len(left)} of them done for an estimate: about {about} left")
    size = min(max(1, int(TASK_SECONDS / seconds)), MOST_PER_TASK, max(1, len(left) // (4 * jobs)))
    tasks = (left[k : k + size] for k in range(0, len(left), size))
    workers = Parallel(n_jobs=jobs, prefer="threads", return_as="generator_unordered", pre_dispatch="2*n_jobs")
    under_way = _UnderWay(len(pairs) - len(left), len(pairs), tell)
    try:
        calls = (delayed(_compare_some)(collection, procedure, pairs, task, under_way) for task in tasks)
        for some, found in workers(calls):
            kept.add(some, found)
    finally:
        under_way.stop()


class _UnderWay:
    """How far the threads are, and whether they are to stop.

    Parameters
    ----------
    done, n_pairs : int
        Pairs that are known already, and all.
    tell : callable
    """

    def __init__(self, done: int, n_pairs: int, tell: Callable[[str, float], object]) -> None:
        self._done, self._n_pairs, self._tell = done, n_pairs, tell
        self._shares: dict[int, float] = {}
        self._stopped = False
        self._lock = Lock()

    def stop(self) -> None:
        """Have all comparisons end at their next block."""
        self._stopped = True

    def tell(self, pair: int, share: float) -> None:
        """So much of one pair is done, in [0, 1]."""
        if self._stopped:
            raise _Stopped
        with self._lock:
            self._shares[pair] = share
            self._tell("comparing", (self._done + sum(self._shares.values())) / self._n_pairs)

    def add(self, pair: int) -> None:
        """One pair is done."""
        with self._lock:
            self._shares.pop(pair, None)
            self._done += 1
            self._tell("comparing", (self._done + sum(self._shares.values())) / self._n_pairs)


class _Stopped(Exception):
    """Nobody waits for a comparison any more."""


def _compare_some(
    collection: Collection,
    procedure: Procedure,
    pairs: Sequence[tuple[int, int]],
    some: Sequence[int],
    under_way: _UnderWay,
) -> tuple[Sequence[int], list[Compared]]:
    found = []
    for k in some:
        found.append(compare(collection, *pairs[k], procedure, partial(under_way.tell, k)))
        under_way.add(k)
    return some, found


def _try_some(
    collection: Collection, procedure: Procedure, kept: Kept, pairs: Sequence[tuple[int, int]], missing: Sequence[int]
) -> float:
    """Compare a few pairs, far from each other, for `TRIAL_SECONDS` at most; returns what each takes, about.

    A pair that is not done by then is given up: how much of it is done says how long it takes.
    """
    began = time.perf_counter()
    tried = 0.0
    for k in _spaced(missing, 8):
        share = _tried(collection, procedure, kept, k, pairs[k], began + TRIAL_SECONDS)
        tried += share
        if share < 1 or time.perf_counter() - began > TRIAL_SECONDS:
            break
    return max((time.perf_counter() - began) / tried, 1e-6)


def _tried(
    collection: Collection, procedure: Procedure, kept: Kept, k: int, pair: tuple[int, int], until: float
) -> float:
    """Compare a pair until some time on the clock; returns how much of it is done."""
    reached = 0.0

    def tell(share: float) -> None:
        nonlocal reached
        reached = share
        if share > 0 and time.perf_counter() > until:
            raise _Stopped

    try:
        kept.add([k], [compare(collection, *pair, procedure, tell)])
    except _Stopped:
        return reached
    return 1.0


def _spaced(numbers: Sequence[int], most: int) -> Iterator[int]:
    step = max(1, len(numbers) // most)
    return iter(numbers[step // 2 :: step])


def _compile(procedure: Procedure) -> None:
    """Have the kernels compiled, or loaded, on two documents, before anything is timed."""
    from duelbench.rankings.collection import collected

    tiny = collected([[0, 0]] * 2, [np.zeros((2, 2))] * 2)
    compare(tiny, 0, 1, Procedure(procedure.interleaving, procedure.clicks, 0.1, most_work=0))
