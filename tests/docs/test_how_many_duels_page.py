"""The bounds on the page are those that duelbench computes, and its ratios are those of its numbers."""

import re
from pathlib import Path

import numpy as np
import pytest

from duelbench.problem.identification_bounds import least_duels
from duelbench.problem.winners import as_array, condorcet_winner
from duelbench.spec.load import load

ROOT = Path(__file__).parents[2]
SPEC = load(ROOT / "configs" / "identification" / "who.yaml")
PAGE = (ROOT / "docs" / "how-many-duels.md").read_text(encoding="utf-8")
ROWS = {
    row[0]: row
    for line in PAGE[PAGE.index("| matrix | K | gap | bound |") :].split("\n\n")[0].splitlines()[2:]
    for row in [[cell.strip() for cell in line.strip("|").split("|")]]
}


def test_every_matrix_of_the_spec_has_a_row():
    assert list(ROWS) == [problem.name for problem in SPEC.problems]


@pytest.mark.parametrize("problem", SPEC.problems, ids=lambda problem: problem.name)
def test_arms_gaps_and_bounds_are_those_of_the_matrices(problem):
    P = as_array(problem.matrix)
    winner = condorcet_winner(P)
    assert winner is not None
    gap = np.delete(P[winner], winner).min() - 0.5
    bound = least_duels(P, SPEC.identify)
    assert ROWS[problem.name][1:4] == [str(len(P)), f"{gap:.3f}", f"{bound:,.1f}"]


@pytest.mark.parametrize("problem", SPEC.problems, ids=lambda problem: problem.name)
def test_ratios_are_duels_over_the_bound(problem):
    bound = least_duels(problem.matrix, SPEC.identify)
    found = re.findall(r"([\d,]+) \+- [\d,]+ \(([\d.]+)\)", " | ".join(ROWS[problem.name][4:7]))
    assert len(found) >= 2
    for duels, ratio in found:
        decimals = len(ratio.partition(".")[2])
        rounding = 0.5 * 10**-decimals + 0.5 / bound
        assert abs(float(duels.replace(",", "")) / bound - float(ratio)) <= rounding * 1.001
