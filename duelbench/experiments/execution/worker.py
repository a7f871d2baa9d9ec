"""Runs chunks in a worker, writes their files, and reports. A run that fails affects no other run."""

import contextlib
import threading
import time
import traceback
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np

from duelbench.bandits import third_party
from duelbench.bandits.algorithms import registry
from duelbench.bandits.problem.scalar_bandit import ScalarBandit
from duelbench.bandits.simulation.trace import Trace
from duelbench.common import atomic, system
from duelbench.errors import DuelbenchError, InputError
from duelbench.experiments.execution import heartbeat
from duelbench.experiments.execution.heartbeat import Beat
from duelbench.experiments.results.cells import Cell, run_file
from duelbench.experiments.results.failures import one_line
from duelbench.experiments.results.store import DamagedResult, encode, read_key

Watch = Callable[[np.ndarray], object]
Send = Callable[[Beat], None]

WARM_UP_ROUNDS = 50

_loaded: set[tuple[str, int, tuple[bool, bool, bool]]] = set()

_interpreted: defaultdict[str, float] = defaultdict(float)
"""Algorithm -> seconds that this process has spent on interpreting its runs."""


@dataclass(frozen=True)
class Chunk:
    """Runs of one cell, one after the other."""

    cell: Cell
    folder: Path  # of the experiment
    runs: tuple[int, ...]  # 0-based
    time_budget: float = 0.0  # seconds that a process may interpret these runs before it compiles their loop
    is_alone: bool = True  # whether nothing else in the process, such as Dask, draws from Python's global generator

    def of(self, *runs: int) -> "Chunk":
        """The same chunk with these runs only."""
        return replace(self, runs=runs)

    def path(self, run: int) -> Path:
        """The file of a run."""
        return self.folder / self.cell.folder / run_file(run)

    def has_file(self, run: int) -> bool:
        """Whether the file of a run exists and is undamaged."""
        try:
            return read_key(self.path(run)) == self.cell.identity.key(run)
        except DamagedResult:
            return False


@dataclass(frozen=True)
class Report:
    """The outcome of a run."""

    run: int  # 0-based
    seconds: float | None  # from its start to its file, if that was measured
    error: str | None = None  # why there is no result, in one line
    details: str = ""  # the traceback of the error
    is_unwritable: bool = False  # the run went well, but its file could not be written
    is_lost: bool = False  # the run ended its process, or was ended with it


def run_chunk(
    chunk: Chunk,
    number: int,
    send: Send = lambda _: None,
    stop: threading.Event | None = None,
    files: atomic.Background | None = None,
) -> list[Report]:
    """Run a chunk and write its files, each while the next run goes on; a report for each run, in order.

    It ends early after a file that cannot be written, and when ``stop`` is set. Beats name the chunk by its ``number``;
    one is sent at the beginning of each run.
    """
    _load_code(chunk, number, send)
    reports = {}
    with contextlib.closing(files or atomic.Background()) as files:
        for run in chunk.runs:
            if files.failed or (stop and stop.is_set()):
                break
            reports[chunk.path(run)] = _run(chunk, number, run, files, send)
    for path, error in files.failed.items():
        reports[path] = unwritable(reports[path].run, path, error)
    return list(reports.values())


def unwritable(run: int, path: Path, error: OSError) -> Report:
    """The report on a run whose file could not be written."""
    return Report(run, None, f"{error.strerror or error}: {error.filename or path}", is_unwritable=True)


def note_warm(algorithm: str) -> None:
    """Mark the compiled code of an algorithm, and of those that share its loop, as being on disk.

    Do nothing if it is not.
    """
    mark = _mark(algorithm)
    if mark is not None:
        mark.touch()


def _load_code(chunk: Chunk, number: int, send: Send) -> None:
    """Import modules and compile the loop unless it is interpreted, so that this does not count as running."""
    with heartbeat.running(number, str(chunk.cell.folder)) as noted:
        send(noted.beat())
        import duelbench.bandits.simulation.simulate  # noqa: F401
        from duelbench.bandits.simulation.engine import draw_wins

        if not _time_budget(chunk):
            draw_wins(0.5, 2, np.random.default_rng(0))  # Numba's first import can take seconds
            _load(chunk.cell)


def _load(cell: Cell) -> None:
    """Compile an algorithm or load it from disk, once per process for each form of its loop.

    Some algorithms have another form for many arms; for all, see `Terms.form`.
    """
    from duelbench.bandits.simulation.simulate import simulate_terms

    algorithm = cell.identity.algorithm
    form = algorithm, cell.identity.n_arms, cell.terms.form
    if form in _loaded:
        return
    _loaded.add(form)
    with contextlib.suppress(Exception):  # the runs will fail in the same way, and be reported
        if registry.get(algorithm).compiled:
            with _compiled_by_one(algorithm):
                simulate_terms(cell.terms.until(min(cell.terms.horizon, WARM_UP_ROUNDS)), 0)
                note_warm(algorithm)


