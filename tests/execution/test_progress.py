"""What a running experiment says, and where."""

import fcntl
import io
import os
import signal
import struct
import subprocess
import termios
import threading
import time

import pytest

from duelbench.execution import progress as module
from duelbench.execution.progress import Progress, Waiting
from tests.execution.experiments import command
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
