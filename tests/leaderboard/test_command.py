"""``duelbench leaderboard``: what it prints and writes, and what it refuses."""

import json

import pytest

from tests.cli.commands import done, refused
from tests.experiments.figures.made_up import make_results

SHORTER = """
name: {name}
title: {title}
problems: {{two: two.csv}}
horizon: 100
runs: {runs}
seed: 5
checkpoints: [1, 10]
algorithms: [d-ts, uniform]
"""


@pytest.fixture
def results(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return make_results(tmp_path, factor=lambda label, run: (run + 1) * (10 if label == "RUCB & co" else 1))


def test_the_table_of_one_regret_and_one_number_of_rounds_is_printed(results):
    printed = done("leaderboard", results).stdout
    assert printed.splitlines()[0] == "A total order, 1 matrix of 2 arms: Copeland regret after 1,000 rounds"
    rows = [line.split() for line in printed.splitlines()[3:5]]
    assert rows == [
        ["1", "1", "D-TS", "1", "50.0%", "50.0%", "1.54"],
        ["2", "2", "RUCB", "&", "co", "10", "50.0%", "50.0%", "1.54"],
    ]
    assert "Borda regret after 1,000 rounds" in done("leaderboard", results, "--regret", "borda").stdout


def test_a_first_place_with_a_heavy_tail_has_a_warning(tmp_path):
    """One run in four has a hundred times the regret of the others."""
    heavy = make_results(tmp_path, factor=lambda label, run: (100 if run == 3 else 1) * (1 if label == "D-TS" else 2))
    assert "D-TS has a heavy tail: 50.0% of its runs" in done("leaderboard", heavy).stdout


def test_an_experiment_that_ends_earlier_is_named(results, tmp_path):
    shorter = make_results(tmp_path / "shorter", name="shorter", spec=SHORTER)
    told = done("leaderboard", results, shorter).stderr
    assert "shorter ends after 100 rounds and is not in this table: --horizon 100 has it" in told
    assert "shorter ends" not in done("leaderboard", results, shorter, "--horizon", "100").stderr


def test_json_and_the_page_have_all_tables(results):
    content = json.loads(done("leaderboard", results, "--json", "--html", "board.html").stdout)
    assert [(table["setting"], table["regret"]) for table in content["tables"]] == [
        (setting, regret) for setting in ("order", "copeland") for regret in ("copeland", "borda")
    ]
    page = (results.parents[1] / "board.html").read_text(encoding="utf-8")
    assert page.count("data-choice=") == 4 and "RUCB &amp; co" in page


def test_what_is_not_there_is_refused_with_what_is(results):
    assert "--regret copeland, borda and --horizon 1000" in refused("leaderboard", results, "--regret", "weak")
    assert "after 10 rounds" in refused("leaderboard", results, "--horizon", "10")
    assert "ends with .html" in refused("leaderboard", results, "--html", "board.txt")
