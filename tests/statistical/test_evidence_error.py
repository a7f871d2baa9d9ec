"""Rules put a Condorcet winner out with probability delta at most, even where nothing tells winners from others."""

import re
from pathlib import Path

import numpy as np
import pytest

from duelbench.statistics.tails import clopper_pearson
from tests.selection import quick
from tests.statistical.evidence_error import DELTA, times_out

PAGE = (Path(__file__).parents[2] / "docs" / "identification-error.md").read_text(encoding="utf-8")
LOW_ENDS = [float(low) for low in re.findall(r"\d+\.\d\d \((\d+\.\d\d) to", PAGE)]
CASES = [
    ("uniform", 2, 400, 2000),
    ("uniform", 5, 400, 2000),
    ("rucb", 3, 200, 2000),
    ("strongest-superior", 4, 60, 1000),
    ("uniform", 2, 4000, 20_000),
    ("rucb", 8, 1000, 20_000),
]


@pytest.mark.parametrize(("id", "n_arms", "runs", "duels"), quick(CASES, CASES[0], CASES[2]))
def test_the_winner_is_out_in_no_more_than_delta_of_the_runs(id, n_arms, runs, duels):
    """The lower end of the 99.8% interval: it is above a share of 5% once in a thousand tests."""
    out = times_out(id, n_arms, 0.0, runs, block=99, duels=duels)
    low, _ = clopper_pearson(np.array([out]), runs, 0.998)
    assert low[0] <= DELTA


def test_a_rule_that_promises_less_is_caught(monkeypatch):
    """The same runs with a level of 1 / (4 delta): the share is above delta."""
    monkeypatch.setattr("tests.statistical.evidence_error.DELTA", 4 * DELTA)
    out = times_out("uniform", 2, 0.0, 400, block=99, duels=2000)
    low, _ = clopper_pearson(np.array([out]), 400, 0.998)
    assert low[0] > DELTA


def test_no_share_of_the_page_is_surely_above_delta():
    assert len(LOW_ENDS) == 3 * 3 * 6 and max(LOW_ENDS) <= 100 * DELTA
