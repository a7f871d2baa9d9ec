"""``duelbench verify``: what was played elsewhere or long ago is played again, and nothing false passes."""

import dataclasses
import json
import shutil

import numpy as np
import pytest

from duelbench.errors import IncompleteResults, InputError
from duelbench.experiments import verifying
from duelbench.experiments.results import store
from duelbench.experiments.results.environment import environment
from tests.cli.commands import command
from tests.experiments.execution.experiments import files, play


def verify(folder, *arguments: object, sample: object = "all"):
    """The command with one job; errors stay in the result."""
    return command("verify", folder, "--sample", sample, *arguments, "-j", "1")


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    top = tmp_path_factory.mktemp("played")
    play(top, horizon=60, runs=12, algorithms=["random"])
    return top


@pytest.fixture
def folder(played, here):
    shutil.copytree(played, here, dirs_exist_ok=True)
    return here / "results" / "demo"


def forge(path, elsewhere=None, **changes):
    """Write a file with other contents that is whole: its seal says so."""
    result = store.read_run(path)
    trace = dataclasses.replace(result.trace, **{name: change(result.trace) for name, change in changes.items()})
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(store, "environment", lambda: {**environment(), **(elsewhere or {})})
        path.write_bytes(store.encode(trace, result.identity, result.run))


def more_regret(trace):
    return trace.regret + np.linspace(0, 1, trace.regret.shape[1])


def test_what_was_played_here_is_the_same_byte_for_byte_and_a_seed_chooses_the_same_runs(folder, here):
    before = files(here)
    result = verify(folder)
    assert result.exit_code == 0, result.output
    assert "demo: 12 of 12 runs" in result.stdout
    assert "  12 the same, byte for byte" in result.stdout.splitlines()
    assert files(here) == before

    def chosen(seed):
        found = json.loads(verify(folder, "--seed", seed, "--json", sample=3).stdout)
        return [run["run"] for run in found["experiments"][0]["runs"]]

    assert len(chosen(1)) == 3 and chosen(1) == chosen(1)
    assert len({tuple(chosen(seed)) for seed in range(3)}) > 1


def test_a_result_that_was_changed_and_sealed_again_is_found(folder):
    path = folder / "random" / "run-00003.npz"
    forge(path, regret=more_regret)
    result = verify(folder)
    assert isinstance(result.exception, IncompleteResults) and result.exception.exit_code == 4
    assert "  1 DIFFERENT, from the same libraries and processor" in result.stdout
    assert f"Random on cyclic, run 3: differs in regret of {path}" in result.stdout
    assert f"{folder}: the same code does not reproduce 1 of 12 runs" in str(result.exception)


def test_another_version_of_duelbench_must_give_the_same_numbers(folder):
    first, second = (folder / "random" / f"run-0000{k}.npz" for k in (0, 1))
    forge(first, {"duelbench": "0.0.1"})
    assert "  1 the same numbers, from other versions" in verify(folder).stdout
    forge(second, {"duelbench": "0.0.1"}, regret=more_regret)
    assert isinstance(verify(folder).exception, IncompleteResults)


def test_other_processors_may_give_other_numbers_of_the_same_law_and_no_other_law(folder):
    paths = sorted((folder / "random").glob("*.npz"))
    traces = [store.read_run(path).trace for path in paths]
    forge(paths[0], {"cpu": "another"}, regret=more_regret)
    few = verify(folder)
    assert few.exit_code == 0 and "too few runs with other numbers to compare their distribution" in few.stdout
    for k, path in enumerate(paths):  # each run has the numbers of the next: other numbers, the same law
        forge(path, {"cpu": "another"}, regret=lambda _, k=k: traces[(k + 1) % 12].regret)
    result = verify(folder, "--seed", 1)
    assert result.exit_code == 0, result.output
    assert "  12 other numbers, from other libraries or another processor" in result.stdout
    for path in paths:
        forge(path, {"cpu": "another"}, regret=lambda trace: 10 * trace.regret)
    result = verify(folder)
    assert isinstance(result.exception, IncompleteResults) and "another distribution" in str(result.exception)


def test_what_cannot_be_run_again_is_reported_once_and_verifies_nothing(folder, monkeypatch):
    (folder / "random" / "run-00001.npz").write_bytes(b"no result")
    result = verify(folder)
    assert isinstance(result.exception, IncompleteResults)
    assert "Random on cyclic, run 1: damaged: " in result.stdout

    def other_version(path, identity, problem):
        raise InputError(f"{path}: was played by version 9 of random's traces")

    monkeypatch.setattr(verifying, "check_playable", other_version)
    result = verify(folder)
    assert "11 not run again" in result.stdout
    assert "run 0 and 10 more: not run again: was played by version 9 of random's traces" in result.stdout
    assert isinstance(result.exception, IncompleteResults)
    (folder / "random" / "run-00001.npz").unlink()
    assert "nothing was verified; the report says why" in str(verify(folder, sample=3).exception)
    monkeypatch.setattr(
        verifying, "check_playable", lambda path, *of: path.name < "run-00009" or other_version(path, *of)
    )
    result = verify(folder)  # some could be played, and those that could not are no less a gap
    assert result.stdout.count("version 9") == 1 and "8 the same, byte for byte" in result.stdout
    assert result.exception.exit_code == 4 and "3 of 11 runs were not verified" in str(result.exception)
    monkeypatch.setattr(verifying.registry, "is_known", lambda id: False)
    assert verify(folder).stdout.count("its plug-in is not loaded; name it with --plug-in FILE") == 1


def test_ranks_of_equal_laws_are_uniform():
    """Chance decides among equal numbers, so that ranks stay uniform where many regrets are the same."""
    rng = np.random.default_rng(0)
    regrets = rng.integers(0, 3, (4000, 6)).astype(float)
    assert verifying.likely([verifying.rank(own[0], own[1:], rng) for own in regrets]) > 0.01
