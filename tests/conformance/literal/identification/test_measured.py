"""The transcriptions take as many duels to their answers as the prototypes of their specification did."""

import math
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from scipy import stats

from tests.selection import quick

from ..by_hand import CYCLIC
from . import until_answered
from .knockout import Knockout
from .nts import NTS
from .select import Select, SelectThenVerify
from .seq_eliminate import OptMaximize, SeqEliminate

ROOT = Path(__file__).parents[4]
CAP = 10**8


class Setting(NamedTuple):
    """A matrix whose arm 0 is the Condorcet winner, and its smallest gap."""

    P: np.ndarray
    h: float


SETTINGS = {
    "cyclic": Setting(CYCLIC, 0.1),
    "mslr5": Setting(np.loadtxt(ROOT / "matrices" / "mslr5-condorcet.csv", delimiter=",", ndmin=2), 0.035),
    "order16": Setting(0.5 + (np.arange(16)[None, :] - np.arange(16)[:, None]) / 64, 1 / 64),
}


class Measured(NamedTuple):
    """Mean duels to the answer, its standard error, and how many runs of ours are set beside it."""

    mean: float
    error: float
    runs: int


def low_noise(make, **parameters):
    return lambda K, rng, h: make(K, CAP, rng, h=h, **parameters)


def approximate(make, **parameters):
    return lambda K, rng, h: make(K, CAP, rng, epsilon=h / 2, **parameters)


def plain(make, **parameters):
    return lambda K, rng, h: make(K, CAP, rng, **parameters)


ALGORITHMS = {
    "select": low_noise(Select),
    "select-then-verify": low_noise(SelectThenVerify),
    "nts": low_noise(NTS),
    "knockout": approximate(Knockout),
    "seq-eliminate": approximate(SeqEliminate),
    "opt-maximize": approximate(OptMaximize, delta=0.1),
}

FIGURES = {
    ("select", "cyclic"): Measured(555, 0, 100),
    ("select", "mslr5"): Measured(6268, 0, 100),
    ("select", "order16"): Measured(134625, 0, 10),
    ("select-then-verify", "cyclic"): Measured(834, 3, 100),
    ("select-then-verify", "mslr5"): Measured(8227, 16, 100),
    ("select-then-verify", "order16"): Measured(166467, 173, 20),
    ("nts", "cyclic"): Measured(178.1, 3.1, 200),
    ("nts", "mslr5"): Measured(1133, 32, 200),
    ("nts", "order16"): Measured(22085, 435, 40),
    ("knockout", "cyclic"): Measured(1566, 20, 100),
    ("knockout", "mslr5"): Measured(23101, 1439, 100),
    ("knockout", "order16"): Measured(174156, 5102, 20),
    ("seq-eliminate", "cyclic"): Measured(2244, 38, 100),
    ("seq-eliminate", "mslr5"): Measured(16705, 675, 100),
    ("seq-eliminate", "order16"): Measured(153521, 10071, 20),
    ("opt-maximize", "cyclic"): Measured(2149, 36, 100),
    ("opt-maximize", "mslr5"): Measured(15786, 619, 100),
    ("opt-maximize", "order16"): Measured(281966, 17785, 20),
}

QUICK = [("select", "cyclic"), ("select-then-verify", "cyclic"), ("nts", "cyclic"), ("nts", "mslr5")]


@pytest.mark.parametrize(("id", "setting"), quick(FIGURES, *QUICK))
def test_takes_as_many_duels_as_the_specification_has_measured(id, setting):
    delta = 0.1 if id == "opt-maximize" else 0.05
    rounds, wrong = measure(id, setting, FIGURES[id, setting].runs)
    assert agrees(rounds, FIGURES[id, setting])
    assert stats.binomtest(wrong, len(rounds)).proportion_ci(0.95).low <= delta


def measure(id, setting, runs):
    """Rounds to the answer in each run, and how many answers are wrong. All random numbers come from one seed."""
    P, h = SETTINGS[setting]
    rounds, wrong = [], 0
    for run in range(runs):
        oracle = ALGORITHMS[id](len(P), np.random.default_rng([run, 1]), h)
        ended = until_answered(oracle, P, CAP, np.random.default_rng([run, 2]))
        rounds.append(ended.rounds)
        wrong += ended.answer != 0
    return np.array(rounds), wrong


def agrees(rounds, figure):
    """Whether the means differ by at most three of their standard errors together, and half a duel of rounding."""
    error = math.hypot(figure.error, rounds.std(ddof=1) / math.sqrt(len(rounds)))
    return abs(rounds.mean() - figure.mean) <= 3 * error + 0.5
