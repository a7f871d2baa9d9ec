"""Claims about comparisons by `duelbench bench`, mostly of made-up times. How fast anything is, no test says."""

import json
import signal
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from duelbench.algorithms import registry
from duelbench.bench import measuring
from duelbench.bench.measuring import PlayerEnded, PlayerProcess, Session, Side, other_side
from duelbench.bench.suite import problem, row
from duelbench.cli.app import app
from duelbench.errors import InputError, RunsFailed
from tests.bench.here import PlayerHere

ROOT = Path(__file__).parents[2]
ASKED = ("random", "uniform", "--arms", "3", "--horizon", "1e3")


class PlayerOfMadeUpTimes(PlayerHere):
    """Says that a run takes ``seconds``, and plays none."""

    seconds, decisions = 1e-3, 10

    def answer(self, method, *arguments):
        runs = arguments[4] if method == "play" else 0
        made_up = {"play": [runs * self.seconds, runs * self.decisions], "yardstick": 1e-3}
        return {"value": made_up[method]} if method in made_up else super().answer(method, *arguments)


class TwiceAsSlow(PlayerOfMadeUpTimes):
    seconds = 2e-3


class OtherDecisions(PlayerOfMadeUpTimes):
    decisions = 9


@pytest.fixture(autouse=True)
def made_up_times(monkeypatch):
    monkeypatch.setattr(measuring, "start", PlayerOfMadeUpTimes)


def bench(*arguments):
    return CliRunner().invoke(app, ["bench", *map(str, arguments)])


@pytest.fixture
def old(tmp_path):
    path = tmp_path / "old.json"
    assert bench(*ASKED, "--output", path).exit_code == 0
    return path


def changed(path, change):
    """The document in the file, with its rows and machine changed."""
    document = json.loads(path.read_text())
    change(document)
    path.write_text(json.dumps(document))
    return path


def test_what_has_not_changed_is_not_called_slower_or_faster(old):
    result = bench("--compare", old)
    assert result.exit_code == 0
    assert "2 rows compared, processor time: 0 slower, 0 faster" in result.stdout


def test_what_takes_twice_as_long_is_called_slower_and_only_fails_where_that_is_asked_for(old, monkeypatch):
    monkeypatch.setattr(measuring, "start", TwiceAsSlow)
    result = bench("--compare", old)
    assert result.exit_code == 0
    assert (
        "2 slower, 0 faster" in result.stdout and "slower 2.00: uniform on linear-order-3 to T = 1e3" in result.stdout
    )
    assert bench("--compare", old, "--fail-if-slower").exit_code == 1
    monkeypatch.setattr(measuring, "start", PlayerOfMadeUpTimes)
    assert bench("--compare", old, "--fail-if-slower").exit_code == 0


def test_the_same_runs_are_played_again(old):
    document = json.loads(bench("--compare", old, "--budget", 100, "--json").stdout)
    before = json.loads(old.read_text())["rows"]
    assert [row["runs"] for row in document["rows"]] == [row["runs"] for row in before]
    compared = document["comparison"]["rows"]
    assert [row["old_seconds"] for row in compared] == [row["seconds"] for row in before]
    assert [(row["ratio"], row["verdict"]) for row in compared] == [(1.0, "")] * 2


def test_a_comparison_is_a_table_to_compare_with_and_a_page(old, tmp_path):
    data, page = tmp_path / "new.json", tmp_path / "new.md"
    assert bench("--compare", old, "--output", data, "--output", page).exit_code == 0
    assert "2 rows compared" in bench("--compare", data).stdout
    assert "| random | linear-order-3 | 3 | 1e3 | 1.000 | 1.000 | 1.00 | 1.00 | 1.00 |" in page.read_text()


def test_rows_that_are_not_on_both_sides_are_listed(old):
    def change(document):
        first, second = document["rows"]
        document["rows"] += [first | {"algorithm": "gone"}, first | {"matrix_digest": "another"}]
        document["rows"] += [first | {"matrix": "nowhere"}, first | {"seconds": second["seconds"][:2]}]

    result = bench("--compare", changed(old, change))
    assert "2 rows compared" in result.stdout
    for why in (
        "there is no such algorithm any more",
        "the matrix is another one now",
        "the matrix nowhere is not there",
    ):
        assert why in result.stderr and why in result.stdout
    assert "fewer than 3 turns" in result.stderr


def test_rows_of_the_suite_that_the_file_lacks_are_listed(old):
    result = bench("rucb", "--compare", changed(old, lambda document: document.update(suite="quick")))
    assert "not compared: rucb on mslr5-condorcet to T = 2e5: not in the file" in result.stderr
    assert "no row was measured on both sides" in result.stdout


def test_another_machine_and_other_versions_are_told(old):
    def change(document):
        document["machine"] |= {"cpu": "another", "numba": "0.1"}
        document["yardstick"] *= 10

    result = bench("--compare", changed(old, change))
    assert "cpu differs, the ratios are between machines: another, now" in result.stdout
    assert "numba differs, the ratios are between versions: 0.1, now" in result.stdout


def test_a_machine_that_is_slower_today_makes_the_resolution_coarser(old, monkeypatch):
    monkeypatch.setattr(measuring, "start", TwiceAsSlow)
    result = bench("--compare", changed(old, lambda document: document.update(yardstick=0.4e-3)))
    assert "0 slower" in result.stdout and "plain Python took 2.500 times as long" in result.stdout


