"""Duels to the answer, beside the figures of prototypes: within three standard errors of both, and seldom wrong.

The prototypes were written from the rules alone, and not kept; their runs are fewer.
"""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import duelbench
from duelbench.algorithms import registry
from tests.algorithms.identification.answers import assert_no_more_wrong_answers_than, stopping_times

MATRICES = Path(__file__).parents[3] / "matrices"
PLACES = np.arange(16)
P = {
    **{
        name: duelbench.PreferenceMatrix.load(MATRICES / f"{name}.csv")
        for name in ("cyclic", "mslr5-condorcet", "arithmetic8")
    },
    "order": duelbench.PreferenceMatrix(0.5 + (PLACES[None, :] - PLACES[:, None]) / 64),
}


@dataclass(frozen=True)
class Figure:
    """A mean of a prototype's, with its standard error (0: not known)."""

    id: str
    matrix: str
    mean: float
    error: float
    parameters: dict[str, Any] = field(default_factory=dict)


FIGURES = [
    Figure("e-elimination", "cyclic", 281, 9),
    Figure("e-elimination", "mslr5-condorcet", 3833, 88),
    Figure("e-elimination", "order", 49690, 1480),
    Figure("batched-elimination", "cyclic", 291, 12),
    Figure("batched-elimination", "order", 85014, 1912),
    Figure("br", "cyclic", 13842, 129),
    Figure("br", "mslr5-condorcet", 89419, 2022),
    Figure("br", "order", 547707, 19714),
    Figure("secs", "cyclic", 9651, 288),
    Figure("secs", "mslr5-condorcet", 77862, 2781),
    Figure("secs", "cyclic", 13840, 0, {"const": 6.0}),
    Figure("active-ranking", "cyclic", 16220, 113),
    Figure("active-ranking", "mslr5-condorcet", 100675, 1797),
    Figure("active-ranking", "order", 802415, 19841),
    Figure("active-ranking", "cyclic", 3826, 50, {"factor": 2.0}),
    Figure("active-ranking", "mslr5-condorcet", 22828, 903, {"factor": 2.0}),
    Figure("lucb-borda", "cyclic", 3413, 45),
    Figure("lucb-borda", "mslr5-condorcet", 22210, 857),
    Figure("lucb-borda", "order", 191788, 13618),
    Figure("strongest-superior", "cyclic", 64.0, 1.4),
    Figure("strongest-superior", "mslr5-condorcet", 4388, 281),
    Figure("strongest-superior", "arithmetic8", 3077, 93),
    Figure("rucb-until-e-condorcet", "cyclic", 115.8, 2.3),
    Figure("rucb-until-e-condorcet", "mslr5-condorcet", 5170, 83),
    Figure("uniform-until-e-condorcet", "cyclic", 116.1, 2.1),
    Figure("uniform-until-e-condorcet", "mslr5-condorcet", 32650, 920),
    Figure("uniform-until-pairs", "cyclic", 1956, 63, {"stop_target": "copeland"}),
    Figure("uniform-until-pairs", "mslr5-condorcet", 32587, 1266, {"stop_target": "copeland"}),
]


@pytest.mark.thorough
@pytest.mark.parametrize("figure", FIGURES, ids=str)
def test_duels_to_the_answer_are_those_of_a_prototype(figure):
    runs = {"cyclic": 400, "order": 40}.get(figure.matrix, 100)
    horizon = 10**8 if registry.get(figure.id).anytime else 10**6
    options = {"horizon": horizon, "seed": 1, "shuffle_arms": True, **figure.parameters}
    tau, wrong = stopping_times(figure.id, P[figure.matrix], runs, **options)
    assert abs(tau.mean() - figure.mean) < 3 * np.hypot(figure.error, tau.std(ddof=1) / np.sqrt(runs))
    assert_no_more_wrong_answers_than(0.05, wrong, runs)
