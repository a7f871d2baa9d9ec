"""Intervals of sessions miss the truth in no more than delta of the runs, wherever they end."""

import math
import re
from pathlib import Path

import numpy as np
import pytest

from duelbench.problem.preferences import PreferenceMatrix
from duelbench.statistics.tails import clopper_pearson
from tests.selection import quick
from tests.statistical import certainty_error
from tests.statistical.certainty_error import DELTA, errors, misses

PAGE = (Path(__file__).parents[2] / "docs" / "uncertainty.md").read_text(encoding="utf-8")
CASES = [("cemschoice", "uniform"), ("arxiv", "uniform"), ("cyclic", "d-ts-plus"), ("multisol", "d-ts-plus")]


@pytest.mark.parametrize(("name", "id"), quick(CASES, CASES[0]))
def test_answers_and_intervals_are_wrong_in_no_more_than_delta_of_the_runs(name, id):
    """The lower end of the 99.8% interval of each share."""
    count = errors(name, id, 100, 2000)
    wrong = [n for key, n in count.items() if not key.startswith("answered")]
    assert len(wrong) == (7 if name != "multisol" else 5)
    low, _ = clopper_pearson(np.array(wrong), 100, 0.998)
    assert (low <= DELTA).all()
    assert count["ever"] >= count["pair"]


def test_intervals_that_promise_less_are_caught(monkeypatch):
    """At a level of ln 4, each of 15 pairs misses in a good part of the runs."""
    monkeypatch.setattr(certainty_error, "log_pair_level", lambda *_: math.log(4.0))
    count = errors("cemschoice", "uniform", 60, 500)
    low, _ = clopper_pearson(np.array(count["ever"]), 60, 0.998)
    assert low > DELTA


def test_a_table_that_contradicts_the_matrix_is_seen_to():
    P = PreferenceMatrix([[0.5, 0.6], [0.4, 0.5]]).P
    assert misses(P, np.array([[0, 60], [40, 0]])) == (False, False, False)
    assert misses(P, np.array([[0, 95], [5, 0]])) == (True, False, True)
    assert misses(P, np.array([[0, 5], [95, 0]])) == (True, True, True)


def test_no_count_of_the_page_is_surely_above_delta():
    rows = re.findall(r"^\| [a-z0-9-]+ \| (?:d-ts-plus|uniform) \|((?: \d* \|){10})$", PAGE, re.MULTILINE)
    wrong = [
        int(cell)
        for row in rows
        for k, cell in enumerate(row.split("|"))
        if k in (1, 3, 5, 6, 7, 8, 9) and cell.strip()
    ]
    low, _ = clopper_pearson(np.array(wrong), 1000)
    assert len(rows) == 20 and low.max() <= DELTA
