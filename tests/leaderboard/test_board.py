"""How a leaderboard is made of results."""

import json

import numpy as np
import pytest

from duelbench.bandits.statistics.ranks import ranks
from duelbench.errors import IncompleteResults, InputError
from duelbench.experiments.results.experiments import load_experiments
from duelbench.leaderboard import scores
from duelbench.leaderboard.board import build
from duelbench.leaderboard.runs import comparable_runs, runs_of_places
from tests.experiments.figures.made_up import make_results

LONGER = """
name: {name}
title: {title}
problems: {{two: two.csv, cycle: cycle.csv}}
horizon: 10000
runs: {runs}
seed: 5
regret: {regret}
checkpoints: [1, 10, 100, 1000]
algorithms:
  - d-ts
  - uniform
  - savage-copeland: {{horizons: [1000]}}
  - rmed2fh: {{horizons: [10000]}}
"""

LATE = """
name: {name}
title: {title}
matrix: two.csv
horizon: 100
runs: {runs}
feedback_batch: 5
checkpoints: [1, 10]
algorithms: [d-ts]
"""


@pytest.fixture(scope="module")
def short(tmp_path_factory):
    """Results in which RUCB has ten times the regret of D-TS."""
    return make_results(
        tmp_path_factory.mktemp("short"), factor=lambda label, run: (run + 1) * (10 if label == "RUCB & co" else 1)
    )


@pytest.fixture(scope="module")
def longer(tmp_path_factory):
    return make_results(tmp_path_factory.mktemp("longer"), name="longer", spec=LONGER, runs=6)


def board_of(*folders, allow_partial=False):
    return build(load_experiments(folders, allow_partial=allow_partial))


def test_a_row_is_what_the_runs_show(short):
    """Runs of D-TS have 3, 6, 9 and 12 duels of regret, those of RUCB ten times as many; runs 1 and 3 name arm 1."""
    tables = {(table.setting, table.regret): table for table in board_of(short).tables}
    assert list(tables) == [(s, r) for s in ("order", "copeland") for r in ("copeland", "borda")]
    first, second = tables["order", "copeland"].rows
    assert (first.label, first.times, second.label, second.times) == ("D-TS", 1, "RUCB & co", 10)
    assert (first.low, first.high, second.low, second.high) == (1, 1, 2, 2), "in each run it is ten times"
    assert (first.right, first.locked_in, first.tail) == (0.5, 0.5, round(11.55 / 7.5, 4))
    assert tables["copeland", "copeland"].rows[0].right == 1, "every arm of a circle is a Copeland winner"


def test_a_table_has_the_ranks_of_its_scores(tmp_path):
    """With forty runs a factor of two is seen, and one of 1.01 is not."""
    factors = {"a": 1.0, "b": 1.01, "c": 2.0}
    results = make_results(
        tmp_path,
        runs=40,
        spec=LATE.replace("feedback_batch: 5\n", "").replace(
            "[d-ts]", "[random: {{label: a}}, uniform: {{label: b}}, d-ts: {{label: c}}]"
        ),
        factor=lambda label, run: factors[label] * (90 + np.random.default_rng([run, ord(label)]).integers(20)),
    )
    (table,) = board_of(results).tables
    assert {row.label: (row.low, row.high, row.group) for row in table.rows} == {
        "a": (1, 2, 1),
        "b": (1, 2, 1),
        "c": (3, 3, 2),
    }
    runs = {group.label: group for group in comparable_runs(load_experiments([results]))}
    known = scores.scores([[runs[label]] for label in "abc"], "copeland", 100)
    assert known.means[2, 0] == pytest.approx(runs["c"].regret("copeland", 100).mean(), rel=1e-7)
    ranking = ranks(known)
    assert table.floor == pytest.approx(ranking.floor, rel=1e-3)
    assert [row.label for row in table.rows] == ["abc"[k] for k in ranking.order]


def test_a_cell_is_read_from_the_shortest_runs_that_reach_it(short, longer):
    runs = comparable_runs(load_experiments([longer, short]))
    sha256 = next(group.matrix.sha256 for group in runs if group.loaded.stored.problem == "two")
    places = {(label, n): group for (matrix, label, n), group in runs_of_places(runs).items() if matrix == sha256}
    assert places["D-TS", 1000].experiment.name == "demo"
    assert places["D-TS", 10_000].experiment.name == "longer"
    assert places["Uniform", 1000].experiment.name == "longer", "its runs pass through 1000 rounds"
    assert places["SAVAGE (Copeland)", 1000].horizon == 1000
    assert ("SAVAGE (Copeland)", 10_000) not in places
    assert ("RMED2FH", 1000) not in places, "it knew that there would be 10,000 rounds"


