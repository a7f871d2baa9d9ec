"""Scalar bandits in specs: every way to say one, and the same runner, results and resume."""

import numpy as np

from duelbench.experiments.execution.plan import make_plan, prepare
from duelbench.experiments.execution.runner import execute
from duelbench.experiments.results.manifest import open_results
from duelbench.experiments.results.store import read_run
from duelbench.experiments.spec.load import load

ALGORITHMS = "horizon: 300\nruns: 2\ncheckpoints: 5\nalgorithms:\n  - savage: {horizons: 300, delta: 0.9}\n"


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
