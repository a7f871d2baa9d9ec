"""Promises 1 and 2: what is computed depends on the spec alone, not on who does it, in which order, or what else."""

import itertools
import random
import shutil
import threading
from types import SimpleNamespace

import pytest

from duelbench.errors import RunsFailed
from duelbench.execution import runner
from duelbench.execution.plan import Shard, make_plan, prepare
from duelbench.execution.runner import execute
from duelbench.results.manifest import open_results
from tests.execution.experiments import files, plan_of, play, spec_of
from tests.selection import quick

RUNS = {"runs": 12, "shuffle_arms": True}


@pytest.fixture(scope="module")
def alone(tmp_path_factory) -> dict[str, bytes]:
    """The files of an experiment that was played in one process, in order."""
    folder = tmp_path_factory.mktemp("alone")
    play(folder, jobs=1, **RUNS)
    return files(folder)


@pytest.fixture
def in_workers(monkeypatch) -> list[int]:
    """Workers are started at once, however little there is to do; collects the runs that they play."""
    played: list[int] = []
    in_workers = runner._play_in_workers

    def play_and_note(*arguments):
        for chunk, reports in in_workers(*arguments):
            played.extend(chunk.runs)
            yield chunk, reports

    monkeypatch.setattr(runner, "_play_here_or_in_workers", play_and_note)
    monkeypatch.setattr(runner, "_play_in_workers", play_and_note)
    return played


@pytest.mark.parametrize("jobs", quick([1, 2, 3], 1, 2))
def test_the_number_and_kind_of_workers_change_no_bit(tmp_path, in_workers, alone, jobs):
    plan = plan_of(tmp_path, **RUNS)
    prepare(plan)
    outcome = execute(plan, jobs=jobs)
    assert (outcome.n_done, outcome.failures) == (24, [])
    assert len(in_workers) == 24
    assert files(tmp_path) == alone


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_time_limit_changes_no_bit(tmp_path, alone, jobs):
    plan = plan_of(tmp_path, **RUNS)
    prepare(plan)
    outcome = execute(plan, jobs=jobs, run_timeout=60)
    assert (outcome.n_done, outcome.failures) == (24, [])
    assert files(tmp_path) == alone


@pytest.mark.parametrize("count", [2, 5, 30])
def test_shards_are_disjoint_and_together_the_whole(tmp_path, alone, count):
    """Each on a machine of its own; their folders are put together by copying."""
    spec = spec_of(tmp_path, **RUNS)
    merged: dict[str, bytes] = {}
    for number in range(1, count + 1):
        machine = tmp_path / f"machine {number}"
        plan = make_plan(spec, machine / "results" / "demo", Shard(number, count))
        assert plan.n_todo + plan.n_others == 24
        prepare(plan)
        assert execute(plan, jobs=1).n_done == plan.n_todo
        own = files(machine)
        assert len(own) == plan.n_todo and not own.keys() & merged.keys()
        merged |= own
    assert merged == alone


def test_a_shard_reuses_what_others_have_done_in_the_same_folder(tmp_path, alone):
    spec, folder = spec_of(tmp_path, **RUNS), tmp_path / "results" / "demo"
    for number, todo in ((1, 12), (2, 12), (1, 0)):
        plan = make_plan(spec, folder, Shard(number, 2))
        assert plan.n_todo == todo
        prepare(plan)
        execute(plan, jobs=1)
    assert files(tmp_path) == alone


def test_the_order_of_the_runs_changes_no_bit(tmp_path, in_workers, alone):
    plan = plan_of(tmp_path, **RUNS)
    prepare(plan)
    order = random.Random(1)
    for cell_plan in plan.cells:
        order.shuffle(cell_plan.todo)
    plan.cells.reverse()
    execute(plan, jobs=2)
    assert sorted(in_workers) != in_workers
    assert files(tmp_path) == alone


def test_work_is_shared_between_this_process_and_workers(tmp_path, monkeypatch, alone):
    play(tmp_path, **RUNS)  # compiles
    shutil.rmtree(tmp_path / "results")
    monkeypatch.setattr(runner, "SPRINT_SECONDS", 0.0)
    plan = plan_of(tmp_path, **RUNS)
    prepare(plan)
    assert execute(plan, jobs=2).n_done == 24
    assert files(tmp_path) == alone


def test_no_run_is_lost_when_workers_take_over_in_the_middle_of_a_chunk(tmp_path, monkeypatch):
    changes = {"horizon": 100_000, "runs": 40, "algorithms": ["random"]}  # runs of some milliseconds
    play(tmp_path, **{**changes, "runs": 1})  # compiles
    monkeypatch.setattr(runner, "SPRINT_SECONDS", 0.03)
    monkeypatch.setattr(runner, "WORTH_WORKERS_SECONDS", -1.0)
    plan = plan_of(tmp_path, **changes)
    prepare(plan)
    assert execute(plan, jobs=2).n_done == 39
    assert plan_of(tmp_path, **changes).n_todo == 0


def test_a_little_work_is_done_without_workers(tmp_path, monkeypatch):
    def no_workers(*arguments):
        raise AssertionError("workers were started")

    play(tmp_path, **RUNS)  # compiles
    shutil.rmtree(tmp_path / "results")
    monkeypatch.setattr(runner, "WorkerProcesses", no_workers)
    plan = plan_of(tmp_path, **RUNS)
    prepare(plan)
    monkeypatch.setattr(runner, "SPRINT_SECONDS", 30.0)
    assert execute(plan, jobs=2).n_done == 24


