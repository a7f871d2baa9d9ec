"""The simulation behind docs/bands.md: it counts rightly, and the page says what it printed."""

import re
from pathlib import Path

import numpy as np
import pytest

from tests.statistical.band_coverage import ALGORITHMS, MATRICES, SIZES, population, share_held, table

PAGE = (Path(__file__).parents[2] / "docs" / "bands.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| (\d+) \| (.+) \|$", PAGE, re.MULTILINE)


def test_a_symmetric_law_is_held_95_times_in_100_by_the_band_and_by_students():
    held, too_low, students = share_held(np.random.default_rng(1).normal(50, 5, 20_000), 20, 4000)
    assert held == pytest.approx(0.95, abs=0.015) and students == pytest.approx(0.95, abs=0.015)
    assert too_low == pytest.approx(0.025, abs=0.01)


def test_the_range_of_three_runs_holds_the_median_three_times_in_four():
    # All three on one side of the middle: 2 / 2^3.
    held, too_low, _ = share_held(np.random.default_rng(1).uniform(0, 1, 20_000), 3, 4000)
    assert held == pytest.approx(0.75, abs=0.03) and too_low == pytest.approx(0.125, abs=0.02)


def test_the_simulation_runs_on_real_regret():
    regret = population("rucb", "mslr5-condorcet", 300, horizon=2000)
    (line,) = table([regret], [20], 1000)
    assert line[0] == "20" and 88 <= float(line[1].split()[0]) <= 99


def test_the_page_has_a_row_for_each_number_of_runs_and_says_no_more_than_they_do():
    assert [int(runs) for runs, _ in ROWS] == list(SIZES)
    for runs, cells in ROWS:
        held = [float(cell.split()[0]) for cell in cells.split(" | ")]
        assert len(held) == len(ALGORITHMS) * len(MATRICES)
        assert min(held) >= (91.5 if int(runs) >= 8 else 65)
