"""Claims about ``duelbench export``: tidy tables of what was played."""

import csv
import importlib.util
import io

import pytest
from typer.testing import CliRunner

import duelbench
from duelbench.actions import exporting
from duelbench.cli.app import app
from duelbench.errors import IncompleteResults, InputError
from tests.figures.made_up import make_results


def export(*arguments):
    done = CliRunner().invoke(app, ["export", *map(str, arguments)], catch_exceptions=False)
    assert done.exit_code == 0, done.stderr
    return done.stdout


def rows(text):
    return list(csv.DictReader(io.StringIO(text)))


def test_curves_are_printed_to_the_last_bit(tmp_path):
    folder = make_results(tmp_path)
    found = rows(export(folder))
    curves = duelbench.load(folder).curves()
    assert [row["label"] for row in found] == curves["label"].tolist()
    assert [float(row["regret"]) for row in found] == curves["regret"].tolist()
    assert export(folder, "-o", "-") == export(folder)
    assert [float(row["regret"]) for row in rows(export(folder, "--regret", "borda"))] == duelbench.load(folder).curves(
        "borda"
    )["regret"].tolist()


def test_runs_are_written_to_a_file_which_is_not_written_over_unasked(tmp_path):
    folder, file = make_results(tmp_path), tmp_path / "runs.csv"
    assert export(folder, "--runs", "-o", file) == f"{file}\n"
    assert [row["regret_borda"] for row in rows(file.read_text())] == ["6.0", "12.0", "18.0", "24.0"] * 4
    file.write_text("mine")
    with pytest.raises(InputError, match="is there already; --force writes over it"):
        export(folder, "--runs", "-o", file)
    assert file.read_text() == "mine"
    export(folder, "--runs", "-o", file, "--force")
    assert len(rows(file.read_text())) == 16


def test_several_experiments_share_a_table_that_names_them(tmp_path):
    make_results(tmp_path, "a", regret="[copeland]")
    results = make_results(tmp_path, "b").parent
    found = rows(export(results, "--runs"))
    assert [row["experiment"] for row in found] == ["a"] * 16 + ["b"] * 16
    assert [row["regret_borda"] for row in found][14:18] == ["", "", "6.0", "12.0"]


def test_results_that_are_not_complete_are_refused_unless_asked_for(tmp_path):
    folder = make_results(tmp_path)
    (folder / "two" / "d-ts" / "run-00001.npz").unlink()
    with pytest.raises(IncompleteResults, match="3 of 4 runs of D-TS on two"):
        export(folder, "--runs", "-o", tmp_path / "runs.csv")
    assert not (tmp_path / "runs.csv").exists()
    assert len(rows(export(folder, "--runs", "--allow-partial"))) == 15


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["-o", "x.xlsx"], r"ends with \.csv or \.parquet"),
        (["--runs", "--regret", "borda"], "has all recorded regrets"),
        (["--regret", "weak"], "recorded copeland, borda only"),
        (["-o", "nowhere/file/../x/"], r"ends with \.csv or \.parquet"),
    ],
)
def test_what_cannot_be_exported_is_told_before_anything_is_written(tmp_path, arguments, told):
    with pytest.raises(InputError, match=told):
        export(make_results(tmp_path), *arguments)


def test_parquet_names_what_it_needs(tmp_path, monkeypatch):
    monkeypatch.setattr(exporting.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(InputError, match=r"\.parquet needs pandas and pyarrow \(`pip install pandas pyarrow`\)"):
        export(make_results(tmp_path), "-o", tmp_path / "x.parquet")


@pytest.mark.skipif(
    any(importlib.util.find_spec(name) is None for name in exporting.NEEDED),
    reason="pandas or pyarrow is not installed",
)
def test_parquet_holds_the_same_numbers(tmp_path):
    import pandas

    folder, file = make_results(tmp_path), tmp_path / "curves.parquet"
    export(folder, "-o", file)
    pandas.testing.assert_frame_equal(pandas.read_parquet(file), duelbench.load(folder).curves(), check_dtype=False)
