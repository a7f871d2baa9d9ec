"""Runs are handed out once each, in chunks that fit the time they take."""

import threading
from pathlib import Path

import pytest

from duelbench.execution.queue import CHUNK_SECONDS, Backlog
from duelbench.results.cells import cells
from tests.execution.experiments import spec_of


@pytest.fixture
def two_cells(tmp_path):
    return cells(spec_of(tmp_path))


def backlog_of(two_cells, runs: int, jobs: int = 2) -> Backlog:
    return Backlog(Path("results"), [(cell, range(runs)) for cell in two_cells], jobs)


def test_every_run_is_handed_out_once_whoever_takes_it(two_cells):
    backlog = backlog_of(two_cells, 300)
    for cell in two_cells:
        backlog.measured(cell, 0.05)
    taken = []

    def take_all():
        while chunk := backlog.take():
            taken.append(chunk)

    takers = [threading.Thread(target=take_all) for _ in range(4)]
    for taker in takers:
        taker.start()
    for taker in takers:
        taker.join()
    runs = sorted((chunk.cell.folder, run) for chunk in taken for run in chunk.runs)
    assert runs == sorted((cell.folder, run) for cell in two_cells for run in range(300))
    assert len({chunk.number for chunk in taken}) == len(taken)
    assert backlog.is_empty() and backlog.take() is None


def test_a_chunk_is_one_run_until_its_time_is_known_and_then_fills_half_a_second(two_cells):
    backlog = backlog_of(two_cells, 1000)
    assert backlog.take().runs == (0,)
    backlog.measured(two_cells[0], CHUNK_SECONDS / 5)
    assert backlog.take().runs == (1, 2, 3, 4, 5)
    backlog.measured(two_cells[0], CHUNK_SECONDS * 3)
    assert backlog.take().runs == (6,)


def test_the_last_chunks_are_small_so_that_all_workers_end_together(two_cells):
    backlog = Backlog(Path("results"), [(two_cells[0], range(12))], jobs=2)
    backlog.measured(two_cells[0], 1e-3)
    sizes = []
    while chunk := backlog.take():
        sizes.append(len(chunk.runs))
    assert sizes == [3, 2, 1, 1, 1, 1, 1, 1, 1]


def test_the_time_of_what_waits_is_known_when_every_cell_was_measured(two_cells):
    backlog = backlog_of(two_cells, 10)
    assert backlog.seconds_waiting() is None
    backlog.measured(two_cells[0], 2.0)
    assert backlog.seconds_waiting() is None
    backlog.measured(two_cells[1], 1.0)
    assert backlog.seconds_waiting() == pytest.approx(30.0)


def test_one_run_of_each_cell_can_come_first_and_none_is_lost(two_cells):
    backlog = backlog_of(two_cells, 3)
    backlog.one_of_each_first()
    taken = []
    while chunk := backlog.take():
        taken.append((chunk.cell, chunk.runs))
    first, second = two_cells
    assert taken[:2] == [(first, (0,)), (second, (0,))]
    assert taken[2:] == [(first, (1,)), (first, (2,)), (second, (1,)), (second, (2,))]


def test_the_runs_of_a_cell_can_be_withdrawn(two_cells):
    backlog = backlog_of(two_cells, 3)
    backlog.take()
    assert backlog.withdraw(two_cells[0]) == [1, 2]
    assert backlog.cells() == [two_cells[1]]
