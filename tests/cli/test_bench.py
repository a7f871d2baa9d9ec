"""The table of speeds is right in form, and its numbers fit together. How fast anything is, no test says."""

import json
import os
import shlex
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from duelbench.algorithms import registry
from duelbench.bench import measuring, suite
from duelbench.bench.published_speed import PARAMETERS, PUBLISHED, published
from duelbench.bench.suite import OF_WORLDS, SUITES, affordable, names_of, on_record, problem, rows_of, seconds_expected
from duelbench.bench.table import COLUMNS, cells
from duelbench.cli.app import app
from duelbench.errors import InputError, RunsFailed
from duelbench.execution import rates
from duelbench.problem.winners import condorcet_winner, copeland_winners
from duelbench.results import atomic
from duelbench.simulation import trial
from tests.bench.here import PlayerHere, start_here
from tests.plug_ins import COMPILED, write

ROOT = Path(__file__).parents[2]
PROMISED = {
    "algorithm",
    "matrix",
    "n_arms",
    "horizon",
    "seconds_per_run",
    "decisions",
    "ns_per_round",
    "ns_per_decision",
}


@pytest.fixture(autouse=True)
def here(monkeypatch):
    """Play in this process: starting others takes a second each."""
    monkeypatch.setattr(measuring, "start", start_here)


def bench(*arguments: str) -> str:
    result = CliRunner().invoke(app, ["bench", "--budget", "0", *arguments])
    assert result.exit_code == 0, result.output
    return result.stdout


def bench_rows(*arguments: str) -> list[dict]:
    return json.loads(bench(*arguments, "--json"))["rows"]


def of_suite(name: str, id: str):
    problems = {one: problem(one) for one in names_of(name)}
    return [(row.problem.name, row.horizon) for row in rows_of(name, registry.get(id), problems)]


def test_json_has_a_row_for_each_algorithm_matrix_and_horizon():
    rows = bench_rows("random", "savage-copeland", "--arms", "4", "--horizon", "1e3", "--horizon", "2e3")
    expected = [(id, "linear-order-4", 4, T) for id in ("random", "savage-copeland") for T in (1000, 2000)]
    assert [(row["algorithm"], row["matrix"], row["n_arms"], row["horizon"]) for row in rows] == expected
    assert all(set(row) >= PROMISED for row in rows)


def test_the_numbers_of_a_row_fit_together():
    for row in bench_rows("random", "rucb", "--arms", "3", "--horizon", "5e3"):
        assert row["ns_per_round"] * row["horizon"] == pytest.approx(1e9 * row["seconds_per_run"])
        assert row["ns_per_decision"] * row["decisions"] == pytest.approx(1e9 * row["seconds_per_run"])
        assert 1 <= row["decisions"] <= row["horizon"]
        assert row["seconds_per_run"] > 0
        assert len(row["seconds"]) == 3 and all(times and min(times) > 0 for times in row["seconds"])
        assert row["ratio"] is None  # nobody has published this row
    (row,) = bench_rows("vdb", "--arms", "3", "--horizon", "5e3")
    assert row["decisions"] == row["horizon"]  # it decides in every round


def test_a_published_row_has_the_ratio_of_the_times():
    (row,) = bench_rows("interleaved-filter", "--arms", "64", "--horizon", "1e5")
    assert (row["program"], row["published_ns_per_round"]) == ("Komiyama et al. 2015", 56)
    assert row["ratio"] * row["ns_per_round"] == pytest.approx(56)


def test_a_rule_that_differs_is_measured_like_the_published_one():
    (measured,) = bench_rows("btm", "--arms", "64", "--horizon", "1e5")
    assert measured["parameters"] == PARAMETERS["Komiyama et al. 2015", "btm"]
    assert cells(measured)[0] == "btm gamma=1.2 const=1.0 self_duels=False ties=lowest"
    assert suite.row(registry.get("btm"), problem("linear-order-4"), 1000).parameters == {}
    for (_, id), parameters in PARAMETERS.items():
        assert set(parameters) <= set(registry.get(id).resolve(parameters))


def test_every_published_row_is_in_the_full_suite_and_of_algorithms_that_exist():
    full = {id: of_suite("full", id) for id in registry.BUILT_IN}
    for row in PUBLISHED:
        assert all((row.matrix, row.horizon) in full[id] for id in row.ns_per_round)
        assert all(ns > 0 for ns in row.ns_per_round.values())
    assert published("multisbm", "linear-order-500", 100_000) == ("Wu and Liu 2016", 487)
    assert published("rmed2fh", "cyclic", 100_000) == ("Komiyama et al. 2015", 336)


