"""How far a run is can be read while it is played, from its own process and from the one that waits for it."""

import contextlib
import os
import threading
from pathlib import PurePosixPath

import numba
import pytest
from numba.extending import overload

import duelbench
from duelbench.execution import pulse
from duelbench.execution.pulse import Pulse
from tests.execution.experiments import CYCLIC

CELL = PurePosixPath("rucb")


def test_the_array_that_is_watched_counts_the_rounds_and_changes_no_trace(tmp_path):
    (tmp_path / "cyclic.csv").write_text(CYCLIC)
    P = duelbench.PreferenceMatrix.load(tmp_path / "cyclic.csv")
    watched = []
    trace = duelbench.simulate("rucb", P, horizon=500, watch=watched.append)
    plain = duelbench.simulate("rucb", P, horizon=500)
    assert watched[0].sum() == trace.duels.sum() == 500
    assert (trace.regret == plain.regret).all() and (trace.duels == plain.duels).all()


def test_a_run_is_told_of_as_long_as_it_is_played(tmp_path):
    assert pulse.here() == []
    with pulse.playing(tmp_path, CELL, 3) as noted:
        (before,) = pulse.here()
        noted.watch(duelbench.simulate("random", [[0.5, 0.6], [0.4, 0.5]], horizon=70).duels)
        (after,) = pulse.here()
    assert (before.cell, before.run, before.rounds, before.compiling) == ("rucb", 3, 0, False)
    assert after.rounds == 70
    assert pulse.here() == []


def test_what_numba_compiles_is_noticed_by_itself(tmp_path):
    """Also what nobody foresaw, such as another form of an algorithm for many arms."""
    seen = []

    def typed(x):
        raise NotImplementedError

    @overload(typed)
    def compile_typed(x):
        seen.extend(pulse.here())  # Numba asks in the middle of compiling
        return lambda x: x

    function = numba.njit(lambda x: typed(x))
    with pulse.playing(tmp_path, CELL) as noted:
        function(1)
        (after,) = pulse.here()
    assert seen and all(told.compiling for told in seen)
    assert not after.compiling and noted.compiling_seconds > 0


@pytest.fixture
def telling(monkeypatch):
    """This process tells itself what it plays, as a worker tells its parent, whenever the test lets it."""
    beat, told = threading.Semaphore(0), threading.Semaphore(0)

    def wait_for_the_test(seconds):
        told.release()
        beat.acquire()

    monkeypatch.setattr(pulse, "BEAT_SECONDS", -1.0)
    monkeypatch.setattr(pulse.time, "sleep", wait_for_the_test)
    threading.Thread(target=pulse._tell, args=(os.getpid(),), daemon=True).start()
    assert told.acquire(timeout=60)

    def tell():
        beat.release()
        assert told.acquire(timeout=60)

    return tell


def test_a_worker_tells_of_a_run_and_that_it_is_over(tmp_path, telling):
    with pulse.playing(tmp_path, CELL, 3):
        telling()
        (told,) = pulse.elsewhere(tmp_path)
        assert (told.cell, told.run, told.rounds) == ("rucb", 3, 0)
    telling()
    assert pulse.elsewhere(tmp_path) == []
    pulse.remove(tmp_path)
    telling()
    assert os.listdir(tmp_path) == []  # a worker that plays nothing leaves nothing


def test_what_is_half_written_or_told_by_the_dead_is_not_believed(tmp_path):
    name = f"{os.getpid():032x}"
    record = b'["rucb", 3, 5, 1.5, false]'
    for content, process in ((b"", os.getpid()), (record[:9], os.getpid()), (b"\0\0", os.getpid()), (record, 2**30)):
        (tmp_path / f".tmp-{process}-{name}").write_bytes(content)
        assert pulse.elsewhere(tmp_path) == []
    (tmp_path / f".tmp-{os.getpid()}-{name}").write_bytes(record)
    assert pulse.elsewhere(tmp_path) == [Pulse("rucb", 3, 5, 1.5, False)]


def test_where_nothing_can_be_written_nothing_is_told_and_nothing_breaks(tmp_path, telling):
    (tmp_path / "file").write_bytes(b"")
    with contextlib.suppress(OSError), pulse.playing(tmp_path / "file", CELL, 3):
        telling()
    telling()
    assert os.listdir(tmp_path) == ["file"]
