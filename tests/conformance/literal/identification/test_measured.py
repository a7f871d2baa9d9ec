"""The transcriptions take as many duels to their answers as the prototypes of their specification did."""

import itertools
import math
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from scipy import stats

from tests.selection import quick

from ..by_hand import CYCLIC
from ..rucb import RUCB
from . import until_answered
from .active_ranking import ActiveRanking, LUCBBorda
from .batched import BatchedElimination
from .borda import BR, SECS
from .dkwt import DKWT, KTKnockout
from .e_elimination import EElimination, StrongestSuperior
from .framework import Identification
from .iir import IIR
from .knockout import Knockout
from .nts import NTS
from .pocowista import POCOWISTA, TransitivePOCOWISTA
from .rules import ECondorcet, PairsCopeland, PairsTop, Until
from .seebs import SEEBS
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
    "arithmetic8": Setting(np.loadtxt(ROOT / "matrices" / "arithmetic8.csv", delimiter=",", ndmin=2), 0.02),
    "order16": Setting(0.5 + (np.arange(16)[None, :] - np.arange(16)[:, None]) / 64, 1 / 64),
}


class Measured(NamedTuple):
    """Mean duels to the answer, its standard error, and how many runs of ours are set beside it."""

    mean: float
    error: float
    runs: int


class InTurn(Identification):
    """All pairs of the private order, one after the other, for ever."""

    def _identify(self):
        yield from itertools.cycle(itertools.combinations(self.arms, 2))

    def recommend(self):
        return self.arms[0]


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
    "seebs": plain(SEEBS),
    "pocowista": plain(POCOWISTA),
    "pocowista of two": plain(POCOWISTA, categories=2),
    "tra-pocowista": plain(TransitivePOCOWISTA),
    "dkwt": plain(DKWT),
    "kt-knockout": plain(KTKnockout),
    "br": plain(BR),
    "secs": plain(SECS),
    "secs of 6": plain(SECS, const=6),
    "active-ranking": plain(ActiveRanking),
    "active-ranking of 2": plain(ActiveRanking, factor=2.0),
    "lucb-borda": plain(LUCBBorda),
    "e-elimination": plain(EElimination),
    "strongest-superior": plain(StrongestSuperior),
    "batched-elimination": lambda K, rng, h: BatchedElimination(K, 10**6, rng),
    "pairs in turn until e-condorcet": lambda K, rng, h: Until(InTurn(K, rng), ECondorcet(K, 0.05)),
    "pairs in turn until copeland": lambda K, rng, h: Until(InTurn(K, rng), PairsCopeland(K, 0.05)),
    "pairs in turn until top 2": lambda K, rng, h: Until(InTurn(K, rng), PairsTop(K, 0.05, 2)),
    "iir": plain(IIR),
    "rucb until e-condorcet": lambda K, rng, h: Until(RUCB(K, CAP, rng), ECondorcet(K, 0.05)),
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
    ("seebs", "cyclic"): Measured(24371, 211, 40),
    ("seebs", "mslr5"): Measured(119308, 2609, 20),
    ("seebs", "order16"): Measured(1327041, 36341, 4),
    ("pocowista", "cyclic"): Measured(990, 18, 200),
    ("pocowista", "mslr5"): Measured(8900, 795, 200),
    ("pocowista", "order16"): Measured(111505, 4429, 20),
    ("pocowista of two", "cyclic"): Measured(879, 17, 200),
    ("pocowista of two", "mslr5"): Measured(8003, 711, 200),
    ("pocowista of two", "order16"): Measured(107488, 4541, 20),
    ("tra-pocowista", "cyclic"): Measured(850, 21, 200),
    ("tra-pocowista", "mslr5"): Measured(8454, 784, 200),
    ("tra-pocowista", "order16"): Measured(58917, 2670, 20),
    ("dkwt", "cyclic"): Measured(10578, 170, 100),
    ("dkwt", "mslr5"): Measured(87670, 6784, 100),
    ("dkwt", "order16"): Measured(705033, 33940, 10),
    ("kt-knockout", "cyclic"): Measured(662, 18, 200),
    ("kt-knockout", "mslr5"): Measured(8241, 749, 200),
    ("kt-knockout", "order16"): Measured(50608, 2229, 20),
    ("br", "cyclic"): Measured(13842, 129, 20),
    ("br", "mslr5"): Measured(89419, 2022, 10),
    ("secs", "cyclic"): Measured(9651, 288, 20),
    ("secs", "mslr5"): Measured(77862, 2781, 10),
    ("secs of 6", "cyclic"): Measured(13840, 129, 20),
    ("active-ranking", "cyclic"): Measured(16220, 113, 40),
    ("active-ranking", "mslr5"): Measured(100675, 1797, 20),
    ("active-ranking of 2", "cyclic"): Measured(3826, 50, 60),
    ("active-ranking of 2", "mslr5"): Measured(22828, 903, 40),
    ("lucb-borda", "cyclic"): Measured(3413, 45, 60),
    ("lucb-borda", "mslr5"): Measured(22210, 857, 20),
    ("batched-elimination", "cyclic"): Measured(291, 12, 200),
    ("batched-elimination", "mslr5"): Measured(6854, 167, 200),
    ("batched-elimination", "order16"): Measured(85014, 1912, 20),
    ("e-elimination", "cyclic"): Measured(281, 9, 100),
    ("e-elimination", "mslr5"): Measured(3833, 88, 100),
    ("strongest-superior", "cyclic"): Measured(64.0, 1.4, 100),
    ("strongest-superior", "mslr5"): Measured(4388, 281, 20),
    ("pairs in turn until e-condorcet", "cyclic"): Measured(116.1, 2.1, 100),
    ("pairs in turn until e-condorcet", "mslr5"): Measured(32650, 920, 10),
    ("pairs in turn until copeland", "cyclic"): Measured(1956, 63, 400),
    ("pairs in turn until copeland", "mslr5"): Measured(32587, 1266, 20),
    ("pairs in turn until top 2", "mslr5"): Measured(6213, 311, 20),
    ("iir", "mslr5"): Measured(341708, 27537, 8),
    ("iir", "arithmetic8"): Measured(148623, 5351, 12),
    ("strongest-superior", "arithmetic8"): Measured(3077, 93, 40),
    ("rucb until e-condorcet", "cyclic"): Measured(115.8, 2.3, 100),
    ("rucb until e-condorcet", "mslr5"): Measured(5170, 83, 10),
}

QUICK = [
    ("select", "cyclic"),
    ("select-then-verify", "cyclic"),
    ("nts", "cyclic"),
    ("pocowista", "cyclic"),
    ("tra-pocowista", "cyclic"),
    ("kt-knockout", "cyclic"),
    ("batched-elimination", "cyclic"),
    ("strongest-superior", "cyclic"),
    ("pairs in turn until e-condorcet", "cyclic"),
    ("rucb until e-condorcet", "cyclic"),
]


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
