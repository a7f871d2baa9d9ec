"""An algorithm is compiled by one process, and loaded by the others."""

import fcntl
import itertools
from collections import defaultdict
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numba
import pytest

from duelbench.execution import worker
from duelbench.kernels import interpreting
from duelbench.results.cells import cells
from duelbench.simulation import compiled_loops
from tests.execution.experiments import spec_of


def is_free(lock: Path) -> bool:
    with open(lock, "wb") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
    return True


@pytest.fixture
def mark(tmp_path, monkeypatch) -> Path:
    """The mark of an algorithm that is not compiled yet."""
    mark = tmp_path / "compiled-rucb"
    monkeypatch.setattr(worker, "_mark", lambda algorithm: mark)
    monkeypatch.setattr(worker, "is_warm", lambda algorithm: mark.exists())
    return mark


def test_while_a_process_compiles_an_algorithm_others_wait_and_afterwards_nobody_does(mark):
    lock = mark.with_name("compiled-rucb.lock")
    with worker._compiled_by_one("rucb"):
        assert not is_free(lock)
        worker.note_warm("rucb")
    assert is_free(lock)
    lock.unlink()
    with worker._compiled_by_one("rucb"):
        assert not lock.exists()


def test_what_one_loop_plays_is_warm_together():
    assert worker._mark("d-ts") == worker._mark("d-ts-pure") != worker._mark("rucb")
    assert worker._mark("savage-copeland") != worker._mark("savage-condorcet")  # of which the decision is a part


def test_what_was_compiled_for_another_processor_is_not_warm(monkeypatch):
    here = worker._mark("rucb")
    monkeypatch.setattr(numba.config, "CPU_NAME", "x86-64-v3")
    named = worker._mark("rucb")
    monkeypatch.setattr(numba.config, "CPU_FEATURES", "")
    assert len({here, named, worker._mark("rucb")}) == 3


@pytest.fixture
def chunk(tmp_path, monkeypatch) -> worker.Chunk:
    """One run, of which this process has interpreted none."""
    monkeypatch.setattr(worker, "_interpreted", defaultdict(float))
    cell = cells(spec_of(tmp_path))[0]
    return worker.Chunk(cell, tmp_path / "results", (0,), patience=60.0)


@pytest.fixture
def loaded(monkeypatch) -> list[str]:
    """The algorithms that are compiled or loaded from now on."""
    algorithms: list[str] = []
    monkeypatch.setattr(worker, "_load", lambda cell: algorithms.append(cell.identity.algorithm))
    return algorithms


def played(chunk: worker.Chunk) -> bytes:
    """The file of its run."""
    (report,) = worker.play(chunk)
    assert report.error is None
    return next(chunk.folder.rglob("*.npz")).read_bytes()


def test_an_interpreted_run_has_the_same_file_and_nothing_is_compiled_for_it(chunk, loaded, monkeypatch):
    with monkeypatch.context() as without:
        without.setattr(compiled_loops, "_compiled_loop", None)
        interpreted = played(chunk)
    assert loaded == []
    assert played(replace(chunk, patience=0.0)) == interpreted and loaded == ["rucb"]


def test_a_process_that_has_lost_its_patience_compiles_and_plays_the_run_from_its_beginning(chunk, loaded, monkeypatch):
    """Every call of a kernel takes a second of this clock, so that it is lost in the middle of the run."""
    compiled = played(replace(chunk, patience=0.0))
    now = itertools.count()
    monkeypatch.setattr(interpreting, "time", SimpleNamespace(monotonic=lambda: next(now)))
    loaded.clear()
    assert played(replace(chunk, patience=1000.0)) == compiled and loaded == ["rucb"]
    assert next(now) == 1002


def test_the_patience_of_a_process_is_for_all_runs_of_an_algorithm_together(chunk, loaded):
    played(chunk)
    spent = worker._interpreted["rucb"]
    assert worker._patience(chunk) == 60.0 - spent < 60.0
    assert worker._patience(replace(chunk, patience=spent / 2)) == 0.0
