"""Claims about ``duelbench export``: tidy tables of what was played."""

import csv
import importlib.util
import io

import pandas
import pytest

import duelbench
from duelbench.errors import IncompleteResults
from duelbench.experiments import exporting
from tests.cli.commands import done, failed, refused
from tests.experiments.figures.made_up import make_results


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return make_results(tmp_path_factory.mktemp("made"))


def export(*arguments):
    return done("export", *arguments).stdout


def rows(text):
    return list(csv.DictReader(io.StringIO(text)))


def test_curves_are_printed_to_the_last_bit(folder):
    for options, definition in (((), "copeland"), (("--regret", "borda", "-o", "-"), "borda")):
        found = rows(export(folder, *options))
        expected = duelbench.load(folder).trajectories(definition)
        assert [row["label"] for row in found] == expected["label"].tolist()
        assert [float(row["regret"]) for row in found] == expected["regret"].tolist()


def test_runs_are_written_to_a_file_and_over_what_is_there(folder, here):
    assert export(folder, "--runs", "-o", "runs.csv") == "runs.csv\n"
    assert [row["regret_borda"] for row in rows((here / "runs.csv").read_text())] == ["6.0", "12.0", "18.0", "24.0"] * 4
    export(folder, "-o", "runs.csv")
    assert len(rows((here / "runs.csv").read_text())) == 64


def test_results_that_are_not_complete_are_refused_unless_asked_for(here):
    folder = make_results(here)
    (folder / "two" / "d-ts" / "run-00001.npz").unlink()
    assert "3 of 4 runs of D-TS on two" in failed(IncompleteResults, "export", folder, "--runs", "-o", "runs.csv")
    assert not (here / "runs.csv").exists()
    assert len(rows(export(folder, "--runs", "--allow-partial"))) == 15


def test_parquet_holds_the_same_numbers_or_names_what_it_needs(folder, monkeypatch):
    if importlib.util.find_spec("pyarrow"):
        export(folder, "-o", "curves.parquet")
        read = pandas.read_parquet("curves.parquet")
        pandas.testing.assert_frame_equal(read, duelbench.load(folder).trajectories(), check_dtype=False)
    monkeypatch.setattr(exporting.importlib.util, "find_spec", lambda name: None)
    assert "pip install pyarrow" in refused("export", folder, "-o", "x.parquet")


def test_experiments_of_one_name_are_all_there(here):
    folders = [make_results(here / name) for name in ("first", "second")]
    runs = rows(export(*folders, "--runs"))
    assert len(runs) == 32 and {row["experiment"] for row in runs} == {"demo"}
