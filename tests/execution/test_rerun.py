"""A result file can be played again with one call, which gives the same arrays to the last bit."""

import shutil
from pathlib import Path

import numpy as np
import pytest

import duelbench
from duelbench.errors import InputError
from duelbench.results import manifest
from duelbench.results.store import read_run
from tests.execution.experiments import files, play, write_spec

QUICK = {"horizon": 60, "runs": 2, "shuffle_arms": True}

EXPERIMENTS = {
    "a file": {"feedback_delay": 7, "regret": ["weak", "copeland"], "algorithms": [{"rucb": {"alpha": 0.8}}, "random"]},
    "a family": {"matrix": {"family": "random", "n_arms": 4, "seed": 3}, "seed": 2**70},
    "fetched data": {"matrix": {"source": "sushi-a", "arms": [3, 1, 2]}},
    "several horizons": {"algorithms": [{"random": {"horizons": [20, 60]}}], "checkpoints": [3, 11]},
    "a scalar problem": {
        "matrix": None,
        "problem": {"means": [0.9, "0.5 x 2"], "decision": "rigged", "m": 1},
        "algorithms": ["round-robin"],
        "shuffle_arms": None,
    },
    "games of a sweep": {
        "matrix": {"family": "random", "n_arms": 3},
        "sweep": {"over": "n_arms", "values": [2, 3], "games": 2},
        "algorithms": ["random"],
    },
    "values of a sweep": {"sweep": {"over": "feedback_delay", "values": [1, 5]}, "algorithms": ["rucb"]},
}


