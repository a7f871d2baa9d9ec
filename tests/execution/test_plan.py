"""What to run and why, and how the folder is put in order without losing anything."""

import dataclasses
import gc
import itertools
import json
import os
import shutil
import sys
from collections import Counter
from pathlib import Path

import pytest

from duelbench.errors import InputError
from duelbench.execution.plan import count_files, make_plan, prepare
from duelbench.execution.runner import execute
from duelbench.results import failures
from duelbench.results.manifest import open_results
from duelbench.results.store import NewerResult
from duelbench.spec.load import load
from tests.execution.experiments import BASE, files, plan_of, play, spec_of, write_spec

ONE = {"algorithms": ["rucb"]}


def snapshot(folder: Path) -> dict[str, tuple[int, bytes]]:
    return {str(path): (path.stat().st_mtime_ns, path.read_bytes()) for path in folder.rglob("*") if path.is_file()}


def todo(plan) -> list[list[int]]:
    return [cell_plan.todo for cell_plan in plan.cells]


def test_planning_writes_nothing(tmp_path):
    assert plan_of(tmp_path).n_todo == 8
    assert not (tmp_path / "results").exists()
    play(tmp_path)
    before = snapshot(tmp_path / "results")
    spec = spec_of(tmp_path, horizon=400)
    make_plan(spec, tmp_path / "results" / "demo")
    assert snapshot(tmp_path / "results") == before


def calls(work) -> Counter[str]:
    """How often functions are called by ``work()``, those of C included."""
    counts: Counter[str] = Counter()

    def count(frame, event, argument):
        if event == "call":
            counts[frame.f_code.co_qualname] += 1
        elif event == "c_call":
            counts[argument.__qualname__] += 1

    before = sys.getprofile()
    gc.disable()  # what is called at a collection is not the work's
    sys.setprofile(count)
    try:
        work()
    finally:
        sys.setprofile(before)
        gc.enable()
    return counts


def test_a_run_to_be_computed_costs_a_plan_a_handful_of_calls_and_no_look_at_the_disk(tmp_path):
    specs = [dataclasses.replace(spec_of(tmp_path), runs=runs) for runs in (50, 100, 150, 200)]
    make_plan(specs[0], tmp_path / "results" / "demo")  # what is loaded and computed once
    counted = [calls(lambda spec=spec: make_plan(spec, tmp_path / "results" / "demo")) for spec in specs]
    more = [after - before for before, after in itertools.pairwise(counted)]  # for 100 runs: of two algorithms
    assert more[1] == more[2]  # no run costs more because there are many
    assert more[2].total() <= 10 * 100
    assert more[2]["HASH.hexdigest"] == 100  # the key
    assert not {"stat", "lstat", "open", "access", "Identity.content", "Identity.key"} & more[2].keys()


def test_a_run_that_is_there_costs_a_plan_a_handful_of_calls_and_one_opening(tmp_path):
    counted = []
    for runs in (4, 8, 12, 16):
        play(tmp_path, runs=runs)
        spec = spec_of(tmp_path, runs=runs)
        counted.append(calls(lambda spec=spec: make_plan(spec, tmp_path / "results" / "demo")))
    more = [after - before for before, after in itertools.pairwise(counted)]  # for 8 runs
    assert more[1] == more[2]
    assert more[2].total() <= 40 * 8
    assert more[2]["open"] == 8


def test_reasons_are_given_in_words(tmp_path):
    assert plan_of(tmp_path, **ONE).cells[0].why == "new"
    play(tmp_path, **ONE)
    assert plan_of(tmp_path, **ONE).cells[0].why == "up to date"
    assert plan_of(tmp_path, **ONE, runs=6).cells[0].why == "4 up to date, 2 new"
    assert plan_of(tmp_path, **ONE, horizon="1e6").cells[0].why == "horizon changed from 300 to 1e6"
    assert plan_of(tmp_path, **ONE, seed=8, checkpoints=9).cells[0].why == (
        "seed changed from 7 to 8, the checkpoints changed"
    )
    alpha = {"algorithms": [{"rucb": {"alpha": 0.7, "label": "RUCB"}}]}
    assert plan_of(tmp_path, **alpha).cells[0].why == "alpha changed from 0.51 to 0.7"
    assert plan_of(tmp_path, **ONE, matrix="two.csv").cells[0].why == "the matrix changed"
    assert plan_of(tmp_path, algorithms=[{"random": {"label": "RUCB"}}]).cells[0].why == (
        "algorithm changed from rucb to random"
    )


