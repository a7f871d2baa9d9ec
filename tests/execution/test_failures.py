"""Promise 14: a bad run does not cost the others, and is never taken for a result."""

import importlib
import json
import os
import re
import sys
from multiprocessing.connection import Connection
from pathlib import Path

import pytest

from duelbench.algorithms import registry
from duelbench.execution import account, processes, runner
from duelbench.execution.plan import prepare
from duelbench.execution.runner import execute
from duelbench.results import failures
from duelbench.simulation import trial
from tests.execution.experiments import files, plan_of, play
from tests.execution.plug_ins import install
from tests.selection import quick

pytestmark = pytest.mark.xdist_group("failures")  # what its fixtures make is made once

DIED = "its worker process died"
LIMIT = 600.0
"""Seconds. Runs that hang are ended when they do; others have time enough, however slow the machine."""

TOO_LONG = "took longer than 600 s (--run-timeout); it was ended"

ERRORS = {
    "raises": "ZeroDivisionError: by plan (",
    "raises-anything": "Anything: at all",
    "interrupts": "KeyboardInterrupt",
    "unshowable": "Unshowable",
    "rude": "ValueError: ?[2Jrude rude",
    "recurses": "RecursionError",
    "exits": "SystemExit: enough",
    "dies": DIED,
    "killed": DIED,
    "hangs": TOO_LONG,
    "eats-memory": "MemoryError",
    "duels-nobody": "returned (0, 99, 1) in round 5; there is no arm 99: the arms are 0 to 3",
    "duels-halves": "returned (0.5, 1, 1) in round 5; it must return three whole numbers",
    "duels-nan": "returned (nan, 1, 1) in round 5; it must return three whole numbers",
    "duels-nothing": "returned None in round 5; it must return three whole numbers",
    "stands-partly": "returned (0, 1, 1.5) in round 5; it must return three whole numbers",
    "stands-back": "returned (0, 1, -3) in round 5; a decision stands for 1 round at least",
    "recommends-nobody": "returned -1 after round 1; the arms are 0 to 3",
    "recommends-too-much": "returned 99 after round 1; the arms are 0 to 3",
    "recommends-a-table": "it must return an arm, a whole number",
    "changes-the-matrix": "read-only",
    "draws-from-python": "GlobalRandomness: it drew from the global generator (random)",
    "draws-from-numpy": "GlobalRandomness: it drew from the global generator (np.random)",
    "draws-compiled": "GlobalRandomness: it drew from the global generator (np.random in compiled code)",
}
"""Algorithm -> what is said of its unlucky runs."""

N_RUNS = 4


def unlucky_runs(n_runs: int) -> list[int]:
    """Runs in which the plug-ins misbehave."""
    from duelbench.simulation.streams import streams

    return [run for run in range(n_runs) if streams(7, run).algorithm.random() < 0.5]


def hears_or_sees_it_hang(player: processes._WorkerProcess, pipe: Connection, seconds: float | None) -> bool:
    """Wait until the process has said that it will hang, and has used the time by which it does, however long."""
    assert player._process is not None
    sign = Path(os.environ["HANGING"], str(player._process.pid))
    while not pipe.poll(0.05):
        if seconds == LIMIT and sign.exists() and spent(player._process.pid) > float(sign.read_text() or "inf"):
            sign.unlink()
            return HEARS(player, pipe, 0.0)
    return True


HEARS = processes._WorkerProcess._hears


def spent(process: int) -> float:
    """Seconds of the processor that a process has used."""
    words = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")


