"""``duelbench status``: every file is checked, and nothing incomplete looks complete."""

import dataclasses
import json
import shutil

import numpy as np
import pytest
from typer.testing import CliRunner

from duelbench.cli.app import app
from duelbench.errors import IncompleteResults, InputError
from tests.execution.experiments import duelbench, files, plan_of, play, write_spec

runner = CliRunner()


def status(*arguments: object):
    """The command in this process; errors stay in the result."""
    return runner.invoke(app, ["status", *map(str, arguments)])


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    play(tmp_path)
    return tmp_path / "results" / "demo"


def test_complete_results_are_complete(folder):
    result = status(folder)
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert lines[0] == f"demo: complete ({folder})"
    assert lines[1].split() == ["problem", "algorithm", "horizon", "runs", "done", "missing", "failed", "damaged"]
    assert lines[2].split() == ["cyclic", "RUCB", "300", "4", "4", "0", "0", "0"]


def test_runs_whose_manifest_is_gone_are_not_passed_over(folder, tmp_path):
    shutil.copytree(folder, folder.parent / "other")
    (folder / "manifest.json").unlink()
    result = status(tmp_path / "results")
    assert f"demo: complete ({folder.parent / 'other'})" in result.stdout
    assert isinstance(result.exception, IncompleteResults) and "runs without manifest.json" in str(result.exception)
    assert str(folder) in str(result.exception)
    listed = json.loads(status(tmp_path / "results", "--json").stdout)["experiments"]
    assert [(found["results"], found["complete"]) for found in listed] == [
        (str(folder.parent / "other"), True),
        (str(folder), False),
    ]
    assert listed[1]["error"] == "it has no manifest.json"


def test_a_broken_manifest_keeps_no_other_experiment_away(folder, tmp_path):
    shutil.copytree(folder, folder.parent / "other")
    (folder / "manifest.json").write_text("{")
    result = status(tmp_path / "results")
    assert result.stdout.startswith(f"demo: complete ({folder.parent / 'other'})")
    assert isinstance(result.exception, IncompleteResults)
    assert str(result.exception).startswith(f"{folder / 'manifest.json'} is damaged")
    (broken,) = json.loads(status(folder, "--json").stdout)["experiments"]
    assert (broken["experiment"], broken["results"], broken["complete"]) == ("demo", str(folder), False)
    assert broken["cells"] == [] and broken["error"].startswith(f"{folder / 'manifest.json'} is damaged")
    assert status(folder).stdout == ""


@pytest.mark.parametrize("newer", ["manifest", "run"])
def test_results_of_a_newer_format_keep_no_other_experiment_away(folder, newer):
    other = folder.parent / "other"
    shutil.copytree(folder, other)
    if newer == "manifest":
        (folder / "manifest.json").write_text('{"format": 2, "whatever": []}')
    else:
        np.savez(folder / "rucb" / "run-00000.npz", meta=np.array(json.dumps({"format": 2})))
    for command, begins in (("status", f"demo: complete ({other})"), ("report", "demo: cumulative"), ("plot", other)):
        result = runner.invoke(app, [command, str(folder.parent)])
        assert result.stdout.startswith(str(begins)), command
        assert isinstance(result.exception, IncompleteResults) and result.exception.exit_code == 4
        assert str(result.exception).count("was written by a newer duelbench") == 1
    listed = json.loads(status(folder.parent, "--json").stdout)["experiments"]
    assert [(found["results"], found["complete"]) for found in listed] == [(str(other), True), (str(folder), False)]


def test_a_manifest_that_is_a_folder_is_to_be_removed(folder, tmp_path):
    (folder / "manifest.json").unlink()
    (folder / "manifest.json").mkdir()
    before = files(tmp_path)
    for command in (["run", "demo.yaml", "--runs", "5"], ["run", "demo.yaml"]):
        error = runner.invoke(app, command).exception
        assert isinstance(error, InputError) and error.exit_code == 2
        assert str(error) == "results/demo/manifest.json is a folder, where a file is to be: remove it"
    assert files(tmp_path) == before
    said = str(status(folder).exception)
    assert said == f"{folder / 'manifest.json'} is a folder, where a file is to be: remove it, and run the spec again"


