"""Experiments that are killed, and started again until they are done."""

import os
import random
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.experiments.execution.experiments import command, duelbench, files, play, write_spec

IS_COMPILED = os.environ.get("NUMBA_DISABLE_JIT") != "1"

WORK = {"horizon": 2_000_000 if IS_COMPILED else 700, "runs": 20, "algorithms": ["rucb", "random"]}
"""A second or so."""

MUCH_WORK = {**WORK, "runs": 5000}
"""Minutes: it does not come to its end while the tests wait for what is to happen."""

SIGNALS = (signal.SIGKILL, signal.SIGTERM, signal.SIGINT)
WAYS = (("-j", 1), ("-j", 2), ("-j", 2, "--run-timeout", 600), ("-j", 1, "--run-timeout", 600))

LONG_ENOUGH = 120.0
"""Seconds. What has not happened by then, on a machine however busy, does not happen."""


@dataclass
class Tally:
    """What became of the kills."""

    kills: Counter[str] = field(default_factory=Counter)
    bytes_lost: int = 0


def play_uninterrupted(folder: Path, work: dict[str, Any]) -> dict[str, bytes]:
    """The files of an experiment that is left in peace."""
    play(folder, **work)
    return files(folder)


def start(folder: Path, *options: object, program: list[str] | None = None) -> "subprocess.Popen[str]":
    """The command (or another ``program`` in its place) in a session of its own, as in a terminal window of its own."""
    arguments = command("run", "demo.yaml", *options)
    return subprocess.Popen(
        arguments if program is None else [*program, *arguments[len(command()) :]],
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


def wait_until(is_so: Callable[[], object], what: str) -> None:
    """Fail where something does not come about."""
    deadline = time.monotonic() + LONG_ENOUGH
    while not is_so():
        assert time.monotonic() < deadline, what
        time.sleep(0.02)


def wait_for_files(folder: Path, count: int, process: "subprocess.Popen[str]") -> None:
    """Until the command has written so many runs, or is over."""
    wait_until(
        lambda: len(list(folder.rglob("run-*.npz"))) >= count or process.poll() is not None,
        f"there are no {count} files",
    )


def messages_at_the_end(process: "subprocess.Popen[str]") -> str:
    """What the command said; it fails where the command does not end, and then ends it."""
    try:
        return process.communicate(timeout=LONG_ENOUGH)[1]
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        pytest.fail("the command hangs")


def living_members(session: int) -> list[int]:
    """Processes of a session that still run."""
    return [pid for pid in psutil.pids() if _session_of(pid) == session and is_alive(pid)]


def _session_of(pid: int) -> int | None:
    try:
        return os.getsid(pid)
    except OSError:  # it has ended since
        return None


def is_alive(pid: int) -> bool:
    """Whether a process still runs; a zombie waits for whoever reaps orphans, and does nothing."""
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def wait_for_workers(process: "subprocess.Popen[str]") -> None:
    """Itself and two workers."""
    wait_until(lambda: len(living_members(process.pid)) >= 3 or process.poll() is not None, "no workers were started")


def wait_for_the_end(process: "subprocess.Popen[str]") -> None:
    """Of all processes that the command has started."""
    wait_until(lambda: not living_members(process.pid), "a worker outlives the command")


def kill_and_go_on(
    folder: Path, work: dict[str, Any], expected: dict[str, bytes], count: int, rng: random.Random
) -> Tally:
    """Kill an experiment at ``count`` random instants of its life, in all ways; start it again each time.

    After every kill each file that has its final name must be whole and right, and what was there must still be there.
    An experiment that gets to its end is thrown away and begun again, but for the last one, which is brought there.
    """
    write_spec(folder, **work)
    tally = Tally()
    before: dict[str, bytes] = {}
    while sum(tally.kills.values()) < count:
        process = start(folder, *rng.choice(WAYS))
        kind = SIGNALS[sum(tally.kills.values()) % len(SIGNALS)]
        if rng.random() < 0.7:  # else while it starts
            wait_for_files(folder, len(before) + 1, process)
        try:
            process.wait(timeout=rng.uniform(0.0, 1.0))
        except subprocess.TimeoutExpired:
            everybody = kind == signal.SIGKILL or rng.random() < 0.5
            (os.killpg if everybody else os.kill)(process.pid, kind)
            tally.kills[kind.name] += 1
        messages = messages_at_the_end(process)
        assert "Traceback" not in messages, messages
        kept = files(folder)
        tally.bytes_lost += sum(len(content) for name, content in before.items() if kept.get(name) != content)
        assert kept.items() <= expected.items(), "a file is not what it should be"
        before = kept
        if kept == expected:
            for path in (folder / "results").rglob("run-*.npz"):
                path.unlink()
            before = {}
    done = duelbench("run", "demo.yaml", "-j", 1, cwd=folder)
    assert done.returncode == 0, done.stderr
    assert files(folder) == expected
    assert not list(folder.rglob(".tmp-*"))
    return tally
