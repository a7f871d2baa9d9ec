"""One number for many problems: interquartile means, performance profiles and probabilities of improvement.

The definitions are those of Agarwal et al. [1]_ and of their library rliable, with less regret being better.

References
----------
.. [1] R. Agarwal, M. Schwarzer, P. S. Castro, A. Courville, M. G. Bellemare, "Deep Reinforcement Learning at the Edge
   of the Statistical Precipice", NeurIPS 2021.
"""

from collections.abc import Iterator, Sequence

import numpy as np

RESAMPLES = 2000
"""Of the bootstrap."""

SEED = 2021
"""Of the bootstrap: the same runs have the same intervals."""

_AT_ONCE = 20


def interquartile_mean(scores: np.ndarray) -> np.ndarray:
    """The mean of the middle half of the scores along the last axis.

    A quarter of them, rounded down, is cut off at each end: (..., n) -> (...).

    Examples
    --------
    Of eight the two smallest and the two largest are cut off.

    >>> interquartile_mean(np.array([9.0, 1.0, 2.0, 3.0, 4.0, 100.0, 0.0, 5.0])).item()
    3.5
    """
    n = scores.shape[-1]
    return np.asarray(np.sort(scores, axis=-1)[..., n // 4 : n - n // 4].mean(axis=-1))


def profile(scores: np.ndarray, at: np.ndarray) -> np.ndarray:
    """The performance profile: the share of the scores, (..., n), that are at most each of (m,) values: (..., m).

    Examples
    --------
    >>> profile(np.array([1.0, 2.0, 2.0, 5.0]), np.array([0.5, 2.0, 9.0])).tolist()
    [0.0, 0.75, 1.0]
    """
    ordered = np.sort(scores, axis=-1)
    rows = ordered.reshape(-1, ordered.shape[-1])
    counts = np.array([np.searchsorted(row, at, side="right") for row in rows])
    return counts.reshape(*ordered.shape[:-1], len(at)) / ordered.shape[-1]


def improvements(samples: Sequence[np.ndarray]) -> np.ndarray:
    """How probable it is that a run of one sample has less than one of another; ties count half.

    The mean over problems of U / (n m), U being Mann and Whitney's statistic for n and m runs.

    ``samples`` are k arrays (..., n, problems) with n runs each, which may differ; the result is (..., k, k), of row i
    the probability that it has less than column j.

    Examples
    --------
    Of the four pairs 1 is below 2 and 3, 2 is below 3 and ties with 2: 3.5 of 4.

    >>> improvements([np.array([[1.0], [2.0]]), np.array([[2.0], [3.0]])]).tolist()
    [[0.5, 0.875], [0.125, 0.5]]
    """
    shape, n_problems = samples[0].shape[:-2], samples[0].shape[-1]
    flat = [sample.reshape(-1, *sample.shape[-2:]) for sample in samples]
    found = np.mean([_below([sample[:, :, k] for sample in flat]) for k in range(n_problems)], axis=0)
    return np.asarray(found.reshape(*shape, len(samples), len(samples)))


def _below(samples: Sequence[np.ndarray]) -> np.ndarray:
    """Of k samples with the same number of rows: the shares of `improvements` in each row, (rows, k, k)."""
    n_rows = len(samples[0])
    values, ranks = np.unique(np.concatenate(samples, axis=1), return_inverse=True)
    places = ranks.reshape(n_rows, -1) + np.arange(n_rows)[:, np.newaxis] * len(values)
    ends = np.cumsum([sample.shape[1] for sample in samples])[:-1]
    counts = [
        np.bincount(own.ravel(), minlength=n_rows * len(values)).reshape(n_rows, len(values))
        for own in np.split(places, ends, axis=1)
    ]
    # Of each value: twice the runs below it, and those that tie with it.
    twice = [2 * np.cumsum(count, axis=1) - count for count in counts]
    return np.array(
        [
            [(below * count).sum(axis=1) / (2 * first.shape[1] * second.shape[1]) for count, second in pairs]
            for below, first in zip(twice, samples, strict=True)
            for pairs in [list(zip(counts, samples, strict=True))]
        ]
    ).transpose(2, 0, 1)


def resamples(samples: Sequence[np.ndarray], keys: Sequence[int]) -> Iterator[list[np.ndarray]]:
    """Stratified bootstrap: runs drawn with replacement, for each sample and problem by itself.

    ``samples`` are arrays (n, problems), of one algorithm each; what is drawn of one depends on its key and size alone.
    Yields for each sample an array (b, n, problems) of its resamples; `RESAMPLES` of them in all.

    Examples
    --------
    >>> parts = list(resamples([np.array([[1.0, 5.0], [2.0, 6.0]])], [0]))
    >>> sum(len(own) for (own,) in parts), sorted(set(parts[0][0][:, :, 1].ravel().tolist()))
    (2000, [5.0, 6.0])
    """
    rngs = [np.random.default_rng(np.random.SeedSequence(SEED, spawn_key=(key,))) for key in keys]
    for _ in range(RESAMPLES // _AT_ONCE):
        yield [
            np.take_along_axis(sample[np.newaxis], rng.integers(len(sample), size=(_AT_ONCE, *sample.shape)), axis=1)
            for sample, rng in zip(samples, rngs, strict=True)
        ]


def percentile_ends(statistics: np.ndarray, level: float = 0.95) -> tuple[np.ndarray, np.ndarray]:
    """The percentile interval of a bootstrap, of statistics with one resample in each row."""
    low, high = np.quantile(statistics, [(1 - level) / 2, (1 + level) / 2], axis=0)
    return low, high
