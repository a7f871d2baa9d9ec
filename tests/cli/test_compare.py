"""Claims about ``duelbench compare`` and `duelbench.compare`."""

import csv
import io
import json

import numpy as np
import pytest
import typer
from typer.testing import CliRunner

import duelbench
from duelbench.cli.compare import compare
from duelbench.errors import IncompleteResults, InputError
from tests.figures import made_up
from tests.figures.made_up import make_results

app = typer.Typer()
app.command()(compare)

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


def _made(folder, name="demo", runs=30, spec=SPEC, **others):
    return make_results(folder, name, runs=runs, spec=spec, factor=others.pop("factor", _factor), **others)


@pytest.fixture
def results(tmp_path):
    return _made(tmp_path)


def _compare(*arguments, fails=None):
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    if fails is None:
        assert result.exit_code == 0, result.exception or result.output
    else:
        assert isinstance(result.exception, fails), result.output
        assert result.exception.exit_code == (2 if fails is InputError else 4)
    return result


def _message(*arguments):
    return str(_compare(*arguments, fails=InputError).exception)


def _rows(*arguments):
    return json.loads(_compare(*arguments, "--json").stdout)


def test_the_terminal_gets_a_table_with_a_verdict_for_each_pair(results):
    lines = _compare(results).stdout.splitlines()
    assert lines[0].startswith("mean of cumulative copeland regret after round t, in duels: A - B")
    assert lines[1].split() == ["problem", "A", "B", "t", "n", "A", "-", "B", "low", "high", "p", "verdict"]
    assert [line.split("  ")[-1].strip() for line in lines[2:5]] == [
        "D-TS < RUCB",
        "D-TS < RUCB, again",
        "not told apart",
    ]


def test_differences_are_those_of_the_runs(results):
    r = duelbench.load(results)
    a, b = (r.array(label)[:, -1] for label in ("D-TS", "RUCB"))
    row = _rows(results, "D-TS", "RUCB")[0]
    assert row["difference"] == pytest.approx((a - b).mean())
    assert (row["n_a"], row["n_b"], row["unit"], row["paired"], row["round"]) == (30, 30, "run", True, 1000)
    (median,) = _rows(results, "D-TS", "RUCB", "--of", "median")
    assert median["difference"] == pytest.approx(np.median(a) - np.median(b))
    (quantile,) = _rows(results, "RUCB", "D-TS", "--of", "0.75")
    assert quantile["difference"] == pytest.approx(np.quantile(b, 0.75) - np.quantile(a, 0.75))
    assert (quantile["a"], quantile["of"]) == ("RUCB", "0.75-quantile")


def test_p_is_corrected_for_the_number_of_pairs_on_the_problem(results):
    both, alone = _rows(results), _rows(results, "D-TS", "RUCB")
    assert alone[0]["p_holm"] == alone[0]["p"] == both[0]["p"]
    assert both[0]["p_holm"] >= 2 * both[0]["p"]
    assert len(_rows(results, "--against", "RUCB")) == 2


def test_csv_python_and_json_have_the_same_numbers(results):
    rows = list(csv.DictReader(io.StringIO(_compare(results, "--csv").stdout)))
    exact = _rows(results)
    table = duelbench.load(results).compare()
    same = duelbench.compare(results, quiet=True)
    for k, (row, object_) in enumerate(zip(rows, exact, strict=True)):
        assert list(row) == list(object_)
        for name in ("difference", "low", "high", "p_holm"):
            assert float(row[name]) == object_[name] == table[name][k] == same[name][k]
        assert row["verdict"] == object_["verdict"] == table["verdict"][k]


def test_a_definition_and_a_round_can_be_chosen(results):
    at_end, before = _rows(results, "D-TS", "RUCB")[0], _rows(results, "D-TS", "RUCB", "--at", "100")[0]
    assert before["difference"] == pytest.approx(at_end["difference"] * 2 / 3)
    borda = _rows(results, "D-TS", "RUCB", "--regret", "borda")[0]
    assert borda["difference"] == pytest.approx(2 * at_end["difference"])


def test_between_checkpoints_the_last_before_is_taken_and_said(results):
    shown = _compare(results, "D-TS", "RUCB", "--at", "5e2")
    assert "note: two: compared after round 100, the last checkpoint of all up to 500" in shown.stderr
    assert "--at 1001: beyond the horizon" in _message(results, "--at", "1001")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["D-TSS"], "D-TSS: no algorithm of these results has that label (did you mean 'D-TS'?)"),
        (["D-TS"], "D-TS alone cannot be compared; name another label (there are D-TS, RUCB, RUCB, again on two)"),
        (["D-TS", "RUCB", "--of", "mode"], "--of mode: mean, median, or a quantile between 0 and 1"),
        (["results/no-such"], "results/no-such: there are no results in such a folder, and no algorithm"),
        (["--of", "1"], "--of 1: mean, median"),
        (["--against", "rucbb"], "rucbb: no algorithm"),
        (["--regret", "weak"], "--regret weak: demo recorded copeland, borda only"),
        (["--json", "--csv"], "exclude each other"),
        (["-o", "figure.txt"], "--output figure.txt: name a file"),
    ],
)
def test_what_is_wrong_is_said_in_a_sentence(results, arguments, words):
    assert words in _message(results, *arguments)


