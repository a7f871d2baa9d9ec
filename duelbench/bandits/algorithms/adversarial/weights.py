"""Exponential weights, kept as logarithms: p_i = (1 - gamma) exp(L_i) / sum of exp(L_j) + gamma / K.

One duel changes only one or two L_i, so the weights w_i = exp(L_i - offset) are stored; the offset follows the largest
L_i before any relevant weight leaves the range of floats.

References
----------
.. [1] P. Auer, N. Cesa-Bianchi, Y. Freund, R. Schapire, "The Nonstochastic Multiarmed Bandit Problem", SIAM Journal on
   Computing 32, 2002: Exp3, the basis of the algorithms in this folder.
"""

import math
from typing import NamedTuple

import numpy as np

from duelbench.bandits.kernels.decorators import kernel

FAR = 30.0  # the limit of L_i - offset: weights that underflow are then less than e^-600 of the largest
LEAST_TOTAL = math.exp(-FAR)  # the least sum of weights; below it the offset is moved


class Weights(NamedTuple):
    """The weights of M players."""

    logarithms: np.ndarray  # (M, K) float64. L_i.
    relative: np.ndarray  # (M, K) float64. w_i = exp(L_i - offset).
    offset: np.ndarray  # (M,) float64
    gamma: float  # The share of uniform draws


def new_weights(n_players: int, n_arms: int, gamma: float) -> Weights:
    """Return weights with all L_i = 0."""
    return Weights(np.zeros((n_players, n_arms)), np.ones((n_players, n_arms)), np.zeros(n_players), gamma)


@kernel
def scale(weights, player, gamma):
    """Return (1 - gamma) / sum of w_j: p_i is w_i times this, plus gamma / K."""
    total = _total(weights.relative[player])
    if total < LEAST_TOTAL:
        follow(weights, player)
        total = _total(weights.relative[player])
    return (1.0 - gamma) / total


@kernel
def _total(relative):
    total = 0.0
    for i in range(relative.size):
        total += relative[i]
    return total


@kernel
def follow(weights, player):
    """Set the offset to the largest L_i, and compute all weights again."""
    logarithms = weights.logarithms[player]
    largest = logarithms[0]
    for i in range(1, logarithms.size):
        largest = max(largest, logarithms[i])
    weights.offset[player] = largest
    for i in range(logarithms.size):
        weights.relative[player, i] = math.exp(logarithms[i] - largest)


@kernel
def draw(relative, factor, floor, rng):
    """Draw arm i with probability ``factor`` w_i + ``floor``, by one uniform number."""
    u = rng.random()
    last = relative.size - 1
    total = 0.0
    for i in range(last):
        total += factor * relative[i] + floor
        if u < total:
            return i
    return last


@kernel
def add(weights, player, arm, change):
    """Add ``change`` to L of ``arm``."""
    weights.logarithms[player, arm] += change
    above = weights.logarithms[player, arm] - weights.offset[player]
    if above > FAR:
        follow(weights, player)
    else:
        weights.relative[player, arm] = math.exp(above)
