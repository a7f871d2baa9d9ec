"""What to run and why, and how the folder is put in order without losing anything."""

import json
import os
import shutil
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import duelbench
from duelbench.cli.app import app
from duelbench.common import atomic
from duelbench.experiments.execution.plan import make_plan, prepare
from duelbench.experiments.results import failures
from duelbench.experiments.results.manifest import open_results
from duelbench.experiments.results.store import NewerResult
from duelbench.experiments.spec.load import load
from tests.experiments.execution.experiments import files, plan_of, play, spec_of, write_spec

ONE = {"algorithms": ["rucb"], "horizon": 100}


def snapshot(folder: Path) -> dict[str, tuple[int, bytes]]:
    return {str(path): (path.stat().st_mtime_ns, path.read_bytes()) for path in folder.rglob("*") if path.is_file()}


def todo(plan) -> list[list[int]]:
    return [cell_plan.todo for cell_plan in plan.cells]


def why(folder: Path, **changes) -> str:
    return plan_of(folder, **{**ONE, **changes}).cells[0].why


def test_a_dry_run_of_what_would_take_years_answers_at_once_with_an_estimate_and_plays_nothing(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    algorithms = [{"sparring": {"label": f"sparring {k}"}} for k in range(3)]
    write_spec(tmp_path, horizon="1e14", runs=1000, algorithms=algorithms)
    found = json.loads(CliRunner().invoke(app, ["run", "demo.yaml", "--dry-run", "--json"]).stdout)
    assert found["seconds_estimate"] > 1e6 and len(found["jobs"]) == 3
    assert not (tmp_path / "results").exists()


@pytest.mark.parametrize("is_there", [False, True])
def test_a_run_costs_a_plan_at_most_one_opening(tmp_path, monkeypatch, is_there):
    opened, real = [], os.open
    monkeypatch.setattr(atomic.os, "open", lambda path, *flags: (opened.append(path), real(path, *flags))[1])
    for runs in (4, 8):
        if is_there:
            play(tmp_path, runs=runs, horizon=20)
        plan = plan_of(tmp_path, runs=runs, horizon=20)
        opened.clear()
        make_plan(plan.spec, plan.folder)
        assert len(opened) == (2 * runs if is_there else 0)


def test_reasons_are_given_in_words(tmp_path):
    assert why(tmp_path) == "new"
    play(tmp_path, **ONE)
    assert why(tmp_path) == "up to date"
    assert why(tmp_path, runs=6) == "4 up to date, 2 new"
    assert why(tmp_path, horizon="1e6") == "horizon changed from 100 to 1e6"
    assert why(tmp_path, seed=8, checkpoints=9) == "seed changed from 7 to 8, the checkpoints changed"
    assert why(tmp_path, algorithms=[{"rucb": {"alpha": 0.7, "label": "RUCB"}}]) == "alpha changed from 0.51 to 0.7"
    assert why(tmp_path, matrix="two.csv") == "the matrix changed"
    assert why(tmp_path, algorithms=[{"random": {"label": "RUCB"}}]) == "algorithm changed from rucb to random"


def test_every_kind_of_damage_is_repaired(tmp_path):
    play(tmp_path, runs=7)
    whole = files(tmp_path)
    top = tmp_path / "results" / "demo"
    places = [top / "rucb" / f"run-0000{run}.npz" for run in range(7)]
    places[0].write_bytes(b"")
    places[1].unlink()
    places[1].mkdir()
    (places[1] / "note").write_text("kept")
    places[2].unlink()
    places[2].symlink_to("nowhere")
    places[3].write_bytes(places[3].read_bytes()[:-1])
    swapped = places[4].read_bytes()
    places[4].write_bytes(places[5].read_bytes())
    places[5].write_bytes(swapped)
    flipped = bytearray(places[6].read_bytes())
    flipped[700] ^= 4
    places[6].write_bytes(flipped)
    plan = plan_of(tmp_path, runs=7)
    assert todo(plan) == [[0, 1, 2, 3, 6], []]  # the swapped ones are whole, and only go to their places
    assert sorted(plan.cells[0].found) == [4, 5]
    assert "2 found under another name, " in plan.cells[0].why and "damaged: " in plan.cells[0].why
    assert any(note.startswith(f"damaged: {places[0]} (") and " and 4 more" in note for note in plan.notes())
    play(tmp_path, runs=7)
    assert files(tmp_path, "rucb", "random") == whole
    damaged = top / "damaged" / "rucb"
    assert (damaged / "run-00001.npz" / "note").read_text() == "kept" and os.path.islink(damaged / "run-00002.npz")
    assert (damaged / "run-00006.npz").read_bytes() == flipped
    assert not (top / "set-aside").exists()
    places[6].write_bytes(b"again")  # damage of the same run is kept twice
    play(tmp_path, runs=7)
    assert {path.read_bytes() for path in damaged.glob("run-00006*")} == {bytes(flipped), b"again"}


def test_a_renamed_label_finds_its_runs(tmp_path):
    play(tmp_path)
    whole = files(tmp_path, "rucb")
    renamed = {"algorithms": [{"rucb": {"label": "Champion"}}, "random"]}
    plan = plan_of(tmp_path, **renamed)
    assert plan.cells[0].why == "found under another name"
    before = snapshot(tmp_path / "results")
    plan_of(tmp_path, **renamed)  # planning only looks
    assert snapshot(tmp_path / "results") == before
    prepare(plan)
    assert list(files(tmp_path, "champion").values()) == list(whole.values())
    assert not (tmp_path / "results" / "demo" / "rucb").exists()
    assert plan_of(tmp_path, **renamed).cells[0].why == "up to date"


def test_labels_that_are_exchanged_or_doubled_have_the_same_runs(tmp_path):
    play(tmp_path)
    rucb, random = files(tmp_path, "rucb"), files(tmp_path, "random")
    plan = plan_of(tmp_path, algorithms=[{"rucb": {"label": "Random"}}, {"random": {"label": "RUCB"}}])
    prepare(plan)
    assert plan.n_todo == 0
    assert list(files(tmp_path, "random").values()) == list(rucb.values())
    assert list(files(tmp_path, "rucb").values()) == list(random.values())
    plan = plan_of(tmp_path, algorithms=[{"rucb": {"label": "a"}}, {"rucb": {"label": "b"}}])
    prepare(plan)
    assert plan.n_todo == 0
    assert list(files(tmp_path, "a").values()) == list(files(tmp_path, "b").values()) == list(rucb.values())


def test_runs_that_stand_in_the_way_are_set_aside_and_come_back(tmp_path):
    play(tmp_path, **ONE)
    first = files(tmp_path, "rucb")
    play(tmp_path, **{**ONE, "horizon": 150})
    assert files(tmp_path, "rucb") != first
    assert len(files(tmp_path, "set-aside")) == 4
    plan = plan_of(tmp_path, **ONE)
    assert plan.n_todo == 0 and plan.cells[0].why == "set aside before"
    prepare(plan)
    assert files(tmp_path, "rucb") == first


def test_what_a_spec_does_not_ask_for_is_kept_and_said_once(tmp_path):
    play(tmp_path)
    before = files(tmp_path)
    plan = plan_of(tmp_path, algorithms=["random"], runs=3)
    assert plan.n_todo == 0
    assert [note.partition(" run")[0] for note in plan.notes()] == ["left over: 1", "left over: 4"]
    prepare(plan)
    assert files(tmp_path) == before
    assert plan_of(tmp_path, algorithms=["random"], runs=3).notes() == []
    assert len(plan_of(tmp_path, algorithms=["random"], runs=2).notes()) == 2


def test_a_folder_that_holds_the_results_of_another_spec_file_is_said_until_it_holds_its_own(tmp_path):
    def notes(name, **changes):
        path = write_spec(tmp_path, **ONE, **changes).rename(tmp_path / name)
        said = make_plan(load(path), tmp_path / "results" / "demo").notes()
        duelbench.run(path, tmp_path / "results", jobs=1, quiet=True)
        return [note for note in said if "takes their place" in note]

    assert notes("first.yaml") == []
    assert notes("first.yaml", seed=3) == []  # an edit
    (note,) = notes("second.yaml")
    assert "first.yaml" in note and "second.yaml" in note
    assert notes("second.yaml") == []
    (tmp_path / "second.yaml").unlink()
    assert notes("third.yaml", seed=3) == []  # it was renamed


def test_a_run_that_failed_is_tried_again_and_says_why(tmp_path):
    plan = plan_of(tmp_path, **ONE)
    prepare(plan)
    failures.record(plan.folder, plan.cells[0].cell, 1, "ZeroDivisionError: division by zero", "Traceback ...")
    assert why(tmp_path) == "3 new, 1 failed before: ZeroDivisionError: division by zero"
    (record,) = (plan.folder / "failures").rglob("*.json")
    assert record.relative_to(plan.folder).as_posix() == "failures/rucb/run-00001.json"
    whole = record.read_text()
    record.write_text("{")  # is no hindrance
    assert plan_of(tmp_path, **ONE).n_todo == 4
    record.write_text(whole)
    play(tmp_path, **ONE)
    assert not (plan.folder / "failures").exists()
    assert why(tmp_path) == "up to date"
    failures.record(plan.folder, plan.cells[0].cell, 1, "an error of the code before", "")
    prepare(plan_of(tmp_path, **ONE))
    assert not (plan.folder / "failures").exists()  # the run is there


def test_a_record_of_failure_says_how_to_reproduce_it_from_anywhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    plan = plan_of(Path(), **ONE)
    play(tmp_path, **ONE)
    failures.record(plan.folder, plan.cells[0].cell, 3, "an error", "its traceback")
    content = json.loads((plan.folder / "failures" / "rucb" / "run-00003.json").read_text())
    assert (content["error"], content["traceback"], content["run"]) == ("an error", ["its traceback"], 3)
    scope: dict = {}
    monkeypatch.chdir("/")
    exec(content["how_to_reproduce"].replace("duelbench.simulate(", "trace = duelbench.simulate("), scope)
    stored = open_results(tmp_path / plan.folder).cells[0].read(3)
    assert scope["trace"].duels.tolist() == stored.trace.duels.tolist()


def test_a_newer_result_stops_the_plan(tmp_path):
    folder = tmp_path / "results" / "demo" / "rucb"
    folder.mkdir(parents=True)
    np.savez(folder / "run-00000.npz", meta=np.array(json.dumps({"format": 2})))
    with pytest.raises(NewerResult, match="newer duelbench"):
        plan_of(tmp_path, **ONE)


def test_problems_and_other_horizons_have_their_own_folders_which_can_be_moved(tmp_path):
    changes = {"algorithms": [{"rucb": {"horizons": [50, 100]}}], "matrix": None, "horizon": 100, "runs": 2}
    changes["problems"] = {"cycle": "cyclic.csv", "pair": "two.csv"}
    play(tmp_path, **changes)
    names = sorted({str(Path(name).parent) for name in files(tmp_path)})
    assert names == ["cycle/rucb", "cycle/rucb/horizon-50", "pair/rucb", "pair/rucb/horizon-50"]
    cells = open_results(tmp_path / "results" / "demo").cells
    assert [cell.read(0).trace.rounds[-1] for cell in cells] == [cell.horizon for cell in cells] == [50, 100] * 2
    longer = {**changes, "algorithms": [{"rucb": {"horizons": [50, 100, 200]}}], "horizon": 200}
    assert [cell_plan.n_reused for cell_plan in plan_of(tmp_path, **longer).cells] == [2, 2, 0] * 2
    shutil.move(tmp_path / "results", tmp_path / "elsewhere")
    assert make_plan(spec_of(tmp_path, **changes), tmp_path / "elsewhere" / "demo").n_todo == 0


def test_other_starts_of_the_same_matrices_are_another_world(tmp_path):
    def world(start):
        return {"matrix": None, "world": {"segments": ["two.csv", "two.csv"], "starts": [1, start]}}

    play(tmp_path, **ONE, **world(20))
    assert why(tmp_path, **world(20)) == "up to date"
    assert why(tmp_path, **world(30)) == "the world changed"
