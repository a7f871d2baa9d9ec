"""The bounds of a spec: computed when results are prepared, kept in the manifest, and no part of what a run is."""

import numpy as np
import pytest

from duelbench.bandits.problem.bounds import lower_bound
from duelbench.experiments.execution.plan import prepare
from duelbench.experiments.results import lower_bounds
from duelbench.experiments.results.manifest import open_results
from tests.experiments.execution.experiments import plan_of, play

CYCLIC = {
    kind: lower_bound([[0.5, 0.6, 0.6, 0.6], [0.4, 0.5, 0.9, 0.1], [0.4, 0.1, 0.5, 0.9], [0.4, 0.9, 0.1, 0.5]], kind)
    for kind in ("copeland", "ecw", "condorcet")
}


def prepared(folder, say=lambda _: None, **changes):
    """The bounds in the manifest of the spec's problems, after preparing it."""
    prepare(plan_of(folder, **changes), say)
    return [problem.get("bounds") for problem in open_results(folder / "results" / "demo").content["problems"]]


def test_the_manifest_holds_a_constant_for_each_recorded_regret_that_is_bounded(tmp_path):
    regret = ["copeland-zoghi", "copeland", "weak", "condorcet", "condorcet-sum"]
    (lines,) = prepared(tmp_path, regret=regret, bounds=["copeland", "ecw", "condorcet"])
    c, e, d = (CYCLIC[kind].constant for kind in ("copeland", "ecw", "condorcet"))
    assert lines == [
        ["copeland", 2 * c, "copeland-zoghi"],
        ["copeland", c, "copeland"],
        ["ecw", 2 * e, "copeland-zoghi"],
        ["ecw", e, "copeland"],
        ["condorcet", d, "condorcet"],
        ["condorcet", 2 * d, "condorcet-sum"],
    ]


def test_constants_of_another_matrix_or_installation_are_not_taken_over(tmp_path, monkeypatch):
    prepared(tmp_path, bounds=["copeland"])
    assert prepared(tmp_path, bounds=["copeland"], matrix="two.csv")[0][0][1] == pytest.approx(
        lower_bound([[0.5, 0.7], [0.3, 0.5]]).constant
    )
    monkeypatch.setattr(lower_bounds, "lower_bound", lambda *_: CYCLIC["ecw"])
    monkeypatch.setattr("duelbench.experiments.results.manifest.environment", lambda: {"duelbench": "another"})
    assert prepared(tmp_path, bounds=["copeland"], matrix="two.csv")[0][0][1] == CYCLIC["ecw"].constant


def test_many_arms_are_announced(tmp_path):
    n_arms = 120
    P = np.triu(np.full((n_arms, n_arms), 0.6), 1) + np.tril(np.full((n_arms, n_arms), 0.4), -1) + 0.5 * np.eye(n_arms)
    np.savetxt(tmp_path / "many.csv", P, delimiter=",", fmt="%.1f")
    said = []
    prepared(tmp_path, said.append, matrix="many.csv", bounds=["copeland", "condorcet"])
    assert said == ["computing the bound 'copeland' of many (120 arms) ..."]
    said.clear()
    prepared(tmp_path, said.append, matrix="many.csv", bounds=["copeland", "condorcet"])
    assert said == []


def test_constants_are_computed_once_and_are_no_part_of_what_a_run_is(tmp_path, monkeypatch):
    play(tmp_path, horizon=50)
    assert prepared(tmp_path, horizon=50) == [None]
    first = prepared(tmp_path, horizon=50, bounds=["copeland", "ecw"])
    manifest = tmp_path / "results" / "demo" / "manifest.json"
    written = manifest.read_bytes(), manifest.stat().st_mtime_ns
    manifest.unlink()
    assert prepared(tmp_path, horizon=50, bounds=["copeland", "ecw"]) == first
    assert manifest.read_bytes() == written[0]
    monkeypatch.setattr(lower_bounds, "lower_bound", None)  # planning computes none, nor does preparing again
    assert plan_of(tmp_path, horizon=50, bounds=["copeland"]).n_todo == 0
    before = manifest.stat().st_mtime_ns
    assert prepared(tmp_path, horizon=50, bounds=["copeland", "ecw"]) == first
    assert manifest.stat().st_mtime_ns == before
    # Another recorded regret needs no other constant.
    (twice,) = prepared(tmp_path, bounds=["copeland"], regret=["copeland-zoghi"])
    assert twice == [["copeland", 2 * first[0][0][1], "copeland-zoghi"]]


NOTED = [
    ("0.5,0.6,0.4\n0.4,0.5,0.7\n0.6,0.3,0.5\n", ["copeland", "condorcet"], ["copeland"], ["copeland"], "condorcet"),
    (None, ["ecw", "condorcet"], ["condorcet", "borda"], ["condorcet"], "the bound 'ecw' is not drawn"),
    ("0.5,0.6,0.6\n0.4,0.5,0.5\n0.4,0.5,0.5\n", ["copeland"], ["copeland"], ["copeland"], "leaves out a tied pair"),
    # The winners are tied with each other: by losses arm 3 is 3 behind, by wins only 1.
    ("0.5,0.5,0.5,0.8\n" * 3 + "0.2,0.2,0.2,0.5\n", ["copeland"], ["copeland"], [], "of other is not drawn"),
]


@pytest.mark.parametrize(("matrix", "bounds", "regret", "drawn", "note"), NOTED)
def test_a_bound_that_does_not_hold_here_is_not_drawn_and_said(tmp_path, matrix, bounds, regret, drawn, note):
    (tmp_path / "other.csv").write_text(matrix or "")
    plan = plan_of(tmp_path, bounds=bounds, regret=regret, **({"matrix": "other.csv"} if matrix else {}))
    assert any(note in said for said in plan.notes())
    prepare(plan)
    (problem,) = open_results(plan.folder).content["problems"]
    assert [line[0] for line in problem["bounds"]] == drawn
