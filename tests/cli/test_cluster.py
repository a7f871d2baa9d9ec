"""``duelbench merge`` and ``duelbench slurm``: what they print, and with which exit code."""

import json

import pytest

from duelbench.errors import IncompleteResults
from duelbench.experiments.execution.plan import Shard, make_plan, prepare
from duelbench.experiments.execution.runner import execute
from tests.cli.commands import command, document, done, failed
from tests.experiments.execution.experiments import spec_of, write_spec


@pytest.fixture
def shards(here):
    """Three shards of eight runs in folders of their own."""
    spec = spec_of(here, algorithms=["random", "uniform"], horizon=50)
    for number in (1, 2, 3):
        plan = make_plan(spec, here / f"shard-{number}" / "demo", Shard(number, 3))
        prepare(plan)
        execute(plan, jobs=1)


def test_a_merge_says_what_came_from_where_what_is_missing_and_what_plays_it(shards):
    message = failed(IncompleteResults, "merge", "shard-1", "shard-3", "-o", "all")
    assert "duelbench run demo.yaml -o all" in message
    told = command("merge", "shard-1", "-o", "all", "--json")
    assert told.exit_code == 1 and told.exception.exit_code == 4
    (found,) = json.loads(told.stdout)["experiments"]
    assert (found["runs"], found["done"], found["there_before"], found["from"]) == (8, 5, 5, {})
    assert [(one["label"], one["runs"]) for one in found["missing"]] == [("Random", [1]), ("Uniform", [0, 3])]
    assert found["command"] == "duelbench run demo.yaml -o all"
    (found,) = document("merge", "shard-1", "shard-2/demo", "shard-3")["experiments"]
    assert found["from"] == {"shard-1/demo": 3, "shard-2/demo": 3, "shard-3/demo": 2}
    assert "8 runs complete (5 reused)" in done("run", "demo.yaml", "--out", "all", "-j", 1).stdout
    assert done("status", "results").exit_code == 0


def test_a_script_goes_to_standard_output_and_what_there_is_to_say_of_it_to_standard_error(here):
    result = done("slurm", write_spec(here), "--tasks", 200)
    assert result.stdout.startswith("#!/bin/bash\n#SBATCH ") and "1 task, not 200" in result.stderr
