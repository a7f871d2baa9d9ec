"""How runs are distributed: the share above each value, and bands that contain a given share of them."""

import numpy as np

BANDS = {"50": 500, "90": 900, "99": 990, "99.9": 999}
"""The nested bands around a median: the percentage of the runs in each, and the same in runs per thousand."""

_ALL_BELOW = 40
"""Every step is drawn if at most this many runs are above it."""

_MOST_STEPS = 501
"""The largest number of steps in the curve of a distribution."""

_STEP = 1.03
"""Each other step is drawn if the share has fallen by this factor since the last one, less than a line's thickness."""


def upper_quantile(samples: np.ndarray, name: str) -> float | None:
    """Return a quantile of the samples; None if fewer than two samples are expected beyond it.

    ``name`` is a key of `BANDS`.

    Examples
    --------
    Of 1 to 201 the quantile q is 1 + 200 q.

    >>> upper_quantile(np.arange(1.0, 202.0), "99"), upper_quantile(np.arange(1.0, 200.0), "99")
    (199.0, None)
    """
    return float(np.quantile(samples, BANDS[name] / 1000)) if len(samples) >= fewest_runs(name) else None


def locked(rounds: np.ndarray, is_right: np.ndarray) -> np.ndarray:
    """Return which runs recommend a winner at no checkpoint of the last decade, T / 10 <= t <= T.

    ``rounds`` are the checkpoints, 1-based, the last one the horizon T; ``is_right``, (n_runs, n) bool, is whether each
    run recommends a winner at each checkpoint.

    Examples
    --------
    The first run finds the winner at round 10 and loses it again; the second has lost it by round 10.

    >>> locked(np.array([1, 10, 100]), np.array([[False, True, False], [True, False, False]])).tolist()
    [False, True]
    """
    return np.asarray(~is_right[:, 10 * rounds >= rounds[-1]].any(axis=1))


def survival(samples: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the points x of a step curve, and how many of the samples are above each.

    Invisible steps are left out: a hundred thousand samples become about three hundred points. The points are values of
    samples, increasing, and the counts are exact.

    Examples
    --------
    >>> x, above = survival(np.array([2.0, 5.0, 3.0, 2.0]))
    >>> x.tolist(), above.tolist()
    ([2.0, 3.0, 5.0], [2, 1, 0])
    """
    x, counts = np.unique(samples, return_counts=True)
    if not len(x):
        return x, counts
    above = len(samples) - np.cumsum(counts)
    n_far = max(0, int(np.log(len(samples) / _ALL_BELOW) / np.log(_STEP)) + 1)
    wanted = np.concatenate([np.arange(_ALL_BELOW), _ALL_BELOW * _STEP ** np.arange(n_far)])
    kept = np.unique([0, *np.searchsorted(-above, -wanted)])  # the first x with at most a wanted count above
    return x[kept], above[kept]


def distribution(samples: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the points x of a step curve, and how many of the samples are at most x, for each.

    The points are values of samples, increasing. For many samples, about `_MOST_STEPS` steps are kept.

    Examples
    --------
    >>> x, count = distribution(np.array([2.0, 5.0, 3.0, 2.0]))
    >>> x.tolist(), count.tolist()
    ([2.0, 3.0, 5.0], [2, 3, 4])
    """
    x, counts = np.unique(samples, return_counts=True)
    count = np.cumsum(counts)
    kept = np.unique(np.searchsorted(count, np.linspace(0, len(samples), _MOST_STEPS))) if len(x) else slice(None)
    return x[kept], count[kept]


def simultaneous_half_width(n: int, level: float = 0.95) -> float:
    """Return half the height of a band around the distribution of n samples, to contain the whole true distribution.

    The band does so with probability at least ``level``, for every n and every distribution, by the inequality of
    Dvoretzky, Kiefer and Wolfowitz with Massart's constant [1]_.

    References
    ----------
    .. [1] P. Massart, "The Tight Constant in the Dvoretzky-Kiefer-Wolfowitz Inequality", The Annals of Probability 18
       (1990), pages 1269-1283.

    Examples
    --------
    With a hundred samples it is sqrt(ln 40 / 200).

    >>> round(simultaneous_half_width(100), 4)
    0.1358
    """
    return float(np.sqrt(np.log(2 / (1 - level)) / (2 * n)))


def clopper_pearson(count: np.ndarray, n: int, level: float = 0.95) -> tuple[np.ndarray, np.ndarray]:
    """Return Clopper and Pearson's confidence interval of a probability, whose coverage is at least ``level``.

    ``count``, an array of int64, holds numbers of successes in n independent outcomes.

    Examples
    --------
    None of ten: the upper end is where none of ten has probability 0.025, (1 - p)^10 = 0.025.

    >>> low, high = clopper_pearson(np.array([0]), 10)
    >>> low.item(), round(high.item(), 4), round(1 - 0.025**0.1, 4)
    (0.0, 0.3085, 0.3085)
    """
    from scipy.special import betaincinv

    outside = (1 - level) / 2
    low = betaincinv(np.maximum(count, 1), n - count + 1, outside)
    high = betaincinv(count + 1, np.maximum(n - count, 1), 1 - outside)
    return np.where(count > 0, low, 0.0), np.where(count < n, high, 1.0)


def bands_of(n_runs: int) -> list[str]:
    """Return the bands that ``n_runs`` runs can show, as keys of `BANDS`, from the narrowest.

    A band can be shown if at least one run is expected beyond each end.

    Examples
    --------
    >>> bands_of(20), bands_of(19), bands_of(2000)
    (['50', '90'], ['50'], ['50', '90', '99', '99.9'])
    """
    return [name for name in BANDS if n_runs >= fewest_runs(name)]


def fewest_runs(band: str) -> int:
    """Return the number of runs that a band needs."""
    return -(-2000 // (1000 - BANDS[band]))


def band_ends(samples: np.ndarray, band: str) -> tuple[np.ndarray, np.ndarray]:
    """Return the ends of a band around the median of each column, with equally many runs below and above.

    ``samples`` is (n_runs, n), ``band`` a key of `BANDS`. Quantiles are interpolated between neighbouring runs.

    Examples
    --------
    Of 1 to 1000 the quantile q is 1 + 999 q: those of 5% and 95%.

    >>> low, high = band_ends(np.arange(1.0, 1001.0)[:, np.newaxis], "90")
    >>> round(low.item(), 9), round(high.item(), 9)
    (50.95, 950.05)
    """
    beyond = (1000 - BANDS[band]) / 2000
    low, high = np.quantile(samples, [beyond, 1 - beyond], axis=0)
    return low, high
