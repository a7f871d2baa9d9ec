"""Regret of the rules for adversarial duels against independent prototypes, each horizon with its own runs.

The prototypes played 200, 100 and 40 runs to T = 10^3, 10^4 and 10^5. Those of one matrix and horizon shared their
draws, so that all of them lie low, or high, together.
"""

import math

import numpy as np
import pytest
from scipy import stats

import duelbench
from duelbench.problem.preferences import PreferenceMatrix
from duelbench.problem.worlds.world import World, equal

MSLR = PreferenceMatrix.load("mslr5-condorcet")
REVERSED = PreferenceMatrix(MSLR.P[::-1, ::-1].copy(), names=MSLR.names)
PROBLEMS = {
    "mslr5-condorcet": MSLR,
    "cyclic": PreferenceMatrix.load("cyclic"),
    "flip4": World((MSLR, REVERSED, MSLR, REVERSED), equal(4)),
}
RULES = {
    "exp3": ("sparring", {"machine": "exp3"}),
    "exp3ix": ("sparring", {"machine": "exp3ix"}),
    "exp3s": ("sparring", {"machine": "exp3s", "switches": 4}),
    "rex3": ("rex3", {}),
    "rex3, g = 0.1": ("rex3", {"g": 0.1}),
    "rex3, anytime": ("rex3", {"anytime": True}),
    "d-exp3": ("d-exp3", {}),
    "d-exp3-hp": ("d-exp3-hp", {}),
    "bcb": ("bcb", {}),
}
HORIZONS = {10**3: 200, 10**4: 100, 10**5: 40}
"""Rounds, and runs."""

PROTOTYPES = {
    ("exp3", "mslr5-condorcet"): ((76.3, 0.6), (364, 3), (1302, 15)),
    ("exp3", "cyclic"): ((60.8, 0.4), (333, 4), (1077, 14)),
    ("exp3", "flip4"): ((132.1, 0.3), (1279, 3), (11532, 60)),
    ("exp3ix", "mslr5-condorcet"): ((66.3, 0.5), (295, 3), (1048, 11)),
    ("exp3ix", "cyclic"): ((54.4, 0.5), (251, 3), (850, 10)),
    ("exp3ix", "flip4"): ((129.0, 0.4), (1135, 4), (6833, 60)),
    ("exp3s", "mslr5-condorcet"): ((83.4, 0.4), (376, 3), (1317, 12)),
    ("exp3s", "cyclic"): ((59.7, 0.4), (290, 3), (990, 9)),
    ("exp3s", "flip4"): ((114.9, 0.5), (715, 5), (3017, 30)),
    ("rex3", "mslr5-condorcet"): ((50.7, 0.4), (197, 2), (644, 7)),
    ("rex3", "cyclic"): ((43.2, 0.5), (160, 2), (496, 6)),
    ("rex3", "flip4"): ((130.1, 0.4), (1212, 5), (11082, 110)),
    ("rex3, g = 0.1", "mslr5-condorcet"): ((45.1, 0.5), (157, 2), (485, 5)),
    ("rex3, g = 0.1", "cyclic"): ((31.4, 0.5), (101, 1), (310, 3)),
    ("rex3, g = 0.1", "flip4"): ((126.4, 0.5), (1143, 9), (11034, 150)),
    ("rex3, anytime", "mslr5-condorcet"): ((35.5, 0.7), (107, 5), (300, 36)),
    ("rex3, anytime", "cyclic"): ((27.0, 1.1), (55, 3), (126, 7)),
    ("rex3, anytime", "flip4"): ((134.3, 0.5), (1315, 8), (13099, 104)),
    ("d-exp3", "mslr5-condorcet"): ((123.6, 0.7), (859, 5), (5094, 37)),
    ("d-exp3", "cyclic"): ((91.1, 0.4), (774, 4), (5059, 31)),
    ("d-exp3", "flip4"): ((32.7, 0.3), (313, 3), (2823, 35)),
    ("d-exp3-hp", "mslr5-condorcet"): ((132.5, 0.6), (951, 5), (5545, 34)),
    ("d-exp3-hp", "cyclic"): ((93.0, 0.3), (812, 4), (5527, 33)),
    ("d-exp3-hp", "flip4"): ((31.4, 0.3), (291, 3), (2463, 26)),
    ("bcb", "mslr5-condorcet"): ((167.3, 0.2), (1674, 1), (16749, 4)),
    ("bcb", "cyclic"): ((99.8, 0.1), (999.5, 0.3), (6091, 126)),
    ("bcb", "flip4"): ((33.8, 0.2), (338, 1), (3375, 4)),
}
"""Mean regret at the three horizons, and its standard error: `condorcet`, of D-EXP3 and BCB `borda`, in flip4
`borda-static`."""


def measured(rule: str, problem: str, horizon: int, runs: int) -> tuple[float, float]:
    """Mean and standard error."""
    id, parameters = RULES[rule]
    scores = "borda-static" if problem == "flip4" else "borda"
    regret = ["condorcet" if id in ("sparring", "rex3") else scores]
    ends = [
        duelbench.simulate(
            id, PROBLEMS[problem], horizon=horizon, seed=3, run=run, regret=regret, checkpoints=[horizon], **parameters
        ).regret[0, -1]
        for run in range(runs)
    ]
    return float(np.mean(ends)), float(stats.sem(ends))


@pytest.mark.parametrize(("rule", "problem"), PROTOTYPES)
@pytest.mark.parametrize(
    "horizon", [pytest.param(T, marks=pytest.mark.slow if T > 10**4 else pytest.mark.thorough) for T in HORIZONS]
)
def test_regret_is_that_of_a_prototype(rule, problem, horizon):
    """Within three combined standard errors."""
    mean, error = PROTOTYPES[rule, problem][list(HORIZONS).index(horizon)]
    own, own_error = measured(rule, problem, horizon, HORIZONS[horizon])
    assert abs(own - mean) < 3 * math.hypot(own_error, error), f"{own:.1f} +- {own_error:.1f}"
