"""A preference matrix from what stands above its diagonal."""

import numpy as np


def from_upper(n_arms: int, upper: np.ndarray) -> np.ndarray:
    """The preference matrix with these probabilities above the diagonal, row by row.

    A probability q >= 1/2 is kept as it is and 1 - q, which is then exact, stands opposite to it; one below 1/2 is
    replaced by 1 - (1 - q), which differs from it by 2**-54 at most. So P[i, j] + P[j, i] = 1 exactly, in real numbers
    and not only as floats.

    Parameters
    ----------
    n_arms : int
        K.
    upper : ndarray, shape (K (K - 1) / 2,), float64
        Pr(i beats j) for i < j, pairs (i, j) in lexicographic order.

    Returns
    -------
    ndarray, shape (K, K), float64

    Examples
    --------
    >>> from_upper(3, np.array([0.75, 0.25, 1.0])).tolist()
    [[0.5, 0.75, 0.25], [0.25, 0.5, 1.0], [0.75, 0.0, 0.5]]
    """
    complement = 1 - upper
    upper, lower = np.where(upper >= 0.5, [upper, complement], [1 - complement, complement])
    P = np.full((n_arms, n_arms), 0.5)
    start = 0
    for i in range(n_arms - 1):
        end = start + n_arms - 1 - i
        P[i, i + 1 :] = upper[start:end]
        P[i + 1 :, i] = lower[start:end]
        start = end
    return P
