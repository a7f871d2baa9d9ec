"""Scripts for SLURM, submitted to the SLURM of this machine: no whole run is lost, whatever happens to a task."""

import os
import shutil
import subprocess
import time
from pathlib import Path

import pytest

from duelbench.experiments import submitting
from duelbench.experiments.submitting import slurm_script
from tests.experiments.execution.experiments import duelbench, files, play, write_spec

pytestmark = pytest.mark.slurm

WAIT_SECONDS = 300.0

NAPPER = """
import os, time
from dataclasses import replace
from pathlib import Path
from duelbench.bandits.algorithms.baselines import RANDOM


class State(RANDOM.state):
    pass


def select(state, t, rng):
    if t == 2:
        time.sleep(float(os.environ.get("NAP", "0")))
    if t == 3 and "HANG_ONCE" in os.environ:
        try:
            Path(os.environ["HANG_ONCE"]).touch(exist_ok=False)
        except FileExistsError:
            return 0, 1, 1
        time.sleep(600)
    return 0, 1, 1


NAPPER = replace(
    RANDOM, id="napper", name="Napper", state=State, compiled=False, select=select, pair_probability=None,
    start=lambda *arguments: State(*RANDOM.start(*arguments)),
)
"""
"""Random, in plain Python: each run takes ``NAP`` seconds, and the first of all that finds no ``HANG_ONCE`` hangs."""

NAPS = {"algorithms": ["napper"], "runs": 60, "horizon": 20}
TASKS = 2


@pytest.fixture(scope="session", autouse=True)
def _slurm():
    if shutil.which("sbatch") is None:
        pytest.skip("there is no SLURM here: no program sbatch")
    if subprocess.run(["sinfo"], capture_output=True).returncode:
        pytest.skip("sbatch is here, but no SLURM answers: sinfo fails")


@pytest.fixture(autouse=True)
def _short_tasks(monkeypatch):
    monkeypatch.setattr(submitting, "LEAST_SECONDS", 1e-6)


@pytest.fixture
def naps(tmp_path, monkeypatch, load):
    """A script for `NAPS` in the working folder, which has the plug-in."""
    monkeypatch.chdir(tmp_path)
    Path("napper.py").write_text(NAPPER)
    load(tmp_path / "napper.py")
    write_spec(tmp_path, **NAPS)

    def script(**arguments) -> str:
        return slurm_script("demo.yaml", TASKS, plug_in=["napper.py"], **arguments).text

    yield script
    subprocess.run(["scancel", "--name=demo"], check=True)


def call(*words: str, **options) -> str:
    return subprocess.run(words, check=True, capture_output=True, text=True, **options).stdout


def submit(text: str, *options: str, **variables: str) -> str:
    """Submit a script from a shell that knows no virtual environment; the job's number."""
    environment = {"PATH": os.defpath, "HOME": os.environ["HOME"], "NUMBA_DISABLE_JIT": "1", **variables}
    sbatch = shutil.which("sbatch")
    assert sbatch is not None
    return call(sbatch, "--parsable", *options, input=text, env=environment).strip()


def tasks_of(job: str) -> dict[str, str]:
    """Unfinished tasks of a job: number -> state."""
    listed = call("squeue", "--noheader", "--array", "--format=%F %K %T")
    rows = (line.split() for line in listed.splitlines())
    return {task: state for number, task, state in rows if number == job}


def wait_until(is_so) -> None:
    end = time.monotonic() + WAIT_SECONDS
    while not is_so():
        assert time.monotonic() < end, call("squeue")
        time.sleep(0.2)


def finish(job: str) -> None:
    wait_until(lambda: not tasks_of(job))


def state_of(job: str, task: str) -> str:
    """What SLURM says of a task that is over."""
    words = call("scontrol", "show", "job", f"{job}_{task}").split()
    return next(word.removeprefix("JobState=") for word in words if word.startswith("JobState="))


def test_tasks_play_the_whole_with_the_python_that_made_the_script(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    job = submit(slurm_script(write_spec(tmp_path, runs=6), 3).text)
    assert len(tasks_of(job)) == 3
    finish(job)
    assert {state_of(job, task) for task in "123"} == {"COMPLETED"}, Path("demo-1.log").read_text()
    done = duelbench("status", "results/demo", cwd=tmp_path)
    assert done.returncode == 0, done.stdout
    play(tmp_path / "alone", runs=6)
    assert files(tmp_path) == files(tmp_path / "alone") and len(files(tmp_path)) == 12


@pytest.mark.parametrize("ending", ["CANCELLED", "TIMEOUT", "requeued"])
def test_a_task_that_is_ended_loses_no_whole_run_and_the_script_completes_the_rest(tmp_path, naps, ending):
    text = naps()
    limit = ["--time=1"] if ending == "TIMEOUT" else []  # minutes; a task takes two
    job = submit(text, *limit, NAP="4")
    wait_until(lambda: len(files(tmp_path)) >= 4)
    before = files(tmp_path)
    if ending == "CANCELLED":
        call("scancel", f"{job}_1")
        wait_until(lambda: "1" not in tasks_of(job))
        assert tasks_of(job) == {"2": "RUNNING"}
        call("scancel", job)
    elif ending == "requeued":
        call("scontrol", "requeue", f"{job}_1")
        wait_until(lambda: tasks_of(job).get("1") == "PENDING")
        call("scontrol", "update", f"JobId={job}_1", "StartTime=now")  # SLURM waits two minutes by itself
    finish(job)
    kept = files(tmp_path)
    assert before.items() <= kept.items()
    states = {state_of(job, task) for task in "12"}
    if ending == "requeued":
        assert states == {"COMPLETED"} and len(kept) == NAPS["runs"]
    else:
        assert states == {ending} and len(kept) < NAPS["runs"]
        finish(submit(text))
    assert not list(tmp_path.rglob("damaged"))
    play(tmp_path / "alone", **NAPS)
    assert files(tmp_path) == files(tmp_path / "alone")
    assert kept.items() <= files(tmp_path).items() and len(files(tmp_path)) == NAPS["runs"]


def test_a_run_that_hangs_is_ended_by_the_time_limit_of_runs_and_costs_no_other(tmp_path, naps):
    text = naps(run_timeout=5)
    finish(submit(text, HANG_ONCE=str(tmp_path / "hung")))
    assert len(files(tmp_path)) == NAPS["runs"] - 1
    assert len(list(tmp_path.rglob("failures/**/*.json"))) == 1
    finish(submit(text))
    assert len(files(tmp_path)) == NAPS["runs"]


def test_tasks_with_a_folder_each_are_merged(tmp_path, naps):
    """As a comment of the script says."""
    folder = f' -o "{tmp_path}/shard-$SLURM_ARRAY_TASK_ID" --shard '
    finish(submit(naps().replace(" --shard ", folder)))
    parts = sorted(tmp_path.glob("shard-*"))
    assert len(parts) == TASKS and not (tmp_path / "results").exists()
    done = duelbench("merge", *(part / "demo" for part in parts), "-o", "results", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    play(tmp_path / "alone", **NAPS)
    assert files(tmp_path) == files(tmp_path / "alone")
