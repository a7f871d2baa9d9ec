"""Which outcomes a stopping rule has been told and has not judged by yet."""

from typing import NamedTuple

import numpy as np

from duelbench.kernels.decorators import kernel

COUNT = np.dtype([("n_told", np.int64)])


class Told(NamedTuple):
    """Wins of all pairs, and which pairs are new; arrays are updated in place."""

    wins: np.ndarray  # (K, K) int64. wins[i, j] = duels that arm i has won against arm j.
    # (K (K - 1) / 2, 2) int64. The pairs i > j with outcomes that are new; the first ``n_told`` entries count.
    pairs: np.ndarray
    is_told: np.ndarray  # (K, K) bool. Which pairs i > j are among them.
    tally: np.ndarray  # (1,) COUNT. How many they are.


def new_told(n_arms):
    """Before any duel."""
    return Told(
        np.zeros((n_arms, n_arms), np.int64),
        np.zeros((n_arms * (n_arms - 1) // 2, 2), np.int64),
        np.zeros((n_arms, n_arms), np.bool_),
        np.rec.array([(0,)], dtype=COUNT),
    )


@kernel
def note(told, i, j, wins, losses):
    """Count duels of two different arms, of which i has won ``wins``."""
    told.wins[i, j] += wins
    told.wins[j, i] += losses
    high = max(i, j)
    low = min(i, j)
    if not told.is_told[high, low]:
        told.is_told[high, low] = True
        count = told.tally[0]
        told.pairs[count.n_told, 0] = high
        told.pairs[count.n_told, 1] = low
        count.n_told += 1


@kernel
def forget(told):
    """All pairs are judged."""
    for k in range(told.tally[0].n_told):
        told.is_told[told.pairs[k, 0], told.pairs[k, 1]] = False
    told.tally[0].n_told = 0