@pytest.fixture
def sushi(tmp_path, monkeypatch):
    """A data folder with orders of three sorts."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data-home"))
    folder = tmp_path / "data-home" / "duelbench" / "sushi"
    folder.mkdir(parents=True)
    (folder / "sushi3a.5000.10.order").write_text("3 1\n0 3 2 0 1\n0 3 0 2 1\n0 3 0 1 2\n")


def same_arrays(one, other) -> bool:
    names = ("rounds", "regret", "duels", "recommended", "decisions", "explored", "finished")
    return all(np.array_equal(getattr(one, name), getattr(other, name)) for name in names)


@pytest.mark.parametrize("kind", EXPERIMENTS)
def test_every_result_of_every_kind_of_problem_is_reproduced(tmp_path, sushi, kind):
    play(tmp_path, **{**QUICK, **EXPERIMENTS[kind]})
    results = [tmp_path / "results" / "demo" / name for name in files(tmp_path)]
    assert len(results) >= 2
    for path in results:
        again, stored = duelbench.rerun(path), read_run(path).trace
        assert same_arrays(again, stored), path
        assert (again.definitions, again.algorithm) == (stored.definitions, stored.algorithm)


def test_specs_shuffle_arms_and_simulate_does_not_which_is_why_there_is_rerun(tmp_path):
    play(tmp_path, **QUICK)
    path = tmp_path / "results" / "demo" / "rucb" / "run-00001.npz"
    P = duelbench.PreferenceMatrix.load(tmp_path / "cyclic.csv")
    asked = {"horizon": 60, "seed": 7, "run": 1, "checkpoints": 5}
    stored = read_run(path).trace
    assert not same_arrays(duelbench.simulate("rucb", P, **asked), stored)
    assert same_arrays(duelbench.simulate("rucb", P, **asked, shuffle_arms=True), stored)
    assert same_arrays(duelbench.rerun(str(path)), stored)


PLUG_IN = """
from dataclasses import replace
from duelbench.algorithms.registry import get
MINE = replace(get("random"), id="mine-again", compiled=False)
"""


def test_an_algorithm_of_your_own_is_played_again_once_it_is_loaded(tmp_path, monkeypatch):
    from duelbench.algorithms import registry

    monkeypatch.setattr(registry, "_named", {})
    monkeypatch.setattr(registry, "named_plug_ins", {})
    (tmp_path / "mine.py").write_text(PLUG_IN)
    duelbench.load_plug_in(str(tmp_path / "mine.py"))
    play(tmp_path, **QUICK, algorithms=["mine-again"])
    path = tmp_path / "results" / "demo" / "random" / "run-00000.npz"
    assert same_arrays(duelbench.rerun(path), read_run(path).trace)
    monkeypatch.setattr(registry, "_named", {})
    with pytest.raises(
        InputError, match=r"the plug-in 'mine-again', .* add --plug-in its_file.py, once for each file; .*load_plug_in"
    ):
        duelbench.rerun(path)


def test_a_plug_in_that_was_edited_is_not_played_in_the_place_of_the_old_one(tmp_path, monkeypatch):
    from duelbench.algorithms import registry

    monkeypatch.setattr(registry, "_named", {})
    monkeypatch.setattr(registry, "named_plug_ins", {})
    (tmp_path / "mine.py").write_text(PLUG_IN)
    duelbench.load_plug_in(str(tmp_path / "mine.py"))
    play(tmp_path, **QUICK, algorithms=["mine-again"])
    monkeypatch.setattr(registry, "code_of", lambda algorithm, decision=None: "0" * 64)
    with pytest.raises(InputError, match="other code of the plug-in mine-again"):
        duelbench.rerun(tmp_path / "results" / "demo" / "random" / "run-00000.npz")


@pytest.fixture
def result(tmp_path) -> Path:
    play(tmp_path, **QUICK, algorithms=["random"])
    return tmp_path / "results" / "demo" / "random" / "run-00000.npz"


def refusal(path: Path) -> str:
    with pytest.raises(InputError) as caught:
        duelbench.rerun(path)
    assert str(path) in str(caught.value) or "manifest" in str(caught.value)
    return str(caught.value)


def test_what_is_no_whole_result_is_refused(result, tmp_path):
    assert refusal(result.with_name("run-00009.npz")).endswith("run-00009.npz: there is no such file")
    assert "it is not a file but a folder" in refusal(result.parent)
    result.write_bytes(result.read_bytes()[:-1])
    refusal(result)
    for other in (write_spec(tmp_path), result.parents[1] / "manifest.json"):
        assert (
            refusal(other) == f"{other}: is no result; name the file of a run, run-NNNNN.npz in an experiment's folder"
        )


def test_a_file_without_its_manifest_is_refused(result, tmp_path):
    alone = tmp_path / "run-00000.npz"
    shutil.copy(result, alone)
    assert refusal(alone).endswith("no folder above it has a manifest.json, which holds its matrix")
    (result.parents[1] / manifest.FILE).write_text("{}")
    assert "manifest.json is damaged" in refusal(result)


def test_a_file_among_the_results_of_another_matrix_is_refused(result, tmp_path):
    play(tmp_path / "other", **QUICK, matrix="two.csv", algorithms=["random"])
    stranger = tmp_path / "other" / "results" / "demo" / "random" / "run-00000.npz"
    shutil.copy(result, stranger)
    assert "its problem is none of those in" in refusal(stranger)


def test_traces_of_another_version_are_refused(result, monkeypatch):
    from dataclasses import replace

    from duelbench.algorithms import registry

    newer = replace(registry.get("random"), trace_version=99)
    monkeypatch.setattr(registry, "get", lambda id: newer)
    assert "was played by version 2 of random's traces, which this duelbench cannot play: it has version 99" in (
        refusal(result)
    )


def test_a_forged_parameter_is_refused(result, monkeypatch):
    from dataclasses import replace

    whole = read_run(result)
    forged = replace(whole, identity=replace(whole.identity, parameters={"seed": 3}))
    monkeypatch.setattr("duelbench.execution.rerun.read_run", lambda path: forged)
    assert "unknown parameter 'seed' for random" in refusal(result)


def test_nothing_is_written(result):
    def content():
        return {path: path.read_bytes() for path in result.parents[1].rglob("*") if path.is_file()}

    before = content()
    duelbench.rerun(result)
    assert content() == before