def test_the_matrices_of_the_suites_are_what_their_names_say():
    assert condorcet_winner(problem("linear-order-5").matrix) == 0
    assert problem("linear-order-4").matrix.P[0].tolist() == [0.5, 0.5 + 1 / 16, 0.5 + 2 / 16, 0.5 + 3 / 16]
    cycle = problem("cycle-of-3-7").matrix
    assert condorcet_winner(cycle) is None
    assert copeland_winners(cycle) == (0, 1, 2)
    assert set(np.unique(cycle.P)) == {0.4, 0.5, 0.6}
    assert problem("cycle-of-3-5").matrix.n_arms == 5
    with pytest.raises(InputError, match="no-such"):
        problem("no-such")


def test_files_hold_the_table_and_the_machine(tmp_path):
    page, data = tmp_path / "speed.md", tmp_path / "speed.json"
    bench("random", "uniform", "--arms", "3", "--horizon", "1e3", "--output", str(page), "--output", str(data))
    document = json.loads(data.read_text())
    assert {"cpu", "cores", "python", "numba", "numpy", "date", "commit"} <= set(document["machine"])
    assert [row["algorithm"] for row in document["rows"]] == ["random", "uniform"]
    table = [line for line in page.read_text().splitlines() if line.startswith("|")]
    assert [cell.strip() for cell in table[0].strip("|").split("|")] == list(COLUMNS)
    assert len(table) == 4 and all(line.count("|") == len(COLUMNS) + 1 for line in table[2:])
    assert document["machine"]["cpu"] in page.read_text()


def test_what_takes_too_long_is_named_and_a_table_without_rows_is_an_error(tmp_path):
    asked = ["bench", "random", "--arms", "3", "--horizon", "1e6", "--limit", "0", "--json"]
    (tmp_path / "table.md").write_text("measured before")
    result = CliRunner().invoke(app, [*asked, "--force", "--output", str(tmp_path / "table.md")])
    assert json.loads(result.stdout)["rows"] == [] and "left out: random on linear-order-3" in result.stderr
    assert isinstance(result.exception, InputError) and "nothing was measured" in str(result.exception)
    assert (tmp_path / "table.md").read_text() == "measured before"


def test_what_becomes_dear_in_later_rounds_only_is_not_begun():
    """By the table: a short run of CW-RMED with 64 arms would say that it is quick."""
    cw_rmed, order = registry.get("cw-rmed"), problem("linear-order-64")
    (expected,) = seconds_expected([suite.row(cw_rmed, order, 23_000)])
    assert expected / rates.yardstick() * rates.table()["yardstick"] > 5
    assert affordable(cw_rmed, order, 23_000) == 2300
    assert ("linear-order-64", 2300) in of_suite("quick", "cw-rmed")


def test_what_decides_ever_more_rarely_is_not_expected_to_take_as_long_as_its_first_rounds():
    """RUCB to 10^10 rounds takes less than 10^5 decisions; at the rate of its first 1000 rounds it would take 10^9."""
    (expected,) = seconds_expected([suite.row(registry.get("rucb"), problem("linear-order-3"), 10**10)])
    assert expected < 1.0


def test_a_dry_run_says_what_and_how_long_and_measures_nothing(monkeypatch):
    monkeypatch.setattr(measuring, "start", None)
    asked = ["random", "rucb", "--arms", "4", "--horizon", "1e4", "--dry-run"]
    *rows, last = bench(*asked).splitlines()[1:]
    assert [row.split()[:4] for row in rows] == [[id, "linear-order-4", "4", "1e4"] for id in ("random", "rucb")]
    assert last.startswith("2 algorithms, 2 rows, 3 turns: about ") and last.endswith("Nothing was measured.")
    document = json.loads(bench(*asked, "--json"))
    assert [row["algorithm"] for row in document["rows"]] == ["random", "rucb"] and document["seconds"] > 0


def test_a_horizon_stands_in_place_of_those_of_a_suite(monkeypatch):
    monkeypatch.setitem(SUITES, "quick", [("linear-order-3", 2000), ("linear-order-3", 500), ("linear-order-4", 500)])
    rows = bench_rows("random", "random", "--horizon", "1e3")
    assert [(row["matrix"], row["horizon"]) for row in rows] == [("linear-order-3", 1000), ("linear-order-4", 1000)]
    assert [row["horizon"] for row in bench_rows("random")] == [2000, 500, 500]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--suite", "quick", "--arms", "3"], "--suite quick: --arms and --matrix are measured instead of a suite"),
        (["--arms", "3", "--horizon", "nan"], "Invalid value for '--horizon': 'nan' is not a whole number"),
        (["--arms", "3", "--horizon", "0"], "Invalid value for '--horizon': must be at least 1"),
        (["--arms", "3", "--horizon", "1e18"], "Invalid value for '--horizon': must be at most"),
    ],
)
def test_options_that_make_no_sense_are_refused(options, said):
    result = CliRunner().invoke(app, ["bench", "random", *options])
    assert isinstance(result.exception, InputError) or result.exit_code == 2
    assert said in f"{result.output}{result.exception}"


