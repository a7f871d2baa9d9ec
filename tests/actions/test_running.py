"""Claims about running and drawing experiments from Python."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import duelbench
from duelbench.cli.plot import plot
from duelbench.cli.run import run
from duelbench.errors import IncompleteResults, InputError, RunsFailed
from tests.figures.made_up import make_results

SPEC = {"name": "demo", "matrix": "two.csv", "horizon": 100, "runs": 3, "checkpoints": 3, "algorithms": ["random"]}

BAD = """
from pathlib import Path
import time
from duelbench.algorithms.contract import Algorithm
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


def test_run_that_is_quiet_keeps_its_notes_to_itself_too(folder, capsys):
    spec = {**SPEC, "matrix": "cycle.csv", "algorithms": [{"rucb": {}}]}  # which assumes a winner of all duels
    (folder / "cycle.csv").write_text("0.5,0.9,0.1\n0.1,0.5,0.9\n0.9,0.1,0.5\n")
    duelbench.run(spec, jobs=1, quiet=True)
    assert capsys.readouterr().err == ""
    duelbench.run(spec, jobs=1)
    assert capsys.readouterr().err.startswith("note: ")


def test_run_does_what_the_command_does_and_reads_the_results(folder, capsys):
    results = duelbench.run(SPEC, jobs=1, quiet=True)
    said = capsys.readouterr()
    assert said.out == said.err == ""
    assert results.array("Random").shape == (3, 3) and results.folder == Path("results/demo")
    run([folder / "demo.yaml"], jobs=1, out=folder / "by command", quiet=True)
    assert files("results") == files("by command")
    again = duelbench.run("demo.yaml", jobs=1, quiet=True, runs=4)
    assert len(again.runs) == 4


def test_a_mapping_whose_results_are_those_of_a_file_says_so(folder, capsys):
    duelbench.run("demo.yaml", jobs=1, quiet=True)
    duelbench.run({**SPEC, "seed": 7}, jobs=1)
    assert "holds the results of demo.yaml, and the spec 'demo' takes their place" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({"runs": 0}, "runs must be a whole number from 1, got 0"),
        ({"jobs": 1.5}, "jobs must be a whole number from 1, got 1.5"),
        ({"run_timeout": -1}, "give a number of seconds above 0"),
        ({"run_timeout": "3"}, "give a number of seconds above 0"),
        ({"shard": "3/2"}, "write i/n"),
        ({"only": "nobody"}, "no algorithm of the specs has that label"),
        ({"scale": "quick"}, "there is no scale 'quick' in it"),
    ],
)
def test_a_wrong_argument_is_one_message_and_nothing_is_written(arguments, told):
    with pytest.raises(InputError, match=told):
        duelbench.run(SPEC, **arguments)
    assert not Path("results").exists()


def test_a_shard_gives_what_is_there_of_the_whole(folder):
    results = duelbench.run(SPEC, jobs=1, quiet=True, shard="1/2")
    assert results.runs["run"].tolist() == [0, 2] and "2 of 3 runs" in results.incomplete[0]


def test_a_chosen_algorithm_gives_what_is_there_of_the_whole(folder):
    spec = {**SPEC, "algorithms": ["random", "uniform"]}
    results = duelbench.run(spec, jobs=1, quiet=True, only="Uniform")
    assert set(results.runs["label"]) == {"Uniform"} and "0 of 3 runs of Random" in results.incomplete[0]


def test_failed_runs_are_told_as_the_command_does(folder, load):
    (folder / "bad.py").write_text(BAD.format(select="raise ZeroDivisionError"))
    with pytest.raises(RunsFailed, match=r"1 run failed; `duelbench status results/demo` says why"):
        duelbench.run({**SPEC, "runs": 1, "algorithms": ["bad"]}, jobs=1, quiet=True, plug_in="bad.py")


