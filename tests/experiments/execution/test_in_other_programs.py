"""Nothing of ours ends a program that runs experiments, wherever in it they run."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.experiments.execution.experiments import write_spec

PROGRAM = """
import asyncio, multiprocessing, sys, threading
import joblib
import duelbench
from duelbench.experiments.execution import heartbeat, runner

heartbeat.BEAT_SECONDS = 0.01
runner.SMALL = 0  # worker processes, if they can be started

def experiment(number):
    results = duelbench.run("demo.yaml", f"results-{number}", jobs=2, quiet=True)
    return len(results.summary())

async def in_notebook():
    return experiment(0)

def in_pool():
    with multiprocessing.Pool(2) as pool:
        return pool.map_async(experiment, range(2)).get(timeout=60)

def in_threads():
    threads = [threading.Thread(target=experiment, args=(number,)) for number in range(2)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]

def in_joblib_threads():
    joblib.Parallel(2, backend="threading")(joblib.delayed(experiment)(number) for number in range(2))

def in_joblib_processes():
    joblib.Parallel(2)(joblib.delayed(experiment)(number) for number in range(2))

def in_dask():
    from distributed import Client, LocalCluster
    with LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=None) as cluster, Client(cluster) as client:
        client.submit(experiment, 0).result(timeout=60)

if __name__ == "__main__":
    if sys.argv[1] == "in_notebook":
        asyncio.run(in_notebook())
    else:
        globals()[sys.argv[1]]()
    print("the program goes on")
"""

SLOWER = ("in_pool", "in_joblib_threads", "in_joblib_processes", "in_dask")
PLACES = ("in_threads", "in_notebook", *(pytest.param(place, marks=pytest.mark.thorough) for place in SLOWER))


@pytest.mark.parametrize("place", PLACES)
def test_a_program_that_runs_an_experiment_goes_on(tmp_path, place):
    write_spec(tmp_path, horizon=20_000, runs=2, algorithms=["rucb"])
    (tmp_path / "program.py").write_text(PROGRAM)
    done = _run_program(tmp_path, place)
    assert done.stdout.endswith("the program goes on\n"), done.stderr
    runs = {path.name for path in tmp_path.glob("results-*/demo/rucb/*.npz")}
    assert runs == {"run-00000.npz", "run-00001.npz"}
    assert not list((tmp_path / "temporary").glob("duelbench-*"))


def test_workers_import_no_module_of_the_working_folder(tmp_path):
    write_spec(tmp_path, runs=2)
    for name in ("queue", "signal", "numpy", "json"):
        (tmp_path / f"{name}.py").write_text("raise ImportError('not the module of that name')")
    command = ["from duelbench.cli.app import main", "from duelbench.experiments.execution import runner"]
    command += ["runner.SMALL = 0", "main()"]
    arguments = [sys.executable, "-P", "-c", "; ".join(command), "run", "demo.yaml", "-j", "2"]
    done = subprocess.run(arguments, cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr[-2000:]


def test_without_worker_processes_everything_runs_in_this_one(tmp_path):
    write_spec(tmp_path)
    done = _command(tmp_path, "-j", "2")
    assert done.returncode == 0 and done.stderr.startswith("note: this process may not start worker processes")


def test_without_worker_processes_a_time_limit_is_refused(tmp_path):
    write_spec(tmp_path)
    done = _command(tmp_path, "--run-timeout", "60")
    assert done.returncode == 2 and "a time limit for runs needs worker processes" in done.stderr
    assert not (tmp_path / "results").exists()


def _run_program(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    temporary = folder / "temporary"
    temporary.mkdir()
    environment = {**os.environ, "TMPDIR": str(temporary)}
    command = [sys.executable, "program.py", *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=100, env=environment)


def _command(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """`duelbench run` where joblib may start no processes."""
    environment = {**os.environ, "JOBLIB_MULTIPROCESSING": "0"}
    command = [sys.executable, "-m", "duelbench", "run", "demo.yaml", *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=100, env=environment)
