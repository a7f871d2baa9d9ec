"""Duels to the answer, beside the figures of prototypes: within three standard errors of both, and seldom wrong.

The prototypes were written from the rules alone, and not kept.
"""

import csv
import re
from pathlib import Path

import numpy as np
import pytest
import yaml
from scipy import stats

import duelbench
from duelbench.bandits.algorithms import registry
from tests.bandits.algorithms.identification.games import runs_of

MATRICES = {path.stem: path for path in (Path(__file__).parents[4] / "matrices").glob("*.csv")}
ORDER = duelbench.PreferenceMatrix(0.5 + (np.arange(16)[None, :] - np.arange(16)[:, None]) / 64)


def figures():
    """Means of prototypes and their standard errors (0: not known), and how many runs of ours are set beside them."""
    with open(Path(__file__).with_name("prototypes.csv"), encoding="utf-8") as file:
        return list(csv.DictReader(file))


@pytest.mark.thorough
@pytest.mark.parametrize("figure", figures(), ids=lambda figure: " ".join(figure.values()))
def test_duels_to_the_answer_are_those_of_a_prototype(figure):
    id, matrix, runs = figure["algorithm"], figure["matrix"], int(figure["runs"])
    parameters = {name: yaml.safe_load(value) for name, value in re.findall(r"(\w+)=(\S+)", figure["parameters"])}
    P = ORDER if matrix == "order" else duelbench.PreferenceMatrix.load(MATRICES[matrix])
    horizon = 10**8 if registry.get(id).anytime else 10**6
    traces = runs_of(id, P, runs, seed=int(figure["seed"]), horizon=horizon, **parameters)
    taus = np.array([trace.finished - 1 for trace in traces], float)
    assert "until" in id or all(trace.duels.trace() == trace.duels.sum() - trace.finished + 1 for trace in traces)
    assert abs(taus.mean() - float(figure["mean"])) < 3 * np.hypot(float(figure["error"]), stats.sem(taus))
    best = np.argmax((P.P > 0.5).sum(axis=1))
    wrong = sum(trace.recommended[-1] != best for trace in traces)
    assert stats.binomtest(wrong, runs, parameters.get("delta", 0.05), alternative="greater").pvalue > 1e-4
