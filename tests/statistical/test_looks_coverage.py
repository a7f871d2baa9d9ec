"""Looks at the runs keep their promise, and the page says what the simulation printed."""

import re
from pathlib import Path

import numpy as np
import pytest

from duelbench.statistics.looks import Until
from tests.statistical.looks_coverage import EQUAL, EXPERIMENTS, RANKED, RANKED_SHORT, laws, precision, ranking, table

PAGE = (Path(__file__).parents[2] / "docs" / "runs-until.md").read_text(encoding="utf-8")
ROWS = {
    (runs, who): dict(
        zip(("wrong", "held", "decided", "runs"), [cell.strip() for cell in cells.split("|")], strict=True)
    )
    for runs, who, cells in re.findall(r"^\| (until .+?) \| (.+?) \|((?:[\d. ]*\|){3}[\d. ]*)\|$", PAGE, re.MULTILINE)
}
SHORT = Until(None, most=60)
N_TRIALS = 1000


def margin(n):
    """Of a share of 5% of n trials: one correct test in a thousand is beyond it on one side."""
    return 3.1 * (0.05 * 0.95 / n) ** 0.5


@pytest.mark.parametrize("law", ["lognormal", "normal", "rare"])
def test_what_is_equal_is_called_different_in_at_most_5_of_100_whole_experiments(law):
    one = laws()[law]
    counted = ranking([one, one], SHORT, N_TRIALS)
    assert counted["wrong"] <= 0.05 + margin(N_TRIALS)
    assert counted["held"] >= 0.95 - margin(N_TRIALS)


def test_three_that_are_equal_have_no_verdict_in_at_least_95_of_100_whole_experiments():
    assert ranking([laws()["normal"]] * 3, SHORT, N_TRIALS)["wrong"] <= 0.05 + margin(N_TRIALS)


def test_looking_again_and_again_without_sharing_the_error_is_caught():
    """The same looks, each with all of the 5%: the simulation finds what the sharing is for."""

    class Careless(Until):
        error = 0.05

    one = laws()["normal"]
    assert ranking([one, one], Careless(None, most=400), N_TRIALS)["wrong"] > 0.05 + margin(N_TRIALS)


def test_a_difference_is_found_long_before_the_last_look():
    rng = np.random.default_rng(1)
    counted = ranking([rng.normal(10, 1, 2000), rng.normal(11, 1, 2000)], Until(None, most=1000), 40)
    assert counted["decided"] == 1 and counted["wrong"] == 0 and counted["runs"] < 80


def test_a_mean_that_is_known_is_held_at_least_95_times_in_100():
    rng = np.random.default_rng(1)
    counted = precision(rng.normal(10, 5, 4000), Until(0.1, most=400), N_TRIALS)
    assert counted["held"] >= 0.95 - margin(N_TRIALS) and counted["decided"] > 0.9 and counted["runs"] < 400


def test_the_page_has_the_rows_that_the_simulation_prints():
    some = laws()
    lines = list(table({**some, "D-TS": some["lognormal"], "RUCB": some["normal"]}, 1))
    assert [tuple(line[:2]) for line in lines] == list(ROWS)


@pytest.mark.parametrize("law", ["normal", "rare"])
def test_the_page_has_the_numbers_that_the_simulation_prints(law):
    one = laws()[law]
    counted = ranking([one, one], RANKED_SHORT, EXPERIMENTS)
    row = ROWS[RANKED_SHORT.words, f"{law}, {law}"]
    assert [f"{100 * counted['wrong']:.1f}", f"{counted['runs']:.0f}"] == [row["wrong"], row["runs"]]


@pytest.mark.parametrize("rule", [RANKED_SHORT, RANKED], ids=["100", "1000"])
@pytest.mark.parametrize("name", EQUAL)
def test_on_the_page_none_is_called_different_from_itself_in_more_than_5_of_100_experiments(name, rule):
    row = ROWS[rule.words, f"{name}, {name}"]
    assert float(row["wrong"]) <= 5 and float(row["held"]) >= 95


def test_the_page_names_the_law_whose_mean_the_intervals_miss():
    missed = {who for (_, who), row in ROWS.items() if float(row["held"]) < 95}
    assert missed == {"rare"} and "in 40 of 100 experiments only" in " ".join(PAGE.split())
