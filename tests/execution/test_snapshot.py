"""What a running experiment says it does: what is compiled, which run takes long, and how far that is."""

import io

import pytest

from duelbench.execution import account as account_module
from duelbench.execution import estimate, pulse
from duelbench.execution.account import Account
from duelbench.execution.progress import Progress
from duelbench.execution.pulse import LOADING, Pulse
from duelbench.execution.queue import RunQueue
from duelbench.execution.worker import Chunk, Report
from tests.execution.experiments import plan_of


class Quiet(Progress):
    """Starts no thread: the test asks."""

    def start(self, snapshot) -> None:
        pass


@pytest.fixture
def told(monkeypatch) -> list[Pulse]:
    """What workers tell."""
    pulses: list[Pulse] = []
    monkeypatch.setattr(pulse, "elsewhere", lambda folder: list(pulses))
    return pulses


@pytest.fixture
def account(tmp_path, monkeypatch):
    monkeypatch.setattr(account_module, "GUESS_AFTER_SECONDS", 600.0)
    monkeypatch.setattr(estimate, "compiling_seconds", lambda algorithms, workers=1: 9.0 * len(algorithms) / workers)
    plan = plan_of(tmp_path, horizon=1_000_000)
    account = Account(plan, RunQueue(plan.folder, [], 2), Quiet(plan.n_todo, stream=io.StringIO()), 2)
    yield account
    account.close()


def test_what_is_compiled_though_nobody_foresaw_it_is_said_once_and_no_time_left_beside_it(account, told):
    told.append(Pulse("rucb", LOADING, 0, 3.0, True))
    snapshots = [account.snapshot(), account.snapshot()]
    expected = ("compiling rucb (about 9 s)", None)
    assert [(snapshot.doing, snapshot.seconds_left) for snapshot in snapshots] == [expected] * 2
    said = account.progress.stream.getvalue()
    assert said == "compiling rucb (first use with these settings, about 4 s) ...\n"


def test_what_was_announced_is_not_announced_again(account, told):
    account.announce(account._cells.values())
    both = "compiling rucb (about 9 s), random (about 9 s)"
    assert account.snapshot().doing == both  # by the two workers, before they tell
    told.append(Pulse("rucb", LOADING, 0, 3.0, True))
    assert account.snapshot().doing == "compiling rucb (about 9 s)"
    assert account.progress.stream.getvalue() == "compiling rucb, random (first use, about 9 s) ...\n"


def test_of_the_run_that_takes_longest_it_is_said_how_far_it_is(account, told):
    assert account.snapshot().doing == "starting"
    told += [Pulse("rucb", 1, 250_000, 90.0, False), Pulse("random", 0, 1000, 5.0, False)]
    snapshot = account.snapshot()
    assert snapshot.doing == "RUCB on cyclic: 250.0 k of 1.0 M rounds, 1 more" and snapshot.rounds == 251_000
    told[:] = [Pulse("random", 0, 1000, 0.3, False)]
    cell = next(cell for cell in account._cells.values() if cell.label == "Random")
    account.enter(Chunk(cell, account._plan.folder, (2,)), [Report(2, 0.1)])
    assert account.snapshot().doing == "Random on cyclic"


def test_the_first_line_names_what_is_played_though_no_run_is_over(account, told):
    told += [Pulse("random", LOADING, 0, 0.2, False), Pulse("rucb", 0, 1000, 0.3, False)]
    assert account.snapshot().doing == "RUCB on cyclic"


def test_cells_of_which_nothing_is_known_are_estimated_as_the_dry_run_does(account, monkeypatch):
    monkeypatch.setattr(account_module, "GUESS_AFTER_SECONDS", 0.0)
    ten_seconds = estimate.Estimate(10.0, is_guess=True)
    monkeypatch.setattr(estimate, "estimate", lambda cells, *_: [ten_seconds for _ in cells])
    assert account.snapshot().seconds_left is None
    account._guess()
    assert account.snapshot().seconds_left == pytest.approx(8 * 10.0 / 2)
