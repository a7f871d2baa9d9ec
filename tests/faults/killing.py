"""Experiments that are killed at random instants and started again, until they are done."""

import os
import random
import shutil
import signal
import subprocess
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.execution.experiments import command, duelbench, files, write_spec

WORK = {"horizon": 2_000_000, "runs": 20, "algorithms": ["rucb", "random"]}
"""A second or two."""

LONG_WORK = {**WORK, "horizon": 3_500_000}
"""So much that workers are started for the rest of it."""

SIGNALS = (signal.SIGKILL, signal.SIGTERM, signal.SIGINT)
WAYS = (("-j", 1), ("-j", 2), ("-j", 2, "--run-timeout", 600), ("-j", 1, "--run-timeout", 600))


@dataclass
class Uninterrupted:
    """What an experiment gives that is left in peace, and how long it takes."""

    work: dict[str, Any]
    files: dict[str, bytes]
    seconds: float


@dataclass
class Tally:
    """What became of the kills."""

    kills: Counter[str] = field(default_factory=Counter)
    too_late: int = 0  # the experiment had come to its end
    completions: int = 0
    bytes_lost: int = 0


def play_uninterrupted(folder: Path, work: dict[str, Any]) -> Uninterrupted:
    """Play an experiment in one go (twice, so that the time is that of compiled code)."""
    write_spec(folder, **work)
    for _ in range(2):
        shutil.rmtree(folder / "results", ignore_errors=True)
        started = time.monotonic()
        done = duelbench("run", "demo.yaml", "-j", 1, cwd=folder)
        assert done.returncode == 0, done.stderr
    return Uninterrupted(work, files(folder), time.monotonic() - started)


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


def kill_and_go_on(folder: Path, expected: Uninterrupted, count: int, rng: random.Random) -> Tally:
    """Kill an experiment at ``count`` random instants of its life, in all ways; start it again each time.

    After every kill each file that has its final name must be whole and right, and what was there must still be there.
    An experiment that gets to its end is checked, thrown away and begun again.
    """
    write_spec(folder, **expected.work)
    tally = Tally()
    before: dict[str, bytes] = {}
    life = expected.seconds  # roughly; it becomes shorter and longer with what else the machine does
    while sum(tally.kills.values()) < count:
        process = start(folder, *rng.choice(WAYS))
        kind = SIGNALS[sum(tally.kills.values()) % len(SIGNALS)]
        try:
            process.wait(timeout=rng.uniform(0.1, 1.0) * life)
            tally.too_late += 1
            life *= 0.7
        except subprocess.TimeoutExpired:
            everybody = kind == signal.SIGKILL or rng.random() < 0.5
            (os.killpg if everybody else os.kill)(process.pid, kind)
            tally.kills[kind.name] += 1
            life *= 1.05
        _, messages = process.communicate()
        assert "Traceback" not in messages, messages
        kept = files(folder)
        tally.bytes_lost += sum(len(content) for name, content in before.items() if kept.get(name) != content)
        assert kept.items() <= expected.files.items(), "a file is not what it should be"
        before = kept
        if kept.keys() == expected.files.keys():
            _finish(folder, expected)
            tally.completions += 1
            before = {}
            shutil.rmtree(folder / "results")
    _finish(folder, expected)
    tally.completions += 1
    return tally


def _finish(folder: Path, expected: Uninterrupted) -> None:
    """Go on to the end: the same bytes as ever, and no litter."""
    done = duelbench("run", "demo.yaml", "-j", 1, cwd=folder)
    assert done.returncode == 0, done.stderr
    assert files(folder) == expected.files
    assert not list(folder.rglob(".tmp-*"))
