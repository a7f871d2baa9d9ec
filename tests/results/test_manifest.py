"""The manifest explains the results without the spec, and is as safe as they are."""

import json
import re
import shutil

import pytest

from duelbench.errors import IncompleteResults, InputError
from duelbench.execution.plan import prepare
from duelbench.results.manifest import find_experiments, open_results
from duelbench.results.store import NewerResult
from tests.execution.experiments import plan_of, play, spec_of

TWO_PROBLEMS = {
    "title": "Two problems",
    "matrix": None,
    "problems": {"cycle": "cyclic.csv", "pair": "two.csv"},
    "algorithms": ["random", {"rucb": {"alpha": 0.7, "label": "Bold"}}],
}


@pytest.fixture
def folder(tmp_path):
    prepare(plan_of(tmp_path, **TWO_PROBLEMS))
    return tmp_path / "results" / "demo"


def test_results_are_read_without_the_spec_and_its_matrices(tmp_path):
    spec = spec_of(tmp_path / "gone", **TWO_PROBLEMS)
    play(tmp_path / "gone", **TWO_PROBLEMS)
    shutil.move(tmp_path / "gone" / "results" / "demo", tmp_path / "kept")
    shutil.rmtree(tmp_path / "gone")
    results = open_results(tmp_path / "kept")
    assert results.name == "demo" and results.spec == spec.canonical()
    assert [(cell.problem, cell.algorithm, cell.label, cell.slug, cell.position) for cell in results.cells] == [
        ("cycle", "random", "Random", "random", 0),
        ("cycle", "rucb", "Bold", "bold", 1),
        ("pair", "random", "Random", "random", 0),
        ("pair", "rucb", "Bold", "bold", 1),
    ]
    for cell, problem in zip(results.cells[::2], spec.problems, strict=True):
        assert cell.matrix.sha256 == problem.matrix.sha256
        assert cell.matrix.names == problem.matrix.names
    for cell in results.cells:
        assert cell.n_runs == 4 and cell.horizon == 300 and cell.anytime
        assert all(cell.read(run).run == run for run in range(cell.n_runs))
    assert results.cells[1].identity.parameters["alpha"] == 0.7


def test_the_manifest_is_json_with_the_documented_content(folder):
    content = json.loads((folder / "manifest.json").read_text())
    assert content["spec"]["title"] == "Two problems"
    assert [problem["n_arms"] for problem in content["problems"]] == [4, 2]
    assert content["problems"][1]["P"] == [[0.5, 0.7], [0.3, 0.5]]
    assert {"duelbench", "python", "numpy", "numba", "scipy", "cpu"} <= set(content["environment"])


def test_the_manifest_of_a_spec_is_the_same_bytes_every_time(folder, tmp_path):
    prepare(plan_of(tmp_path / "again", **TWO_PROBLEMS))
    again = tmp_path / "again" / "results" / "demo" / "manifest.json"
    assert again.read_bytes() == (folder / "manifest.json").read_bytes()


def test_a_changed_number_in_a_manifest_is_noticed(folder):
    path = folder / "manifest.json"
    path.write_text(path.read_text().replace("0.7", "0.8"))
    with pytest.raises(IncompleteResults, match="run the spec again"):
        open_results(folder)


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"null", b'{"format": 1}', b"\xff", b"[" * 100_000])
def test_a_broken_manifest_is_noticed_and_mended_by_the_next_run(folder, tmp_path, content):
    path = folder / "manifest.json"
    whole = path.read_bytes()
    path.write_bytes(content)
    with pytest.raises(IncompleteResults, match=r"manifest\.json is damaged"):
        open_results(folder)
    prepare(plan_of(tmp_path, **TWO_PROBLEMS))
    assert path.read_bytes() == whole


def test_a_newer_manifest_is_refused_politely(folder):
    (folder / "manifest.json").write_text('{"format": 2, "whatever": []}')
    with pytest.raises(NewerResult, match="newer duelbench"):
        open_results(folder)


def test_results_folders_are_found(folder, tmp_path):
    assert find_experiments(folder) == [folder]
    assert find_experiments(folder.parent) == [folder]
    (folder.parent / "notes").mkdir()
    assert find_experiments(folder.parent) == [folder]
    with pytest.raises(InputError, match="not a results folder"):
        find_experiments(folder.parent / "notes")
    with pytest.raises(InputError, match="no such folder"):
        find_experiments(tmp_path / "nowhere")
    for wrong, meant in (("resuts", "results"), ("results/dmo", "results/demo"), ("demo", "results/demo")):
        with pytest.raises(InputError, match=re.escape(f"(did you mean '{tmp_path / meant}'?)")):
            find_experiments(tmp_path / wrong)
    with pytest.raises(InputError, match="not a results folder"):
        open_results(tmp_path)
    with pytest.raises(InputError, match="not a results folder"):
        find_experiments(folder / "manifest.json")
