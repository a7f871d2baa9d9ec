"""The table of speeds is right in form, and its numbers fit together. How fast anything is, no test says."""

import json

import numpy as np
import pytest
from typer.testing import CliRunner

from duelbench.algorithms import registry
from duelbench.cli.app import app
from duelbench.cli.bench_suite import COLUMNS, SUITES, cells, measure, problem
from duelbench.cli.published_speed import PARAMETERS, PUBLISHED, published
from duelbench.errors import InputError
from duelbench.problem.winners import condorcet_winner, copeland_winners

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


def bench(*arguments: str) -> str:
    result = CliRunner().invoke(app, ["bench", "--budget", "0", *arguments])
    assert result.exit_code == 0, result.output
    return result.stdout


def test_json_has_a_row_for_each_algorithm_matrix_and_horizon():
    rows = json.loads(
        bench("random", "savage-copeland", "--arms", "4", "--horizon", "1e3", "--horizon", "2e3", "--json")
    )
    expected = [(id, "linear-order-4", 4, T) for id in ("random", "savage-copeland") for T in (1000, 2000)]
    assert [(row["algorithm"], row["matrix"], row["n_arms"], row["horizon"]) for row in rows] == expected
    assert all(set(row) >= PROMISED for row in rows)


def test_the_numbers_of_a_row_fit_together():
    for row in json.loads(bench("random", "rucb", "--arms", "3", "--horizon", "5e3", "--json")):
        assert row["ns_per_round"] * row["horizon"] == pytest.approx(1e9 * row["seconds_per_run"])
        assert row["ns_per_decision"] * row["decisions"] == pytest.approx(1e9 * row["seconds_per_run"])
        assert 1 <= row["decisions"] <= row["horizon"]
        assert row["seconds_per_run"] > 0
        assert row["ratio"] is None  # nobody has published this row
    (row,) = json.loads(bench("random", "--arms", "3", "--horizon", "5e3", "--json"))
    assert row["decisions"] == row["horizon"]  # it decides in every round


def test_a_published_row_has_the_ratio_of_the_times():
    algorithm = registry.get("interleaved-filter")
    row = measure(algorithm, problem("linear-order-64"), 100_000, budget=0)
    assert (row["program"], row["published_ns_per_round"]) == ("Komiyama et al. 2015", 56)
    assert row["ratio"] * row["ns_per_round"] == pytest.approx(56)


def test_a_rule_that_differs_is_measured_like_the_published_one():
    row = measure(registry.get("btm"), problem("linear-order-64"), 100_000, budget=0)
    assert row["parameters"] == PARAMETERS["Komiyama et al. 2015", "btm"]
    assert cells(row)[0] == "btm gamma=1.2 const=1.0 self_duels=False ties=lowest"
    assert measure(registry.get("btm"), problem("linear-order-4"), 1000, budget=0)["parameters"] == {}
    for (_, id), parameters in PARAMETERS.items():
        assert set(parameters) <= set(registry.get(id).resolve(parameters))


def test_every_published_row_is_in_the_full_suite_and_of_algorithms_that_exist():
    for row in PUBLISHED:
        assert (row.matrix, row.horizon) in SUITES["full"]
        assert set(row.ns_per_round) <= set(registry.BUILT_IN)
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
    assert {"cpu", "cores", "python", "numba", "numpy", "date"} <= set(document["machine"])
    assert [row["algorithm"] for row in document["rows"]] == ["random", "uniform"]
    table = [line for line in page.read_text().splitlines() if line.startswith("|")]
    assert [cell.strip() for cell in table[0].strip("|").split("|")] == list(COLUMNS)
    assert len(table) == 4 and all(line.count("|") == len(COLUMNS) + 1 for line in table[2:])
    assert document["machine"]["cpu"] in page.read_text()


def test_what_takes_too_long_is_left_out_and_named():
    result = CliRunner().invoke(app, ["bench", "random", "--arms", "3", "--horizon", "1e6", "--limit", "0", "--json"])
    assert result.exit_code == 0
    assert json.loads(result.stdout) == []
    assert "left out: random on linear-order-3" in result.stderr


def test_a_table_in_an_unknown_format_is_refused_before_anything_is_measured():
    result = CliRunner().invoke(app, ["bench", "random", "--output", "table.xls"])
    assert isinstance(result.exception, InputError) and ".md or .json" in str(result.exception)
