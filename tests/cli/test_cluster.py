"""``duelbench merge`` and ``duelbench slurm``: what they print, and with which exit code."""

import json

import pytest
from typer.testing import CliRunner

from duelbench.cli.app import app
from duelbench.errors import IncompleteResults, InputError
from duelbench.execution.plan import Shard, make_plan, prepare
from duelbench.execution.runner import execute
from tests.execution.experiments import spec_of, write_spec


def command(*arguments: object):
    """The command in this process; errors stay in the result."""
    return CliRunner().invoke(app, list(map(str, arguments)))


@pytest.fixture
def shards(tmp_path, monkeypatch):
    """The working folder, with three shards of eight runs in folders of their own."""
    monkeypatch.chdir(tmp_path)
    spec = spec_of(tmp_path)
    for number in (1, 2, 3):
        plan = make_plan(spec, tmp_path / f"shard-{number}" / "demo", Shard(number, 3))
        prepare(plan)
        execute(plan, jobs=1)
    return tmp_path


def test_a_merge_says_what_came_from_where_and_what_is_next(shards):
    result = command("merge", "shard-1", "shard-2/demo", "shard-3")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.splitlines() == [
        "demo: 8 of 8 runs (results/demo)",
        "  3 from shard-1/demo",
        "  3 from shard-2/demo",
        "  2 from shard-3/demo",
        "next: duelbench plot results/demo",
    ]
    assert command("status", "results").exit_code == 0


def test_an_incomplete_merge_says_which_runs_are_missing_and_ends_with_exit_code_4(shards):
    result = command("merge", "shard-1", "shard-3", "-o", "all")
    assert result.stdout.splitlines()[-2:] == [
        "  missing: RUCB on cyclic, run 1",
        "  missing: Random on cyclic, runs 0, 3",
    ]
    assert isinstance(result.exception, IncompleteResults)
    assert str(result.exception).splitlines() == [
        "not complete: all/demo; what is missing is played by",
        "  duelbench run demo.yaml --out all",
    ]
    (told,) = json.loads(command("merge", "shard-1", "-o", "all", "--json").stdout)["experiments"]
    assert (told["runs"], told["done"], told["there_before"], told["from"]) == (8, 5, 5, {})
    assert [(one["label"], one["runs"]) for one in told["missing"]] == [("RUCB", [1]), ("Random", [0, 3])]
    assert told["command"] == "duelbench run demo.yaml --out all"


def test_the_command_that_a_merge_prints_completes_the_results(shards):
    command("merge", "shard-1", "shard-3", "-o", "all")
    assert command("run", "demo.yaml", "--out", "all", "-j", 1).stdout.startswith(
        "8 runs complete (5 reused): all/demo\n"
    )


def test_a_script_goes_to_standard_output_and_what_there_is_to_say_of_it_to_standard_error(tmp_path):
    result = command("slurm", write_spec(tmp_path), "--tasks", 200)
    assert result.exit_code == 0
    assert result.stdout.startswith("#!/bin/bash\n#SBATCH --job-name=demo\n#SBATCH --array=1-1\n")
    assert "1 tasks" not in result.output
    assert "1 task and not 200: no task is to play for less than 10 min" in result.stderr.splitlines()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("merge", "nowhere"), "nowhere: there is no such folder"),
        (("slurm", "nowhere.yaml"), "nowhere.yaml"),
        (("run", "demo.yaml", "--backend", "dsk"), "did you mean 'dask'"),
        (("run", "demo.yaml", "--scheduler", "tcp://x:1"), "add --backend dask"),
    ],
)
def test_wrong_arguments_are_refused_and_nothing_is_written(tmp_path, monkeypatch, arguments, words):
    monkeypatch.chdir(tmp_path)
    write_spec(tmp_path)
    result = command(*arguments)
    assert isinstance(result.exception, InputError) and words in str(result.exception)
    assert not (tmp_path / "results").exists()
