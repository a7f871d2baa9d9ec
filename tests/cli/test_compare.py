"""Claims about ``duelbench compare`` and `duelbench.compare`."""

import csv
import io
import shutil

import numpy as np
import pytest

import duelbench
from duelbench.errors import IncompleteResults
from duelbench.experiments import comparing
from duelbench.experiments.execution.progress import Waiting
from duelbench.experiments.figures.comparisons import Question
from tests.cli.commands import document, done, failed, refused
from tests.experiments.figures import made_up
from tests.experiments.figures.made_up import make_results

SPEC = """
name: {name}
title: {title}
matrix: two.csv
horizon: 1000
runs: {runs}
seed: 5
regret: {regret}
checkpoints: [1, 10, 100]
algorithms: [d-ts, rucb, {{rucb: {{label: "RUCB, again", alpha: 0.8}}}}]
"""

OF_LABEL = {"D-TS": 10.0, "RUCB": 12.0, "RUCB, again": 12.0}


def _factor(label, run):
    """Three times this is regret at round 1000; D-TS has a duel less in each decade, give or take one."""
    noise = np.random.default_rng([run, len(label)]).normal()
    return OF_LABEL.get(label, 11.0) + noise


def _made(folder, name="demo", runs=12, spec=SPEC, **others):
    return make_results(folder, name, runs=runs, spec=spec, factor=others.pop("factor", _factor), **others)


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    """Thirty runs of each algorithm, which nobody changes."""
    return _made(tmp_path_factory.mktemp("results"), runs=30)


def _rows(*arguments):
    return document("compare", *arguments)


def _beside(*arguments):
    return done("compare", *arguments).stderr


def test_differences_are_those_of_the_runs_and_verdicts_follow(results):
    r = duelbench.load(results)
    a, b = (r.array(label)[:, -1] for label in ("D-TS", "RUCB"))
    rows = _rows(results)
    assert [row["verdict"] for row in rows] == ["D-TS < RUCB", "D-TS < RUCB, again", "not told apart"]
    row = rows[0]
    assert row["difference"] == pytest.approx((a - b).mean())
    assert (row["n_a"], row["n_b"], row["unit"], row["paired"], row["round"]) == (30, 30, "run", True, 1000)
    (median,) = _rows(results, "D-TS", "RUCB", "--of", "median")
    assert median["difference"] == pytest.approx(np.median(a) - np.median(b))
    (quantile,) = _rows(results, "RUCB", "D-TS", "--of", "0.75")
    assert quantile["difference"] == pytest.approx(np.quantile(b, 0.75) - np.quantile(a, 0.75))
    assert (quantile["a"], quantile["of"]) == ("RUCB", "0.75-quantile")
    (alone,) = _rows(results, "D-TS", "RUCB")  # p is corrected for the number of pairs on the problem
    assert alone["p_holm"] == alone["p"] == row["p"] and row["p_holm"] >= 2 * row["p"]
    (before,) = _rows(results, "D-TS", "RUCB", "--at", "100", "--regret", "borda")
    assert before["difference"] == pytest.approx(2 * row["difference"] * 2 / 3)


def test_csv_python_json_and_the_csv_of_a_figure_have_the_same_numbers(results, here):
    printed = done("compare", results, "--csv").stdout
    rows = list(csv.DictReader(io.StringIO(printed)))
    exact = _rows(results, "-o", "d.svg")
    assert (here / "d.csv").read_text() == printed
    assert "D-TS - RUCB" in (here / "d.svg").read_text()
    table = duelbench.load(results).compare()
    same = duelbench.compare(results, quiet=True)
    for k, (row, object_) in enumerate(zip(rows, exact, strict=True)):
        assert list(row) == list(object_), "arms are not shuffled, which both say"
        for name in ("difference", "low", "high", "p_holm"):
            assert float(row[name]) == object_[name] == table[name][k] == same[name][k]
        assert row["verdict"] == object_["verdict"] == table["verdict"][k]


def test_partial_results_are_refused_or_compared_by_what_both_have_with_a_stamp(here):
    results = _made(here)
    (results / "rucb" / "run-00003.npz").unlink()
    failed(IncompleteResults, "compare", results)
    with pytest.raises(IncompleteResults, match="partial=True"):
        duelbench.compare(results, quiet=True)
    shown = done("compare", results, "D-TS", "RUCB", "--allow-partial", "--csv")
    (row,) = csv.DictReader(io.StringIO(shown.stdout))
    assert row["n_a"] == "11" and "compared by the 11 runs that both have, of 12 and 11" in shown.stderr


