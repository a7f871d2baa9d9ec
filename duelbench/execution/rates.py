"""The cost of runs of the built-in algorithms, from a table that `python -m duelbench.bench.rates` once measured.

Each algorithm was played to growing horizons on problems of 4 to 1024 arms in which all gaps are 0.1: a linear order, a
cycle of three winners above a linear order, and means. For another problem the horizon is stretched: to tell two arms
apart at a gap of 0.01 takes a hundred times as many duels. What decisions take is read off by their number and not by
the round: one of CW-RMED with 64 arms takes a microsecond until every pair has been played often enough, and a thousand
times as long from then on, whatever the gaps. Between two numbers of arms powers are interpolated.
"""

import itertools
import json
import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from duelbench.algorithms.registry import UNTIL
from duelbench.problem.preferences import PreferenceMatrix
from duelbench.problem.scalar_bandit import ScalarBandit

TABLE = Path(__file__).with_name("rates.json")

GAP = 0.1
"""Of all pairs of the problems in the table."""

UNSETTLED = 0.95
"""Who decides in more than this share of the rounds may never have settled anything."""


class Point(NamedTuple):
    """What a run to ``horizon`` took: how many decisions, and seconds of the processor."""

    horizon: float
    decisions: float
    seconds: float


@dataclass(frozen=True)
class Model:
    """How the cost of an algorithm's runs on a problem grows with the horizon.

    Parameters
    ----------
    points : mapping
        Number of arms -> what runs took on the table's problem, by increasing horizon; the first is 1.
    n_arms : int
        K (or N) of the problem.
    stretch : float
        How many times as many rounds everything takes as on the table's problem.

    Examples
    --------
    Ten decisions per factor ten of the horizon; at half the gaps, all takes four times as long.

    >>> table = {4: [Point(1, 1, 0.0), Point(1000, 100, 1e-3), Point(10_000, 200, 2e-3)]}
    >>> round(Model(table, 4, 1.0).cost(10_000).decisions, 6)
    200.0
    >>> round(Model(table, 4, 4.0).cost(40_000).decisions, 6)
    800.0
    """

    points: Mapping[int, Sequence[Point]]
    n_arms: int
    stretch: float

    def cost(self, horizon: float) -> Point:
        """Decisions and seconds of a run to ``horizon``."""
        few, many = _neighbours(sorted(self.points), self.n_arms)
        at_few = _stretched(self.points[few], horizon, self.stretch)
        if few == many:
            return at_few
        at_many = _stretched(self.points[many], horizon, self.stretch)
        share = math.log(self.n_arms / few) / math.log(many / few)
        decisions = _between(at_few.decisions, at_many.decisions, share)
        return Point(horizon, min(decisions, horizon), _between(at_few.seconds, at_many.seconds, share))

    def fitted(self, horizon: float, decisions: float) -> "Model":
        """The same with the stretch at which a run to ``horizon`` takes so many ``decisions``, as far as that tells."""
        wanted = min(decisions, UNSETTLED * horizon)
        if wanted < decisions and wanted < self.cost(horizon).decisions:
            return self
        low, high = math.log(self.stretch) - 10.0, math.log(self.stretch) + 10.0
        for _ in range(50):
            middle = 0.5 * (low + high)
            if replace(self, stretch=math.exp(middle)).cost(horizon).decisions < wanted:
                low = middle
            else:
                high = middle
        return replace(self, stretch=math.exp(high))


def model(algorithm: str, problem: PreferenceMatrix | ScalarBandit, document: Mapping[str, Any]) -> Model | None:
    """What the table says of an algorithm on a problem; None where it says nothing.

    Parameters
    ----------
    algorithm : str
        Its id.
    problem : PreferenceMatrix or ScalarBandit
    document : mapping
        The table, see `table`.
    """
    sampler = algorithm.partition(UNTIL)[0]  # a stopping rule ends its run early, and takes little time itself
    rows = document["algorithms"].get(sampler, {}).get(kind(problem))
    if rows is None:
        return None
    points = {int(n_arms): [Point(*row) for row in measured] for n_arms, measured in rows.items()}
    return Model(points, problem.n_arms, stretch(problem))


