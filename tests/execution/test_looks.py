"""Experiments whose number of runs is decided by looking at them: what is played, kept, said and refused."""

import dataclasses
import json
import shutil

import pytest
from typer.testing import CliRunner

import duelbench
from duelbench.actions import running
from duelbench.cli.app import app
from duelbench.errors import IncompleteResults, InputError, RunsFailed
from duelbench.execution import worker
from duelbench.execution.looks import plan_of
from duelbench.execution.plan import Chosen, prepare
from duelbench.execution.runner import execute
from duelbench.results.manifest import open_results
from duelbench.spec.load import load
from duelbench.statistics.looks import Until
from tests.execution.experiments import files, write_spec

THREE = ["rucb", "random", {"rucb": {"alpha": 0.6, "label": "RUCB 0.6"}}]
RANKED = {"until": "ranked", "least": 8, "most": 60}
PRECISE = {"until": "4%", "least": 8, "most": 40}


def _run(folder, rule=None, **changes):
    """Play a spec; of algorithms that take no time to compile twice."""
    spec = write_spec(folder, runs=rule, **{"algorithms": THREE, **changes})
    return running.run(spec, folder / "results", jobs=1, quiet=True)


def _counts(folder):
    return {cell.label: cell.n_runs for cell in open_results(folder / "results" / "demo").cells}


def _invoke(*arguments):
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


@pytest.fixture(scope="module")
def ranked(tmp_path_factory):
    """Played until it was ranked, which RUCB with two values of alpha takes longer for than the others."""
    folder = tmp_path_factory.mktemp("ranked")
    _run(folder, RANKED)
    return folder


@pytest.fixture
def mine(ranked, tmp_path):
    """A copy of the results that may be changed."""
    return shutil.copytree(ranked, tmp_path / "mine")


@pytest.mark.parametrize("rule", [RANKED, PRECISE], ids=["ranked", "precise"])
def test_the_runs_are_those_of_a_plain_number_of_runs_to_the_last_bit(rule, tmp_path):
    _run(tmp_path / "until", rule)
    counts = _counts(tmp_path / "until")
    assert min(counts.values()) < max(counts.values())
    _run(tmp_path / "plain", max(counts.values()))
    plain = files(tmp_path / "plain")
    assert files(tmp_path / "until").items() <= plain.items()
    assert len(files(tmp_path / "until")) == sum(counts.values())


def test_what_is_decided_does_not_depend_on_runs_that_were_there_before(ranked, tmp_path):
    _run(tmp_path, 40)
    before = files(tmp_path)
    _run(tmp_path, RANKED)
    assert _counts(tmp_path) == _counts(ranked)
    assert files(tmp_path).items() >= before.items()
    manifests = [(one / "results" / "demo" / "manifest.json").read_bytes() for one in (ranked, tmp_path)]
    assert manifests[0] == manifests[1]


def test_an_experiment_that_was_interrupted_anywhere_goes_on_to_the_same_end(ranked, mine):
    whole = files(ranked)
    for name in sorted(whole)[5::7]:
        (mine / "results" / "demo" / name).unlink()
    manifest = mine / "results" / "demo" / "manifest.json"
    end = manifest.read_bytes()
    manifest.unlink()
    _run(mine, RANKED)
    assert files(mine) == whole and manifest.read_bytes() == end


def test_running_it_again_plays_nothing(ranked):
    plan = plan_of(load(ranked / "demo.yaml"), ranked / "results" / "demo")
    assert plan.n_todo == 0 and plan.standing.is_over
    assert {cell.cell.label: cell.cell.n_runs for cell in plan.cells} == _counts(ranked)


def test_a_renamed_label_plays_nothing_again(mine):
    renamed = [*THREE[:2], {"rucb": {"alpha": 0.6, "label": "another"}}]
    before = files(mine)
    _run(mine, RANKED, algorithms=renamed)
    assert sorted(files(mine).values()) == sorted(before.values())


def test_each_look_uses_the_runs_of_that_look_whatever_else_is_there(mine):
    """With other numbers in the runs after the first look, the first look decides what it decided."""
    first = plan_of(load(write_spec(mine, runs=RANKED | {"most": 8}, algorithms=THREE)), mine / "results" / "demo")
    again = plan_of(load(write_spec(mine, runs=RANKED, algorithms=THREE)), mine / "results" / "demo")
    at_first = {one.labels: one.finding for one in first.standing.verdicts}
    decided = [one for one in again.standing.verdicts if one.finding.runs == 8]
    assert decided and all(at_first[one.labels].estimate.value == one.finding.estimate.value for one in decided)


def test_a_number_of_runs_on_the_command_line_takes_the_place_of_the_rule(tmp_path):
    spec = write_spec(tmp_path, runs=RANKED)
    (plan,) = running.plans_of([spec], tmp_path / "results", runs=5)
    assert plan.n_runs == 10 and plan.standing is None and plan.spec.runs == 5


@pytest.mark.parametrize("part", [{"shard": "1/2"}, {"chosen": Chosen(labels=("RUCB",))}])
def test_parts_are_refused_with_a_way_out(tmp_path, part):
    spec = write_spec(tmp_path, runs=RANKED)
    with pytest.raises(InputError, match="add --runs N to play N runs in parts"):
        running.plans_of([spec], tmp_path / "results", **part)
    assert running.plans_of([spec], tmp_path / "results", runs=20, **part)[0].n_todo == 20
    assert not (tmp_path / "results").exists()


