"""Claims about runs that are played again and compared with a leaderboard."""

import json
import shutil
from dataclasses import replace
from math import inf

import pytest
from typer.testing import CliRunner

from duelbench.actions import running
from duelbench.cli.app import app
from duelbench.errors import IncompleteResults, InputError
from duelbench.leaderboard.comparing import DIFFERENT, OTHER_NUMBERS, PARTIAL, SAME, compare
from duelbench.leaderboard.summary import FILE
from duelbench.results.experiments import load_experiments
from tests.leaderboard.boards import played

ELSEWHERE = {"python": "2.7", "numpy": "2.4", "numba": "0.6", "machine": "abacus"}


@pytest.fixture(scope="module")
def board(tmp_path_factory):
    """The folder in which a small board was played, and its summary."""
    folder = tmp_path_factory.mktemp("board")
    summary = played(folder)
    (folder / FILE).write_bytes(summary.encode())
    return folder, summary


@pytest.fixture(scope="module")
def again(board, tmp_path_factory):
    """The runs of random on linear, played again as the page's command does."""
    folder = tmp_path_factory.mktemp("again")
    running.run(board[0] / "order.yaml", folder, problem=["linear"], only=["Random"], jobs=1, quiet=True)
    return folder / "leaderboard-order"


def of(folder):
    return load_experiments([folder], allow_partial=True)


def edited(summary, **changes):
    """The summary with something else in all cells of Random on linear."""
    first = {(cell.problem, cell.algorithm) for cell in summary.cells if is_first(summary, cell)}
    return replace(
        summary,
        cells=[replace(c, **changes) if (c.problem, c.algorithm) in first else c for c in summary.cells],
    )


def is_first(summary, cell):
    return summary.problems[cell.problem].name == "linear" and summary.algorithms[cell.algorithm].label == "Random"


def with_mean(summary, factor):
    """The summary with other runs of Random on linear, whose mean is so many times that of the true ones."""
    (cell,) = (cell for cell in summary.cells if is_first(summary, cell) and cell.horizon == 1000)
    mean, *others = cell.regret["copeland"]
    regret = {**cell.regret, "copeland": [mean * factor, *others]}
    return replace(summary, cells=[replace(cell, digest="0" * 64, regret=regret)]), mean, others[0]


def other_regret(summary):
    """The summary with a regret that the runs have not recorded."""
    return replace(summary, cells=[replace(cell, regret={"borda": [1, 0.1, 0, 1, 1, 1]}) for cell in summary.cells])


def run(*arguments):
    return CliRunner().invoke(app, ["leaderboard", "compare", *map(str, arguments)])


def test_runs_played_again_are_the_same_at_each_horizon_and_what_was_not_played_is_passed_over(board, again):
    found = compare(of(again), board[1])
    assert [(one.label, one.problem, one.horizon, one.kind, one.why) for one in found] == [
        ("Random", "linear", 100, SAME, ""),
        ("Random", "linear", 1000, SAME, ""),
    ]


def test_all_cells_of_a_board_are_those_of_its_own_results(board):
    found = compare(of(board[0] / "results"), board[1])
    assert len(found) == len(board[1].cells)
    assert {one.kind for one in found} == {SAME}


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"right": 0.123}, "right"),
        ({"locked_in": 0.123}, "locked_in"),
        ({"regret": {"copeland": [1, 0.1, 0, 1, 1, 1]}}, "copeland regret"),
        ({"curve": {"weak": [1, 2, 3]}}, "weak curve"),
    ],
)
def test_a_number_that_was_edited_is_named(board, again, changes, named):
    found = compare(of(again), edited(board[1], **changes))
    assert {one.kind for one in found} == {DIFFERENT}
    assert all(f"not what is said of them ({named})" in one.why for one in found)


def test_other_runs_with_the_same_versions_are_different_however_near(board, again):
    (found,) = compare(of(again), with_mean(board[1], 1)[0])
    assert (found.kind, found.apart) == (DIFFERENT, 0)
    assert "same versions and kind of machine" in found.why


