"""Claims about the results of an experiment in Python."""

import csv
import io
import json
import subprocess
import sys

import numpy as np
import pytest

import duelbench
from duelbench.cli.report import report
from duelbench.errors import IncompleteResults, InputError
from duelbench.results import tables
from tests.figures.made_up import make_results
from tests.results.test_experiments import RESTARTS

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

GAMES = """
name: {name}
matrix: {{family: random, winners: unique}}
horizon: 100
runs: 2
checkpoints: 3
algorithms: [rucb, random]
sweep: {{over: n_arms, values: [3, 5], games: 2}}
"""


def has_pandas() -> bool:
    return tables.importlib.util.find_spec("pandas") is not None


@pytest.fixture(params=["pandas", "NumPy"])
def kind(request, monkeypatch):
    """With pandas, and as if it were not there."""
    if request.param == "pandas" and not has_pandas():
        pytest.skip("pandas is not installed")
    if request.param == "NumPy":
        monkeypatch.setattr(tables.importlib.util, "find_spec", lambda name: None)
    return request.param


def names(table):
    return list(table.columns) if hasattr(table, "columns") else list(table.dtype.names)


def test_there_is_one_row_for_each_run(tmp_path, kind):
    results = duelbench.load(make_results(tmp_path))
    assert names(results.runs) == [
        "problem",
        "label",
        "algorithm",
        "parameters",
        "run",
        "horizon",
        "regret_copeland",
        "regret_borda",
        "recommended",
        "recommends_winner",
        "decisions",
    ]
    assert len(results.runs) == 16
    last = results.runs[(results.runs["problem"] == "cycle") & (results.runs["label"] == "RUCB & co")]
    assert last["run"].tolist() == [0, 1, 2, 3]
    # Run k has 3 (k + 1) duels of regret at round 1000, twice that of the second, and recommends arm k mod 2.
    assert last["regret_copeland"].tolist() == [3, 6, 9, 12] and last["regret_borda"].tolist() == [6, 12, 18, 24]
    assert last["recommended"].tolist() == [0, 1, 0, 1]
    assert "alpha=0.51" in last["parameters"].tolist()[0]
    on_two = results.runs[results.runs["problem"] == "two"]
    assert on_two["recommends_winner"].tolist() == [True, False] * 4


def test_curves_are_tidy_and_arrays_have_a_row_for_each_run(tmp_path, kind):
    results = duelbench.load(str(make_results(tmp_path)))
    curves = results.curves("borda")
    assert names(curves) == ["problem", "label", "horizon", "run", "round", "regret"]
    assert len(curves) == 16 * 4
    one = curves[(curves["problem"] == "two") & (curves["label"] == "D-TS") & (curves["run"] == 2)]
    assert one["round"].tolist() == results.rounds.tolist() == [1, 10, 100, 1000]
    array = results.array("D-TS", "two", definition="borda")
    assert array.shape == (4, 4) and one["regret"].tolist() == array[2].tolist() == [0, 6, 12, 18]


def test_the_summary_has_the_numbers_of_the_report(tmp_path, kind, capsys):
    folder = make_results(tmp_path)
    report([folder], csv=True, regret="borda")
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    summary = duelbench.load(folder).summary("borda")
    assert names(summary) == list(rows[0])
    for name in names(summary):
        values = summary[name].tolist()
        assert ["" if value != value else str(value) for value in values] == [row[name] for row in rows]


def test_tables_have_the_same_numbers_with_pandas_and_without(tmp_path, monkeypatch):
    pytest.importorskip("pandas", reason="pandas is not installed")
    folder = make_results(tmp_path, spec=SWEEP)
    read = duelbench.load(folder)
    frames = [read.runs, read.curves(), read.summary()]
    monkeypatch.setattr(tables.importlib.util, "find_spec", lambda name: None)
    read = duelbench.load(folder)
    for frame, array in zip(frames, [read.runs, read.curves(), read.summary()], strict=True):
        assert list(frame.columns) == list(array.dtype.names)
        for name in frame.columns:
            np.testing.assert_array_equal(frame[name].to_numpy(), array[name])


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


def test_random_matrices_of_a_sweep_are_told_apart_by_their_game(tmp_path):
    results = duelbench.load(make_results(tmp_path, spec=GAMES))
    assert results.array("RUCB", n_arms=5).shape == (4, 3)
    assert results.array("RUCB", n_arms=5, game=1).shape == (2, 3)
    assert sorted({*zip(results.runs["n_arms"].tolist(), results.runs["game"].tolist(), strict=True)}) == [
        (3, 0),
        (3, 1),
        (5, 0),
        (5, 1),
    ]
    assert len(results.matrices) == 4 and {P.n_arms for P in results.matrices.values()} == {3, 5}


