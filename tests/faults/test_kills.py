"""Promise 7: kill it any way you like, run it again, get the same bytes."""

import os
import random
import resource
import signal
import subprocess
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.execution.experiments import command, duelbench, files, write_spec
from tests.faults.killing import WORK, Uninterrupted, kill_and_go_on, play_uninterrupted, start
from tests.selection import quick

pytestmark = pytest.mark.xdist_group("kills")  # what its fixtures make is made once


@pytest.fixture(scope="module")
def whole(tmp_path_factory) -> Uninterrupted:
    return play_uninterrupted(tmp_path_factory.mktemp("uninterrupted"), WORK)


@pytest.fixture(scope="module")
def uninterrupted(whole) -> dict[str, bytes]:
    return whole.files


LONG_ENOUGH = 120.0
"""Seconds. What has not happened by then, on a machine however busy, does not happen."""


def wait_until(is_so: Callable[[], object], what: str) -> None:
    """Fail where something does not come about."""
    deadline = time.monotonic() + LONG_ENOUGH
    while not is_so():
        assert time.monotonic() < deadline, what
        time.sleep(0.02)


def messages_at_the_end(process: "subprocess.Popen[str]") -> str:
    """What the command said; it fails where the command does not end, and then ends it."""
    try:
        return process.communicate(timeout=LONG_ENOUGH)[1]
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        pytest.fail("the command hangs")


def wait_for_files(folder: Path, count: int, process: "subprocess.Popen[str]") -> None:
    wait_until(
        lambda: len(list(folder.rglob("run-*.npz"))) >= count or process.poll() is not None,
        f"there are no {count} files",
    )


def wait_for_workers(process: "subprocess.Popen[str]") -> None:
    """Itself and two workers."""
    wait_until(lambda: len(living_members(process.pid)) >= 3 or process.poll() is not None, "no workers were started")


def wait_for_a_line(process: "subprocess.Popen[str]", words: str) -> None:
    """Read what the command says of its progress until it says these words."""
    assert process.stderr is not None
    impatience = threading.Timer(LONG_ENOUGH, process.kill)
    impatience.start()
    said = next((line for line in process.stderr if words in line), None)
    impatience.cancel()
    assert said is not None, f"the command does not say {words!r}"


def wait_for_the_end(process: "subprocess.Popen[str]") -> None:
    wait_until(lambda: not living_members(process.pid), "a worker outlives the command")


def living_members(session: int) -> list[str]:
    """Processes of a session that still run; zombies wait for whoever reaps orphans, and do nothing."""
    listed = subprocess.run(["ps", "-e", "-o", "sid=,stat=,pid="], capture_output=True, text=True, check=True).stdout
    rows = [line.split() for line in listed.splitlines()]
    return [pid for sid, state, pid in rows if int(sid) == session and not state.startswith("Z")]


@pytest.mark.parametrize("instants", quick([4, 20], 4, slow=[20]))
def test_killed_at_random_instants_it_goes_on_to_the_same_bytes(tmp_path, whole, instants):
    tally = kill_and_go_on(tmp_path, whole, instants, random.Random(7))
    assert sum(tally.kills.values()) == instants and len(tally.kills) > (2 if instants == 20 else 0)
    assert tally.bytes_lost == 0


MUCH_WORK = {**WORK, "runs": 5000}
"""Minutes: it does not come to its end while the tests wait for what is to happen."""


HOW_INTERRUPTED = [
    (kind, options)
    for kind in (signal.SIGINT, signal.SIGTERM)
    for options in (("-j", 1), ("-j", 2), ("-j", 2, "--run-timeout", 600))
]


@pytest.mark.parametrize(
    ("kind", "options"), quick(HOW_INTERRUPTED, (signal.SIGINT, ("-j", 2)), (signal.SIGTERM, ("-j", 1))), ids=str
)
def test_interrupted_it_ends_at_once_with_130_and_says_how_to_go_on(tmp_path, uninterrupted, options, kind):
    write_spec(tmp_path, **MUCH_WORK)
    process = start(tmp_path, *options)
    wait_for_files(tmp_path, 1, process)
    if options == ("-j", 2):
        wait_for_workers(process)
    os.killpg(process.pid, kind) if kind == signal.SIGINT else os.kill(process.pid, kind)
    messages = messages_at_the_end(process)
    kept = len(files(tmp_path))
    assert kept < 10_000
    assert process.returncode == 130
    assert f"interrupted: {kept} of 10000 runs are kept; run the same command to go on" in messages
    assert "Traceback" not in messages
    wait_for_the_end(process)
    found = files(tmp_path)
    assert all(found[name] == content for name, content in uninterrupted.items() if name in found)


def test_nothing_is_left_when_the_terminal_is_closed(tmp_path):
    write_spec(tmp_path, **MUCH_WORK)
    process = start(tmp_path, "-j", 2)
    wait_for_workers(process)
    os.killpg(process.pid, signal.SIGHUP)
    messages_at_the_end(process)
    wait_for_the_end(process)


def test_an_endless_run_does_not_delay_an_interruption(tmp_path):
    write_spec(tmp_path, horizon="1e12", runs=3, algorithms=["uniform"])
    process = start(tmp_path, "-j", 1)
    wait_for_a_line(process, " rounds/s")  # compiled code plays
    process.send_signal(signal.SIGINT)
    messages_at_the_end(process)
    assert process.returncode == 130


@pytest.mark.parametrize("options", [(), ("--run-timeout", 600)], ids=str)
def test_no_worker_outlives_its_killed_parent(tmp_path, options):
    write_spec(tmp_path, horizon="1e10", runs=8, algorithms=["uniform"])
    process = start(tmp_path, "-j", 2, *options)
    wait_for_workers(process)
    process.kill()
    wait_for_the_end(process)
    process.communicate()


def test_two_invocations_at_once_do_no_harm(tmp_path, uninterrupted):
    write_spec(tmp_path, **WORK)
    both = [start(tmp_path, "-j", 1), start(tmp_path, "-j", 2)]
    for process in both:
        messages = messages_at_the_end(process)
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


def test_a_folder_that_cannot_be_written_ends_with_exit_code_2_and_one_line(tmp_path):
    write_spec(tmp_path)
    done = duelbench("run", "demo.yaml", "--out", "/proc/results", "-j", 1, cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr.startswith("error: cannot write results: ")
    assert len(done.stderr.splitlines()) == 1
