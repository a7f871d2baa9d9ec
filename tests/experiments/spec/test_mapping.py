"""Specs that are written in Python."""

import json
from pathlib import Path

import numpy as np
import pytest

from duelbench.bandits.problem.preferences import PreferenceMatrix
from duelbench.errors import InputError
from duelbench.experiments.results.cells import cells
from duelbench.experiments.spec.load import load
from tests.bandits.problem.test_labelled import frames

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


REST = {"name": "s", "horizon": 1e3, "algorithms": ["rucb"]}
ROWS = [[0.5, 0.9], [0.1, 0.5]]
PLACES = [
    lambda one: {"matrix": one},
    lambda one: {"problems": {"x": one, "y": "cyclic"}},
    lambda one: {"world": {"segments": [one, one]}},
    lambda one: {"world": {"drift": {"from": one, "to": one, "steps": 3}}},
]


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("names", [(), ("a", "b")])
def test_a_matrix_of_python_is_that_of_a_file_with_its_numbers(folder, monkeypatch, place, names):
    monkeypatch.chdir(folder)
    Path("file.csv").write_text("\n".join([*([",".join(names)] if names else []), "0.5,0.9", "0.1,0.5"]))
    made = [PreferenceMatrix(ROWS, names or None)]
    made += [frame(ROWS, index=names, columns=names) for frame in frames()] if names else [ROWS, np.array(ROWS)]
    read, *asked = (load({**REST, **place(one)}) for one in ["file.csv", *made])
    for spec in asked:
        assert [cell.identity for cell in cells(spec)] == [cell.identity for cell in cells(read)]
        assert spec.problems[0].matrix.names == (names or ("0", "1"))


def test_several_matrices_of_python_are_named_by_their_place_and_mistakes_in_them_are_told():
    for given, names in {"cyclic": ["cyclic", "matrix-2"], "": ["matrix-1"]}.items():
        asked = load({**REST, "problems": [given, ROWS] if given else ROWS})
        assert [problem.name for problem in asked.problems] == names
    for wrong, says in [
        ({"matrix": np.ones((2, 3))}, "matrix: .* 2 row"),
        ({"matrix": {"P": ROWS, "names": ["a"]}}, "matrix: .* 1 names for 2 arms"),
        ({"matrix": ROWS, "runs": np.ones((2, 2))}, "runs: must be .*, not a value of type ndarray"),
    ]:
        with pytest.raises(InputError, match=f"spec: {says}"):
            load(REST | wrong)


def test_everything_wrong_with_a_mapping_is_told_at_once_without_lines():
    wrong = {"matrix": object(), "horizon": "1e5.5", "algorithms": ["rucc"], "regret": {"weak"}, 3: 4, "seed": "\0"}
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
