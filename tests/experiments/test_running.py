"""Claims about running and drawing experiments from Python."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

import duelbench
from duelbench.cli.run import run
from duelbench.errors import InputError, RunsFailed
from duelbench.experiments import running

SPEC = {"name": "demo", "matrix": "two.csv", "horizon": 100, "runs": 3, "checkpoints": 3, "algorithms": ["random"]}

BAD = """
from pathlib import Path
import time
from duelbench.bandits.algorithms.contract import Algorithm
from typing import NamedTuple

class State(NamedTuple):
    n: int

def select(state, t, rng):
    {select}
    return 0, 1, 1

BAD = Algorithm(
    id="bad", name="Bad", assumes="nothing", anytime=True, parameters={{}}, reference="", state=State,
    start=lambda n_arms, horizon, rng, standing: State(0), select=select,
    update=lambda state, first, second, first_wins, second_wins: None, recommend=lambda state: 0, compiled=False,
)
"""


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "two.csv").write_text("0.5,0.9\n0.1,0.5\n")
    (tmp_path / "demo.yaml").write_text(
        "matrix: two.csv\nhorizon: 100\nruns: 3\ncheckpoints: 3\nalgorithms: [random]\n"
    )
    return tmp_path


def files(top):
    return {path.relative_to(top): path.read_bytes() for path in sorted(Path(top).rglob("*.npz"))}


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({"runs": 0}, "runs must be a whole number from 1 to 1_000_000, got 0"),
        ({"jobs": 1.5}, "jobs must be a whole number from 1 to 1_000_000, got 1.5"),
        ({"run_timeout": -1}, "must be a number of seconds above 0"),
        ({"run_timeout": "3"}, "must be a number of seconds above 0"),
        ({"shard": "3/2"}, "write i/n"),
        ({"only": "nobody"}, "no algorithm of the specs has that label"),
        ({"scale": "quick"}, "there is no scale 'quick' in it"),
    ],
)
def test_a_wrong_argument_is_one_message_and_nothing_is_written(arguments, told):
    with pytest.raises(InputError, match=told):
        duelbench.run(SPEC, **arguments)
    assert not Path("results").exists()


@pytest.mark.thorough
def test_ctrl_c_ends_the_workers_of_a_call_and_the_program_goes_on(folder):
    select = "Path(f'begun-{__import__(\"os\").getpid()}').touch(); time.sleep(3600)"
    (folder / "bad.py").write_text(BAD.format(select=select))
    code = f"""
import signal
import duelbench
signal.signal(signal.SIGINT, signal.default_int_handler)  # whoever started the tests may ignore it
try:
    duelbench.run({ {**SPEC, "algorithms": ["bad"]}!r}, jobs=2, plug_in="bad.py")
except KeyboardInterrupt:
    print(len(duelbench.run({SPEC!r}, jobs=2, quiet=True, out="others").runs))
"""
    program = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    while len(list(Path().glob("begun-*"))) < 2 and program.poll() is None:
        time.sleep(0.01)
    workers = [path.name.partition("-")[2] for path in Path().glob("begun-*")]
    os.kill(program.pid, signal.SIGINT)
    try:
        out, err = program.communicate(timeout=120)  # ends a test that would wait without end
    finally:
        program.kill()
    assert out == "3\n", err
    assert len(workers) == 2 and not any(Path("/proc", pid).exists() for pid in workers)
    assert "interrupted: 0 of 3 runs are done; run the same command to continue" in err


def test_run_does_what_the_command_does_and_reads_the_results(folder, capsys):
    results = duelbench.run(SPEC, jobs=1, quiet=True)
    said = capsys.readouterr()
    assert said.out == said.err == ""
    assert results.array("Random").shape == (3, 3) and results.folder == Path("results/demo")
    run([folder / "demo.yaml"], jobs=1, output=folder / "by command", quiet=True)
    assert files("results") == files("by command")
    assert len(duelbench.run("demo.yaml", jobs=1, quiet=True, runs=4).runs) == 4


def test_a_part_gives_what_is_there_of_the_whole(folder):
    results = duelbench.run(SPEC, jobs=1, quiet=True, shard="1/2")
    assert results.runs["run"].tolist() == [0, 2] and "2 of 3 runs" in results.incomplete[0]
    spec = {**SPEC, "name": "two", "algorithms": ["random", "uniform"]}
    results = duelbench.run(spec, jobs=1, quiet=True, only="Uniform")
    assert set(results.runs["label"]) == {"Uniform"} and "0 of 3 runs of Random" in results.incomplete[0]


def test_failed_runs_of_a_plug_in_name_the_command_that_finds_its_mistakes():
    failure = SimpleNamespace(cell=SimpleNamespace(identity=SimpleNamespace(code="SHA-256")))
    with pytest.raises(RunsFailed, match=r"1 run failed; .*duelbench check FILE"):
        running.raise_failed({"results/x": SimpleNamespace(failures=[failure], n_not_tried=0)})
