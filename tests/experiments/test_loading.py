"""Claims about the results of an experiment in Python."""

import csv
import io
import json

import numpy as np
import pytest

import duelbench
from duelbench.cli.report import report
from duelbench.errors import IncompleteResults, InputError
from tests.experiments.figures.made_up import make_results
from tests.experiments.results.test_experiments import RESTARTS

SWEEP = """
name: {name}
title: {title}
problems: {{two: two.csv, cycle: cycle.csv}}
horizon: 1000
runs: {runs}
seed: 5
regret: {regret}
checkpoints: [1, 10, 100]
algorithms: [random, rucb]
sweep: {{over: rucb.alpha, values: [0.51, 0.8]}}
"""


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Results that no test changes."""
    return make_results(tmp_path_factory.mktemp("made"))


def test_runs_curves_arrays_and_summary_are_those_of_the_files(made, capsys):
    results = duelbench.load(str(made))
    own = ["problem", "algorithm", "label", "horizon", "parameters", "run", "regret_copeland", "regret_borda"]
    runs = results.runs
    assert list(runs) == [*own, "recommended", "recommends_winner", "decisions"] and len(runs) == 16
    last = runs[(runs["problem"] == "cycle") & (runs["label"] == "RUCB & co")]
    # Run k has 3 (k + 1) duels of regret at round 1000, twice that of the second, and recommends arm k mod 2.
    assert last["run"].tolist() == [0, 1, 2, 3]
    assert last["regret_copeland"].tolist() == [3, 6, 9, 12] and last["regret_borda"].tolist() == [6, 12, 18, 24]
    assert last["recommended"].tolist() == [0, 1, 0, 1] and "alpha=0.51" in last["parameters"].tolist()[0]
    assert runs[runs["problem"] == "two"]["recommends_winner"].tolist() == [True, False] * 4
    trajectories = results.trajectories("borda")
    assert list(trajectories) == ["problem", "algorithm", "label", "horizon", "run", "round", "regret"]
    assert len(trajectories) == 16 * 4
    one = trajectories.query("problem == 'two' and label == 'D-TS' and run == 2")
    assert one["round"].tolist() == results.rounds.tolist() == [1, 10, 100, 1000]
    array = results.array("D-TS", "two", definition="borda")
    assert array.shape == (4, 4) and one["regret"].tolist() == array[2].tolist() == [0, 6, 12, 18]
    curves = results.curves("borda")
    assert list(curves) == ["problem", "algorithm", "label", "horizon", "round", "mean", "low", "high", "runs"]
    end = curves.query("problem == 'two' and label == 'D-TS'").iloc[-1]
    assert (end["round"], end["mean"], end["low"], end["high"], end["runs"]) == (1000, 15, 6, 24, 4), "4 runs: range"
    assert results.curves(band="iqr").query("round == 1000")["median"].tolist() == [7.5] * 4
    with pytest.raises(InputError, match=r"band 'ci96': there is no such band \(did you mean 'ci95'"):
        results.curves(band="ci96")
    report([made], csv=True, regret="borda")
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    summary = results.summary("borda")
    assert list(summary) == list(rows[0])
    for name in summary:
        values = summary[name].tolist()
        assert ["" if value != value else str(value) for value in values] == [row[name] for row in rows]


def test_a_sweep_has_a_column_of_its_own(tmp_path):
    results = duelbench.load(make_results(tmp_path, spec=SWEEP))
    runs = results.runs
    ours = runs["rucb.alpha"].tolist()
    assert [value for value, label in zip(ours, runs["label"].tolist(), strict=True) if label == "RUCB"] == [
        alpha for _ in range(2) for alpha in [0.51] * 4 + [0.8] * 4
    ]
    assert all(np.isnan(value) for value, label in zip(ours, runs["label"].tolist(), strict=True) if label == "Random")
    assert set(runs["problem"].tolist()) == {"two", "cycle"}
    assert results.array("RUCB", "two", **{"rucb.alpha": 0.8}).shape == (4, 4)
    assert results.array("Random", "cycle").shape == (4, 4)
    with pytest.raises(InputError, match=r"several values of rucb\.alpha \(0\.51, 0\.8\): say which"):
        results.array("RUCB", "two")


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({"label": "D-TSS", "problem": "two"}, r"label D-TSS: .* \(did you mean 'D-TS'\?\)"),
        ({"label": "D-TS", "problem": "twoo"}, r"problem twoo: .* \(did you mean 'two'\?\)"),
        ({"label": "D-TS"}, r"several values of problem \(two, cycle\): say which, with problem="),
        ({"label": "D-TS", "n_arms": 3}, "n_arms: no setting of these results"),
        ({"label": "D-TS", "problem": "two", "definition": "weak"}, "recorded copeland, borda only"),
    ],
)
def test_an_array_that_is_not_there_is_named_with_what_is(made, arguments, told):
    with pytest.raises(InputError, match=told):
        duelbench.load(made).array(**arguments)


def test_the_matrix_and_the_spec_are_those_of_the_manifest(made, tmp_path):
    folder = make_results(tmp_path, spec=RESTARTS)
    (tmp_path / "two.csv").unlink()
    (tmp_path / "demo.yaml").write_text("horizon: 7\n")
    results = duelbench.load(folder)
    assert results.matrix.P.tolist() == [[0.5, 0.75], [0.25, 0.5]]
    assert results.spec == json.loads((folder / "manifest.json").read_text())["spec"]
    results.spec["horizon"] = 7
    assert results.spec["horizon"] == 1000
    with pytest.raises(InputError, match="demo has 2 problems: choose one of `matrices`"):
        _ = duelbench.load(made).matrix


def test_missing_and_damaged_runs_are_told_and_never_left_out_unasked(tmp_path, monkeypatch, recwarn):
    monkeypatch.chdir(tmp_path)
    folder = make_results(tmp_path)
    (folder / "two" / "d-ts" / "run-00001.npz").unlink()
    broken = folder / "cycle" / "rucb-co" / "run-00002.npz"
    broken.write_bytes(broken.read_bytes()[:1000])
    for path in (folder / "cycle" / "d-ts").glob("*.npz"):
        path.unlink()
    with pytest.raises(IncompleteResults) as refused:
        duelbench.load("results/demo")
    message = str(refused.value)
    assert "3 of 4 runs of D-TS on two (1 missing)" in message
    assert "3 of 4 runs of RUCB & co on cycle (1 damaged); run-00002.npz:" in message
    assert "`duelbench run` with the experiment's spec" in message and "partial=True" in message
    results = duelbench.load(folder, partial=True)
    assert not recwarn.list and len(results.incomplete) == 3
    runs = results.runs
    on_two = runs[(runs["problem"] == "two") & (runs["label"] == "D-TS")]
    assert on_two["run"].tolist() == [0, 2, 3] and on_two["regret_copeland"].tolist() == [3, 9, 12]
    assert results.array("D-TS", "two")[:, -1].tolist() == [3, 9, 12]
    assert len(runs) == 10 and len(results.trajectories()) == 40 and "10 of 16 runs" in repr(results)
    with pytest.raises(InputError, match="problem cycle: there are no such results"):
        results.array("D-TS", "cycle")
