"""Promise 7: a signal ends the command whatever its workers do, for nothing within a process stops compiled code."""

import os
import signal
import subprocess
from pathlib import Path

import pytest

from tests.experiments.execution.experiments import write_spec
from tests.faults.killing import messages_at_the_end, start, wait_for_the_end, wait_until

PLUG_IN = """
import contextlib, os, signal
from pathlib import Path
from typing import NamedTuple
import numba
from duelbench.plugin import Algorithm

FOLDER = Path(__file__).parent


{decorator}
def loop(k):
    while k < 10:
        k = k + 1 - 1
    return k


def select(state, t, rng):
    with contextlib.suppress(ValueError):  # only the main thread may ask for that
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
    "compiled with the lock of Python": "@numba.njit",
    "plain Python": "",
}


def start_endless(folder: Path, kind: str) -> "subprocess.Popen[str]":
    """The command, when two of its workers are in a loop without end."""
    (folder / "plug_in.py").write_text(PLUG_IN.format(decorator=KINDS[kind]))
    write_spec(folder, algorithms=["endless"], runs=8)
    process = start(folder, "-j", 2, "--plug-in", "plug_in.py")
    wait_until(lambda: len(list(folder.glob("stuck-*"))) == 2 or process.poll() is not None, "no run was begun")
    assert process.poll() is None, process.communicate()
    return process


SIGNALS = [
    ("compiled with the lock of Python", (signal.SIGINT,)),
    ("plain Python", (signal.SIGTERM, signal.SIGTERM, signal.SIGINT, signal.SIGTERM)),
]


@pytest.mark.thorough
@pytest.mark.parametrize(("kind", "signals"), SIGNALS, ids=[kind for kind, _ in SIGNALS])
def test_a_signal_ends_the_command_whatever_its_workers_do(tmp_path, kind, signals, untried):
    process = start_endless(tmp_path, kind)
    for number in signals:
        os.kill(process.pid, number)
    messages = messages_at_the_end(process)
    assert process.returncode == 130, messages
    assert "Traceback" not in messages and "leaked" not in messages
    wait_for_the_end(process)
    assert not list((tmp_path / "results").rglob("*.npz"))
