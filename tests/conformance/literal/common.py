"""What several transcriptions use: win counts, confidence bounds, a divergence, sums and ties."""

import math
from collections.abc import Iterable, Sequence

import numpy as np


class Oracle:
    """Win counts of ``n_arms`` arms, and what every algorithm here does with them.

    Attributes
    ----------
    W : (K, K) int64 array
        ``W[i, j]`` = duels that arm i has won against arm j; the diagonal stays 0.
    rng : numpy.random.Generator
        The algorithm's own draws.
    """

    def __init__(self, n_arms: int, rng: np.random.Generator):
        self.K = n_arms
        self.rng = rng
        self.W = np.zeros((n_arms, n_arms), np.int64)

    def observe(self, t: int, first: int, second: int, first_won: bool | None) -> None:
        """Count the duel of round ``t``; a self-duel (``first_won`` None) teaches nothing."""
        if first_won is None:
            return
        winner, loser = (first, second) if first_won else (second, first)
        self.W[winner, loser] += 1

    def recommend(self) -> int:
        """Arm that is ahead of the most others in the counts; the lowest index among equals."""
        ahead = [sum(1 for j in range(self.K) if self.W[c, j] > self.W[j, c]) for c in range(self.K)]
        return ahead.index(max(ahead))


def upper_bounds(W: np.ndarray, t: int, alpha: float, unplayed: float = 2.0) -> np.ndarray:
    """(K, K) float64 of u_ij = W_ij / N_ij + sqrt(alpha ln t / N_ij), with u_ii = 1/2.

    A pair without duels has ``unplayed``: 1 + sqrt(1), as x / 0 := 1. The lower bound is l_ij = 1 - u_ji:
    what compares l_ij with 1/2 is written with ``u[j, i]`` everywhere.

    Examples
    --------
    At t = 1 the width is 0, so that a pair with three duels, two of them won, has 2/3 and 1/3:

    >>> upper_bounds(np.array([[0, 2], [1, 0]]), 1, 0.51).round(3).tolist()
    [[0.5, 0.667], [0.333, 0.5]]
    """
    wins = W.tolist()
    n_arms = len(wins)
    u = np.full((n_arms, n_arms), unplayed)
    for i in range(n_arms):
        u[i, i] = 0.5
        for j in range(n_arms):
            plays = wins[i][j] + wins[j][i]
            if i != j and plays > 0:
                u[i, j] = wins[i][j] / plays + math.sqrt(alpha * math.log(t) / plays)
    return u


def challenger(u: np.ndarray, c: int, arms: Sequence[int], rng: np.random.Generator) -> int:
    """Arm j of ``arms`` (increasing) with the largest u_jc; ties at random, where c itself gives way."""
    highest = max(u[j, c] for j in arms)
    ties = [j for j in arms if u[j, c] == highest]
    if len(ties) > 1:
        ties = [j for j in ties if j != c]
    return pick(rng, ties)


def pick(rng: np.random.Generator, candidates: Sequence):
    """Uniform choice among ``candidates``; a single one is taken without a draw."""
    if len(candidates) == 1:
        return candidates[0]
    return candidates[rng.integers(0, len(candidates))]


def draw(rng: np.random.Generator, p: Sequence[float]) -> int:
    """Arm of the law ``p``, by one ``random()``: the first at which p, added up, exceeds it, or the last."""
    u = rng.random()
    total = 0.0
    for arm, probability in enumerate(p):
        total += probability
        if u < total:
            return arm
    return len(p) - 1


def mixed_softmax(L: Sequence[float], gamma: float) -> list[float]:
    """p_i = (1 - gamma) exp(L_i) / sum_j exp(L_j) + gamma / K, computed from L_i - max L.

    Examples
    --------
    >>> [round(p, 3) for p in mixed_softmax([math.log(3), 0.0], 0.2)]
    [0.7, 0.3]
    """
    weights = [math.exp(value - max(L)) for value in L]
    total = add_up(weights)
    return [(1 - gamma) * weight / total + gamma / len(L) for weight in weights]


def empirical(W: np.ndarray) -> np.ndarray:
    """(K, K) float64 of ph_ij = W_ij / N_ij, with 0 / 0 := 1/2.

    Examples
    --------
    >>> empirical(np.array([[0, 3, 0], [1, 0, 0], [0, 0, 0]])).tolist()
    [[0.5, 0.75, 0.5], [0.25, 0.5, 0.5], [0.5, 0.5, 0.5]]
    """
    plays = W + W.T
    return np.divide(W, plays, out=np.full(W.shape, 0.5), where=plays > 0)


def kl_half(p: float) -> float:
    """Bernoulli divergence d(p, 1/2) = ln 2 + p ln p + (1 - p) ln(1 - p) in nats, with 0 ln 0 = 0.

    Written with artanh(x) = ln(p / (1 - p)) / 2, x = 2 p - 1, which loses no digits next to 1/2.

    Examples
    --------
    >>> kl_half(0.5), kl_half(0.0) == kl_half(1.0) == math.log(2)
    (0.0, True)
    """
    x = 2.0 * p - 1.0
    if abs(x) == 1.0:
        return math.log(2.0)
    return math.log1p(-x * x) / 2 + x * math.atanh(x)


def add_up(values: Iterable[float]) -> float:
    """Sum from left to right, as compiled code rounds it; the built-in one compensates from Python 3.12 on.

    Examples
    --------
    >>> add_up([1e16, 1.0, -1e16])
    0.0
    """
    total = 0.0
    for value in values:
        total += value
    return total