def test_an_algorithm_that_was_not_played_on_all_matrices_is_missing(short, tmp_path):
    linear = LONGER.replace("two: two.csv, cycle: cycle.csv", "linear: {{family: linear, n_arms: 3}}")
    other = make_results(tmp_path, name="other", spec=linear.replace("- uniform", "- rucb: {{label: RUCB & co}}"))
    table = next(t for t in board_of(short, other).tables if (t.setting, t.horizon) == ("order", 1000))
    assert [row.label for row in table.rows] == ["D-TS", "RUCB & co"]
    assert table.missing == ["SAVAGE (Copeland)"]


def test_the_same_results_give_the_same_bytes_in_whatever_order_they_are_named(short, longer):
    text = board_of(short, longer).encode()
    assert text == board_of(longer, short).encode()
    content = json.loads(text)
    assert content["tables"][0]["rows"].keys() == {
        "label",
        "low",
        "high",
        "group",
        "times",
        "right",
        "locked_in",
        "tail",
    }
    assert content["means"]["1000"]["D-TS"] == [7.5, 7.5]


def test_matrices_of_few_and_many_arms_have_tables_of_their_own(tmp_path):
    spec = LATE.replace("feedback_batch: 5\n", "").replace("[d-ts]", "[random, d-ts]")
    problems = "problems: {{few: {{family: linear, n_arms: 3}}, many: {{family: linear, n_arms: 17}}}}"
    results = make_results(tmp_path, spec=spec.replace("matrix: two.csv", problems))
    tables = board_of(results).tables
    names = [problem.name for problem in board_of(results).problems]
    assert [(table.arms, [names[k] for k in table.problems]) for table in tables if table.regret == "copeland"] == [
        ("all", ["few", "many"]),
        ("up to 16", ["few"]),
        ("more than 16", ["many"]),
    ]


def test_correlations_are_those_of_the_runs_that_both_have_rounded_down():
    rng = np.random.default_rng(1)
    x, y, z = rng.normal(size=(3, 30)) + rng.normal(size=30)
    samples = [dict(enumerate(x)), dict(enumerate(y)), dict(enumerate(z[:20]))]
    matrix = scores.correlations(samples, [3, 3, 3])
    assert matrix[0, 1] == np.floor(100 * np.corrcoef(x, y)[0, 1]) / 100
    assert matrix[0, 2] == np.floor(100 * np.corrcoef(x[:20], z[:20])[0, 1]) / 100
    half = scores.correlations([samples[0], {k: z[k - 15] for k in range(15, 45)}], [3, 3])
    assert half[0, 1] == np.floor(50 * np.corrcoef(x[15:], z[:15])[0, 1]) / 100
    assert scores.correlations(samples[:2], [3, 4])[0, 1] == 0, "other seeds"
    twice = scores.correlations([samples[0], {k: 2 * value for k, value in samples[0].items()}], [3, 3])
    assert twice[0, 1] == 1


def test_runs_on_different_matrices_are_correlated_if_they_share_their_numbers(short):
    runs = [group for group in comparable_runs(load_experiments([short])) if group.label == "D-TS"]
    assert scores.correlation_across(runs, "copeland", 1000) == 1, "made-up runs are the same on both matrices"
    assert scores.correlation_across(runs[:1], "copeland", 1000) == 0


def test_results_that_cannot_be_compared_are_refused(short, tmp_path):
    with pytest.raises(InputError, match="one run of D-TS on two"):
        board_of(make_results(tmp_path / "one", runs=1))
    with pytest.raises(InputError, match="demo has feedback in batches or late"):
        board_of(make_results(tmp_path / "late", spec=LATE))
    with pytest.raises(InputError, match=r"RUCB & co is one thing in .*demo and another in .*other"):
        board_of(short, make_results(tmp_path / "other", name="other", alpha=0.9))
    seeded = LATE.replace("feedback_batch: 5\n", "").replace("seed: 5", "seed: 6")
    with pytest.raises(
        InputError, match=r"demo has the seed \d and .*seeded \d: a leaderboard compares runs of the same"
    ):
        board_of(short, make_results(tmp_path / "seeded", spec=seeded, name="seeded"))
    unshuffled = LATE.replace("feedback_batch: 5", "seed: 5\nshuffle_arms: false").replace("[d-ts]", "[uniform]")
    with pytest.raises(InputError, match=r"Uniform in .*unshuffled was played with other settings \(arms are not"):
        board_of(short, make_results(tmp_path / "unshuffled", spec=unshuffled, name="unshuffled"))
    with pytest.raises(InputError, match="nothing to rank"):
        board_of(make_results(tmp_path / "alone", spec=LATE.replace("feedback_batch: 5\n", "")))
    results = make_results(tmp_path / "part")
    (results / "two" / "d-ts" / "run-00001.npz").unlink()
    with pytest.raises(IncompleteResults, match="3 of 4 runs of D-TS on two"):
        board_of(results)
    assert board_of(results, allow_partial=True).tables[0].rows[1].right == round(2 / 3, 4)