def test_ctrl_c_ends_the_workers_of_a_call_and_the_program_goes_on(folder):
    select = "Path('begun').touch(); time.sleep(3600)"
    (folder / "bad.py").write_text(BAD.format(select=select))
    code = f"""
import signal, time
import duelbench
from duelbench.execution import processes
signal.signal(signal.SIGINT, signal.default_int_handler)  # whoever started the tests may ignore it
try:
    duelbench.run({ {**SPEC, "algorithms": ["bad"]}!r}, jobs=2, plug_in="bad.py")
except KeyboardInterrupt:
    while processes._processes:  # each was killed, and one that takes note of it may be a moment late
        time.sleep(0.01)
    print(len(duelbench.run({SPEC!r}, jobs=2, quiet=True, out="others").runs))
"""
    program = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    while not Path("begun").exists() and program.poll() is None:
        time.sleep(0.01)
    os.kill(program.pid, signal.SIGINT)
    try:
        out, err = program.communicate(timeout=120)  # ends a test that would wait without end
    finally:
        program.kill()
    assert out == "3\n", err
    assert "interrupted: 0 of 3 runs are kept; run the same command to go on" in err


def test_plot_draws_the_commands_figure_and_writes_only_if_asked_to(tmp_path, capsys):
    folder = make_results(tmp_path)
    results = duelbench.load(folder)
    before = sorted(tmp_path.rglob("*"))
    figure = duelbench.plot(results, band="sem")
    assert sorted(tmp_path.rglob("*")) == before and len(figure.axes) == 2
    duelbench.plot(results, "ours.png", band="sem")
    plot([folder], output=Path("theirs.png"), band="sem")
    assert Path("ours.png").read_bytes() == Path("theirs.png").read_bytes() == figure._repr_png_()
    assert Path("ours.csv").read_bytes() == Path("theirs.csv").read_bytes()
    assert capsys.readouterr().out == "theirs.png\ntheirs.csv\n"


def test_a_quiet_figure_says_nothing_of_a_spec_that_changed(tmp_path, capsys):
    make_results(tmp_path)
    spec = tmp_path / "demo.yaml"
    spec.write_text(spec.read_text().replace("seed: 5", "seed: 6"))
    duelbench.plot(spec, quiet=True)
    assert capsys.readouterr().err == ""
    duelbench.plot(spec)
    assert capsys.readouterr().err.startswith(f"note: {spec}: seed changed since results/demo was made")


def test_several_experiments_are_several_figures_or_share_a_file(tmp_path):
    results = make_results(tmp_path, "a").parent
    other = make_results(tmp_path, "b")
    assert len(duelbench.plot(results)) == 2
    shared = duelbench.plot([duelbench.load(results / "a"), other], "both.svg", only="D-TS")
    assert len(shared.axes) == 4 and Path("both.csv").exists()


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({"only": "D-TSS"}, r"no algorithm of these results has that label \(did you mean 'D-TS'\?\)"),
        ({"band": "sems"}, r"^band sems: no band is called so \(did you mean 'sem'\?\)"),
        ({"regret": "weak"}, "recorded copeland, borda only"),
        ({"output": "figure.jpg"}, "name a file that ends with one of"),
        ({"ymax": -1.0}, "must be a positive number of duels"),
        ({"ymax": "7"}, "^ymax 7: must be a positive number of duels"),
        ({"first_round": 0}, "^first_round 0: rounds are whole numbers from 1"),
        ({"first_round": "10"}, "^first_round 10: rounds are whole numbers from 1"),
        ({"first_round": 2.5}, "^first_round 2.5: rounds are whole numbers from 1"),
        ({"beside": "a:b"}, "those of exploration only"),
        ({"exploration": True}, "no algorithm that says what it still explores"),
    ],
)
def test_a_figure_that_cannot_be_drawn_is_the_commands_message(tmp_path, arguments, told):
    with pytest.raises(InputError, match=told):
        duelbench.plot(duelbench.load(make_results(tmp_path)), **arguments)


def test_a_figure_of_partial_results_is_refused_or_stamped(tmp_path):
    folder = make_results(tmp_path)
    (folder / "two" / "d-ts" / "run-00001.npz").unlink()
    with pytest.raises(IncompleteResults, match="partial=True takes what is there"):
        duelbench.plot(folder)
    for figure in (duelbench.plot(folder, partial=True), duelbench.plot(duelbench.load(folder, partial=True))):
        assert "partial: 7 of 8 runs" in [text.get_text() for text in figure.axes[0].texts]
