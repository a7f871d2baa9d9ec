"""Runs on a Dask cluster of real processes: the same bytes, whatever happens to its workers."""

import threading
import time

import pytest

pytest.importorskip("distributed", reason="Dask is not installed: pip install 'duelbench[dask]'")

from duelbench.errors import InputError
from duelbench.execution import runner
from duelbench.execution.cluster import client
from duelbench.execution.plan import prepare
from duelbench.execution.runner import execute
from tests.execution.dask_cluster import workers
from tests.execution.experiments import files, plan_of, play

pytestmark = pytest.mark.xdist_group("dask")

RUNS = {"runs": 12, "shuffle_arms": True}


@pytest.fixture(scope="module")
def scheduler(tmp_path_factory):
    """The address of a scheduler with two workers."""
    with workers(tmp_path_factory.mktemp("dask"), 2) as cluster:
        yield cluster.address


@pytest.fixture(scope="module")
def alone(tmp_path_factory) -> dict[str, bytes]:
    """The files of the experiment, played by one process of this machine."""
    folder = tmp_path_factory.mktemp("alone")
    play(folder, **RUNS)
    return files(folder)


def play_on(address: str, folder, **changes):
    """Play the experiment on a cluster."""
    plan = plan_of(folder, **{**RUNS, **changes})
    prepare(plan)
    cluster = client.connect(address)
    try:
        return execute(plan, jobs=cluster.n_threads, cluster=cluster)
    finally:
        cluster.close()


def test_results_that_travel_back_are_those_of_one_machine(tmp_path, scheduler, alone, monkeypatch):
    monkeypatch.setattr(client.atomic, "write", lambda *_: None)  # no marker: no worker sees the folder
    outcome = play_on(scheduler, tmp_path)
    assert (outcome.n_done, outcome.failures) == (24, [])
    assert files(tmp_path) == alone


def test_results_in_a_shared_folder_are_those_of_one_machine(tmp_path, scheduler, alone):
    outcome = play_on(scheduler, tmp_path)
    assert (outcome.n_done, outcome.failures) == (24, [])
    assert files(tmp_path) == alone
    assert not list((tmp_path / "results" / "demo").glob(".*"))
