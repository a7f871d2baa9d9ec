"""Figures of identification: their numbers are those of the runs."""

import csv
import io

import numpy as np
import pytest

import duelbench
from duelbench.errors import InputError
from duelbench.figures.content.answer_times import Answers
from duelbench.figures.drawing import answer_figures
from duelbench.figures.options import FigureOptions, options_of
from duelbench.figures.picture import picture
from duelbench.results.experiments import load_experiments
from duelbench.spec import load
from duelbench.statistics.tails import clopper_pearson
from tests.figures.made_up import SPEC, make_results

ANSWERS = """
name: {name}
title: {title}
matrix: two.csv
identify: {{target: condorcet, delta: 0.2}}
horizon: 1000
runs: {runs}
regret: {regret}
algorithms: [e-elimination, rucb: {{alpha: {alpha}, stop: {{rule: e-condorcet}}}}]
"""
BUDGETS = ANSWERS.replace("horizon: 1000", "budget: [2K, 100, 10]").replace(", stop: {{rule: e-condorcet}}", "")
BUDGETS = BUDGETS.replace("[e-elimination, ", "[random, ")


def _rows(text):
    return list(csv.DictReader(io.StringIO(text)))


def _played(tmp_path, text, runs=12):
    folder = tmp_path / "own"
    folder.mkdir(exist_ok=True)
    (folder / "two.csv").write_text("0.5,0.9\n0.1,0.5\n")
    (folder / "demo.yaml").write_text(text.format(name="demo", title="t", runs=runs, regret="copeland", alpha=0.51))
    duelbench.run(folder / "demo.yaml", folder / "results", jobs=1, quiet=True)
    (experiment,) = load_experiments([folder / "results" / "demo"])
    return experiment


@pytest.fixture(scope="module")
def answered(tmp_path_factory):
    return _played(tmp_path_factory.mktemp("answers"), ANSWERS)


def test_the_share_that_waits_falls_where_answers_came(answered):
    rows = _rows(picture(answered, FigureOptions(kind="waiting"), "copeland").numbers())
    for cell in answered.cells:
        own = [row for row in rows if row["label"] == cell.stored.label]
        times = np.sort(cell.finished - 1)
        assert [float(row["round"]) for row in own] == sorted(set(times.tolist()))
        for row in own:
            assert float(row["share"]) == pytest.approx(np.mean(times > float(row["round"])))
            assert float(row["low"]) <= float(row["share"]) <= float(row["high"])


def test_points_are_mean_rounds_and_shares_of_wrong_answers(answered):
    rows = _rows(picture(answered, FigureOptions(kind="error-map"), "copeland").numbers())
    for row, cell in zip(rows, answered.cells, strict=True):
        assert float(row["rounds"]) == pytest.approx((cell.finished - 1).mean())
        wrong = int((cell.answers != 0).sum())
        assert float(row["error"]) == wrong / 12
        low, high = clopper_pearson(np.array([wrong]), 12)
        assert (float(row["error_low"]), float(row["error_high"])) == (low.item(), high.item())
        # kl(0.2, 0.8) / d(0.9, 1/2) = 0.6 ln 4 / 0.36806
        assert float(row["bound"]) == pytest.approx(
            0.6 * np.log(4) / (np.log(2) + 0.9 * np.log(0.9) + 0.1 * np.log(0.1))
        )


def test_runs_without_an_answer_have_no_mean_and_wait_to_the_end():
    one = Answers("two", "rucb", "RUCB", np.array([5.0, np.inf, 7.0]), np.array([True, False, False]), 3, 100, 0.05)
    (row,) = _rows(answer_figures.error_numbers([one], None))
    assert (row["rounds"], row["median"], row["unanswered"], row["bound"]) == ("", "7.0", "1", "")
    assert float(row["error"]) == 1 / 3
    last = _rows(answer_figures.waiting_numbers([one], None))[-1]
    assert float(last["share"]) == pytest.approx(1 / 3)


def test_figures_can_be_drawn_of_few_runs_and_of_none():
    nothing = np.zeros(0)
    found = [
        Answers("two", "rucb", "RUCB", np.array([5.0]), np.array([True]), 1, 100, 0.05, 3.0),
        Answers("two", "d-ts", "D-TS", np.array([np.inf]), np.array([False]), 2, 100, 0.05, 3.0),
        Answers("two", "nts", "NTS", nothing, nothing.astype(bool), 2, 100, 0.05, 3.0),
    ]
    for draw in (answer_figures.waiting_figure, answer_figures.error_map):
        figure = draw(found, FigureOptions(), None, None, None)
        figure.draw_without_rendering()
        assert any("partial: 2 of 5 runs" in text.get_text() for text in figure.axes[0].texts)


def test_the_slowest_algorithm_stands_at_its_mean_beside_one_without_answers():
    right = np.array([True, True])
    found = [
        Answers("two", "rucb", "RUCB", np.array([98.0, 100.0]), right, 2, 100, 0.05),
        Answers("two", "d-ts", "D-TS", np.array([np.inf, np.inf]), ~right, 2, 100, 0.05),
    ]
    figure = answer_figures.error_map(found, FigureOptions(), None, None, None)
    (axes,) = figure.axes
    points = [container[0].get_xdata()[0] for container in axes.containers]
    assert points[0] == 99.0
    assert points[1] < axes.get_xlim()[1]


def test_errors_are_shares_of_wrong_recommendations_at_the_budgets(tmp_path):
    experiment = _played(tmp_path, BUDGETS)
    rows = _rows(picture(experiment, FigureOptions(kind="error"), "copeland").numbers())
    assert [row["round"] for row in rows if row["algorithm"] == "rucb"] == ["4", "10", "100"]
    for cell in experiment.cells:
        shares = [float(row["error"]) for row in rows if row["label"] == cell.stored.label]
        np.testing.assert_allclose(shares, (cell.recommendations != 0).mean(axis=0))
    with pytest.raises(InputError, match="has budgets, in place of answers"):
        picture(experiment, FigureOptions(kind="waiting"), "copeland")


def test_a_spec_that_identifies_has_a_figure_of_it(tmp_path):
    assert options_of({"identify": {}}).kind == "waiting"
    assert options_of({"identify": {}, "budget": [10]}).kind == "error"
    folder = make_results(tmp_path, spec=SPEC)
    (experiment,) = load_experiments([folder])
    for kind in ("waiting", "error", "error-map"):
        with pytest.raises(InputError, match="does not say what is to be found out"):
            picture(experiment, FigureOptions(kind=kind), "copeland")
    text = (tmp_path / "demo.yaml").read_text() + "figure: {kind: waiting}\n"
    (tmp_path / "demo.yaml").write_text(text)
    with pytest.raises(InputError, match="needs the key 'identify' in the spec"):
        load.load(tmp_path / "demo.yaml")
