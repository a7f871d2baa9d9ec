"""The transcriptions cost in three worlds what other programs of the same rules cost there."""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np
import pytest

from . import Playable
from .anaconda import ANACONDA
from .bcb import BCB
from .btw import BtW, BtWR
from .d_exp3 import DEXP3, DEXP3HP
from .detect import DETECT
from .mdb import MDB
from .rex3 import REX3
from .sparring import Sparring
from .wiwr import WIWR
from .worlds import WORLDS, borda_static, condorcet, regret, weak_binary


class Figure(NamedTuple):
    """Mean regret and its standard error."""

    mean: float
    error: float


class Row(NamedTuple):
    """A rule, a definition of regret, and figures {horizon: one for each of `WORLDS`}."""

    make: Callable[..., Playable]
    definition: Callable[..., float]
    figures: dict[int, list[tuple[float, float]]]


def sparring(machine: str, **parameters) -> Callable[..., Playable]:
    return partial(Sparring, machine=machine, **parameters)


ROWS = {
    "sparring exp3": Row(
        sparring("exp3"),
        condorcet,
        {1_000: [(76.3, 0.6), (60.8, 0.4), (132.1, 0.3)], 10_000: [(364, 3), (333, 4), (1279, 3)]},
    ),
    "sparring exp3ix": Row(
        sparring("exp3ix"),
        condorcet,
        {1_000: [(66.3, 0.5), (54.4, 0.5), (129.0, 0.4)], 10_000: [(295, 3), (251, 3), (1135, 4)]},
    ),
    "sparring exp3s S=4": Row(
        sparring("exp3s", switches=4),
        condorcet,
        {1_000: [(83.4, 0.4), (59.7, 0.4), (114.9, 0.5)], 10_000: [(376, 3), (290, 3), (715, 5)]},
    ),
    "rex3 g=1/2": Row(
        REX3,
        condorcet,
        {1_000: [(50.7, 0.4), (43.2, 0.5), (130.1, 0.4)], 10_000: [(197, 2), (160, 2), (1212, 5)]},
    ),
    "rex3 g=1/10": Row(
        partial(REX3, g=0.1),
        condorcet,
        {1_000: [(45.1, 0.5), (31.4, 0.5), (126.4, 0.5)], 10_000: [(157, 2), (101, 1), (1143, 9)]},
    ),
    "rex3 anytime": Row(
        partial(REX3, anytime=True),
        condorcet,
        {1_000: [(35.5, 0.7), (27.0, 1.1), (134.3, 0.5)], 10_000: [(107, 5), (55, 3), (1315, 8)]},
    ),
    "d-exp3": Row(
        DEXP3,
        borda_static,
        {1_000: [(123.6, 0.7), (91.1, 0.4), (32.7, 0.3)], 10_000: [(859, 5), (774, 4), (313, 3)]},
    ),
    "d-exp3-hp": Row(
        DEXP3HP,
        borda_static,
        {1_000: [(132.5, 0.6), (93.0, 0.3), (31.4, 0.3)], 10_000: [(951, 5), (812, 4), (291, 3)]},
    ),
    "bcb": Row(
        BCB,
        borda_static,
        {1_000: [(167.3, 0.2), (99.8, 0.1), (33.8, 0.2)], 10_000: [(1674, 1), (999.5, 0.3), (338, 1)]},
    ),
    "btw": Row(
        BtW,
        weak_binary,
        {1_000: [(254, 8), (123, 4), (350, 8)], 10_000: [(1626, 59), (245, 13), (1928, 56)]},
    ),
    "btwr": Row(
        BtWR,
        weak_binary,
        {1_000: [(268, 8), (197, 5), (336, 6)], 10_000: [(2390, 51), (1254, 62), (2558, 45)]},
    ),
    "btwr p_min=.035": Row(
        partial(BtWR, p_min=0.035),
        weak_binary,
        {1_000: [(446, 32), (216, 19), (620, 16)], 10_000: [(524, 67), (221, 27), (2799, 146)]},
    ),
    "btwr p_min=.1": Row(
        partial(BtWR, p_min=0.1),
        weak_binary,
        {1_000: [(187, 14), (37, 3), (436, 14)], 10_000: [(627, 52), (37, 5), (1447, 57)]},
    ),
    "detect btw": Row(
        partial(DETECT, delta=0.5),
        weak_binary,
        {1_000: [(405, 23), (334, 21), (542, 8)], 10_000: [(2976, 327), (2964, 301), (3567, 175)]},
    ),
    "mdb rucb": Row(
        MDB,
        condorcet,
        {1_000: [(134.0, 0), (75.0, 0), (134.0, 0)], 10_000: [(1155, 1), (535, 1), (1300, 1)]},
    ),
    "anaconda C=1 rho=1": Row(
        partial(ANACONDA, C=1.0, rho=1.0),
        condorcet,
        {1_000: [(134.0, 0.2), (75.0, 0.1), (134.0, 0.2)], 10_000: [(1339, 1), (749, 1), (1341, 1)]},
    ),
    "anaconda": Row(
        ANACONDA,
        condorcet,
        {10_000: [(539, 36), (392, 23), (1086, 33)]},
    ),
    "wiwr": Row(
        WIWR,
        condorcet,
        {1_000: [(75.1, 0.5), (45.0, 0.5), (125.2, 0.4)], 10_000: [(684, 2), (382, 1), (1250, 3)]},
    ),
    "wiwr scale=1/256": Row(
        partial(WIWR, scale=1 / 256),
        condorcet,
        {1_000: [(75.1, 0.5), (45.0, 0.5), (125.2, 0.4)], 10_000: [(684, 2), (382, 1), (1250, 3)]},
    ),
}
RUNS = {1_000: 200, 10_000: 40}
SKEWED = ["detect btw", "anaconda"]  # few runs with much regret: 200 of them at every horizon
FEW = [rule for rule, row in ROWS.items() if 1_000 in row.figures]
GAMES = [(rule, world, horizon) for rule, row in ROWS.items() for horizon in row.figures for world in WORLDS]
LONG = [game for game in GAMES if game[0].startswith("anaconda") and game[2] == 10_000]  # 10 to 30 s each