@pytest.mark.parametrize("budget", ["-1", "inf"])
def test_a_budget_is_a_number_of_seconds_that_comes_to_an_end(budget):
    result = CliRunner().invoke(app, ["bench", "random", "--arms", "3", "--budget", budget])
    assert result.exit_code == 2 and "Invalid value for '--budget'" in result.stderr


def test_a_table_in_an_unknown_format_is_refused_before_anything_is_measured():
    result = CliRunner().invoke(app, ["bench", "random", "--output", "table.xls"])
    assert isinstance(result.exception, InputError) and ".md or .json" in str(result.exception)


def test_a_table_that_is_there_is_not_written_over_unasked(tmp_path):
    path = tmp_path / "table.json"
    path.write_text("precious")
    asked = ["bench", "random", "--arms", "3", "--horizon", "1e3", "--budget", "0", "--output", str(path)]
    result = CliRunner().invoke(app, asked)
    assert isinstance(result.exception, InputError) and "is there already; --force writes over it" in str(
        result.exception
    )
    assert path.read_text() == "precious"
    assert CliRunner().invoke(app, [*asked, "--force"]).exit_code == 0
    assert json.loads(path.read_text())["rows"]


def test_algorithms_of_a_plug_in_are_measured_too(tmp_path, load):
    path = str(write(tmp_path))
    (row,) = bench_rows("commit", "--plug-in", path, "--arms", "3", "--horizon", "1e3")
    assert (row["algorithm"], row["decisions"]) == ("commit", 4)  # each of three pairs, and the rest


def test_a_plug_in_with_a_mistake_is_refused_before_anything_is_measured(tmp_path, load, monkeypatch):
    monkeypatch.setattr(trial, "_verdict", lambda *_: "commit: IndexError (commit.py:3)")
    monkeypatch.setattr(trial, "folder_of_all", lambda: tmp_path)
    path = str(write(tmp_path, COMPILED))
    result = CliRunner().invoke(app, ["bench", "random", "commit", "--plug-in", path, "--arms", "3"])
    assert isinstance(result.exception, InputError) and str(result.exception) == "commit: IndexError (commit.py:3)"
    assert result.stdout == ""


