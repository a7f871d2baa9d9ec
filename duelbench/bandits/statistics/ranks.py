"""Ranks of algorithms over several matrices, as ranges and groups that the runs can tell apart."""

from dataclasses import dataclass, replace

import numpy as np

from duelbench.bandits.statistics.differences import LEVEL, holm, p_of_t


@dataclass(frozen=True)
class Scores:
    """Estimates of the mean regret of N algorithms on M matrices."""

    means: np.ndarray  # (N, M) float64. Mean regret, in duels
    errors: np.ndarray  # (N, M) float64. Standard errors of the means, as parts of them
    skewness: np.ndarray  # (N, M) float64. Of the runs; 0 if they are all equal
    runs: np.ndarray  # (N, M) int64. Number of runs, at least two
    # (M, N, N) float64. Correlations of the regret of two algorithms in runs with the same index; 0 if runs are not
    # paired
    correlations: np.ndarray
    # (N,) float64. Correlation of an algorithm's runs with the same index on different matrices: see `across`
    across: np.ndarray


@dataclass(frozen=True)
class Ranks:
    """The ranking of N algorithms."""

    used: np.ndarray  # (M,) bool. Matrices that count: on these, every algorithm has a mean above 0
    # (N,) float64. Mean of the logarithms of mean regret over the matrices used; ``exp(score[a] - score[b])`` is the
    # regret of a as a multiple of that of b, a geometric mean
    score: np.ndarray
    # (N,) int64. Algorithms (0-based) from the smallest score to the largest; equal scores by index
    order: np.ndarray
    low: np.ndarray  # (N,) int64. The smallest possible rank (1-based)
    high: np.ndarray  # (N,) int64. The largest possible rank
    # (N,) int64. Groups, 1-based. The runs do not tell an algorithm apart from the first of its group, but do tell the
    # first of the next group apart from it
    group: np.ndarray
    # (N, N) bool. ``better[a, b]``: whether the runs show that a has less regret than b. All these claims are right in
    # 95 of 100 tables
    better: np.ndarray
    # neighbours in the order that differ by a smaller part than this are usually not told apart; None if there is only
    # one algorithm
    floor: float | None


@dataclass(frozen=True)
class Pairs:
    """Differences between the scores of n pairs, the first minus the second."""

    value: np.ndarray  # (n,) float64. Differences
    error: np.ndarray  # (n,) float64. Their standard errors
    freedom: np.ndarray  # (n,) float64. Degrees of freedom; infinite if the error is 0
    p: np.ndarray  # (n,) float64. p-values of the hypothesis that the scores are equal


def ranks(scores: Scores, level: float = LEVEL) -> Ranks:
    """Rank algorithms by the geometric mean of their mean regret, and find the ranks that the runs can tell apart.

    A pair is compared twice, and the larger p-value counts: by the difference of its scores, and by the mean over the
    matrices of 2 (a - b) / (a + b). Holm's method allows for the number of pairs. The rank of an algorithm is a range:
    from one more than the number of better algorithms, up to N minus the number of worse ones. A matrix on which any
    algorithm has the mean 0, which has no logarithm, is left out. docs/studies/leaderboard-ranks.md explains the
    method, and reports how often it is right.

    Raises
    ------
    ValueError
        If no matrix is left, or an algorithm has fewer than two runs on a matrix.

    Examples
    --------
    On one matrix a and b have 100 and 110 duels of regret, c has 400; all means are known to 10% by eleven runs that
    have nothing to do with each other. Each difference has the standard error sqrt(0.01 + 0.01) and ten degrees of
    freedom: ln 1.1 is 0.7 of them, ln(400 / 110) is 9. With three pairs t = 2.870 is needed, and
    exp(2.870 * sqrt(0.02)) - 1 = 0.501. As parts of 255, half of their sum, c and b differ by 290 / 255, and the
    standard error is 0.1 * sqrt(110^2 + 400^2) / 255 = 0.163: 7 of them.

    >>> means, known = np.array([[100.0], [110.0], [400.0]]), np.full((3, 1), 0.1)
    >>> found = ranks(Scores(means, known, np.zeros((3, 1)), np.full((3, 1), 11), np.eye(3)[None], np.zeros(3)))
    >>> found.low.tolist(), found.high.tolist(), found.group.tolist(), round(found.floor, 3)
    ([1, 1, 3], [2, 2, 3], [1, 1, 2], 0.501)
    """
    n = len(scores.means)
    used = _used(scores)
    score = np.asarray(np.log(scores.means[:, used]).mean(axis=1))
    first, second = np.triu_indices(n, 1)
    pairs = compared(scores, first, second)
    apart = np.array(holm(pairs.p.tolist())) < 1 - level
    better = np.zeros((n, n), bool)
    better[first, second] = apart & (pairs.value < 0)
    better[second, first] = apart & (pairs.value > 0)
    order = np.argsort(score, kind="stable")
    return Ranks(
        used,
        score,
        order,
        low=1 + better.sum(axis=0),
        high=n - better.sum(axis=1),
        group=_groups(order, better),
        better=better,
        floor=_floor(scores, order, len(first), level),
    )


