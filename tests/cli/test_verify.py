"""``duelbench verify``: what was played elsewhere or long ago is played again, and nothing false passes."""

import dataclasses
import json

import numpy as np
import pytest
from typer.testing import CliRunner

from duelbench.actions import verifying
from duelbench.cli.app import app
from duelbench.errors import IncompleteResults, InputError
from duelbench.results import store
from duelbench.results.environment import environment
from tests.execution.experiments import files, play

runner = CliRunner()

QUICK = {"horizon": 60, "runs": 12, "algorithms": ["random"]}


def verify(*arguments: object):
    """The command in this process, with one job; errors stay in the result."""
    return runner.invoke(app, ["verify", *map(str, arguments), "-j", "1", "--quiet"])


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    play(tmp_path, **QUICK)
    return tmp_path / "results" / "demo"


def forge(path, elsewhere=None, **changes):
    """Write a file with other contents that is whole: its seal says so."""
    result = store.read_run(path)
    trace = dataclasses.replace(result.trace, **{name: change(result.trace) for name, change in changes.items()})
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(store, "environment", lambda: {**environment(), **(elsewhere or {})})
        path.write_bytes(store.encode(trace, result.identity, result.run))


def more_regret(trace):
    return trace.regret + np.linspace(0, 1, trace.regret.shape[1])


def test_what_was_played_here_is_the_same_byte_for_byte_and_stays_as_it_is(folder, tmp_path):
    before = files(tmp_path)
    result = verify(folder, "--sample", "all")
    assert result.exit_code == 0, result.output
    assert "demo: 12 of 12 runs" in result.stdout
    assert "  12 the same, byte for byte" in result.stdout.splitlines()
    assert files(tmp_path) == before


def test_the_same_seed_chooses_the_same_runs(folder):
    def chosen(seed):
        found = json.loads(verify(folder, "--sample", 3, "--seed", seed, "--json").stdout)
        return [run["run"] for run in found["experiments"][0]["runs"]]

    assert len(chosen(1)) == 3 and chosen(1) == chosen(1)
    assert len({tuple(chosen(seed)) for seed in range(4)}) > 1


def test_a_result_that_was_changed_and_sealed_again_is_found(folder):
    path = folder / "random" / "run-00003.npz"
    forge(path, regret=more_regret)
    result = verify(folder, "--sample", "all")
    assert isinstance(result.exception, IncompleteResults)
    assert "  1 DIFFERENT, from the same libraries and processor" in result.stdout
    assert f"Random on cyclic, run 3: differs in regret of {path}" in result.stdout
    assert str(result.exception) == f"{folder}: 1 of 12 runs is not what the same code gives; " + (
        "`duelbench verify --json` says which and why"
    )


def test_another_version_of_duelbench_must_give_the_same_numbers(folder):
    first, second = (folder / "random" / f"run-0000{k}.npz" for k in (0, 1))
    forge(first, {"duelbench": "0.0.1"})
    assert "  1 the same numbers, from other versions" in verify(folder, "--sample", "all").stdout
    forge(second, {"duelbench": "0.0.1"}, regret=more_regret)
    assert isinstance(verify(folder, "--sample", "all").exception, IncompleteResults)


def test_other_processors_may_give_other_numbers_of_the_same_law(folder):
    paths = sorted((folder / "random").glob("*.npz"))
    traces = [store.read_run(path).trace for path in paths]
    for k, path in enumerate(paths):  # each run has the numbers of the next: other numbers, the same law
        forge(path, {"cpu": "another"}, regret=lambda _, k=k: traces[(k + 1) % 12].regret)
    result = verify(folder, "--sample", "all", "--seed", 1)
    assert result.exit_code == 0, result.output
    assert "  12 other numbers, from other libraries or another processor" in result.stdout
    assert "runs so different have a chance of" in result.stdout


def test_other_processors_may_not_give_another_law(folder):
    for path in (folder / "random").glob("*.npz"):
        forge(path, {"cpu": "another"}, regret=lambda trace: 10 * trace.regret)
    result = verify(folder, "--sample", "all")
    assert isinstance(result.exception, IncompleteResults)
    assert "the runs have another law" in str(result.exception)


def test_few_runs_with_other_numbers_are_told_and_not_judged(folder):
    forge(folder / "random" / "run-00000.npz", {"cpu": "another"}, regret=more_regret)
    result = verify(folder, "--sample", "all")
    assert result.exit_code == 0
    assert "too few runs with other numbers to compare their law: at least 8 are needed" in result.stdout


def test_damaged_files_and_other_versions_of_an_algorithm_are_told(folder, monkeypatch):
    (folder / "random" / "run-00001.npz").write_bytes(b"no result")
    result = verify(folder, "--sample", "all")
    assert isinstance(result.exception, IncompleteResults)
    assert "Random on cyclic, run 1: damaged: " in result.stdout

    def other_version(path, identity, problem):
        raise InputError(f"{path}: was played by version 9 of random's traces")

    monkeypatch.setattr(verifying, "check_playable", other_version)
    result = verify(folder, "--sample", "all")
    assert "11 not played again" in result.stdout
    assert "run 0: not played again: was played by version 9 of random's traces" in result.stdout
    assert "and 7 more; --json tells all" in result.stdout


def test_results_of_which_no_run_can_be_played_again_are_not_verified(folder, monkeypatch):
    def other_version(path, identity, problem):
        raise InputError(f"{path}: was played by version 9 of random's traces")

    monkeypatch.setattr(verifying, "check_playable", other_version)
    result = verify(folder, "--sample", "3")
    assert isinstance(result.exception, IncompleteResults)
    assert "nothing was verified: was played by version 9" in str(result.exception)


@pytest.mark.parametrize("wrong", ["0", "-1", "some", "2.5"])
def test_a_sample_is_a_number_of_runs_or_all_of_them(folder, wrong):
    result = verify(folder, "--sample", wrong)
    assert result.exit_code == 2


def test_ranks_of_equal_laws_are_uniform():
    """Chance decides among equal numbers, so that ranks stay uniform where many regrets are the same."""
    rng = np.random.default_rng(0)
    ranks = [verifying.rank(*(lambda x: (x[0], x[1:]))(rng.integers(0, 3, 6).astype(float)), rng) for _ in range(4000)]
    assert verifying.likely(ranks) > 0.01
