"""``duelbench run``: what it prints where, its exit codes, its parts, and its dry run."""

import json
import os
import re
import shutil
from pathlib import Path

import pytest

from duelbench.errors import RunsFailed
from tests.cli.commands import command, content, document, done, refused
from tests.experiments.execution.experiments import duelbench, files, write_spec
from tests.experiments.execution.plug_ins import install

CIRCLE = "0.5,0.6,0.4\n0.4,0.5,0.7\n0.6,0.3,0.5\n"


def run(*arguments):
    """The first line of the answer."""
    return done("run", *arguments, "-j", 1).stdout.splitlines()[0]


def jobs(*arguments):
    """What a dry run lists."""
    return document("run", *arguments, "--dry-run")["jobs"]


@pytest.fixture
def spec(here):
    """Eight runs: four of RUCB, four of Random."""
    return write_spec(here, horizon=60)


def test_the_answer_says_where_the_results_are_and_runs_are_reused(spec, here):
    result = done("run", spec, "-j", 1)
    assert result.stdout == "8 runs complete (0 reused): results/demo\nnext: duelbench plot results/demo\n"
    whole = files(here)
    assert len(whole) == 8
    lost = here / "results" / "demo" / "rucb" / "run-00002.npz"
    lost.unlink()
    for path in (here / "results" / "demo" / "random").iterdir():
        path.write_bytes(b"")
    again = {"experiment": "demo", "results": "results/demo", "runs": 8, "reused": 3, "done": 5, "failed": 0}
    assert document("run", spec, "-j", 1) == {"experiments": [again]}
    assert files(here, "rucb", "random") == whole
    assert run(spec, "--out", "elsewhere", "--runs", 2) == "4 runs complete (0 reused): elsewhere/demo"
    assert {f"elsewhere/demo/rucb/run-0000{k}.npz" for k in (0, 1)} < content(here).keys()


def test_a_dry_run_lists_jobs_and_reasons_and_writes_nothing(spec, here):
    before = content(here)
    first = document("run", spec, "--dry-run")
    assert content(here) == before
    expected = {"experiment": "demo", "problem": "cyclic", "runs": 4, "horizon": 60, "reuse": 0, "todo": 4}
    expected["settings"] = {"shuffle_arms": False}
    assert first["jobs"] == [
        {**expected, "algorithm": "rucb", "label": "RUCB", "why": "new"},
        {**expected, "algorithm": "random", "label": "Random", "why": "new"},
    ]
    assert first["seconds_estimate"] > 0
    run(spec)
    assert [(job["reuse"], job["todo"], job["why"]) for job in jobs(spec, "--runs", "0.6e1")] == [
        (4, 2, "4 up to date, 2 new")
    ] * 2
    third = document("run", spec, "--dry-run")
    assert third["seconds_estimate"] == 0 and {job["why"] for job in third["jobs"]} == {"up to date"}


def test_several_specs_run_in_their_order_and_notes_are_for_people(spec, here):
    (here / "circle.csv").write_text(CIRCLE)
    other = write_spec(here / "other", name="second", matrix="../circle.csv", algorithms=["rucb"], runs=1, horizon=20)
    told = done("run", other, spec, "-j", 1, "-q")
    assert told.stdout.splitlines()[::2] == [
        "1 run complete (0 reused): results/second",
        "8 runs complete (0 reused): results/demo",
    ]
    assert told.stderr.startswith("note: RUCB assumes a Condorcet winner, which circle does not have")
    write_spec(here, algorithms=["random"], horizon=60)
    told = done("run", spec, "-j", 1)  # what the spec does not need any more is left there
    assert "4 runs that the spec does not need" in told.stderr and len(files(here, "rucb")) == 4
    assert "is named 'demo', too" in refused("run", spec, write_spec(here / "other", runs=2))


def test_the_mistakes_of_all_specs_are_told_before_anything_runs(spec, here):
    for name in ("a.yaml", "b.yaml"):
        (here / name).write_text("matrix: cyclic.csv\nhorizon: soon\nalgorithms: [rucb]\n")
    said = refused("run", spec, "a.yaml", "b.yaml")
    assert "a.yaml:2" in said and "b.yaml:2" in said


def test_a_plug_in_that_was_not_named_is_asked_for_and_one_that_was_is_found(here, load):
    said = refused("run", write_spec(here, algorithms=["commit", "rucbb"]))
    assert "'commit' is not an algorithm" in said and "--plug-in FILE" in said
    assert "'rucbb' is not an algorithm (did you mean 'rucb'?)" in said
    (here / "mine.py").write_text(
        "from dataclasses import replace\nfrom duelbench.bandits.algorithms.registry import get\n"
        "mine = replace(get('rucb'), id='My Commit', name='Mine')\n"
    )
    spec = write_spec(here, algorithms=[{"My Commit": {"alpha": 1}}])
    assert "Mine" in done("run", spec, "--plug-in", "mine.py", "--dry-run").stdout
    spec = write_spec(here, algorithms=["my-commit"])
    assert "(did you mean 'My Commit'?)" in refused("run", spec, "--plug-in", "mine.py", "--dry-run")


