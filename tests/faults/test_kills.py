"""Promise 7: kill it any way you like, run it again, get the same bytes."""

import os
import random
import resource
import signal
import threading
import time

import pytest

import duelbench
from duelbench.errors import InputError, RunsFailed
from tests.experiments.execution.experiments import files, play, write_spec
from tests.faults.killing import (
    LONG_ENOUGH,
    MUCH_WORK,
    WORK,
    kill_and_go_on,
    messages_at_the_end,
    play_uninterrupted,
    start,
    wait_for_files,
    wait_for_the_end,
    wait_for_workers,
)
from tests.faults.test_endless import start_endless
from tests.selection import times


@pytest.fixture(scope="module")
def uninterrupted(tmp_path_factory) -> dict[str, bytes]:
    return play_uninterrupted(tmp_path_factory.mktemp("uninterrupted"), WORK)


@pytest.mark.thorough
def test_killed_at_random_instants_it_goes_on_to_the_same_bytes(tmp_path, uninterrupted):
    tally = kill_and_go_on(tmp_path, WORK, uninterrupted, times(3), random.Random(7))
    assert sum(tally.kills.values()) == times(3) and len(tally.kills) == 3
    assert tally.bytes_lost == 0


def test_killed_it_goes_on_to_the_same_bytes(tmp_path, uninterrupted):
    write_spec(tmp_path, **WORK)
    process = start(tmp_path, "-j", 1)
    wait_for_files(tmp_path, 2, process)
    process.kill()
    process.communicate()
    kept = files(tmp_path)
    assert 2 <= len(kept) < len(uninterrupted) and kept.items() <= uninterrupted.items()
    play(tmp_path, **WORK)
    assert files(tmp_path) == uninterrupted and not list(tmp_path.rglob(".tmp-*"))


@pytest.mark.thorough
def test_no_worker_outlives_its_killed_parent(tmp_path, untried):
    """Though their runs never end."""
    process = start_endless(tmp_path, "plain Python")
    process.kill()
    process.communicate()
    wait_for_the_end(process)


@pytest.mark.thorough
def test_no_idle_worker_outlives_its_killed_parent(tmp_path):
    write_spec(tmp_path, **MUCH_WORK)
    process = start(tmp_path, "-j", 2)
    wait_for_files(tmp_path, 1, process)
    wait_for_workers(process)
    process.send_signal(signal.SIGSTOP)  # it hands out no more work
    n_files = -1
    while n_files != (n_files := len(files(tmp_path))):
        time.sleep(2)
    process.kill()
    killed = time.monotonic()
    process.communicate()
    wait_for_the_end(process)
    assert time.monotonic() - killed < 20


HOW_INTERRUPTED = [
    (signal.SIGINT, ("-j", 1)),
    pytest.param(signal.SIGINT, ("-j", 2), marks=pytest.mark.thorough),
    pytest.param(signal.SIGTERM, ("-j", 2, "--run-timeout", 600), marks=pytest.mark.thorough),
    pytest.param(signal.SIGHUP, ("-j", 2), marks=pytest.mark.thorough),  # the terminal is closed
]


@pytest.mark.parametrize(("kind", "options"), HOW_INTERRUPTED, ids=str)
def test_interrupted_it_ends_at_once_with_130_and_says_how_to_go_on(tmp_path, uninterrupted, options, kind):
    write_spec(tmp_path, **MUCH_WORK)
    process = start(tmp_path, *options)
    wait_for_files(tmp_path, 1, process)
    if options == ("-j", 2):
        wait_for_workers(process)
    os.kill(process.pid, kind) if kind == signal.SIGTERM else os.killpg(process.pid, kind)
    messages = messages_at_the_end(process)
    wait_for_the_end(process)
    found = files(tmp_path)
    assert 0 < len(found) < 10_000 and "Traceback" not in messages
    assert all(found[name] == content for name, content in uninterrupted.items() if name in found)
    if kind != signal.SIGHUP:
        assert process.returncode == 130
        assert f"interrupted: {len(found)} of 10000 runs are done; run the same command to continue" in messages


@pytest.mark.thorough
def test_an_endless_run_is_heard_of_and_does_not_delay_an_interruption(tmp_path):
    write_spec(tmp_path, horizon="1e14", runs=3, algorithms=["sparring"])
    process = start(tmp_path, "-j", 1)
    assert process.stderr is not None
    impatience = threading.Timer(LONG_ENOUGH, process.kill)
    impatience.start()
    assert any("/3 runs" in line for line in process.stderr)
    impatience.cancel()
    process.send_signal(signal.SIGINT)
    messages_at_the_end(process)
    assert process.returncode == 130


@pytest.mark.thorough
def test_two_invocations_at_once_do_no_harm(tmp_path, uninterrupted):
    """A command, and a call in Python that begins when the command has begun to write."""
    write_spec(tmp_path, **WORK)
    process = start(tmp_path, "-j", 1)
    wait_for_files(tmp_path, 1, process)
    play(tmp_path, **WORK)
    messages = messages_at_the_end(process)
    assert process.returncode == 0, messages
    assert files(tmp_path) == uninterrupted


def test_a_full_disk_ends_with_exit_code_3_and_one_line(tmp_path):
    """A limit on the size of files stands for the disk: the manifest fits, and no result does."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (5000, before[1]))
    try:
        with pytest.raises(RunsFailed, match=r"^cannot write results: File too large") as caught:
            play(tmp_path, horizon=5000, checkpoints=3000, runs=1)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert caught.value.exit_code == 3 and len(str(caught.value).splitlines()) == 1
    assert files(tmp_path) == {} and not list(tmp_path.rglob(".tmp-*"))


def test_a_folder_that_cannot_be_written_is_one_message(tmp_path):
    with pytest.raises(InputError, match=r"^cannot write results: "):
        duelbench.run(write_spec(tmp_path), "/proc/results", jobs=1, quiet=True)
