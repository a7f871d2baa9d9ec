"""Promise 14: a bad run does not cost the others, and is never taken for a result."""

import importlib
import json
import sys

import pytest

from duelbench.experiment import runner
from duelbench.experiment.plan import prepare
from duelbench.experiment.runner import DIED, execute
from tests.runner.experiments import files, plan_of, play
from tests.runner.plug_ins import install


@pytest.fixture
def misbehaving(tmp_path, monkeypatch):
    """The misbehaving algorithms can be named in specs."""
    monkeypatch.syspath_prepend(str(install(tmp_path)))
    importlib.invalidate_caches()
    yield
    sys.modules.pop("misbehaving", None)


@pytest.fixture
def no_sprint(monkeypatch):
    monkeypatch.setattr(runner, "SPRINT_SECONDS", 0.0)


def unlucky_runs(n_runs: int) -> list[int]:
    """Runs in which the plug-ins misbehave: those whose algorithm's stream begins below one half."""
    from duelbench.simulation.streams import streams

    return [run for run in range(n_runs) if streams(7, run).algorithm.random() < 0.5]


@pytest.mark.parametrize(
    ("algorithm", "error"),
    [
        ("raises", "ZeroDivisionError: by plan"),
        ("exits", "SystemExit: enough"),
        ("duels-nobody", "ValueError: the algorithm chose an arm that does not exist"),
        ("eats-memory", "MemoryError"),
    ],
)
def test_a_run_that_fails_costs_only_itself(tmp_path, misbehaving, algorithm, error):
    play(tmp_path / "without", algorithms=["random"], runs=6)
    outcome = play(tmp_path / "with", algorithms=[algorithm, "random"], runs=6)
    unlucky = unlucky_runs(6)
    assert 0 < len(unlucky) < 6
    assert sorted(failure.run for failure in outcome.failures) == unlucky
    assert all(error in failure.error for failure in outcome.failures)
    assert files(tmp_path / "with", "random") == files(tmp_path / "without", "random")
    assert len(files(tmp_path / "with", algorithm)) == 6 - len(unlucky)
    records = [json.loads(path.read_text()) for path in (tmp_path / "with/results/demo/failures").iterdir()]
    assert sorted(record["run"] for record in records) == unlucky
    assert all(error in record["error"] and "Traceback" in record["traceback"] for record in records)


def test_a_failed_run_is_tried_again_and_its_record_goes_when_it_succeeds(tmp_path, misbehaving, monkeypatch):
    play(tmp_path, algorithms=["raises"], runs=6)
    unlucky = unlucky_runs(6)
    plan = plan_of(tmp_path, algorithms=["raises"], runs=6)
    assert plan.cells[0].todo == unlucky
    assert f"{len(unlucky)} failed before: ZeroDivisionError: by plan" in plan.cells[0].why
    monkeypatch.setattr(sys.modules["misbehaving"], "raise_an_error", lambda: (0, 1, 1))
    prepare(plan)
    mended = sys.modules["misbehaving"].algorithm("raises", lambda: (0, 1, 1))
    monkeypatch.setattr(sys.modules["misbehaving"], "RAISES", mended)
    assert execute(plan, jobs=1).failures == []
    assert list((tmp_path / "results" / "demo" / "failures").iterdir()) == []


def test_fail_fast_stops_at_the_first_failure(tmp_path, misbehaving):
    plan = plan_of(tmp_path, algorithms=["raises", "random"], runs=30)
    prepare(plan)
    outcome = execute(plan, jobs=1, fail_fast=True)
    assert len(outcome.failures) == 1
    assert outcome.n_done < 30


def test_a_run_that_kills_its_worker_costs_only_itself(tmp_path, misbehaving, no_sprint):
    algorithm, runs = "killed", 4
    unlucky = unlucky_runs(runs)
    assert 0 < len(unlucky) < runs
    play(tmp_path / "without", algorithms=["random"], runs=20)
    plan = plan_of(tmp_path / "with", algorithms=["random", algorithm], runs=20)
    plan.cells[1].todo = plan.cells[1].todo[:runs]
    prepare(plan)
    outcome = execute(plan, jobs=2)
    assert files(tmp_path / "with", "random") == files(tmp_path / "without", "random")
    assert sorted(failure.run for failure in outcome.failures) == unlucky
    assert {failure.error for failure in outcome.failures} == {DIED}
    assert len(files(tmp_path / "with", algorithm)) == runs - len(unlucky)


def test_an_algorithm_of_which_every_run_kills_its_worker_is_given_up(tmp_path, misbehaving, no_sprint, monkeypatch):
    unlucky = unlucky_runs(40)[:8]
    plan = plan_of(tmp_path, algorithms=["dies"], runs=40)
    plan.cells[0].todo = list(unlucky)
    prepare(plan)
    outcome = execute(plan, jobs=2)
    errors = [failure.error for failure in outcome.failures]
    assert sorted(failure.run for failure in outcome.failures) == unlucky
    assert errors.count(DIED) == runner.DEATHS_BEFORE_GIVING_UP
    assert sum(error.startswith("not tried") for error in errors) == 8 - runner.DEATHS_BEFORE_GIVING_UP


def test_what_an_algorithm_prints_does_not_reach_standard_output(tmp_path, misbehaving, no_sprint, capfd):
    play(tmp_path / "here", algorithms=["prints"], runs=6)
    plan = plan_of(tmp_path / "workers", algorithms=["prints"], runs=6)
    prepare(plan)
    assert execute(plan, jobs=2).failures == []
    captured = capfd.readouterr()
    assert captured.out == ""
    assert "a message" in captured.err
