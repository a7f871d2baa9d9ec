"""Statistics of the answers of runs: the share of wrong answers with exact intervals, and quantiles of their times."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from duelbench.bandits.statistics.tails import clopper_pearson

QUANTILES = {"q10": 100, "q25": 250, "median": 500, "q75": 750, "q90": 900, "q99": 990}
"""The quantiles of the time to an answer: name -> runs in a thousand that have answered by then."""


@dataclass(frozen=True)
class ErrorRate:
    """The number of wrong answers in several runs, with an interval of the probability of a wrong answer."""

    wrong: int
    runs: int
    # ends of Clopper and Pearson's 95% confidence interval of the probability of a wrong answer
    low: float
    high: float

    @property
    def share(self) -> float:
        """The share of the runs with a wrong answer."""
        return self.wrong / self.runs

    def is_above(self, delta: float) -> bool:
        """Return whether the whole interval is above ``delta``, so that wrong answers are too frequent."""
        return self.low > delta


def error_rate(wrong: int, runs: int) -> ErrorRate:
    """Return the error rate of ``runs`` answers, of which ``wrong`` are wrong.

    Examples
    --------
    One right run: a probability p of a wrong answer is in the interval if 1 - p >= 2.5%.

    >>> round(error_rate(0, 1).high, 12), error_rate(0, 1).is_above(0.05), error_rate(30, 100).is_above(0.05)
    (0.975, False, True)
    """
    low, high = clopper_pearson(np.array(wrong), runs)
    return ErrorRate(wrong, runs, float(low), float(high))


def quantile(times: np.ndarray, per_mille: int) -> float:
    """Return the earliest time by which ``per_mille`` of a thousand runs have answered; infinite if fewer answer.

    Examples
    --------
    >>> times = np.array([4.0, 1.0, np.inf, 3.0])
    >>> quantile(times, 250), quantile(times, 500), quantile(times, 501), quantile(times, 900)
    (1.0, 3.0, 4.0, inf)
    """
    needed = -(-per_mille * len(times) // 1000)
    return float(np.sort(times)[needed - 1])


def mean_and_error(samples: np.ndarray) -> tuple[float, float | None]:
    """Return the mean and its standard error, which is None for a single sample.

    Examples
    --------
    >>> mean_and_error(np.array([1.0, 3.0])), mean_and_error(np.array([2.0]))
    ((2.0, 1.0), (2.0, None))
    """
    mean = math.fsum(samples) / len(samples)
    return mean, None if len(samples) == 1 else float(np.std(samples, ddof=1)) / math.sqrt(len(samples))


@dataclass(frozen=True)
class Times:
    """The times of the answers of several runs, in rounds."""

    # None if any run has not answered; ``sem``, the standard error of the mean, also for a single run
    mean: float | None
    sem: float | None
    # the mean with the horizon as the time of each run without an answer: a lower bound on the mean
    at_least: float
    quantiles: tuple[float, ...]  # in the order of `QUANTILES`; infinite if fewer runs have answered


def times_of(finished: np.ndarray | Sequence[int], horizon: int) -> Times:
    """Return the times of answers.

    ``finished`` holds, for each run, the first round (1-based) after its answer was known; 0 if it never was.

    Examples
    --------
    >>> times_of([4, 6], 100)
    Times(mean=4.0, sem=1.0, at_least=4.0, quantiles=(3.0, 3.0, 3.0, 5.0, 5.0, 5.0))
    >>> times_of([4, 0], 100).mean is None, times_of([4, 0], 101).at_least
    (True, 52.0)
    """
    rounds = np.asarray(finished, np.float64)
    times = np.where(rounds > 0, rounds - 1, np.inf)
    mean, sem = mean_and_error(np.minimum(times, horizon))
    is_known = bool(np.isfinite(times).all())
    quantiles = tuple(quantile(times, per_mille) for per_mille in QUANTILES.values())
    return Times(mean if is_known else None, sem if is_known else None, mean, quantiles)
