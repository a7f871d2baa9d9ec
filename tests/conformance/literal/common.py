"""What several transcriptions use: win counts, duels as a generator, confidence bounds, a divergence, sums and ties."""

import itertools
import math
from collections.abc import Callable, Iterable, Sequence

import numpy as np
from scipy.special import bdtr


class Oracle:
    """Win counts of ``n_arms`` arms, and what every algorithm here does with them."""

    def __init__(self, n_arms: int, rng: np.random.Generator):
        self.K = n_arms
        self.rng = rng  # of the algorithm's own draws
        self.W = np.zeros((n_arms, n_arms), np.int64)  # W[i, j] = duels that i has won against j; 0 on the diagonal

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


class Pseudocode(Oracle):
    """Plays the pairs that ``_duels()`` yields; what stands after a ``yield`` is done before the next round's draws."""

    def __init__(self, n_arms, rng):
        super().__init__(n_arms, rng)
        self.duels = self._duels()

    def choose(self, t):
        return next(self.duels)

    def observe(self, t, first, second, first_won):
        if first != second:
            super().observe(t, first, second, first_won)


class ExploreThenExploit(Pseudocode):
    """Urvoy et al., ICML 2013, Algorithm 4: duels of ``_explore()``, and then the arm that it returns, permanently."""

    decision = None

    def _duels(self):
        self.decision = yield from self._explore()
        while True:
            yield self.decision, self.decision

    def recommend(self):
        """The decision, and before there is one the answer to the counts as they are."""
        return self.estimate() if self.decision is None else self.decision

    def estimate(self):
        """Arm that is ahead of the most others in the counts; the lowest index among equals."""
        return super().recommend()


def upper_bounds(W: np.ndarray, t: float, alpha: float, unplayed: float = 2.0) -> np.ndarray:
    """(K, K) of W_ij / N_ij + sqrt(alpha ln t / N_ij), u_ii = 1/2; ``unplayed`` is 1 + sqrt(1), as x / 0 := 1."""
    u = np.array(bounds_by_radius(W, lambda n: math.sqrt(alpha * math.log(t) / n), unplayed))
    np.fill_diagonal(u, 0.5)
    return u


def bounds_by_radius(W: np.ndarray, radius: Callable[[int], float], unplayed: float = math.inf) -> list[list[float]]:
    """K lists of the K bounds u_ij = W_ij / N_ij + radius(N_ij); l_ij = 1 - u_ji."""
    wins = W.tolist()
    u = [[unplayed] * len(wins) for _ in wins]
    for i, j in itertools.permutations(range(len(wins)), 2):
        plays = wins[i][j] + wins[j][i]
        if plays > 0:
            u[i][j] = wins[i][j] / plays + radius(plays)
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
    """p_i = (1 - gamma) exp(L_i) / sum_j exp(L_j) + gamma / K, computed from L_i - max L."""
    weights = [math.exp(value - max(L)) for value in L]
    total = add_up(weights)
    return [(1 - gamma) * weight / total + gamma / len(L) for weight in weights]


def empirical(W: np.ndarray) -> np.ndarray:
    """(K, K) float64 of ph_ij = W_ij / N_ij, with 0 / 0 := 1/2."""
    plays = W + W.T
    return np.divide(W, plays, out=np.full(W.shape, 0.5), where=plays > 0)


def kl_half(p: float) -> float:
    """Bernoulli divergence d(p, 1/2) in nats, by artanh(2 p - 1) = ln(p / (1 - p)) / 2: exact next to 1/2."""
    x = 2.0 * p - 1.0
    if abs(x) == 1.0:
        return math.log(2.0)
    return math.log1p(-x * x) / 2 + x * math.atanh(x)


def add_up(values: Iterable[float]) -> float:
    """Sum from left to right, as compiled code rounds it; the built-in one compensates from Python 3.12 on."""
    total = 0.0
    for value in values:
        total += value
    return total


def sampled_wins(W, arms, rng):
    """For each of ``arms`` (increasing), the others j of them with theta_ij > 1/2, as a dict of counts.

    theta_ij ~ Beta(W_ij + 1, W_ji + 1) and theta_ji = 1 - theta_ij. It is above 1/2 with the probability that
    Bin(N_ij + 1, 1/2) is at most W_ij: ``random()`` below that, for i < j in order of (i, j).
    """
    wins = dict.fromkeys(arms, 0)
    for i in arms:
        for j in arms:
            if i < j:
                above = rng.random() < bdtr(int(W[i, j]), int(W[i, j] + W[j, i] + 1), 0.5)
                wins[i if above else j] += 1
    return wins
