"""Scalar bandits in specs: every way to say one, what is wrong with one, and the same runner, results and resume."""

import json

import numpy as np
import pytest
import yaml

from duelbench.errors import InputError
from duelbench.execution.plan import make_plan, prepare
from duelbench.execution.runner import execute
from duelbench.results.manifest import open_results
from duelbench.results.store import read_run
from duelbench.spec.load import load

ALGORITHMS = "horizon: 2000\nruns: 2\ncheckpoints: 5\nalgorithms:\n  - savage: {horizons: 2000, delta: 0.9}\n"


def spec_of(folder, text, name="s.yaml"):
    (folder / name).write_text(text + ALGORITHMS)
    return load(folder / name)


def test_a_scalar_bandit_is_said_in_place_or_in_a_file(tmp_path):
    inside = spec_of(tmp_path, "problem: {means: [0.9, 0.5 x 2, 0], decision: rigged, m: 1}\n")
    (tmp_path / "bandit.yaml").write_text("means: [0.9, 0.5, 0.5, 0]\ndecision: rigged\nm: 1\n")
    outside = spec_of(tmp_path, "problem: bandit.yaml\n")
    for spec in (inside, outside):
        bandit = spec.problems[0].matrix
        assert bandit.means.tolist() == [0.9, 0.5, 0.5, 0.0]
        assert (bandit.decision.name, bandit.parameters, spec.regret) == ("rigged", {"m": 1}, ("announced",))
    assert inside.problems[0].matrix.sha256 == outside.problems[0].matrix.sha256
    named = spec_of(tmp_path, "problems: {few: {means: [0.9, 0.1]}, many: {means: [0.9, 0.1 x 9]}}\n")
    assert [problem.name for problem in named.problems] == ["few", "many"]


def test_the_canonical_spec_loads_as_an_equal_one(tmp_path):
    for text in ("problem: {means: [0.9, 0.5], decision: counting}\n", "problems: {a: {means: [0.25, 1]}}\n"):
        spec = spec_of(tmp_path, text)
        (tmp_path / "again.yaml").write_text(yaml.safe_dump(json.loads(json.dumps(spec.canonical()))))
        assert load(tmp_path / "again.yaml") == spec


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("problem: {means: [0.9, 1.5]}\n", "s.yaml:1:24 problem.means.1: must lie between 0 and 1"),
        ("problem: {means: [0.9], decision: argmin}\n", "'argmin' is not a decision (did you mean 'argmax'?)"),
        ("problem: {means: [0.9], m: 2}\n", "unknown key 'm' for the decision argmax"),
        ("problem: {means: [0.9, 0.1], decision: rigged}\n", "leaves nothing of 2 means"),
        ("problem: {means: 0.5}\n", "must be a list of numbers"),
        (
            "problem: {decision: argmax}\n",
            "the key 'means' is missing; add it, as in '{means: [0.9, 0.5], decision: argmax}'",
        ),
        ("problem: {means: [0.5 x many]}\n", "must say how often"),
        ("problem: {means: [0.5, 0.4], names: [a]}\n", "has 1 names for 2 means"),
        ("problem: none.yaml\n", "none.yaml"),
        ("problem: {means: [0.5]}\nmatrix: a.csv\n", "problem: stands beside 'matrix'"),
        ("problem: {means: [0.5]}\nregret: copeland\n", "'copeland' is one of preference matrices"),
        ("problem: {means: [0.5], decision: counting}\nregret: played\n", "needs a decision that is an arm"),
        ("problems: {a: {means: [0.5]}, b: two.csv}\n", "matrices and scalar bandits"),
        ("problems: {means: [0.5]}\n", "write 'problem'"),
        ("problem: {means: [0.5]}\nbounds: ecw\n", "bounds: are those of duels"),
    ],
)
def test_a_mistake_is_named(tmp_path, text, message):
    with pytest.raises(InputError) as refusal:
        spec_of(tmp_path, text)
    assert message.removeprefix("s.yaml") in str(refusal.value)


def test_a_mistake_in_the_file_of_a_problem_is_named_with_its_place(tmp_path):
    (tmp_path / "b.yaml").write_text("means: [0.5]\ndecision: riged\n")
    with pytest.raises(InputError, match=r"problem: b\.yaml:2:11 decision: 'riged' is not a decision"):
        spec_of(tmp_path, "problem: b.yaml\n")


def test_algorithms_of_the_other_kind_are_refused(tmp_path):
    (tmp_path / "s.yaml").write_text("problem: {means: [0.5]}\nhorizon: 100\nalgorithms: [rucb]\n")
    with pytest.raises(InputError, match="rucb plays duels"):
        load(tmp_path / "s.yaml")
    (tmp_path / "two.csv").write_text("0.5,0.9\n0.1,0.5\n")
    (tmp_path / "s.yaml").write_text("matrix: two.csv\nhorizon: 100\nalgorithms: [savage]\n")
    with pytest.raises(InputError, match="savage plays scalar bandits only"):
        load(tmp_path / "s.yaml")


def test_runs_are_stored_read_and_used_again(tmp_path):
    spec = spec_of(tmp_path, "problem: {means: [0.9, 0.2, 0.1], decision: counting}\n")
    folder = tmp_path / "results" / "s"
    plan = make_plan(spec, folder)
    prepare(plan)
    assert execute(plan, jobs=1).n_done == 2
    result = read_run(folder / "savage" / "run-00001.npz")
    assert result.trace.duels.shape == (3, 1) and result.trace.explored.shape == result.trace.rounds.shape
    assert result.trace.finished > 1 and result.identity.decision == "counting"
    with np.load(folder / "savage" / "run-00001.npz") as file:
        assert set(file.files) >= {"explored", "finished"}
    [cell] = open_results(folder).cells
    assert cell.matrix.means.tolist() == [0.9, 0.2, 0.1] and cell.matrix.sha256 == spec.problems[0].matrix.sha256
    assert make_plan(spec, folder).n_todo == 0
    other = spec_of(tmp_path, "problem: {means: [0.9, 0.2, 0.2], decision: counting}\n")
    plan = make_plan(other, folder)
    assert plan.n_todo == 2 and plan.cells[0].why == "the scalar bandit changed"


def test_results_without_what_is_explored_are_results(tmp_path):
    (tmp_path / "two.csv").write_text("0.5,0.9\n0.1,0.5\n")
    (tmp_path / "s.yaml").write_text("matrix: two.csv\nhorizon: 100\nruns: 1\nalgorithms: [rucb]\n")
    folder = tmp_path / "results"
    plan = make_plan(load(tmp_path / "s.yaml"), folder)
    prepare(plan)
    execute(plan, jobs=1)
    with np.load(folder / "rucb" / "run-00000.npz") as file:
        assert sorted(file.files) == ["decisions", "duels", "meta", "recommended", "regret", "round"]