@pytest.fixture(scope="module", autouse=True)
def misbehaving(tmp_path_factory):
    """The misbehaving algorithms can be named in specs, and are not tried beforehand, which would find them out."""
    site = install(tmp_path_factory.mktemp("plug-ins"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(trial.VARIABLE, trial.COMPILED)
        patch.setenv("HANGING", str(tmp_path_factory.mktemp("hanging")))
        patch.setattr(processes._WorkerProcess, "_hears", hears_or_sees_it_hang)
        patch.syspath_prepend(str(site))
        importlib.invalidate_caches()
        yield
    sys.modules.pop("misbehaving", None)


@pytest.fixture(scope="module")
def played(tmp_path_factory, misbehaving) -> tuple[Path, runner.Outcome]:
    """One experiment with all of them, on one worker, and an algorithm that behaves."""
    folder = tmp_path_factory.mktemp("all")
    plan = plan_of(folder, algorithms=[*ERRORS, "random"], runs=N_RUNS)
    prepare(plan)
    return folder, execute(plan, jobs=1, run_timeout=LIMIT)


@pytest.mark.parametrize("algorithm", ERRORS)
def test_a_run_that_fails_is_said_and_recorded_and_no_result(played, algorithm):
    folder, outcome = played
    unlucky = unlucky_runs(N_RUNS)
    assert 0 < len(unlucky) < N_RUNS
    failed = {failure.run: failure.error for failure in outcome.failures if failure.cell.label == algorithm}
    assert sorted(failed) == unlucky
    assert all(ERRORS[algorithm] in error and len(error) < 1000 and error.isprintable() for error in failed.values())
    assert len(files(folder, algorithm)) == N_RUNS - len(unlucky)
    own = [json.loads(path.read_text()) for path in (folder / "results/demo/failures" / algorithm).iterdir()]
    assert sorted(record["run"] for record in own) == unlucky
    assert all(ERRORS[algorithm] in record["error"] for record in own)
    assert all(f"run={record['run']}" in record["how_to_reproduce"] for record in own)


def test_an_error_is_told_with_its_file_line_and_function(played):
    (error, *_) = [failure.error for failure in played[1].failures if failure.cell.label == "raises"]
    assert re.fullmatch(r"ZeroDivisionError: by plan \(.*misbehaving\.py:\d+, in throw: `raise error`\)", error)


def test_runs_that_fail_change_no_bit_of_the_others(played, tmp_path):
    play(tmp_path, algorithms=["random"], runs=N_RUNS)
    assert files(played[0], "random") == files(tmp_path, "random")
    assert len(files(tmp_path, "random")) == N_RUNS


def test_a_failure_can_be_reproduced_from_its_record(played):
    run = unlucky_runs(N_RUNS)[0]
    record = json.loads((played[0] / f"results/demo/failures/raises/run-{run:05d}.json").read_text())
    assert record["traceback"][0] == "Traceback (most recent call last):"
    assert record["traceback"][-1] == "ZeroDivisionError: by plan"
    with pytest.raises(ZeroDivisionError, match="by plan"):
        exec(record["how_to_reproduce"], {})


def test_how_to_reproduce_it_loads_a_plug_in_with_a_public_call(tmp_path, monkeypatch):
    monkeypatch.setitem(registry.named_plug_ins, "/plug-ins/x.py", ["random"])
    plan = plan_of(tmp_path, algorithms=["random"])
    text = failures.reproduce(plan.folder, plan.cells[0].cell, 0)
    assert "duelbench.load_plug_in('/plug-ins/x.py'); " in text and "registry" not in text


def test_a_failed_run_is_tried_again_and_its_record_goes_when_it_succeeds(tmp_path, monkeypatch):
    play(tmp_path, algorithms=["raises"], runs=6)
    unlucky = unlucky_runs(6)
    plan = plan_of(tmp_path, algorithms=["raises"], runs=6)
    assert plan.cells[0].todo == unlucky
    assert f"{len(unlucky)} failed before: ZeroDivisionError: by plan" in plan.cells[0].why
    prepare(plan)
    monkeypatch.setenv("BEHAVE", "please")
    assert execute(plan, jobs=1).failures == []
    assert not (tmp_path / "results" / "demo" / "failures").exists()


def test_fail_fast_stops_at_the_first_failure_whatever_other_workers_do(tmp_path):
    plan = plan_of(tmp_path, algorithms=["hangs", "raises", "random"], runs=30)
    plan.cells[0].todo = unlucky_runs(30)[:1]
    prepare(plan)
    outcome = execute(plan, jobs=2, fail_fast=True)
    assert [failure.cell.label for failure in outcome.failures] == ["raises"]
    assert outcome.n_done < 60


def test_a_compiled_run_that_hangs_is_ended_and_the_runs_beside_it_go_on(tmp_path):
    runs = 6
    (first, *others) = unlucky_runs(runs)
    play(tmp_path / "without", algorithms=["random"], runs=runs)
    plan = plan_of(tmp_path / "with", algorithms=["hangs-compiled", "random"], runs=runs)
    plan.cells[0].todo = [run for run in range(runs) if run not in others]
    prepare(plan)
    outcome = execute(plan, jobs=2, run_timeout=LIMIT)
    assert [(failure.run, failure.error) for failure in outcome.failures] == [(first, TOO_LONG)]
    assert files(tmp_path / "with", "random") == files(tmp_path / "without", "random")
    assert len(files(tmp_path / "with", "hangs-compiled")) == runs - 1 - len(others)


@pytest.mark.parametrize(("algorithm", "run_timeout"), quick([("dies", None), ("hangs", LIMIT)], ("hangs", LIMIT)))
def test_an_algorithm_of_which_no_run_comes_to_an_end_is_given_up(tmp_path, algorithm, run_timeout):
    unlucky = unlucky_runs(40)[:10]
    plan = plan_of(tmp_path, algorithms=[algorithm], runs=40)
    plan.cells[0].todo = list(unlucky)
    prepare(plan)
    outcome = execute(plan, jobs=1, run_timeout=run_timeout)
    handed_out_before_that_was_clear = 10 - outcome.n_not_tried - account.GIVE_UP_AFTER
    assert len(outcome.failures) + outcome.n_not_tried == 10 and 0 <= handed_out_before_that_was_clear <= 2
    records = failures.read(plan.folder)
    assert len(records) == len(outcome.failures)  # what was not tried has not failed


def test_a_run_that_kills_its_worker_costs_only_itself(tmp_path):
    algorithm, runs = "killed", 4
    unlucky = unlucky_runs(runs)
    play(tmp_path / "without", algorithms=["random"], runs=20)
    plan = plan_of(tmp_path / "with", algorithms=["random", algorithm], runs=20)
    plan.cells[1].todo = plan.cells[1].todo[:runs]
    prepare(plan)
    outcome = execute(plan, jobs=2)
    assert files(tmp_path / "with", "random") == files(tmp_path / "without", "random")
    assert sorted(failure.run for failure in outcome.failures) == unlucky
    assert all(DIED in failure.error for failure in outcome.failures)
    assert len(files(tmp_path / "with", algorithm)) == runs - len(unlucky)


def test_a_run_whose_worker_is_killed_once_is_played_again_and_all_bytes_are_the_same(tmp_path, monkeypatch):
    runs = 12
    play(tmp_path / "in peace", algorithms=["dies-once"], runs=runs)
    monkeypatch.setenv("DEATH", str(tmp_path / "death"))
    plan = plan_of(tmp_path / "killed", algorithms=["dies-once"], runs=runs)
    plan.cells[0].todo.sort(key=unlucky_runs(runs).__contains__)  # it dies when chunks are longer than a run
    prepare(plan)
    assert execute(plan, jobs=1).failures == []
    assert (tmp_path / "death").exists()
    assert files(tmp_path / "killed") == files(tmp_path / "in peace")


def test_what_an_algorithm_prints_does_not_reach_standard_output(tmp_path, capfd, monkeypatch):
    play(tmp_path / "workers", jobs=2, algorithms=["prints", "floods"], runs=2)
    monkeypatch.setattr(runner, "is_ours", lambda cell: True)
    play(tmp_path / "here", algorithms=["prints"], runs=2)
    captured = capfd.readouterr()
    assert captured.out == ""
    assert captured.err.count("a message") >= 10**6
    assert files(tmp_path / "here") == files(tmp_path / "workers", "prints")
