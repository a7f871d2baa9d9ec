"""The committed leaderboard is what this code gives with these specs: cells are played again."""

import hashlib
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from duelbench.algorithms import registry
from duelbench.leaderboard import building
from duelbench.leaderboard.comparing import DECISIVE, FARTHEST, other_environment
from duelbench.leaderboard.rules import size_of
from duelbench.leaderboard.summary import FILE, read
from duelbench.results.cells import cells
from duelbench.results.environment import environment
from duelbench.results.store import digest_of
from duelbench.simulation.simulate import simulate_terms
from duelbench.spec.load import load
from tests.selection import quick

ROOT = Path(__file__).parents[2]
PATH = ROOT / "docs" / "leaderboard" / FILE
IDS = sorted({one["id"] for one in json.loads(PATH.read_bytes())["algorithms"]})
PLAY_AGAIN = "play it again: make leaderboard; then copy results/leaderboard/leaderboard.json to docs/leaderboard"


@pytest.fixture(scope="module")
def committed():
    return read(PATH)


def play(cell, run):
    return simulate_terms(cell.terms, run)


def fault_of(summary, cell, root, play=play):
    """Play all runs of a cell from its spec, and say what is another than in the summary; None where nothing is.

    With the libraries and the machine that the summary was made with, everything must be the same. Elsewhere a run may
    go another way by the last bit of some probability, and the means are compared.
    """
    own = spec_cell(summary, cell, root)
    traces = [play(own, run) for run in range(cell.runs)]
    place = traces[0].rounds.tolist().index(cell.horizon)
    is_same = not other_environment([environment()], summary.made_with)
    if is_same and hashlib.sha256("".join(map(digest_of, traces)).encode()).hexdigest() != cell.digest:
        return f"{own.label} on {own.problem}: its runs are others"
    for row, definition in enumerate(traces[0].definitions):
        values = np.array([trace.regret[row, place] for trace in traces])
        mean, error = cell.regret[definition].mean, cell.regret[definition].error
        spread = np.hypot(mean * error, values.std(ddof=1) / len(values) ** 0.5)
        if is_same and building.figures_of(values) != cell.regret[definition]:
            return f"{own.label} on {own.problem}: other numbers of {definition} regret"
        if abs(values.mean() - mean) > FARTHEST * spread + 1e-3 * mean:
            return f"{own.label} on {own.problem}: mean {definition} regret {values.mean():.4g}, not {mean:.4g}"
    return None


def spec_cell(summary, cell, root):
    """The cell of the spec whose runs a cell of the summary was read from."""
    problem, algorithm = summary.problems[cell.problem], summary.algorithms[cell.algorithm]
    (found,) = [
        own
        for own in cells(load(root / str(cell.spec), cell.scale))
        if own.matrix.sha256 == problem.sha256
        and own.label == algorithm.label
        and cell.horizon <= own.identity.horizon
        and tuple(summary.rounds[cell.rounds]) == own.terms.checkpoints
    ]
    return found


def smallest(committed, id):
    """The cell of an algorithm that is played again: the fewest rounds, on the smallest matrix."""
    return min(
        (cell for cell in committed.cells if committed.algorithms[cell.algorithm].id == id),
        key=lambda cell: (
            committed.rounds[cell.rounds][-1],
            committed.problems[cell.problem].n_arms,
            cell.problem,
            cell.horizon,
        ),
    )


def test_the_leaderboard_is_of_the_trace_versions_that_are_here(committed):
    old = {one.id for one in committed.algorithms if registry.get(one.id).trace_version != one.trace_version}
    assert not old, f"the traces of {sorted(old)} changed: {PLAY_AGAIN}"


@pytest.mark.parametrize("path", sorted((ROOT / "configs" / "leaderboard").glob("*.yaml")), ids=lambda path: path.stem)
def test_the_leaderboard_has_what_its_specs_say(path, committed):
    for scale in (None, "long"):
        spec = load(path, scale)
        here = {(cell.matrix.sha256, cell.label) for cell in cells(spec)}
        there = {
            (committed.problems[cell.problem].sha256, committed.algorithms[cell.algorithm].label)
            for cell in committed.cells
            if cell.experiment == spec.name
        }
        assert here == there, PLAY_AGAIN
    assert {size_of(problem.n_arms) for problem in committed.problems} == {"small", "large"}


@pytest.mark.parametrize("id", quick(IDS, slow=["self-sparring", "vdb"]))
def test_a_cell_of_every_algorithm_is_what_this_code_plays(id, committed):
    fault = fault_of(committed, smallest(committed, id), ROOT)
    assert fault is None, f"{fault}: raise the algorithm's trace_version, and {PLAY_AGAIN}"


def test_one_other_run_is_noticed_where_the_libraries_are_the_same_and_another_law_elsewhere(board):
    def with_one_duel_more(cell, run):
        trace = play(cell, run)
        duels = trace.duels.copy()
        duels[0, 1] += run == 3
        return replace(trace, duels=duels)

    def worse(cell, run):
        trace = play(cell, run)
        return replace(trace, regret=10 * trace.regret)

    summary = read(board / FILE)
    cell = next(one for one in summary.cells if one.horizon == 200)
    here = replace(summary, made_with={name: environment()[name] for name in DECISIVE})
    assert fault_of(here, cell, board) is None
    assert "its runs are others" in fault_of(here, cell, board, with_one_duel_more)
    elsewhere = replace(summary, made_with={})
    assert fault_of(elsewhere, cell, board, with_one_duel_more) is None
    assert "mean copeland regret" in fault_of(elsewhere, cell, board, worse)
