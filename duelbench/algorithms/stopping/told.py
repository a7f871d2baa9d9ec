"""The outcomes that a stopping rule knows, and which of them it has not judged by yet."""

from typing import NamedTuple

import numpy as np

from duelbench.kernels.decorators import kernel


class Told(NamedTuple):
    """Wins of all pairs, and which pairs are new; arrays are updated in place."""

    wins: np.ndarray  # (K, K) int64. wins[i, j] = duels that arm i has won against arm j.
    pairs: np.ndarray  # (K (K - 1) / 2, 2) int64. The pairs i > j with new outcomes; the first n_new[0] entries count.
    is_new: np.ndarray  # (K, K) bool. Which pairs i > j are among them.
    n_new: np.ndarray  # (1,) int64


def new_told(n_arms):
    """Before any duel."""
    return Told(
        np.zeros((n_arms, n_arms), np.int64),
        np.zeros((n_arms * (n_arms - 1) // 2, 2), np.int64),
        np.zeros((n_arms, n_arms), np.bool_),
        np.zeros(1, np.int64),
    )


@kernel
def tell(tests, i, j, wins, losses):
    """Count duels of two different arms, of which i has won ``wins``, in ``tests.told``."""
    told = tests.told
    told.wins[i, j] += wins
    told.wins[j, i] += losses
    high = max(i, j)
    low = min(i, j)
    if not told.is_new[high, low]:
        told.is_new[high, low] = True
        told.pairs[told.n_new[0], 0] = high
        told.pairs[told.n_new[0], 1] = low
        told.n_new[0] += 1


@kernel
def forget(told):
    """All pairs are judged."""
    for k in range(told.n_new[0]):
        told.is_new[told.pairs[k, 0], told.pairs[k, 1]] = False
    told.n_new[0] = 0