def test_sides_that_take_turns_are_compared(monkeypatch):
    def start(side):
        return (TwiceAsSlow if side.called == "bench" else PlayerOfMadeUpTimes)(side)

    monkeypatch.setattr(measuring, "start", start)
    result = bench(*ASKED, "--compare-with", ROOT)
    assert result.exit_code == 0 and "2 slower, 0 faster" in result.stdout


def test_sides_that_take_other_decisions_are_told(monkeypatch):
    def start(side):
        return (OtherDecisions if side.called == "bench" else PlayerOfMadeUpTimes)(side)

    monkeypatch.setattr(measuring, "start", start)
    assert "2 rows took other decisions" in bench(*ASKED, "--compare-with", ROOT).stdout


def test_what_the_other_side_lacks_is_listed_and_no_failure(monkeypatch):
    class Lacks(PlayerOfMadeUpTimes):
        def __init__(self, side):
            super().__init__(side)
            if side.called != "bench":
                self.hello["algorithms"] = ["random"]

    monkeypatch.setattr(measuring, "start", Lacks)
    result = bench(*ASKED, "--compare-with", ROOT)
    assert result.exit_code == 0 and "1 row compared" in result.stdout
    said = "not compared: uniform on linear-order-3 to T = 1e3: on the other side: there is no such algorithm"
    assert said in result.stderr and said in result.stdout


def test_the_sides_take_turns():
    asked = []

    class Noted(PlayerOfMadeUpTimes):
        def __init__(self, side):
            super().__init__(side)
            self.called = side.called

        def answer(self, method, *arguments):
            if method == "play" and (not asked or asked[-1] != (self.called, arguments[0])):
                asked.append((self.called, arguments[0]))
            return super().answer(method, *arguments)

    rows = [row(registry.get(id), problem("linear-order-3"), 100) for id in ("random", "uniform", "rucb")]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(measuring, "start", Noted)
        list(Session(rows, [Side(called="A"), Side(called="B")], 2, 0.0, 5.0).measure())
    one = [("A", "random"), ("B", "random"), ("B", "uniform"), ("A", "uniform"), ("A", "rucb"), ("B", "rucb")]
    two = [("B", "random"), ("A", "random"), ("A", "uniform"), ("B", "uniform"), ("B", "rucb"), ("A", "rucb")]
    assert asked == [*one, *two]


def test_a_process_that_dies_loses_its_row_only(monkeypatch, tmp_path):
    class Dies(PlayerOfMadeUpTimes):
        def answer(self, method, *arguments):
            if "uniform" in arguments:
                raise PlayerEnded(-signal.SIGSEGV)
            return super().answer(method, *arguments)

    monkeypatch.setattr(measuring, "start", Dies)
    path = tmp_path / "table.json"
    result = bench("random", "uniform", "rucb", *ASKED[2:], "--output", path)
    assert isinstance(result.exception, RunsFailed) and "uniform on linear-order-3" in str(result.exception)
    assert "its process ended by signal 11" in result.stderr
    assert [row["algorithm"] for row in json.loads(path.read_text())["rows"]] == ["random", "rucb"]


def test_a_run_that_exceeds_the_limit_ends_its_process_and_another_takes_its_place():
    """With processes: compiled code listens to nobody. VDB decides in every round, and 10^12 take hours."""
    rows = [row(registry.get(id), problem("linear-order-3"), T) for id, T in (("vdb", 10**12), ("random", 100))]
    session = Session(rows, [Side()], 1, 0.0, 0.5)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(measuring, "start", PlayerProcess)
        list(session.measure())
    assert [timing.missing for timing in session.timings[0]] == ["a run takes more than 0.5 s (--limit)", ""]
    assert session.timings[0][1].seconds


@pytest.mark.thorough
def test_two_processes_are_compared(monkeypatch):
    """All of it, with this checkout on both sides."""
    monkeypatch.setattr(measuring, "start", PlayerProcess)
    document = json.loads(bench(*ASKED[1:], "--compare-with", ROOT, "--budget", 0, "--json").stdout)
    (compared,) = document["comparison"]["rows"]
    assert not compared["plays_otherwise"] and compared["low"] <= compared["ratio"] <= compared["high"]
    assert len(compared["old_seconds"]) == len(document["rows"][0]["seconds"]) == 3


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--compare", "no.json"], "--compare no.json: cannot be read"),
        (["--compare", "a.json", "--compare-with", "b"], "--compare and --compare-with: there is one old side"),
        (
            ["--compare", "a.json", "--suite", "full"],
            "--compare a.json: its rows are measured again; leave out --suite",
        ),
        (["--compare-with", ".", "--turns", "2"], "--turns 2: a comparison takes at least 3 turns"),
        (["--compare-with", "nowhere"], "--compare-with nowhere: is neither a checkout"),
        (["--fail-if-slower"], "--fail-if-slower: takes --compare or --compare-with"),
    ],
)
def test_comparisons_that_make_no_sense_are_refused(tmp_path, monkeypatch, options, said):
    monkeypatch.chdir(tmp_path)
    result = bench("random", *options)
    assert isinstance(result.exception, InputError) and said in str(result.exception)
    assert result.stdout == ""


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("#!/bin/sh\nexit 0\n", "does not run it"),
        (f'#!/bin/sh\nexec {sys.executable} -I -S "$@"\n', "No module named"),
    ],
)
def test_a_python_without_duelbench_is_refused_in_one_message(tmp_path, script, said):
    path = tmp_path / "python"
    path.write_text(script)
    path.chmod(0o755)
    with pytest.raises(InputError, match=f"--compare-with: no duelbench starts there: .*{said}"):
        PlayerProcess(other_side(path, (), "--compare-with"))
