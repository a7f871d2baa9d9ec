"""The transcriptions cost in three worlds what other programs of the same rules cost there."""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np
import pytest

from . import Playable
from .bcb import BCB
from .d_exp3 import DEXP3, DEXP3HP
from .rex3 import REX3
from .sparring import Sparring
from .worlds import WORLDS, borda_static, condorcet, regret


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
}
RUNS = {1_000: 200, 10_000: 40}
GAMES = [(rule, world, horizon) for rule, row in ROWS.items() for horizon in row.figures for world in WORLDS]


def measured(rule: str, world: str, horizon: int, runs: int) -> Figure:
    """Regret of ``runs`` runs of a rule, whose generators are the same in every world."""
    costs = []
    for run in range(runs):
        P = WORLDS[world][0]
        oracle = ROWS[rule].make(len(P), horizon, np.random.default_rng([run, 1]))
        costs.append(regret(oracle, WORLDS[world], horizon, np.random.default_rng([run, 2]), ROWS[rule].definition))
    return Figure(float(np.mean(costs)), float(np.std(costs, ddof=1) / np.sqrt(runs)))


def compare(rule: str, world: str, horizon: int, runs: int) -> None:
    expected = Figure(*ROWS[rule].figures[horizon][list(WORLDS).index(world)])
    found = measured(rule, world, horizon, runs)
    allowed = 3 * np.hypot(expected.error, found.error)
    assert found.mean == pytest.approx(expected.mean, abs=max(allowed, 0.05)), found


@pytest.mark.parametrize("rule", ROWS)
def test_a_few_runs_cost_what_they_cost_elsewhere(rule):
    compare(rule, "mslr5-condorcet", 1_000, 40)


@pytest.mark.thorough
@pytest.mark.parametrize(("rule", "world", "horizon"), GAMES)
def test_many_runs_cost_what_they_cost_elsewhere(rule, world, horizon):
    compare(rule, world, horizon, RUNS[horizon])
