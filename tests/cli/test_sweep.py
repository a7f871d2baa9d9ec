"""A sweep through the commands: run, resume, dry run, status, report."""

import csv
import json
import re

import pytest
from typer.testing import CliRunner

from duelbench.cli.app import app

runner = CliRunner()

SPEC = """
matrix: {family: random, winners: unique}
horizon: 100
runs: 2
checkpoints: 3
algorithms: [rucb, random]
sweep: {over: n_arms, values: [3, 5], games: 2}
"""


def duelbench(*arguments: object):
    """A command in this process; errors come as exceptions."""
    return runner.invoke(app, [str(argument) for argument in arguments], catch_exceptions=False)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "demo.yaml").write_text(SPEC)
    return tmp_path


def test_a_sweep_is_run_resumed_and_reported(folder):
    assert duelbench("run", "demo.yaml", "-j", 1, "-q").stdout.startswith("16 runs complete (0 reused)")
    lost = folder / "results" / "demo" / "n-arms-5" / "game-00001" / "rucb" / "run-00001.npz"
    lost.unlink()
    lines = runner.invoke(app, ["status", "results/demo"]).stdout.splitlines()
    title = "random (winners=unique, seed=0), n_arms 5"
    assert [line.removeprefix(title).split() for line in lines if "n_arms 5  RUCB" in line] == [
        ["RUCB", "100", "4", "3", "1", "0", "0"]
    ]
    assert len(lines) == 2 + 4
    assert duelbench("run", "demo.yaml", "-j", 1, "-q").stdout.startswith("16 runs complete (15 reused)")
    rows = json.loads(duelbench("report", "results/demo", "--json").stdout)
    assert [(row["problem"], row["label"], row["runs"]) for row in rows] == [
        (f"random (winners=unique, seed=0), n_arms {k}", label, 4) for k in (3, 5) for label in ("RUCB", "Random")
    ]


def test_what_is_swept_over_is_named_once(folder):
    (folder / "linear.yaml").write_text(
        "matrix: {family: linear, n_arms: 4}\nhorizon: 100\nruns: 1\nalgorithms: [random]\n"
        "sweep: {over: n_arms, values: [6, 32]}\n"
    )
    lines = duelbench("run", "linear.yaml", "--dry-run", "-j", 1).stdout
    assert "linear, n_arms 32" in lines and "linear (n_arms=4), n_arms" not in lines


def test_a_report_pools_the_games_and_takes_errors_from_their_means(folder):
    import numpy as np

    duelbench("run", "demo.yaml", "-j", 1, "-q")
    row = json.loads(duelbench("report", "results/demo", "--json").stdout)[1]
    paths = sorted((folder / "results" / "demo" / "n-arms-3").glob("game-*/random/*.npz"))
    ends = np.array([np.load(path)["regret"][0, -1] for path in paths]).reshape(2, 2)
    assert row["regret"]["mean"] == pytest.approx(ends.mean())
    assert row["regret"]["std"] == pytest.approx(ends.std(ddof=1))
    assert row["regret"]["sem"] == pytest.approx(ends.mean(axis=1).std(ddof=1) / 2**0.5)


def test_a_dry_run_says_what_is_swept_over(folder):
    lines = duelbench("run", "demo.yaml", "--dry-run", "-j", 1).stdout.splitlines()
    assert "sweep     n_arms 3, 5, 2 random matrices each" in lines
    rows = [line.split() for line in lines if "RUCB" in line and not line.startswith("note")]
    assert [row[3:8] for row in rows] == [["n_arms", "3", "RUCB", "4", "0"], ["n_arms", "5", "RUCB", "4", "0"]]


ONE = SPEC.replace("{family: random, winners: unique}", "{family: linear, n_arms: 3}").replace(
    "{over: n_arms, values: [3, 5], games: 2}", "{over: rucb.alpha, values: [0.6, 0.8]}"
)


def test_what_a_sweep_leaves_as_it_is_is_run_once_and_drawn_at_every_value(folder):
    (folder / "demo.yaml").write_text(ONE)
    assert duelbench("run", "demo.yaml", "-j", 1, "-q").stdout.startswith("6 runs complete (0 reused)")
    assert duelbench("run", "demo.yaml", "-j", 1, "-q").stdout.startswith("6 runs complete (6 reused)")
    tables = (["report", "results/demo"], ["status", "results/demo"], ["run", "demo.yaml", "--dry-run"])
    for table in tables:  # once, before the values of the sweep in their order
        lines = duelbench(*table).stdout.splitlines()
        kinds = [re.search("Random|alpha 0.[68]  RUCB", line) for line in lines if line.startswith("linear")]
        assert [kind[0] for kind in kinds] == ["Random", "alpha 0.6  RUCB", "alpha 0.8  RUCB"]
    duelbench("plot", "results/demo", "-o", "demo.svg")
    with open("demo.csv", newline="") as file:
        rows = [row for row in csv.DictReader(file) if not next(iter(row.values())).startswith("#")]
    drawn = {(row["label"], row["value"]): (row["mean"], row["over"]) for row in rows}
    assert set(drawn) == {(label, value) for label in ("RUCB", "Random") for value in ("0.6", "0.8")}
    assert drawn["Random", "0.6"] == drawn["Random", "0.8"]
    assert {over for _, over in drawn.values()} == {"rucb.alpha"}