def test_slow_loading_is_no_reason_to_start_workers(tmp_path, monkeypatch):
    def no_workers(*arguments):
        raise AssertionError("workers were started")

    play(tmp_path, **RUNS)  # compiles
    shutil.rmtree(tmp_path / "results")
    monkeypatch.setattr(runner, "WorkerProcesses", no_workers)
    now, is_asked = [0.0], threading.Event()

    def monotonic():
        is_asked.set()
        return now[0]

    def load_slowly(chunk):
        is_asked.wait(0.5)  # who asks for the time before anything is loaded, shall have asked
        now[0] += runner.SPRINT_SECONDS + 0.5

    monkeypatch.setattr(runner, "time", SimpleNamespace(monotonic=monotonic))
    monkeypatch.setattr(runner, "load_compiled_code", load_slowly)
    changes = {**RUNS, "runs": 1, "algorithms": ["random"]}
    plan = plan_of(tmp_path, **changes)
    prepare(plan)
    assert execute(plan, jobs=2).n_done == 1


EDITS = {
    "adding an algorithm": {"algorithms": ["rucb", {"rucb": {"alpha": 0.9}}, "random"]},
    "removing an algorithm": {"algorithms": ["random"]},
    "reordering algorithms": {"algorithms": ["random", "rucb"]},
    "raising runs": {"runs": 15},
    "adding a problem": {"matrix": None, "problems": {"cycle": "cyclic.csv", "pair": "two.csv"}},
    "changing another algorithm": {"algorithms": ["rucb", {"random": {"label": "other"}}]},
    "renaming": {"title": "Another", "bounds": ["copeland"]},
}


@pytest.mark.parametrize("edit", EDITS)
def test_an_edit_that_does_not_concern_a_run_leaves_its_bytes_alone(tmp_path, alone, edit):
    play(tmp_path, **{**RUNS, **EDITS[edit]})  # from nothing
    new = {name.removeprefix("cycle/"): content for name, content in files(tmp_path).items()}
    shared = set(alone) & set(new)
    assert len(shared) >= 12
    assert all(new[name] == alone[name] for name in shared)


def test_a_longer_horizon_keeps_the_beginning_of_the_runs_of_anytime_algorithms(tmp_path):
    short, long = tmp_path / "short", tmp_path / "long"
    play(short, horizon=300, checkpoints=[10, 100, 300], shuffle_arms=True)
    play(long, horizon=900, checkpoints=[10, 100, 300, 900], shuffle_arms=True)
    for before, after in zip(
        *(open_results(folder / "results" / "demo").cells for folder in (short, long)), strict=True
    ):
        assert before.anytime
        for run in range(4):
            old, new = before.read(run).trace, after.read(run).trace
            assert old.regret[0].tolist() == new.regret[0, :3].tolist()
            assert old.recommended.tolist() == new.recommended[:3].tolist()


def test_an_experiment_that_is_interrupted_anywhere_goes_on_to_the_same_bytes(tmp_path, alone):
    plan = plan_of(tmp_path, **RUNS)
    prepare(plan)
    for cell_plan in plan.cells:
        cell_plan.todo = cell_plan.todo[3:9]
    assert execute(plan, jobs=1).n_done == 12
    again = plan_of(tmp_path, **RUNS)
    assert [cell_plan.todo for cell_plan in again.cells] == [[0, 1, 2, 9, 10, 11]] * 2
    execute(again, jobs=1)
    assert files(tmp_path) == alone


def test_the_manifest_is_written_first_and_only_when_it_changes(tmp_path):
    prepare(plan_of(tmp_path))
    path = tmp_path / "results" / "demo" / "manifest.json"
    before = path.stat()
    prepare(plan_of(tmp_path))
    assert path.stat().st_ino == before.st_ino and path.stat().st_mtime_ns == before.st_mtime_ns
    prepare(plan_of(tmp_path, title="Another"))
    assert path.stat().st_ino != before.st_ino


def test_results_that_cannot_be_written_stop_everything_and_keep_what_is_there(tmp_path, monkeypatch):
    from duelbench.results import atomic

    plan = plan_of(tmp_path)
    prepare(plan)
    replace, count = atomic.os.replace, itertools.count(1)

    def full_after_three(*names):
        if next(count) > 3:
            raise OSError(28, "No space left on device")
        replace(*names)

    monkeypatch.setattr(atomic.os, "replace", full_after_three)
    with pytest.raises(RunsFailed, match=r"No space left on device.*3 of 8 runs are kept"):
        execute(plan, jobs=1)
    monkeypatch.undo()
    assert len(files(tmp_path)) == 3
    assert not (tmp_path / "results" / "demo" / "failures").exists()
    again = plan_of(tmp_path)
    assert again.n_todo == 5
    assert execute(again, jobs=1).n_done == 5


def test_a_plan_for_another_folder_goes_to_that_folder(tmp_path):
    plan = make_plan(spec_of(tmp_path), tmp_path / "a" / "b" / "demo")
    prepare(plan)
    execute(plan, jobs=1)
    assert len(list((tmp_path / "a" / "b" / "demo").rglob("run-*.npz"))) == 8
