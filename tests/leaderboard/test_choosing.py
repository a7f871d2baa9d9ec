"""Claims about which algorithm to use, on a summary made by hand."""

import copy

import pytest

from duelbench.leaderboard.choosing import choices


def _algorithm(label, assumes="nothing", anytime=True):
    return {"label": label, "id": label.lower(), "assumes": assumes, "anytime": anytime}


def _cell(problem, algorithm, mean, q95, locked_in):
    figures = [mean, 0.1, 0.0, mean, q95, q95]
    return {
        "problem": problem,
        "algorithm": algorithm,
        "horizon": 10_000,
        "locked_in": locked_in,
        "runs": 50,
        "regret": {"copeland": figures},
    }


def _table(setting, problem, algorithms, score, low):
    here = {"setting": setting, "size": None, "horizon": 10_000, "regret": "copeland", "problems": [problem]}
    return {**here, "algorithms": algorithms, "score": score, "low": low, "high": low}


@pytest.fixture
def summary():
    """A, B and C are not told apart where one arm wins, D is worse; without such an arm D is the only one left."""
    return {
        "algorithms": [
            _algorithm("A", "condorcet"),
            _algorithm("B", "condorcet", anytime=False),
            _algorithm("C"),
            _algorithm("D"),
        ],
        "problems": [{"setting": "condorcet", "n_arms": 5}, {"setting": "copeland", "n_arms": 4}],
        "left_out": [],
        "cells": [
            _cell(0, 0, 100, 150, 0.04),
            _cell(0, 1, 101, 150, 0.0),
            _cell(0, 2, 102, 155, 0.005),
            _cell(0, 3, 204, 300, 0.0),
            _cell(1, 2, 400, 600, None),
            _cell(1, 3, 100, 110, None),
        ],
        "tables": [
            _table("condorcet", 0, [0, 1, 2, 3], [4.605, 4.615, 4.625, 5.318], [1, 1, 1, 4]),
            _table("copeland", 1, [3, 2], [4.60517, 5.99146], [1, 2]),
        ],
    }


def test_of_those_not_told_apart_a_short_tail_counts_then_seldom_locking_in_then_no_horizon_then_regret(summary):
    first = choices(summary)[0]
    assert (first["setting"], first["horizon"], first["size"]) == ("condorcet", 10_000, None)
    assert first["take"] == "C" and first["tied"] == ["A", "B"]
    assert first["beware"] == "Where no arm beats all others, it has 4 times the least regret."
    longer_tail = copy.deepcopy(summary)
    longer_tail["cells"][2]["regret"]["copeland"][4] = 170
    assert choices(longer_tail)[0]["take"] == "B"
    summary["cells"][0]["locked_in"] = 0.0
    assert choices(summary)[0]["take"] == "A"


def test_one_that_has_less_regret_than_all_others_is_taken_whatever_its_tail_and_what_it_assumes_is_said(summary):
    summary["tables"][0]["low"] = [1, 2, 2, 4]
    first, second = choices(summary)
    assert first["take"] == "A" and first["tied"] == []
    assert first["because"].startswith("All others have more regret: the next, B, 1.01 times as much.")
    assert "It assumes a Condorcet winner." in first["beware"] and "was not played" in first["beware"]
    assert second["beware"] == ""


@pytest.mark.parametrize(("mean", "is_close"), [(199, True), (201, False)])
def test_what_is_not_ranked_for_want_of_runs_is_no_other_with_more_regret_and_is_named_if_close(
    summary, mean, is_close
):
    """A, C and D have played a second matrix; B, which has not, has such a mean on the first."""
    summary["problems"].append({"setting": "condorcet", "n_arms": 64})
    summary["cells"] += [_cell(2, algorithm, 100, 150, 0.0) for algorithm in (0, 2, 3)]
    summary["cells"][1]["regret"]["copeland"][0] = mean
    summary["tables"][0] = _table("condorcet", 0, [0, 2, 3], [4.605, 4.625, 5.318], [1, 2, 3]) | {"problems": [0, 2]}
    first = choices(summary)[0]
    assert first["because"].startswith("All others that are ranked have more regret")
    assert ("for want of runs: B" in first["beware"]) == is_close


def test_what_is_known_for_disasters_is_not_taken_and_it_is_said_why(summary):
    """Its tables are without it."""
    summary["algorithms"][0] |= {"id": "merge-dts", "label": "MergeDTS"}
    summary["tables"][0] = _table("condorcet", 0, [1, 2, 3], [4.615, 4.625, 5.318], [1, 2, 3])
    first = choices(summary)[0]
    assert first["take"] == "B" and first["tied"] == []
    assert first["because"].startswith("All others but MergeDTS have more regret: the next, C, 1.01 times as")
    assert "MergeDTS had less regret in these runs, 0.99 times as much, and is not taken: with the" in first["beware"]
    assert "MergeDTS" not in choices(summary)[1]["beware"]