def _time_budget(chunk: Chunk) -> float:
    """Seconds that this process may still interpret runs of a chunk."""
    return max(0.0, chunk.time_budget - _interpreted[chunk.cell.identity.algorithm])


@contextlib.contextmanager
def _compiled_by_one(algorithm: str) -> Iterator[None]:
    """Wait while another process compiles an algorithm, so that what it compiles is loaded from disk afterwards."""
    mark = _mark(algorithm)
    if mark is None or is_warm(algorithm):
        yield
        return
    with open(mark.with_name(f"{mark.name}.lock"), "wb") as lock:  # if its process is killed, the lock is released
        with contextlib.suppress(OSError):  # a file system without locks: it may be compiled twice
            system.lock(lock)
        yield


def is_warm(algorithm: str) -> bool:
    """Whether the compiled code of an algorithm is on disk, or there is nothing to compile."""
    import numba

    if getattr(numba.config, "DISABLE_JIT", False) or not registry.get(algorithm).compiled:
        return True
    mark = _mark(algorithm)
    return mark is not None and mark.exists()


def _mark(algorithm: str) -> Path | None:
    from duelbench.bandits.simulation.compiled_loops import mark_of_loop

    return mark_of_loop(registry.get(algorithm), "compiled")


def _run(chunk: Chunk, number: int, run: int, files: atomic.Background, send: Send) -> Report:
    """Do one run (0-based) of a chunk, and start writing its file."""
    from duelbench.bandits.kernels.interpreting import TimeIsUp

    cell, start = chunk.cell, time.perf_counter()
    try:
        with heartbeat.running(number, str(cell.folder), run) as noted, _interpreted_first(chunk):
            send(noted.beat())
            play = _simulate if is_ours(cell) else partial(_simulate_plug_in, chunk.is_alone)
            content = encode(play(cell, run, noted.watch), cell.identity, run)
    except TimeIsUp:  # from its beginning, compiled
        compiled = replace(chunk, time_budget=0.0)
        _load_code(compiled, number, send)
        return _run(compiled, number, run, files, send)
    except BaseException as error:  # anything that a plug-in raises, even SystemExit, fails its run
        return _failure(run, start, error)
    files.write(chunk.path(run), content)
    return Report(run, time.perf_counter() - start)


@contextlib.contextmanager
def _interpreted_first(chunk: Chunk) -> Iterator[None]:
    """While the context lasts, interpret the cell's runs until the time budget is used up."""
    from duelbench.bandits.kernels.interpreting import interpreted

    budget, start = _time_budget(chunk), time.monotonic()
    with interpreted(budget) if budget else contextlib.nullcontext():
        try:
            yield
        finally:
            if budget:
                _interpreted[chunk.cell.identity.algorithm] += time.monotonic() - start


def _simulate(cell: Cell, run: int, watch: Watch) -> Trace:
    from duelbench.bandits.simulation.simulate import simulate_terms

    return simulate_terms(cell.terms, run, watch=watch)


def _simulate_plug_in(is_alone: bool, cell: Cell, run: int, watch: Watch) -> Trace:
    """Play a run of third-party code, if the code has not changed since the cell was made."""
    from duelbench.bandits.simulation.global_randomness import untouched_global_randomness

    algorithm = registry.get(cell.identity.algorithm)
    decision = cell.matrix.decision if isinstance(cell.matrix, ScalarBandit) else None
    if registry.code_of(algorithm, decision) != cell.identity.code:
        raise InputError("the plug-in's code has changed since the command began; run the same command again")
    with untouched_global_randomness(python=is_alone):
        trace = _simulate(cell, run, watch)
    # Later processes digest these files with the code.
    third_party.keep_opened(registry.modules_of(algorithm, decision))
    return trace


def _failure(run: int, start: float, error: BaseException) -> Report:
    from duelbench.bandits.algorithms.dispatch import WrongAnswer

    try:
        words, details = str(error), traceback.format_exc()
    except Exception:  # an error of a plug-in that cannot even be shown
        words, details = "", ""
    if not (words and isinstance(error, (DuelbenchError, WrongAnswer))):
        words = f"{type(error).__name__}: {words}" if words.strip() else type(error).__name__
    place = third_party.place_of(error)
    at = f"({place})" if place and place not in words else ""
    return Report(run, time.perf_counter() - start, one_line(words, at), details)


def is_ours(cell: Cell) -> bool:
    """Whether everything that the cell runs is part of duelbench, without plug-ins."""
    return cell.identity.code is None
