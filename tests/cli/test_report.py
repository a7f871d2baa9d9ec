"""Claims about ``duelbench report``."""

import csv
import io
import json
import math
import re
from html.parser import HTMLParser

import pytest
import typer
from typer.testing import CliRunner

from duelbench.cli.report import report
from duelbench.errors import IncompleteResults, InputError
from duelbench.problem.bounds import lower_bound
from tests.figures.made_up import make_results

app = typer.Typer()
app.command()(report)


def _report(*arguments, fails=None):
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    if fails is None:
        assert result.exit_code == 0, result.exception or result.output
    else:
        assert isinstance(result.exception, fails), result.output
    return result


@pytest.fixture
def results(tmp_path):
    return make_results(tmp_path)


def test_json_is_the_interface_that_scripts_rely_on(results):
    rows = json.loads(_report(results, "--json").stdout)
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
    assert set(row["regret"]) == {"mean", "std", "sem", "median", "q05", "q95", "q99", "q99.9"}
    assert row["regret"]["mean"] == 7.5
    assert [point["round"] for point in row["curve"]] == [1, 10, 100, 1000]
    assert set(row["curve"][0]) == {"round", "mean", "sem"}
    assert row["recommends_winner"] == 0.5


def test_json_is_a_document_though_nothing_is_whole(results):
    next(results.rglob("run-*.npz")).unlink()
    assert json.loads(_report(results, "--json", fails=IncompleteResults).stdout) == []


def test_json_has_null_for_the_spread_of_a_single_run(tmp_path):
    row = json.loads(_report(make_results(tmp_path, runs=1), "--json").stdout)[0]
    assert row["regret"]["std"] is None
    assert row["curve"][0]["sem"] is None
    assert row["regret"]["median"] == 3.0


def test_the_terminal_gets_an_aligned_table(results):
    lines = _report(results).stdout.splitlines()
    assert lines[0] == "demo: cumulative copeland regret after round t, in duels"
    assert " ".join(lines[1].split()) == "problem algorithm t runs mean sem median q05 q95 winner"
    assert " ".join(lines[2].split()) == "two D-TS 1000 4 7.500 1.936 7.500 3.450 11.55 50%"
    assert len({line.index("1000") for line in lines[2:]}) == 1


def test_the_columns_of_the_table_can_be_chosen(results, tmp_path):
    page = tmp_path / "page.html"
    lines = _report(results, "--columns", "median, q99,locked", "--html", page).stdout.splitlines()
    assert " ".join(lines[1].split()) == "problem algorithm t runs median q99 locked"
    # Runs 1 and 3 of 4 recommend arm 1 throughout: Clopper and Pearson's ends for 2 of 4 are 0.0676 and 0.9324.
    assert " ".join(lines[2].split()) == "two D-TS 1000 4 7.500 - 50.00% [6.76, 93.24]"
    heads = re.findall(r'<th scope="col">([^<]*)</th>', page.read_text())
    assert heads == ["algorithm", "runs", "median", "q99", "locked"]  # problem and round are said once
    markdown = _report(results, "--columns", "locked", "--markdown").stdout.splitlines()
    assert markdown[2] == "| problem | algorithm | t | runs | locked |"


def test_columns_that_do_not_exist_or_cannot_be_chosen_are_refused(results):
    error = _report(results, "--columns", "mean,q999", fails=InputError).exception
    assert str(error).startswith("--columns mean,q999: no column is called 'q999' (did you mean 'q99.9'?")
    error = _report(results, "--columns", "mean", "--json", fails=InputError).exception
    assert "JSON and CSV have all columns" in str(error)
    assert "no column is called ''" in str(_report(results, "--columns", "mean,", fails=InputError).exception)


def test_extreme_quantiles_and_locked_runs_are_in_csv_and_json(tmp_path):
    # Run k ends with 3 (k + 1) duels: of 201 runs the 99% quantile is that of run 198, 3 * 199.
    folder = make_results(tmp_path, runs=201)
    row = json.loads(_report(folder, "--json").stdout)[0]
    assert row["regret"]["q99"] == pytest.approx(597) and row["regret"]["q99.9"] is None
    assert row["locked"]["share"] == 100 / 201 and 0 < row["locked"]["low"] < 0.5 < row["locked"]["high"] < 1
    line = next(csv.DictReader(io.StringIO(_report(folder, "--csv").stdout)))
    assert float(line["q99"]) == row["regret"]["q99"] and line["q99.9"] == ""
    assert [float(line[f"locked{end}"]) for end in ("", "_low", "_high")] == list(row["locked"].values())


def test_several_experiments_get_a_table_each(results):
    make_results(results.parent.parent, "other")
    shown = _report(results.parent).stdout
    assert re.findall(r"^(\w+): cumulative", shown, re.MULTILINE) == ["demo", "other"]


