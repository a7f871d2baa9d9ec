"""A sweep through the commands: run, resume, dry run, status, report."""

import json

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
