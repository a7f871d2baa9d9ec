"""An algorithm is compiled by one process, and loaded by the others."""

import fcntl
from pathlib import Path

import numba
import pytest

from duelbench.execution import worker


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
