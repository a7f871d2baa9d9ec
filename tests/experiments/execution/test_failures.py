"""Promise 14: a bad run does not cost the others, and is never taken for a result."""

import importlib
import json
import re
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from duelbench.cli.app import app
from duelbench.errors import IncompleteResults, RunsFailed
from duelbench.experiments.plugins import trial
from duelbench.experiments.results import failures
from tests.experiments.execution.experiments import files, plan_of, play
from tests.experiments.execution.plug_ins import install
from tests.plug_ins import write

SEED = 16
"""Of its first four runs the first alone is unlucky."""

LIMIT = 1.5
"""Seconds, of which runs that do not hang take a hundredth."""

DIED = "its worker process died"
TOO_LONG = "took longer than 1.5 s"

ERRORS = {
    "raises": "ZeroDivisionError: by plan (",
    "raises-anything": "Anything: at all",
    "interrupts": "KeyboardInterrupt",
    "unshowable": "Unshowable",
    "rude": "ValueError: ?[2Jrude rude",
    "recurses": "RecursionError",
    "exits": "SystemExit: enough",
    "dies": DIED,
    "hangs": TOO_LONG,
    "eats-memory": "MemoryError",
    "duels-nobody": "returned (0, 99, 1) in round 5; there is no arm 99",
    "recommends-too-much": "returned 99 after round 1; the arms are 0 to 3",
    "changes-the-matrix": "read-only",
    "draws-from-python": "drew from the global generator (random)",
    "draws-from-numpy": "drew from the global generator (np.random)",
}
"""Algorithm -> what is said of its unlucky run."""

N_RUNS = 2


def failures_of(folder: Path, algorithm: str) -> dict[int, dict]:
    """The records of failures of an algorithm, by run."""
    records = [json.loads(path.read_text()) for path in (folder / "results/demo/failures" / algorithm).iterdir()]
    return {record["run"]: record for record in records}


