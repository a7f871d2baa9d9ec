"""Duels to the answer, beside prototypes written from the same descriptions, which are not part of the project."""

import math
from pathlib import Path

import numpy as np
import pytest

import duelbench
from tests.algorithms.identification.games import runs_of

MATRICES = Path(__file__).parents[3] / "matrices"
CYCLIC = duelbench.PreferenceMatrix.load(MATRICES / "cyclic.csv")
MSLR = duelbench.PreferenceMatrix.load(MATRICES / "mslr5-condorcet.csv")
ARITHMETIC = duelbench.PreferenceMatrix.load(MATRICES / "arithmetic8.csv")
ORDER = duelbench.PreferenceMatrix(0.5 + (np.arange(16)[None, :] - np.arange(16)[:, None]) / 64)
TWO = {"categories": 2}

MEASURED = [
    ("seebs", CYCLIC, {}, 200, 24371, 211),
    ("seebs", MSLR, {}, 200, 119308, 2609),
    ("seebs", ORDER, {}, 25, 1327041, 36341),
    ("pocowista", CYCLIC, {}, 400, 990, 18),
    ("pocowista", CYCLIC, TWO, 400, 879, 17),
    ("pocowista", MSLR, {}, 400, 8900, 795),
    ("pocowista", MSLR, TWO, 400, 8003, 711),
    ("pocowista", ORDER, {}, 100, 111505, 4429),
    ("pocowista", ORDER, TWO, 100, 107488, 4541),
    ("tra-pocowista", CYCLIC, {}, 400, 850, 21),
    ("tra-pocowista", MSLR, {}, 400, 8454, 784),
    ("tra-pocowista", ORDER, {}, 100, 58917, 2670),
    ("dkwt", CYCLIC, {}, 400, 10578, 170),
    ("dkwt", MSLR, {}, 400, 87670, 6784),
    ("dkwt", ORDER, {}, 100, 705033, 33940),
    ("kt-knockout", CYCLIC, {}, 400, 662, 18),
    ("kt-knockout", MSLR, {}, 400, 8241, 749),
    ("kt-knockout", ORDER, {}, 100, 50608, 2229),
    ("iir", MSLR, {}, 60, 341708, 27537),
    ("iir", ARITHMETIC, {}, 60, 148623, 5351),
]
"""Algorithm, matrix, parameters, runs of ours, and the prototype's mean and standard error."""


@pytest.mark.thorough
@pytest.mark.parametrize(("id", "problem", "parameters", "runs", "mean", "error"), MEASURED)
def test_it_takes_as_many_duels_as_a_prototype_and_ends_with_the_best_arm(id, problem, parameters, runs, mean, error):
    # Three combined standard errors; with 20 fixed seeds, a right mean fails one of them in a share .05 of all choices.
    traces = runs_of(id, problem, runs, seed=11, **parameters)
    taus = np.array([trace.finished - 1 for trace in traces], float)
    assert all(trace.duels.trace() == trace.duels.sum() - tau for trace, tau in zip(traces, taus, strict=True))
    own = taus.std(ddof=1) / math.sqrt(runs)
    assert abs(taus.mean() - mean) < 3 * math.hypot(error, own)
    best = np.argmax((problem.P > 0.5).sum(axis=1))
    assert sum(trace.recommended[-1] != best for trace in traces) <= 0.05 * runs
