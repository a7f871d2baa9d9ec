"""The ratio of two means, with an interval: how many times the regret of one algorithm another one has."""

import numpy as np

from duelbench.statistics.differences import LEVEL, unskewed

_DOUBLINGS = 12
_HALVINGS = 60


def ratio_of_means(first: np.ndarray, second: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The mean of each column of ``first`` over that of ``second``, with a 95% confidence interval.

    A ratio r is in the interval where the mean of first - r second is not told apart from 0, neither by Student's t,
    which gives the interval of Fieller [1]_, nor by t after Hall's transformation for skewness [2]_. Entries of one row
    belong together. docs/figures/README.md says how often the interval holds the true ratio.

    Parameters
    ----------
    first, second : (n, m) float64
        At least two rows; the mean of each column of ``second`` is positive.

    Returns
    -------
    ratio, low, high : (m,) float64
        The ends are infinite where ``second`` can have the mean 0, or where no ratio is too large.

    References
    ----------
    .. [1] E. C. Fieller, "Some Problems in Interval Estimation", Journal of the Royal Statistical Society B 16 (1954),
       pages 175-185.
    .. [2] P. Hall, "On the Removal of Skewness by Transformation", Journal of the Royal Statistical Society B 54
       (1992), pages 221-228: the transformation called g1 there.

    Examples
    --------
    The second is 1 throughout, so that the ends are those of the mean of the first: 1 and 3 in equal numbers, without
    skewness, have the mean 2, the standard error 1 / sqrt(7) if they are eight, and t = 2.3646.

    >>> ratio, low, high = ratio_of_means(np.array([[1.0], [3.0]] * 4), np.ones((8, 1)))
    >>> ratio.item(), round(low.item(), 3), round(2 - 2.3646 / 7**0.5, 3), round(high.item(), 3)
    (2.0, 1.106, 1.106, 2.894)
    """
    from scipy.special import stdtrit

    n = len(first)
    t = float(stdtrit(n - 1, 0.5 + LEVEL / 2))
    moments = _Moments(first, second)
    ratio = moments.first / moments.second
    # Fieller's ends are the roots of a r^2 - 2 b r + c.
    scale = t**2 / (n - 1)
    a = moments.second**2 - scale * moments.yy
    b = moments.first * moments.second - scale * moments.xy
    c = moments.first**2 - scale * moments.xx
    bounded = a > 0
    half = np.sqrt(np.maximum(b * b - a * c, 0.0)) / np.where(bounded, a, 1.0)
    middle = b / np.where(bounded, a, 1.0)
    low, high = (
        np.where(bounded, _farther(moments, ratio, middle + side * half, side, t), side * np.inf) for side in (-1, 1)
    )
    return ratio, low, high


class _Moments:
    """Means and central moments of the columns of two samples, (m,) float64 each: xxy is that of (x, x, y)."""

    def __init__(self, first: np.ndarray, second: np.ndarray) -> None:
        self.n = len(first)
        self.first, self.second = first.mean(axis=0), second.mean(axis=0)
        x, y = first - self.first, second - self.second
        self.xx, self.xy, self.yy = ((one * other).mean(axis=0) for one, other in ((x, x), (x, y), (y, y)))
        self.xxx, self.xxy, self.xyy, self.yyy = (
            (one * other * third).mean(axis=0) for one, other, third in ((x, x, x), (x, x, y), (x, y, y), (y, y, y))
        )

    def is_possible(self, ratio: np.ndarray, t: float) -> np.ndarray:
        """Whether the mean of first - ratio second is not told apart from 0 after Hall's transformation."""
        value = self.first - ratio * self.second
        variance = self.xx - 2 * ratio * self.xy + ratio**2 * self.yy
        known = variance > 1e-12 * (self.xx + ratio**2 * self.yy)
        spread = np.where(known, variance, 1.0)
        third = self.xxx - 3 * ratio * self.xxy + 3 * ratio**2 * self.xyy - ratio**3 * self.yyy
        skewness = np.where(known, third / (spread * np.sqrt(spread)) / np.sqrt(self.n), 0.0)
        error = np.sqrt(np.where(known, variance, 0.0) / (self.n - 1))
        return (value - error * unskewed(t, skewness) <= 0) & (value - error * unskewed(-t, skewness) >= 0)


def _farther(moments: _Moments, ratio: np.ndarray, end: np.ndarray, side: int, t: float) -> np.ndarray:
    """The end on one side: Fieller's, or beyond it where Hall's transformation tells apart; infinite if nowhere."""
    within, step = end, np.abs(end - ratio)
    beyond = end
    for _ in range(_DOUBLINGS):
        possible = moments.is_possible(beyond, t) & (step > 0)
        within = np.where(possible, beyond, within)
        beyond = np.where(possible, beyond + side * step, beyond)
        step = np.where(possible, 2 * step, step)
    unbounded = moments.is_possible(beyond, t) & (step > 0)
    for _ in range(_HALVINGS):
        middle = (within + beyond) / 2
        possible = moments.is_possible(middle, t)
        within, beyond = np.where(possible, middle, within), np.where(possible, beyond, middle)
    return np.where(unbounded, side * np.inf, within)
