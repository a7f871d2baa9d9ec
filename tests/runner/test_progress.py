"""What a running experiment says, and where."""

import io

import pytest

from duelbench.experiment import progress as module
from duelbench.experiment.progress import Progress, Waiting


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def clock(monkeypatch):
    now = [100.0]
    monkeypatch.setattr(module.time, "monotonic", lambda: now[0])
    return now


def test_on_a_terminal_one_line_is_rewritten(clock, monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    stream = Terminal()
    progress = Progress(300, stream=stream)
    for _ in range(214):
        clock[0] += 0.5
        progress.count(950_000, failed=progress.done < 2, seconds_left=21.3)
    assert "\n" not in stream.getvalue()
    assert stream.getvalue().split("\r")[-1].rstrip() == "214/300 runs   71%  1.9 M rounds/s  0:00:21 left  2 failed"
    progress.close()
    assert stream.getvalue().endswith("\r")


def test_a_message_does_not_mix_with_the_line(clock, monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    stream = Terminal()
    progress = Progress(2, stream=stream)
    clock[0] += 1
    progress.count(10)
    progress.say("failed: something")
    assert stream.getvalue().split("\r")[-1] == "failed: something\n"


@pytest.mark.parametrize("stream", [io.StringIO(), Terminal()], ids=["a pipe", "a dumb terminal"])
def test_elsewhere_lines_come_for_every_tenth_at_most(clock, monkeypatch, stream):
    monkeypatch.setenv("TERM", "dumb")
    progress = Progress(1000, stream=stream)
    for _ in range(1000):
        clock[0] += 0.02
        progress.count(10)
    lines = stream.getvalue().splitlines()
    assert "\r" not in stream.getvalue() and "\x1b" not in stream.getvalue()
    assert len(lines) == 10
    assert lines[0].startswith(" 100/1000 runs   10%") and lines[-1].startswith("1000/1000 runs  100%")


def test_slow_experiments_are_heard_of_every_minute(clock):
    stream = io.StringIO()
    progress = Progress(1000, stream=stream)
    for _ in range(10):
        clock[0] += 20
        progress.count(10)
    assert len(stream.getvalue().splitlines()) == 3


def test_quick_experiments_say_nothing(clock):
    stream = io.StringIO()
    progress = Progress(50, stream=stream)
    for _ in range(50):
        clock[0] += 0.01
        progress.count(10)
    progress.close()
    assert stream.getvalue() == ""


def test_quiet_is_quiet(clock):
    stream = io.StringIO()
    progress = Progress(10, quiet=True, stream=stream)
    for _ in range(10):
        clock[0] += 100
        progress.count(10, failed=True)
    assert stream.getvalue() == ""


def test_reading_is_spoken_of_only_if_it_takes_longer_than_a_second(clock):
    stream = io.StringIO()
    waiting = Waiting(stream)
    for _ in range(3):
        clock[0] += 0.25
        waiting.reading(40_000)
    waiting.doing("drawing demo")
    assert stream.getvalue() == ""
    for _ in range(24):
        clock[0] += 0.25
        waiting.reading(40_000)
    waiting.doing("drawing demo")
    assert stream.getvalue().splitlines() == ["reading 4 of 40000 runs", "reading 24 of 40000 runs", "drawing demo"]
