"""The rules of this folder, all runs at once in plain NumPy; every round computes all probabilities again.

Each class keeps arrays of shape (runs, K), has ``pairs()``, which draws the arms of a round, and ``learn(x, y, o)``,
where ``o`` is 1 in the runs whose first arm has won. Nothing of duelbench is imported.
"""

import math

import numpy as np


def mixed(L, gamma):
    """(1 - gamma) exp(L_i - max L) / sum + gamma / K, row by row."""
    w = np.exp(L - L.max(axis=1, keepdims=True))
    return (1 - gamma) * w / w.sum(axis=1, keepdims=True) + gamma / L.shape[1]


def drawn(p, rng):
    """An arm of each row."""
    u = rng.random((len(p), 1))
    return np.minimum((p.cumsum(axis=1) <= u).sum(axis=1), p.shape[1] - 1)


class Exp3:
    """Sparring with two machines of Exp3."""

    def __init__(self, runs, K, T, rng, gamma=None):
        self.rng, self.runs, self.K = rng, np.arange(runs), K
        self.gamma = min(1, math.sqrt(K * math.log(K) / ((math.e - 1) * T))) if gamma is None else gamma
        self.L = [np.zeros((runs, K)) for _ in range(2)]

    def pairs(self):
        self.p = [mixed(L, self.gamma) for L in self.L]
        return [drawn(p, self.rng) for p in self.p]

    def learn(self, x, y, o):
        for L, p, arm, r in zip(self.L, self.p, (x, y), (o, 1 - o), strict=True):
            L[self.runs, arm] += self.gamma / self.K * r / p[self.runs, arm]


class Exp3IX(Exp3):
    """Sparring with two machines of Exp3-IX."""

    def __init__(self, runs, K, T, rng):
        super().__init__(runs, K, T, rng, gamma=0.0)
        self.eta = math.sqrt(2 * math.log(K + 1) / (T * K))

    def learn(self, x, y, o):
        for L, p, arm, r in zip(self.L, self.p, (x, y), (o, 1 - o), strict=True):
            L[self.runs, arm] -= self.eta * (1 - r) / (p[self.runs, arm] + self.eta / 2)


class Exp3S(Exp3):
    """Sparring with two machines of Exp3.S."""

    def __init__(self, runs, K, T, rng, switches=1):
        gamma = min(1, math.sqrt(K * (switches * math.log(K * T) + math.e) / ((math.e - 1) * T)))
        super().__init__(runs, K, T, rng, gamma)
        self.bonus = math.e / T / K
        self.W = [np.full((runs, K), 1 / K) for _ in range(2)]

    def pairs(self):
        self.p = [(1 - self.gamma) * W + self.gamma / self.K for W in self.W]
        return [drawn(p, self.rng) for p in self.p]

    def learn(self, x, y, o):
        for W, p, arm, r in zip(self.W, self.p, (x, y), (o, 1 - o), strict=True):
            W[self.runs, arm] *= np.exp(self.gamma / self.K * r / p[self.runs, arm])
            W += self.bonus
            W /= W.sum(axis=1, keepdims=True)


class REX3:
    """REX3 with the gamma of eq. (6), or its anytime form."""

    def __init__(self, runs, K, T, rng, g=0.5, anytime=False):
        self.rng, self.runs, self.K, self.T, self.g, self.anytime, self.t = rng, np.arange(runs), K, T, g, anytime, 0
        self.L = np.zeros((runs, K))

    def pairs(self):
        self.t += 1
        T = self.t if self.anytime else self.T
        self.gamma = min(1 / 2, math.sqrt(self.K * math.log(self.K) / (math.e * self.g * T)))
        self.p = mixed(self.L, self.gamma)
        return drawn(self.p, self.rng), drawn(self.p, self.rng)

    def learn(self, a, b, o):
        psi = np.where(a == b, 0, 2 * o - 1)
        self.L[self.runs, a] += self.gamma / self.K * psi / (2 * self.p[self.runs, a])
        self.L[self.runs, b] -= self.gamma / self.K * psi / (2 * self.p[self.runs, b])


class DExp3:
    """D-EXP3; with ``delta``, D-EXP3-HP."""

    def __init__(self, runs, K, T, rng, delta=None):
        self.rng, self.runs, self.K = rng, np.arange(runs), K
        self.eta = (math.log(K) / (T * math.sqrt(K))) ** (2 / 3)
        self.gamma = min(1, math.sqrt(self.eta * K))
        self.beta = 0.0 if delta is None else math.sqrt(math.log(K / delta) / (K * T))
        self.S = np.zeros((runs, K))

    def pairs(self):
        self.q = mixed(self.eta * self.S, self.gamma)
        return drawn(self.q, self.rng), drawn(self.q, self.rng)

    def learn(self, x, y, o):
        self.S += self.beta / self.q
        self.S[self.runs, x] += o / (self.K * self.q[self.runs, x] * self.q[self.runs, y])


class BCB:
    """Borda-Confidence-Bound."""

    def __init__(self, runs, K, T, rng, delta=0.1):
        self.rng, self.runs, self.K, self.t = rng, np.arange(runs), K, 0
        self.log_term = math.log(2 * K * T / delta)
        self.S = np.zeros((runs, K))
        self.c = np.full(runs, -1)

    def pairs(self):
        x = self.rng.integers(0, self.K, self.runs.size)
        y = self.rng.integers(0, self.K - 1, self.runs.size)
        y += y >= x
        settled = self.c >= 0
        return np.where(settled, self.c, x), np.where(settled, self.c, y)

    def learn(self, x, y, o):
        self.t += 1
        self.S[self.runs, x] += self.K * o
        width = 2 * math.sqrt(self.K / self.t * self.log_term)
        ordered = np.sort(self.S, axis=1)
        ahead = ordered[:, -1] / self.t - width > ordered[:, -2] / self.t + width
        self.c = np.where((self.c < 0) & ahead, self.S.argmax(axis=1), self.c)


def play(rule, matrices, rng, horizon, looks):
    """Play all runs of ``rule`` at once; segment m of M equally long ones has ``matrices[m]``.

    Returns
    -------
    ndarray of float64, shape (runs, looks)
        Sum over the rounds of (P_wx + P_wy - 1) / 2, w being the arm that beats all others in that segment.
    """
    regret = np.zeros(rule.runs.size)
    found = []
    starts = [m * horizon // len(matrices) + 1 for m in range(len(matrices))]
    for t in range(1, horizon + 1):
        P = np.asarray(matrices[sum(start <= t for start in starts) - 1])
        lead = P[(P >= 0.5).all(axis=1)][0]
        x, y = rule.pairs()
        regret += (lead[x] + lead[y] - 1) / 2
        rule.learn(x, y, (rng.random(regret.size) < P[x, y]).astype(int))
        if t in looks:
            found.append(regret.copy())
    return np.array(found).T
