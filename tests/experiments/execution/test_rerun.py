"""A result file can be played again with one call, which gives the same arrays to the last bit."""

import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import duelbench
from duelbench.bandits.algorithms import registry
from duelbench.errors import InputError
from duelbench.experiments.results.store import read_run
from tests.experiments.execution.experiments import files, play, write_spec
from tests.plug_ins import PLAIN, write

QUICK = {"horizon": 60, "runs": 2, "shuffle_arms": True}

EXPERIMENTS = {
    "late outcomes": {"feedback_delay": 3},
    "a file": {"feedback_batch": 7, "regret": ["weak", "copeland"], "algorithms": [{"rucb": {"alpha": 0.8}}, "random"]},
    "a family": {"matrix": {"family": "random", "n_arms": 4, "seed": 3}, "seed": 2**70},
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
    "values of a sweep": {"sweep": {"over": "feedback_batch", "values": [1, 5]}, "algorithms": ["rucb"]},
}


def same_arrays(one, other) -> bool:
    names = ("rounds", "regret", "duels", "recommended", "decisions", "explored", "finished")
    return all(np.array_equal(getattr(one, name), getattr(other, name)) for name in names)


@pytest.mark.parametrize("kind", EXPERIMENTS)
def test_every_result_of_every_kind_of_problem_is_reproduced_and_nothing_is_written(tmp_path, kind):
    play(tmp_path, **{**QUICK, **EXPERIMENTS[kind]})
    before = sorted(tmp_path.rglob("*"))
    results = [tmp_path / "results" / "demo" / name for name in files(tmp_path)]
    assert len(results) >= 2
    for path in results:
        again, stored = duelbench.rerun(path), read_run(path).trace
        assert same_arrays(again, stored), path
        assert (again.definitions, again.algorithm) == (stored.definitions, stored.algorithm)
    assert sorted(tmp_path.rglob("*")) == before


def test_a_run_of_a_spec_is_that_of_simulate_with_what_the_spec_says(tmp_path):
    """With all of it: `simulate` does not shuffle arms by default, and specs do."""
    said = {"horizon": 60, "feedback_batch": 7, "checkpoints": [9, 60], "shuffle_arms": True, "regret": ["weak"]}
    play(tmp_path, **said, runs=2)
    stored = read_run(tmp_path / "results" / "demo" / "rucb" / "run-00001.npz").trace
    P = duelbench.PreferenceMatrix.load(tmp_path / "cyclic.csv")
    assert same_arrays(duelbench.simulate("rucb", P, seed=7, run=1, **said), stored)
    for name, value in (("shuffle_arms", False), ("feedback_batch", 1)):
        assert not same_arrays(duelbench.simulate("rucb", P, seed=7, run=1, **{**said, name: value}), stored)


@pytest.mark.thorough
def test_an_algorithm_of_your_own_is_played_again_once_the_same_code_is_loaded(tmp_path, load):
    load(write(tmp_path))
    play(tmp_path, **QUICK, algorithms=["commit"])
    path = tmp_path / "results" / "demo" / "commit" / "run-00000.npz"
    assert same_arrays(duelbench.rerun(path), read_run(path).trace)
    load(write(tmp_path, PLAIN + "EDITED = True\n"))
    with pytest.raises(InputError, match="other code of the plug-in commit"):
        duelbench.rerun(path)
    load(write(tmp_path, PLAIN.replace('id="commit"', 'id="another"')))
    with pytest.raises(InputError, match=r"the plug-in 'commit', .*load_plug_in"):
        duelbench.rerun(path)


@pytest.fixture
def result(tmp_path) -> Path:
    play(tmp_path, **QUICK, algorithms=["random"])
    return tmp_path / "results" / "demo" / "random" / "run-00000.npz"


def refused(path: Path, says: str) -> None:
    with pytest.raises(InputError, match=says):
        duelbench.rerun(path)


def test_what_is_no_whole_result_of_its_folder_is_refused(result, tmp_path):
    refused(result.with_name("run-00009.npz"), "run-00009.npz: there is no such file")
    refused(result.parent, "not a file but a folder")
    for other in (write_spec(tmp_path), result.parents[1] / "manifest.json"):
        refused(other, f"{other}: is not a result")
    alone = tmp_path / "run-00000.npz"
    shutil.copy(result, alone)
    refused(alone, "no folder above it has a manifest.json")
    play(tmp_path / "other", **QUICK, matrix="two.csv", algorithms=["random"])
    shutil.copy(tmp_path / "other/results/demo/random/run-00000.npz", result.with_name("run-00001.npz"))
    refused(result.with_name("run-00001.npz"), "its problem is none of those in")
    (result.parents[1] / "manifest.json").write_text("{}")
    refused(result, "manifest.json is damaged")
    result.write_bytes(result.read_bytes()[:-1])
    refused(result, "run-00000.npz")


def test_traces_of_another_version_are_refused(result, monkeypatch):
    newer = replace(registry.get("random"), trace_version=99)
    monkeypatch.setattr(registry, "get", lambda id: newer)
    refused(result, "version 2 of random's traces, .* version 99")