def test_results_that_are_not_complete_are_refused_or_compared_by_what_both_have(results):
    (results / "rucb" / "run-00003.npz").unlink()
    _compare(results, fails=IncompleteResults)
    shown = _compare(results, "D-TS", "RUCB", "--allow-partial", "--json")
    assert json.loads(shown.stdout)[0]["n_a"] == 29
    assert "compared by the 29 runs that both have, of 30 and 29" in shown.stderr
    with pytest.raises(IncompleteResults, match="partial=True"):
        duelbench.compare(results, quiet=True)


def test_one_run_cannot_be_compared(tmp_path):
    assert "have 1 run in common: two at least" in _message(_made(tmp_path, runs=1))


def test_few_runs_and_quantiles_without_an_end_are_noted(tmp_path):
    results = _made(tmp_path, runs=7)
    assert "with fewer than 8 runs the interval of a mean often misses" in _compare(results).stderr
    shown = _compare(results, "D-TS", "RUCB", "--of", "0.9", "--json")
    assert "the interval of a 0.9-quantile has two ends from 36 runs on" in shown.stderr
    assert json.loads(shown.stdout)[0]["low"] is None


def test_a_mean_that_one_run_makes_is_noted(tmp_path):
    results = _made(tmp_path, factor=lambda label, run: 1000.0 if (label, run) == ("D-TS", 3) else _factor(label, run))
    shown = _compare(results)
    assert "D-TS on two: the largest run makes 78% of the mean" in shown.stderr
    assert "RUCB on two: the largest" not in shown.stderr
    assert "the largest" not in _compare(results, "--of", "median").stderr


def test_runs_of_two_folders_are_paired_where_seed_and_matrix_are_the_same(tmp_path):
    first, again = _made(tmp_path, "first"), _made(tmp_path, "again", runs=20)
    other = _made(tmp_path, "other", spec=SPEC.replace("seed: 5", "seed: 6"))
    shown = _compare(first, again, other, "D-TS", "--json")
    pairs = {(row["a"], row["b"]): row for row in json.loads(shown.stdout)}
    assert list(pairs) == [("first/D-TS", "again/D-TS"), ("first/D-TS", "other/D-TS"), ("again/D-TS", "other/D-TS")]
    same = pairs["first/D-TS", "again/D-TS"]
    assert (same["paired"], same["n_a"], same["verdict"]) == (True, 20, "not told apart")
    assert "they are the same runs" in shown.stderr
    unpaired = pairs["again/D-TS", "other/D-TS"]
    assert (unpaired["paired"], unpaired["n_a"], unpaired["n_b"]) == (False, 20, 30)
    assert "where seeds differ, no runs belong together" in shown.stderr
    assert len(_rows(first, again, "first/D-TS", "again/RUCB")) == 1
    assert "say first/D-TS or again/D-TS" in _message(first, again, "--against", "D-TS")
    by_path = _rows(first, again, f"{first}/D-TS", f"{again}/RUCB")
    assert [(row["a"], row["b"]) for row in by_path] == [("first/D-TS", "again/RUCB")]


@pytest.mark.parametrize(
    ("arguments", "asked", "words"),
    [
        ([[]], {}, "name one results folder or several"),
        ([None], {}, "name one results folder or several"),
        (["results"], {"at": "1e4"}, "at '1e4': a round is a whole number"),
        (["results"], {"at": 1.5}, "at 1.5: a round is a whole number"),
        (["results"], {"of": None}, "of None: mean, median"),
        (["results", ["RUCB", "D-TS"]], {}, "each is an argument of its own, but ['RUCB', 'D-TS'] was given"),
        (["results"], {"against": 1}, "a label is text"),
    ],
)
def test_wrong_arguments_in_python_are_said_in_a_sentence(results, arguments, asked, words):
    place, *labels = arguments
    with pytest.raises(InputError) as raised:
        duelbench.compare(results if place == "results" else place, *labels, **asked)
    assert words in str(raised.value)


def test_other_matrices_of_one_name_are_other_problems(tmp_path, monkeypatch):
    first = _made(tmp_path, "first")
    other = _made(tmp_path / "elsewhere", "second")
    monkeypatch.setattr(made_up, "TWO_ARMS", "0.5,0.9\n0.1,0.5\n")
    third = _made(tmp_path / "third", "third")
    assert {row["problem"] for row in _rows(first, other)} == {"two"}
    assert {row["problem"] for row in _rows(first, third)} == {"first/two", "third/two"}


def test_labels_without_a_partner_on_their_problem_are_an_error_that_lists_what_there_is(tmp_path):
    first = _made(tmp_path, "first", spec=SPEC.replace("two.csv", "cycle.csv"))
    other = _made(tmp_path, "other", spec=SPEC.replace('label: "RUCB, again"', 'label: "Mine"'))
    message = _message(first, other, "RUCB, again", "Mine")
    assert "name two labels of one problem" in message and "Mine on two" in message