@pytest.mark.thorough
def test_runs_that_fail_end_with_exit_code_3_and_the_others_are_kept(here):
    site = install(here)
    write_spec(here, algorithms=["raises", "random"], runs=6, horizon=60)
    path = os.pathsep.join([str(site), *filter(None, [os.environ.get("PYTHONPATH")])])
    told = duelbench("run", "demo.yaml", "-j", 1, cwd=here, PYTHONPATH=path)
    assert told.returncode == 3
    n_failed = len(list((here / "results" / "demo" / "failures" / "raises").iterdir()))
    assert told.stdout.startswith(f"{12 - n_failed} of 12 runs complete (0 reused): results/demo\n")
    assert f"error: {n_failed} runs failed; `duelbench status results/demo` says why" in told.stderr
    assert told.stderr.count("ZeroDivisionError: by plan") == 1 and "Traceback" not in told.stderr
    assert len(files(here, "random")) == 6


def test_a_run_that_takes_too_long_ends_with_exit_code_3_and_how_to_reproduce_it(here):
    write_spec(here, horizon="1e12", runs=1, algorithms=["uniform"])
    result = command("run", "demo.yaml", "-j", 1, "-q", "--json", "--run-timeout", 0.2)
    error = "took longer than 0.2 s; it was ended"
    assert isinstance(result.exception, RunsFailed) and result.exception.exit_code == 3
    assert json.loads(result.stdout)["experiments"][0]["failures"] == [
        {"problem": "cyclic", "algorithm": "uniform", "label": "Uniform", "horizon": 10**12, "run": 0, "error": error}
    ]
    told = command("status", "results")
    assert told.exception.exit_code == 4 and "failed: Uniform on cyclic, run 0: took longer than 0.2 s" in told.stdout
    record = json.loads((here / "results" / "demo" / "failures" / "uniform" / "run-00000.json").read_text())
    assert "horizon=1000000000000" in record["how_to_reproduce"] and "traceback" not in record


def test_shards_say_what_they_leave_to_others_and_are_the_whole_together(spec):
    assert run(spec, "--shard", "1/3").startswith("3 of 8 runs complete (0 reused, 5 left to other shards)")
    assert [(job["reuse"], job["todo"], job["why"]) for job in jobs(spec, "--shard", "2/3")] == [
        (2, 1, "2 up to date, 1 new, 1 left to other shards"),
        (1, 2, "1 up to date, 2 new, 1 left to other shards"),
    ]
    (second,) = document("run", spec, "-j", 1, "--shard", "2/3")["experiments"]
    assert (second["done"], second["reused"], second["left_to_other_shards"]) == (3, 3, 2)
    assert run(spec, "--shard", "3/3").startswith("8 runs complete (6 reused)")


def test_a_part_of_the_problems_and_algorithms_is_run_and_the_same_command_without_it_runs_the_rest(spec, here):
    assert run(spec, "--problem", "cyclic", "--only", "RUCB").startswith(
        "4 of 8 runs complete (0 reused, 4 not chosen)"
    )
    before = files(here)
    assert len(before) == len(files(here, "rucb")) == 4
    assert [(job["todo"], job["why"]) for job in jobs(spec, "--only", "RUCB")] == [(0, "up to date"), (0, "not chosen")]
    (part,) = document("run", spec, "-j", 1, "--only", "Random", "--shard", "1/2")["experiments"]
    assert (part["done"], part["reused"], part["left_to_other_shards"]) == (2, 4, 2) and "not_chosen" not in part
    assert run(spec).startswith("8 runs complete (6 reused)")
    shutil.rmtree(here / "results")
    run(spec)
    assert files(here, "rucb") == before


def test_a_scale_has_results_of_its_own(here):
    spec = write_spec(here, horizon=20, scales={"quick": {"runs": 1}})
    assert run(spec, "--scale", "quick") == "2 runs complete (0 reused): results/demo-quick"
    assert run(spec) == "8 runs complete (0 reused): results/demo"
    assert done("status", "results/demo-quick").stdout.startswith("demo-quick: complete (results/demo-quick)\n")


@pytest.mark.parametrize("part", ["", "demo/rucb"])
def test_a_folder_that_is_read_only_is_refused_before_anything_runs(here, monkeypatch, part):
    """The system is asked whether it may be written: to the tests, which may run as root, any folder is writable."""
    read_only = here / "results" / part
    read_only.mkdir(parents=True)
    monkeypatch.setattr(os, "access", lambda path, mode: mode == os.R_OK or Path(path) != read_only)
    specs = write_spec(here / "first", name="first"), write_spec(here)
    assert f"results cannot be written to {read_only}: " in refused("run", *specs, "--out", here / "results", "-j", 1)


@pytest.mark.thorough
def test_the_first_compilation_is_announced_and_no_other(here):
    cache = {"XDG_CACHE_HOME": str(here / "cache"), "DUELBENCH_KERNEL_FOLDER": ""}
    spec = write_spec(here, algorithms=["random"], runs=4)
    short = duelbench("run", spec, "-j", 2, cwd=here, **cache)
    assert "compiling" not in short.stderr  # a short experiment is not kept waiting
    assert len(files(here)) == 4 and not list((here / "cache").rglob("*.nbi"))  # Numba's lists of what it stores
    shutil.rmtree(here / "results")
    write_spec(here, algorithms=["random"], runs=100)
    first = duelbench("run", spec, "-j", 2, cwd=here, **cache)
    assert re.fullmatch(r"compiling random \(first use, some seconds each\) \.\.\.", first.stderr.splitlines()[0])
    shutil.rmtree(here / "results")
    second = duelbench("run", spec, "-j", 2, cwd=here, **cache)
    assert "compiling" not in second.stderr and len(files(here)) == 100