def test_results_of_another_trace_version_are_told_to_be_old(folder, monkeypatch):
    from duelbench.algorithms import registry

    real = registry.get
    newer = dataclasses.replace(real("rucb"), trace_version=real("rucb").trace_version + 1)
    monkeypatch.setattr(registry, "get", lambda id: newer if id == "rucb" else real(id))
    said = f"trace version changed from {newer.trace_version - 1} to {newer.trace_version} since the runs of rucb were"
    for command in ("status", "report", "plot"):
        result = runner.invoke(app, [command, str(folder)])
        assert result.exit_code == 0
        assert result.stderr.count(said) == 1
        assert "runs of random" not in result.stderr


@pytest.mark.parametrize("where", [".", "results", "results/demo", "demo.yaml"])
def test_results_are_found_by_folder_or_spec(folder, where):
    results = json.loads(status(where if where != "." else folder.parent, "--json").stdout)["experiments"]
    assert [(found["experiment"], found["complete"]) for found in results] == [("demo", True)]


@pytest.mark.parametrize(
    ("change", "said"),
    [({}, ""), ({"runs": 3}, ""), ({"seed": 8}, "seed changed"), ({"runs": 5}, "runs changed")],
    ids=str,
)
def test_results_of_a_spec_that_was_edited_are_told_to_be_old(folder, tmp_path, change, said):
    for command in ("status", "report", "plot"):
        write_spec(tmp_path, **change)
        result = runner.invoke(app, [command, "demo.yaml"])
        if command != "status" or not said:
            assert result.exit_code == 0
        assert (f"{said} since results/demo was made" in result.stderr) == bool(said)
        assert ("these are the old results" in result.stderr) == bool(said)


@pytest.mark.parametrize(
    ("change", "n"), [({"runs": 6}, 4), ({"seed": 8}, 8), ({"algorithms": ["rucb", "random", "uniform"]}, 4)], ids=str
)
def test_results_are_not_complete_for_a_spec_that_asks_for_more(folder, tmp_path, change, n):
    assert status("demo.yaml").exit_code == 0
    write_spec(tmp_path, **change)
    result = status("demo.yaml")
    assert isinstance(result.exception, IncompleteResults) and result.exception.exit_code == 4
    assert result.stdout.startswith("demo: not complete")
    assert f"the spec asks for {n} runs that are not there" in result.stdout
    (found,) = json.loads(status("demo.yaml", "--json").stdout)["experiments"]
    assert (found["complete"], found["to_run"]) == (False, n)
    assert status(folder).exit_code == 0  # the folder itself is what its manifest says


def test_a_matrix_is_the_same_wherever_it_lies_and_another_when_its_numbers_are(folder, tmp_path):
    (tmp_path / "moved").mkdir()
    write_spec(tmp_path, matrix="moved/cyclic.csv")
    (tmp_path / "cyclic.csv").rename(tmp_path / "moved" / "cyclic.csv")
    assert status("demo.yaml").stderr == ""
    (tmp_path / "moved" / "cyclic.csv").write_text("0.5,0.7\n0.3,0.5\n")
    assert "demo.yaml: matrix changed since results/demo was made" in status("demo.yaml").stderr
    write_spec(tmp_path, matrix=None, problems={"cycle": "cyclic.csv"})
    assert "demo.yaml: matrix, problems changed since results/demo was made" in status("demo.yaml").stderr


def test_a_matrix_that_was_edited_in_its_place_is_told_to_be_another(folder, tmp_path):
    (tmp_path / "cyclic.csv").write_text("0.5,0.7\n0.3,0.5\n")
    assert "demo.yaml: matrix changed since results/demo was made" in status("demo.yaml").stderr


def test_a_manifest_is_read_once(folder, monkeypatch):
    from duelbench.results import atomic

    read, paths = atomic.read, []
    monkeypatch.setattr(atomic, "read", lambda path, most: paths.append(path.name) or read(path, most))
    for command in ("status", "report"):
        paths.clear()
        runner.invoke(app, [command, "demo.yaml"])
        assert paths.count("manifest.json") == 1


