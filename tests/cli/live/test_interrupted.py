"""Ctrl-C, or an end from outside, in the middle of a session: all answers are kept, and nothing is left running."""

import os
import shlex
import signal
import subprocess
import sys
import termios
import time

import pytest

import duelbench
from tests.cli.live.person import Person
from tests.judging.test_judging import assert_ended

LIVE = [sys.executable, "-m", "duelbench", "live", "dishes.txt"]


@pytest.fixture
def dishes(tmp_path):
    """A folder with the arms dishes.txt."""
    (tmp_path / "dishes.txt").write_text("egg\nsquid\ntuna\n")
    return tmp_path


def told(folder):
    with duelbench.Session.open(folder / "dishes.jsonl") as session:
        return session.told


def become_of_a_terminal():
    os.setsid()
    os.open(os.ttyname(0), os.O_RDWR)  # makes it the process's own: Ctrl-C comes from there


@pytest.mark.thorough
def test_ctrl_c_at_a_terminal_keeps_the_answers_and_leaves_the_terminal_as_it_was(dishes):
    person = Person(["1", "t", "\x03"])
    before = termios.tcgetattr(person.terminal)
    streams = dict.fromkeys(("stdin", "stdout", "stderr"), person.terminal)
    process = subprocess.Popen(LIVE, cwd=dishes, preexec_fn=become_of_a_terminal, **streams)
    with person.sitting():
        assert process.wait(600) == 130
        assert termios.tcgetattr(person.terminal) == before
    assert "interrupted; 2 answers in dishes.jsonl; run the same command to resume" in person.heard
    assert "Traceback" not in person.heard
    assert told(dishes) == 2


def test_a_signal_ends_the_commands_that_decide_and_keeps_what_they_said(dishes):
    code = (
        "import os, sys, time\n"
        "try:\n    os.open('first', os.O_CREAT | os.O_EXCL)\n    print(1)\n"
        "except FileExistsError:\n    open(f'pid{os.getpid()}', 'w').close(); time.sleep(600)"
    )
    command = shlex.join([sys.executable, "-S", "-E", "-c", code])
    process = subprocess.Popen(
        [*LIVE, "--exec", command, "-j", "2"], cwd=dishes, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True
    )
    while len(pids := list(dishes.glob("pid*"))) < 2:
        assert process.poll() is None
        time.sleep(0.01)
    process.send_signal(signal.SIGTERM)
    _, said = process.communicate(timeout=600)
    assert process.returncode == 130
    assert said.endswith("interrupted; 1 answer in dishes.jsonl; run the same command to resume\n")
    assert "Traceback" not in said
    for path in pids:
        assert_ended(int(path.name.removeprefix("pid")))
    assert told(dishes) == 1
