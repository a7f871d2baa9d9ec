"""Makes a preference matrix of rankers: compares all pairs on all cores, and saves intermediate results."""

import io
import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from itertools import combinations
from pathlib import Path
from threading import Event, Lock
from typing import Any, NamedTuple

import numpy as np

from duelbench.bandits.problem.preferences import PreferenceMatrix
from duelbench.common import atomic
from duelbench.data.judgements import stored
from duelbench.data.rankings.comparing import Compared, Procedure, compare
from duelbench.data.rankings.orders import Collection
from duelbench.errors import InputError

FORMAT = 1
"""Version of the file of known pairs; increased when the file format or the draws of comparisons change."""

STORE_SECONDS = 10.0
"""How often intermediate results are saved."""


class RankerMatrix(NamedTuple):
    """The result of all comparisons."""

    matrix: PreferenceMatrix
    errors: np.ndarray  # (K, K) float64: standard errors of the entries
    comparisons: int  # how many were drawn
    exact: tuple[int, int]  # the fewest and the most queries that were computed exactly for a pair


class Known:
    """The results of comparing pairs, saved in a file at ``path`` until all pairs are known.

    ``identity`` is everything that the comparisons depend on, in JSON types; a file with another identity is refused.
    """

    def __init__(self, path: Path, identity: Mapping[str, Any], n_pairs: int) -> None:
        self.path = path
        self.pairs = np.full((n_pairs, len(Compared._fields)), np.nan)
        self._identity = json.dumps(identity, sort_keys=True)
        self._written = time.monotonic()
        if path.exists():
            self._load()

    def _load(self) -> None:
        file = stored(self.path, lambda message: None)
        if file is None or not {"identity", "found"} <= file.keys():
            raise InputError(f"{self.path}: is damaged; remove it to start again")
        expected, stored_identity = json.loads(self._identity), json.loads(str(file["identity"]))
        changed = [name for name in expected if stored_identity.get(name) != expected[name]]
        if changed or file["found"].shape != self.pairs.shape:
            settings = ", ".join(changed) or "number of pairs"
            raise InputError(
                f"{self.path}: holds a matrix that was started with different settings ({settings}); remove it to start"
                " again"
            )
        self.pairs = file["found"]

    @property
    def missing(self) -> list[int]:
        """The indices of the pairs without a result."""
        return np.flatnonzero(np.isnan(self.pairs[:, 0])).tolist()

    def add(self, pair: int, compared: Compared) -> None:
        """Record the result of a pair, and save every `STORE_SECONDS`."""
        self.pairs[pair] = compared
        if time.monotonic() - self._written > STORE_SECONDS:
            self.write()

    def write(self) -> None:
        """Write the file."""
        buffer = io.BytesIO()
        np.savez(buffer, identity=np.array(self._identity), found=self.pairs)
        atomic.write_asked(self.path, buffer.getvalue(), f"{self.path}:")
        self._written = time.monotonic()

    def remove(self) -> None:
        """Remove the file."""
        self.path.unlink(missing_ok=True)


def identity_of(collection: Collection, sha256: Mapping[str, str], procedure: Procedure) -> dict[str, Any]:
    """Everything that the comparisons of all pairs depend on; the paths of files do not matter."""
    settings = {name.replace("_", "-"): value for name, value in asdict(procedure).items()}
    return {"format": FORMAT, "data": [*sha256.values()], "features": [*collection.keys], **settings}


def compare_all(
    collection: Collection,
    procedure: Procedure,
    known: Known,
    jobs: int,
    say: Callable[[str], object],
    tell: Callable[[str, float], object],
) -> RankerMatrix:
    """Compare every pair of rankers.

    Parameters
    ----------
    collection : Collection
    procedure : Procedure
    known : Known
        The results so far; updated in place, and written if an error ends the comparisons.
    jobs : int
        Threads: compiled code runs in several at once.
    say : callable
        Prints the number of results so far.
    tell : callable
        Shows the current stage, and the share of it that is done.

    Examples
    --------
    >>> import tempfile
    >>> from duelbench.data.rankings.clicks import named
    >>> from duelbench.data.rankings.orders import collected
    >>> opposite = collected([[1, 0]], [np.array([[2.0, 1.0], [1.0, 2.0]])])
    >>> procedure = Procedure("probabilistic", named("perfect", 2))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     known = Known(Path(folder, "a.part"), {}, 1)
    ...     result = compare_all(opposite, procedure, known, 1, print, lambda stage, share: None)
    >>> result.matrix.P.tolist()
    [[0.5, 0.75], [0.25, 0.5]]
    """
    pairs = list(combinations(range(len(collection.names)), 2))
    n_missing = len(known.missing)
    if n_missing < len(pairs):
        say(f"{len(pairs) - n_missing} of {len(pairs)} pairs are already computed")
    try:
        if n_missing:
            tell("compiling", 0.0)
            _compile(procedure)
            _compare_missing(collection, procedure, known, pairs, jobs, tell)
    finally:
        if 0 < len(known.missing) < len(pairs):
            known.write()
    P, errors = np.full((2, len(collection.names), len(collection.names)), 0.5)
    np.fill_diagonal(errors, 0.0)
    for (i, j), (probability, error, *_) in zip(pairs, known.pairs.tolist(), strict=True):
        P[i, j], P[j, i] = probability, 1 - probability
        errors[i, j] = errors[j, i] = error
    exact = known.pairs[:, 3]
    matrix = PreferenceMatrix(P, collection.names)
    return RankerMatrix(matrix, errors, int(known.pairs[:, 2].sum()), (int(exact.min()), int(exact.max())))


class _Stopped(Exception):
    """Ends a comparison whose result is no longer needed."""


def _compare_missing(
    collection: Collection,
    procedure: Procedure,
    known: Known,
    pairs: Sequence[tuple[int, int]],
    jobs: int,
    tell: Callable[[str, float], object],
) -> None:
    from joblib import Parallel, delayed

    missing = known.missing
    shares = dict.fromkeys(missing, 0.0)
    n_done = float(len(pairs) - len(missing))
    lock, stopped = Lock(), Event()

    def compare_pair(k: int) -> tuple[int, Compared]:
        def show_progress(share: float) -> None:
            nonlocal n_done
            if stopped.is_set():
                raise _Stopped
            with lock:
                n_done += share - shares[k]
                shares[k] = share
                tell("comparing", min(n_done / len(pairs), 1.0))

        compared = compare(collection, *pairs[k], procedure, show_progress)
        show_progress(1.0)
        return k, compared

    workers = Parallel(n_jobs=jobs, prefer="threads", return_as="generator_unordered", pre_dispatch="2*n_jobs")
    try:
        for k, compared in workers(delayed(compare_pair)(k) for k in missing):
            known.add(k, compared)
    finally:
        stopped.set()


def _compile(procedure: Procedure) -> None:
    """Compile or load the kernels, on two documents."""
    from duelbench.data.rankings.orders import collected

    tiny = collected([[0, 0]] * 2, [np.zeros((2, 2))] * 2)
    compare(tiny, 0, 1, Procedure(procedure.interleaving, procedure.clicks, 0.1, most_work=0))
