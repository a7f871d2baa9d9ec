"""Claims about reading results: all of them, in the order of their index, or none."""

import dataclasses
import re
import shutil
from pathlib import Path

import pytest

from duelbench.bandits.algorithms import registry
from duelbench.errors import IncompleteResults, InputError
from duelbench.experiments.figures.scene import missing_of
from duelbench.experiments.figures.summary import records
from duelbench.experiments.results.experiments import (
    choose_definition,
    environment_notes,
    gaps_of,
    load_experiments,
    version_notes,
)
from duelbench.experiments.results.samples import entries, samples
from tests.experiments.figures.made_up import figure_of, make_results

RESTARTS = """
name: {name}
title: {title}
matrix: two.csv
horizon: 1000
runs: {runs}
seed: 5
regret: {regret}
checkpoints: [1, 10, 100]
algorithms:
  - rucb: {{alpha: {alpha}, horizons: [10, 100, 1000]}}
"""


def missing(experiment):
    """What the panel of each problem says of missing runs."""
    return {problem: missing_of(rows) for problem, rows in figure_of(experiment).numbers.groupby("problem")}


def _only(folder):
    (experiment,) = load_experiments([folder])
    return experiment


def test_a_folder_of_experiments_means_all_of_them_once(tmp_path):
    make_results(tmp_path, "b")
    results = make_results(tmp_path, "a")
    assert [one.name for one in load_experiments([results.parent])] == ["a", "b"]
    assert len(load_experiments([results, results.parent])) == 2


def test_what_is_missing_damaged_or_in_the_place_of_another_is_refused_by_name(tmp_path):
    whole = make_results(tmp_path)
    refusals = {
        r"3 of 4 runs of D-TS on two \(1 missing\).*duelbench run.*--allow-partial": Path.unlink,
        r"\(1 damaged\); run-00001.npz: ": lambda path: path.write_bytes(path.read_bytes()[:-100]),
        r"\(1 damaged\); run-00001.npz: it holds run 0": lambda path: shutil.copy(
            path.with_name("run-00000.npz"), path
        ),
    }
    for k, (says, damage) in enumerate(refusals.items()):
        results = shutil.copytree(whole, tmp_path / f"copy {k}" / "demo")
        damage(results / "two" / "d-ts" / "run-00001.npz")
        with pytest.raises(IncompleteResults) as refused:
            load_experiments([results])
        assert re.search(says, str(refused.value), re.DOTALL)


def test_partial_results_are_read_without_what_is_missing_when_asked(tmp_path):
    results = make_results(tmp_path)
    (results / "two" / "d-ts" / "run-00001.npz").unlink()
    (experiment,) = load_experiments([results], allow_partial=True)
    assert experiment.cells[0].regret[:, 0, -1].tolist() == [3, 9, 12]
    assert len(gaps_of(experiment)) == 1
    assert missing(experiment) == {"two": "partial: 7 of 8 runs", "cycle": ""}
    shutil.rmtree(results / "two" / "d-ts")  # an algorithm without a run stays in the count
    (experiment,) = load_experiments([results], allow_partial=True)
    assert missing(experiment)["two"] == "partial: 4 of 8 runs"
    assert [len(sample.rounds) for sample in samples(experiment)[:2]] == [0, 4]
    assert len(records(experiment)) == 3
    for name in ("two", "cycle"):
        shutil.rmtree(results / name)
    with pytest.raises(IncompleteResults, match="has no runs yet"):
        load_experiments([results], allow_partial=True)


def test_the_regret_asked_for_is_shown_and_must_have_been_recorded(tmp_path):
    experiment = _only(make_results(tmp_path))
    means = {name: figure_of(experiment, regret=name).numbers["mean"].tolist()[:3] for name in ("copeland", "borda")}
    assert means == {"copeland": [2.5, 5.0, 7.5], "borda": [5.0, 10.0, 15.0]}
    assert choose_definition([experiment], None) == "copeland"
    with pytest.raises(InputError, match=r"^regret strong: demo recorded copeland, borda only"):
        choose_definition([experiment], "strong")
    other = _only(make_results(tmp_path, "b", regret="[borda, copeland]"))
    with pytest.raises(InputError, match=": choose one"):
        choose_definition([experiment, other], None)
    assert choose_definition([experiment, other], "borda") == "borda"


def test_horizons_run_again_become_points_of_one_entry_and_one_without_a_run_has_none(tmp_path):
    results = make_results(tmp_path, spec=RESTARTS)
    ((*horizons,),) = entries(samples(_only(results)))
    assert [(sample.stored.horizon, sample.runs) for sample in horizons] == [(10, 4), (100, 4), (1000, 4)]
    numbers = figure_of(_only(results)).numbers
    assert numbers["round"].tolist() == [10, 100, 1000] and numbers["mean"].tolist() == [2.5, 5.0, 7.5]
    shutil.rmtree(results / "rucb" / "horizon-100")
    (experiment,) = load_experiments([results], allow_partial=True)
    assert figure_of(experiment).numbers["round"].dropna().tolist() == [10, 1000]
    assert missing(experiment) == {"two": "partial: 8 of 12 runs"}


def test_a_run_counts_when_it_recommends_any_winner_by_the_regret(tmp_path):
    # Odd runs answer arm 1, which loses against arm 0 but is one of the three winners of the cycle.
    shares = {record["problem"]: record["recommends_winner"] for record in records(_only(make_results(tmp_path)))}
    assert shares == {"two": 0.5, "cycle": 1.0}
    # Borda scores of the cycle: 0.5, 0.55 and 0.45, so arm 1 alone wins.
    shares = {
        record["problem"]: record["recommends_winner"]
        for record in records(_only(make_results(tmp_path, "b", regret="[borda]")))
    }
    assert shares == {"two": 0.5, "cycle": 0.5}


def test_mixed_environments_and_versions_of_traces_or_plug_ins_are_noted(tmp_path, monkeypatch):
    first = make_results(tmp_path, "a")
    assert environment_notes(load_experiments([first])) == version_notes(load_experiments([first])) == []
    with monkeypatch.context() as elsewhere:
        elsewhere.setattr(
            "duelbench.experiments.results.store.environment", lambda: {"duelbench": "0.1.0", "numpy": "9.9"}
        )
        (note,) = environment_notes(load_experiments([first, make_results(tmp_path, "b")]))
    assert "numpy" in note and "9.9" in note and "duelbench 0" not in note
    newer = dataclasses.replace(registry.get("rucb"), trace_version=99)
    real = registry.get
    with monkeypatch.context() as later:
        later.setattr(registry, "get", lambda id: newer if id == "rucb" else real(id))
        (note,) = version_notes(load_experiments([first, make_results(tmp_path, "c")]))
    assert "the runs of rucb come from 2 trace versions" in note
    monkeypatch.setattr(registry, "code_of", lambda algorithm, _: "e" if algorithm.id == "rucb" else None)
    assert version_notes(load_experiments([first, make_results(tmp_path, "d")])) == [note]
