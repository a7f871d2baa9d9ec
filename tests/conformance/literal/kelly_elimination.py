"""Kelly elimination: this project's own rule, from the pseudocode of its page.

Draws: ``permutation(K)``, the private order of the arms. Here, as on the page, an arm is known by its place in it.
"""

import math

from . import Transcription
from .common import Oracle
from .matrices import STEEP

SCALES = (2.0, 8.0, 32.0, 128.0)


def above_zero(mean, deviation):
    """Of a normal law: probability of being above 0, E max(f, 0), E max(f, 0)^2."""
    z = max(mean / deviation, -37.0)
    probability = 0.5 * math.erfc(-z / math.sqrt(2.0))
    density = 1.0 / math.sqrt(2.0 * math.pi) * math.exp(-0.5 * z * z)
    first = deviation * (z * probability + density)
    second = deviation * deviation * ((1.0 + z * z) * probability + z * density)
    return probability, max(first, 0.0), max(second, 0.0)


class KellyElimination(Oracle):
    """Gamblers against all arms, and the pair that is expected to bring arms nearest to being out."""

    def __init__(self, n_arms, horizon, rng, delta=0.05):
        super().__init__(n_arms, rng)
        self.order = [int(arm) for arm in rng.permutation(n_arms)]
        self.level = -math.log(delta)
        self.log_M = [0.0] * n_arms
        self.is_in = [True] * n_arms
        self.log_likelihood = [0.0] * len(SCALES)

    def choose(self, t):
        self.is_in = [inside and self.level > M for inside, M in zip(self.is_in, self.log_M, strict=True)]
        if sum(self.is_in) <= 1:
            last = self.recommend()
            return last, last
        belief = self._belief()
        share = [[0.0] * self.K for _ in range(self.K)]
        for i in range(self.K):
            for j in range(self.K):
                if i != j and self.is_in[i]:
                    share[i][j] = self._expected_square(belief, i, j) / (self.level - self.log_M[i])
        pairs = [(i, j) for i in range(self.K) for j in range(i + 1, self.K)]
        i, j = max(pairs, key=lambda pair: share[pair[0]][pair[1]] + share[pair[1]][pair[0]])
        return self.order[i], self.order[j]

    def observe(self, t, first, second, first_won):
        if first_won is None:
            return
        winner, loser = (self.order.index(arm) for arm in ((first, second) if first_won else (second, first)))
        belief = self._belief()
        stakes = self._stake(belief, winner, loser), self._stake(belief, loser, winner)
        self.log_M[winner] += math.log1p(-stakes[0])
        self.log_M[loser] += math.log1p(stakes[1])
        n = self._duels(winner, loser)
        for s, c in enumerate(SCALES):
            self.log_likelihood[s] += math.log((self._wins(winner, loser) + 0.5 * c) / (n + c))
        super().observe(t, first, second, first_won)

    def recommend(self):
        """The likeliest winner among the arms that are in, or among all where none is; the earliest place on ties."""
        belief = self._belief()
        among = [a for a in range(self.K) if self.is_in[a]] or list(range(self.K))
        return self.order[max(among, key=lambda a: sum(of_scale[a] for of_scale in belief))]

    def _wins(self, i, j):
        return int(self.W[self.order[i], self.order[j]])

    def _duels(self, i, j):
        return self._wins(i, j) + self._wins(j, i)

    def _mean(self, c, i, j):
        """Of f_ij = 1 - 2 p_ij."""
        return (self._wins(j, i) - self._wins(i, j)) / (self._duels(i, j) + c)

    def _above_zero(self, c, i, j):
        mean = self._mean(c, i, j)
        return above_zero(mean, math.sqrt((1.0 - mean * mean) / (self._duels(i, j) + c + 1.0)))

    def _belief(self):
        """belief[s][a]: probability that the scale is s and the winner a."""
        logs = []
        for s, c in enumerate(SCALES):
            logs.append([])
            for a in range(self.K):
                total = self.log_likelihood[s]
                for j in range(self.K):
                    if j != a:
                        total += math.log(2.0 * self._above_zero(c, j, a)[0])
                logs[s].append(total)
        most = max(max(of_scale) for of_scale in logs)
        weights = [[math.exp(value - most) for value in of_scale] for of_scale in logs]
        total = 0.0
        for of_scale in weights:
            for weight in of_scale:
                total += weight
        return [[weight / total for weight in of_scale] for of_scale in weights]

    def _stake(self, belief, i, j):
        if not self.is_in[i]:
            return 0.0
        expected, whole = 0.0, 0.0
        for s, c in enumerate(SCALES):
            others = sum(belief[s][a] for a in range(self.K) if a != i)
            probability, first, _ = self._above_zero(c, i, j)
            expected += (others - belief[s][j]) * self._mean(c, i, j) + belief[s][j] * (first / probability)
            whole += others
        missing = math.exp(self.level - self.log_M[i]) * (1.0 + 1e-12) - 1.0
        return max(0.0, min(expected / whole, missing, 0.99))

    def _expected_square(self, belief, i, j):
        expected, whole = 0.0, 0.0
        for s, c in enumerate(SCALES):
            others = sum(belief[s][a] for a in range(self.K) if a != i)
            probability, _, second = self._above_zero(c, i, j)
            expected += (others - belief[s][j]) * second
            expected += belief[s][j] * (second / probability)
            whole += others
        return expected / whole


ORACLES = {"kelly-elimination": Transcription(KellyElimination, matrices=STEEP)}
