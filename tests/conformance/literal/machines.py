"""Singleton bandit machines, to which duels are reduced: Ailon, Karnin, Joachims, ICML 2014."""

import math

from .common import pick


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
