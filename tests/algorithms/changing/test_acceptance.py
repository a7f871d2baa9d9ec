"""Regret in three worlds beside that of independent prototypes, within three combined standard errors."""

import math

import numpy as np
import pytest

import duelbench
from duelbench.problem.preferences import PreferenceMatrix
from duelbench.problem.worlds.world import World, equal

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
}

MEASURED = {
    ("btw", "mslr5"): [(254, 8), (1626, 59), (5810, 316)],
    ("btw", "cyclic"): [(123, 4), (245, 13), (245, 23)],
    ("btw", "flip4"): [(350, 8), (1928, 56), (7471, 364)],
    ("btwr", "mslr5"): [(268, 8), (2390, 51), (22547, 324)],
    ("btwr", "cyclic"): [(197, 5), (1254, 62), (3129, 485)],
    ("btwr", "flip4"): [(336, 6), (2558, 45), (22855, 235)],
    ("btwr .035", "mslr5"): [(446, 32), (524, 67), (510, 106)],
    ("btwr .035", "cyclic"): [(216, 19), (221, 27), (209, 44)],
    ("btwr .035", "flip4"): [(620, 16), (2799, 146), (6791, 342)],
    ("btwr .1", "mslr5"): [(187, 14), (627, 52), (3412, 276)],
    ("btwr .1", "cyclic"): [(37, 3), (37, 5), (35, 8)],
    ("btwr .1", "flip4"): [(436, 14), (1447, 57), (4743, 260)],
    ("detect", "mslr5"): [(405, 23), (2976, 327), (33411, 5303)],
    ("detect", "cyclic"): [(334, 21), (2964, 301), (24952, 4718)],
    ("detect", "flip4"): [(542, 8), (3567, 175), (26791, 3135)],
    ("mdb", "mslr5"): [(134.0, 0.05), (1155, 1), (4065, 5)],
    ("mdb", "cyclic"): [(75.0, 0.05), (535, 1), (1724, 3)],
    ("mdb", "flip4"): [(134.0, 0.05), (1300, 1), (6520, 23)],
    ("anaconda 1 1", "mslr5"): [(134.0, 0.2), (1339, 1), (13356, 19)],
    ("anaconda 1 1", "cyclic"): [(75.0, 0.1), (749, 1), (7287, 38)],
    ("anaconda 1 1", "flip4"): [(134.0, 0.2), (1341, 1), (13401, 3)],
    ("anaconda", "mslr5"): [None, (539, 36), (3784, 265)],
    ("anaconda", "cyclic"): [None, (392, 23), (2158, 176)],
    ("anaconda", "flip4"): [None, (1086, 33), (7537, 491)],
    ("wiwr", "mslr5"): [(75.1, 0.5), (684, 2), (6716, 5)],
    ("wiwr", "cyclic"): [(45.0, 0.5), (382, 1), (3757, 2)],
    ("wiwr", "flip4"): [(125.2, 0.4), (1250, 3), (12355, 20)],
    ("wiwr 1/256", "mslr5"): [(75.1, 0.5), (684, 2), (3375, 12)],
    ("wiwr 1/256", "cyclic"): [(45.0, 0.5), (382, 1), (3360, 12)],
    ("wiwr 1/256", "flip4"): [(125.2, 0.4), (1250, 3), (12263, 22)],
}
"""Mean and standard error of the prototypes at 10^3, 10^4 and 10^5 rounds, each a horizon of its own."""

RUNS = {"detect": (200, 200, 200), "anaconda": (200, 200, 200), "anaconda 1 1": (200, 200, 40)}
"""Others are played 200, 100 and 40 times; these are skewed."""

CASES = [(rule, world, k) for (rule, world), means in MEASURED.items() for k in range(3) if means[k] is not None]


@pytest.mark.thorough
@pytest.mark.parametrize(("rule", "world", "k"), CASES)
def test_regret_is_that_of_the_prototypes(rule, world, k):
    measured = MEASURED[rule, world][k]
    assert measured is not None
    mean, error = measured
    algorithm, regret, parameters = RULES[rule]
    regrets = [
        duelbench.simulate(
            algorithm, WORLDS[world], horizon=10 ** (3 + k), seed=3, run=run, regret=regret, checkpoints=1, **parameters
        ).regret[0, -1]
        for run in range(RUNS.get(rule, (200, 100, 40))[k])
    ]
    own = np.std(regrets, ddof=1) / math.sqrt(len(regrets))
    assert abs(np.mean(regrets) - mean) < 3 * math.hypot(own, error), f"{np.mean(regrets):.1f} +- {own:.1f}"
