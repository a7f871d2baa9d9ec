"""Scripts for SLURM: fewer tasks where they would be short, and commands that play the whole."""

import os
import re
import shlex
import shutil
import subprocess
import sys

import pytest

from duelbench.errors import InputError
from duelbench.experiments import submitting
from duelbench.experiments.execution.estimate import Estimate
from duelbench.experiments.submitting import slurm_script
from tests.experiments.execution.experiments import files, play, write_spec


@pytest.fixture
def costs(monkeypatch):
    """``costs(10.0, 1.0)``: what a run of each cell takes (s), as though it had been measured; compiling takes 60."""
    monkeypatch.setattr(submitting, "compiling_seconds", lambda *_: 60.0)

    def set_costs(*seconds: float, is_guess: bool = False) -> None:
        monkeypatch.setattr(submitting, "estimate", lambda *_: [Estimate(each, is_guess) for each in seconds])

    return set_costs


def setting(text: str, name: str) -> str:
    """The value of an option in a script's head."""
    return re.search(rf"^#SBATCH --{name}=(.*)$", text, re.MULTILINE).group(1)


def test_a_task_has_its_share_of_the_work_and_three_times_the_time(tmp_path, costs):
    costs(100.0, 20.0)
    script = slurm_script(write_spec(tmp_path, runs=100), 10)
    text = script.text
    assert (setting(text, "array"), setting(text, "cpus-per-task")) == ("1-10", "1")
    # a shard: 10 runs of 100 s and 10 of 20 s; compiling takes 60 s, and the last run up to 100 s: 3 * 1360 s is 68 min
    assert setting(text, "time") == "01:10:00"
    assert len(script.notes) == 1
    assert script.notes[0] == (
        "200 runs, about 3.3 h of one core in all (rough); 10 tasks of about 20 min, and about 60 s to compile if"
        " that is not done yet"
    )


def test_there_are_fewer_tasks_where_they_would_be_short(tmp_path, costs):
    costs(9.0, 3.0, is_guess=True)
    spec = write_spec(tmp_path, runs=100)  # 1200 s of one core
    script = slurm_script(spec, 200)
    assert setting(script.text, "array") == "1-2"
    assert script.notes[1] == "2 tasks, not 200: a task should run for at least 10 min"
    assert "# 2 tasks, not 200" in script.text and "(a guess: " in script.text
    assert setting(slurm_script(spec, 200, cpus=4).text, "array") == "1-1"
    costs(0.001, 0.001)
    assert "200 runs, less than 1 s of one core" in slurm_script(spec, 200).text


@pytest.fixture
def odd(tmp_path, monkeypatch):
    """A spec whose file and name are not what a shell expects, in the working folder."""
    folder = tmp_path / "it's $HOME; #here"
    write_spec(folder, runs=3)
    (folder / "demo.yaml").rename(folder / "a b's $(touch owned).yaml")
    monkeypatch.chdir(folder)
    return folder


@pytest.mark.thorough
def test_the_commands_of_all_tasks_play_the_whole(odd, tmp_path, costs):
    costs(1000.0, 1000.0)
    script = slurm_script("a b's $(touch owned).yaml", 2, out="my results", runs=4, cpus=1)
    assert setting(script.text, "array") == "1-2"
    assert subprocess.run(["bash", "-n"], input=script.text, text=True).returncode == 0
    for task in ("1", "2"):
        environment = {**os.environ, "PATH": os.defpath, "SLURM_ARRAY_TASK_ID": task}
        done = subprocess.run(["bash"], input=script.text, text=True, env=environment, capture_output=True, timeout=120)
        assert done.returncode == 0, done.stderr
    assert not (odd / "owned").exists()
    shutil.move(odd / "my results", odd / "results")
    play(tmp_path / "one machine", runs=4)
    assert files(odd) == files(tmp_path / "one machine")
    with pytest.raises(InputError, match="all 8 runs exist; there is nothing to submit"):
        slurm_script("a b's $(touch owned).yaml", runs=4)


def test_what_was_asked_for_is_in_the_command(odd, costs):
    costs(1.0, 1.0)
    (odd / "plug in.py").write_text("from duelbench.bandits.algorithms.rucb import RUCB\n")
    with pytest.raises(InputError, match="defines no duelbench Algorithm"):
        slurm_script("a b's $(touch owned).yaml", plug_in=["plug in.py"])
    text = slurm_script("a b's $(touch owned).yaml", runs=7, run_timeout=90).text
    line = next(line for line in text.splitlines() if line.startswith("exec "))
    duelbench, arguments = shlex.split(line)[:5], shlex.split(line)[5:]
    assert duelbench == ["exec", "$python", "-P", "-m", "duelbench"]
    assert arguments[:6] == ["run", "a b's $(touch owned).yaml", "--runs", "7", "--run-timeout", "90"]
    assert f"\npython={shlex.quote(sys.executable)}\n" in text
    with pytest.raises(InputError, match="timeout must be a number of seconds above 0"):
        slurm_script("a b's $(touch owned).yaml", run_timeout=0)
    assert "#   duelbench merge /scratch/shard-*/demo -o results\n" in text


def test_what_slurm_may_refuse_is_noted_and_what_makes_no_sense_is_refused(tmp_path, costs):
    costs(3600.0, 3600.0)
    assert "MaxArraySize" in slurm_script(write_spec(tmp_path, runs=2000), 2000).notes[-1]
    spec = write_spec(tmp_path, runs={"until": "ranked"})
    with pytest.raises(InputError, match=r"how many runs it needs depends on results, .*: give a number of runs"):
        slurm_script(spec, 10)
    assert "--runs 40" in slurm_script(spec, 10, runs=40).text
