"""What one process does: play runs, write their files, report. A run that fails costs nobody else anything."""

import contextlib
import gc
import os
import threading
import time
import traceback
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from duelbench.algorithms import foreign
from duelbench.errors import DuelbenchError, InputError
from duelbench.experiment.cells import Cell, run_file
from duelbench.experiment.failures import one_line
from duelbench.experiment.store import DamagedResult, read_key, write_run
from duelbench.problem.scalar_bandit import ScalarBandit
from duelbench.simulation.trace import Trace

WATCH_SECONDS = 0.5
"""How often a worker looks whether its parent still lives."""

WARM_UP_ROUNDS = 50

_loaded: set[str] = set()


@dataclass(frozen=True)
class Chunk:
    """Runs of one cell that are played one after the other.

    Parameters
    ----------
    number : int
        Of the chunk, for the one who handed it out.
    cell : Cell
    folder : Path
        Of the experiment.
    runs : tuple of int
        0-based.
    """

    number: int
    cell: Cell
    folder: Path
    runs: tuple[int, ...]


@dataclass(frozen=True)
class Report:
    """How a run went.

    Parameters
    ----------
    run : int
        0-based.
    seconds : float, optional
        From its start to its file, where that was measured.
    error : str, optional
        In one line, why there is no result.
    details : str
        The traceback of the error.
    is_unwritable : bool
        The run went well, but its file could not be written.
    """

    run: int
    seconds: float | None
    error: str | None = None
    details: str = ""
    is_unwritable: bool = False


def play(chunk: Chunk, stop: threading.Event | None = None) -> list[Report]:
    """Play the runs of a chunk and write their files.

    It ends early after a file that cannot be written, and when ``stop`` is set.
    """
    load_compiled_code(chunk.cell)
    reports = []
    for run in chunk.runs:
        reports.append(play_run(chunk, run))
        if reports[-1].is_unwritable or (stop and stop.is_set()):
            break
    return reports


def play_numbered(chunk: Chunk) -> tuple[int, list[Report]]:
    """`play` in a worker process, with the number of the chunk."""
    if chunk.cell.identity.algorithm not in _loaded:
        load_compiled_code(chunk.cell)
        gc.freeze()  # joblib collects garbage every second: 60 ms, if it looks at all that Numba has loaded
    return chunk.number, play(chunk)


def warm_up(cell: Cell) -> bool:
    """Compile the cell's algorithm and leave a mark that it is; return whether that worked.

    A failure is no news: the runs will fail in the same way, and be reported.
    """
    try:
        simulate_cell(cell, 0, min(cell.identity.horizon, WARM_UP_ROUNDS))
        note_warm(cell.identity.algorithm)
    except Exception:
        return False
    return True


def note_warm(algorithm: str) -> None:
    """Leave a mark that the compiled code of an algorithm is kept on disk."""
    _mark(algorithm).touch()


def load_compiled_code(cell: Cell) -> None:
    """Compile an algorithm or load it from disk, once per process, so that loading does not count as playing."""
    from duelbench.algorithms import registry

    algorithm = cell.identity.algorithm
    if algorithm in _loaded:
        return
    _loaded.add(algorithm)
    with contextlib.suppress(Exception):  # an algorithm that is not to be found here fails in every run
        if registry.get(algorithm).compiled:
            warm_up(cell)


def is_warm(algorithm: str) -> bool:
    """Whether the compiled code of an algorithm is kept on disk, or there is nothing to compile."""
    import numba

    from duelbench.algorithms import registry

    return (
        bool(getattr(numba.config, "DISABLE_JIT", False))
        or not registry.get(algorithm).compiled
        or _mark(algorithm).exists()
    )


def _mark(algorithm: str) -> Path:
    from duelbench.algorithms import registry
    from duelbench.algorithms.kernel import cache_folder

    code = registry.code_of(registry.get(algorithm))
    return cache_folder() / f"compiled-{algorithm}{f'-{code[:20]}' if code else ''}"


def play_run(chunk: Chunk, run: int) -> Report:
    """Play one run (0-based) of a chunk and write its file."""
    start = time.perf_counter()
    cell = chunk.cell
    try:
        trace = simulate_cell(cell, run, cell.identity.horizon) if is_ours(cell) else _simulate_foreign(cell, run)
    except BaseException as error:  # whatever a plug-in raises, sys.exit() included, is its run's failure
        return _failure(run, start, error)
    try:
        write_run(chunk.folder / cell.folder / run_file(run), trace, cell.identity, run)
    except OSError as error:
        reason = f"{error.strerror or error}: {error.filename or chunk.folder}"
        return Report(run, time.perf_counter() - start, reason, traceback.format_exc(), is_unwritable=True)
    except Exception as error:
        return _failure(run, start, error)
    return Report(run, time.perf_counter() - start)


def _simulate_foreign(cell: Cell, run: int) -> Trace:
    """Play a run of code that is not ours, if it still is the code that the cell was made for."""
    from duelbench.algorithms import registry
    from duelbench.simulation.global_randomness import untouched_global_randomness

    decision = cell.matrix.decision if isinstance(cell.matrix, ScalarBandit) else None
    if registry.code_of(registry.get(cell.identity.algorithm), decision) != cell.identity.code:
        raise InputError("the plug-in's code has changed since the command began; run the same command again")
    with untouched_global_randomness():
        return simulate_cell(cell, run, cell.identity.horizon)


def _failure(run: int, start: float, error: BaseException) -> Report:
    from duelbench.simulation.engine import WrongAnswer

    try:
        words, details = str(error), traceback.format_exc()
    except Exception:  # an error of a plug-in that cannot even be shown
        words, details = "", ""
    if not (words and isinstance(error, (DuelbenchError, WrongAnswer))):
        words = f"{type(error).__name__}: {words}" if words.strip() else type(error).__name__
    place = foreign.place_of(error)
    at = f"({place})" if place and place not in words else ""
    return Report(run, time.perf_counter() - start, one_line(words, at), details)


def is_ours(cell: Cell) -> bool:
    """Whether all that the cell plays is part of duelbench, and nothing plugged in."""
    return cell.identity.code is None


def is_there(chunk: Chunk) -> bool:
    """Whether the file of a chunk of one run is there and whole."""
    (run,) = chunk.runs
    try:
        return read_key(chunk.folder / chunk.cell.folder / run_file(run)) == chunk.cell.identity.key(run)
    except DamagedResult:
        return False


def simulate_cell(cell: Cell, run: int, horizon: int) -> Trace:
    """Play a run of a cell, up to the cell's horizon or a shorter one."""
    from duelbench.simulation.simulate import simulate

    identity = cell.identity
    return simulate(
        identity.algorithm,
        cell.matrix,
        horizon=horizon,
        seed=identity.seed,
        run=run,
        regret=identity.regret,
        checkpoints=[t for t in cell.checkpoints if t <= horizon],
        shuffle_arms=identity.shuffle_arms,
        feedback_delay=identity.feedback_delay,
        **identity.parameters,
    )


def become_worker(parent: int, plug_ins: Sequence[str] = ()) -> None:
    """At the start of a worker process: keep standard output clean, and do not outlive the process ``parent``."""
    os.dup2(2, 1)  # what an algorithm prints is not the answer of the command
    threading.Thread(target=_watch, args=(parent,), daemon=True).start()
    from duelbench.algorithms import registry

    registry.load_named_plug_ins(plug_ins)


def _watch(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(WATCH_SECONDS)
    os._exit(1)  # the parent was killed: nobody waits for what this process does
