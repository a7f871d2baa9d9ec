"""The manifest explains the results without the spec, and is as safe as they are."""

import json
import re
import shutil

import pytest

from duelbench.errors import IncompleteResults, InputError
from duelbench.experiments.execution.plan import prepare
from duelbench.experiments.results.manifest import find_experiments, open_results
from duelbench.experiments.results.store import NewerResult
from tests.experiments.execution.experiments import plan_of, play, spec_of

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


BROKEN = [b"", b"{", b"[]", b"null", b'{"format": 1}', b"\xff", b"[" * 100_000, "another title"]


@pytest.mark.parametrize("content", BROKEN)
def test_a_broken_manifest_is_noticed_and_repaired_by_the_next_run(folder, tmp_path, content):
    path = folder / "manifest.json"
    whole = path.read_bytes()
    path.write_bytes(whole.replace(b"Two problems", b"Two problemS") if isinstance(content, str) else content)
    with pytest.raises(IncompleteResults, match=r"manifest\.json is damaged"):
        open_results(folder)
    prepare(plan_of(tmp_path, **TWO_PROBLEMS))
    assert path.read_bytes() == whole


def test_a_newer_manifest_is_refused_politely(folder):
    (folder / "manifest.json").write_text('{"format": 2, "whatever": []}')
    with pytest.raises(NewerResult, match="newer duelbench"):
        open_results(folder)


def test_the_manifest_is_json_with_the_documented_content_and_written_only_when_it_changes(folder, tmp_path):
    path = folder / "manifest.json"
    content = json.loads(path.read_text())
    assert content["spec"]["title"] == "Two problems"
    assert [problem["n_arms"] for problem in content["problems"]] == [4, 2]
    assert content["problems"][1]["P"] == [[0.5, 0.7], [0.3, 0.5]]
    assert {"duelbench", "python", "numpy", "numba", "scipy", "cpu"} <= set(content["environment"])
    prepare(plan_of(tmp_path / "again", **TWO_PROBLEMS))
    assert (tmp_path / "again" / "results" / "demo" / "manifest.json").read_bytes() == path.read_bytes()
    before = path.stat()
    prepare(plan_of(tmp_path, **TWO_PROBLEMS))
    assert (path.stat().st_ino, path.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
    prepare(plan_of(tmp_path, **{**TWO_PROBLEMS, "title": "Another"}))
    assert path.stat().st_ino != before.st_ino


def test_results_folders_are_found(folder, tmp_path):
    (folder.parent / "notes").mkdir()
    for place in (folder, folder.parent):
        assert find_experiments(place) == [folder]
    for place in (folder.parent / "notes", folder / "manifest.json"):
        with pytest.raises(InputError, match="not a results folder"):
            find_experiments(place)
    with pytest.raises(InputError, match="no such folder"):
        find_experiments(tmp_path / "nowhere")
    for wrong, meant in (("resuts", "results"), ("results/dmo", "results/demo"), ("demo", "results/demo")):
        with pytest.raises(InputError, match=re.escape(f"(did you mean '{tmp_path / meant}'?)")):
            find_experiments(tmp_path / wrong)
