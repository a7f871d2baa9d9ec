"""Experiments whose number of runs is decided by looking at them: what is played, kept, said and refused."""

import json
import shutil

import pytest
from typer.testing import CliRunner

import duelbench
from duelbench.cli.app import app
from duelbench.errors import IncompleteResults, InputError, RunsFailed
from duelbench.experiments import running
from duelbench.experiments.execution.interim import plan_of
from duelbench.experiments.execution.plan import Chosen, prepare
from duelbench.experiments.results.manifest import open_results
from duelbench.experiments.spec.load import load
from tests.experiments.execution.experiments import files, play, write_spec
from tests.plug_ins import PLAIN, write

ALGORITHMS = {"algorithms": ["rucb", "random", {"rucb": {"alpha": 0.6, "label": "RUCB 0.6"}}]}
RANKED = {"until": "ranked", "least": 8, "most": 60}
PRECISE = {"until": "4%", "least": 8, "most": 40}


def counts(folder):
    return {cell.label: cell.n_runs for cell in open_results(folder / "results" / "demo").cells}


def invoke(*arguments):
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


@pytest.fixture(scope="module")
def ranked(tmp_path_factory):
    """Played until it was ranked, which RUCB with two values of alpha takes longer for than the others."""
    folder = tmp_path_factory.mktemp("ranked")
    play(folder, runs=RANKED, **ALGORITHMS)
    return folder


@pytest.fixture
def mine(ranked, tmp_path):
    """A copy of the results that may be changed."""
    return shutil.copytree(ranked, tmp_path / "mine")


@pytest.mark.thorough
def test_the_runs_are_those_of_a_plain_number_of_runs_whatever_was_there_before(ranked, tmp_path):
    """All numbers of runs are decided anew, and by the runs of each look alone."""
    assert min(counts(ranked).values()) < max(counts(ranked).values())
    play(tmp_path, runs=60, **ALGORITHMS)
    plain = files(tmp_path)
    assert files(ranked).items() <= plain.items() and len(files(ranked)) == sum(counts(ranked).values())
    play(tmp_path, runs=RANKED, **ALGORITHMS)
    assert counts(tmp_path) == counts(ranked) and files(tmp_path).items() >= plain.items()
    manifests = [(one / "results" / "demo" / "manifest.json").read_bytes() for one in (ranked, tmp_path)]
    assert manifests[0] == manifests[1]


def test_each_look_uses_the_runs_of_that_look_alone(mine):
    """With other numbers in the runs after the first look, the first look decides what it decided."""
    verdicts = []
    for most in (8, 60):
        spec = load(write_spec(mine, runs=RANKED | {"most": most}, **ALGORITHMS))
        verdicts.append(plan_of(spec, mine / "results" / "demo").standing.verdicts)
    first = {one.labels: one.finding for one in verdicts[0]}
    decided = [one for one in verdicts[1] if one.finding.runs == 8]
    assert decided and all(first[one.labels].estimate.value == one.finding.estimate.value for one in decided)


def test_an_experiment_that_was_interrupted_anywhere_goes_on_to_the_same_end_and_is_then_over(ranked, mine):
    whole = files(ranked)
    for name in sorted(whole)[5::7]:
        (mine / "results" / "demo" / name).unlink()
    manifest = mine / "results" / "demo" / "manifest.json"
    end = manifest.read_bytes()
    manifest.unlink()
    play(mine, runs=RANKED, **ALGORITHMS)
    assert files(mine) == whole and manifest.read_bytes() == end
    plan = plan_of(load(mine / "demo.yaml"), mine / "results" / "demo")
    assert plan.n_todo == 0 and plan.standing.is_over


def test_a_number_of_runs_on_the_command_line_takes_the_place_of_the_rule_and_parts_need_one(tmp_path):
    spec = write_spec(tmp_path, runs=RANKED)
    (plan,) = running.plans_of([spec], tmp_path / "results", runs=5)
    assert plan.n_runs == 10 and plan.standing is None and plan.spec.runs == 5
    for part in ({"shard": "1/2"}, {"chosen": Chosen(labels=("RUCB",))}):
        with pytest.raises(InputError, match="run parts with a fixed number of runs"):
            running.plans_of([spec], tmp_path / "results", **part)
        assert running.plans_of([spec], tmp_path / "results", runs=20, **part)[0].n_todo == 20


def test_results_between_two_looks_are_not_complete(mine):
    for path in (mine / "results" / "demo").rglob("run-*.npz"):
        if int(path.stem[4:]) >= 8:
            path.unlink()
    (mine / "results" / "demo" / "manifest.json").unlink()
    prepare(plan_of(load(mine / "demo.yaml"), mine / "results" / "demo"))
    for command in ("status", "report"):
        result = invoke(command, mine / "results" / "demo")
        assert isinstance(result.exception, IncompleteResults) and result.exception.exit_code == 4


def test_status_report_and_python_say_what_is_decided_and_with_how_many_runs(ranked):
    results = ranked / "results" / "demo"
    rows, found = (json.loads(invoke(name, results, "--json").stdout) for name in ("report", "status"))
    verdicts = found["experiments"][0]["until"]["verdicts"]
    assert next(one for one in verdicts if one["algorithms"] == ["RUCB", "Random"])["verdict"] == "<"
    assert duelbench.load(results).verdicts == verdicts
    for row in rows:
        assert row["runs"] == counts(ranked)[row["label"]]
        assert row["verdicts"] == [one for one in verdicts if row["label"] in one["algorithms"]]
    for command in ("status", "report"):
        assert "RUCB < Random by " in invoke(command, results).stdout
    assert "interim analyses of copeland regret decided the number" in invoke("compare", results).stderr


def test_what_is_still_open_when_the_last_look_is_over_is_said_to_be_so(tmp_path):
    rule = PRECISE | {"until": "0.5%", "most": 12}
    result = play(tmp_path, runs=rule, algorithms=["random", "rucb"])
    assert {one["verdict"] for one in result.verdicts} == {"open"} and not result.incomplete
    assert set(counts(tmp_path).values()) == {12}


def test_a_dry_run_says_how_far_it_may_still_be(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    found = json.loads(invoke("run", write_spec(tmp_path, runs=RANKED), "--dry-run", "--json").stdout)["until"]["demo"]
    assert (found["most_runs"], found["open"], found["over"]) == (120, 1, False)
    assert not (tmp_path / "results").exists()


@pytest.mark.thorough
def test_the_others_go_on_without_an_algorithm_of_which_a_run_failed(tmp_path, load):
    failing = "    if state.wins[0, 1] == 9:\n        raise ZeroDivisionError\n    winner = leader(state.wins)\n"
    load(write(tmp_path, PLAIN.replace("    winner = leader(state.wins)\n", failing)))
    twins = {
        "algorithms": [{"commit": {"each": 12}}, {"rucb": {"label": "a"}}, {"rucb": {"alpha": 0.52, "label": "b"}}]
    }
    with pytest.raises(RunsFailed):
        play(tmp_path, runs=PRECISE | {"until": "0.1%", "least": 20, "most": 30}, horizon=100, **twins)
    assert counts(tmp_path)["a"] == 30 > counts(tmp_path)["Commit"]
