"""The duels that a stopping rule has counted, and the pairs with outcomes that it has not tested yet."""

from typing import NamedTuple

import numpy as np

from duelbench.bandits.kernels.decorators import kernel


class Duels(NamedTuple):
    """Wins of all pairs, and which pairs are new; arrays are updated in place."""

    wins: np.ndarray  # (K, K) int64. wins[i, j] = duels that arm i has won against arm j.
    pairs: np.ndarray  # (K (K - 1) / 2, 2) int64. The pairs i > j with new outcomes; the first n_new[0] entries count.
    is_new: np.ndarray  # (K, K) bool. Which pairs i > j are among them.
    n_new: np.ndarray  # (1,) int64


def new_duels(n_arms):
    """Return the counts before any duel."""
    return Duels(
        np.zeros((n_arms, n_arms), np.int64),
        np.zeros((n_arms * (n_arms - 1) // 2, 2), np.int64),
        np.zeros((n_arms, n_arms), np.bool_),
        np.zeros(1, np.int64),
    )


@kernel
def update(tests, i, j, wins, losses):
    """Count duels of two different arms, of which i has won ``wins``, in ``tests.duels``."""
    duels = tests.duels
    duels.wins[i, j] += wins
    duels.wins[j, i] += losses
    high = max(i, j)
    low = min(i, j)
    if not duels.is_new[high, low]:
        duels.is_new[high, low] = True
        duels.pairs[duels.n_new[0], 0] = high
        duels.pairs[duels.n_new[0], 1] = low
        duels.n_new[0] += 1


@kernel
def clear_new(duels):
    """Record that all pairs are tested."""
    for k in range(duels.n_new[0]):
        duels.is_new[duels.pairs[k, 0], duels.pairs[k, 1]] = False
    duels.n_new[0] = 0
