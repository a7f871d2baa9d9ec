"""The time left follows from what was measured of each cell, and from how far the present runs are."""

import pytest

from duelbench.execution.pulse import LOADING, Pulse
from duelbench.execution.time_left import TimeLeft, makespan
from duelbench.results.cells import cells
from tests.execution.experiments import spec_of


@pytest.fixture
def two_cells(tmp_path):
    return cells(spec_of(tmp_path, horizon=1000))


def pulse_of(cell, rounds: int, seconds: float, run: int = 0, compiling: bool = False) -> Pulse:
    return Pulse(str(cell.folder), run, rounds, seconds, compiling)


def test_each_cell_has_its_own_rate(two_cells):
    """A quick cell that is done says nothing of a slow one that comes last."""
    quick, slow = two_cells
    left = TimeLeft([(quick, 101), (slow, 101)], jobs=2)
    left.over(quick, 0.01)
    left.over(slow, 2.0)
    for _ in range(100):
        left.over(quick, 0.01)
    assert left.seconds() == pytest.approx(100.0)


def test_nothing_is_said_while_nothing_is_known_of_a_cell(two_cells):
    left = TimeLeft([(cell, 2) for cell in two_cells], jobs=1)
    left.over(two_cells[0], 1.0)
    assert left.seconds() is None and left.unknown() is two_cells[1]
    left.expect(two_cells[1], 5.0)
    assert left.unknown() is None and left.seconds() == pytest.approx(11.0)
    left.over(two_cells[1], 7.0)  # better than what was expected
    assert left.seconds() == pytest.approx(8.0)


def test_cells_of_the_same_algorithm_arms_and_horizon_are_taken_to_be_alike(tmp_path):
    both = cells(spec_of(tmp_path, algorithms=["rucb", {"rucb": {"alpha": 0.9}}]))
    left = TimeLeft([(cell, 2) for cell in both], jobs=1)
    left.over(both[0], 3.0)
    assert left.seconds() == pytest.approx(9.0)


def test_a_run_that_is_being_played_is_not_counted_twice(two_cells):
    left = TimeLeft([(two_cells[0], 3)], jobs=2)
    left.over(two_cells[0], 10.0)
    assert left.seconds([pulse_of(two_cells[0], 400, 4.0, run=1)]) == pytest.approx(10.0)
    both = [pulse_of(two_cells[0], 400, 4.0, run=1), pulse_of(two_cells[0], 900, 9.0, run=2)]
    assert left.seconds(both) == pytest.approx(6.0)


@pytest.mark.parametrize(("power", "whole"), [(1.0, 100.0), (0.5, 10.0 * 10**0.5)])
def test_the_first_run_says_by_its_rounds_how_long_it_takes(two_cells, power, whole):
    """100 of 1000 rounds took ten seconds; the time of a run grows like a power of its rounds."""
    left = TimeLeft([(two_cells[0], 1)], jobs=1)
    for rounds in (1, 2, 5, 10, 20, 50, 100):
        seconds = 10 * (rounds / 100) ** power
        told = left.seconds([pulse_of(two_cells[0], rounds, seconds)])
    assert told == pytest.approx(whole - 10)


def test_nothing_is_said_while_something_is_compiled(two_cells):
    left = TimeLeft([(cell, 2) for cell in two_cells], jobs=2)
    for cell in two_cells:
        left.over(cell, 0.01)
    assert left.seconds([pulse_of(two_cells[0], 0, 20.0, LOADING, compiling=True)]) is None
    assert left.seconds([pulse_of(two_cells[0], 0, 20.0, LOADING)]) is not None


def test_news_of_a_run_that_is_over_do_no_harm(two_cells):
    left = TimeLeft([(two_cells[0], 1), (two_cells[1], 1)], jobs=2)
    left.over(two_cells[0], 1.0)
    left.expect(two_cells[1], 5.0)
    assert left.seconds([pulse_of(two_cells[0], 1000, 1.0)]) == pytest.approx(5.0)


def test_the_tail_in_which_one_run_keeps_one_worker_busy_counts():
    assert makespan([30.0], [], jobs=2) == 30.0
    assert makespan([30.0], [(10, 1.0)], jobs=2) == 30.0
    assert makespan([30.0], [(100, 1.0)], jobs=2) == pytest.approx(65.0, abs=1.0)
    assert makespan([], [(1, 30.0), (4, 1.0)], jobs=2) == 30.0
