"""Promise 9: a result is reused exactly when it would be recomputed identically."""

import dataclasses
import json
from pathlib import Path

import pytest

from duelbench.bandits.algorithms import registry
from duelbench.bandits.simulation.terms import Identity
from duelbench.experiments.execution.plan import make_plan
from duelbench.experiments.results.manifest import open_results
from duelbench.experiments.spec.load import load
from tests.experiments.execution.experiments import CYCLIC, plan_of, play, spec_of

RECOMPUTED = {
    "another horizon": {"horizon": 301},
    "another seed": {"seed": 8},
    "other checkpoints": {"checkpoints": 6},
    "checkpoints in a list": {"checkpoints": [10, 300]},
    "another regret": {"regret": ["weak"]},
    "one more regret": {"regret": ["copeland", "weak"]},
    "arms shuffled": {"shuffle_arms": True},
    "feedback in batches": {"feedback_batch": 2},
    "feedback delayed": {"feedback_delay": 1},
    "another matrix": {"matrix": "two.csv"},
    "another parameter of one": {"algorithms": [{"rucb": {"alpha": 0.6}}, "random"]},
}

REUSED = {
    "nothing": {},
    "another title": {"title": "A better title"},
    "a label": {"algorithms": [{"rucb": {"label": "RUCB, our choice"}}, "random"]},
    "another order": {"algorithms": ["random", "rucb"]},
    "a default that is said": {"algorithms": [{"rucb": {"alpha": 0.51}}, "random"]},
    "defaults of the spec that are said": {
        "feedback_batch": 1,
        "feedback_delay": 0,
        "regret": "copeland",
        "horizon": "3e2",
    },
    "bounds": {"bounds": ["copeland"]},
    "a problem with a name": {"matrix": None, "problems": {"cycle": "cyclic.csv"}},
    "fewer runs": {"runs": 3},
    "the checkpoints in a list": {"checkpoints": [1, 4, 17, 72, 300]},
}

EXTENDED = {
    "more runs": ({"runs": 6}, 8, 4),
    "one algorithm more": ({"algorithms": ["rucb", "random", {"rucb": {"alpha": 0.9}}]}, 8, 4),
    "one problem more": ({"matrix": None, "problems": ["cyclic.csv", "two.csv"]}, 8, 8),
    "a second horizon": ({"algorithms": [{"rucb": {"horizons": [100, 300]}}, "random"]}, 8, 4),
}


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("played")
    play(folder)
    return folder


@pytest.mark.parametrize("edit", REUSED)
def test_an_edit_that_changes_no_trace_recomputes_nothing(played, edit):
    plan = plan_of(played, **REUSED[edit])
    assert plan.n_todo == 0 and plan.n_runs > 0


@pytest.mark.parametrize("edit", RECOMPUTED)
def test_an_edit_that_changes_traces_recomputes_them(played, edit):
    plan = plan_of(played, **RECOMPUTED[edit])
    todo = {cell_plan.cell.identity.algorithm: len(cell_plan.todo) for cell_plan in plan.cells}
    of_one = edit == "another parameter of one"
    assert todo == {"rucb": 4, "random": 0 if of_one else 4}


@pytest.mark.parametrize("edit", EXTENDED)
def test_what_an_edit_adds_is_computed_and_nothing_else(played, edit):
    changes, reused, todo = EXTENDED[edit]
    plan = plan_of(played, **changes)
    assert (plan.n_runs - plan.n_todo, plan.n_todo) == (reused, todo)


def test_comments_key_order_and_the_place_of_the_files_change_nothing(played, tmp_path):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "renamed.csv").write_text("# from a book\na, b, c, d\n" + CYCLIC.replace(",", ", "))
    (elsewhere / "demo.yaml").write_text(
        "# the same experiment\nalgorithms: [random, {rucb: {alpha: 5.1e-1}}]\ncheckpoints: 5  # few\n"
        "seed: 7\nshuffle_arms: no\nruns: 4\nhorizon: 300\nmatrix: renamed.csv\nname: demo\n"
    )
    plan = make_plan(load(elsewhere / "demo.yaml"), played / "results" / "demo")
    assert (plan.n_runs, plan.n_todo) == (8, 0)


def test_a_new_version_of_an_algorithms_traces_recomputes_only_them(played, monkeypatch):
    known = registry.get
    newer = dataclasses.replace(known("rucb"), trace_version=99)
    monkeypatch.setattr(registry, "get", lambda id: newer if id == "rucb" else known(id))
    plan = make_plan(spec_of(played), played / "results" / "demo")
    assert [len(cell_plan.todo) for cell_plan in plan.cells] == [4, 0]
    assert plan.cells[0].why == "rucb's traces changed in version 99"


def test_batches_and_delays_of_as_many_rounds_have_keys_of_their_own():
    identity = next(iter(open_results(Path(__file__).parent / "format-1" / "demo").cells)).identity
    others = [dataclasses.replace(identity, settings=late) for late in ({"feedback_batch": 9}, {"feedback_delay": 9})]
    assert len({one.key(0) for one in (identity, *others)}) == 3
    for one in (identity, *others):
        assert Identity.from_content(json.loads(json.dumps(one.content()))) == one
