"""What a running experiment says, and where."""

import io
import threading

import pytest

from duelbench.execution import progress as module
from duelbench.execution.progress import Progress, Snapshot, Waiting


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


def last_line(stream: io.StringIO) -> str:
    return stream.getvalue().split("\r")[-1].rstrip()


def test_on_a_terminal_one_line_is_rewritten(clock, monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    stream = Terminal()
    progress = progress_of(300, stream, Snapshot("D-TS on cyclic", 0, 21.3))
    for _ in range(214):
        clock[0] += 0.5
        progress.count(950_000, failed=progress.done < 2)
        progress.tick()
    assert "\n" not in stream.getvalue()
    assert (
        last_line(stream) == "214/300 runs   71%  2 failed  0:01:47  ~0:00:21 left  1.9 M rounds/s  D-TS on cyclic"[:79]
    )
    progress.close()
    assert stream.getvalue().endswith("\r")


def test_a_terminal_shows_a_first_line_at_once_and_time_goes_on_while_no_run_ends(clock, monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    stream = Terminal()
    progress = progress_of(2, stream, Snapshot("compiling d-ts"))
    progress.tick()
    assert last_line(stream) == "0/2 runs    0%  0:00:00  compiling d-ts"
    clock[0] += 400
    progress.tick()
    assert last_line(stream) == "0/2 runs    0%  0:06:40  compiling d-ts"


def test_the_rounds_of_a_run_that_is_not_over_count(clock, monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    stream = Terminal()
    progress = progress_of(1, stream, Snapshot("RUCB on cyclic: 20.0 M of 1.0 G rounds", 20_000_000, None))
    clock[0] += 10
    progress.tick()
    assert last_line(stream) == "0/1 runs    0%  0:00:10  2.0 M rounds/s  RUCB on cyclic: 20.0 M of 1.0 G rounds"


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


def test_a_message_does_not_mix_with_the_line(clock, monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    stream = Terminal()
    progress = progress_of(2, stream)
    clock[0] += 1
    progress.count(10)
    progress.tick()
    progress.say("failed: something")
    assert stream.getvalue().split("\r")[-1] == "failed: something\n"


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
