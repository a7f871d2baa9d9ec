"""Specs that are written in Python."""

import json
from pathlib import Path

import numpy as np
import pytest

from duelbench.errors import InputError
from duelbench.problem.preferences import PreferenceMatrix
from duelbench.results.cells import cells
from duelbench.spec.load import load

TEXT = """
name: demo
matrix: good.csv
horizon: 1e4
runs: 5
shuffle_arms: no
regret: [copeland, weak]
algorithms: [random, rucb: {alpha: 0.6, label: "RUCB, 0.6"}]
scales: {quick: {runs: 2}}
"""
SAME = {
    "name": "demo",
    "matrix": Path("good.csv"),
    "horizon": 1e4,
    "runs": np.int64(5),
    "shuffle_arms": False,
    "regret": ("copeland", "weak"),
    "algorithms": ["random", {"rucb": {"alpha": np.float64(0.6), "label": "RUCB, 0.6"}}],
    "scales": {"quick": {"runs": 2}},
}


@pytest.mark.parametrize("scale", [None, "quick"])
def test_a_mapping_asks_for_what_the_same_file_asks_for(folder, monkeypatch, scale):
    monkeypatch.chdir(folder)
    Path("demo.yaml").write_text(TEXT)
    asked, read = load(SAME, scale), load("demo.yaml", scale)
    assert asked == read and asked.source is None
    assert [cell.identity for cell in cells(asked)] == [cell.identity for cell in cells(read)]
    assert json.dumps(asked.canonical()) == json.dumps(read.canonical())


def test_everything_wrong_with_a_mapping_is_told_at_once_without_lines():
    P = PreferenceMatrix([[0.5, 1.0], [0.0, 0.5]])
    wrong = {"matrix": P, "horizon": "1e5.5", "algorithms": ["rucc"], "regret": {"weak"}, 3: 4, "seed": "\0"}
    with pytest.raises(InputError) as refused:
        load(wrong)
    *lines, last = str(refused.value).splitlines()
    assert last == "7 problems; nothing was run."
    places = ["matrix: ", "horizon: ", "algorithms.0: ", "regret: ", "unknown key '3'", "seed: ", "the key 'name'"]
    for place in places:
        assert sum(line.startswith(f"spec: {place}") for line in lines) == 1, place
    endless = {"name": "demo"}
    endless["figure"] = endless
    with pytest.raises(InputError, match="nested more than 20 levels deep"):
        load(endless)