def test_a_damaged_file_is_named_moved_away_and_only_its_run_computed_again(tmp_path):
    play(tmp_path)
    whole = files(tmp_path)
    victim = tmp_path / "results" / "demo" / "rucb" / "run-00002.npz"
    damaged = bytearray(victim.read_bytes())
    damaged[700] ^= 4
    victim.write_bytes(damaged)
    plan = plan_of(tmp_path)
    assert todo(plan) == [[2], []]
    assert plan.cells[0].why.startswith("3 up to date, 1 damaged: ")
    assert len(plan.notes()) == 1 and plan.notes()[0].startswith(f"damaged: {victim} (")
    prepare(plan)
    kept = tmp_path / "results" / "demo" / "damaged" / "rucb" / "run-00002.npz"
    assert kept.read_bytes() == damaged
    execute(plan, jobs=1)
    assert {name: content for name, content in files(tmp_path).items() if "damaged" not in name} == whole


def test_every_kind_of_damage_is_repaired(tmp_path):
    play(tmp_path, runs=6)
    whole = files(tmp_path)
    folder = tmp_path / "results" / "demo" / "rucb"
    places = [folder / f"run-0000{run}.npz" for run in range(6)]
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
    plan = plan_of(tmp_path, runs=6)
    assert todo(plan) == [[0, 1, 2, 3], []]  # the swapped ones are whole, and only go to their places
    assert sorted(plan.cells[0].found) == [4, 5]
    prepare(plan)
    execute(plan, jobs=1)
    assert files(tmp_path, "rucb", "random") == whole
    top = tmp_path / "results" / "demo"
    assert (top / "damaged" / "rucb" / "run-00001.npz" / "note").read_text() == "kept"
    assert os.path.islink(top / "damaged" / "rucb" / "run-00002.npz")
    assert not (top / "set-aside").exists()


def test_damage_of_the_same_run_twice_is_kept_twice(tmp_path):
    for content in (b"first", b"second"):
        play(tmp_path, **ONE)
        (tmp_path / "results" / "demo" / "rucb" / "run-00000.npz").write_bytes(content)
        prepare(plan_of(tmp_path, **ONE))
    kept = (tmp_path / "results" / "demo" / "damaged" / "rucb").iterdir()
    assert {path.read_bytes() for path in kept} == {b"first", b"second"}


def test_a_renamed_label_finds_its_runs(tmp_path):
    play(tmp_path)
    whole = files(tmp_path, "rucb")
    renamed = {"algorithms": [{"rucb": {"label": "Champion"}}, "random"]}
    plan = plan_of(tmp_path, **renamed)
    assert plan.cells[0].why == "found under another name"
    prepare(plan)
    assert {Path(name).name: content for name, content in files(tmp_path, "champion").items()} == {
        Path(name).name: content for name, content in whole.items()
    }
    assert not (tmp_path / "results" / "demo" / "rucb").exists()
    assert plan_of(tmp_path, **renamed).cells[0].why == "up to date"


def test_two_labels_that_are_exchanged_exchange_their_runs(tmp_path):
    play(tmp_path)
    rucb, random = files(tmp_path, "rucb"), files(tmp_path, "random")
    plan = plan_of(tmp_path, algorithms=[{"rucb": {"label": "Random"}}, {"random": {"label": "RUCB"}}])
    prepare(plan)
    assert plan.n_todo == 0
    assert list(files(tmp_path, "random").values()) == list(rucb.values())
    assert list(files(tmp_path, "rucb").values()) == list(random.values())


def test_one_file_may_serve_two_entries(tmp_path):
    play(tmp_path, algorithms=[{"rucb": {"label": "old"}}])
    plan = plan_of(tmp_path, algorithms=[{"rucb": {"label": "a"}}, {"rucb": {"label": "b"}}])
    assert plan.n_todo == 0
    prepare(plan)
    assert list(files(tmp_path, "a").values()) == list(files(tmp_path, "b").values())
    assert len(files(tmp_path, "a")) == 4


def test_runs_that_stand_in_the_way_are_set_aside_and_come_back(tmp_path):
    play(tmp_path, **ONE)
    first = files(tmp_path, "rucb")
    play(tmp_path, **ONE, horizon=500)
    assert files(tmp_path, "rucb") != first
    assert len(files(tmp_path, "set-aside")) == 4
    plan = plan_of(tmp_path, **ONE)
    assert plan.n_todo == 0
    assert plan.cells[0].why == "set aside before"
    prepare(plan)
    assert files(tmp_path, "rucb") == first


