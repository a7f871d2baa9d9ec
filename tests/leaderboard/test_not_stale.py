"""Claims about the committed leaderboard: it is what this code gives, with these specs."""

from dataclasses import replace
from pathlib import Path

import pytest

from duelbench.algorithms import registry
from duelbench.leaderboard.comparing import DECISIVE
from duelbench.leaderboard.settings import size_of
from duelbench.leaderboard.summary import FILE, read
from duelbench.results.cells import cells
from duelbench.spec.load import load
from tests.leaderboard import replaying

ROOT = Path(__file__).parents[2]
COMMITTED = read(ROOT / "docs" / "leaderboard" / FILE)
PLAY_AGAIN = "play it again: make leaderboard; then copy results/leaderboard/leaderboard.json to docs/leaderboard"
QUICK = ("random", "uniform", "rucb", "rmed1", "d-ts")
"""Algorithms that other tests compile, too."""


def _smallest(id):
    """The cell of an algorithm that is played again: the fewest rounds, on the smallest matrix."""
    return min(
        (cell for cell in COMMITTED.cells if COMMITTED.algorithms[cell.algorithm].id == id),
        key=lambda cell: (
            COMMITTED.rounds[cell.rounds][-1],
            COMMITTED.problems[cell.problem].n_arms,
            cell.problem,
            cell.horizon,
        ),
    )


def test_the_leaderboard_is_of_the_trace_versions_that_are_here():
    old = {one.id for one in COMMITTED.algorithms if registry.get(one.id).trace_version != one.trace_version}
    assert not old, f"the traces of {sorted(old)} changed: {PLAY_AGAIN}"


@pytest.mark.parametrize("scale", [None, "long"])
@pytest.mark.parametrize("path", sorted((ROOT / "configs" / "leaderboard").glob("*.yaml")), ids=lambda path: path.stem)
def test_the_leaderboard_has_what_its_specs_say(path, scale):
    spec = load(path, scale)
    here = {(cell.matrix.sha256, cell.label) for cell in cells(spec)}
    there = {
        (COMMITTED.problems[cell.problem].sha256, COMMITTED.algorithms[cell.algorithm].label)
        for cell in COMMITTED.cells
        if cell.experiment == spec.name
    }
    others = len(here ^ there)
    assert not others, f"{others} pairs of a matrix and an algorithm are in one of spec and summary only: {PLAY_AGAIN}"


@pytest.mark.parametrize("id", QUICK)
def test_cells_are_what_this_code_plays(id):
    fault = replaying.fault_of(COMMITTED, _smallest(id), ROOT)
    assert fault is None, f"{fault}: raise the algorithm's trace_version, and {PLAY_AGAIN}"


@pytest.mark.thorough
@pytest.mark.parametrize("id", sorted({one.id for one in COMMITTED.algorithms} - set(QUICK)))
def test_a_cell_of_every_algorithm_is_what_this_code_plays(id):
    fault = replaying.fault_of(COMMITTED, _smallest(id), ROOT)
    assert fault is None, f"{fault}: raise the algorithm's trace_version, and {PLAY_AGAIN}"


def _with_one_duel_more(cell, run):
    """A play in which one run of all ends a little differently."""
    trace = replaying.simulate_cell(cell, run, cell.identity.horizon)
    if run == 3:
        duels = trace.duels.copy()
        duels[0, 1], duels[1, 0] = duels[0, 1] + 1, duels[1, 0] - 1
        return replace(trace, duels=duels)
    return trace


def _worse(cell, run):
    trace = replaying.simulate_cell(cell, run, cell.identity.horizon)
    return replace(trace, regret=1.05 * trace.regret)


def test_a_run_that_is_another_is_noticed_where_the_libraries_are_the_same():
    here = replace(COMMITTED, made_with={name: replaying.environment()[name] for name in DECISIVE})
    cell = _smallest("random")
    assert replaying.fault_of(here, cell, ROOT) is None or not replaying.is_same_environment(COMMITTED)
    assert "its runs are others" in replaying.fault_of(here, cell, ROOT, _with_one_duel_more)


def test_another_law_is_noticed_elsewhere():
    elsewhere = replace(COMMITTED, made_with={})
    cell = _smallest("random")
    assert replaying.fault_of(elsewhere, cell, ROOT) is None
    assert "mean copeland regret" in replaying.fault_of(elsewhere, cell, ROOT, _worse)


def test_matrices_of_both_sizes_are_there():
    assert {size_of(problem.n_arms) for problem in COMMITTED.problems} == {"small", "large"}
