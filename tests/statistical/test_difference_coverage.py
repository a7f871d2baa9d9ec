"""The simulation behind docs/compare.md: it counts rightly, the page says what it printed, and what it claims of it."""

import re
from pathlib import Path

import numpy as np
import pytest

from tests.statistical.difference_coverage import EXPERIMENTS, PAIRS, SIZES, made_up, share_held, table

PAGE = (Path(__file__).parents[2] / "docs" / "compare.md").read_text(encoding="utf-8")
ROWS = {
    (statistic.strip(), pair.strip()): [float(cell) for cell in cells.split(" | ")]
    for statistic, pair, cells in re.findall(r"^\| (\S.*?) \| (.+? - .+?) \| ([\d. |]+) \|$", PAGE, re.MULTILINE)
}
N_TRIALS = 400
MARGIN = 3.3 * (0.05 * 0.95 / N_TRIALS) ** 0.5
"""Of a share of so many trials: one correct test in a thousand is beyond it on one side."""


@pytest.mark.parametrize("statistic", EXPERIMENTS)
@pytest.mark.parametrize("law", ["lognormal", "normal", "rare"])
def test_what_is_equal_is_called_different_at_most_5_times_in_100(law, statistic):
    drawn = made_up()[law]
    assert share_held(drawn, drawn, statistic, 40, N_TRIALS) >= 0.95 - MARGIN


def test_a_known_difference_of_normal_laws_is_held_95_times_in_100():
    rng = np.random.default_rng(1)
    a, b = rng.normal(50, 5, 20_000), rng.normal(40, 9, 20_000)
    for statistic in ("mean", "mean, not paired", "median"):
        assert share_held(a, b, statistic, 20, N_TRIALS) == pytest.approx(0.96, abs=0.01 + MARGIN)


def test_a_disaster_in_one_run_of_a_hundred_is_missed_by_means_and_not_by_medians():
    laws = made_up()
    assert share_held(laws["rare"], laws["normal"], "mean", 20, N_TRIALS) < 0.3
    assert share_held(laws["rare"], laws["normal"], "median", 20, N_TRIALS) >= 0.95 - MARGIN


def test_the_simulation_prints_lines_of_the_table():
    (line,) = table(made_up(), [("normal", "normal")], "mean", [10], 50)
    assert line[:2] == ["mean", "normal - normal"] and 80 <= float(line[2]) <= 100


def test_the_page_has_a_row_for_each_statistic_and_pair():
    expected = [(statistic, f"{one} - {other}") for statistic in EXPERIMENTS for one, other in PAIRS]
    assert list(ROWS) == expected
    assert all(len(cells) == len(SIZES) for cells in ROWS.values())


def test_on_the_page_no_algorithm_is_called_different_from_itself_more_than_5_times_in_100_but_for_chance():
    for statistic, n in EXPERIMENTS.items():
        margin = 100 * 3.3 * (0.05 * 0.95 / n) ** 0.5
        for one, other in PAIRS:
            if one == other:
                assert min(ROWS[statistic, f"{one} - {other}"]) >= 95 - margin, (statistic, one)
