"""Estimates the mean regret of several algorithms on several matrices from their runs, as input for `ranks`."""

from collections.abc import Sequence

import numpy as np

from duelbench.bandits.statistics.ranks import Scores, across
from duelbench.leaderboard.runs import MIN_RUNS, Runs


def scores(table: Sequence[Sequence[Runs]], definition: str, horizon: int) -> Scores:
    """Return the `Scores` of ``table``, which has a row for each algorithm and a column for each matrix."""
    moments = np.array([[moments_of(runs.regret(definition, horizon)) for runs in row] for row in table])
    columns = zip(*table, strict=True)
    return Scores(
        means=moments[:, :, 0],
        errors=moments[:, :, 1],
        skewness=moments[:, :, 2],
        runs=np.array([[runs.loaded.n_runs for runs in row] for row in table]),
        correlations=np.array([_correlations_of(column, definition, horizon) for column in columns]),
        across=np.array([correlation_across(row, definition, horizon) for row in table]),
    )


def moments_of(regret: np.ndarray) -> tuple[float, float, float]:
    """Return the mean of the runs' regret, its relative standard error, and the skewness of the runs.

    Examples
    --------
    1, 2 and 6 have the mean 3; their squares from it add up to 14, so the standard deviation is sqrt(7) and the
    standard error sqrt(7 / 3), 0.509 of the mean; their cubes -8, -1 and 27 have the mean 6, and 6 / 7^1.5
    is the skewness, 0.324.

    >>> [round(moment, 3) for moment in moments_of(np.array([1.0, 2.0, 6.0]))]
    [3.0, 0.509, 0.324]
    """
    # Equal means of algorithms that hardly vary must not differ by rounding.
    mean = float(rounded(float(regret.mean()), 8))
    deviation = float(regret.std(ddof=1)) if np.ptp(regret) else 0.0
    error = deviation / len(regret) ** 0.5 / mean if mean else 0.0
    skewness = float(((regret - mean) ** 3).mean()) / deviation**3 if deviation else 0.0
    return mean, error, skewness


def rounded(number: float, digits: int = 4) -> float:
    """Return a number with a few significant digits, as an int if it is whole.

    Examples
    --------
    >>> rounded(0.123456), rounded(1234567.0), rounded(0.0)
    (0.1235, 1235000, 0)
    """
    short = float(f"{number:.{digits}g}")
    return int(short) if short.is_integer() else short


def correlations(samples: Sequence[dict[int, float]], seeds: Sequence[int]) -> np.ndarray:
    """Return the correlations of runs with the same index, for all pairs of algorithms, (N, N) float64.

    For each algorithm, ``samples`` maps the index of a run to its regret. A correlation is over the runs that both
    algorithms have, multiplied by the share of these runs in the smaller sample. It is 0 if all values of a sample are
    equal, or if the ``seeds`` differ. It is rounded down to hundredths: differences seem less certain than they are,
    never more.
    """
    n_indices = 1 + max(max(sample) for sample in samples)
    is_present = np.zeros((len(samples), n_indices))
    values = np.zeros((len(samples), n_indices))
    for row, sample in enumerate(samples):
        indices = list(sample)
        is_present[row, indices] = 1
        values[row, indices] = np.array(list(sample.values())) - np.mean(list(sample.values()))
    n_common = np.einsum("ar,br->ab", is_present, is_present)
    sums = np.einsum("ar,br->ab", values, is_present)  # [a, b]: the values of a, over the runs that b also has
    squares = np.einsum("ar,br->ab", values**2, is_present)
    products = np.einsum("ar,br->ab", values, values)
    divisor = np.maximum(n_common, 1)
    covariance = products - sums * sums.T / divisor
    variance = np.maximum(squares - sums**2 / divisor, 0)
    # The squares of equal values add up to 0, apart from rounding.
    spread = np.where(variance > 1e-18 * np.maximum(squares.max(), 1e-300), variance, 0)
    scale = np.sqrt(spread * spread.T)
    quotient = np.divide(covariance, scale, out=np.zeros_like(scale), where=scale > 0)
    sizes = is_present.sum(axis=1)
    share = n_common / np.minimum.outer(sizes, sizes)
    is_paired = np.equal.outer(seeds, seeds) & (n_common >= MIN_RUNS)
    exact = np.where(is_paired, np.clip(quotient, -1, 1) * share, 0.0)
    return np.floor(np.round(100 * exact, 6)) / 100


def correlation_across(row: Sequence[Runs], definition: str, horizon: int) -> float:
    """Return the correlation of an algorithm's runs with the same index on different matrices.

    It uses only runs that exist for all matrices, and only matrices with any regret. It is rounded up to hundredths:
    differences seem less certain than they are, never more.
    """
    common = set.intersection(*(set(runs.loaded.indices.tolist()) for runs in row))
    samples = [runs.regret(definition, horizon)[np.isin(runs.loaded.indices, list(common))] for runs in row]
    used = [sample for sample in samples if len(sample) >= MIN_RUNS and sample.mean() > 0]
    exact = across(np.array(used)) if len(used) > 1 else 0.0
    return float(np.ceil(np.round(100 * exact, 6)) / 100)


def _correlations_of(column: Sequence[Runs], definition: str, horizon: int) -> np.ndarray:
    samples = []
    for runs in column:
        regret = runs.regret(definition, horizon)
        samples.append(dict(zip(runs.loaded.indices.tolist(), regret.tolist(), strict=True)))
    return correlations(samples, [runs.loaded.stored.identity.seed for runs in column])
