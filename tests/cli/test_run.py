"""``duelbench run``: what it prints where, its exit codes, and its dry run."""

import json
import os
import re
import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

from duelbench.cli import dry_run
from duelbench.cli.app import app
from duelbench.errors import InputError, RunsFailed
from duelbench.spec import assumptions
from tests.execution.experiments import CYCLIC, duelbench, files, plan_of, spec_of, write_spec
from tests.execution.plug_ins import install

runner = CliRunner()


def run(*arguments: object):
    """The command in this process; errors come as exceptions."""
    return runner.invoke(app, ["run", *map(str, arguments)], catch_exceptions=False)


def path_of_python(site) -> str:
    """``site`` first, then what is on the path of the tests: duelbench may be found there."""
    return os.pathsep.join([str(site), *filter(None, [os.environ.get("PYTHONPATH")])])


@pytest.fixture
def spec(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return write_spec(tmp_path)


def test_the_answer_says_where_the_results_are_and_what_to_do_next(spec, tmp_path):
    result = run(spec, "-j", 1)
    assert result.exit_code == 0
    assert result.stdout == "8 runs complete (0 reused): results/demo\nnext: duelbench plot results/demo\n"
    assert len(files(tmp_path)) == 8
    assert run(spec, "-j", 1).stdout.startswith("8 runs complete (8 reused): results/demo\n")


def test_standard_output_carries_the_answer_and_nothing_else(spec, tmp_path):
    done = duelbench("run", spec, "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    summary = {"experiment": "demo", "results": "results/demo", "runs": 8, "reused": 0, "done": 8, "failed": 0}
    assert json.loads(done.stdout) == {"experiments": [summary]}


def test_results_go_where_they_are_told(spec, tmp_path):
    assert run(spec, "--out", tmp_path / "elsewhere", "-j", 1).exit_code == 0
    assert (tmp_path / "elsewhere" / "demo" / "rucb" / "run-00003.npz").exists()
    assert not (tmp_path / "results").exists()


def test_the_number_of_runs_can_be_given(spec, tmp_path):
    run(spec, "--runs", 2, "-j", 1)
    assert len(files(tmp_path)) == 4
    assert run(spec, "-j", 1).stdout.startswith("8 runs complete (4 reused)")


def test_a_dry_run_lists_jobs_and_reasons_and_writes_nothing(spec, tmp_path):
    before = sorted(tmp_path.rglob("*"))
    first = json.loads(run(spec, "--dry-run", "--json").stdout)
    assert sorted(tmp_path.rglob("*")) == before
    expected = {"experiment": "demo", "problem": "cyclic", "runs": 4, "horizon": 300, "reuse": 0, "todo": 4}
    assert first["jobs"] == [
        {**expected, "algorithm": "rucb", "label": "RUCB", "why": "new"},
        {**expected, "algorithm": "random", "label": "Random", "why": "new"},
    ]
    assert first["seconds_estimate"] > 0
    run(spec, "-j", 1)
    write_spec(tmp_path, runs=6)
    second = json.loads(run(spec, "--dry-run", "--json").stdout)
    assert [(job["reuse"], job["todo"], job["why"]) for job in second["jobs"]] == [(4, 2, "4 up to date, 2 new")] * 2
    write_spec(tmp_path)
    third = json.loads(run(spec, "--dry-run", "--json").stdout)
    assert third["seconds_estimate"] == 0 and {job["why"] for job in third["jobs"]} == {"up to date"}


@pytest.mark.parametrize("number", ["1e1", "1_0", "10.0"])
def test_numbers_of_options_are_written_as_in_a_spec(spec, number):
    jobs = json.loads(run(spec, "--dry-run", "--json", "--runs", number, "-j", "1e0").stdout)["jobs"]
    assert [job["runs"] for job in jobs] == [10, 10]


def test_a_dry_run_counts_the_workers_that_would_play(spec):
    assert " on 8 workers (" in run(spec, "--dry-run", "-j", "9999999").stdout
    assert " on 2 workers (" in run(spec, "--dry-run", "-j", "9999999", "--runs", "1").stdout


@pytest.mark.parametrize(
    ("sweep", "problem", "horizon"),
    [
        ({"over": "horizon", "values": [10, 50]}, "K=4, Condorcet", "10, 50 rounds, 5 checkpoints"),
        ({"over": "n_arms", "values": [3, 7]}, "linear, K=3 to 7", "300 rounds, 5 checkpoints"),
        ({"over": "family", "values": ["linear", "flat"]}, "n_arms=4, K=4", "300 rounds, 5 checkpoints"),
    ],
)
def test_the_head_of_a_dry_run_says_what_a_sweep_plays(tmp_path, monkeypatch, sweep, problem, horizon):
    monkeypatch.chdir(tmp_path)
    matrix = {"family": "linear", "n_arms": 4}
    lines = run(write_spec(tmp_path, matrix=matrix, sweep=sweep), "--dry-run").stdout.splitlines()
    assert lines[1].startswith(f"problem   {problem}")
    assert lines[3] == f"horizon   {horizon}"


def test_a_plug_in_may_be_called_as_its_author_likes_and_is_found_by_what_comes_near(spec, tmp_path, monkeypatch):
    (tmp_path / "mine.py").write_text(
        "from dataclasses import replace\nfrom duelbench.algorithms.registry import get\n"
        "mine = replace(get('rucb'), id='My Commit', name='Mine')\n"
    )
    monkeypatch.setattr("duelbench.algorithms.registry._named", {})
    monkeypatch.setattr("duelbench.algorithms.registry.named_plug_ins", {})
    for written, said in (("My Commit", None), ("my-commit", "'my-commit' is not an algorithm (did you mean 'My C")):
        asked = ["--plug-in", "mine.py", "--dry-run"]
        spec = write_spec(tmp_path, algorithms=[{written: {"alpha": 1}}])
        if said is None:
            assert "Mine" in run(spec, *asked).stdout
            continue
        with pytest.raises(InputError, match=re.escape(said)):
            run(spec, *asked)


def test_a_dry_run_prints_a_table(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    problems = {"cycle": "cyclic.csv", "pair": "two.csv"}
    spec = write_spec(tmp_path, title="Two small problems", matrix=None, problems=problems)
    lines = run(spec, "--dry-run", "-j", 3).stdout.splitlines()
    assert lines[0] == "demo: Two small problems"
    assert lines[1] == "problem   cycle  K=4, Condorcet winner 0, min gap 0.1  (cyclic.csv)"
    assert lines[3] == "horizon   300 rounds, 5 checkpoints"
    assert lines[6].split() == ["problem", "algorithm", "runs", "reuse", "todo", "~core", "time", "why"]
    assert lines[7].split()[:5] == ["cycle", "RUCB", "4", "0", "4"] and lines[7].endswith("new")
    assert lines[11].split() == ["16", "0", "16"]
    expected = r"16 runs to do; (~\S+ \w+|less than 1 s) on 3 workers \(rough.*\)\. Nothing was written\."
    assert re.fullmatch(expected, lines[-1])
    assert not (tmp_path / "results").exists()


@pytest.mark.parametrize(("seconds", "said"), [(0.2, "; less than 1 s on 2 workers"), (40, "; ~40 s on 2 workers")])
def test_the_expected_time_is_said_in_words_that_fit(tmp_path, monkeypatch, seconds, said):
    monkeypatch.setattr(dry_run, "_estimate", lambda plans, jobs: (seconds, {}))
    assert said in dry_run.as_text([plan_of(tmp_path)], 2)


def test_a_dry_run_promises_answers_only_where_matrices_have_what_is_assumed(tmp_path, monkeypatch):
    monkeypatch.setattr(dry_run, "_estimate", lambda plans, jobs: (40, {}))
    for circle, promise in ((False, "of the time\n"), (True, "of the time, but for what the note says\n")):
        (tmp_path / "m.csv").write_text(CIRCLE if circle else "0.5,0.6\n0.4,0.5\n")
        asked = {"matrix": "m.csv", "identify": {"target": "condorcet"}, "algorithms": ["kelly-elimination"]}
        text = dry_run.as_text([plan_of(tmp_path, **asked)], 2)
        assert f"wrong at most 0.05 {promise}" in text and ("answers may be wrong" in text) == circle
        assert "less where runs end with an answer long before the horizon" in text
    assert "less where runs end" not in dry_run.as_text([plan_of(tmp_path)], 2)


CIRCLE = "0.5,0.6,0.4\n0.4,0.5,0.7\n0.6,0.3,0.5\n"


@pytest.mark.parametrize("n_bytes, said", [(20_300, "20 kB"), (5_840_000, "5.8 MB")])
def test_the_size_of_results_is_said_in_units_that_fit(n_bytes, said):
    assert dry_run._size(n_bytes) == said


def test_an_algorithm_whose_assumption_a_matrix_does_not_fulfil_is_noted_and_played(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    spec = write_spec(tmp_path, matrix=None, problems=["circle.csv", "two.csv"], algorithms=["rucb", "random"])
    (tmp_path / "circle.csv").write_text(CIRCLE)
    note = "RUCB assumes a Condorcet winner, which circle does not have: its regret may go on growing"
    dry = run(spec, "--dry-run")
    assert (dry.exit_code, dry.stdout.count(note)) == (0, 1)
    played = run(spec, "-j", 1, "-q")
    assert (played.exit_code, played.stderr.splitlines()[0]) == (0, f"note: {note}")


@pytest.mark.parametrize(
    ("algorithms", "problems", "note"),
    [
        (["random", "ccb"], 1, []),
        (["rucb", {"rucb": {"alpha": 0.8}}], 1, ["RUCB assumes a Condorcet winner, which c0 does not have: its"]),
        (["rucb", "btm"], 2, ["RUCB and BTM assume a Condorcet winner, which c0 and c1 do not have: their"]),
        (["rucb"], 5, ["RUCB assumes a Condorcet winner, which c0, c1, c2 and 2 more do not have: its"]),
    ],
)
def test_what_is_assumed_is_noted_once_for_all_algorithms_and_problems(tmp_path, algorithms, problems, note):
    names = {f"c{k}": "circle.csv" for k in range(problems)}
    tmp_path.joinpath("circle.csv").write_text(CIRCLE)
    found = assumptions.notes(spec_of(tmp_path, matrix=None, problems=names, algorithms=algorithms))
    assert found == [f"{sentence} regret may go on growing" for sentence in note]


def test_the_mistakes_of_all_specs_are_told_before_anything_runs(spec, tmp_path):
    for name in ("a.yaml", "b.yaml"):
        (tmp_path / name).write_text("matrix: cyclic.csv\nhorizon: soon\nalgorithms: [rucb]\n")
    with pytest.raises(InputError) as caught:
        run(spec, tmp_path / "a.yaml", tmp_path / "b.yaml")
    assert "a.yaml:2" in str(caught.value) and "b.yaml:2" in str(caught.value)
    assert not (tmp_path / "results").exists()


def test_a_wrong_spec_ends_with_exit_code_2_and_no_traceback(tmp_path):
    done = duelbench("run", "missing.yaml", cwd=tmp_path)
    assert done.returncode == 2
    assert done.stdout == "" and done.stderr.startswith("error: ") and "Traceback" not in done.stderr


def test_a_plug_in_that_was_not_named_is_asked_for(tmp_path):
    with pytest.raises(InputError) as caught:
        run(write_spec(tmp_path, algorithms=["commit", "rucbb"]))
    told = str(caught.value)
    assert "'commit' is not an algorithm (`duelbench list algorithms` shows them; `--plug-in FILE` adds" in told
    assert "'rucbb' is not an algorithm (did you mean 'rucb'?)" in told
    assert "d-ts" not in told


def test_two_specs_of_one_name_are_refused(spec, tmp_path):
    other = write_spec(tmp_path / "other", runs=2)
    with pytest.raises(InputError, match="has the name 'demo' too"):
        run(spec, other)


def test_several_specs_run_in_their_order(spec, tmp_path):
    other = write_spec(tmp_path / "other", name="second", runs=2)
    lines = run(other, spec, "-j", 1).stdout.splitlines()
    assert lines[0] == "4 runs complete (0 reused): results/second"
    assert lines[2] == "8 runs complete (0 reused): results/demo"


def test_what_is_left_over_is_said_on_standard_error(spec, tmp_path):
    run(spec, "-j", 1)
    result = run(write_spec(tmp_path, algorithms=["random"]), "-j", 1)
    assert result.stdout.startswith("4 runs complete (4 reused)")
    assert "note: left over: 4 runs that the spec does not ask for, kept in results/demo/rucb" in result.stderr


def test_runs_that_fail_end_with_exit_code_3_and_the_others_are_kept(tmp_path):
    site = install(tmp_path)
    write_spec(tmp_path, algorithms=["raises", "random"], runs=6)
    done = duelbench("run", "demo.yaml", "-j", 2, cwd=tmp_path, PYTHONPATH=path_of_python(site))
    assert done.returncode == 3
    n_failed = len(list((tmp_path / "results" / "demo" / "failures" / "raises").iterdir()))
    assert done.stdout.startswith(f"{12 - n_failed} of 12 runs complete (0 reused): results/demo\n")
    assert f"error: {n_failed} runs failed; `duelbench status results/demo` says why" in done.stderr
    assert done.stderr.count("ZeroDivisionError: by plan") == 1 and "Traceback" not in done.stderr
    assert len(files(tmp_path, "random")) == 6


def test_a_shard_says_what_it_leaves_to_others(spec, tmp_path):
    first = run(spec, "-j", 1, "--shard", "1/3")
    assert first.stdout.startswith("3 of 8 runs complete (0 reused, 5 left to other shards): results/demo\nnext: ")
    jobs = json.loads(run(spec, "--shard", "2/3", "--dry-run", "--json").stdout)["jobs"]
    assert [(job["reuse"], job["todo"], job["why"]) for job in jobs] == [
        (2, 1, "2 up to date, 1 new, 1 left to other shards"),
        (1, 2, "1 up to date, 2 new, 1 left to other shards"),
    ]
    second = json.loads(run(spec, "-j", 1, "--shard", "2/3", "--json").stdout)["experiments"][0]
    assert (second["done"], second["reused"], second["left_to_other_shards"]) == (3, 3, 2)
    assert run(spec, "-j", 1, "--shard", "3/3").stdout.startswith("8 runs complete (6 reused): results/demo\n")


def test_a_part_of_the_problems_and_algorithms_is_played_and_the_same_command_without_it_plays_the_rest(spec, tmp_path):
    one = run(spec, "-j", 1, "--problem", "cyclic", "--only", "RUCB")
    assert one.stdout.startswith("4 of 8 runs complete (0 reused, 4 not chosen): results/demo\nnext: ")
    assert len(files(tmp_path, "rucb")) == 4 and not (tmp_path / "results" / "demo" / "random").exists()
    before = files(tmp_path, "rucb")
    shown = json.loads(run(spec, "--only", "RUCB", "--dry-run", "--json").stdout)["jobs"]
    assert [(job["todo"], job["why"]) for job in shown] == [(0, "up to date"), (0, "not chosen")]
    part = json.loads(run(spec, "-j", 1, "--only", "Random", "--shard", "1/2", "--json").stdout)["experiments"][0]
    assert (part["done"], part["reused"], part["left_to_other_shards"]) == (2, 4, 2) and "not_chosen" not in part
    assert run(spec, "-j", 1).stdout.startswith("8 runs complete (6 reused): results/demo\n")
    shutil.rmtree(tmp_path / "results")
    run(spec, "-j", 1)
    assert files(tmp_path, "rucb") == before


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--problem", "cyclc"), "--problem cyclc: the specs have no problem of that name (did you mean 'cyclic'?)"),
        (("--only", "rucb"), "--only rucb: no algorithm of the specs has that label"),
        (("--problem", "x", "--only", "y"), "--only y"),
    ],
)
def test_a_part_that_there_is_not_is_refused_and_nothing_is_written(spec, tmp_path, arguments, words):
    with pytest.raises(InputError) as refused:
        run(spec, *arguments)
    assert words in str(refused.value)
    assert not (tmp_path / "results").exists()


@pytest.mark.parametrize(
    "arguments",
    [("--shard", "0/2"), ("--shard", "3/2"), ("--shard", "half"), ("--run-timeout", "0"), ("--run-timeout", "nan")],
)
def test_shards_and_limits_that_make_no_sense_are_refused(spec, arguments):
    with pytest.raises(InputError, match=arguments[0]):
        run(spec, *arguments)


def test_a_run_that_takes_too_long_ends_with_exit_code_3_and_how_to_reproduce_it(tmp_path):
    write_spec(tmp_path, horizon="1e12", runs=1, algorithms=["uniform"])
    done = duelbench("run", "demo.yaml", "-j", 1, "-q", "--json", "--run-timeout", 0.5, cwd=tmp_path)
    assert done.returncode == 3 and "took longer than 0.5 s (--run-timeout); it was ended" in done.stderr
    assert done.stderr.count("took longer") == 1
    assert json.loads(done.stdout)["experiments"][0]["failures"] == [
        {
            "problem": "cyclic",
            "algorithm": "uniform",
            "label": "Uniform",
            "horizon": 10**12,
            "run": 0,
            "error": "took longer than 0.5 s (--run-timeout); it was ended",
        }
    ]
    told = duelbench("status", "results", cwd=tmp_path)
    assert told.returncode == 4 and "failed: Uniform on cyclic, run 0: took longer than 0.5 s" in told.stdout
    record = tmp_path / "results" / "demo" / "failures" / "uniform" / "run-00000.json"
    assert "failures/uniform/run-00000.json says more, and how to reproduce it" in told.stdout
    told = json.loads(record.read_text())
    assert "horizon=1000000000000" in told["how_to_reproduce"] and "traceback" not in told


def test_nothing_is_done_after_a_failure_when_that_is_asked_for(tmp_path):
    site = install(tmp_path)
    write_spec(tmp_path, algorithms=["raises"], runs=40)
    write_spec(tmp_path / "other", name="second")
    done = duelbench(
        "run", "demo.yaml", "other/demo.yaml", "-j", 1, "--fail-fast", cwd=tmp_path, PYTHONPATH=path_of_python(site)
    )
    assert done.returncode == 3
    assert len(list((tmp_path / "results" / "demo" / "failures" / "raises").iterdir())) == 1
    assert not (tmp_path / "results" / "second").exists()


def test_a_folder_that_cannot_be_made_is_told_in_one_line(spec, tmp_path):
    (tmp_path / "file").write_text(CYCLIC)
    with pytest.raises((RunsFailed, InputError), match="file"):
        run(spec, "--out", tmp_path / "file", "-j", 1)


@pytest.mark.thorough
def test_the_first_compilation_is_announced_and_no_other(spec, tmp_path):
    cache = {"XDG_CACHE_HOME": str(tmp_path / "cache"), "DUELBENCH_KERNEL_FOLDER": ""}
    write_spec(tmp_path, algorithms=["random"], runs=100)
    first = duelbench("run", spec, "-j", 2, cwd=tmp_path, **cache)
    assert re.fullmatch(r"compiling random \(first use, about \d+ s\) \.\.\.", first.stderr.splitlines()[0])
    shutil.rmtree(tmp_path / "results")
    second = duelbench("run", spec, "-j", 2, cwd=tmp_path, **cache)
    assert "compiling" not in second.stderr
    assert len(files(tmp_path)) == 100


def test_a_short_experiment_is_not_kept_waiting_by_compilation(spec, tmp_path):
    cache = {"XDG_CACHE_HOME": str(tmp_path / "cache"), "DUELBENCH_KERNEL_FOLDER": ""}
    done = duelbench("run", spec, "-j", 2, cwd=tmp_path, **cache)
    assert "compiling" not in done.stderr
    assert len(files(tmp_path)) == 8 and not list((tmp_path / "cache").rglob("*.nbi"))  # Numba's lists of what it keeps


@pytest.mark.parametrize("arguments", [("-j", "0"), ("--runs", "0"), ("--runs", "many")])
def test_numbers_that_make_no_sense_are_usage_errors(spec, arguments):
    assert runner.invoke(app, ["run", str(spec), *arguments]).exit_code == 2


def test_a_scale_has_results_of_its_own(spec, tmp_path):
    spec.write_text(f"{spec.read_text()}\nscales: {{quick: {{runs: 1}}}}\n")
    assert run(spec, "--scale", "quick", "-j", 1).stdout.startswith("2 runs complete (0 reused): results/demo-quick\n")
    assert run(spec, "-j", 1).stdout.startswith("8 runs complete (0 reused): results/demo\n")
    with pytest.raises(InputError, match=r"there is no scale 'quik' in it \(did you mean 'quick'\?\)"):
        run(spec, "--scale", "quik")
    status = runner.invoke(app, ["status", str(spec), "--scale", "quick"], catch_exceptions=False)
    assert status.stdout.startswith("demo-quick: complete (results/demo-quick)\n")


@pytest.mark.parametrize("part", ["", "demo", "demo/rucb"])
def test_a_folder_that_is_read_only_is_refused_before_anything_runs(tmp_path, monkeypatch, part):
    """The system is asked whether it may be written: to the tests, which may run as root, any folder is writable."""
    out = tmp_path / "results"
    (out / "demo" / "rucb").mkdir(parents=True)
    if part == "":
        shutil.rmtree(out / "demo")
    read_only = out / part
    monkeypatch.setattr(os, "access", lambda path, mode: mode == os.R_OK or Path(path) != read_only)
    spec = write_spec(tmp_path)
    write_spec(tmp_path / "first", name="first")
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(InputError, match=f"^results cannot be written to {read_only}: "):
        run(tmp_path / "first" / "demo.yaml", spec, "--out", out, "-j", 1)
    assert sorted(tmp_path.rglob("*")) == before
