"""Runs on a Dask cluster of real processes: the same bytes, whatever happens to its workers."""

import shutil
import subprocess
import sys
import threading
import time
from importlib.util import find_spec
from pathlib import Path

import pytest

import duelbench
from duelbench.errors import InputError, RunsFailed
from duelbench.experiments.execution import cluster as client
from duelbench.experiments.running import check_backend
from duelbench.version import VERSION
from tests.experiments.execution.dask_cluster import Workers, workers
from tests.experiments.execution.experiments import command, files, play, write_spec
from tests.faults.killing import is_alive

pytestmark = [
    pytest.mark.xdist_group("dask"),
    pytest.mark.skipif(find_spec("distributed") is None, reason="Dask is not installed: pip install 'duelbench[dask]'"),
]

WAIT_SECONDS = 60.0

SLEEPER = """
import os, time
from duelbench.bandits.algorithms.baselines import RANDOM
from dataclasses import replace
from helping import nap


class State(RANDOM.state):
    pass


def select(state, t, rng):
    if t == 2:
        nap()
    return 0, 1, 1


SLEEPER = replace(
    RANDOM, id="sleeper", name="Sleeper", state=State, compiled=False, select=select, pair_probability=None,
    start=lambda *arguments: State(*RANDOM.start(*arguments)),
)
"""

NAP = """
import os, time
from pathlib import Path
def nap():
    (Path({folder!r}) / f"begun-{{os.getpid()}}").touch()
    while not (Path({folder!r}) / "go").exists():
        try:
            return (Path({folder!r}) / "one-may-go").unlink()
        except FileNotFoundError:
            time.sleep(0.05)
"""

BOTH = {"algorithms": ["random", "sleeper"], "runs": 4, "horizon": 20}


@pytest.fixture
def cluster(tmp_path_factory):
    """A scheduler without workers."""
    with workers(tmp_path_factory.mktemp("dask")) as cluster:
        yield cluster


@pytest.fixture
def begun(tmp_path, monkeypatch, load, untried):
    """A plug-in of two files that says that a run has begun, and goes on with it when it may; how many have."""
    for name, text in (("sleeper.py", SLEEPER), ("helping.py", NAP.format(folder=str(tmp_path)))):
        (tmp_path / "plug-in").mkdir(exist_ok=True)
        (tmp_path / "plug-in" / name).write_text(text)
    monkeypatch.delitem(sys.modules, "helping", raising=False)  # that of another test
    load(tmp_path / "plug-in" / "sleeper.py")
    return lambda: len(list(tmp_path.glob("begun-*")))


def wait_until(is_so) -> None:
    end = time.monotonic() + WAIT_SECONDS
    while not is_so():
        assert time.monotonic() < end
        time.sleep(0.05)


class Playing(threading.Thread):
    """Plays an experiment on a cluster, beside the test, which decides what becomes of its workers."""

    def __init__(self, cluster: Workers, folder: Path, **changes) -> None:
        super().__init__()
        self.error = ""
        self._spec, self._out = write_spec(folder, **changes), folder / "results"
        self._options = {"backend": "dask", "scheduler": cluster.address, "quiet": True}
        self.start()

    def run(self) -> None:
        try:
            duelbench.run(self._spec, self._out, **self._options)
        except RunsFailed as error:
            self.error = str(error)


@pytest.mark.thorough
def test_results_are_those_of_one_machine_though_a_worker_is_killed_and_another_one_joins(tmp_path, cluster, begun):
    """They travel back where workers do not see their folder, which can be had on Linux; a plug-in's sources travel."""
    hidden: Path | None = tmp_path / "here" / "results"
    hidden.mkdir(parents=True)
    if shutil.which("unshare") is None or subprocess.run(["unshare", "-rm", "true"]).returncode:
        hidden = None
    first = cluster.add(hidden)
    playing = Playing(cluster, tmp_path / "here", **BOTH)
    wait_until(lambda: begun() == 1)
    cluster.add(hidden)
    wait_until(lambda: begun() == 2)  # it is given work at once, though the first one plays on
    first.kill()
    (tmp_path / "go").touch()
    playing.join(WAIT_SECONDS)
    assert playing.error == ""
    play(tmp_path / "alone", **BOTH)
    assert files(tmp_path / "here") == files(tmp_path / "alone") and len(files(tmp_path / "alone")) == 8


