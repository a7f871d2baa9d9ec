"""Kelly elimination: the rule of docs/studies/how-many-duels.md.

Draws: ``permutation(K)``, the private order of the arms. Here, as there, an arm is known by its place in it.
"""

import math

from . import Transcription
from .common import Oracle
from .matrices import STEEP

MODELS = [(0, 0.58), (0, 0.33), (0, 0.17), (0, 0.09), (0.25, 0.5), (0.25, 0.25), (0.12, 0.12), (0.06, 0.06)]
MODELS += [(0.03, 0.03)]  # (sigma, tau)


def Phi(z):
    """Probability that a normal law with mean z and deviation 1 is above 0, kept off 0 and 1."""
    return max(1e-15, min(1.0 - 1e-15, 0.5 * math.erfc(-z / math.sqrt(2.0))))


def phi(z):
    return 1.0 / math.sqrt(2.0 * math.pi) * math.exp(-0.5 * z * z)


class KellyElimination(Oracle):
    """Gamblers against all arms, and the pair in which most is expected to be won."""

    def __init__(self, n_arms, horizon, rng, delta=0.05):
        super().__init__(n_arms, rng)
        self.order = [int(arm) for arm in rng.permutation(n_arms)]
        self.level = -math.log(delta)
        self.log_M = [0.0] * n_arms
        self.is_in = [True] * n_arms
        self.log_L = [0.0] * len(MODELS)
        self.weight = [1.0 / len(MODELS)] * len(MODELS)
        self.a = [[0.0] * n_arms for _ in MODELS]
        self.h = [[1.0 / sigma**2 if sigma else math.inf] * n_arms for sigma, _ in MODELS]
        self.pairs = [(i, j) for i in range(n_arms) for j in range(i + 1, n_arms)]
        self.gain = {pair: self._gain(*pair) for pair in self.pairs}
        self.ahead = {pair: 0.5 for i, j in self.pairs for pair in ((i, j), (j, i))}

    def choose(self, t):
        if sum(self.is_in) <= 1:
            last = self.recommend()
            return last, last
        i, j = max(self.pairs, key=self.gain.__getitem__)
        return self.order[i], self.order[j]

    def observe(self, t, first, second, first_won):
        if first_won is None:
            return
        i, j = self.order.index(first), self.order.index(second)
        winner, loser = (i, j) if first_won else (j, i)
        stakes = self._stake(winner, loser), self._stake(loser, winner)
        self.log_M[winner] += math.log1p(-stakes[0])
        self.log_M[loser] += math.log1p(stakes[1])
        for arm in (i, j):
            self.is_in[arm] = self.is_in[arm] and self.log_M[arm] < self.level
        for s in range(len(MODELS)):
            self.log_L[s] += math.log((1.0 + self._law_of(s, loser, winner)[0]) / 2.0)
        super().observe(t, first, second, first_won)
        ratios = [math.exp(log_L - max(self.log_L)) for log_L in self.log_L]
        ratios = [ratio if ratio >= 0.001 else 0.0 for ratio in ratios]
        self.weight = [ratio / sum(ratios) for ratio in ratios]
        for s, (sigma, _) in enumerate(MODELS):
            if sigma:
                self._estimate(s, i)
                self._estimate(s, j)
        for pair in self.pairs:
            if (i in pair or j in pair) and (self.is_in[pair[0]] or self.is_in[pair[1]]):
                m, v = self._law(*pair)
                self.ahead[pair], self.ahead[pair[::-1]] = 1.0 - Phi(m / v), Phi(m / v)
            if i in pair or j in pair:
                self.gain[pair] = self._gain(*pair)

    def recommend(self):
        """The likeliest winner among the arms that are in, or among all where none is; the earliest place on ties."""
        among = [a for a in range(self.K) if self.is_in[a]] or list(range(self.K))
        return self.order[max(among, key=self._log_probability)]

    def _log_probability(self, a):
        total = 0.0
        for j in range(self.K):
            if j != a:
                total += math.log(2.0 * self.ahead[a, j])
        return total

    def _N(self, i, j):
        return self._wins(i, j) + self._wins(j, i)

    def _wins(self, i, j):
        return int(self.W[self.order[i], self.order[j]])

    def _omega(self, s, i, j):
        n = self._N(i, j)
        return n / (n * MODELS[s][1] ** 2 + 1.0)

    def _mean_loss(self, i, j):
        n = self._N(i, j)
        return (self._wins(j, i) - self._wins(i, j)) / n if n else 0.0

    def _estimate(self, s, i):
        total, precision = 0.0, 1.0 / MODELS[s][0] ** 2
        for k in range(self.K):
            if k != i and self._N(i, k):
                total += self._omega(s, i, k) * (self.a[s][k] - self._mean_loss(i, k))
                precision += self._omega(s, i, k)
        self.a[s][i], self.h[s][i] = total / precision, precision

    def _law_of(self, s, i, j):
        """Mean and variance of f_ij in model s."""
        sigma, tau = MODELS[s]
        g, V = 0.0, tau**2
        if sigma:
            omega, y = self._omega(s, i, j), self._mean_loss(i, j)
            a_i, a_j, h_i, h_j = self.a[s][i], self.a[s][j], self.h[s][i], self.h[s][j]
            without_i = (a_i * h_i - omega * (a_j - y)) / (h_i - omega)
            without_j = (a_j * h_j - omega * (a_i + y)) / (h_j - omega)
            g = max(-0.95, min(0.95, without_j - without_i))
            V += 1.0 / (h_i - omega) + 1.0 / (h_j - omega)
        c = max((1.0 - g * g) / V - 1.0, 0.5)
        n = self._N(i, j)
        m = (self._wins(j, i) - self._wins(i, j) + c * g) / (n + c)
        return m, (1.0 - m * m) / (n + c + 1.0)

    def _law(self, i, j):
        """Mean and deviation of f_ij over the models."""
        first, second = 0.0, 0.0
        for s, weight in enumerate(self.weight):
            if weight:
                m, v = self._law_of(s, i, j)
                first += weight * m
                second += weight * (v + m * m)
        return first, math.sqrt(second - first * first)

    def _stake(self, i, j):
        if not self.is_in[i]:
            return 0.0
        m, v = self._law(i, j)
        chance_of_j = 0.0
        if self.is_in[j]:
            log_probability = self._log_probability(j)
            logs = [self._log_probability(a) - log_probability for a in range(self.K) if self.is_in[a] and a != i]
            chance_of_j = 1.0 / sum(math.exp(min(log, 700.0)) for log in logs)
        expected = m + chance_of_j * v * phi(m / v) / Phi(m / v)
        missing = math.exp(self.level - self.log_M[i]) * (1.0 + 1e-12) - 1.0
        return max(0.0, min(expected, missing, 0.99))

    def _gain(self, i, j):
        """E (f + v / 2)^2 where f > 0, for f = f_ij if i is in, and for f = f_ji if j is in."""
        if not (self.is_in[i] or self.is_in[j]):
            return 0.0
        m, v = self._law(i, j)
        z, total = m / v, 0.0
        if self.is_in[i]:
            total += ((z + 0.5) * (z + 0.5) + 1.0) * Phi(z) + (z + 1.0) * phi(z)
        if self.is_in[j]:
            total += ((0.5 - z) * (0.5 - z) + 1.0) * (1.0 - Phi(z)) + (1.0 - z) * phi(z)
        return total * (v * v)


ORACLES = {"kelly-elimination": Transcription(KellyElimination, matrices=STEEP)}
