"""Regret beside that of independent prototypes, in three worlds; each horizon has runs of its own.

The prototypes of the rules for adversarial duels played 200, 100 and 40 runs to T = 10^3, 10^4 and 10^5. Those of one
matrix and horizon shared their draws, so that all of them lie low, or high, together.
"""

import csv
import math
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

import duelbench
from duelbench.bandits.problem.preferences import PreferenceMatrix
from duelbench.bandits.problem.worlds.world import World, equal

MSLR = PreferenceMatrix.load("mslr5-condorcet")
REVERSED = PreferenceMatrix(MSLR.P[::-1, ::-1].copy(), names=MSLR.names)
WORLDS = {
    "mslr5": MSLR,
    "cyclic": PreferenceMatrix.load("cyclic"),
    "flip4": World((MSLR, REVERSED, MSLR, REVERSED), equal(4)),
}

RULES = {
    "btw": ("btw", "weak-binary", {}),
    "btwr": ("btwr", "weak-binary", {}),
    "btwr .035": ("btwr", "weak-binary", {"p_min": 0.035}),
    "btwr .1": ("btwr", "weak-binary", {"p_min": 0.1}),
    "detect": ("detect", "weak-binary", {"delta": 0.5, "p_min": 0.55}),
    "mdb": ("mdb", "condorcet", {"segments": 4, "delta": 0.5}),
    "anaconda 1 1": ("anaconda", "condorcet", {"C": 1, "rho": 1}),
    "anaconda": ("anaconda", "condorcet", {}),
    "wiwr": ("wiwr", "condorcet", {}),
    "wiwr 1/256": ("wiwr", "condorcet", {"scale": 1 / 256}),
    "exp3": ("sparring", "condorcet", {"machine": "exp3"}),
    "exp3ix": ("sparring", "condorcet", {"machine": "exp3ix"}),
    "exp3s": ("sparring", "condorcet", {"machine": "exp3s", "switches": 4}),
    "rex3": ("rex3", "condorcet", {}),
    "rex3, g = 0.1": ("rex3", "condorcet", {"g": 0.1}),
    "rex3, anytime": ("rex3", "condorcet", {"anytime": True}),
    "d-exp3": ("d-exp3", "borda", {}),
    "d-exp3-hp": ("d-exp3-hp", "borda", {}),
    "bcb": ("bcb", "borda", {}),
}
"""Algorithm, regret (in flip4 `borda-static` for `borda`) and parameters."""

HORIZONS = (10**3, 10**4, 10**5)
RUNS = {"detect": (200, 200, 200), "anaconda": (200, 200, 200), "anaconda 1 1": (200, 200, 40)}
"""Others are played 200, 100 and 40 times; these are skewed."""


def cases():
    """Rule, world, horizon, mean and standard error."""
    with open(Path(__file__).with_name("prototypes.csv"), encoding="utf-8") as file:
        for row in csv.DictReader(file):
            for k, horizon in enumerate(HORIZONS):
                mean, error = row[f"mean 10^{3 + k}"], row[f"error 10^{3 + k}"]
                is_slow = k == 2 and list(RULES).index(row["rule"]) >= list(RULES).index("exp3")
                if mean:
                    case = row["rule"], row["world"], horizon, float(mean), float(error)
                    yield pytest.param(*case, marks=pytest.mark.slow if is_slow else pytest.mark.thorough)


@pytest.mark.parametrize(("rule", "world", "horizon", "mean", "error"), list(cases()))
def test_regret_is_that_of_a_prototype(rule, world, horizon, mean, error):
    """Within three combined standard errors."""
    algorithm, regret, parameters = RULES[rule]
    regret = "borda-static" if (regret, world) == ("borda", "flip4") else regret
    options = {"horizon": horizon, "seed": 3, "regret": regret, "checkpoints": 1, **parameters}
    runs = range(RUNS.get(rule, (200, 100, 40))[HORIZONS.index(horizon)])
    own = np.array([duelbench.simulate(algorithm, WORLDS[world], run=run, **options).regret[0, -1] for run in runs])
    assert abs(own.mean() - mean) < 3 * math.hypot(stats.sem(own), error), f"{own.mean():.1f} +- {stats.sem(own):.1f}"
