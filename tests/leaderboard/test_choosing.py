"""Claims about which algorithm to use, on a summary made by hand."""

from dataclasses import replace

import pytest

from duelbench.leaderboard.choosing import choices
from duelbench.leaderboard.summary import Algorithm, Cell, Figures, Problem, Setting, Summary, Table


def _algorithm(label, assumes="nothing", anytime=True):
    return Algorithm(label, label.lower(), label, label, assumes, anytime, None, 1)


def _problem(setting, n_arms):
    return Problem("", setting, n_arms, [0], "", "", None)


def _cell(problem, algorithm, mean, q95, locked_in):
    figures = Figures(mean, 0.1, 0, mean, q95, q95)
    return Cell(problem, algorithm, 10_000, "", None, None, 50, 1, locked_in, "", 0, {"copeland": figures}, None)


def _table(setting, problems, algorithms, score, low):
    return Table(setting, None, 10_000, "copeland", problems, algorithms, score, low, low, low, None)


CELLS = [
    _cell(0, 0, 100, 150, 0.04),
    _cell(0, 1, 101, 150, 0.0),
    _cell(0, 2, 102, 155, 0.005),
    _cell(0, 3, 204, 300, 0.0),
    _cell(1, 2, 400, 600, None),
    _cell(1, 3, 100, 110, None),
]
ALGORITHMS = [
    _algorithm("A", "condorcet"),
    _algorithm("B", "condorcet", anytime=False),
    _algorithm("C"),
    _algorithm("D"),
]
OF_COPELAND = _table("copeland", [1], [3, 2], [4.60517, 5.99146], [1, 2])

SUMMARY = Summary(
    made_with={},
    level=0.95,
    horizons=[10_000],
    regrets=["copeland"],
    settings=[Setting("condorcet", ""), Setting("copeland", "")],
    algorithms=ALGORITHMS,
    problems=[_problem("condorcet", 5), _problem("copeland", 4)],
    rounds=[[10_000]],
    cells=CELLS,
    correlations={},
    across={},
    tables=[_table("condorcet", [0], [0, 1, 2, 3], [4.605, 4.615, 4.625, 5.318], [1, 1, 1, 4]), OF_COPELAND],
)
"""A, B and C are not told apart where one arm wins, D is worse; without such an arm D is the only one left."""


def with_cell(place, cell):
    return replace(SUMMARY, cells=[*CELLS[:place], cell, *CELLS[place + 1 :]])


def test_of_those_not_told_apart_a_short_tail_counts_then_seldom_locking_in_then_no_horizon_then_regret():
    first = choices(SUMMARY)[0]
    assert (first.setting, first.horizon, first.size) == ("condorcet", 10_000, None)
    assert first.take == "C" and first.tied == ["A", "B"]
    assert first.beware == "Where no arm beats all others, it has 4 times the least regret."
    assert choices(with_cell(2, _cell(0, 2, 102, 170, 0.005)))[0].take == "B", "a longer tail"
    assert choices(with_cell(0, _cell(0, 0, 100, 150, 0.0)))[0].take == "A"


def test_one_that_has_less_regret_than_all_others_is_taken_whatever_its_tail_and_what_it_assumes_is_said():
    table = replace(SUMMARY.tables[0], low=[1, 2, 2, 4])
    first, second = choices(replace(SUMMARY, tables=[table, OF_COPELAND]))
    assert first.take == "A" and first.tied == []
    assert first.because.startswith("All others have more regret: the next, B, 1.01 times as much.")
    assert "It assumes a Condorcet winner." in first.beware and "was not played" in first.beware
    assert second.beware == ""


@pytest.mark.parametrize(("mean", "is_close"), [(199, True), (201, False)])
def test_what_is_not_ranked_for_want_of_runs_is_no_other_with_more_regret_and_is_named_if_close(mean, is_close):
    """A, C and D have played a second matrix; B, which has not, has such a mean on the first."""
    others = [_cell(2, algorithm, 100, 150, 0.0) for algorithm in (0, 2, 3)]
    summary = replace(
        with_cell(1, _cell(0, 1, mean, 150, 0.0)),
        problems=[*SUMMARY.problems, _problem("condorcet", 64)],
        tables=[_table("condorcet", [0, 2], [0, 2, 3], [4.605, 4.625, 5.318], [1, 2, 3])],
    )
    (first,) = choices(replace(summary, cells=[*summary.cells, *others]))
    assert first.because.startswith("All others that are ranked have more regret")
    assert ("for want of runs: B" in first.beware) == is_close


def test_what_is_known_for_disasters_is_not_taken_and_it_is_said_why():
    """Its tables are without it."""
    merge_dts = replace(ALGORITHMS[0], id="merge-dts", label="MergeDTS")
    table = _table("condorcet", [0], [1, 2, 3], [4.615, 4.625, 5.318], [1, 2, 3])
    first, second = choices(replace(SUMMARY, algorithms=[merge_dts, *ALGORITHMS[1:]], tables=[table, OF_COPELAND]))
    assert first.take == "B" and first.tied == []
    assert first.because.startswith("All others but MergeDTS have more regret: the next, C, 1.01 times as")
    assert "MergeDTS had less regret in these runs, 0.99 times as much, and is not taken: with the" in first.beware
    assert "MergeDTS" not in second.beware
