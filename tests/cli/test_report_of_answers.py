"""``duelbench report`` of experiments that identify, against a plain count of their result files."""

import csv
import io
import json
import math
from dataclasses import replace

import numpy as np
import pytest
from typer.testing import CliRunner

import duelbench
from duelbench.cli.app import app
from duelbench.figures.answer_table import of_answers
from duelbench.figures.content.answers import Identified
from duelbench.problem.identification import Question
from duelbench.results.manifest import open_results
from duelbench.statistics.answers import QUANTILES, Times, error_rate

SPECS = {
    "ended": "matrix: m.csv\nidentify: {target: condorcet, delta: 0.1}\nhorizon: 60\nruns: 12\n"
    "algorithms: [{random: {stop: {rule: e-condorcet}}}, {uniform: {label: all}}]\n",
    "spent": "matrix: m.csv\nidentify: {target: copeland}\nbudget: [1K, 10K]\nruns: 8\n"
    "algorithms: [random, {random: {stop: {rule: pairs}, label: ranked}}]\n",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("answers")
    (folder / "m.csv").write_text("0.5,0.9,0.6\n0.1,0.5,0.9\n0.4,0.1,0.5\n")
    for name, text in SPECS.items():
        (folder / f"{name}.yaml").write_text(text)
        duelbench.run(folder / f"{name}.yaml", folder / "results", jobs=1, quiet=True)
    return folder / "results"


def said(*arguments: object) -> str:
    result = CliRunner().invoke(app, [*map(str, arguments)])
    assert result.exit_code == 0, result.output
    return result.stdout


def traces(folder, label: str) -> list:
    cell = next(cell for cell in open_results(folder).cells if cell.label == label)
    return [cell.read(run).trace for run in range(cell.n_runs)]


def test_the_counts_and_times_are_those_of_the_runs(folder):
    row = json.loads(said("report", folder / "ended", "--json"))[0]
    found = row["identified"]
    played = traces(folder / "ended", row["label"])
    answers = [trace.answer for trace in played]
    assert found["right"] == answers.count(0)
    assert found["unanswered"] == answers.count(-2)
    assert found["wrong"] == len(answers) - answers.count(0) - answers.count(-2)
    times = sorted(trace.finished - 1 if trace.finished else math.inf for trace in played)
    assert 0 < found["unanswered"] < 12 and found["rounds_mean"] is None  # or the cases below are not tried
    assert found["rounds_at_least"] == pytest.approx(np.mean(np.minimum(times, 60)))
    assert found["rounds_q25"] == times[2] and found["rounds_q10"] == times[1]
    assert found["rounds_q99"] is None
    assert found["duels_mean"] is None and found["duels_sem"] is None
    assert found["duels_at_least"] == pytest.approx(np.mean([t.duels.sum() - np.trace(t.duels) for t in played]))
    assert found["error_low"] == 0 and found["above_delta"] is False and found["delta"] == 0.1


def test_the_table_of_runs_has_the_answer_of_each_when_it_came_and_whether_it_is_right(folder):
    lines = list(csv.DictReader(io.StringIO(said("export", folder / "ended", "--runs"))))
    label = lines[0]["label"]
    played = traces(folder / "ended", label)
    own = [line for line in lines if line["label"] == label]
    assert {trace.answer for trace in played} >= {0, -2}  # or a case below is not tried
    assert [int(line["answer"]) for line in own] == [trace.answer for trace in played]
    times = [line["answered_after"] for line in own]
    assert [float(time or -1) for time in times] == [trace.finished - 1 for trace in played]
    assert [line["right"] for line in own] == [str(trace.answer == 0) for trace in played]


def test_with_budgets_what_is_recommended_at_the_end_is_judged(folder):
    runs = duelbench.load(folder / "spent").runs
    is_random = runs["label"] == "Random"
    assert is_random.any() and np.isnan(runs["answer"][is_random]).all()
    # Arm 0 beats both others: the only Copeland winner.
    assert runs["right"].tolist() == (runs["recommended"] == 0).tolist()


def test_compare_says_that_it_is_about_regret(folder):
    result = CliRunner().invoke(app, ["compare", str(folder / "ended")])
    assert result.exit_code == 0, result.output
    told = f"note: ended: compares regret; for duels to the answer see `duelbench report {folder / 'ended'}`"
    assert result.stderr.splitlines().count(told) == 1


def test_an_algorithm_with_neither_answer_nor_bound_has_no_such_key(folder):
    rows = json.loads(said("report", folder / "spent", "--json"))
    assert all("identified" not in row for row in rows)
    assert [one["budget"] for one in rows[0]["budgets"]] == [3, 30]


def test_budgets_are_judged_by_what_was_recommended_then(folder):
    for row in json.loads(said("report", folder / "spent", "--json")):
        played = traces(folder / "spent", row["label"])
        for k, one in enumerate(row["budgets"]):
            recommended = [int(trace.recommended[k]) for trace in played]
            assert one["error"] == sum(arm != 0 for arm in recommended) / 8
            # Arm 0 beats two arms, 1 beats one.
            assert one["rank"] == pytest.approx(np.mean([arm + 1 for arm in recommended]))
        last = row["budgets"][-1]
        ranked = row["label"] == "ranked"
        assert (last["winner_rank"] is not None) == ranked
        if ranked:
            assert last["winner_rank"] == pytest.approx(np.mean([trace.places[0] + 1 for trace in played]))
        assert last["difficulty"] == pytest.approx(0.16)


def test_the_tables_for_people_begin_with_the_answers(folder):
    for options in ([], ["--markdown"]):
        text = said("report", folder / "ended", *options)
        assert text.index("answers, and rounds before them") < text.index("cumulative copeland regret")
        row = next(line for line in text.splitlines() if "until e-condorcet" in line)
        assert row.count("> ") == 2 and "bound: so many duels" in text  # rounds and duels
        assert "what is recommended after budgets" in said("report", folder / "spent", *options)


def test_a_promise_that_does_not_hold_on_a_matrix_is_said_where_it_is_broken():
    error = error_rate(50, 100)
    times = Times(10.0, 1.0, 10.0, (10.0,) * len(QUANTILES))
    kept = Identified(Question("condorcet"), 50, 0, error, times, (10.0, 1.0), None)
    for one, more in ((kept, ""), (replace(kept, lacking="a Condorcet winner"), " (assumes a Condorcet winner, which")):
        below = of_answers([("circle", "RUCB", one)])[2]
        assert f"above delta: RUCB on circle: its runs show more errors than its delta, 0.05{more}" in below[-1]
        assert below[-1].endswith("circle does not have)" if more else "0.05")


def test_the_csv_has_the_same_numbers(folder):
    lines = list(csv.DictReader(io.StringIO(said("report", folder / "ended", "--csv"))))
    assert (
        lines[0]["rounds_mean"] == "" and float(lines[0]["rounds_at_least"]) > 0 and lines[0]["above_delta"] == "False"
    )
    lines = list(csv.DictReader(io.StringIO(said("report", folder / "spent", "--csv"))))
    rows = json.loads(said("report", folder / "spent", "--json"))
    assert float(lines[0]["budget_30_error"]) == rows[0]["budgets"][1]["error"]


def test_the_page_has_the_table(folder, tmp_path):
    said("report", folder / "ended", "--html", tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "<h2>The Condorcet winner, or that there is none: answers, and rounds before them</h2>" in page
