"""Runs on a Dask cluster of real processes: the same bytes, whatever happens to its workers."""

import contextlib
import shutil
import signal
import subprocess
import sys
import threading
import time
from importlib.util import find_spec
from pathlib import Path

import pytest

from duelbench.actions.running import check_backend
from duelbench.algorithms import registry
from duelbench.errors import InputError, RunsFailed
from duelbench.execution.cluster import client, plug_in_files
from duelbench.execution.plan import prepare
from duelbench.execution.runner import execute
from duelbench.execution.worker import Report
from duelbench.version import VERSION
from tests.execution.dask_cluster import Workers, workers
from tests.execution.experiments import command, files, plan_of, play, write_spec

pytestmark = [
    pytest.mark.xdist_group("dask"),
    pytest.mark.skipif(find_spec("distributed") is None, reason="Dask is not installed: pip install 'duelbench[dask]'"),
]

RUNS = {"runs": 12, "shuffle_arms": True}
WAIT_SECONDS = 60.0

SLEEPER = """
import os, time
from pathlib import Path
from duelbench.algorithms.baselines import RANDOM
from dataclasses import replace
from helping import nap


class State(RANDOM.state):
    pass


def select(state, t, rng):
    if t == 2:
        nap()
    return RANDOM.select(state, t, rng)


SLEEPER = replace(
    RANDOM, id="sleeper", name="Sleeper", state=State, compiled=False, select=select, pair_probability=None,
    start=lambda *arguments: State(*RANDOM.start(*arguments)),
)
"""


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    """A scheduler with two workers."""
    with workers(tmp_path_factory.mktemp("dask"), 2) as cluster:
        yield cluster


@pytest.fixture
def bare(tmp_path_factory):
    """A scheduler without workers."""
    with workers(tmp_path_factory.mktemp("dask"), 0) as cluster:
        yield cluster


@pytest.fixture(scope="module")
def alone(tmp_path_factory) -> dict[str, bytes]:
    """The files of the experiment, played by one process of this machine."""
    folder = tmp_path_factory.mktemp("alone")
    play(folder, **RUNS)
    return files(folder)


@contextlib.contextmanager
def connected(cluster: Workers):
    """The cluster as `execute` takes it."""
    with contextlib.closing(client.connect(cluster.address)) as connection:
        yield connection


def play_on(cluster: Workers, folder: Path, **changes):
    """Play the experiment on a cluster."""
    plan = plan_of(folder, **{**RUNS, **changes})
    prepare(plan)
    with connected(cluster) as connection:
        return execute(plan, jobs=connection.n_threads, cluster=connection)


@contextlib.contextmanager
def unseen(_):
    """In the place of a marker in the experiment's folder: a name that no worker sees there."""
    yield "no-such-file"


def test_results_that_travel_back_are_those_of_one_machine(tmp_path, cluster, alone, monkeypatch):
    monkeypatch.setattr(client, "_marker", unseen)
    outcome = play_on(cluster, tmp_path)
    assert (outcome.n_done, outcome.failures) == (24, [])
    assert files(tmp_path) == alone


@pytest.mark.thorough
def test_results_in_a_shared_folder_are_those_of_one_machine(tmp_path, cluster, alone, monkeypatch):
    travelled = []
    monkeypatch.setattr(client.atomic.Background, "write", lambda *what: travelled.append(what))  # of this process
    outcome = play_on(cluster, tmp_path)
    assert (outcome.n_done, outcome.failures, travelled) == (24, [], [])
    assert files(tmp_path) == alone
    assert not list((tmp_path / "results" / "demo").glob(".*"))


def test_a_file_that_does_not_arrive_as_it_was_sent_is_no_result(tmp_path):
    play(tmp_path)
    plan = plan_of(tmp_path)
    chunk = client.Chunk(plan.cells[0].cell, plan.folder, (0, 1))
    sent = {run: (plan.folder / f"rucb/run-0000{run}.npz").read_bytes() for run in (0, 1)}
    reports = [Report(0, 1.0), Report(1, 1.0)]
    assert client._checked(chunk, reports, sent) == (chunk, reports, sent)
    _, told, kept = client._checked(chunk, reports, {0: sent[0], 1: sent[1][:-1]})
    assert [report.error for report in told] == [None, "its file did not arrive as it was sent"]
    assert list(kept) == [0]
    assert list(client._checked(chunk, reports, {0: sent[1], 1: sent[1]})[2]) == [1]  # a whole file of another run


def wait_until(is_so) -> None:
    end = time.monotonic() + WAIT_SECONDS
    while not is_so():
        assert time.monotonic() < end
        time.sleep(0.05)