def test_missing_failed_and_damaged_runs_are_told_apart(folder, tmp_path):
    from duelbench.results import failures

    (folder / "rucb" / "run-00000.npz").unlink()
    (folder / "rucb" / "run-00001.npz").unlink()
    failures.record(folder, plan_of(tmp_path).cells[0].cell, 1, "ValueError: by plan", "")
    path = folder / "random" / "run-00002.npz"
    path.write_bytes(path.read_bytes()[:100])
    before = files(tmp_path)
    result = status(folder, "--json")
    assert isinstance(result.exception, IncompleteResults) and result.exception.exit_code == 4
    rucb, random = json.loads(result.stdout)["experiments"][0]["cells"]
    assert (rucb["done"], rucb["missing"], rucb["failed"], rucb["damaged"]) == (
        2,
        [0],
        {"1": "ValueError: by plan"},
        {},
    )
    assert (random["done"], random["missing"], list(random["damaged"])) == (3, [], ["2"])
    assert (rucb["problem"], rucb["algorithm"], rucb["label"], rucb["runs"]) == ("cyclic", "rucb", "RUCB", 4)
    gaps = str(runner.invoke(app, ["report", str(folder)]).exception)
    assert "2 of 4 runs of RUCB on cyclic (1 missing, 1 failed)" in gaps  # status and report agree
    assert "3 of 4 runs of Random on cyclic (1 damaged)" in gaps
    text = status(folder).stdout
    assert "failed: RUCB on cyclic, run 1: ValueError: by plan" in text
    assert "damaged: Random on cyclic, run 2: " in text
    assert files(tmp_path) == before


def test_swapped_files_are_damaged(folder):
    first, second = folder / "rucb" / "run-00000.npz", folder / "rucb" / "run-00001.npz"
    content = first.read_bytes()
    first.write_bytes(second.read_bytes())
    second.write_bytes(content)
    result = status(folder, "--json")
    assert isinstance(result.exception, IncompleteResults)
    assert sorted(json.loads(result.stdout)["experiments"][0]["cells"][0]["damaged"]) == ["0", "1"]


def test_results_of_an_earlier_spec_do_not_count(folder, tmp_path):
    from duelbench.results.manifest import write_manifest

    plan = plan_of(tmp_path, seed=8)
    write_manifest(folder, plan.spec, [cell_plan.cell for cell_plan in plan.cells])
    result = status(folder, "--json")
    assert isinstance(result.exception, IncompleteResults)
    assert all(cell["done"] == 0 for cell in json.loads(result.stdout)["experiments"][0]["cells"])


def test_run_repairs_what_status_complains_of(folder, tmp_path):
    whole = files(tmp_path)
    (folder / "rucb" / "run-00000.npz").write_bytes(b"")
    (folder / "rucb" / "run-00001.npz").unlink()
    assert duelbench("status", "results", cwd=tmp_path).returncode == 4
    assert duelbench("run", "demo.yaml", cwd=tmp_path).returncode == 0
    assert duelbench("status", "results", cwd=tmp_path).returncode == 0
    assert files(tmp_path, "rucb", "random") == whole


def test_a_spec_that_is_not_there_is_answered_with_the_nearest_one(folder, tmp_path):
    error = status("dmo.yaml").exception
    assert isinstance(error, InputError) and str(error) == "dmo.yaml: there is no such file (did you mean 'demo.yaml'?)"


def test_nothing_is_suggested_that_is_not_there_or_is_unlike(folder, tmp_path):
    (tmp_path / "link.yaml").symlink_to("gone.yaml")
    assert str(status("link.yaml").exception) == "link.yaml: there is no such file"
    folder.rename(folder.parent / "pl")
    (tmp_path / "L").symlink_to("gone")
    assert str(status("L").exception) == "L: there is no such folder"


def test_what_is_no_results_folder_is_an_input_error(tmp_path):
    write_spec(tmp_path)
    for path in (tmp_path, tmp_path / "nowhere", tmp_path / "cyclic.csv"):
        assert isinstance(status(path).exception, InputError)
    done = duelbench("status", "demo.yaml", cwd=tmp_path)
    assert done.returncode == 2 and done.stderr.startswith("error: ") and "Traceback" not in done.stderr