def recipe(target: str) -> list[str]:
    """The command that make would give for ``target``, as words after ``duelbench``."""
    if shutil.which("make") is None:
        pytest.skip("make is not there")
    told = subprocess.run(
        ["make", "--always-make", "--just-print", "--no-print-directory", target, "DUELBENCH=duelbench"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    (command,) = [line for line in told.splitlines() if line.startswith("duelbench ")]
    return shlex.split(command)[1:]


def test_make_bench_measures_all_kinds_of_algorithms_and_writes_its_tables(tmp_path, monkeypatch):
    """Its very command, for three algorithms: of duels, of both, and of scalar bandits only."""
    monkeypatch.setattr(registry, "ids", lambda: ("random", "savage-sampling", "round-robin"))
    monkeypatch.setitem(SUITES, "quick", [(name, 500) for name, _ in SUITES["quick"]])
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(app, [*recipe("bench"), "--budget", "0"])
    assert result.exit_code == 0, result.output
    rows = json.loads((tmp_path / "bench.json").read_text())["rows"]
    matrices = [name for name, _ in SUITES["quick"] if name != "linear-means-16"]
    assert [(row["algorithm"], row["matrix"]) for row in rows] == [
        *(("random", name) for name in matrices),
        *(("savage-sampling", name) for name, _ in SUITES["quick"]),
        ("round-robin", "linear-means-16"),
    ]
    assert "round-robin" in (tmp_path / "bench.md").read_text()


@pytest.mark.parametrize("name", ["quick", "full"])
def test_every_algorithm_plays_something_in_a_suite_of_all(name):
    for id in registry.BUILT_IN:
        assert of_suite(name, id), id


def test_the_suite_of_worlds_has_three_sizes_of_each_set_of_parameters_and_nothing_of_other_algorithms():
    assert {*OF_WORLDS} < {*registry.BUILT_IN}
    assert of_suite("worlds", "rucb") == []
    problems = {name: problem(name) for name in names_of("worlds")}
    assert [one.matrix.n_arms for one in problems.values()] == [5, 16, 64]
    rows = list(rows_of("worlds", registry.get("sparring"), problems))
    assert [row.parameters["machine"] for row in rows] == ["exp3"] * 3 + ["exp3ix"] * 3 + ["exp3s"] * 3
    for row in rows:
        registry.get(row.algorithm).resolve(row.parameters)


def test_a_published_program_stands_beside_a_row_with_its_parameters_only():
    order = problem("linear-order-64")
    assert on_record(suite.row(registry.get("sparring"), order, 10**5)) is not None
    assert on_record(suite.Row("sparring", order, 10**5, {"machine": "exp3"})) is None


def test_an_algorithm_that_fails_does_not_lose_the_table(tmp_path, monkeypatch):
    def fail(*arguments, **named):
        raise ZeroDivisionError("made to fail")

    monkeypatch.setattr(registry, "ids", lambda: ("random", "broken", "uniform"))
    broken = replace(registry.get("random"), id="broken", select=fail, compiled=False)
    get = registry.get
    monkeypatch.setattr(registry, "get", lambda id: broken if id == "broken" else get(id))
    path = tmp_path / "table.json"
    result = CliRunner().invoke(app, ["bench", "--arms", "3", "--horizon", "1e3", "--output", str(path)])
    assert isinstance(result.exception, RunsFailed) and "broken on linear-order-3" in str(result.exception)
    assert "failed: broken on linear-order-3 to T = 1e3: ZeroDivisionError: made to fail" in result.stderr
    assert [row["algorithm"] for row in json.loads(path.read_text())["rows"]] == ["random", "uniform"]


def test_an_interrupted_table_is_written_as_far_as_it_is(tmp_path, monkeypatch):
    class Interrupted(PlayerHere):
        def answer(self, method, *arguments):
            if "uniform" in arguments:
                raise KeyboardInterrupt
            return super().answer(method, *arguments)

    monkeypatch.setattr(measuring, "start", Interrupted)
    path, page = tmp_path / "table.json", tmp_path / "table.md"
    asked = ["bench", "random", "uniform", "--arms", "3", "--horizon", "1e3"]
    result = CliRunner().invoke(app, [*asked, "--output", str(path), "--output", str(page)])
    document = json.loads(path.read_text())
    assert [row["algorithm"] for row in document["rows"]] == ["random"] and not document["complete"]
    assert "**Interrupted**: rows are missing" in page.read_text()
    assert "interrupted: 1 of 2 rows measured, in part" in result.stderr


def test_a_comparison_without_a_row_to_measure_again_says_why(tmp_path):
    path = tmp_path / "old.json"
    asked = ["bench", "random", "--arms", "3", "--horizon", "1e3", "--turns", "1", "--output", str(path)]
    measured = CliRunner().invoke(app, asked)
    assert measured.exit_code == 0
    assert "note: --compare takes at least 3 turns; it will refuse rows of these files" in measured.stderr
    result = CliRunner().invoke(app, ["bench", "--compare", str(path)])
    assert isinstance(result.exception, InputError)
    assert str(result.exception).endswith("none of its rows can be measured again, for the reasons above")
    assert "not compared: random on linear-order-3 to T = 1e3: was measured in fewer than 3 turns" in result.stderr


def test_an_algorithm_that_cannot_play_the_given_matrix_is_refused_at_once():
    result = CliRunner().invoke(app, ["bench", "random", "ucb1", "--matrix", str(ROOT / "matrices" / "cyclic.csv")])
    assert isinstance(result.exception, InputError) and "ucb1 plays scalar bandits only" in str(result.exception)
    assert result.stdout == ""


def test_a_folder_that_is_not_there_is_noticed_before_anything_is_measured(tmp_path):
    result = CliRunner().invoke(app, ["bench", "random", "--output", str(tmp_path / "no" / "table.md")])
    assert isinstance(result.exception, InputError) and "there is no folder" in str(result.exception)


def test_a_folder_that_cannot_be_written_to_is_noticed_before_anything_is_measured(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "access", lambda path, mode: Path(path) != tmp_path)
    result = CliRunner().invoke(app, ["bench", "random", "--output", str(tmp_path / "table.md")])
    assert isinstance(result.exception, InputError) and "cannot be written to" in str(result.exception)
    assert result.stdout == ""


def test_a_table_that_cannot_be_written_is_told_in_one_line(monkeypatch):
    def refuse(path, data):
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr(atomic, "write", refuse)
    asked = ["bench", "random", "--arms", "3", "--horizon", "1e3", "--budget", "0", "--output", "table.md"]
    result = CliRunner().invoke(app, asked)
    assert isinstance(result.exception, InputError)
    assert str(result.exception) == "--output table.md cannot be written: Read-only file system"