@lru_cache(maxsize=1)
def table() -> dict[str, Any]:
    """The table: ``yardstick`` and, by id, ``compile`` in seconds of the processor; ``algorithms``, rows by kind."""
    return json.loads(TABLE.read_text(encoding="utf-8"))


def kind(problem: PreferenceMatrix | ScalarBandit) -> str:
    """Which of the table's problems is like this one: ``order``, ``cycle`` or ``means``."""
    from duelbench.problem.winners import condorcet_winner

    if isinstance(problem, ScalarBandit):
        return "means"
    return "cycle" if condorcet_winner(problem) is None else "order"


def stretch(problem: PreferenceMatrix | ScalarBandit) -> float:
    """The mean of (0.1 / gap)^2 over the gaps of the winners to the other arms, ties left out.

    Examples
    --------
    >>> stretch(PreferenceMatrix([[0.5, 0.6], [0.4, 0.5]])), stretch(PreferenceMatrix([[0.5, 0.55], [0.45, 0.5]]))
    (1.0, 4.0)
    """
    from duelbench.problem.winners import copeland_winners

    if isinstance(problem, ScalarBandit):
        gaps = problem.means.max() - problem.means
    else:
        gaps = np.abs(problem.P[list(copeland_winners(problem))] - 0.5).ravel()
    gaps = gaps[gaps > 1e-6]
    return round(float(np.mean((GAP / gaps) ** 2)), 9) if gaps.size else 1.0


def yardstick() -> float:
    """Seconds of the processor that a fixed piece of plain Python takes: how fast this machine is, roughly."""
    return min(_time_of_a_loop() for _ in range(3))


def _time_of_a_loop() -> float:
    start = time.process_time()
    total = 0
    for i in range(100_000):
        total += i % 7
    return time.process_time() - start


def _neighbours(sizes: Sequence[int], n_arms: int) -> tuple[int, int]:
    """The sizes on both sides of ``n_arms``; the last two on its one side where it lies outside."""
    if n_arms in sizes or len(sizes) == 1:
        return (n_arms, n_arms) if n_arms in sizes else (sizes[0], sizes[0])
    k = min(max(sum(size < n_arms for size in sizes), 1), len(sizes) - 1)
    return sizes[k - 1], sizes[k]


def _stretched(points: Sequence[Point], horizon: float, stretch: float) -> Point:
    """What a run to ``horizon`` takes where all takes ``stretch`` times as many rounds, but for starting."""
    start = points[0].seconds
    grown = points[1:]
    at = horizon / stretch
    decisions = stretch * _power([point.horizon for point in grown], [point.decisions for point in grown], at)
    playing = [max(point.seconds - start, 1e-9) for point in grown]
    decisions = min(decisions, horizon)
    return Point(horizon, decisions, start + _seconds(grown, playing, decisions))


def _seconds(points: Sequence[Point], playing: Sequence[float], decisions: float) -> float:
    """What so many decisions take; beyond the last point as the last ones, if then nothing is settled yet."""
    most = itertools.accumulate((point.decisions for point in points), max)
    rising = [k for k, (before, now) in enumerate(itertools.pairwise((0.0, *most))) if k == 0 or now > before]
    x, y = [points[k].decisions for k in rising], [playing[k] for k in rising]
    last = points[rising[-1]]
    if decisions <= x[-1] or len(x) == 1 or last.decisions <= UNSETTLED * last.horizon:
        return _power(x, y, decisions)
    return y[-1] + (decisions - x[-1]) * max(y[-1] - y[-2], 0.0) / (x[-1] - x[-2])


def _power(x: Sequence[float], y: Sequence[float], at: float) -> float:
    """Powers through neighbouring points; in proportion before the first, at most so beyond the last, never falling."""
    if at <= x[0] or len(x) == 1:
        return y[0] * at / x[0]
    k = min(sum(known < at for known in x), len(x) - 1)
    power = math.log(y[k] / y[k - 1]) / math.log(x[k] / x[k - 1])
    if at > x[k]:
        return y[k] * (at / x[k]) ** min(max(power, 0.0), 1.0)
    return y[k - 1] * (at / x[k - 1]) ** power


def _between(a: float, b: float, share: float) -> float:
    """From ``a`` (share 0) to ``b`` (share 1) by a power."""
    return math.exp((1.0 - share) * math.log(a) + share * math.log(b))