def measured(rule: str, world: str, horizon: int, runs: int) -> Figure:
    """Regret of ``runs`` runs of a rule, which has generators of its own."""
    costs = []
    for run in range(runs):
        P = WORLDS[world][0]
        generators = [np.random.default_rng([stream, run, *f"{rule} in {world}".encode()]) for stream in range(2)]
        oracle = ROWS[rule].make(len(P), horizon, generators[0])
        costs.append(regret(oracle, WORLDS[world], horizon, generators[1], ROWS[rule].definition))
    return Figure(float(np.mean(costs)), float(np.std(costs, ddof=1) / np.sqrt(runs)))


def compare(rule: str, world: str, horizon: int, runs: int) -> None:
    expected = Figure(*ROWS[rule].figures[horizon][list(WORLDS).index(world)])
    found = measured(rule, world, horizon, runs)
    allowed = 3 * np.hypot(expected.error, found.error)
    assert found.mean == pytest.approx(expected.mean, abs=max(allowed, 0.05)), found


@pytest.mark.parametrize("rule", FEW)
def test_a_few_runs_cost_what_they_cost_elsewhere(rule):
    compare(rule, "mslr5-condorcet", 1_000, 40)


def many_runs(rule: str, horizon: int) -> int:
    return 200 if rule in SKEWED else RUNS[horizon]


@pytest.mark.thorough
@pytest.mark.parametrize(("rule", "world", "horizon"), [game for game in GAMES if game not in LONG])
def test_many_runs_cost_what_they_cost_elsewhere(rule, world, horizon):
    compare(rule, world, horizon, many_runs(rule, horizon))


@pytest.mark.thorough
def test_forty_long_runs_of_anaconda_cost_what_they_cost_elsewhere():
    compare("anaconda", "mslr5-condorcet", 10_000, 40)


@pytest.mark.slow
@pytest.mark.parametrize(("rule", "world", "horizon"), LONG)
def test_many_long_runs_of_anaconda_cost_what_they_cost_elsewhere(rule, world, horizon):
    compare(rule, world, horizon, many_runs(rule, horizon))