def test_what_a_spec_does_not_ask_for_is_kept_and_said(tmp_path):
    play(tmp_path)
    before = files(tmp_path)
    plan = plan_of(tmp_path, algorithms=["random"], runs=3)
    assert plan.n_todo == 0
    top = tmp_path / "results" / "demo"
    assert plan.notes() == [
        f"left over: 1 run that the spec does not ask for, kept in {top / 'random'}",
        f"left over: 4 runs that the spec does not ask for, kept in {top / 'rucb'}",
    ]
    prepare(plan)
    assert files(tmp_path) == before
    assert plan_of(tmp_path, algorithms=["random"], runs=3).notes() == []  # it was said
    assert len(plan_of(tmp_path, algorithms=["random"], runs=2).notes()) == 2


def test_a_folder_that_holds_the_results_of_another_spec_file_is_said_until_it_holds_its_own(tmp_path):
    def notes(name, **changes):
        spec = load(write_spec(tmp_path, **ONE, **changes).rename(tmp_path / name))
        plan = make_plan(spec, tmp_path / "results" / "demo")
        said = [note for note in plan.notes() if "takes their place" in note]
        prepare(plan)
        execute(plan, jobs=1)
        return said

    assert notes("first.yaml") == []
    assert notes("first.yaml", seed=3) == []  # an edit
    (note,) = notes("second.yaml")
    folder, first = tmp_path / "results" / "demo", os.path.relpath(tmp_path / "first.yaml")
    assert note == (
        f"{folder} holds the results of {first}, and {tmp_path / 'second.yaml'} takes their place; if these are"
        " different experiments, give one of them another `name`, or this one another --out"
    )
    assert notes("second.yaml") == []
    (tmp_path / "second.yaml").unlink()
    assert notes("third.yaml", seed=3) == []  # it was renamed


def test_a_run_that_failed_is_tried_again_and_says_why(tmp_path):
    plan = plan_of(tmp_path, **ONE)
    prepare(plan)
    failures.record(plan.folder, plan.cells[0].cell, 1, "ZeroDivisionError: division by zero", "Traceback ...")
    again = plan_of(tmp_path, **ONE)
    assert again.cells[0].why == "3 new, 1 failed before: ZeroDivisionError: division by zero"
    execute(again, jobs=1)
    assert not (plan.folder / "failures").exists()
    assert plan_of(tmp_path, **ONE).cells[0].why == "up to date"


def test_a_record_of_a_run_that_is_there_goes(tmp_path):
    play(tmp_path, **ONE)
    plan = plan_of(tmp_path, **ONE)
    failures.record(plan.folder, plan.cells[0].cell, 1, "an error of the code before", "")
    prepare(plan)
    assert not (plan.folder / "failures").exists()


def test_records_of_failures_lie_where_the_results_would(tmp_path):
    plan = plan_of(tmp_path, **{**ONE, "matrix": None, "problems": {"cycle": "cyclic.csv"}})
    failures.record(plan.folder, plan.cells[0].cell, 3, "an error", "")
    assert [path.relative_to(plan.folder).as_posix() for path in plan.folder.rglob("*.json")] == [
        "failures/cycle/rucb/run-00003.json"
    ]


def test_a_record_of_failure_that_is_called_by_its_key_as_they_once_were_is_read_and_goes(tmp_path):
    plan = plan_of(tmp_path, **ONE)
    prepare(plan)
    failures.record(plan.folder, plan.cells[0].cell, 1, "ValueError: by plan", "Traceback\n  last line")
    (record,) = (plan.folder / "failures").rglob("*.json")
    content = json.loads(record.read_text())
    content["traceback"] = "\n".join(content["traceback"])
    (plan.folder / "failures" / f"{content['key']}.json").write_text(json.dumps(content))
    record.unlink()
    again = plan_of(tmp_path, **ONE)
    assert again.cells[0].why == "3 new, 1 failed before: ValueError: by plan"
    execute(again, jobs=1)
    assert not list((plan.folder / "failures").rglob("*.json"))


def test_a_record_of_failure_that_cannot_be_read_is_no_hindrance(tmp_path):
    plan = plan_of(tmp_path, **ONE)
    prepare(plan)
    record = plan.folder / "failures" / f"{plan.cells[0].cell.identity.key(0)}.json"
    record.parent.mkdir()
    record.write_text("{")
    assert plan_of(tmp_path, **ONE).cells[0].why == "1 failed before: unknown error, 3 new"


