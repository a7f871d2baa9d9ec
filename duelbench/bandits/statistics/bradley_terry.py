"""The model of Bradley and Terry: arm i beats arm j with probability 1 / (1 + exp(u_j - u_i)).

The fit is the maximum of the posterior with independent normal priors on the utilities u. Its intervals are valid for a
single look at the data, and only if the model is right.

References
----------
.. [1] R. A. Bradley, M. E. Terry, "Rank analysis of incomplete block designs: I. The method of paired comparisons",
   Biometrika 39, 1952.
"""

from dataclasses import dataclass

import numpy as np

from duelbench.bandits.statistics.differences import LEVEL

MOST_STEPS = 100
"""The largest number of Newton steps; about ten are usual."""

PRECISION = 1e-10
"""The fit ends when no utility changes by more than this."""


LEVEL_DIFFERENCE = 1e-6
"""Arms count as level if their utilities, or strengths, differ by less than this."""


@dataclass(frozen=True, eq=False)
class Fit:
    """The fitted utilities of K arms, and their covariance."""

    utilities: np.ndarray  # (K,) float64. Their mean is 0 unless rounding changes it.
    covariance: np.ndarray  # (K, K) float64. Of the normal approximation of the posterior

    @property
    def probabilities(self) -> np.ndarray:
        """(K, K) float64: the probability that arm i beats arm j; 1/2 on the diagonal."""
        return _logistic(self.utilities[:, np.newaxis] - self.utilities)

    @property
    def shares(self) -> np.ndarray:
        """(K,) float64: the mean probability that each arm beats another arm, its expected share of wins."""
        n_others = len(self.utilities) - 1
        return (self.probabilities.sum(axis=1) - 0.5) / n_others

    def share_intervals(self, level: float = LEVEL) -> tuple[np.ndarray, np.ndarray]:
        """Return the lower and upper ends of an interval of each share: normal in log odds, by the delta method.

        Examples
        --------
        Two arms that won 8 duels each: the difference of utilities has the variance 1 / (16 / 4 + 1 / 2), and 1.96
        standard deviations of it are 0.924 in log odds.

        >>> low, high = fit(np.array([[0.0, 8.0], [8.0, 0.0]])).share_intervals()
        >>> round(low[0], 3), round(high[0], 3), round(1 / (1 + np.exp(0.924)), 3)
        (np.float64(0.284), np.float64(0.716), np.float64(0.284))
        """
        from scipy.special import expit, logit, ndtri

        slopes = self.probabilities * (1.0 - self.probabilities)
        np.fill_diagonal(slopes, 0.0)
        # d share_i / d u_i is the mean slope of row i; d share_i / d u_j is minus the slope of the pair.
        gradient = (np.diag(slopes.sum(axis=1)) - slopes) / (len(slopes) - 1)
        variance = np.einsum("ij,jk,ik->i", gradient, self.covariance, gradient)
        shares = self.shares
        half = ndtri((1.0 + level) / 2.0) * np.sqrt(variance) / (shares * (1.0 - shares))
        return expit(logit(shares) - half), expit(logit(shares) + half)


def fit(wins: np.ndarray, prior_deviation: float = 1.0) -> Fit:
    """Fit utilities to counts of wins.

    Parameters
    ----------
    wins : (K, K) float64
        ``wins[i, j]``: duels that arm i won against arm j; a tie counts 1/2 for each.
    prior_deviation : float
        Standard deviation of the normal prior of each utility.

    Returns
    -------
    Fit

    Examples
    --------
    Without duels all arms are equal. Otherwise the derivative of the log posterior is 0: with utilities u and -u, won
    and lost duels n and m, that is n - (n + m) / (1 + exp(-2 u)) = u.

    >>> fit(np.zeros((2, 2))).utilities.tolist()
    [0.0, 0.0]
    >>> u = fit(np.array([[0.0, 5.0], [0.0, 0.0]])).utilities[0]
    >>> round(u, 4), round(5 - 5 / (1 + np.exp(-2 * u)), 4)
    (np.float64(0.8168), np.float64(0.8168))
    """
    n_arms = len(wins)
    duels = wins + wins.T
    won = wins.sum(axis=1)
    precision = 1.0 / prior_deviation**2
    utilities = np.zeros(n_arms)
    for _ in range(MOST_STEPS):
        probabilities = _logistic(utilities[:, np.newaxis] - utilities)
        gradient = won - (duels * probabilities).sum(axis=1) - precision * utilities
        step = np.linalg.solve(_information(duels, probabilities, precision), gradient)
        step *= min(1.0, 1.0 / max(np.abs(step).max(), 1e-300))
        utilities += step
        if np.abs(step).max() < PRECISION:
            break
    information = _information(duels, _logistic(utilities[:, np.newaxis] - utilities), precision)
    return Fit(utilities, np.linalg.inv(information))


def _information(duels: np.ndarray, probabilities: np.ndarray, precision: float) -> np.ndarray:
    """Return the negative second derivative of the log posterior."""
    weights = duels * probabilities * (1.0 - probabilities)
    return np.diag(weights.sum(axis=1) + precision) - weights


def _logistic(x: np.ndarray) -> np.ndarray:
    return 1.0 / (1.0 + np.exp(-x))
