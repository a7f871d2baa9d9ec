"""The committed leaderboard is what this code gives with these specs, and the page shows it."""

import json
from pathlib import Path

import leaderboard
import numpy as np
import pytest

from duelbench.bandits.algorithms import registry
from duelbench.bandits.simulation.simulate import simulate_terms
from duelbench.experiments.results.cells import cells
from duelbench.experiments.results.environment import environment
from duelbench.experiments.spec.load import load
from duelbench.leaderboard.runs import setting_of
from tests.selection import quick

ROOT = Path(__file__).parents[2]
SPECS = sorted((ROOT / "configs" / "leaderboard").glob("*.yaml"))
BOARD = json.loads((ROOT / "docs" / "leaderboard" / "leaderboard.json").read_bytes())
ALGORITHMS = {algorithm["label"]: algorithm for algorithm in BOARD["algorithms"]}
PLAY_AGAIN = "play it again: make leaderboard; docs/leaderboard.md says how to publish it"

DECISIVE = ("python", "numpy", "numba", "machine")
"""Where these are others the last bit of a number may be another, and with it a run."""

N_ERRORS = 5
"""Standard errors by which means may differ between libraries and machines."""


def test_the_page_has_the_tables_of_the_committed_ranks():
    page = leaderboard.PAGE.read_text(encoding="utf-8")
    assert page == leaderboard.with_tables(page), "run docs/_site/leaderboard.py"
    assert leaderboard.CONTENT.stat().st_size < 200_000


def test_the_committed_ranks_are_of_the_trace_versions_of_this_code():
    old = [a["id"] for a in BOARD["algorithms"] if registry.get(a["id"]).trace_version != a["trace_version"]]
    assert not old, f"the traces of {old} changed: {PLAY_AGAIN}"


@pytest.mark.parametrize("path", SPECS, ids=lambda path: path.stem)
def test_all_matrices_of_a_spec_are_of_its_setting_and_size(path):
    setting, _, size = path.stem.partition("-")
    for problem in load(path).problems:
        assert setting_of(problem.matrix) == setting, problem.name
        assert (problem.matrix.n_arms == 64) if size else (problem.matrix.n_arms <= 16), problem.name


@pytest.mark.parametrize("path", SPECS, ids=lambda path: path.stem)
def test_the_committed_ranks_are_of_the_algorithms_and_matrices_of_the_specs(path):
    names = {problem["sha256"]: k for k, problem in enumerate(BOARD["problems"])}
    for scale in (None, "long"):
        for cell in cells(load(path, scale)):
            means = BOARD["means"][str(cell.identity.horizon)][cell.label]
            assert means[names[cell.matrix.sha256]] is not None, f"{cell.label} on {cell.problem}: {PLAY_AGAIN}"


def test_every_algorithm_that_plays_for_regret_is_in_a_spec():
    listed = {entry.algorithm.id for path in SPECS for entry in load(path).entries}
    for id in registry.ids():
        algorithm = registry.get(id)
        delta = algorithm.parameters.get("delta")
        # Algorithms that explore before they exploit have no delta by default, and derive it from the horizon.
        identifies = algorithm.answers and delta is not None and delta.default is not None
        if "duels" in algorithm.plays and not identifies and id != "savage-sampling":  # it takes hours
            assert id in listed, f"{id} has to be in the specs of its settings"


def test_algorithms_that_use_the_horizon_are_played_to_each():
    for path in SPECS:
        for entry in load(path).entries:
            is_anytime = entry.algorithm.is_anytime(entry.parameters)
            assert entry.horizons == ((10**6,) if is_anytime else (10**4, 10**6)), f"{entry.label} in {path.name}"


def smallest_cell(label):
    """The cell of an algorithm that is played again: the fewest rounds, on the smallest matrix."""
    of_label = [cell for path in SPECS for cell in cells(load(path)) if cell.label == label]
    return min(of_label, key=lambda cell: (cell.identity.horizon, cell.matrix.n_arms, cell.problem))


@pytest.mark.parametrize("label", quick(sorted(ALGORITHMS), slow=["Self-Sparring", "VDB"]))
def test_a_cell_of_every_algorithm_is_what_this_code_plays(label):
    cell = smallest_cell(label)
    horizon = cell.identity.horizon
    traces = [simulate_terms(cell.terms, run) for run in range(cell.n_runs)]
    row = traces[0].definitions.index("copeland")
    values = np.array([trace.regret[row, -1] for trace in traces])
    place = next(k for k, problem in enumerate(BOARD["problems"]) if problem["sha256"] == cell.matrix.sha256)
    mean = BOARD["means"][str(horizon)][label][place]
    error = values.std(ddof=1) / len(values) ** 0.5
    here = environment()
    is_same = all(here[name] == BOARD["made_with"][name] for name in DECISIVE)
    leeway = 0 if is_same else N_ERRORS * 2**0.5 * error
    assert values.mean() == pytest.approx(mean, rel=6e-4, abs=leeway), PLAY_AGAIN
