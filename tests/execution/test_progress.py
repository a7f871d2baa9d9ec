"""What a running experiment says, and where."""

import fcntl
import io
import os
import select
import struct
import sys
import termios
import threading

import pytest

from duelbench.execution import progress as module
from duelbench.execution.display import MARGIN, Task
from duelbench.execution.progress import Progress, Snapshot, Waiting
from tests.terminal import Screen


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


NOTHING = Snapshot()


@pytest.fixture
def clock(monkeypatch):
    now = [100.0]
    monkeypatch.setattr(module.time, "monotonic", lambda: now[0])
    return now


def progress_of(total: int, stream, snapshot: Snapshot = NOTHING, **options) -> Progress:
    """Progress whose time is told by the test: it ticks when the test says so."""
    progress = Progress(total, stream=stream, **options)
    progress._snapshot = lambda: snapshot
    return progress


def screen(stream: io.StringIO) -> list[str]:
    return Screen().feed(stream.getvalue()).lines()


def test_a_terminal_shows_a_bar_for_the_whole_and_a_line_for_each_algorithm(clock, monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "100")
    stream = Terminal()
    tasks = [Task("compiling CCB, about 9 s, once"), Task("D-TS on cyclic", 0.25, "25/100 runs")]
    progress = progress_of(300, stream, Snapshot("D-TS on cyclic", 0, 21.3, 0.5, tasks))
    for _ in range(214):
        clock[0] += 0.5
        progress.count(950_000, failed=progress.done < 2)
        progress.tick()
    assert screen(stream) == [
        "\u2501" * 10 + "\u2500" * 11 + "  50%  2 failed  214/300 runs  ~0:00:21 left  1.9 M rounds/s  0:01:47 so far",
        "  compiling CCB, about 9 s, once",
        "  D-TS on cyclic  \u2501\u2501\u2500\u2500\u2500\u2500\u2500\u2500\u2500\u2500  25/100 runs",
    ]
    progress.close()
    assert screen(stream) == []