@pytest.fixture
def sleeper(tmp_path, monkeypatch, load):
    """A plug-in of two files that says that a run has begun, and goes on with it when it may."""
    folder = tmp_path / "plug-in"
    folder.mkdir()
    (folder / "sleeper.py").write_text(SLEEPER)
    (folder / "helping.py").write_text(
        "import time, uuid\nfrom pathlib import Path\n"
        f"TOP = Path({str(tmp_path)!r})\n"
        "def nap():\n"
        "    (TOP / f'begun-{uuid.uuid4().hex}').touch()\n"
        "    while not (TOP / 'go').exists():\n"
        "        time.sleep(0.05)\n"
    )
    monkeypatch.delitem(sys.modules, "helping", raising=False)  # that of another test
    load(folder / "sleeper.py")
    return lambda: len(list(tmp_path.glob("begun-*")))


@pytest.mark.thorough
def test_a_worker_is_killed_and_another_one_joins_in_the_middle(tmp_path, bare, sleeper, monkeypatch):
    """Of the first, which has one thread and a run in its hands, nothing is lost but time; the second has the rest."""
    monkeypatch.setattr(client, "_marker", unseen)
    first = bare.add()
    outcomes = []
    changes = {"algorithms": ["sleeper"], "runs": 6, "horizon": 20}
    player = threading.Thread(target=lambda: outcomes.append(play_on(bare, tmp_path, **changes)))
    player.start()
    wait_until(lambda: sleeper() == 1)
    second = bare.add(n_threads=2)
    wait_until(lambda: sleeper() == 3)  # it is given work at once, though the first one plays on
    first.kill()
    wait_until(lambda: second.poll() is None)
    (tmp_path / "go").touch()
    player.join(WAIT_SECONDS)
    (outcome,) = outcomes
    assert (outcome.n_done, outcome.failures) == (6, [])
    there = files(tmp_path)
    play(tmp_path / "alone", **{**RUNS, **changes})
    assert there == files(tmp_path / "alone")


@pytest.mark.thorough
def test_it_is_told_how_far_long_runs_are(tmp_path, cluster, sleeper):
    plan = plan_of(tmp_path, algorithms=["sleeper"], runs=1, horizon=20)
    prepare(plan)
    with connected(cluster) as connection:
        player = threading.Thread(target=lambda: execute(plan, jobs=2, cluster=connection))
        player.start()
        wait_until(connection.pulses)
        (pulse,) = connection.pulses()
        (tmp_path / "go").touch()
        player.join(WAIT_SECONDS)
        assert (pulse.cell, pulse.run) == ("sleeper", 0) and pulse.seconds > 1.0
        assert connection.pulses() == []


def test_the_sources_of_a_plug_in_are_put_where_the_same_code_is_loaded_of_them(tmp_path, sleeper, load):
    plug_in = plug_in_files.take(*registry.named_plug_ins)
    code = registry.code_of(registry.get("sleeper"))
    assert [place for place, _ in plug_in.files] == ["helping.py", "sleeper.py"]
    name = plug_in_files.put(plug_in)
    assert Path(name).name == "sleeper.py" and not Path(name).is_relative_to(tmp_path)
    shutil.rmtree(tmp_path / "plug-in")
    sys.modules.pop("helping", None)
    load(name)
    assert registry.code_of(registry.get("sleeper")) == code


def test_a_scheduler_that_is_not_there_is_said_at_once(monkeypatch):
    monkeypatch.setattr(client, "CONNECT_SECONDS", 0.5)
    for address in ("tcp://127.0.0.1:1", "127.0.0.1:1", "nonsense://x", "tcp://no-such-host.invalid:8786"):
        with pytest.raises(InputError, match=f"^--scheduler {address}: no Dask scheduler answers there"):
            client.connect(address)


def test_a_scheduler_file_that_is_gone_is_said_at_once(tmp_path):
    for address in (str(tmp_path / "scheduler.json"), "nonsense"):
        with pytest.raises(InputError, match="there is no such file, and it is no address"):
            client.connect(address)


def test_a_scheduler_that_ends_while_a_worker_is_waited_for_is_said_in_one_line():
    class Gone:
        def submit(self, *_, **__):
            raise client.CancelledError("scheduler-connection-lost")

    with pytest.raises(InputError, match=r"^--scheduler here:1: the scheduler is gone \(CancelledError\)"):
        client.Cluster(Gone(), "here:1").check()


def test_without_an_address_it_is_said_which_option_gives_it(monkeypatch):
    with pytest.raises(InputError, match="--scheduler tcp://HOST:8786"):
        client.connect(None)


def test_without_dask_it_is_said_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(InputError, match=r"pip install 'duelbench\[dask\]'$"):
        client.connect("tcp://127.0.0.1:1")


