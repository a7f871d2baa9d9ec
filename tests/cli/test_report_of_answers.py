"""``duelbench report`` of experiments that identify, against a plain count of their result files."""

import csv
import io
import json
import math

import numpy as np
import pytest

import duelbench
from duelbench.experiments.results.manifest import open_results
from tests.cli.commands import document, done

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


def traces(folder, label: str) -> list:
    cell = next(cell for cell in open_results(folder).cells if cell.label == label)
    return [cell.read(run).trace for run in range(cell.n_runs)]


def lines(*arguments):
    return list(csv.DictReader(io.StringIO(done(*arguments).stdout)))


def test_the_counts_and_times_are_those_of_the_runs(folder):
    row = document("report", folder / "ended")[0]
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
    line = lines("report", folder / "ended", "--csv")[0]
    assert line["rounds_mean"] == "" and float(line["rounds_at_least"]) == found["rounds_at_least"]


def test_the_table_of_runs_has_the_answer_of_each_when_it_came_and_whether_it_is_right(folder):
    found = lines("export", folder / "ended", "--runs")
    label = found[0]["label"]
    played = traces(folder / "ended", label)
    own = [line for line in found if line["label"] == label]
    assert {trace.answer for trace in played} >= {0, -2}  # or a case below is not tried
    assert [int(line["answer"]) for line in own] == [trace.answer for trace in played]
    assert [float(line["answered_after"] or -1) for line in own] == [trace.finished - 1 for trace in played]
    assert [line["right"] for line in own] == [str(trace.answer == 0) for trace in played]


def test_budgets_are_judged_by_what_was_recommended_then(folder):
    rows = document("report", folder / "spent")
    for row in rows:
        assert "identified" not in row and [one["budget"] for one in row["budgets"]] == [3, 30]
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
    assert float(lines("report", folder / "spent", "--csv")[0]["budget_30_error"]) == rows[0]["budgets"][1]["error"]
    runs = duelbench.load(folder / "spent").runs
    assert np.isnan(runs["answer"][runs["label"] == "Random"]).all()
    assert runs["right"].tolist() == (runs["recommended"] == 0).tolist()  # arm 0 is the only Copeland winner


def test_compare_is_of_rounds_before_answers_up_to_the_round_compared(folder):
    shown = done("compare", folder / "ended", "--json", "--at", "40")
    (row,) = json.loads(shown.stdout)
    assert row["definition"] == "rounds" and row["round"] <= 40
    for side in "ab":
        times = [one.finished - 1 if one.finished else math.inf for one in traces(folder / "ended", row[side])]
        assert row[f"value_{side}"] == pytest.approx(np.mean([min(t, row["round"]) for t in times]))
        assert row[f"answered_{side}"] == np.mean([t <= row["round"] for t in times]) < 1
    assert "of its runs have no answer" in shown.stderr
    shown = done("compare", folder / "ended", "--regret", "copeland", "--json")
    assert json.loads(shown.stdout)[0]["definition"] == "copeland"
    assert "note: ended: compares regret; for answers see" in shown.stderr


def test_the_tables_for_people_begin_with_the_answers(folder, tmp_path):
    for options in ([], ["--markdown"]):
        text = done("report", folder / "ended", "--html", "page.html", *options).stdout
        assert text.index("answers, and rounds before them") < text.index("cumulative copeland regret")
        row = next(line for line in text.splitlines() if "until e-condorcet" in line)
        assert row.count("> ") == 2  # rounds and duels
    assert "answers, and rounds before them</h2>" in (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "what is recommended after budgets" in done("report", folder / "spent").stdout
