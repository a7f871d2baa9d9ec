"""Summarises runs as a curve: the mean (or the median) of cumulative regret and a band around it."""

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from duelbench.bandits.statistics.differences import unskewed
from duelbench.common.words import counted

BANDS = {
    "ci95": "95% confidence interval of the mean",
    "sem": "± 1 standard error of the mean",
    "std": "± 1 standard deviation of the runs",
    "iqr": "quartiles of the runs (25% to 75%)",
    "none": "none",
    "range": "smallest to largest run",
}
"""The bands of figures, and their names in legends."""

OF_MEANS = ("ci95", "sem", "range")
"""With several random matrices, these bands describe the means of the matrices, and the others all runs."""

FEWEST = 8
"""The smallest number of runs, or of random matrices, for a confidence interval; with fewer, the range is drawn."""


@dataclass(frozen=True, eq=False)
class Curve:
    """The mean of several runs at some rounds, with a band."""

    rounds: np.ndarray  # (n,) int64. Rounds of the points, 1-based, increasing
    # (n,) float64. Mean of the runs and the ends of the band, in duels. Without a band ``low`` and ``high`` equal
    # ``mean``
    mean: np.ndarray
    low: np.ndarray
    high: np.ndarray
    runs: np.ndarray  # (n,) int64. Number of runs that each mean is of
    band: str  # the band between ``low`` and ``high``, a key of `BANDS`
    median: np.ndarray | None = None  # (n,) float64. Drawn instead of the mean; only for the band ``iqr``
    games: int = 1  # number of matrices that the runs are on


def summarise(rounds: np.ndarray, regret: np.ndarray, band: str = "ci95", games: np.ndarray | None = None) -> Curve:
    """Return the mean and the band of runs at each round.

    Parameters
    ----------
    rounds : (n,) int64
        Rounds at which regret was recorded.
    regret : (n_runs, n) float64
        One row per run, ordered by run index.
    band : str
        A key of `BANDS`. ``ci95`` is `confidence_interval`, or ``range`` if there are fewer than `FEWEST` runs. ``std``
        and ``sem`` use the standard deviation with n - 1 in the denominator. ``iqr`` is around the median.
    games : (n_runs,) int64, optional
        The matrix of each run, if there are several. Runs on the same matrix are not independent, so the bands of
        `OF_MEANS` then describe the means of the matrices, each as one observation.

    A single run has no spread: its curve always has the band ``none``.

    Examples
    --------
    Two runs end at 1 and 3: mean 2, standard deviation sqrt(2), standard error sqrt(2) / sqrt(2) = 1.

    >>> curve = summarise(np.array([10]), np.array([[1.0], [3.0]]), "sem")
    >>> curve.low.item(), curve.mean.item(), curve.high.item()
    (1.0, 2.0, 3.0)

    """
    if band not in BANDS:
        raise ValueError(f"band must be one of {', '.join(BANDS)}, got {band!r}")
    matrices = np.zeros(1) if games is None else np.unique(games)
    units = regret
    if len(matrices) > 1 and band in OF_MEANS:
        units = np.array([regret[games == matrix].mean(axis=0) for matrix in matrices])
    mean = regret.mean(axis=0)
    band = drawn_band(band, len(units))
    low, high = _ends(mean, units, band)
    runs = np.full(len(rounds), len(regret), dtype=np.int64)
    median = np.median(regret, axis=0) if band == "iqr" else None
    return Curve(rounds, mean, low, high, runs, band, median, len(matrices))


def drawn_band(band: str, n_units: int) -> str:
    """Return the band that is drawn if ``band`` is requested for ``n_units`` runs, or random matrices.

    Examples
    --------
    >>> drawn_band("ci95", 8), drawn_band("ci95", 7), drawn_band("iqr", 7), drawn_band("iqr", 1)
    ('ci95', 'range', 'iqr', 'none')
    """
    if n_units == 1:
        return "none"
    return "range" if band == "ci95" and n_units < FEWEST else band


def caption_of(runs: Collection[int], games: int, bands: Collection[str]) -> str:
    """Describe the lines and bands of a figure.

    ``runs`` holds the number of runs of each line, ``games`` is the number of matrices, ``bands`` are keys of `BANDS`.

    Examples
    --------
    >>> caption_of([100], 1, ["ci95"])
    'mean of 100 runs, band: 95% confidence interval of the mean'
    >>> caption_of([1, 277, 8], 4, ["range"])
    'mean of 1 to 277 runs on 4 matrices, band: smallest to largest mean of a matrix'
    >>> caption_of([100], 1, ["ci95", "range"])
    'mean of 100 runs, band: 95% confidence interval of the mean; with fewer than 8 runs: smallest to largest run'
    """
    shown = [band for band in BANDS if band in bands and band != "none"]
    if max(runs) == 1 and not shown:
        return "a single run, no band"
    line = "median" if "iqr" in shown else "mean"
    runs_in_words = count_of(runs) + (f" on {games} matrices" if games > 1 else "")
    if not shown:
        return f"{line} of {runs_in_words}, no band"
    fewer = f"; with fewer than {FEWEST} runs: {band_in_words('range', games)}" if len(shown) > 1 else ""
    return f"{line} of {runs_in_words}, band: {band_in_words(shown[0], games)}{fewer}"