def test_markdown_is_a_table_that_a_bar_in_a_label_does_not_break(tmp_path):
    spec = "name: {name}\ntitle: {title}\nmatrix: two.csv\nhorizon: 100\nruns: {runs}\nalgorithms:\n"
    spec += "  - rucb: {{label: 'a | b', alpha: {alpha}}}\nregret: {regret}\n"
    lines = _report(make_results(tmp_path, spec=spec), "--markdown").stdout.splitlines()
    assert lines[2:4] == [
        "| problem | algorithm | t | runs | mean | sem | median | q05 | q95 | winner |",
        "| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    assert lines[4].startswith("| two | a \\| b | 100 | 4 | ")


def test_csv_is_read_back_to_the_last_bit(results):
    rows = list(csv.DictReader(io.StringIO(_report(results, "--csv").stdout)))
    exact = json.loads(_report(results, "--json").stdout)
    assert [float(row["std"]) for row in rows] == [row["regret"]["std"] for row in exact]
    assert rows[1]["label"] == "RUCB & co"


def test_forms_exclude_each_other(results):
    error = _report(results, "--json", "--csv", fails=InputError).exception
    assert "choose one" in str(error)


def test_incomplete_results_are_refused(results):
    (results / "two" / "d-ts" / "run-00001.npz").unlink()
    assert _report(results, fails=IncompleteResults).exception.exit_code == 4


def test_an_experiment_that_is_not_complete_keeps_no_other_away(results, tmp_path):
    other = make_results(results.parent.parent, "other")
    next(other.rglob("run-00001.npz")).unlink()
    shown = _report(results.parent, "--json", "--html", tmp_path / "page.html", fails=IncompleteResults)
    assert shown.exception.exit_code == 4
    assert {row["experiment"] for row in json.loads(shown.stdout)} == {"demo"}
    assert "A demonstration" in (tmp_path / "page.html").read_text()
    message = str(shown.exception)
    assert "not complete and are left out" in message and "3 of 4 runs" in message and str(other) in message
    assert "`duelbench run`" in message


def test_the_regret_asked_for_is_tabulated(results):
    first, second = (json.loads(_report(results, "--json", *more).stdout)[0] for more in ([], ["--regret", "borda"]))
    assert (first["definition"], second["definition"]) == ("copeland", "borda")
    assert (first["regret"]["mean"], second["regret"]["mean"]) == (7.5, 15.0)
    assert "--regret weak: demo recorded" in str(_report(results, "--regret", "weak", fails=InputError).exception)


def test_a_spec_stands_for_its_results(results, monkeypatch):
    monkeypatch.chdir(results.parent.parent)
    assert _report("demo.yaml").stdout == _report("results/demo").stdout
    assert _report("demo.yaml", "--out", "results").exit_code == 0
    assert "`duelbench run` it first" in str(_report("demo.yaml", "--out", "no", fails=InputError).exception)
    assert "--scale" in str(_report("results/demo", "--scale", "quick", fails=InputError).exception)


def test_partial_results_are_counted_in_every_form(results, tmp_path):
    (results / "two" / "d-ts" / "run-00001.npz").unlink()
    shown = _report(results, "--allow-partial", "--html", tmp_path / "page.html")
    assert "3 of 4" in shown.stdout
    assert "note: partial" in shown.stderr
    page = (tmp_path / "page.html").read_text()
    assert '<p class="warning">partial: ' in page
    assert "partial: 7 of 8 runs" in page
    rows = json.loads(_report(results, "--allow-partial", "--json").stdout)
    assert (rows[0]["runs"], rows[0]["planned"]) == (3, 4)


class _Page(HTMLParser):
    """What a page loads from elsewhere, its ids, its references to them, and its unclosed elements."""

    VOID = frozenset({"meta", "img", "link", "!doctype"})
    NO_ICON = "data:,"

    def __init__(self, text):
        super().__init__()
        self.loads, self.ids, self.references, self.open = [], [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        if tag == "iframe" or (tag == "link" and values.get("href") != self.NO_ICON):
            self.loads.append(tag)
        places = [values.get(name) or "" for name in ("src", "href", "xlink:href")]
        inside = ("#", "data:image/png;base64,", self.NO_ICON)
        self.loads += [place for place in places if not place.startswith(inside) and place]
        if "id" in values:
            self.ids.append(values["id"])
        if values.get("xlink:href", "").startswith("#"):
            self.references.append(values["xlink:href"][1:])
        self.references += re.findall(r"url\(#([^)]*)\)", " ".join(filter(None, values.values())))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in self.VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def test_the_page_is_one_file_that_needs_no_other(results, tmp_path):
    make_results(results.parent.parent, "other", title="A < B & C")
    shown = _report(results.parent, "--html", tmp_path / "page.html")
    text = (tmp_path / "page.html").read_text()
    page = _Page(text)
    assert page.open == []
    assert page.loads == []
    assert len(set(page.ids)) == len(page.ids)
    assert set(page.references) <= set(page.ids)
    assert text.count("<figure>") == 2
    assert "A &lt; B &amp; C" in text
    assert "RUCB &amp; co" in text
    assert f"wrote {tmp_path / 'page.html'}" in shown.stderr


def test_the_page_says_what_was_run_and_on_what(results, tmp_path):
    _report(results, "--html", tmp_path / "page.html")
    text = (tmp_path / "page.html").read_text()
    for fact in ("1,000 rounds", "<dd>0, 1, 2</dd>", "<dd>none</dd>", "two.csv", "7.500", "50%"):
        assert fact in text


def test_the_same_results_give_the_same_page(results, tmp_path):
    _report(results, "--html", tmp_path / "a.html")
    _report(results, "--html", tmp_path / "b.html")
    assert (tmp_path / "a.html").read_bytes() == (tmp_path / "b.html").read_bytes()


@pytest.mark.parametrize("name", ["page.pdf", "."])
def test_a_page_needs_the_name_of_a_page(results, name):
    assert "--html" in str(_report(results, "--html", name, fails=InputError).exception)


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


@pytest.fixture
def bounded(tmp_path):
    return make_results(tmp_path, "bounded", spec=BOUNDED)


def test_bounds_give_json_an_object_by_kind(bounded):
    rows = json.loads(_report(bounded, "--json").stdout)
    assert list(rows[0]["bounds"]) == ["copeland", "ecw"]
    found = rows[0]["bounds"]["copeland"]
    assert set(found) == {"constant", "slope", "slope_over_constant", "regret_over_bound"}
    assert found["constant"] == lower_bound([[0.5, 0.75], [0.25, 0.5]]).constant
    assert found["regret_over_bound"] == pytest.approx(7.5 / (found["constant"] * math.log(1000)))
    assert found["slope_over_constant"] == pytest.approx(found["regret_over_bound"])  # 2.5 log10 t is a straight line
    assert rows[2]["bounds"]["copeland"]["regret_over_bound"] is None  # three winners in a circle: C* = 0


def test_without_bounds_there_is_nothing_about_them(results):
    assert "bounds" not in json.loads(_report(results, "--json").stdout)[0]
    assert "bound" not in _report(results, "--csv").stdout and "slope" not in _report(results, "--csv").stdout
    assert "ln t" not in _report(results).stdout


def test_bounds_give_the_tables_two_columns_each(bounded):
    lines = _report(bounded).stdout.splitlines()
    assert lines[1].split()[9:] == ["winner", "slope/C*", "mean/(C*", "ln", "t)", "slope/CE*", "mean/(CE*", "ln", "t)"]
    c = lower_bound([[0.5, 0.75], [0.25, 0.5]]).constant
    ratio = f"{2.5 / math.log(10) / c:.3f}"
    assert lines[2].split()[-4:] == [ratio] * 4
    assert lines[4].split()[-4:] == ["-"] * 4
    assert lines[6] == (
        f"C*, the constant of the bound 'copeland': {c:.6g} on two, 0 on cycle;"
        " slope: of the mean against ln t since t / 10"
    )
    markdown = _report(bounded, "--markdown").stdout.splitlines()
    assert markdown[2].endswith("| winner | slope/C* | mean/(C* ln t) | slope/CE* | mean/(CE* ln t) |")
    assert markdown[3].count("|") == markdown[4].count("|") == markdown[2].count("|")


def test_bounds_give_csv_four_columns_each(bounded, results):
    rows = list(csv.DictReader(io.StringIO(_report(bounded, "--csv").stdout)))
    exact = json.loads(_report(bounded, "--json").stdout)
    for row, object_ in zip(rows, exact, strict=True):
        for kind, values in object_["bounds"].items():
            for name, value in values.items():
                assert row[f"{kind}_{name}"] == ("" if value is None else repr(value))


def test_the_page_has_the_bounds_in_its_figure_and_its_table(bounded, tmp_path):
    _report(bounded, "--html", tmp_path / "page.html")
    text = (tmp_path / "page.html").read_text()
    assert ">slope/C*</th>" in text
    assert "C*, the constant of the bound" in text
    assert _Page(text).open == []


def test_bounds_on_another_regret_are_left_out(tmp_path):
    results = make_results(tmp_path, "other", spec=BOUNDED, regret="[borda, copeland]")
    assert "bounds" not in json.loads(_report(results, "--json").stdout)[0]
