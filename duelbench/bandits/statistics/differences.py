"""Differences between two samples, with an interval and a p-value that agree; and warnings about heavy tails."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

LEVEL = 0.95
"""The confidence level of intervals."""

HEAVY = 0.25
"""A mean is not to be trusted if the largest hundredth of the runs contributes this part of it, or more."""

ENOUGH_TO_BE_HEAVY = 20
"""Fewer runs cannot show a heavy tail: the largest of ten exponential times is 29% of their sum on average."""

_SMALLEST_ROOT = 0.45
"""The smallest root in Hall's transformation, so that no end is twice as far from the mean as Student's."""


@dataclass(frozen=True)
class Difference:
    """A statistic of a first sample minus that of a second sample."""

    # the statistic of each sample
    first: float
    second: float
    # ends of the interval for ``first - second``; infinite if the samples are too small for an end
    low: float
    high: float
    p: float  # of the hypothesis that the statistics are equal: below 0.05 exactly if the interval does not contain 0

    @property
    def value(self) -> float:
        """The difference."""
        return self.first - self.second


@dataclass(frozen=True)
class _Mean:
    """A difference of means with its standard error, degrees of freedom and skewness."""

    value: float
    error: float
    freedom: float
    skewness: float


def of_means(first: np.ndarray, second: np.ndarray, paired: bool, level: float = LEVEL) -> Difference:
    """Return the difference between two means, with its interval.

    Each end of the interval is the farther of two ends: that of Student's t (Welch's t for samples that are not
    paired), and that of t after Hall's transformation for skewness [1]_. Neither is reliable alone: docs/statistics.md
    reports the measured coverage.

    Parameters
    ----------
    first : (n,) float64
    second : (m,) float64
        At least two values each; m = n if the samples are paired.
    paired : bool
        Whether entries at the same position belong together.
    level : float
        The confidence level; p is below 1 - level exactly if the interval does not contain 0.

    References
    ----------
    .. [1] P. Hall, "On the Removal of Skewness by Transformation", Journal of the Royal Statistical Society B 54
       (1992), pages 221-228: the transformation called g1 there.

    Examples
    --------
    Differences -1, 0 and 1 have the mean 0, the standard error 1 / sqrt(3), and no skewness; with two degrees of
    freedom t = 4.3027.

    >>> found = of_means(np.array([0.0, 2.0, 4.0]), np.array([1.0, 2.0, 3.0]), paired=True)
    >>> found.value, round(found.high, 3), round(4.3027 / 3**0.5, 3), found.p
    (0.0, 2.484, 2.484, 1.0)
    """
    from scipy.special import stdtrit

    mean = _paired_mean(first - second) if paired else _welch_mean(first, second)
    averages = float(first.mean()), float(second.mean())
    if mean.error == 0:  # equal differences: the interval is a point
        return Difference(*averages, mean.value, mean.value, float(mean.value == 0))
    t = float(stdtrit(mean.freedom, 0.5 + level / 2))
    skewness = np.asarray(mean.skewness)
    low = mean.value - mean.error * max(t, float(unskewed(t, skewness)))
    high = mean.value - mean.error * min(-t, float(unskewed(-t, skewness)))
    p = float(p_of_t(np.asarray(mean.value / mean.error), np.asarray(mean.freedom), np.asarray(mean.skewness)))
    return Difference(*averages, low, high, p)


def p_of_t(t: np.ndarray, freedom: np.ndarray, skewness: np.ndarray) -> np.ndarray:
    """Return two-sided p-values of t statistics: the larger of Student's, and of that after Hall's transformation.

    ``freedom`` holds the degrees of freedom of the standard errors, ``skewness`` the skewness of the estimates.

    Examples
    --------
    With two degrees of freedom p = 1 - t / sqrt(t^2 + 2). A skewness of 0.2 makes -4.3027 into -3.153, whose p is
    0.088; it takes 4.3027 farther from 0, so that Student's is the larger.

    >>> p_of_t(np.array([4.3027, 4.3027, -4.3027]), np.full(3, 2.0), np.array([0.0, 0.2, 0.2])).round(3).tolist()
    [0.05, 0.05, 0.088]
    """
    from scipy.special import stdtr

    halls = _skewed(t, skewness)
    above, below = stdtr(freedom, -np.minimum(t, halls)), stdtr(freedom, np.maximum(t, halls))
    return np.minimum(1.0, 2 * np.minimum(above, below))


def _paired_mean(differences: np.ndarray) -> _Mean:
    n, mean = len(differences), float(differences.mean())
    from_mean = differences - mean
    variance = float((from_mean**2).mean())
    if np.ptp(differences) == 0:
        return _Mean(float(differences[0]), 0.0, n - 1, 0.0)
    skewness = float((from_mean**3).mean()) / variance**1.5
    return _Mean(mean, (variance / (n - 1)) ** 0.5, n - 1, skewness / n**0.5)


def _welch_mean(first: np.ndarray, second: np.ndarray) -> _Mean:
    """Return the difference between means of independent samples, with Welch and Satterthwaite's freedom."""
    parts = [float(sample.var(ddof=1)) / len(sample) for sample in (first, second)]
    moments = [float(((sample - sample.mean()) ** 3).mean()) / len(sample) ** 2 for sample in (first, second)]
    variance, value = sum(parts), float(first.mean() - second.mean())
    if variance == 0:
        return _Mean(value, 0.0, 1, 0.0)
    freedom = variance**2 / sum(
        part**2 / (len(sample) - 1) for part, sample in zip(parts, (first, second), strict=True)
    )
    return _Mean(value, variance**0.5, freedom, (moments[0] - moments[1]) / variance**1.5)


