"""What a running experiment says, and where."""

import fcntl
import io
import os
import re
import signal
import struct
import subprocess
import termios
import threading
import time

import pytest

from duelbench.experiments.execution import progress as module
from duelbench.experiments.execution.account import Account
from duelbench.experiments.execution.chunks import Queue
from duelbench.experiments.execution.heartbeat import LOADING, Beat
from duelbench.experiments.execution.progress import COMPILING, Line, Progress, Snapshot, Waiting
from duelbench.experiments.execution.worker import Report
from tests.experiments.execution.experiments import command, plan_of
from tests.terminal import Screen


@pytest.fixture
def clock(monkeypatch):
    now = [100.0]
    monkeypatch.setattr(module.time, "monotonic", lambda: now[0])
    return now


def test_outside_of_terminals_lines_come_for_every_tenth_at_most(clock):
    stream = io.StringIO()
    progress = Progress(1000, stream=stream)
    for _ in range(1000):
        clock[0] += 0.02
        progress.count(10)
        progress.tick()
    progress.close()
    lines = stream.getvalue().splitlines()
    assert "\r" not in stream.getvalue() and "\x1b" not in stream.getvalue()
    assert lines[0].split()[2] == "5%"  # after a second
    assert [line.split()[2] for line in lines[1:]] == [f"{tenth}0%" for tenth in range(1, 11)]


def test_slow_experiments_are_heard_of_every_minute_though_no_run_ends(clock):
    stream = io.StringIO()
    progress = Progress(1000, stream=stream)
    for _ in range(200):
        clock[0] += 1
        progress.tick()
    assert [line.split()[3] for line in stream.getvalue().splitlines()] == ["0:00:01", "0:01:01", "0:02:01", "0:03:01"]


def test_compiling_is_news_outside_of_terminals(clock):
    stream, lines = io.StringIO(), [Line("RUCB on two", COMPILING, is_active=True), Line("D-TS on two", "waiting")]
    progress = Progress(10, stream=stream)
    progress.start(lambda: Snapshot(lines=lines))
    for second in range(1, 9):
        clock[0] += 1
        if second == 5:
            lines[0] = Line("RUCB on two", "0/5 runs", 0.0, is_active=True)
        progress.tick()
    progress.close()
    said = [line.split(maxsplit=3)[3] for line in stream.getvalue().splitlines()]
    assert said == ["0:00:01  RUCB on two compiling", "0:00:05  RUCB on two 0/5 runs"]


def test_each_algorithm_is_waiting_compiling_running_or_done(tmp_path):
    plan, beats = plan_of(tmp_path), [Beat(0, "rucb", LOADING, 0, 0.1)]
    queue = Queue(plan.folder, [(one.cell, one.todo) for one in plan.cells], 1, {}, 1.0)
    account = Account(plan, queue, Progress(8, quiet=True), 1, lambda: beats, [plan.cells[0].cell])
    notes = lambda: [line.note for line in account.snapshot().lines]  # noqa: E731
    assert notes() == [COMPILING, "waiting"]
    beats[:] = [Beat(0, "rucb", 0, 150, 0.1)]
    first = account.snapshot().lines[0]
    assert (first.name, first.note, first.share) == ("RUCB on cyclic", "0/4 runs", 0.125)
    chunk = queue.take()
    assert chunk is not None
    account.enter(chunk, [Report(run, 0.1) for run in range(4)])
    assert notes() == ["done", "waiting"]


def test_a_terminal_shows_a_line_for_each_algorithm(monkeypatch):
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "90")
    stream = Terminal()
    progress = Progress(400, stream=stream)
    lines = [Line("RUCB on [x]", "9/100 runs", 0.09, True), Line("D-TS on [x]", COMPILING, is_active=True)]
    progress.start(lambda: Snapshot(share=0.03, seconds_left=62.0, lines=lines))
    shown = Screen().feed(stream.getvalue()).lines()
    progress.close()
    assert [" ".join(re.sub("[━╸╺]", " ", line).split()) for line in shown] == [
        "all 3% 0/400 runs ~0:01:02 left 0:00:00 so far",
        "RUCB on [x] 9/100 runs",
        "D-TS on [x] compiling",
    ]


@pytest.mark.parametrize(("is_quiet", "seconds"), [(False, 0.01), (True, 100)])
def test_quick_experiments_and_quiet_ones_say_nothing(clock, is_quiet, seconds):
    stream = io.StringIO()
    progress = Progress(50, stream=stream, quiet=is_quiet)
    for _ in range(50):
        clock[0] += seconds
        progress.count(10)
        progress.tick()
    progress.close()
    assert stream.getvalue() == ""


def test_reading_is_spoken_of_only_if_it_takes_longer_than_a_second(clock):
    stream = io.StringIO()
    waiting = Waiting(stream)
    for _ in range(3):
        clock[0] += 0.25
        waiting.reading(40_000, "demo")
    assert stream.getvalue() == ""
    for _ in range(24):
        clock[0] += 0.25
        waiting.reading(40_000, "demo")
    assert [line.split()[1] for line in stream.getvalue().splitlines()] == ["4", "24"]


@pytest.mark.thorough
def test_on_a_terminal_a_display_is_drawn_and_ctrl_c_leaves_the_last_words_only(tmp_path):
    width = 60
    (tmp_path / "two.csv").write_text("0.5,0.55\n0.45,0.5\n")
    (tmp_path / "demo.yaml").write_text("matrix: two.csv\nhorizon: 1e9\nruns: 5000\nalgorithms: [rucb]\n")
    master, slave = os.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, width, 0, 0))
    process = subprocess.Popen(
        command("run", "demo.yaml", "-j", 2),
        stdin=slave,
        stdout=slave,
        stderr=slave,
        cwd=tmp_path,
        env={**os.environ, "TERM": "xterm"},
        start_new_session=True,
    )
    os.close(slave)
    heard: list[bytes] = []
    listener = threading.Thread(target=_hear, args=(master, heard), daemon=True)
    listener.start()
    deadline = time.monotonic() + 120
    while not any(tmp_path.rglob("run-*.npz")) and time.monotonic() < deadline and process.poll() is None:
        time.sleep(0.1)
    time.sleep(1.5)
    during = Screen().feed(b"".join(heard).decode()).lines()
    os.killpg(process.pid, signal.SIGINT)
    assert process.wait(60) == 130
    listener.join(10)
    assert "5000 runs" in during[0] and max(map(len, during)) < width
    screen = Screen().feed(b"".join(heard).decode())
    assert "".join(screen.lines()).startswith("interrupted: ")
    assert screen.is_cursor_shown
    os.close(master)


def _hear(master: int, heard: list[bytes]) -> None:
    while True:
        try:
            heard.append(os.read(master, 65536))
        except OSError:  # nobody writes any more
            return
