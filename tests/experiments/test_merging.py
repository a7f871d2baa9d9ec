"""Results of several machines are put together, or refused with everything as it was."""

import json
import os
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from duelbench.errors import InputError
from duelbench.experiments.execution.plan import Shard, make_plan, prepare
from duelbench.experiments.execution.runner import execute
from duelbench.experiments.merging import merge
from duelbench.experiments.results import failures, store
from duelbench.experiments.results.cells import cells
from tests.experiments.execution.experiments import play, spec_of

ALGORITHMS = ["random", "uniform"]
RUNS = {"runs": 6, "shuffle_arms": True, "horizon": 60, "algorithms": ALGORITHMS}


def play_part(top: Path, machine: str, part: str, **changes) -> Path:
    """Play a part of the experiment on a machine of that name; its results folder."""
    spec = spec_of(top, **{**RUNS, **changes})
    plan = make_plan(spec, top / machine / "results" / "demo", Shard.parse(part))
    prepare(plan)
    execute(plan, jobs=1)
    return plan.folder


def content(folder: Path) -> dict[str, bytes]:
    """All files of a folder."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture(scope="module")
def top(tmp_path_factory) -> Path:
    """Three machines, each with its part, and one that has played everything."""
    top = tmp_path_factory.mktemp("machines")
    for number in (1, 2, 3):
        play_part(top, f"machine{number}", f"{number}/3")
    play(top, **RUNS)
    return top


@pytest.fixture
def here(top, tmp_path, monkeypatch) -> Path:
    """A copy of them to work on."""
    shutil.copytree(top, tmp_path / "top")
    monkeypatch.chdir(tmp_path / "top")
    shutil.move("results", "whole")
    return tmp_path / "top"


PARTS = [f"machine{number}/results/demo" for number in (1, 2, 3)]


def test_shards_put_together_are_the_folder_of_one_machine_byte_for_byte(here):
    before = content(here)
    (merged,) = merge(PARTS)
    assert merged.status.is_complete and merged.n_before == 0
    assert merged.n_from == {Path(part): 4 for part in PARTS}
    assert content(here / "results/demo") == content(here / "whole/demo")
    assert {name: data for name, data in content(here).items() if not name.startswith("results/")} == before


def test_a_merge_that_was_interrupted_goes_on(here):
    merge(PARTS[:1])
    (here / "results/demo/random/run-00000.npz").unlink()
    (here / "results/demo/.tmp-999999999-0123456789abcdef0123456789abcdef").write_bytes(b"half")
    (merged,) = merge(PARTS)
    assert (merged.n_before, sum(merged.n_from.values())) == (3, 9)
    assert content(here / "results/demo") == content(here / "whole/demo")
    (again,) = merge(PARTS)
    assert (again.n_before, again.n_from) == (12, {})


def changed(path: Path, monkeypatch, regret: float = 0.0, cpu: str = "another") -> None:
    """Write a run as another machine would have, perhaps with another regret."""
    result = store.read_run(path)
    trace = replace(result.trace, regret=result.trace.regret + regret)
    monkeypatch.setattr(store, "environment", lambda: {**result.environment, "cpu": cpu})
    path.write_bytes(store.encode(trace, result.identity, result.run))


def test_a_run_with_other_numbers_is_a_contradiction_and_nothing_is_written(here, monkeypatch):
    changed(here / "whole/demo/random/run-00000.npz", monkeypatch, regret=1e-9)
    with pytest.raises(InputError) as error:
        merge([*PARTS, "whole/demo"])
    lines = str(error.value).splitlines()
    assert lines[0] == "1 run is stored twice with different numbers; nothing was written:"
    assert lines[1].startswith("  machine1/results/demo/random/run-00000.npz  (cpu ")
    assert lines[2] == "  whole/demo/random/run-00000.npz  (cpu another)"
    assert not (here / "results").exists()


def test_what_stands_in_the_place_of_a_run_is_kept(here):
    merge(PARTS)
    place = here / "results/demo/random/run-00000.npz"
    shutil.copy(here / "results/demo/random/run-00003.npz", place)
    (here / "results/demo/uniform/run-00000.npz").write_bytes(b"notes")
    (merged,) = merge(PARTS)
    assert merged.status.is_complete
    whole = content(here / "whole/demo")
    there = content(here / "results/demo")
    key = store.read_key(here / "whole/demo/random/run-00003.npz")
    assert there.pop(f"set-aside/{key}.npz") == whole["random/run-00003.npz"]
    assert there.pop("damaged/uniform/run-00000.npz") == b"notes"
    assert there == whole


def test_records_of_failures_come_along_until_a_folder_has_the_run(here):
    (here / PARTS[0] / "random/run-00000.npz").unlink()
    cell = cells(spec_of(here, **RUNS))[0]
    failures.record(here / PARTS[0], cell, 0, "it went wrong", "")
    (merged,) = merge(PARTS)
    assert [[record.error for record in status.failed.values()] for status in merged.status.cells] == [
        ["it went wrong"],
        [],
    ]
    (merged,) = merge(["whole"])
    assert merged.status.is_complete and not (here / "results/demo/failures").exists()


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"horizon": 70}, "Random on cyclic: horizon changed from 60 to 70"),
        ({"algorithms": ["random"]}, "only machine1/results/demo has Uniform on cyclic to round 60"),
        (
            {"algorithms": [{"random": {"horizons": [30, 60]}}, "uniform"]},
            "only other/results/demo has Random on cyclic to round 30",
        ),
    ],
)
def test_other_experiments_of_the_same_name_are_refused_and_nothing_is_written(here, changes, words):
    play_part(here, "other", "1/9", **changes)
    with pytest.raises(InputError) as error:
        merge([PARTS[0], "other/results/demo"])
    assert "are not of the same experiment" in str(error.value) and words in str(error.value)
    assert not (here / "results").exists()


def test_what_is_missing_is_said_with_the_command_that_plays_it(here):
    (merged,) = merge([PARTS[0], PARTS[2]])
    assert {status.cell.label: status.missing for status in merged.status.cells} == {
        "Random": [1, 4],
        "Uniform": [1, 4],
    }
    assert merged.command == "duelbench run demo.yaml"
    spec_of(here, algorithms=ALGORITHMS, horizon=60)  # the spec asks for 4 runs now
    (merged,) = merge([PARTS[0]], out="a place")
    assert merged.command == "duelbench run demo.yaml --runs 6 -o 'a place'"
    (here / "demo.yaml").unlink()
    (merged,) = merge([PARTS[0]], out="elsewhere")
    assert merged.command == "duelbench run SPEC -o elsewhere"
    assert "file" not in json.loads((here / "elsewhere/demo/manifest.json").read_text())


def test_the_same_runs_of_two_machines_are_taken_once_whatever_their_environment(here, monkeypatch):
    (merged,) = merge(["whole/demo", *PARTS])
    assert merged.n_from == {Path("whole/demo"): 12} and merged.notes == []
    changed(here / "whole/demo/random/run-00000.npz", monkeypatch)
    (merged,) = merge([*PARTS, "whole/demo"], out="elsewhere")
    assert merged.status.is_complete
    assert len(merged.notes) == 1 and "two environments, with the same numbers" in merged.notes[0]


def test_a_damaged_file_is_left_out_and_another_folder_may_have_the_run(here):
    (here / PARTS[0] / "random/run-00000.npz").write_bytes(b"nothing")
    (merged,) = merge(PARTS)
    assert [status.missing for status in merged.status.cells] == [[0], []]
    assert merged.notes[0].startswith("damaged, and left out: machine1/results/demo/random/run-00000.npz (")
    (merged,) = merge([*PARTS, "whole"])
    assert merged.status.is_complete


def test_runs_that_were_set_aside_are_found_and_those_in_each_others_places_are_both_kept(here):
    folder = here / PARTS[0]
    key = store.read_key(folder / "random/run-00000.npz")
    (folder / "set-aside").mkdir()
    os.replace(folder / "random/run-00000.npz", folder / f"set-aside/{key}.npz")
    assert merge(PARTS)[0].status.is_complete
    one, other = (here / f"results/demo/random/run-0000{run}.npz" for run in (0, 3))
    one.rename(here / "third")
    other.rename(one)
    (here / "third").rename(other)
    (merged,) = merge([PARTS[1]])
    assert merged.status.is_complete
    there = content(here / "results/demo")
    assert {name: data for name, data in there.items() if "set-aside" not in name} == content(here / "whole/demo")
