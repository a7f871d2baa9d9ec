"""Promise 7: a signal ends the command whatever its workers do, for nothing within a process stops compiled code."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.execution.experiments import write_spec
from tests.faults.killing import start
from tests.faults.test_kills import messages_at_the_end, wait_for_the_end, wait_until
from tests.selection import quick

PLUG_IN = """
import os, signal
from pathlib import Path
from typing import NamedTuple
import numba
from duelbench.algorithms.contract import Algorithm

FOLDER = Path(__file__).parent


{decorator}
def loop(k):
    while k < 10:
        k = k + 1 - 1
    return k


def select(state, t, rng):
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    loop(10)
    (FOLDER / f"stuck-{{os.getpid()}}").touch()
    return loop(0), 1, 1


class State(NamedTuple):
    nothing: int


ENDLESS = Algorithm(
    id="endless", name="Endless", assumes="nothing", anytime=True, parameters={{}}, reference="", state=State,
    start=lambda n_arms, horizon, rng, standing: State(0), select=select,
    update=lambda state, first, second, first_wins, second_wins: None, recommend=lambda state: 0, compiled=False,
)
"""

KINDS = {
    "compiled": "@numba.njit(nogil=True)",
    "compiled with the lock of Python": "@numba.njit",
    "plain Python": "",
}

HANGING = """
import threading
from pathlib import Path
from duelbench.cli import run
from duelbench.execution import runner
from duelbench.execution.progress import Progress

def start(progress, snapshot):
    Path("listens").touch()

run.LONGEST_END_SECONDS = 0.1
Progress.start = start
Progress.close = lambda progress: threading.Event().wait()
from duelbench.__main__ import main
main()
"""
"""The command, which waits without end when it clears up."""


def start_endless(folder: Path, kind: str) -> "subprocess.Popen[str]":
    """The command, when two of its workers are in a loop without end."""
    (folder / "plug_in.py").write_text(PLUG_IN.format(decorator=KINDS[kind]))
    write_spec(folder, algorithms=["endless"], runs=8)
    process = start(folder, "-j", 2, "--plug-in", "plug_in.py")
    wait_until(lambda: len(list(folder.glob("stuck-*"))) == 2 or process.poll() is not None, "no run was begun")
    assert process.poll() is None, process.communicate()
    return process


SIGNALS = [
    ("compiled", (signal.SIGTERM,)),
    ("compiled with the lock of Python", (signal.SIGINT,)),
    ("plain Python", (signal.SIGTERM, signal.SIGTERM, signal.SIGINT, signal.SIGTERM)),
]


@pytest.mark.parametrize(("kind", "signals"), quick(SIGNALS, SIGNALS[1]), ids=[kind for kind, _ in SIGNALS])
def test_a_signal_ends_the_command_whatever_its_workers_do(tmp_path, kind, signals):
    process = start_endless(tmp_path, kind)
    for number in signals:
        os.kill(process.pid, number)
    messages = messages_at_the_end(process)
    assert process.returncode == 130, messages
    assert "Traceback" not in messages and "leaked" not in messages
    wait_for_the_end(process)
    assert not list((tmp_path / "results").rglob("*.npz"))


def test_an_end_that_hangs_is_ended_all_the_same(tmp_path):
    """What clears up waits without end; a thread that the signal has started does not."""
    (tmp_path / "hanging.py").write_text(HANGING)
    write_spec(tmp_path, horizon="1e12", runs=2, algorithms=["uniform"])
    process = start(tmp_path, "-j", 1, program=[sys.executable, str(tmp_path / "hanging.py")])
    wait_until(lambda: (tmp_path / "listens").exists() or process.poll() is not None, "no run was begun")
    process.send_signal(signal.SIGTERM)
    messages = messages_at_the_end(process)
    assert process.returncode == 130 and "interrupted; run the same command to go on" in messages
    wait_for_the_end(process)