def test_the_longest_horizon_is_meant_unless_another_one_is_named(tmp_path):
    results = duelbench.load(make_results(tmp_path, spec=RESTARTS))
    assert results.array("RUCB")[:, -1].tolist() == [3, 6, 9, 12]
    assert results.array("RUCB", horizon=10)[:, -1].tolist() == [1, 2, 3, 4]
    assert results.rounds.tolist() == [1, 10, 100, 1000]
    with pytest.raises(InputError, match=r"horizon 20: there are no such results"):
        results.array("RUCB", horizon=20)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({"label": "D-TSS", "problem": "two"}, r"label D-TSS: .* \(did you mean 'D-TS'\?\)"),
        ({"label": "D-TS", "problem": "twoo"}, r"problem twoo: .* \(did you mean 'two'\?\)"),
        ({"label": "D-TS"}, r"several values of problem \(two, cycle\): say which, with problem="),
        ({"label": "D-TS", "n_arms": 3}, "n_arms: no setting of these results; demo sweeps over nothing"),
        ({"label": "D-TS", "problem": "two", "definition": "weak"}, "recorded copeland, borda only"),
    ],
)
def test_an_array_that_is_not_there_is_named_with_what_is(tmp_path, arguments, told):
    with pytest.raises(InputError, match=told):
        duelbench.load(make_results(tmp_path)).array(**arguments)


def test_the_matrix_and_the_spec_are_those_of_the_manifest(tmp_path):
    folder = make_results(tmp_path, spec=RESTARTS)
    (tmp_path / "two.csv").unlink()
    (tmp_path / "demo.yaml").write_text("horizon: 7\n")
    results = duelbench.load(folder)
    assert results.matrix.P.tolist() == [[0.5, 0.75], [0.25, 0.5]]
    assert results.spec == json.loads((folder / "manifest.json").read_text())["spec"]
    results.spec["horizon"] = 7
    assert results.spec["horizon"] == 1000
    with pytest.raises(InputError, match="demo has 2 problems: choose one of `matrices`"):
        _ = duelbench.load(make_results(tmp_path / "two problems")).matrix


def damage(folder):
    (folder / "two" / "d-ts" / "run-00001.npz").unlink()
    broken = folder / "cycle" / "rucb-co" / "run-00002.npz"
    broken.write_bytes(broken.read_bytes()[:1000])


def test_missing_and_damaged_runs_are_told_and_never_left_out_unasked(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    folder = make_results(tmp_path)
    damage(folder)
    with pytest.raises(IncompleteResults) as refused:
        duelbench.load("results/demo")
    message = str(refused.value)
    assert "3 of 4 runs of D-TS on two (1 missing)" in message
    assert "3 of 4 runs of RUCB & co on cycle (1 damaged); run-00002.npz:" in message
    assert "`duelbench run demo.yaml`" in message and "partial=True" in message
    with pytest.raises(IncompleteResults, match=r"duelbench run demo\.yaml --out "):
        duelbench.load(folder)


def test_what_is_there_of_partial_results_knows_its_runs(tmp_path, recwarn):
    folder = make_results(tmp_path)
    damage(folder)
    results = duelbench.load(folder, partial=True)
    assert not recwarn.list and len(results.incomplete) == 2
    assert "3 of 4 runs of D-TS on two (1 missing)" in results.incomplete[0]
    runs = results.runs[(results.runs["problem"] == "two") & (results.runs["label"] == "D-TS")]
    assert runs["run"].tolist() == [0, 2, 3] and runs["regret_copeland"].tolist() == [3, 9, 12]
    assert results.array("D-TS", "two")[:, -1].tolist() == [3, 9, 12]
    assert "14 of 16 runs" in repr(results) and "3 of 4 runs of D-TS" in results._repr_html_()
    assert duelbench.load(make_results(tmp_path / "whole")).incomplete == ()


def test_a_cell_of_which_nothing_is_there_is_no_row(tmp_path):
    folder = make_results(tmp_path)
    for path in (folder / "two" / "d-ts").glob("*.npz"):
        path.unlink()
    results = duelbench.load(folder, partial=True)
    assert len(results.runs) == 12 and len(results.curves()) == 48
    with pytest.raises(InputError, match="problem two: there are no such results"):
        results.array("D-TS", "two")


def test_a_folder_of_several_experiments_is_refused_and_they_are_listed(tmp_path):
    make_results(tmp_path, "b")
    results = make_results(tmp_path, "a").parent
    with pytest.raises(InputError, match=r"holds several experiments \(a, b\): load one of them, as in load\('.*a'\)"):
        duelbench.load(results)
    with pytest.raises(InputError, match="no such folder"):
        duelbench.load(tmp_path / "nowhere")


def test_a_notebook_shows_small_tables_with_escaped_names(tmp_path):
    results = duelbench.load(make_results(tmp_path, title="A < B"))
    shown = results._repr_html_()
    assert "A &lt; B" in shown and "RUCB &amp; co" in shown and "& co" not in shown.replace("&amp; co", "")
    assert shown.count("<svg") == 4 and len(shown) < 5000 and "http" not in shown
    trace = duelbench.simulate("random", [[0.5, 0.9], [0.1, 0.5]], horizon=10**4, regret=["copeland", "weak"])
    shown = trace._repr_html_()
    assert shown.count("<svg") == 2 and len(shown) < 3000 and f"{trace.regret[1, -1]:.6g}" in shown


def test_pandas_is_not_loaded_before_a_table_is_asked_for(tmp_path):
    folder = make_results(tmp_path)
    code = f"import sys, duelbench; r = duelbench.load({str(folder)!r}); r.array('D-TS', 'two'); repr(r)"
    done = subprocess.run([sys.executable, "-c", f"{code}; assert 'pandas' not in sys.modules"], capture_output=True)
    assert done.returncode == 0, done.stderr


def test_a_spec_is_not_loaded_but_run():
    with pytest.raises(InputError, match=r"name the results folder; run\('tea.yaml'\) gives the results of a spec"):
        duelbench.load("tea.yaml")
