"""Promise 7: kill it any way you like, run it again, get the same bytes."""

import os
import random
import resource
import signal
import subprocess
import time
from pathlib import Path

import pytest

from tests.runner.experiments import command, duelbench, files, write_spec

# Longer than the sprint of the runner, so that workers get their share.
WORK = {"horizon": 30_000_000, "runs": 30, "algorithms": ["rucb", "random"]}


@pytest.fixture(scope="module")
def uninterrupted(tmp_path_factory) -> dict[str, bytes]:
    folder = tmp_path_factory.mktemp("uninterrupted")
    write_spec(folder, **WORK)
    done = duelbench("run", "demo.yaml", "-j", 1, cwd=folder)
    assert done.returncode == 0, done.stderr
    return files(folder)


def start(folder: Path, *options: object) -> "subprocess.Popen[str]":
    """The command in a session of its own, as in a terminal window of its own."""
    return subprocess.Popen(
        command("run", "demo.yaml", *options),
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=_listen_to_ctrl_c,
    )


def _listen_to_ctrl_c() -> None:
    """A shell that starts the tests in the background has them ignore SIGINT, and their children inherit that."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def wait_for_files(folder: Path, count: int, process: "subprocess.Popen[str]") -> None:
    while len(list(folder.rglob("run-*.npz"))) < count and process.poll() is None:
        time.sleep(0.01)


def wait_for_workers(process: "subprocess.Popen[str]") -> None:
    deadline = time.monotonic() + 30
    while len(living_members(process.pid)) < 4 and time.monotonic() < deadline:  # itself, two workers, their tracker
        time.sleep(0.05)


def wait_for_the_end(process: "subprocess.Popen[str]") -> None:
    deadline = time.monotonic() + 5
    while living_members(process.pid) and time.monotonic() < deadline:
        time.sleep(0.05)


def living_members(session: int) -> list[str]:
    """Processes of a session that still run; zombies wait for whoever reaps orphans, and do nothing."""
    listed = subprocess.run(["ps", "-e", "-o", "sid=,stat=,pid="], capture_output=True, text=True, check=True).stdout
    rows = [line.split() for line in listed.splitlines()]
    return [pid for sid, state, pid in rows if int(sid) == session and not state.startswith("Z")]


def test_killed_at_random_instants_it_goes_on_to_the_same_bytes(tmp_path, uninterrupted):
    write_spec(tmp_path, **WORK)
    instants = random.Random(7)
    kept = 0
    for k in range(8):
        process = start(tmp_path, "-j", 1 + k % 2)
        wait_for_files(tmp_path, kept + 1, process)
        time.sleep(instants.uniform(0.0, 0.3) * (1 + k % 2))
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        kept = len(files(tmp_path))
        assert files(tmp_path).items() <= uninterrupted.items()
    assert 0 < kept < len(uninterrupted)
    assert duelbench("run", "demo.yaml", cwd=tmp_path).returncode == 0
    assert files(tmp_path) == uninterrupted
    assert not list(tmp_path.rglob(".tmp-*"))


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize("kind", [signal.SIGINT, signal.SIGTERM])
def test_interrupted_it_ends_at_once_with_130_and_says_how_to_go_on(tmp_path, uninterrupted, jobs, kind):
    write_spec(tmp_path, **WORK)
    process = start(tmp_path, "-j", jobs)
    wait_for_files(tmp_path, 1, process)
    if jobs > 1:
        wait_for_workers(process)
    before = time.monotonic()
    os.killpg(process.pid, kind) if kind == signal.SIGINT else os.kill(process.pid, kind)
    _, messages = process.communicate()
    assert time.monotonic() - before < 2.0
    kept = len(files(tmp_path))
    assert process.returncode == 130
    assert f"interrupted: {kept} of 60 runs are kept; run the same command to go on" in messages
    assert "Traceback" not in messages
    wait_for_the_end(process)
    assert living_members(process.pid) == []
    assert files(tmp_path).items() <= uninterrupted.items()


def test_a_run_that_takes_for_ever_does_not_delay_an_interruption(tmp_path):
    write_spec(tmp_path, horizon="1e12", runs=3, algorithms=["random"])
    process = start(tmp_path, "-j", 1)
    while not (tmp_path / "results" / "demo" / "manifest.json").exists():
        time.sleep(0.01)
    time.sleep(0.3)
    before = time.monotonic()
    process.send_signal(signal.SIGINT)
    process.communicate()
    assert time.monotonic() - before < 2.0
    assert process.returncode == 130


def test_no_worker_outlives_its_killed_parent(tmp_path):
    write_spec(tmp_path, horizon="1e10", runs=8, algorithms=["random"])
    process = start(tmp_path, "-j", 2)
    wait_for_workers(process)
    process.kill()
    wait_for_the_end(process)
    assert living_members(process.pid) == []
    process.communicate()


def test_two_invocations_at_once_do_no_harm(tmp_path, uninterrupted):
    write_spec(tmp_path, **WORK)
    both = [start(tmp_path, "-j", 1), start(tmp_path, "-j", 2)]
    for process in both:
        _, messages = process.communicate()
        assert process.returncode == 0, messages
    assert files(tmp_path) == uninterrupted


def test_a_full_disk_ends_with_exit_code_3_and_one_line(tmp_path, uninterrupted):
    """A limit on the size of files stands for the disk: the manifest fits, and no result does."""
    path = write_spec(tmp_path, **{**WORK, "checkpoints": 3000})
    process = subprocess.run(
        command("run", path, "-j", 1, "--quiet"),
        cwd=tmp_path,
        capture_output=True,
        text=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (5000, 5000)),
    )
    assert process.returncode == 3
    assert process.stderr.startswith("error: cannot write results: File too large")
    assert len(process.stderr.splitlines()) == 1
    assert files(tmp_path) == {}
    assert not list(tmp_path.rglob(".tmp-*"))


def test_a_folder_that_cannot_be_written_ends_with_exit_code_3_and_one_line(tmp_path):
    write_spec(tmp_path)
    done = duelbench("run", "demo.yaml", "--out", "/proc/results", "-j", 1, cwd=tmp_path)
    assert done.returncode == 3
    assert done.stderr.startswith("error: cannot write results: ")
    assert len(done.stderr.splitlines()) == 1