@pytest.fixture(scope="module", autouse=True)
def misbehaving(tmp_path_factory):
    """The misbehaving algorithms can be named in specs, and are not tried beforehand, which would find them out."""
    site = install(tmp_path_factory.mktemp("plug-ins"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(trial.VARIABLE, "1")
        patch.setenv("DEATH", str(site / "death"))
        patch.syspath_prepend(str(site))
        importlib.invalidate_caches()
        yield
    sys.modules.pop("misbehaving", None)


@pytest.fixture(scope="module")
def played(tmp_path_factory, misbehaving) -> Path:
    """One experiment with all of them, on one worker, with one that dies once only, and one that behaves."""
    folder = tmp_path_factory.mktemp("all")
    algorithms = [*ERRORS, "dies-once", "random"]
    with pytest.raises(RunsFailed, match=f"{len(ERRORS)} runs failed"):
        play(folder, options={"run_timeout": LIMIT}, algorithms=algorithms, runs=N_RUNS, seed=SEED)
    return folder


@pytest.mark.parametrize("algorithm", ERRORS)
def test_a_run_that_fails_is_said_and_recorded_and_no_result(played, algorithm):
    (record,) = failures_of(played, algorithm).values()
    assert record["run"] == 0 and ERRORS[algorithm] in record["error"] and "run=0" in record["how_to_reproduce"]
    assert len(record["error"]) < 1000 and record["error"].isprintable()
    assert list(files(played, algorithm)) == [f"{algorithm}/run-00001.npz"]


def test_failures_are_shown_again(played):
    told = CliRunner().invoke(app, ["status", str(played / "results")])
    assert isinstance(told.exception, IncompleteResults)
    assert all(f"failed: {algorithm} on cyclic, run 0: " in told.stdout for algorithm in ERRORS)
    why = {plan.cell.label: plan.why for plan in plan_of(played, algorithms=[*ERRORS], runs=2, seed=SEED).cells}
    assert all("1 failed before: " in why[algorithm] for algorithm in ERRORS)


def test_an_error_is_told_with_its_file_line_and_function(played):
    error = failures_of(played, "raises")[0]["error"]
    assert re.fullmatch(r"ZeroDivisionError: by plan \(.*misbehaving\.py:\d+, in throw: `raise error`\)", error)


def test_runs_that_fail_change_no_bit_of_the_others(played, tmp_path):
    play(tmp_path, algorithms=["random"], runs=N_RUNS, seed=SEED)
    assert files(played, "random") == files(tmp_path, "random")
    assert len(files(tmp_path, "random")) == N_RUNS


def test_a_run_that_kills_its_worker_costs_only_itself(played):
    assert list(failures_of(played, "dies")) == [0]
    everybody_else = len(ERRORS) * (N_RUNS - 1) + 2 * N_RUNS
    assert len(files(played)) == everybody_else


def test_a_run_whose_worker_is_killed_once_is_played_again_and_all_bytes_are_the_same(played, tmp_path):
    assert len(files(played, "dies-once")) == N_RUNS and (played.parent / "plug-ins0" / "site" / "death").exists()
    play(tmp_path, algorithms=["dies-once"], runs=N_RUNS, seed=SEED)
    assert files(tmp_path) == files(played, "dies-once")


def test_a_failure_can_be_reproduced_from_its_record(played):
    record = failures_of(played, "raises")[0]
    assert record["traceback"][0] == "Traceback (most recent call last):"
    assert record["traceback"][-1] == "ZeroDivisionError: by plan"
    with pytest.raises(ZeroDivisionError, match="by plan"):
        exec(record["how_to_reproduce"], {})


def test_how_to_reproduce_it_loads_a_plug_in_with_a_public_call(tmp_path, load):
    load(path := write(tmp_path))
    plan = plan_of(tmp_path, algorithms=["commit"])
    text = failures.reproduce(plan.folder, plan.cells[0].cell, 0)
    assert f"duelbench.load_plug_in({str(path)!r}); " in text and "registry" not in text


@pytest.mark.thorough
def test_fail_fast_stops_at_the_first_failure_whatever_other_workers_do(tmp_path):
    algorithms = ["hangs", "raises", "random"]
    with pytest.raises(RunsFailed, match="1 run failed"):
        play(tmp_path, jobs=2, options={"fail_fast": True}, algorithms=algorithms, runs=30, seed=SEED)
    assert list(failures_of(tmp_path, "raises")) == [0]


@pytest.mark.thorough
def test_a_compiled_run_that_hangs_is_ended_and_the_runs_beside_it_go_on(tmp_path):
    algorithms = ["hangs-compiled", "random", "draws-compiled"]
    with pytest.raises(RunsFailed, match="2 runs failed"):
        play(tmp_path / "with", jobs=2, options={"run_timeout": 5}, algorithms=algorithms, runs=3, seed=SEED)
    (hanging,) = failures_of(tmp_path / "with", "hangs-compiled").values()
    (drawing,) = failures_of(tmp_path / "with", "draws-compiled").values()
    assert hanging["run"] == 0 and "took longer than 5 s" in hanging["error"]
    assert "drew from the global generator (np.random in compiled code)" in drawing["error"]
    play(tmp_path / "without", algorithms=["random"], runs=3, seed=SEED)
    assert files(tmp_path / "with", "random") == files(tmp_path / "without", "random")
    assert len(files(tmp_path / "with", "hangs-compiled")) == 2


@pytest.mark.thorough
def test_an_algorithm_of_which_no_run_comes_to_an_end_is_given_up(tmp_path, monkeypatch):
    monkeypatch.setenv("UNLUCKY", "always")
    with pytest.raises(RunsFailed, match=r"runs failed and \d+ were not tried"):
        play(tmp_path, options={"run_timeout": 1.0}, algorithms=["hangs"], runs=20)
    assert 0 < len(failures_of(tmp_path, "hangs")) < 10  # what was not tried has not failed
