"""A sweep through the commands: run, resume, dry run, status, report."""

import csv
import json
import re

import numpy as np
import pytest

from tests.cli.commands import command, document, done

SPEC = """
matrix: {family: random, winners: unique}
horizon: 50
runs: 2
checkpoints: 3
algorithms: [rucb, random]
sweep: {over: n_arms, values: [3, 5], games: 2}
"""


def test_a_sweep_is_run_resumed_and_reported(here):
    (here / "demo.yaml").write_text(SPEC)
    planned = done("run", "demo.yaml", "--dry-run", "-j", 1).stdout.splitlines()
    assert "sweep     n_arms 3, 5, 2 random matrices each" in planned
    assert done("run", "demo.yaml", "-j", 1, "-q").stdout.startswith("16 runs complete (0 reused)")
    folder = here / "results" / "demo"
    (folder / "n-arms-5" / "game-00001" / "rucb" / "run-00001.npz").unlink()
    cells = json.loads(command("status", folder, "--json").stdout)["experiments"][0]["cells"]
    assert [len(cell["missing"]) for cell in cells].count(1) == 1
    assert done("run", "demo.yaml", "-j", 1, "-q").stdout.startswith("16 runs complete (15 reused)")
    rows = document("report", folder)
    assert [(row["problem"], row["label"], row["runs"]) for row in rows] == [
        (f"random (winners=unique, seed=0), n_arms {k}", label, 4) for k in (3, 5) for label in ("RUCB", "Random")
    ]
    # The games are pooled, and errors are those of their means.
    paths = sorted((folder / "n-arms-3").glob("game-*/random/*.npz"))
    ends = np.array([np.load(path)["regret"][0, -1] for path in paths]).reshape(2, 2)
    assert rows[1]["regret"]["mean"] == pytest.approx(ends.mean())
    assert rows[1]["regret"]["std"] == pytest.approx(ends.std(ddof=1))
    assert rows[1]["regret"]["sem"] == pytest.approx(ends.mean(axis=1).std(ddof=1) / 2**0.5)


def test_what_a_sweep_leaves_as_it_is_is_run_once_and_drawn_at_every_value(here):
    text = SPEC.replace("{family: random, winners: unique}", "{family: linear, n_arms: 3}")
    text = text.replace("{over: n_arms, values: [3, 5], games: 2}", "{over: rucb.alpha, values: [0.6, 0.8]}")
    (here / "demo.yaml").write_text(text)
    assert done("run", "demo.yaml", "-j", 1, "-q").stdout.startswith("6 runs complete (0 reused)")
    tables = (["report", "results/demo"], ["status", "results/demo"], ["run", "demo.yaml", "--dry-run"])
    for table in tables:  # once, before the values of the sweep in their order
        lines = done(*table).stdout.splitlines()
        kinds = [re.search("Random|alpha 0.[68]  RUCB", line) for line in lines if line.startswith("linear")]
        assert [kind[0] for kind in kinds] == ["Random", "alpha 0.6  RUCB", "alpha 0.8  RUCB"]
    done("plot", "results/demo", "-o", "demo.csv")
    with open("demo.csv", newline="") as file:
        rows = [row for row in csv.DictReader(file) if not next(iter(row.values())).startswith("#")]
    drawn = {(row["label"], row["value"]): (row["mean"], row["over"]) for row in rows}
    assert set(drawn) == {(label, value) for label in ("RUCB", "Random") for value in ("0.6", "0.8")}
    assert drawn["Random", "0.6"] == drawn["Random", "0.8"]
    assert {over for _, over in drawn.values()} == {"rucb.alpha"}