def test_where_the_work_cannot_be_estimated_the_bar_counts_runs_and_time_goes_on(clock, monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    stream = Terminal()
    progress = progress_of(2, stream)
    progress.count(0)
    clock[0] += 400
    progress.tick()
    (line,) = screen(stream)
    assert line.split("  ") == ["\u2501" * 20 + "\u2500" * 20, "50%", "1/2 runs", "0:06:40 so far"]
    progress.close()


def test_rounds_per_second_are_of_the_time_in_which_rounds_are_played(clock):
    """Ten rounds in the second after a minute of compiling are ten per second, those of a run that is not over too."""
    stream = io.StringIO()
    progress = progress_of(2, stream, Snapshot("compiling rucb"))
    for _ in range(60):
        clock[0] += 1
        progress.tick()
    clock[0] += 1
    progress._snapshot = lambda: Snapshot("RUCB on cyclic", 8)
    progress.count(2)
    progress.tick()
    assert "rounds/s" not in stream.getvalue().splitlines()[0]
    assert stream.getvalue().splitlines()[-1] == "1/2 runs   50%  0:01:01  10 rounds/s  RUCB on cyclic"
    progress.close()


def test_a_thread_says_it_while_the_process_does_something_else(monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(module, "TICK_SECONDS", 0.001)
    asked = threading.Semaphore(0)

    def snapshot() -> Snapshot:
        asked.release()
        return Snapshot("working")

    progress = Progress(1, stream=Terminal())
    progress.start(snapshot)
    assert all(asked.acquire(timeout=60) for _ in range(5))
    progress.close()


def test_a_message_stands_above_the_display_whole(clock, monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    stream = Terminal()
    progress = progress_of(2, stream, Snapshot(tasks=[Task("RUCB", 0.5, "1/2 runs")]))
    message = "failed: " + "a message that is longer than the terminal is wide, [brackets] and :smile: as they are " * 2
    for _ in range(3):
        clock[0] += 1
        progress.tick()
        progress.say(message)
        progress.tick()
    shown = screen(stream)
    assert "".join(shown[:-2]).replace(" ", "") == (message * 3).replace(" ", "")
    assert shown[-1].startswith("  RUCB")
    progress.close()
    assert "".join(screen(stream)).replace(" ", "") == (message * 3).replace(" ", "")


@pytest.mark.parametrize("width", [60, 80, 120])
def test_a_display_is_as_wide_as_its_terminal_and_leaves_it_as_it_was(width, monkeypatch):
    """In a real pseudo-terminal, with a warning of Python among what is drawn."""
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("COLUMNS", raising=False)
    master, slave = os.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, width, 0, 0))
    with open(slave, "w") as terminal, open(master, "rb", buffering=0) as shown:
        monkeypatch.setattr("sys.stderr", terminal)
        seen = Screen()
        tasks = [
            Task(f"algorithm {k} with a label that is rather long on a problem", 0.5, "5/10 runs") for k in range(12)
        ]
        progress = progress_of(9, terminal, Snapshot("", 10**7, 3.0, 0.4, tasks))
        widest = 0
        for k in range(4):
            progress.tick()
            if k == 1:
                print("UserWarning: nothing is torn", file=sys.stderr)
            seen.feed(read_all(shown))
            widest = max(widest, *map(len, seen.lines()))
        assert widest <= width - MARGIN
        head = next(line for line in seen.lines() if "%" in line)
        assert "40%  0/9 runs  ~0:00:03 left" in head
        assert ("so far" in head) == (width > 60)
        assert seen.lines()[-1] == "  and 4 more"
        progress.close()
        assert sys.stderr is terminal
        assert seen.feed(read_all(shown)).lines() == ["UserWarning: nothing is torn"]
        assert seen.column == 0 and seen.is_cursor_shown


def read_all(stream) -> str:
    found = b""
    while select.select([stream], [], [], 0.05)[0]:
        found += stream.read(65536)
    return found.decode()


def test_there_is_no_colour_for_those_who_want_none(monkeypatch):
    monkeypatch.setenv("TERM", "xterm-256color")
    shown = {}
    for variable in ("NO_COLOR", "SOMETHING_ELSE"):
        monkeypatch.delenv("NO_COLOR", raising=False)
        monkeypatch.setenv(variable, "1")
        stream = Terminal()
        progress = progress_of(2, stream, Snapshot(share=0.5))
        progress.tick()
        progress.close()
        shown[variable] = "\x1b[36m" in stream.getvalue()
    assert shown == {"NO_COLOR": False, "SOMETHING_ELSE": True}


@pytest.mark.parametrize("stream", [io.StringIO(), Terminal()], ids=["a pipe", "a dumb terminal"])
def test_elsewhere_lines_come_for_every_tenth_at_most(clock, monkeypatch, stream):
    monkeypatch.setenv("TERM", "dumb")
    progress = progress_of(1000, stream)
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
    progress = progress_of(1000, stream)
    for _ in range(200):
        clock[0] += 1
        progress.tick()
    lines = stream.getvalue().splitlines()
    assert [line.split()[3] for line in lines] == ["0:00:01", "0:01:01", "0:02:01", "0:03:01"]


def test_quick_experiments_say_nothing(clock):
    stream = io.StringIO()
    progress = progress_of(50, stream)
    for _ in range(50):
        clock[0] += 0.01
        progress.count(10)
        progress.tick()
    progress.close()
    assert stream.getvalue() == ""


def test_quiet_is_quiet(clock):
    stream = io.StringIO()
    progress = progress_of(10, stream, quiet=True)
    progress.start(lambda: Snapshot("never asked"))
    for _ in range(10):
        clock[0] += 100
        progress.count(10, failed=True)
        progress.tick()
    progress.close()
    assert stream.getvalue() == ""


def test_reading_is_spoken_of_only_if_it_takes_longer_than_a_second(clock):
    stream = io.StringIO()
    waiting = Waiting(stream)
    for _ in range(3):
        clock[0] += 0.25
        waiting.reading(40_000, "demo")
    waiting.doing("drawing demo")
    assert stream.getvalue() == ""
    for _ in range(24):
        clock[0] += 0.25
        waiting.reading(40_000, "demo")
    waiting.doing("drawing demo")
    assert stream.getvalue().splitlines() == [
        "reading 4 of 40000 runs (demo)",
        "reading 24 of 40000 runs (demo)",
        "drawing demo",
    ]


def test_waiting_ends_in_peace_where_nothing_was_read(clock):
    stream = io.StringIO()
    waiting = Waiting(stream)
    clock[0] += 10
    waiting.close()
    assert stream.getvalue() == ""


@pytest.mark.parametrize("took, said", [(130, "took 2 min 10 s; 1 min 40 s were estimated at first"), (4, None)])
def test_in_the_end_the_time_is_compared_with_the_first_estimate_that_was_shown(clock, took, said):
    start, stream = clock[0], io.StringIO()
    progress = progress_of(2, stream)
    for seconds, left in ((2, 98.0), (3, 7.0)):
        clock[0] = start + seconds
        progress._snapshot = lambda left=left: Snapshot(seconds_left=left)
        progress.tick()
    progress.count(10)
    clock[0] = start + took
    assert progress.account() is None  # not all is over
    progress.count(10)
    assert progress.account() == said


def test_an_estimate_that_comes_late_is_no_first_one(clock):
    start = clock[0]
    progress = progress_of(1, io.StringIO())
    clock[0] = start + 31
    progress._snapshot = lambda: Snapshot(seconds_left=2.0)
    progress.tick()
    clock[0] = start + 33
    progress.count(10)
    assert progress.account() is None


def test_nothing_is_compared_where_no_estimate_was_shown(clock):
    progress = progress_of(1, io.StringIO())
    clock[0] += 100
    progress.count(10)
    progress.tick()
    assert progress.account() is None