def test_runs_of_two_folders_are_paired_where_seed_and_matrix_are_the_same(here, monkeypatch):
    first, again = _made(here, "first"), _made(here, "again", runs=10)
    other = _made(here, "other", spec=SPEC.replace("seed: 5", "seed: 6"))
    pairs = {(row["a"], row["b"]): row for row in _rows(first, again, other, "D-TS")}
    assert list(pairs) == [("first/D-TS", "again/D-TS"), ("first/D-TS", "other/D-TS"), ("again/D-TS", "other/D-TS")]
    same = pairs["first/D-TS", "again/D-TS"]
    assert (same["paired"], same["n_a"], same["verdict"]) == (True, 10, "not told apart")
    unpaired = pairs["again/D-TS", "other/D-TS"]
    assert (unpaired["paired"], unpaired["n_a"], unpaired["n_b"]) == (False, 10, 12)
    assert "say first/D-TS or again/D-TS" in refused("compare", first, again, "--against", "D-TS")
    by_path = _rows(first, again, f"{first}/D-TS", f"{again}/RUCB")
    assert [(row["a"], row["b"]) for row in by_path] == [("first/D-TS", "again/RUCB")]
    monkeypatch.setattr(made_up, "TWO_ARMS", "0.5,0.9\n0.1,0.5\n")
    third = _made(here / "third", "third", runs=3)
    assert {row["problem"] for row in _rows(first, again)} == {"two"}
    assert {row["problem"] for row in _rows(first, third)} == {"first/two", "third/two"}


HORIZONS = SPEC.replace(
    '[d-ts, rucb, {{rucb: {{label: "RUCB, again", alpha: 0.8}}}}]',
    '[d-ts, {{savage-copeland: {{label: "S{alpha}", horizons: [10, 100]}}}}]',
)


def test_the_same_runs_twice_are_said_to_be_the_same(here):
    first, copy = _made(here, "first"), here / "results" / "copy"
    shutil.copytree(first, copy)
    twice = _beside(first, f"{first}/", "D-TS", "RUCB")
    assert "note: results/first is named 2 times: these are the same runs, which are read once\n" in twice
    notes = _beside(first, copy).splitlines()
    (same,) = (note for note in notes if "the same runs" in note)
    assert f"{first}/D-TS and {copy}/D-TS; {first}/RUCB and {copy}/RUCB; " in same


def test_differences_beside_those_of_random_have_room(here):
    factors = {"D-TS": 10.0, "RUCB": 12.0}
    results = _made(here, factor=lambda label, run: factors.get(label, 5000.0) + run % 3 / 10)
    experiments, pairs = comparing.compared(results, Question(), None, False, Waiting(quiet=True), print)
    axes = comparing.drawing(experiments, pairs, here / "d.png").draw().axes[0]
    near, far = (axes.transData.transform((x, 0))[0] for x in (-6.0, -15000.0))
    assert axes.get_xscale() == "symlog" and axes.transAxes.inverted().transform((near, 0))[0] < 0.9 and far < near


def test_different_horizons_need_a_round_that_all_have(here):
    results = _made(here, spec=HORIZONS)
    assert "different horizons (D-TS 1000, S0.51 100); name a round (at)" in refused("compare", results)
    (row,) = _rows(results, "--at", "100")
    assert row["round"] == 100
    assert _beside(results, "--at", "10") == ""  # there are runs that were told this horizon


def test_values_of_a_swept_parameter_are_compared_with_each_other_and_with_the_others(here):
    spec = SPEC.replace(', {{rucb: {{label: "RUCB, again", alpha: 0.8}}}}', "")
    results = _made(here, spec=spec + "sweep: {{over: rucb.alpha, values: [0.6, 0.8]}}\n")
    rows = _rows(results)
    low, high = "RUCB, alpha 0.6", "RUCB, alpha 0.8"
    assert [(row["a"], row["b"]) for row in rows] == [("D-TS", low), ("D-TS", high), (low, high)]
    r = duelbench.load(results)
    a, b = r.array("D-TS")[:, -1], r.array("RUCB", **{"rucb.alpha": 0.8})[:, -1]
    assert rows[1]["difference"] == pytest.approx((a - b).mean()) and rows[1]["paired"]
    assert [(row["a"], row["b"]) for row in _rows(results, "RUCB")] == [(low, high)]
    assert [row["a"] for row in _rows(results, "--against", high)] == ["D-TS", low]


def test_random_matrices_are_the_observations_and_not_the_runs_on_them(here):
    spec = SPEC.replace("matrix: two.csv", "matrix: {{family: random}}")
    results = _made(here, spec=spec + "sweep: {{over: n_arms, values: [3, 4], games: 9}}\n", runs=2)
    row = _rows(results, "D-TS", "RUCB")[0]
    assert (row["n_a"], row["unit"], row["paired"]) == (9, "matrix", True)
    r = duelbench.load(results)
    a, b = (r.array(label, n_arms=3)[:, -1].reshape(9, 2).mean(axis=1) for label in ("D-TS", "RUCB"))
    assert row["difference"] == pytest.approx((a - b).mean())
    assert row["low"] <= (a - b).mean() - 2.306 * (a - b).std(ddof=1) / 3 + 1e-3
