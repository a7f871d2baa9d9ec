"""Specs that are written in Python."""

import json
from pathlib import Path

import numpy as np
import pytest

from duelbench.errors import InputError
from duelbench.problem.preferences import PreferenceMatrix
from duelbench.results.cells import cells
from duelbench.spec.load import load
from tests.problem.test_labelled import frames

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


ROWS = [[0.5, 0.9], [0.1, 0.5]]
NAMED = PreferenceMatrix(ROWS, names=["a", "b"])


@pytest.mark.parametrize("keys", ["matrix", "problems", "world", "drift"])
@pytest.mark.parametrize("names", [(), ("a", "b")])
def test_a_matrix_of_python_is_played_like_a_file_that_holds_its_numbers(folder, monkeypatch, keys, names):
    monkeypatch.chdir(folder)
    Path("file.csv").write_text("\n".join([*([",".join(names)] if names else []), "0.5,0.9", "0.1,0.5"]))

    def spec(one):
        held = {"matrix": one, "problems": {"x": one, "y": "cyclic"}, "world": {"segments": [one, one]}}
        return load(
            {"name": "s", "horizon": 1e3, "algorithms": ["rucb"]}
            | ({"world": {"drift": {"from": one, "to": one, "steps": 3}}} if keys == "drift" else {keys: held[keys]})
        )

    read = [cell.identity for cell in cells(spec("file.csv"))]
    tables = [frame(ROWS, index=["a", "b"], columns=["a", "b"]) for frame in frames()]
    made = (
        [NAMED, *tables, {"P": ROWS, "names": ["a", "b"]}] if names else [ROWS, np.array(ROWS), PreferenceMatrix(ROWS)]
    )
    for one in made:
        asked = spec(one)
        assert [cell.identity for cell in cells(asked)] == read
        assert asked.problems[0].matrix.names == (names or ("0", "1"))
        assert load(json.loads(json.dumps(asked.canonical()))) == asked


def test_several_matrices_of_python_are_named_by_their_place_and_mistakes_in_them_are_told():
    rest = {"name": "s", "horizon": 1e3, "algorithms": ["rucb"]}
    for given, names in {"cyclic": ["cyclic", "matrix-2"], "": ["matrix-1"]}.items():
        asked = load({**rest, "problems": [given, ROWS] if given else ROWS})
        assert [problem.name for problem in asked.problems] == names
    for wrong, says in [
        ({"matrix": np.ones((2, 3))}, "matrix: .* 2 row"),
        ({"matrix": {"P": ROWS, "names": ["a"]}}, "matrix: .* 1 names for 2 arms"),
        ({"matrix": ROWS, "runs": np.ones((2, 2))}, "runs: must be a whole number of runs, not a ndarray"),
    ]:
        with pytest.raises(InputError, match=f"spec: {says}"):
            load(rest | wrong)


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
