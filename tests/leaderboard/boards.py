"""A small leaderboard that is really played: two settings, horizons of 100 and 1000 rounds, a matrix from a file."""

from pathlib import Path

from duelbench.actions import running
from duelbench.leaderboard.building import build
from duelbench.leaderboard.summary import Summary
from duelbench.results.experiments import load_experiments

HORIZONS = (100, 1000)

ORDER = """
name: leaderboard-order
problems: {linear: {family: linear, n_arms: 3, slope: 0.5}, near: {family: linear, n_arms: 4, slope: 0.2}}
horizon: 1000
runs: 6
seed: 5
shuffle_arms: true
regret: [copeland, weak]
checkpoints: [10, 100, 1000]
algorithms: [random, uniform, interleaved-filter: {horizons: [100, 1000]}, rucb]
"""

CIRCLE = """
name: leaderboard-copeland
problems: {circle: circle.csv}
horizon: 1000
runs: 4
seed: 5
regret: [copeland]
checkpoints: [10, 100, 1000]
algorithms: [random, uniform]
"""

MATRIX = "0.5,0.8,0.3,0.7\n0.2,0.5,0.7,0.7\n0.7,0.3,0.5,0.7\n0.3,0.3,0.3,0.5\n"
"""Arm 0 beats 1, 1 beats 2, 2 beats 0; arm 3 beats none."""


def played(folder: Path) -> Summary:
    """The board, played in a folder, which becomes ``results`` and two specs."""
    (folder / "order.yaml").write_text(ORDER)
    (folder / "circle.csv").write_text(MATRIX)
    (folder / "copeland.yaml").write_text(CIRCLE)
    for name in ("order", "copeland"):
        running.run(folder / f"{name}.yaml", folder / "results", jobs=1, quiet=True)
    return build(load_experiments([folder / "results"]), HORIZONS)
