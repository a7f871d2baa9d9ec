"""Runs are handed out once each, in chunks that fit the time they take."""

import threading
from pathlib import Path

import pytest

from duelbench.execution.queue import CHUNK_SECONDS, RunQueue
from duelbench.results.cells import cells
from tests.execution.experiments import spec_of


@pytest.fixture
def two_cells(tmp_path):
    return cells(spec_of(tmp_path))


def queue_of(two_cells, runs: int, jobs: int = 2) -> RunQueue:
    return RunQueue(Path("results"), [(cell, range(runs)) for cell in two_cells], jobs)


def test_every_run_is_handed_out_once_whoever_takes_it(two_cells):
    queue = queue_of(two_cells, 300)
    for cell in two_cells:
        queue.measured(cell, 0.05)
    taken = []

    def take_all():
        while chunk := queue.take():
            taken.append(chunk)

    takers = [threading.Thread(target=take_all) for _ in range(4)]
    for taker in takers:
        taker.start()
    for taker in takers:
        taker.join()
    runs = sorted((chunk.cell.folder, run) for chunk in taken for run in chunk.runs)
    assert runs == sorted((cell.folder, run) for cell in two_cells for run in range(300))
    assert queue.is_empty() and queue.take() is None


def test_a_chunk_is_one_run_until_its_time_is_known_and_then_fills_half_a_second(two_cells):
    queue = queue_of(two_cells, 1000)
    assert queue.take().runs == (0,)
    queue.measured(two_cells[0], CHUNK_SECONDS / 5)
    assert queue.take().runs == (1, 2, 3, 4, 5)
    queue.measured(two_cells[0], CHUNK_SECONDS * 3)
    assert queue.take().runs == (6,)


def test_the_last_chunks_are_small_so_that_all_workers_end_together(two_cells):
    queue = RunQueue(Path("results"), [(two_cells[0], range(12))], jobs=2)
    queue.measured(two_cells[0], 1e-3)
    sizes = []
    while chunk := queue.take():
        sizes.append(len(chunk.runs))
    assert sizes == [3, 2, 1, 1, 1, 1, 1, 1, 1]


def test_the_time_of_what_waits_is_known_when_every_cell_was_measured(two_cells):
    queue = queue_of(two_cells, 10)
    assert queue.seconds_waiting() is None
    queue.measured(two_cells[0], 2.0)
    assert queue.seconds_waiting() is None
    queue.measured(two_cells[1], 1.0)
    assert queue.seconds_waiting() == pytest.approx(30.0)


def test_one_run_of_each_cell_can_come_first_and_none_is_lost(two_cells):
    queue = queue_of(two_cells, 3)
    queue.one_of_each_first()
    taken = []
    while chunk := queue.take():
        taken.append((chunk.cell, chunk.runs))
    first, second = two_cells
    assert taken[:2] == [(first, (0,)), (second, (0,))]
    assert taken[2:] == [(first, (1,)), (first, (2,)), (second, (1,)), (second, (2,))]


def test_while_an_algorithm_is_compiled_runs_of_others_come_first_if_there_are_any(two_cells):
    rucb, other = two_cells
    queue = queue_of(two_cells, 3)
    queue.one_of_each_first(cold=two_cells)
    assert [queue.take().cell for _ in two_cells] == [rucb, other]  # each is compiled by whoever takes it
    queue.compiled(other)
    assert [queue.take().cell for _ in range(3)] == [other, other, rucb]
    queue.compiled(rucb)
    assert queue.take().cell is rucb and queue.take() is None


def test_what_takes_longest_to_compile_comes_first_and_who_must_wait_waits_for_the_shortest(two_cells):
    rucb, other = two_cells
    queue = queue_of(two_cells, 2)
    queue.one_of_each_first(cold=[other, rucb])
    assert [queue.take().cell for _ in range(3)] == [other, rucb, rucb]


def test_algorithms_that_one_loop_plays_are_compiled_once(tmp_path):
    dts, pure, rucb = cells(spec_of(tmp_path, algorithms=["d-ts", "d-ts-pure", "rucb"]))
    queue = queue_of([dts, pure, rucb], 1)
    queue.one_of_each_first(cold=[dts, rucb])
    assert queue.take().cell is dts
    assert queue.take().cell is rucb  # and not pure D-TS, which is being compiled
    queue.compiled(dts)
    assert queue.take().cell is pure


def test_the_runs_of_a_cell_can_be_withdrawn(two_cells):
    queue = queue_of(two_cells, 3)
    queue.take()
    assert queue.withdraw(two_cells[0]) == [1, 2]
    assert queue.cells() == [two_cells[1]]