HORIZONS = """
name: {name}
title: {title}
matrix: two.csv
horizon: 1000
runs: {runs}
regret: {regret}
checkpoints: [1, 10, 100]
algorithms: [d-ts, {{savage-copeland: {{label: "S{alpha}", horizons: [10, 100]}}}}]
"""


def test_different_horizons_need_a_round_that_all_have(tmp_path):
    results = _made(tmp_path, spec=HORIZONS)
    assert "different horizons (D-TS 1000, S0.51 100); --at ROUND" in _message(results)
    (row,) = _rows(results, "--at", "100")
    assert row["round"] == 100
    assert _compare(results, "--at", "10").stderr == ""  # there are runs that were told this horizon


GAMES = """
name: {name}
title: {title}
problem_or_matrix
horizon: 1000
runs: {runs}
regret: {regret}
checkpoints: [1, 10, 100]
sweep: {{over: n_arms, values: [3, 4], games: 9}}
algorithms: [d-ts, {{rucb: {{alpha: {alpha}}}}}]
""".replace("problem_or_matrix", "matrix: {{family: random}}")


def test_random_matrices_are_the_observations_and_not_the_runs_on_them(tmp_path):
    results = _made(tmp_path, spec=GAMES, runs=4)
    rows = _rows(results)
    assert [(row["n_a"], row["unit"], row["paired"]) for row in rows] == [(9, "matrix", True)] * 2
    r = duelbench.load(results)
    a, b = (r.array(label, n_arms=3)[:, -1].reshape(9, 4).mean(axis=1) for label in ("D-TS", "RUCB"))
    assert rows[0]["difference"] == pytest.approx((a - b).mean())
    assert rows[0]["low"] <= (a - b).mean() - 2.306 * (a - b).std(ddof=1) / 3 + 1e-3


def test_a_figure_comes_with_its_numbers_and_is_the_same_each_time(results, tmp_path):
    shown = _compare(results, "-o", tmp_path / "d.svg", "--json")
    assert len(json.loads(shown.stdout)) == 3 and f"wrote {tmp_path / 'd.svg'}" in shown.stderr
    assert (tmp_path / "d.csv").read_text() == _compare(results, "--csv").stdout
    drawn = (tmp_path / "d.svg").read_text()
    assert "D-TS - RUCB" in drawn and "difference of the means after round 1000 (duels): Copeland regret" in drawn
    assert "95% intervals, 30 runs" in drawn
    _compare(results, "-o", tmp_path / "d.svg")
    assert (tmp_path / "d.svg").read_text() == drawn


def test_a_checkpoint_far_before_the_round_asked_for_is_explained(tmp_path):
    far = SPEC.replace("[1, 10, 100]", "[1, 10, 600]")
    first, other = _made(tmp_path, "first"), _made(tmp_path, "other", spec=far)
    said = _compare(first, other, "D-TS", "--at", "700").stderr
    assert "compared after round 10, the last checkpoint of all up to 700; those after it are not of all" in said
    assert "(first/D-TS 100, other/D-TS 600): give the specs the same `checkpoints`" in said


def test_too_few_runs_for_any_verdict_on_quantiles_are_said_to_be_so(tmp_path):
    """0.9^45 is above 0.05 / 3 / 2, and 0.9^46 below: with 45 runs no p-value of three can be below 0.05 / 3."""
    said = "note: two: no verdict can be had of 0.9-quantiles with 45 runs: 3 pairs need 46 at least"
    assert said in _compare(_made(tmp_path / "few", runs=45), "--of", "0.9").stderr
    far = {"D-TS": 10.0, "RUCB": 30.0, "RUCB, again": 60.0}
    enough = _made(tmp_path / "enough", runs=46, factor=lambda label, run: far[label] + run / 100)
    assert "no verdict" not in _compare(enough, "--of", "0.9").stderr
    assert "not told apart" not in {row["verdict"] for row in _rows(enough, "--of", "0.9")}
    too_few = _made(tmp_path / "too-few", runs=45, factor=lambda label, run: far[label] + run / 100)
    assert {row["verdict"] for row in _rows(too_few, "--of", "0.9")} == {"not told apart"}


def test_the_largest_of_a_handful_of_runs_is_not_called_a_tail(tmp_path):
    results = _made(tmp_path, runs=5, factor=lambda label, run: 10.0 + 10 * (run == 4))
    assert "largest run" not in _compare(results).stderr
    more = _made(tmp_path / "more", runs=25, factor=lambda label, run: 1.0 + 30 * (run == 4))
    assert "the largest run makes" in _compare(more).stderr


def test_a_figure_of_what_is_partial_says_so(results, tmp_path):
    (results / "rucb" / "run-00003.npz").unlink()
    _compare(results, "--allow-partial", "-o", tmp_path / "d.svg")
    assert ">partial<" in (tmp_path / "d.svg").read_text()
