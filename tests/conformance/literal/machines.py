"""Bandit machines, to which duels are reduced: Ailon, Karnin, Joachims, ICML 2014.

For rewards that an adversary chooses EXP3 and EXP3.S: Auer, Cesa-Bianchi, Freund, Schapire, SIAM Journal on Computing
2002; the tuning of EXP3 is written from memory, the rest and EXP3-IX after public programs. They draw one ``random()``
per step: the arm at which the probabilities, added up by increasing index, exceed it.
"""

import math

from .common import add_up, draw, mixed_softmax, pick


class SBMUCB:
    """SBM-UCB.

    Draws per step, by increasing index: ``integers`` among the arms not played yet, else among those of the
    highest index.
    """

    def __init__(self, n_arms, rng, alpha=3.0):
        self.rng = rng
        self.alpha = alpha
        self.plays = [0] * n_arms
        self.wins = [0] * n_arms

    def advance(self):
        arms = range(len(self.plays))
        unplayed = [x for x in arms if self.plays[x] == 0]
        if unplayed:
            return self._take(unplayed)
        t = sum(self.plays) + 1  # its own clock
        index = [self.wins[x] / self.plays[x] + self._width(x, t) for x in arms]
        return self._take([x for x in arms if index[x] == max(index)])

    def _width(self, x, t):
        return math.sqrt((self.alpha + 2.0) * math.log(t) / (2.0 * self.plays[x]))

    def _take(self, arms):
        self.arm = pick(self.rng, arms)
        return self.arm

    def feedback(self, won):
        """Reward of the arm that ``advance`` returned last."""
        self.plays[self.arm] += 1
        self.wins[self.arm] += won


class BetaThompson:
    """Thompson sampling with the prior Beta(1, 1).

    Draws per step: ``beta(wins + 1, losses + 1)`` of every arm by increasing index.
    """

    def __init__(self, n_arms, rng):
        self.rng = rng
        self.plays = [0] * n_arms
        self.wins = [0] * n_arms

    def advance(self):
        theta = [self.rng.beta(won + 1, played - won + 1) for won, played in zip(self.wins, self.plays, strict=True)]
        self.arm = theta.index(max(theta))
        return self.arm

    def feedback(self, won):
        """Reward of the arm that ``advance`` returned last."""
        self.plays[self.arm] += 1
        self.wins[self.arm] += won


class Machine:
    """An arm is drawn from ``probabilities()``; ``learn`` sees its reward, 1 for a win and 0 for a loss."""

    def __init__(self, n_arms, rng):
        self.K = n_arms
        self.rng = rng
        self.plays = [0] * n_arms

    def advance(self):
        self.p = self.probabilities()
        self.arm = draw(self.rng, self.p)
        return self.arm

    def feedback(self, won):
        """Reward of the arm that ``advance`` returned last."""
        self.plays[self.arm] += 1
        self.learn(1.0 if won else 0.0)


class EXP3(Machine):
    """Exponential weights, mixed with the uniform law by ``gamma``: min(1, sqrt(K ln K / ((e - 1) T))) unless given."""

    def __init__(self, n_arms, horizon, rng, gamma=None):
        super().__init__(n_arms, rng)
        K, T = n_arms, horizon
        self.gamma = min(1.0, math.sqrt(K * math.log(K) / ((math.e - 1) * T))) if gamma is None else gamma
        self.L = [0.0] * n_arms

    def probabilities(self):
        return mixed_softmax(self.L, self.gamma)

    def learn(self, r):
        self.L[self.arm] += self.gamma / self.K * r / self.p[self.arm]


class EXP3IX(Machine):
    """Exponential weights by losses, which ``eta`` / 2 in the denominator underestimates.

    ``eta`` is sqrt(2 ln(K + 1) / (T K)) unless given. Nothing is mixed in.
    """

    def __init__(self, n_arms, horizon, rng, eta=None):
        super().__init__(n_arms, rng)
        K, T = n_arms, horizon
        self.eta = math.sqrt(2 * math.log(K + 1) / (T * K)) if eta is None else eta
        self.L = [0.0] * n_arms

    def probabilities(self):
        return mixed_softmax(self.L, 0.0)

    def learn(self, r):
        self.L[self.arm] -= self.eta * (1.0 - r) / (self.p[self.arm] + self.eta / 2)


class EXP3S(Machine):
    """EXP3 that gives every weight back a part of the sum in every round, won or lost, for ``switches`` segments.

    The part is e alpha / K, alpha = 1 / T; ``gamma`` is min(1, sqrt(K (S ln(K T) + e) / ((e - 1) T))) unless given.
    """

    def __init__(self, n_arms, horizon, rng, switches=1, gamma=None):
        super().__init__(n_arms, rng)
        K, T, S = n_arms, horizon, switches
        tuned = math.sqrt(K * (S * math.log(K * T) + math.e) / ((math.e - 1) * T))
        self.gamma = min(1.0, tuned) if gamma is None else gamma
        self.alpha = 1 / T
        self.W = [1 / K] * n_arms

    def probabilities(self):
        return [(1 - self.gamma) * w + self.gamma / self.K for w in self.W]

    def learn(self, r):
        self.W[self.arm] *= math.exp(self.gamma / self.K * r / self.p[self.arm])
        self.W = [w + math.e * self.alpha / self.K for w in self.W]
        total = add_up(self.W)
        self.W = [w / total for w in self.W]
