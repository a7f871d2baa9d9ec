"""Promises 1 and 2: what is computed depends on the spec alone, not on who does it, in which order, or what else."""

import itertools
import os
import subprocess
import sys

import pytest

from duelbench.common import atomic
from duelbench.errors import RunsFailed
from duelbench.experiments.execution import fan_out
from tests.experiments.execution.experiments import files, plan_of, play

RUNS = {"runs": 12, "shuffle_arms": True, "horizon": 200}

LONG = {"runs": 60, "shuffle_arms": True, "horizon": 300_000}
"""So much, compiled, that workers are started though nothing asks for them."""


@pytest.fixture(scope="module")
def alone(tmp_path_factory) -> dict[str, bytes]:
    """The files of an experiment that was played in one process, in order."""
    folder = tmp_path_factory.mktemp("alone")
    play(folder, jobs=1, **RUNS)
    return files(folder)


@pytest.mark.thorough
def test_a_time_limit_changes_no_bit(tmp_path, alone):
    """It has runs played by workers, of which there are two here, and each takes what comes next."""
    play(tmp_path, jobs=2, options={"run_timeout": 600}, **RUNS)
    assert files(tmp_path) == alone and len(alone) == 24


@pytest.mark.thorough
def test_the_number_and_kind_of_workers_change_no_bit(tmp_path):
    play(tmp_path / "1", jobs=1, **LONG)
    for jobs, options in ((2, {}), (3, {}), (1, {"run_timeout": 600}), (3, {"run_timeout": 600})):
        place = tmp_path / f"{jobs} {len(options)}"
        play(place, jobs=jobs, options=options, **LONG)
        assert files(place) == files(tmp_path / "1")


def test_shards_are_disjoint_and_together_the_whole(tmp_path, alone):
    """Each on a machine of its own; their folders are put together by copying."""
    merged: dict[str, bytes] = {}
    for number in range(1, 6):
        machine = tmp_path / f"machine {number}"
        play(machine, options={"shard": f"{number}/5"}, **RUNS)
        own = files(machine)
        assert not own.keys() & merged.keys()
        merged |= own
    assert merged == alone


def test_the_order_of_the_runs_changes_no_bit(tmp_path, alone):
    """Shards in the same folder from the last to the first, each of the algorithms in another order."""
    for number in (3, 2, 1, 2):
        algorithms = ["random", "rucb"] if number == 2 else ["rucb", "random"]
        play(tmp_path, options={"shard": f"{number}/3"}, **{**RUNS, "algorithms": algorithms})
    assert files(tmp_path) == alone


EDITS = {
    "adding an algorithm": {"algorithms": ["rucb", {"rucb": {"alpha": 0.9}}, "random"]},
    "removing and reordering": {"algorithms": ["random"]},
    "raising runs": {"runs": 15},
    "adding a problem": {"matrix": None, "problems": {"cycle": "cyclic.csv", "pair": "two.csv"}},
    "changing another algorithm": {"algorithms": ["rucb", {"random": {"label": "other"}}], "bounds": ["copeland"]},
}


@pytest.mark.parametrize("edit", EDITS)
def test_an_edit_that_does_not_concern_a_run_leaves_its_bytes_alone(tmp_path, alone, edit):
    play(tmp_path, **{**RUNS, **EDITS[edit]})  # from nothing
    new = {name.removeprefix("cycle/"): content for name, content in files(tmp_path).items()}
    shared = set(alone) & set(new)
    assert len(shared) >= 12
    assert all(new[name] == alone[name] for name in shared)


def test_results_that_cannot_be_written_stop_everything_and_keep_what_is_there(tmp_path, monkeypatch):
    replace, count = atomic.os.replace, itertools.count()

    def full_after_the_manifest_and_three(*names):
        if next(count) > 3:
            raise OSError(28, "No space left on device")
        replace(*names)

    monkeypatch.setattr(atomic.os, "replace", full_after_the_manifest_and_three)
    with pytest.raises(RunsFailed, match=r"No space left on device.*3 of 8 runs are done"):
        play(tmp_path)
    monkeypatch.undo()
    assert len(files(tmp_path)) == 3
    assert not (tmp_path / "results" / "demo" / "failures").exists()
    assert plan_of(tmp_path).n_todo == 5
    play(tmp_path)
    assert len(files(tmp_path)) == 8


def test_processes_that_start_with_workers_do_not_warn_of_semaphores(monkeypatch):
    monkeypatch.setenv("PYTHONWARNINGS", "always::DeprecationWarning")
    warn = "import warnings; warnings.warn('resource_tracker: There appear to be 8 leaked semlock objects')"
    with fan_out._environment_of_workers():
        assert subprocess.run([sys.executable, "-c", warn], capture_output=True, check=True).stderr == b""
    assert os.environ["PYTHONWARNINGS"] == "always::DeprecationWarning" and "PYTHONSAFEPATH" not in os.environ