def compared(scores: Scores, first: np.ndarray, second: np.ndarray) -> Pairs:
    """Return the differences between the scores of pairs of algorithms (0-based), on the matrices that count.

    Examples
    --------
    Twice the regret, each mean known to 10% by eleven runs:

    >>> means, known = np.array([[100.0], [50.0]]), np.full((2, 1), 0.1)
    >>> scores = Scores(means, known, np.zeros((2, 1)), np.full((2, 1), 11), np.zeros((1, 2, 2)), np.zeros(2))
    >>> pairs = compared(scores, np.array([0]), np.array([1]))
    >>> np.exp(pairs.value).round(3).tolist(), (pairs.error**2).round(3).tolist(), pairs.freedom.round(3).tolist()
    ([2.0], [0.02], [10.0])
    """
    used = _used(scores)
    a, b = scores.means[first][:, used], scores.means[second][:, used]
    logarithms = _tested(scores, used, first, second, np.log(a) - np.log(b), np.ones_like(a), np.ones_like(b))
    parts = _tested(scores, used, first, second, 2 * (a - b) / (a + b), 2 * a / (a + b), 2 * b / (a + b))
    agree = np.sign(logarithms.value) == np.sign(parts.value)
    return replace(logarithms, p=np.where(agree, np.maximum(logarithms.p, parts.p), 1.0))


def _used(scores: Scores) -> np.ndarray:
    """Return which matrices count, (M,) bool: every algorithm has a mean above 0 on them."""
    used = np.asarray((scores.means > 0).all(axis=0))
    if not used.any():
        raise ValueError("on each matrix some algorithm has no regret at all, so that none can be ranked by ratios")
    if scores.runs.min() < 2:
        raise ValueError("a mean of one run has no standard error; ranks need two runs of each algorithm at least")
    return used


def _tested(
    scores: Scores,
    used: np.ndarray,
    first: np.ndarray,
    second: np.ndarray,
    differences: np.ndarray,
    a_weight: np.ndarray,
    b_weight: np.ndarray,
) -> Pairs:
    """Test whether the mean of ``differences`` over the matrices is 0.

    The error of a difference is ``a_weight`` times the relative error of the first mean, minus ``b_weight`` times that
    of the second.
    """
    errors, runs = scores.errors[:, used], scores.runs[:, used].astype(float)
    a, b = a_weight * errors[first], b_weight * errors[second]
    fewer, more = np.minimum(runs[first], runs[second]), np.maximum(runs[first], runs[second])
    # Only the runs of the smaller sample are paired.
    correlation = scores.correlations[used][:, first, second].T * np.sqrt(fewer / more)
    variances = np.maximum(a**2 + b**2 - 2 * correlation * a * b, 0.0)
    across = scores.across[first] * _products(a) + scores.across[second] * _products(b)
    n_used = int(used.sum())
    total = variances.sum(axis=1) + across
    variance = total / n_used**2
    has_error = variance > 0
    spread = np.where(has_error, variance, 1.0)
    # The covariance between matrices has no more degrees of freedom than the runs on one matrix.
    fourth = ((variances**2 / (fewer - 1)).sum(axis=1) + across * total / (fewer.min(axis=1) - 1)) / n_used**4
    freedom = np.where(has_error, spread**2 / np.where(has_error, fourth, 1.0), np.inf)
    thirds = scores.skewness[:, used] / np.sqrt(runs)
    third = (thirds[first] * a**3 - thirds[second] * b**3).sum(axis=1) / n_used**3
    value = np.asarray(differences.mean(axis=1))
    p = p_of_t(value / np.sqrt(spread), freedom, np.where(has_error, third / spread**1.5, 0.0))
    return Pairs(value, np.sqrt(variance), freedom, np.where(has_error, p, value == 0))


def _products(errors: np.ndarray) -> np.ndarray:
    """Return the sums of the products of errors on two different matrices, each pair counted twice: (n, M) -> (n,)."""
    return np.asarray(errors.sum(axis=1) ** 2 - (errors**2).sum(axis=1))


def across(regret: np.ndarray) -> float:
    """Return the correlation of an algorithm's runs with the same index on different matrices, at least 0.

    Runs with the same index share their random numbers on all matrices. If all pairs of matrices had this correlation,
    the mean of relative regret over the matrices would have the standard error that it has over the runs. ``regret`` is
    (M, n), with runs of the same index in one column; the mean of each row is above 0.

    Examples
    --------
    On a second matrix each run has twice the regret that it has on the first, and on a third one all runs are alike.

    >>> round(across(np.array([[1.0, 3.0], [2.0, 6.0]])), 9), across(np.array([[1.0, 3.0], [2.0, 2.0]]))
    (1.0, 0.0)
    """
    relative = regret / regret.mean(axis=1, keepdims=True)
    variances = relative.var(axis=1)
    products = float(_products(np.sqrt(variances)[None])[0])
    common = float(relative.sum(axis=0).var() - variances.sum())
    return common / products if products > 0 and common > 0 else 0.0


def _groups(order: np.ndarray, better: np.ndarray) -> np.ndarray:
    """Return the numbers of the groups; each starts with the first algorithm worse than the head before it."""
    group = np.empty(len(order), np.int64)
    head, number = order[0], 1
    for algorithm in order:
        if better[head, algorithm]:
            head, number = algorithm, number + 1
        group[algorithm] = number
    return group


def _floor(scores: Scores, order: np.ndarray, n_pairs: int, level: float) -> float | None:
    from scipy.special import stdtrit

    if n_pairs == 0:
        return None
    neighbours = compared(scores, order[:-1], order[1:])
    needed = stdtrit(neighbours.freedom, 1 - (1 - level) / (2 * n_pairs)) * neighbours.error
    return float(np.expm1(np.median(needed)))
