"""The table of docs/tails.md: it is worked out rightly, and the page has all of it."""

import re
from pathlib import Path

import numpy as np

from duelbench.spec.load import load
from tests.figures.made_up import make_results
from tests.statistical.tails import COLUMNS, row, share_of_largest, table

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "tails.md").read_text(encoding="utf-8")
SPEC = ROOT / "configs" / "tails.yaml"


def test_a_row_of_one_to_a_thousand():
    # Quantile q: 1 + 999 q. The largest ten: 9955 of 500500. Of 99.9% one run is beyond, which is too few.
    assert row(np.arange(1.0, 1001.0)) == ["1000", "500", "900", "990", "", "1000", "500", "2.0%"]
    assert row(np.arange(1.0, 2001.0))[4] == "1998"


def test_one_run_of_a_hundred_can_have_half_of_all_regret():
    assert share_of_largest(np.array([1.0] * 99 + [99.0])) == 0.5
    assert share_of_largest(np.array([2.0, 6.0])) == 0.75


def test_the_table_has_a_line_for_each_algorithm_and_problem(tmp_path):
    lines = list(table([str(make_results(tmp_path))]))
    assert [line[:3] for line in lines] == [[p, a, "4"] for p in ("two", "cycle") for a in ("D-TS", "RUCB & co")]
    assert lines[0][3:] == ["8", "", "", "", "12", "8", "40.0%", "2: 50.00% [6.76, 93.24]"]


RUNS = {None: "100000", "non-condorcet": "10000"}
"""Scale of the spec -> its runs on the page, more than the spec's own."""


def test_the_page_has_the_lines_of_the_spec_and_quantiles_that_grow():
    head, _, *lines = [
        [cell.strip() for cell in line.strip("|").split("|")] for line in re.findall(r"^\|.*", PAGE, re.M)
    ]
    assert tuple(head) == COLUMNS
    wanted = [
        [problem.name, entry.label, runs]
        for spec, runs in ((load(SPEC, scale), runs) for scale, runs in RUNS.items())
        for problem in spec.problems
        for entry in spec.entries
    ]
    assert [line[:3] for line in lines] == wanted
    for line in lines:
        quantiles = [float(cell) for cell in line[3:8] if cell]
        assert quantiles == sorted(quantiles)
