"""A small leaderboard that is really played: two settings, two horizons, a matrix from a file."""

import pytest

from duelbench.api import running
from duelbench.leaderboard.building import build
from duelbench.leaderboard.summary import FILE
from duelbench.results.experiments import load_experiments

HORIZONS = (50, 200)

ORDER = """
name: leaderboard-order
problems: {linear: {family: linear, n_arms: 3, slope: 0.5}, near: {family: linear, n_arms: 4, slope: 0.2}}
horizon: 200
runs: 6
seed: 5
shuffle_arms: true
regret: [copeland, weak]
checkpoints: [10, 50, 200]
algorithms: [random, uniform, interleaved-filter: {horizons: [50, 200]}, rucb]
"""

CIRCLE = """
name: leaderboard-copeland
problems: {circle: circle.csv}
horizon: 200
runs: 4
seed: 5
regret: [copeland]
checkpoints: [10, 50, 200]
algorithms: [random, uniform]
"""

MATRIX = "0.5,0.8,0.3,0.7\n0.2,0.5,0.7,0.7\n0.7,0.3,0.5,0.7\n0.3,0.3,0.3,0.5\n"
"""Arm 0 beats 1, 1 beats 2, 2 beats 0; arm 3 beats none."""


@pytest.fixture(scope="session")
def board(tmp_path_factory):
    """The folder in which a small board was played: its specs, ``results`` and its summary."""
    folder = tmp_path_factory.mktemp("board")
    (folder / "circle.csv").write_text(MATRIX)
    for name, spec in (("order", ORDER), ("copeland", CIRCLE)):
        (folder / f"{name}.yaml").write_text(spec)
        running.run(folder / f"{name}.yaml", folder / "results", jobs=1, quiet=True)
    (folder / FILE).write_bytes(build(load_experiments([folder / "results"]), HORIZONS).encode())
    return folder
