"""Claims about specs that are written in Python."""

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
matrix: two.csv
horizon: 1e4
runs: 5
shuffle_arms: no
regret: [copeland, weak]
algorithms:
  - random
  - rucb: {alpha: 0.6, label: "RUCB, 0.6"}
scales:
  quick: {runs: 2}
"""
SAME = {
    "name": "demo",
    "matrix": Path("two.csv"),
    "horizon": 1e4,
    "runs": np.int64(5),
    "shuffle_arms": False,
    "regret": ("copeland", "weak"),
    "algorithms": ["random", {"rucb": {"alpha": np.float64(0.6), "label": "RUCB, 0.6"}}],
    "scales": {"quick": {"runs": 2}},
}


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "two.csv").write_text("0.5,0.9\n0.1,0.5\n")
    (tmp_path / "demo.yaml").write_text(TEXT)


@pytest.mark.parametrize("scale", [None, "quick"])
def test_a_mapping_asks_for_what_the_same_file_asks_for(scale):
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
    assert all(line.startswith("spec: ") for line in lines)
    for told in (
        "matrix: cannot be a PreferenceMatrix: save it with its method `save` and give the path",
        "horizon: '1e5.5' is not a whole number of rounds",
        "algorithms.0: 'rucc' is not an algorithm (did you mean 'rucb'?)",
        "regret: cannot be a set: give numbers or text",
        "the key '3' must be a word",
        "seed: holds the control character U+0000; remove it",
        "the key 'name' is missing; it says which folder the results go to",
    ):
        assert f"spec: {told}" in lines


def test_a_mapping_that_holds_itself_is_refused():
    endless = {"name": "demo"}
    endless["figure"] = endless
    with pytest.raises(InputError, match="nested more than 20 levels deep"):
        load(endless)
