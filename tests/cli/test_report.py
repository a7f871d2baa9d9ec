"""Claims about ``duelbench report``."""

import csv
import io
import json
import math
import re
import shutil

import pytest

from duelbench.bandits.problem.bounds import lower_bound
from duelbench.errors import IncompleteResults
from tests.cli.commands import command, document, done, failed, refused
from tests.experiments.figures.made_up import SPEC, make_results


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Results that no test changes."""
    return make_results(tmp_path_factory.mktemp("made"))


@pytest.fixture
def results(made, here):
    """A copy of them, with their spec."""
    shutil.copytree(made.parents[1], here, dirs_exist_ok=True)
    return here / "results" / "demo"


def _csv(*arguments):
    return list(csv.DictReader(io.StringIO(done("report", *arguments, "--csv").stdout)))


def test_json_is_the_interface_that_scripts_rely_on(made):
    rows = document("report", made)
    assert len(rows) == 4
    row = rows[0]
    assert {key: row[key] for key in ("experiment", "problem", "algorithm", "label", "runs", "horizon")} == {
        "experiment": "demo",
        "problem": "two",
        "algorithm": "d-ts",
        "label": "D-TS",
        "runs": 4,
        "horizon": 1000,
    }
    # Runs 0 to 3 have 3, 6, 9 and 12 duels of regret at round 1000, and recommend arms 0, 1, 0 and 1.
    assert set(row["regret"]) == {"mean", "std", "sem", "median", "q05", "q95", "q99", "q99.9"}
    for name, value in {"mean": 7.5, "std": 15**0.5, "sem": 15**0.5 / 2, "median": 7.5, "q05": 3.45}.items():
        assert row["regret"][name] == pytest.approx(value), name
    assert [point["round"] for point in row["curve"]] == [1, 10, 100, 1000]
    assert [point["mean"] for point in row["curve"]] == [0, 2.5, 5, 7.5]
    assert set(row["curve"][0]) == {"round", "mean", "sem"}
    assert row["recommends_winner"] == 0.5
    assert "bounds" not in row and "bound" not in _csv(made)[0]


def test_the_terminal_gets_a_table_of_the_columns_asked_for(made, here):
    lines = done("report", made).stdout.splitlines()
    assert " ".join(lines[1].split()) == "problem algorithm t runs mean sem median q05 q95 winner"
    assert " ".join(lines[2].split()) == "two D-TS 1000 4 7.500 1.936 7.500 3.450 11.55 50%"
    lines = done("report", made, "--columns", "median, q99,locked", "--html", "page.html").stdout.splitlines()
    # Runs 1 and 3 of 4 recommend arm 1 throughout: Clopper and Pearson's ends for 2 of 4 are 0.0676 and 0.9324.
    assert " ".join(lines[2].split()) == "two D-TS 1000 4 7.500 - 50.00% [6.76, 93.24]"
    heads = re.findall(r'<th scope="col"[^>]*>([^<]*)</th>', (here / "page.html").read_text())
    assert heads[:5] == ["algorithm", "runs", "median", "q99", "locked"]  # problem and round are said once


def test_markdown_is_a_table_that_a_bar_in_a_label_does_not_break(here):
    spec = "name: {name}\ntitle: {title}\nmatrix: two.csv\nhorizon: 100\nruns: {runs}\nalgorithms:\n"
    spec += "  - rucb: {{label: 'a | b', alpha: {alpha}}}\nregret: {regret}\n"
    lines = done("report", make_results(here, spec=spec), "--markdown").stdout.splitlines()
    assert lines[2].startswith("| problem | algorithm | t | runs | mean |")
    assert lines[4].startswith("| two | a \\| b | 100 | 4 | ")


def test_csv_is_read_back_to_the_last_bit_and_the_regret_asked_for_is_tabulated(made):
    rows, exact = _csv(made, "--regret", "borda"), document("report", made, "--regret", "borda")
    assert [float(row["std"]) for row in rows] == [row["regret"]["std"] for row in exact]
    assert (exact[0]["definition"], exact[0]["regret"]["mean"]) == ("borda", 15.0)
    assert rows[1]["label"] == "RUCB & co"


def test_an_experiment_that_is_not_complete_is_refused_and_keeps_no_other_away(results, here):
    other = make_results(here, "other", title="Another one")
    next(other.rglob("run-00001.npz")).unlink()
    shown = command("report", results.parent, "--json", "--html", "page.html")
    assert isinstance(shown.exception, IncompleteResults) and shown.exception.exit_code == 4
    assert {row["experiment"] for row in json.loads(shown.stdout)} == {"demo"}
    assert "A demonstration" in (text := (here / "page.html").read_text()) and "Another one" not in text
    assert "3 of 4 runs" in str(shown.exception) and str(other) in str(shown.exception)


def test_partial_results_are_counted_in_every_form(results, here):
    (results / "two" / "d-ts" / "run-00001.npz").unlink()
    failed(IncompleteResults, "report", results)
    shown = done("report", results, "--allow-partial", "--html", "page.html")
    assert "3 of 4" in shown.stdout and "note: partial" in shown.stderr
    page = (here / "page.html").read_text()
    assert '<p class="warning">partial: demo/two/d-ts: 3 of 4 runs of D-TS on two' in page
    assert "partial: 7 of 8 runs" in page and str(here) not in page
    rows = json.loads(done("report", results, "--allow-partial", "--json").stdout)
    assert (rows[0]["runs"], rows[0]["planned"]) == (3, 4)


def test_the_page_is_one_file_that_needs_no_other(made, here):
    other = make_results(here, "other", title="A < B & C", runs=1)
    done("report", made, other, "--html", "page.html")
    text = (here / "page.html").read_text()
    loaded = re.findall(r'<(?:link|img|script|iframe|image)[^>]* (?:src|href)="([^"#][^"]*)"', text)
    assert {place.partition(",")[0] for place in loaded} <= {"data:", "data:image/png;base64"}
    ids, references = re.findall(r' id="([^"]*)"', text), re.findall(r'(?:url\(|href=")#([^")]*)', text)
    assert len(set(ids)) == len(ids) and set(references) <= set(ids)
    assert text.count("<figure ") == 2 * 5  # regret, and for each problem duels and its matrix
    for fact in ("A &lt; B &amp; C", "RUCB &amp; co", "1,000 rounds", "<dd>0, 1, 2</dd>", "two.csv", "7.500", "50%"):
        assert fact in text
    row = document("report", other)[0]  # a single run has no deviation: null, and no NaN
    assert row["regret"]["std"] is None and row["curve"][0]["sem"] is None and row["regret"]["median"] == 3.0


BOUNDED = """
name: {name}
title: {title}
problems: {{two: two.csv, cycle: cycle.csv}}
horizon: 1000
runs: {runs}
regret: {regret}
checkpoints: [1, 10, 100]
bounds: [copeland, ecw]
algorithms: [d-ts, {{rucb: {{alpha: {alpha}}}}}]
"""


@pytest.fixture(scope="module")
def bounded(tmp_path_factory):
    return make_results(tmp_path_factory.mktemp("bounded"), "bounded", spec=BOUNDED)


def test_bounds_give_json_an_object_by_kind_and_csv_four_columns_each(bounded):
    rows = document("report", bounded)
    assert list(rows[0]["bounds"]) == ["copeland", "ecw"]
    found = rows[0]["bounds"]["copeland"]
    assert set(found) == {"constant", "slope", "slope_over_constant", "regret_over_bound"}
    assert found["constant"] == lower_bound([[0.5, 0.75], [0.25, 0.5]]).constant
    assert found["regret_over_bound"] == pytest.approx(7.5 / (found["constant"] * math.log(1000)))
    assert found["slope_over_constant"] == pytest.approx(found["regret_over_bound"])  # 2.5 log10 t is a straight line
    assert rows[2]["bounds"]["copeland"]["regret_over_bound"] is None  # three winners in a circle: C* = 0
    for row, object_ in zip(_csv(bounded), rows, strict=True):
        for kind, values in object_["bounds"].items():
            for name, value in values.items():
                assert row[f"{kind}_{name}"] == ("" if value is None else repr(value))


def test_details_are_a_table_of_their_own_and_in_json(made):
    # Runs recommend arm k mod 2, of which arm 0 wins: half are wrong at the horizon. Regret k log10(t) doubles from
    # 100 to 1000 by 3 / 2, so that its exponent is log10(3 / 2).
    row = document("report", made)[0]
    assert row["settled"]["median"] == {"value": 500.0, "low": None, "high": None}
    assert row["growth"] == {"value": pytest.approx(math.log10(3 / 2)), "low": None, "high": None}
    plain, detailed = (done("report", made, *more).stdout for more in ((), ("--details",)))
    assert "exponent" not in plain and detailed.startswith(plain)
    assert detailed.splitlines()[9].split()[-4:] == ["1000", "[689.3,", "-]", "0.176"]
    assert "CSV has none" in refused("report", made, "--details", "--csv")


def test_the_round_in_which_regret_reaches_a_threshold_is_a_column(made):
    # Run k of four has (k + 1) log10(t) duels at rounds 10, 100 and 1000: 6 duels in rounds -, 1000, 100 and 100.
    row = document("report", made, "--reach", "6")[0]
    assert row["reached"] == {"threshold": 6.0, "value": 550.0, "low": None, "high": None, "not_reached": 1}
    table = done("report", made, "--reach", "6").stdout
    assert "winner  reaches 6  not by t" in table and "reaches 6: the first checkpoint with a regret of" in table
    assert _csv(made, "--reach", "6")[0]["reached_value"] == "550.0"
    assert document("report", made, "--reach", "100")[0]["reached"]["value"] is None
    assert "--reach 0: write a regret above 0" in refused("report", made, "--reach", "0")


def test_a_sweep_says_a_constant_once(here):
    spec = SPEC.replace("problems: {{two: two.csv, cycle: cycle.csv}}", "matrix: two.csv\nbounds: [copeland]")
    spec = spec.replace("alpha: {alpha}, ", "")
    results = make_results(here, spec=f"{spec}sweep: {{{{over: rucb.alpha, values: [0.6, 0.8]}}}}\n")
    (line,) = (line for line in done("report", results).stdout.splitlines() if line.startswith("C*,"))
    assert line.count("on two") == 0 and "'copeland': 3.82228; slope" in line