@pytest.mark.parametrize(("errors", "kind"), [(4, OTHER_NUMBERS), (6, DIFFERENT)])
def test_in_another_environment_means_may_lie_five_standard_errors_apart(board, again, errors, kind):
    """Both have the error e of their means, theirs being m (1 + d): d is k e sqrt(1 + (1 + d)^2)."""
    _, _, error = with_mean(board[1], 1)
    shift = 0.0
    for _ in range(200):
        shift = errors * error * (1 + (1 + shift) ** 2) ** 0.5
    summary = replace(with_mean(board[1], 1 + shift)[0], made_with=ELSEWHERE)
    (found,) = compare(of(again), summary)
    assert found.kind == kind
    assert found.apart == pytest.approx(errors, rel=1e-6)
    assert "in the leaderboard abacus" in found.why


def test_means_of_runs_that_are_all_alike_are_infinitely_far_apart(board, again):
    summary, *_ = with_mean(board[1], 1)
    experiments = of(again)
    for loaded in experiments[0].cells:
        loaded.regret[:] = 7.0
    (found,) = compare(experiments, edited(summary, regret={"copeland": [8, 0, 0, 8, 8, 8]}))
    assert (found.kind, found.apart) == (DIFFERENT, inf)
    assert "means differ of runs all alike" in found.why


def test_another_trace_version_is_named_and_no_matter_of_the_environment(board, again):
    summary = replace(with_mean(board[1], 1)[0], made_with=ELSEWHERE)
    newer = [replace(one, trace_version=one.trace_version + 1) for one in summary.algorithms]
    (found,) = compare(of(again), replace(summary, algorithms=newer))
    assert found.kind == DIFFERENT
    assert "trace version" in found.why


def test_runs_that_are_missing_are_said_and_not_compared(board, again, tmp_path):
    shutil.copytree(again, tmp_path / "part")
    next((tmp_path / "part").rglob("run-*.npz")).unlink()
    found = compare(of(tmp_path / "part"), board[1])
    assert [one.kind for one in found] == [PARTIAL, PARTIAL]
    assert found[0].why == "5 runs are there, and the leaderboard has 6"
    result = run(tmp_path / "part", "--summary", board[0] / FILE)
    assert isinstance(result.exception, IncompleteResults)
    assert result.stdout.splitlines()[-1] == "2 cells of the leaderboard: 2 not compared"


def test_results_of_something_else_are_refused(board, again):
    other = replace(board[1], cells=[cell for cell in board[1].cells if not is_first(board[1], cell)])
    with pytest.raises(InputError, match="leaderboard-order: the leaderboard has no cell of these runs"):
        compare(of(again), other)
    with pytest.raises(InputError, match="no cell of these runs"):
        compare(of(again), edited(other_regret(board[1]), digest="0" * 64))
    renamed = replace(board[1], cells=[replace(cell, experiment="mine") for cell in board[1].cells])
    with pytest.raises(InputError, match="no cell of these runs"):
        compare(of(again), renamed)


def test_the_command_says_one_line_a_cell_and_one_that_sums_up(board, again):
    result = run(again, "--summary", board[0] / FILE)
    assert result.exit_code == 0, result.exception
    assert result.stdout.splitlines() == [
        "Random on linear after 100 rounds: the same, to the last bit",
        "Random on linear after 1000 rounds: the same, to the last bit",
        "2 cells of the leaderboard: 2 the same, to the last bit",
    ]
    assert result.stderr == ""


def test_the_command_fails_where_the_leaderboard_says_something_else(board, again, tmp_path):
    (tmp_path / FILE).write_bytes(edited(board[1], right=0.123).encode())
    result = run(again, "--summary", tmp_path / FILE, "--json")
    assert isinstance(result.exception, IncompleteResults)
    assert "2 of 2 cells differ from the leaderboard or lack runs" in str(result.exception)
    content = json.loads(result.stdout)
    assert content["counts"][DIFFERENT] == 2
    assert content["cells"][0]["horizon"] == 100
