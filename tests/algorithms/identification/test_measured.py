"""Duels to the answer, beside the figures of prototypes: within three standard errors of both, and seldom wrong.

The prototypes were written from the rules alone, and not kept.
"""

from pathlib import Path

import numpy as np
import pytest
from scipy import stats

import duelbench
from duelbench.algorithms import registry
from tests.algorithms.identification.games import runs_of

MATRICES = {path.stem: path for path in (Path(__file__).parents[3] / "matrices").glob("*.csv")}
ORDER = duelbench.PreferenceMatrix(0.5 + (np.arange(16)[None, :] - np.arange(16)[:, None]) / 64)
COPELAND, TWO = {"stop_target": "copeland"}, {"categories": 2}

FIGURES = {
    (1, 400, "cyclic"): [
        ("e-elimination", 281, 9, {}),
        ("batched-elimination", 291, 12, {}),
        ("br", 13842, 129, {}),
        ("secs", 9651, 288, {}),
        ("secs", 13840, 0, {"const": 6.0}),
        ("active-ranking", 16220, 113, {}),
        ("active-ranking", 3826, 50, {"factor": 2.0}),
        ("lucb-borda", 3413, 45, {}),
        ("strongest-superior", 64.0, 1.4, {}),
        ("rucb-until-e-condorcet", 115.8, 2.3, {}),
        ("uniform-until-e-condorcet", 116.1, 2.1, {}),
        ("uniform-until-pairs", 1956, 63, COPELAND),
    ],
    (1, 100, "mslr5-condorcet"): [
        ("e-elimination", 3833, 88, {}),
        ("br", 89419, 2022, {}),
        ("secs", 77862, 2781, {}),
        ("active-ranking", 100675, 1797, {}),
        ("active-ranking", 22828, 903, {"factor": 2.0}),
        ("lucb-borda", 22210, 857, {}),
        ("strongest-superior", 4388, 281, {}),
        ("rucb-until-e-condorcet", 5170, 83, {}),
        ("uniform-until-e-condorcet", 32650, 920, {}),
        ("uniform-until-pairs", 32587, 1266, COPELAND),
    ],
    (1, 100, "arithmetic8"): [("strongest-superior", 3077, 93, {})],
    (1, 40, "order"): [
        ("e-elimination", 49690, 1480, {}),
        ("batched-elimination", 85014, 1912, {}),
        ("br", 547707, 19714, {}),
        ("active-ranking", 802415, 19841, {}),
        ("lucb-borda", 191788, 13618, {}),
    ],
    (11, 400, "cyclic"): [
        ("seebs", 24371, 211, {}),
        ("pocowista", 990, 18, {}),
        ("pocowista", 879, 17, TWO),
        ("tra-pocowista", 850, 21, {}),
        ("dkwt", 10578, 170, {}),
        ("kt-knockout", 662, 18, {}),
        ("select-then-verify", 834, 3, {"h": 0.1}),
        ("nts", 178.1, 3.1, {"h": 0.1}),
        ("knockout", 1566, 20, {"epsilon": 0.05}),
        ("seq-eliminate", 2244, 38, {"epsilon": 0.05}),
        ("opt-maximize", 2149, 36, {"epsilon": 0.05, "delta": 0.1}),
    ],
    (11, 400, "mslr5-condorcet"): [
        ("seebs", 119308, 2609, {}),
        ("pocowista", 8900, 795, {}),
        ("pocowista", 8003, 711, TWO),
        ("tra-pocowista", 8454, 784, {}),
        ("dkwt", 87670, 6784, {}),
        ("kt-knockout", 8241, 749, {}),
        ("iir", 341708, 27537, {}),
        ("select-then-verify", 8227, 16, {"h": 0.035}),
        ("nts", 1133, 32, {"h": 0.035}),
        ("knockout", 23101, 1439, {"epsilon": 0.0175}),
        ("seq-eliminate", 16705, 675, {"epsilon": 0.0175}),
        ("opt-maximize", 15786, 619, {"epsilon": 0.0175, "delta": 0.1}),
    ],
    (11, 60, "arithmetic8"): [("iir", 148623, 5351, {})],
    (11, 100, "order"): [
        ("seebs", 1327041, 36341, {}),
        ("pocowista", 111505, 4429, {}),
        ("pocowista", 107488, 4541, TWO),
        ("tra-pocowista", 58917, 2670, {}),
        ("dkwt", 705033, 33940, {}),
        ("kt-knockout", 50608, 2229, {}),
        ("select-then-verify", 166467, 173, {"h": 1 / 64}),
        ("nts", 22085, 435, {"h": 1 / 64}),
        ("knockout", 174156, 5102, {"epsilon": 1 / 128}),
        ("seq-eliminate", 153521, 10071, {"epsilon": 1 / 128}),
        ("opt-maximize", 281966, 17785, {"epsilon": 1 / 128, "delta": 0.1}),
    ],
}
"""Seed, runs of ours and matrix; algorithm, a prototype's mean and its standard error (0: not known), parameters."""

FEWER = {"iir": 60, ("seebs", "order"): 25, ("seebs", "cyclic"): 200, ("seebs", "mslr5-condorcet"): 200}
"""Of these a run takes long."""


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("where", "figure"), [(where, figure) for where, figures in FIGURES.items() for figure in figures], ids=str
)
def test_duels_to_the_answer_are_those_of_a_prototype(where, figure):
    seed, runs, matrix = where
    id, mean, error, parameters = figure
    runs = FEWER.get(id, FEWER.get((id, matrix), runs))
    P = ORDER if matrix == "order" else duelbench.PreferenceMatrix.load(MATRICES[matrix])
    horizon = 10**8 if registry.get(id).anytime else 10**6
    traces = runs_of(id, P, runs, seed=seed, horizon=horizon, **parameters)
    taus = np.array([trace.finished - 1 for trace in traces], float)
    assert "until" in id or all(trace.duels.trace() == trace.duels.sum() - trace.finished + 1 for trace in traces)
    assert abs(taus.mean() - mean) < 3 * np.hypot(error, stats.sem(taus))
    best = np.argmax((P.P > 0.5).sum(axis=1))
    wrong = sum(trace.recommended[-1] != best for trace in traces)
    assert stats.binomtest(wrong, runs, parameters.get("delta", 0.05), alternative="greater").pvalue > 1e-4