def missing_in_words(runs: int, planned: int) -> str:
    """Return a warning if runs are missing, as in ``partial: 3 of 20 runs``, else an empty string."""
    return f"partial: {runs} of {planned} runs" if runs < planned else ""


def count_of(runs: Collection[int]) -> str:
    """Return numbers of runs in words.

    Examples
    --------
    >>> count_of([1, 1]), count_of([4]), count_of([4, 1, 277])
    ('1 run', '4 runs', '1 to 277 runs')
    """
    fewest, most = min(runs), max(runs)
    return counted(most, "run") if fewest == most else f"{fewest} to {most} runs"


def band_in_words(band: str, games: int) -> str:
    """Return the name of a band in a legend, for runs on ``games`` matrices."""
    return "smallest to largest mean of a matrix" if band == "range" and games > 1 else BANDS[band]


def _ends(mean: np.ndarray, units: np.ndarray, band: str) -> tuple[np.ndarray, np.ndarray]:
    """Return the ends of a band of observations; each row of ``units`` is one observation."""
    if band == "none":
        return mean, mean
    if band == "ci95":
        return confidence_interval(units)
    if band == "range":
        return units.min(axis=0), units.max(axis=0)
    if band == "iqr":
        low, high = np.quantile(units, [0.25, 0.75], axis=0)
        return low, high
    deviation = units.std(axis=0, ddof=1)
    half = deviation / np.sqrt(len(units)) if band == "sem" else deviation
    return mean - half, mean + half


def confidence_interval(samples: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the 95% confidence interval of the mean of each column: Student's t, corrected for skewness.

    Regret is skewed to the right, because a few runs stay on a wrong arm for long. The interval uses Hall's monotone
    transformation of the t statistic [1]_ with the quantiles of Student's t; for a symmetric sample it is the usual t
    interval. The correction is limited: no end is twice as far from the mean as Student's, not even because of a single
    costly run, and no end is beyond the smallest or the largest run. docs/statistics.md reports how often the interval
    contains the true mean.

    Parameters
    ----------
    samples : (n_runs, n) float64
        At least `FEWEST` independent rows. Each column has an interval of its own.

    References
    ----------
    .. [1] P. Hall, "On the Removal of Skewness by Transformation", Journal of the Royal Statistical Society B 54
       (1992), pages 221-228: the transformation called g1 there.

    Examples
    --------
    Without skewness it is mean -+ t s / sqrt(n). Eight runs, half of them 0 and half 2: mean 1, s / sqrt(8) =
    sqrt(1 / 7), and t = 2.3646 with seven degrees of freedom.

    >>> low, high = confidence_interval(np.array([[0.0], [2.0]] * 4))
    >>> round(low.item(), 4), round(1 - 2.3646 / 7**0.5, 4), round(high.item(), 4)
    (0.1063, 0.1063, 1.8937)
    """
    from scipy.special import stdtrit

    n_runs = samples.shape[0]
    mean = samples.mean(axis=0)
    from_mean = samples - mean
    variance = (from_mean**2).mean(axis=0)
    spread = np.where(variance > 0, variance, 1.0)  # equal runs: no skewness, and an interval of length zero
    skewness = (from_mean**2 * from_mean).mean(axis=0) / (spread * np.sqrt(spread))
    sem = np.sqrt(variance / (n_runs - 1))
    t = stdtrit(n_runs - 1, 0.975)
    low, high = (mean - sem * unskewed(quantile, skewness, n_runs) for quantile in (t, -t))
    return np.maximum(low, samples.min(axis=0)), np.minimum(high, samples.max(axis=0))


def proportion_interval(share: np.ndarray, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Return Wilson's 95% confidence interval of a probability.

    Its length is positive even if all outcomes, or none, are successes. ``share`` is the share of successes in n
    independent outcomes. It can also be the mean of n numbers between 0 and 1: their spread is at most that of n
    outcomes, so the interval is longer than necessary.

    Examples
    --------
    None of four: from 0 to z^2 / (n + z^2) with z = 1.96.

    >>> low, high = proportion_interval(np.array([0.0]), 4)
    >>> low.item(), round(high.item(), 3), round(1.96**2 / (4 + 1.96**2), 3)
    (0.0, 0.49, 0.49)
    """
    from scipy.special import ndtri

    z = float(ndtri(0.975))
    middle = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z * np.sqrt(share * (1 - share) / n + z * z / (4 * n * n)) / (1 + z * z / n)
    low = np.where(share > 0, np.maximum(middle - half, 0.0), 0.0)  # middle - half is not exactly 0 because of rounding
    return low, np.where(share < 1, np.minimum(middle + half, 1.0), 1.0)