def worker_with(source: str | None, folder: Path, cluster: Workers) -> None:
    """Start a worker whose duelbench consists of a file that says its version, or that has none."""
    package = folder / "elsewhere" / "duelbench"
    package.mkdir(parents=True)
    (package / "__init__.py").touch()
    if source:
        (package / "version.py").write_text(source)
    cluster.add(PYTHONPATH=str(package.parent))


def test_a_scheduler_without_workers_or_with_a_worker_of_another_version_is_refused(tmp_path, bare, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(client, "WORKERS_SECONDS", 0.5)
        with pytest.raises(InputError, match="it has no workers; start some"):
            client.connect(bare.address)
    worker_with("VERSION = '99.1'", tmp_path, bare)
    with pytest.raises(InputError, match=rf"has duelbench 99\.1, and this is duelbench {VERSION}: install the same"):
        client.connect(bare.address)


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("source", "words"),
    [(f"VERSION = {VERSION!r}", f"other sources of duelbench {VERSION}, and this is"), (None, "has no duelbench, and")],
)
def test_a_worker_with_other_sources_or_none_is_refused(tmp_path, bare, source, words):
    worker_with(source, tmp_path, bare)
    with pytest.raises(InputError, match=words):
        client.connect(bare.address)


@pytest.mark.thorough
def test_when_the_scheduler_is_lost_what_is_over_is_kept(tmp_path, bare, sleeper, monkeypatch):
    monkeypatch.setattr(client, "_marker", unseen)
    bare.add()
    errors = []

    def lose() -> None:
        try:
            play_on(bare, tmp_path, algorithms=["random", "sleeper"], runs=4)
        except RunsFailed as error:
            errors.append(str(error))

    player = threading.Thread(target=lose)
    player.start()
    wait_until(lambda: sleeper() == 1 and len(files(tmp_path)) >= 1)
    bare.scheduler.kill()
    player.join(WAIT_SECONDS)
    assert "is gone" in errors[0] and "run the same command to go on" in errors[0]
    (tmp_path / "go").touch()
    assert len(files(tmp_path)) >= 1
    assert play(tmp_path, **{**RUNS, "algorithms": ["random", "sleeper"], "runs": 4}).failures == []


@pytest.mark.thorough
def test_runs_that_cost_all_their_workers_end_the_experiment(tmp_path, bare, sleeper, monkeypatch):
    """joblib's own backend waits for ever."""
    monkeypatch.setattr(client, "_marker", unseen)
    errors = []

    def lose() -> None:
        try:
            play_on(bare, tmp_path, algorithms=["sleeper"], runs=2)
        except RunsFailed as error:
            errors.append(str(error))

    bare.add()
    player = threading.Thread(target=lose)
    player.start()
    for count in range(1, 5):
        wait_until(lambda count=count: sleeper() == count)
        worker = bare.processes[-1]
        if count < 4:
            bare.add()
        worker.kill()
    player.join(WAIT_SECONDS)
    assert errors and errors[0].startswith("the cluster lost 4 workers")


@pytest.mark.thorough
@pytest.mark.parametrize("kind", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_an_interrupted_command_leaves_nothing_playing(tmp_path, bare, sleeper, kind):
    bare.add()
    spec = write_spec(tmp_path, algorithms=["random", "sleeper"])
    plug_in = tmp_path / "plug-in" / "sleeper.py"
    arguments = command("run", spec, "--backend", "dask", "--scheduler", bare.address, "--plug-in", plug_in)
    with subprocess.Popen(arguments, cwd=tmp_path, stderr=subprocess.PIPE, text=True) as process:
        wait_until(lambda: sleeper() == 1)
        process.send_signal(kind)
        _, said = process.communicate(timeout=WAIT_SECONDS)
    if kind != signal.SIGKILL:
        assert process.returncode == 130
        assert "runs are kept; run the same command to go on" in said.splitlines()[-1]
    children = Path(f"/proc/{bare.processes[0].pid}/task/{bare.processes[0].pid}/children")
    wait_until(lambda: not any(is_playing(pid) for pid in children.read_text().split()))


def is_playing(pid: str) -> bool:
    """Whether a process is one that plays runs, and lives."""
    with contextlib.suppress(OSError):
        is_dead = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
        return b"processes import serve" in Path(f"/proc/{pid}/cmdline").read_bytes() and not is_dead
    return False


@pytest.mark.parametrize(
    ("backend", "scheduler", "words"),
    [
        ("slurm", None, "there is no such backend"),
        ("local", "tcp://127.0.0.1:8786", "add --backend dask"),
    ],
)
def test_backends_that_make_no_sense_are_refused(backend, scheduler, words):
    with pytest.raises(InputError, match=words):
        check_backend(backend, scheduler)
