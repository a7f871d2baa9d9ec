"""The bounds of a spec: computed when results are prepared, kept in the manifest, and no part of what a run is."""

import json

import numpy as np
import pytest

from duelbench.execution.plan import make_plan, prepare
from duelbench.problem.bounds import lower_bound
from duelbench.results import lower_bounds
from duelbench.results.manifest import open_results
from duelbench.spec.load import load
from tests.execution.experiments import plan_of, play, spec_of

CYCLIC = {
    kind: lower_bound([[0.5, 0.6, 0.6, 0.6], [0.4, 0.5, 0.9, 0.1], [0.4, 0.1, 0.5, 0.9], [0.4, 0.9, 0.1, 0.5]], kind)
    for kind in ("copeland", "ecw", "condorcet")
}
CIRCLE = "0.5,0.6,0.4\n0.4,0.5,0.7\n0.6,0.3,0.5\n"
TIED = "0.5,0.6,0.6\n0.4,0.5,0.5\n0.4,0.5,0.5\n"


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


def test_a_spec_without_bounds_has_the_manifest_that_it_always_had(tmp_path):
    assert prepared(tmp_path) == [None]


def test_bounds_do_not_change_what_a_run_is(tmp_path):
    play(tmp_path)
    plan = plan_of(tmp_path, bounds=["copeland"])
    assert (plan.n_todo, plan.n_runs) == (0, 8)


def test_constants_are_computed_once(tmp_path, monkeypatch):
    first = prepared(tmp_path, bounds=["copeland", "ecw"])
    written = (tmp_path / "results" / "demo" / "manifest.json").stat().st_mtime_ns
    monkeypatch.setattr(lower_bounds, "lower_bound", None)
    assert prepared(tmp_path, bounds=["copeland", "ecw"]) == first
    assert (tmp_path / "results" / "demo" / "manifest.json").stat().st_mtime_ns == written
    # Another recorded regret needs no other constant.
    (twice,) = prepared(tmp_path, bounds=["copeland"], regret=["copeland-zoghi"])
    assert twice == [["copeland", 2 * first[0][0][1], "copeland-zoghi"]]


def test_constants_of_another_matrix_or_installation_are_not_taken_over(tmp_path, monkeypatch):
    prepared(tmp_path, bounds=["copeland"])
    assert prepared(tmp_path, bounds=["copeland"], matrix="two.csv")[0][0][1] == pytest.approx(
        lower_bound([[0.5, 0.7], [0.3, 0.5]]).constant
    )
    monkeypatch.setattr(lower_bounds, "lower_bound", lambda *_: CYCLIC["ecw"])
    monkeypatch.setattr("duelbench.results.manifest.environment", lambda: {"duelbench": "another"})
    assert prepared(tmp_path, bounds=["copeland"], matrix="two.csv")[0][0][1] == CYCLIC["ecw"].constant


def test_a_damaged_manifest_costs_only_time(tmp_path):
    first = prepared(tmp_path, bounds=["copeland"])
    (tmp_path / "results" / "demo" / "manifest.json").write_text("{")
    assert prepared(tmp_path, bounds=["copeland"]) == first


def test_planning_computes_no_bounds(tmp_path, monkeypatch):
    monkeypatch.setattr(lower_bounds, "lower_bound", None)
    assert plan_of(tmp_path, bounds=["copeland"]).n_todo == 8


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


def plan_with(folder, **changes):
    spec_of(folder)
    (folder / "circle.csv").write_text(CIRCLE)
    (folder / "tied.csv").write_text(TIED)
    return plan_of(folder, **changes)


def test_a_problem_without_condorcet_winner_gets_no_condorcet_bound_and_notes(tmp_path):
    changes = {
        "matrix": None,
        "problems": {"cyclic": "cyclic.csv", "circle": "circle.csv"},
        "bounds": ["copeland", "condorcet"],
        "regret": ["copeland"],
    }
    plan = plan_with(tmp_path, **changes)
    assert plan.notes() == [
        "RUCB assumes a Condorcet winner, which circle does not have: its regret may go on growing",
        "the bound 'condorcet' is not drawn: it speaks of Condorcet regret, and the spec records copeland",
    ]
    prepare(plan)
    problems = open_results(plan.folder).content["problems"]
    assert [[line[0] for line in problem["bounds"]] for problem in problems] == [["copeland"], ["copeland"]]


def test_a_bound_on_a_regret_that_is_not_recorded_is_not_drawn(tmp_path):
    plan = plan_with(tmp_path, bounds=["ecw", "condorcet"], regret=["condorcet", "borda"])
    assert plan.notes() == [
        "the bound 'ecw' is not drawn: it speaks of Copeland regret, and the spec records condorcet, borda"
    ]
    prepare(plan)
    assert open_results(plan.folder).content["problems"][0]["bounds"] == [
        ["condorcet", CYCLIC["condorcet"].constant, "condorcet"]
    ]


def test_ties_are_said(tmp_path):
    plan = plan_with(tmp_path, matrix="tied.csv", bounds=["copeland", "condorcet"], regret=["copeland", "condorcet"])
    assert plan.notes() == ["the bound 'copeland' of tied leaves out a tied pair, which its theory does not allow"]


def test_a_bound_that_ties_make_void_is_not_drawn(tmp_path):
    # The winners are tied with each other: by losses arm 3 is 3 behind, by wins only 1.
    spec_of(tmp_path)
    rows = ["0.5,0.5,0.5,0.8"] * 3 + ["0.2,0.2,0.2,0.5"]
    (tmp_path / "tied.csv").write_text("\n".join(rows) + "\n")
    plan = plan_of(tmp_path, matrix="tied.csv", bounds=["copeland"])
    assert plan.notes() == [
        "RUCB assumes a Condorcet winner, which tied does not have: its regret may go on growing",
        "the bound 'copeland' of tied is not drawn: with 3 tied pairs it bounds no regret of the spec",
    ]
    prepare(plan)
    assert open_results(plan.folder).content["problems"][0]["bounds"] == []


def test_a_regret_that_needs_a_winner_never_meets_a_matrix_without_one(tmp_path):
    # The spec is refused before bounds are thought of.
    from duelbench.errors import InputError

    spec_of(tmp_path)
    (tmp_path / "circle.csv").write_text(CIRCLE)
    (tmp_path / "wrong.yaml").write_text(
        "matrix: circle.csv\nhorizon: 100\nregret: condorcet\nbounds: condorcet\nalgorithms: rucb\n"
    )
    with pytest.raises(InputError, match="needs a Condorcet winner"):
        load(tmp_path / "wrong.yaml")


def test_the_manifest_is_plain_json_that_a_person_can_read(tmp_path):
    prepared(tmp_path, bounds=["copeland"])
    content = json.loads((tmp_path / "results" / "demo" / "manifest.json").read_text())
    assert content["spec"]["bounds"] == ["copeland"]
    assert content["problems"][0]["bounds"][0][0] == "copeland"


def test_preparing_twice_writes_the_same_bytes(tmp_path):
    for _ in range(2):
        prepared(tmp_path, bounds=["copeland", "ecw"])
        once = (tmp_path / "results" / "demo" / "manifest.json").read_bytes()
        (tmp_path / "results" / "demo" / "manifest.json").unlink()
        prepare(make_plan(load(tmp_path / "demo.yaml"), tmp_path / "results" / "demo"))
        assert (tmp_path / "results" / "demo" / "manifest.json").read_bytes() == once