def test_a_record_of_failure_says_how_to_reproduce_it_from_anywhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    plan = plan_of(Path(), **ONE)
    cell = plan.cells[0].cell
    failures.record(plan.folder, cell, 3, "an error", "its traceback")
    content = json.loads((plan.folder / "failures" / "rucb" / "run-00003.json").read_text())
    assert (content["error"], content["traceback"], content["run"], content["seed"]) == (
        "an error",
        ["its traceback"],
        3,
        BASE["seed"],
    )
    play(tmp_path, **ONE)
    scope: dict = {}
    monkeypatch.chdir("/")
    exec(content["how_to_reproduce"].replace("duelbench.simulate(", "trace = duelbench.simulate("), scope)
    stored = open_results(tmp_path / plan.folder).cells[0].read(3)
    assert scope["trace"].duels.tolist() == stored.trace.duels.tolist()


def test_a_file_that_vanishes_between_plan_and_run_is_computed(tmp_path):
    play(tmp_path, **ONE)
    plan = plan_of(tmp_path, algorithms=[{"rucb": {"label": "new"}}])
    (tmp_path / "results" / "demo" / "rucb" / "run-00001.npz").unlink()
    prepare(plan)
    assert todo(plan) == [[1]]
    execute(plan, jobs=1)
    assert count_files(plan) == 4


def test_a_foreign_file_in_the_folder_is_left_alone(tmp_path):
    play(tmp_path, **ONE)
    notes = tmp_path / "results" / "demo" / "rucb" / "notes.txt"
    notes.write_text("mine")
    (tmp_path / "results" / "demo" / "run-00000.npz").write_text("not a result, and nobody asked")
    plan = plan_of(tmp_path, **ONE)
    assert (plan.n_todo, plan.damaged, plan.notes()) == (0, {}, [])
    prepare(plan)
    assert notes.read_text() == "mine"


def test_a_file_in_the_place_of_a_folder_is_an_input_error(tmp_path):
    (tmp_path / "results").mkdir()
    (tmp_path / "results" / "demo").write_text("in the way")
    with pytest.raises(InputError, match="in the way of results"):
        plan_of(tmp_path)


def test_a_newer_result_stops_the_plan(tmp_path):
    import numpy as np

    folder = tmp_path / "results" / "demo" / "rucb"
    folder.mkdir(parents=True)
    np.savez(folder / "run-00000.npz", meta=np.array(json.dumps({"format": 2})))
    with pytest.raises(NewerResult, match="newer duelbench"):
        plan_of(tmp_path, **ONE)


def test_other_horizons_have_their_own_folders(tmp_path):
    changes = {"algorithms": [{"rucb": {"horizons": [50, 300]}}]}
    play(tmp_path, **changes)
    names = sorted({str(Path(name).parent) for name in files(tmp_path)})
    assert names == ["rucb", "rucb/horizon-50"]
    cells = open_results(tmp_path / "results" / "demo").cells
    assert [(cell.horizon, cell.read(0).trace.rounds[-1]) for cell in cells] == [(50, 50), (300, 300)]
    longer = {"algorithms": [{"rucb": {"horizons": [50, 300, 400]}}], "horizon": 400}
    plan = plan_of(tmp_path, **longer)
    assert [cell_plan.n_reused for cell_plan in plan.cells] == [4, 4, 0]


def test_problems_have_their_own_folders(tmp_path):
    play(tmp_path, **ONE, matrix=None, problems={"cycle": "cyclic.csv", "pair": "two.csv"})
    assert sorted({str(Path(name).parent) for name in files(tmp_path)}) == ["cycle/rucb", "pair/rucb"]


def test_a_results_folder_can_be_moved(tmp_path):
    play(tmp_path, **ONE)
    shutil.move(tmp_path / "results", tmp_path / "elsewhere")
    plan = make_plan(spec_of(tmp_path, **ONE), tmp_path / "elsewhere" / "demo")
    assert plan.n_todo == 0


def test_other_starts_of_the_same_matrices_are_another_world(tmp_path):
    def world(start):
        return {**ONE, "matrix": None, "world": {"segments": ["two.csv", "two.csv"], "starts": [1, start]}}

    play(tmp_path, **world(20))
    assert plan_of(tmp_path, **world(20)).cells[0].why == "up to date"
    assert plan_of(tmp_path, **world(30)).cells[0].why == "the world changed"
