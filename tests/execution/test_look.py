"""What a running experiment says it does: what is compiled, which run takes long, and how far that is."""

import io

import pytest

from duelbench.execution import pulse, runner
from duelbench.execution.progress import Progress
from duelbench.execution.pulse import LOADING, Pulse
from duelbench.execution.queue import Backlog
from duelbench.execution.worker import Chunk, Report
from tests.execution.experiments import plan_of


class Quiet(Progress):
    """Starts no thread: the test looks."""

    def start(self, look) -> None:
        pass


@pytest.fixture
def told(monkeypatch) -> list[Pulse]:
    """What workers tell."""
    pulses: list[Pulse] = []
    monkeypatch.setattr(pulse, "elsewhere", lambda folder: list(pulses))
    return pulses


@pytest.fixture
def book(tmp_path, monkeypatch):
    monkeypatch.setattr(runner, "GUESS_AFTER_SECONDS", 600.0)
    plan = plan_of(tmp_path, horizon=1_000_000)
    book = runner._Book(plan, Backlog(plan.folder, [], 2), Quiet(plan.n_todo, stream=io.StringIO()), 2)
    yield book
    book.close()


def test_what_is_compiled_though_nobody_foresaw_it_is_said_once_and_no_time_left_beside_it(book, told):
    told.append(Pulse("rucb", LOADING, 0, 3.0, True))
    looks = [book.look(), book.look()]
    assert [(look.doing, look.seconds_left) for look in looks] == [("compiling rucb", None)] * 2
    assert book.progress.stream.getvalue() == "compiling rucb (first use with these settings) ...\n"


def test_what_was_announced_is_not_announced_again(book, told):
    cell = next(iter(book._cells.values()))
    book.announce([cell])
    told.append(Pulse("rucb", LOADING, 0, 3.0, True))
    assert book.look().doing == "compiling rucb"
    assert book.progress.stream.getvalue() == "compiling rucb (first use) ...\n"


def test_of_the_run_that_takes_longest_it_is_said_how_far_it_is(book, told):
    assert book.look().doing == "starting"
    told += [Pulse("rucb", 1, 250_000, 90.0, False), Pulse("random", 0, 1000, 5.0, False)]
    look = book.look()
    assert look.doing == "RUCB on cyclic: 250.0 k of 1.0 M rounds, 1 more" and look.rounds == 251_000
    told[:] = [Pulse("random", 0, 1000, 0.3, False)]
    cell = next(cell for cell in book._cells.values() if cell.label == "Random")
    book.enter(Chunk(1, cell, book._plan.folder, (2,)), [Report(2, 0.1)])
    assert book.look().doing == "Random on cyclic"


def test_cells_of_which_nothing_is_known_are_estimated_as_the_dry_run_does(book, monkeypatch):
    from duelbench.execution import estimate

    monkeypatch.setattr(runner, "GUESS_AFTER_SECONDS", 0.0)
    ten_seconds = estimate.Estimate(10.0, is_guess=True)
    monkeypatch.setattr(estimate, "estimate", lambda cells, n_todo, budget: [ten_seconds for _ in cells])
    assert book.look().seconds_left is None
    book._guess()
    assert book.look().seconds_left == pytest.approx(8 * 10.0 / 2)
