"""The simulation behind docs/leaderboard-method.md: it counts rightly, and what the page claims of it."""

import re
from pathlib import Path

import numpy as np
import pytest

from tests.statistical.leaderboard_ranks import KINDS, SETUPS, TABLES, UNLIKE, alike, found, law, table

PAGE = (Path(__file__).parents[2] / "docs" / "leaderboard-method.md").read_text(encoding="utf-8")
ROWS = [
    (names.strip(), [float(cell) for cell in cells.split(" | ")])
    for names, cells in re.findall(r"^\| (\S[^|]*?) \| ([\d.]+(?: \| [\d.]+){11}) \|$", PAGE, re.MULTILINE)
]
N_TRIALS = 150


def _most(n):
    """Of so many correct tables one series in a thousand has a larger share that is wrong, at 5%."""
    return 0.05 + 3.1 * (0.05 * 0.95 / n) ** 0.5


@pytest.mark.parametrize("name", ["normal", "lognormal", "rare"])
def test_copies_of_one_law_are_told_apart_in_5_tables_of_100_at_most(name):
    assert found([law(name)[:3]], 10, 20, N_TRIALS)["apart"] <= _most(N_TRIALS)


def test_runs_that_go_together_on_different_matrices_do_not_tell_copies_apart():
    rng = np.random.default_rng(1)
    together = rng.gamma(6, size=(8, 2000)) + rng.gamma(6, size=(1, 2000))
    assert found([together], 10, 20, N_TRIALS)["apart"] <= _most(N_TRIALS)


def test_what_differs_is_told_apart_and_ranges_hold_the_true_ranks():
    laws = [factor * law("normal")[:1] for factor in (1, 2, 2, 3)]
    shares = found(laws, 4, 20, 50)
    assert shares["wrong"] <= _most(50) and 1.4 < shares["ranks"] < 1.6


def test_a_disaster_in_one_run_of_a_hundred_is_missed_by_twenty():
    assert found(alike(("normal", "rare"), 1), 10, 20, 50)["wrong"] > 0.9


def test_the_simulation_prints_lines_of_the_table():
    (line,) = table([("normal",)], False, "apart", 2)
    assert line[0] == "normal" and len(line) == 1 + len(SETUPS)


def test_the_page_has_a_row_for_each_kind_and_none_is_told_apart_from_itself_too_often():
    assert [names for names, _ in ROWS] == [", ".join(names) for names in (*KINDS, *UNLIKE)]
    assert max(max(cells) for names, cells in ROWS if names != "normal, rare") <= 100 * _most(TABLES)


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["RMED1", "D-TS"])
def test_copies_of_an_algorithm_are_told_apart_in_5_tables_of_100_at_most(name):
    assert found([law(name)], 30, 20, N_TRIALS)["apart"] <= _most(N_TRIALS)