def unskewed(quantile: float, skewness: np.ndarray, n_runs: int = 1) -> np.ndarray:
    """Return the inverse of Hall's g1: 3 sqrt(n) / g ((1 + g s)^(1/3) - 1), s = quantile / sqrt(n) - g / (6 n).

    For n = 1, g is the skewness of the mean itself, not of the n runs.
    """
    shift = quantile / np.sqrt(n_runs) - skewness / (6 * n_runs)
    root = np.maximum(np.cbrt(1 + skewness * shift), _SMALLEST_ROOT)
    # root - 1 = (root^3 - 1) / (root^2 + root + 1), which does not divide by a skewness near 0.
    return np.asarray(3 * np.sqrt(n_runs) * shift / (root**2 + root + 1))


def _skewed(t: np.ndarray, skewness: np.ndarray) -> np.ndarray:
    """Return Hall's g1 of a t statistic, the inverse of `unskewed`."""
    root = np.maximum(1 + skewness * t / 3, _SMALLEST_ROOT)
    return np.asarray(t * (root**2 + root + 1) / 3 + skewness / 6)


def of_quantiles(first: np.ndarray, second: np.ndarray, share: float) -> Difference:
    """Return the difference between two quantiles, which is not the quantile of the differences.

    The interval of each quantile lies between order statistics, interpolated (Hutson [1]_), and makes no assumption
    about the distribution. The two intervals are combined by the method of variance estimates recovery (Zou and Donner
    [2]_). The pairing of runs is not used. ``share`` is between 0 and 1; 0.5 for the median.

    References
    ----------
    .. [1] A. D. Hutson, "Calculating nonparametric confidence intervals for quantiles using fractional order
       statistics", Journal of Applied Statistics 26 (1999), pages 343-353.
    .. [2] G. Y. Zou, A. Donner, "Construction of confidence limits about effect measures: A general approach",
       Statistics in Medicine 27 (2008), pages 1693-1702.

    Examples
    --------
    Five runs have no interval for their median at 95%: all five are on one side of it with probability 2 / 32.

    >>> of_quantiles(np.arange(5.0), np.arange(5.0), 0.5)
    Difference(first=2.0, second=2.0, low=-inf, high=inf, p=1.0)
    """
    samples = np.sort(first), np.sort(second)
    points = [float(np.quantile(sample, share)) for sample in samples]

    def ends(level: float) -> tuple[float, float]:
        (low, high), (other_low, other_high) = (quantile_ends(sample, share, level) for sample in samples)
        value = points[0] - points[1]
        below = np.hypot(max(points[0] - low, 0.0), max(other_high - points[1], 0.0))
        above = np.hypot(max(high - points[0], 0.0), max(points[1] - other_low, 0.0))
        return float(value - below), float(value + above)

    low, high = ends(LEVEL)
    return Difference(points[0], points[1], low, high, _p_of(ends, points[0] - points[1]))


