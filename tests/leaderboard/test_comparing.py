"""Runs that are played again and compared with a leaderboard."""

import json
import shutil
from dataclasses import replace

import pytest
from typer.testing import CliRunner

from duelbench.api import running
from duelbench.cli.app import app
from duelbench.errors import IncompleteResults, InputError
from duelbench.leaderboard.comparing import DIFFERENT, OTHER_NUMBERS, PARTIAL, SAME, compare
from duelbench.leaderboard.summary import FILE, Figures, read
from duelbench.results.experiments import load_experiments

ELSEWHERE = {"python": "2.7", "numpy": "2.4", "numba": "0.6", "machine": "abacus"}


@pytest.fixture(scope="module")
def summary(board):
    return read(board / FILE)


@pytest.fixture(scope="module")
def again(board, tmp_path_factory):
    """The runs of random on linear, played again as the page's command does."""
    folder = tmp_path_factory.mktemp("again")
    running.run(board / "order.yaml", folder, problem=["linear"], only=["Random"], jobs=1, quiet=True)
    return folder / "leaderboard-order"


def of(folder):
    return load_experiments([folder], allow_partial=True)


def is_first(summary, cell):
    """Whether it is a cell of Random on linear."""
    return summary.problems[cell.problem].name == "linear" and summary.algorithms[cell.algorithm].label == "Random"


def edited(summary, **changes):
    """The summary with something else in these cells."""
    return replace(summary, cells=[replace(c, **changes) if is_first(summary, c) else c for c in summary.cells])


def with_mean(summary, factor):
    """The summary with other runs of Random on linear, whose mean is so many times that of the true ones."""
    (cell,) = (cell for cell in summary.cells if is_first(summary, cell) and cell.horizon == 200)
    figures = cell.regret["copeland"]
    regret = {**cell.regret, "copeland": figures._replace(mean=figures.mean * factor)}
    return replace(summary, cells=[replace(cell, digest="0" * 64, regret=regret)]), figures.error


def test_runs_played_again_are_the_same_at_each_horizon_and_what_was_not_played_is_passed_over(summary, board, again):
    found = compare(of(again), summary)
    assert [(one.label, one.problem, one.horizon, one.kind) for one in found] == [
        ("Random", "linear", 50, SAME),
        ("Random", "linear", 200, SAME),
    ]
    everything = compare(of(board / "results"), summary)
    assert len(everything) == len(summary.cells) and {one.kind for one in everything} == {SAME}


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"right": 0.123}, "right"),
        ({"locked_in": 0.123}, "locked_in"),
        ({"regret": {"copeland": Figures(1, 0.1, 0, 1, 1, 1)}}, "copeland regret"),
        ({"curve": {"weak": [1, 2, 3]}}, "weak curve"),
    ],
)
def test_a_number_that_was_edited_is_named(summary, again, changes, named):
    found = compare(of(again), edited(summary, **changes))
    assert {one.kind for one in found} == {DIFFERENT}
    assert all(f"({named})" in one.why for one in found)


@pytest.mark.parametrize(("errors", "kind"), [(4, OTHER_NUMBERS), (6, DIFFERENT)])
def test_in_another_environment_means_may_lie_five_standard_errors_apart(summary, again, errors, kind):
    """Both have the error e of their means, theirs being m (1 + d): d is k e sqrt(1 + (1 + d)^2)."""
    _, error = with_mean(summary, 1)
    shift = 0.0
    for _ in range(200):
        shift = errors * error * (1 + (1 + shift) ** 2) ** 0.5
    (found,) = compare(of(again), replace(with_mean(summary, 1 + shift)[0], made_with=ELSEWHERE))
    assert found.kind == kind and found.apart == pytest.approx(errors, rel=1e-6) and "abacus" in found.why


def test_other_runs_with_the_same_versions_or_of_another_trace_version_are_different_however_near(summary, again):
    near, _ = with_mean(summary, 1)
    (found,) = compare(of(again), near)
    assert (found.kind, found.apart) == (DIFFERENT, 0)
    newer = [replace(one, trace_version=one.trace_version + 1) for one in summary.algorithms]
    (found,) = compare(of(again), replace(near, made_with=ELSEWHERE, algorithms=newer))
    assert found.kind == DIFFERENT and "trace version" in found.why


def test_runs_that_are_missing_are_said_and_results_of_something_else_refused(summary, again, tmp_path):
    shutil.copytree(again, tmp_path / "part")
    next((tmp_path / "part").rglob("run-*.npz")).unlink()
    found = compare(of(tmp_path / "part"), summary)
    assert [one.kind for one in found] == [PARTIAL, PARTIAL] and "5 runs" in found[0].why
    others = replace(summary, cells=[cell for cell in summary.cells if not is_first(summary, cell)])
    not_recorded = edited(summary, regret={"borda": Figures(1, 0.1, 0, 1, 1, 1)}, digest="0" * 64)
    renamed = replace(summary, cells=[replace(cell, experiment="mine") for cell in summary.cells])
    for board in (others, not_recorded, renamed):
        with pytest.raises(InputError, match=r"leaderboard-order: .* no cell of these runs"):
            compare(of(again), board)


def test_the_command_has_a_line_for_each_cell_and_fails_where_one_is_different(board, summary, again, tmp_path):
    def run(*arguments):
        return CliRunner().invoke(app, ["verify", str(again), "--against", *map(str, arguments)])

    result = run(board / FILE)
    assert result.exit_code == 0 and result.stderr == ""
    *lines, in_all = result.stdout.splitlines()
    assert [line.partition(":")[0] for line in lines] == [f"Random on linear after {t} rounds" for t in (50, 200)]
    assert in_all.startswith("2 cells")
    (tmp_path / FILE).write_bytes(edited(summary, right=0.123).encode())
    result = run(tmp_path / FILE, "--json")
    assert isinstance(result.exception, IncompleteResults)
    content = json.loads(result.stdout)
    assert content["counts"][DIFFERENT] == 2 and content["cells"][0]["horizon"] == 50