def test_a_spec_with_a_number_of_runs_has_the_manifest_that_it_had(tmp_path):
    _run(tmp_path, 4, algorithms=["random"])
    content = json.loads((tmp_path / "results" / "demo" / "manifest.json").read_text())
    assert content["spec"]["runs"] == 4 and content["cells"][0]["runs"] == 4


def test_results_between_two_looks_are_not_complete(mine, monkeypatch):
    monkeypatch.chdir(mine)
    spec = write_spec(mine, name="between", runs=RANKED, algorithms=THREE)
    plan = plan_of(load(spec), mine / "results" / "between")
    prepare(plan)
    execute(plan, jobs=1)
    for command in ("status", "report"):
        result = _invoke(command, mine / "results" / "between")
        assert isinstance(result.exception, IncompleteResults) and result.exception.exit_code == 4
    assert "next look at 12 runs, perhaps the last at" in str(result.exception)
    (found,) = json.loads(_invoke("status", "results/between", "--json").stdout)["experiments"]
    assert not found["complete"] and not found["until"]["over"]
    assert all(cell["done"] == cell["runs"] == 8 for cell in found["cells"])


def test_status_and_report_say_what_is_decided_and_with_how_many_runs(ranked):
    results = ranked / "results" / "demo"
    status, report = _invoke("status", results), _invoke("report", results)
    (rows, found) = (json.loads(_invoke(name, results, "--json").stdout) for name in ("report", "status"))
    verdicts = found["experiments"][0]["until"]["verdicts"]
    assert next(one for one in verdicts if one["algorithms"] == ["RUCB", "Random"])["verdict"] == "<"
    for text in (status.stdout, report.stdout):
        assert "cyclic, round 300: RUCB < Random by " in text and f"with {verdicts[0]['runs']} runs" in text
    assert duelbench.load(results).verdicts == verdicts
    counts = _counts(ranked)
    for row in rows:
        assert row["runs"] == counts[row["label"]]
        assert row["verdicts"] == [one for one in verdicts if row["label"] in one["algorithms"]]


def test_what_is_still_open_when_the_last_look_is_over_is_said_to_be_so(tmp_path):
    result = _run(tmp_path, PRECISE | {"until": "0.5%", "most": 12}, algorithms=["random", "rucb"])
    assert {one["verdict"] for one in result.verdicts} == {"open"} and not result.incomplete
    said = result.experiment.standing.lines()
    assert said[0] == "runs until each mean is known to 0.5%, 8 to 12 runs: 0 of 2 means decided"
    assert all(": not to 0.5%" in line and "perhaps" not in line for line in said[1:])


def test_compare_says_that_its_intervals_do_not_know_of_the_looks(ranked):
    assert (
        "how many runs there are was decided by looking at them" in _invoke("compare", ranked / "results/demo").stderr
    )


def test_a_dry_run_says_how_far_it_may_still_be(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    spec = write_spec(tmp_path, runs=RANKED)
    text = _invoke("run", spec, "--dry-run").stdout
    assert "next look at 8 runs, at most 60" in text and "after that look at most 104 runs are to come" in text
    assert "16 runs to do up to the next look" in text
    found = json.loads(_invoke("run", spec, "--dry-run", "--json").stdout)["until"]["demo"]
    assert (found["most_runs"], found["open"], found["over"]) == (120, 1, False)
    assert not (tmp_path / "results").exists()


def test_the_others_go_on_without_an_algorithm_of_which_a_run_failed(tmp_path, monkeypatch):
    real = worker.simulate_cell

    def fails(cell, run, *arguments):
        if cell.identity.algorithm == "random" and run == 9:
            raise ZeroDivisionError("by plan")
        return real(cell, run, *arguments)

    twins = ["random", {"rucb": {"label": "a"}}, {"rucb": {"alpha": 0.52, "label": "b"}}]
    monkeypatch.setattr(worker, "simulate_cell", fails)
    rule = RANKED | {"most": 30, "margin": "0.1%"}
    with pytest.raises(RunsFailed, match="1 run failed"):
        _run(tmp_path, PRECISE | {"until": "0.1%", "most": 12}, algorithms=twins)
    assert _counts(tmp_path) == {"Random": 12, "a": 12, "b": 12}
    with pytest.raises(RunsFailed, match="1 run failed"):
        _run(tmp_path, PRECISE | {"until": "0.1%", "most": 30}, algorithms=twins)
    assert _counts(tmp_path)["a"] == 30 and _counts(tmp_path)["Random"] == 12
    monkeypatch.undo()
    _run(tmp_path, rule, algorithms=twins)
    results = open_results(tmp_path / "results" / "demo")
    assert results.until == Until(None, 8, 30, 0.001)


def test_a_rule_in_a_spec_survives_being_written_out(tmp_path):
    for rule in (RANKED, PRECISE, RANKED | {"margin": "3%"}):
        spec = load(write_spec(tmp_path, runs=rule))
        written = load({**spec.canonical(), "matrix": str(tmp_path / "cyclic.csv")})
        assert isinstance(spec.runs, Until) and written.runs == spec.runs
        assert dataclasses.replace(spec, runs=5).canonical()["runs"] == 5