def quantile_ends(ordered: np.ndarray, share: float, level: float) -> tuple[float, float]:
    """Return a confidence interval of a quantile, between order statistics; an end is infinite with too few runs.

    ``ordered`` is the sample, increasing; ``share`` and ``level`` are between 0 and 1.

    Examples
    --------
    The second of six is above the median with probability 7 / 64.

    >>> low, high = quantile_ends(np.arange(1.0, 7.0), 0.5, 1 - 14 / 64)
    >>> round(low, 6), round(high, 6)
    (2.0, 5.0)
    """
    from scipy.special import bdtrik

    n, outside = len(ordered), (1 - level) / 2
    low = bdtrik(outside, n, share) if (1 - share) ** n <= outside else np.nan
    high = bdtrik(1 - outside, n, share) if share**n <= outside else np.nan
    indices = np.arange(n)
    return (
        -np.inf if np.isnan(low) else float(np.interp(low, indices, ordered)),
        np.inf if np.isnan(high) else float(np.interp(high, indices, ordered)),
    )


def fewest_for(share: float, n_pairs: int = 1) -> int:
    """Return the smallest number of runs with which the interval of a quantile has two finite ends.

    To tell several pairs apart, an interval of the level 1 - 0.05 / n_pairs must have two ends, because Holm's method
    requires that the smallest p-value is below 0.05 / n_pairs.

    Examples
    --------
    For the median 2 / 2^6 = 0.03 is the first that is not above 0.05; for 0.9, 0.9^36 = 0.023 is below 0.025. With
    three pairs 0.9^46 = 0.0079 is the first below 0.025 / 3.

    >>> fewest_for(0.5), fewest_for(0.9), fewest_for(0.9, 3)
    (6, 36, 46)
    """
    return int(np.ceil(np.log((1 - LEVEL) / (2 * n_pairs)) / np.log(max(share, 1 - share)) - 1e-9))


def _p_of(ends: Callable[[float], tuple[float, float]], value: float) -> float:
    """Return 1 minus the largest level at which the interval, which grows with the level, does not contain 0."""
    if value == 0:
        return 1.0
    without, within = 0.0, 1.0
    for _ in range(50):
        middle = (without + within) / 2
        low, high = ends(middle)
        if low <= 0 <= high:
            within = middle
        else:
            without = middle
    return 1 - without


def holm(p: Sequence[float]) -> list[float]:
    """Return Holm's adjusted p-values: with probability at least 95%, all differences with p < 0.05 are real.

    Examples
    --------
    The smallest of three is tripled, the next doubled; none becomes smaller than one before it.

    >>> [round(adjusted, 3) for adjusted in holm([0.04, 0.01, 0.03])]
    [0.06, 0.03, 0.06]
    """
    adjusted, largest = [0.0] * len(p), 0.0
    for rank, k in enumerate(sorted(range(len(p)), key=lambda k: p[k])):
        largest = max(largest, min(1.0, (len(p) - rank) * p[k]))
        adjusted[k] = largest
    return adjusted


def share_of_largest(sample: np.ndarray) -> float:
    """Return the part of a sample's sum in its largest hundredth (at least one value); 0 if the sum is not positive.

    Examples
    --------
    >>> share_of_largest(np.array([1.0] * 99 + [101.0]))
    0.505
    """
    total = float(sample.sum())
    n_largest = max(1, len(sample) // 100)
    return float(np.sort(sample)[-n_largest:].sum()) / total if total > 0 else 0.0
