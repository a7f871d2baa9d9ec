"""When runs settle on a winner, and how fast regret grows at the end, each with a 95% interval."""

import math
from typing import NamedTuple

import numpy as np

from duelbench.bandits.statistics.curves import FEWEST, confidence_interval
from duelbench.bandits.statistics.differences import LEVEL, quantile_ends

DECADE = 10

_NEVER = 1e300  # a round beyond all horizons


class Estimate(NamedTuple):
    """A number with the ends of its 95% interval; None for what is unknown, such as an end that needs more runs."""

    value: float | None
    low: float | None
    high: float | None


def last_wrong(rounds: np.ndarray, is_right: np.ndarray) -> np.ndarray:
    """Return the last checkpoint at which each run does not recommend a winner, (n_runs,) float64; 0 if there is none.

    ``rounds``, (n,), are the checkpoints, 1-based; ``is_right``, (n_runs, n) bool, is whether each run recommends a
    winner at each checkpoint.

    Examples
    --------
    The first run is right from round 10 on, the second loses the winner again, the third is always right.

    >>> last_wrong(np.array([1, 10, 100]), np.array([[False, True, True], [True, True, False], [True] * 3])).tolist()
    [1.0, 100.0, 0.0]
    """
    return np.where(is_right, 0.0, rounds).max(axis=1)


def quantile(sample: np.ndarray, share: float) -> Estimate:
    """Return an interpolated quantile of runs, with an interval between order statistics.

    Examples
    --------
    Five of 0 to 4 are too few: all are on one side of the median with probability 2 / 32.

    >>> quantile(np.arange(5.0), 0.5)
    Estimate(value=2.0, low=None, high=None)
    """
    low, high = (end if math.isfinite(end) else None for end in quantile_ends(np.sort(sample), share, LEVEL))
    return Estimate(float(np.quantile(sample, share)), low, high)


def reached(rounds: np.ndarray, regret: np.ndarray, threshold: float) -> tuple[Estimate, int]:
    """Return the first checkpoint with a regret of at least ``threshold``, and the number of runs without one.

    The checkpoint is the median of the runs, with an interval. ``rounds``, (n,), are checkpoints, 1-based; ``regret``
    is (n_runs, n) float64. Numbers beyond the last checkpoint are unknown, and None.

    Examples
    --------
    Five runs get there in round 10, three not by round 100: an end of the interval is unknown.

    >>> regret = np.array([[0.0, 5.0, 9.0]] * 5 + [[0.0, 1.0, 2.0]] * 3)
    >>> reached(np.array([1, 10, 100]), regret, 5.0)
    (Estimate(value=10.0, low=10.0, high=None), 3)
    """
    first = np.where(regret >= threshold, rounds, _NEVER).min(axis=1)
    values = (None if number is None or number > rounds[-1] else number for number in quantile(first, 0.5))
    return Estimate(*values), int((first == _NEVER).sum())


def growth_exponent(rounds: np.ndarray, regret: np.ndarray) -> Estimate | None:
    """Return the slope of ln(mean regret) against ln t, between the last checkpoint until T / 10 and the horizon T.

    It is 1 for linear regret, and tends to 0 for logarithmic regret. The interval is that of the mean of each run's
    influence on the slope, (a / A - b / B) / ln(T / s), where a is the regret of the run at T, b that at the earlier
    checkpoint s, and A and B are their means.

    ``rounds``, (n,), are checkpoints, 1-based, the last one the horizon T; ``regret`` is (n_runs, n) float64. Returns
    None if there is no such checkpoint, or if mean regret is 0 at it or at T. With fewer than 8 runs, the interval has
    no ends.

    Examples
    --------
    Regret 3 sqrt(t), the same in all eight runs:

    >>> growth = growth_exponent(np.array([10, 100]), np.full((8, 2), 3.0) * np.sqrt([10.0, 100.0]))
    >>> [round(number, 9) for number in growth]
    [0.5, 0.5, 0.5]
    """
    early = np.flatnonzero(DECADE * rounds <= rounds[-1])
    if not len(early):
        return None
    first, last = regret[:, early[-1]], regret[:, -1]
    if first.mean() <= 0 or last.mean() <= 0:
        return None
    span = math.log(rounds[-1] / rounds[early[-1]])
    value = math.log(last.mean() / first.mean()) / span
    if len(regret) < FEWEST:
        return Estimate(value, None, None)
    influence = (last / last.mean() - first / first.mean()) / span
    low, high = confidence_interval(influence[:, None])
    return Estimate(value, value + float(low[0]), value + float(high[0]))