@pytest.mark.thorough
@pytest.mark.parametrize("lost", ["the scheduler", "all workers"])
def test_a_cluster_that_is_lost_ends_the_call_or_is_waited_for_and_what_is_over_is_kept(tmp_path, cluster, begun, lost):
    worker = cluster.add()
    playing = Playing(cluster, tmp_path / "here", **BOTH)
    wait_until(lambda: begun() == 1)
    (cluster.scheduler if lost == "the scheduler" else worker).kill()
    (tmp_path / "go").touch()
    if lost == "all workers":
        cluster.add()  # what was begun is tried again where there is a worker again
    playing.join(WAIT_SECONDS)
    assert not playing.is_alive()
    assert ("is gone" in playing.error and "run the same command" in playing.error) or lost == "all workers"
    play(tmp_path / "alone", **BOTH)
    whole = files(tmp_path / "alone")
    found = files(tmp_path / "here")
    assert found == whole if lost == "all workers" else found.items() <= whole.items()


@pytest.mark.thorough
def test_a_worker_and_the_scheduler_are_killed_and_the_same_command_completes_the_rest(tmp_path, cluster, begun):
    here = tmp_path / "here"
    first, _ = cluster.add(), cluster.add()
    playing = Playing(cluster, here, **BOTH)
    wait_until(lambda: begun() == 2)
    (tmp_path / "one-may-go").touch()
    wait_until(lambda: files(here, "sleeper"))
    first.kill()
    wait_until(lambda: not is_alive(first.pid))
    cluster.scheduler.kill()
    playing.join(WAIT_SECONDS)
    assert not playing.is_alive() and "run the same command" in playing.error
    kept = {path: path.stat().st_mtime_ns for path in here.rglob("run-*.npz")}
    assert 1 <= len(kept) <= 5  # one sleeper, and what the others left room for

    (tmp_path / "go").touch()
    cluster.start_scheduler_again()
    cluster.add()
    cluster.add()
    again = Playing(cluster, here, **BOTH)
    again.join(WAIT_SECONDS)
    assert not again.is_alive() and again.error == ""
    assert kept == {path: path.stat().st_mtime_ns for path in kept}, "a whole run was played again"
    play(tmp_path / "alone", **BOTH)
    assert files(here) == files(tmp_path / "alone") and len(files(here)) == 8


@pytest.mark.thorough
def test_a_killed_command_leaves_nothing_playing(tmp_path, cluster, begun):
    cluster.add()
    plug_in = tmp_path / "plug-in" / "sleeper.py"
    options = ("--scheduler", cluster.address, "--plug-in", plug_in)
    arguments = command("run", write_spec(tmp_path, **BOTH), *options)
    with subprocess.Popen(arguments, cwd=tmp_path, stderr=subprocess.PIPE, text=True) as process:
        wait_until(lambda: begun() == 1)
        process.kill()
        process.communicate(timeout=WAIT_SECONDS)
    (player,) = (path.name.partition("-")[2] for path in tmp_path.glob("begun-*"))
    wait_until(lambda: not is_alive(int(player)))


@pytest.mark.thorough
def test_a_worker_of_another_version_is_refused(tmp_path, cluster):
    package = tmp_path / "elsewhere" / "duelbench"
    package.mkdir(parents=True)
    (package / "__init__.py").touch()
    (package / "version.py").write_text("VERSION = '99.1'")
    cluster.add(PYTHONPATH=str(package.parent))
    with pytest.raises(InputError, match=rf"duelbench 99\.1 \(.*\), and this is duelbench {VERSION} "):
        duelbench.run(write_spec(tmp_path), tmp_path / "results", backend="dask", scheduler=cluster.address)
    assert not (tmp_path / "results").exists()


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("tcp://127.0.0.1:1", "no Dask scheduler answers there"),
        ("no-such-scheduler.json", "there is no such file"),
        (None, "such as tcp://HOST:8786"),
    ],
)
def test_a_scheduler_that_is_not_there_is_said_at_once(tmp_path, monkeypatch, address, words):
    monkeypatch.setattr(client, "CONNECT_SECONDS", 0.2)
    with pytest.raises(InputError, match=words):
        duelbench.run(write_spec(tmp_path), tmp_path / "results", backend="dask", scheduler=address)
    assert not (tmp_path / "results").exists()


def test_without_dask_it_is_said_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(InputError, match=r"pip install 'duelbench\[dask\]'$"):
        duelbench.run(write_spec(tmp_path), tmp_path / "results", backend="dask", scheduler="tcp://127.0.0.1:1")


@pytest.mark.parametrize(("backend", "scheduler"), [("slurm", None), ("local", "tcp://127.0.0.1:8786")])
def test_backends_that_make_no_sense_are_refused(backend, scheduler):
    with pytest.raises(InputError, match="dask"):
        check_backend(backend, scheduler)
