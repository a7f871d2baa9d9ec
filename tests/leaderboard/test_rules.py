"""Claims about who is on the leaderboard: the lists of its specs are what the rules say."""

import json
from pathlib import Path

import pytest

from duelbench.leaderboard import rules
from duelbench.leaderboard.rules import setting_of, size_of
from duelbench.spec.load import load

SPECS = sorted((Path(__file__).parents[2] / "configs" / "leaderboard").glob("*.yaml"))
SCALES = (None, "long")

BOARD = json.loads(
    (Path(__file__).parents[2] / "docs" / "leaderboard" / "leaderboard.json").read_text(encoding="utf-8")
)
KNOWN = {one["id"] for one in BOARD["algorithms"]} | {id for left in BOARD["left_out"] for id in left["algorithms"]}
"""What the leaderboard has been played with: a newer algorithm joins when somebody plays it again."""


@pytest.mark.parametrize("path", SPECS, ids=lambda path: path.stem)
def test_all_matrices_of_a_spec_are_of_its_setting_and_size(path):
    setting, _, size = path.stem.partition("-")
    for problem in load(path).problems:
        assert setting_of(problem.matrix) == setting, problem.name
        assert size_of(problem.matrix.n_arms) == ("large" if size else "small"), problem.name


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("path", SPECS, ids=lambda path: path.stem)
def test_a_spec_lists_every_algorithm_that_no_rule_leaves_out(path, scale):
    spec = load(path, scale)
    matrices = [problem.matrix for problem in spec.problems]
    listed = {entry.algorithm.id for entry in spec.entries}
    left_out = {
        algorithm.id: reason
        for algorithm in rules.candidates()
        if (reason := rules.reason(algorithm, matrices, spec.horizon))
    }
    missing = ({algorithm.id for algorithm in rules.candidates()} & KNOWN) - listed - left_out.keys()
    assert not missing, f"{path.name} has to list {sorted(missing)}, or docs/leaderboard.md a rule that leaves them out"
    unruly = {id: left_out[id].why for id in listed & left_out.keys()}
    assert not unruly, f"{path.name} lists algorithms that a rule leaves out: {unruly}"


def test_algorithms_that_use_the_horizon_are_played_to_each():
    for path in SPECS:
        for entry in load(path).entries:
            is_anytime = entry.algorithm.is_anytime(entry.parameters)
            assert entry.horizons == ((10**6,) if is_anytime else (10**4, 10**6)), f"{entry.label} in {path.name}"
