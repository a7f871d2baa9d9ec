"""Bounds of pairs whose width depends on their number of samples alone."""

import itertools
import math


def upper_bounds(W, radius):
    """K lists of the K bounds u_ij = W_ij / N_ij + radius(N_ij), infinite for a pair without samples.

    The lower bound is l_ij = 1 - u_ji: what compares l_ij with x is written as u_ji against 1 - x.

    Examples
    --------
    >>> import numpy as np
    >>> upper_bounds(np.array([[0, 3, 0], [1, 0, 0], [0, 0, 0]]), lambda n: 1 / n)
    [[inf, 1.0, inf], [0.5, inf, inf], [inf, inf, inf]]
    """
    wins = W.tolist()
    u = [[math.inf] * len(wins) for _ in wins]
    for i, j in itertools.permutations(range(len(wins)), 2):
        plays = wins[i][j] + wins[j][i]
        if plays > 0:
            u[i][j] = wins[i][j] / plays + radius(plays)
    return u
