"""Borda Confidence Bound: Saha, Koren, Mansour, ICML 2021, after somebody else's program of it."""

import math

import numpy as np

from . import Transcription
from .common import Oracle, pick


class BCB(Oracle):
    """Explores uniformly until an arm is clearly the best, and then plays it against itself permanently.

    Draws per round until then: ``integers`` for x among all arms, and ``integers`` for y among the others, by
    increasing index.
    """

    def __init__(self, n_arms, horizon, rng, delta=0.1):
        super().__init__(n_arms, rng)
        self.T = horizon
        self.delta = delta
        self.S = [0.0] * n_arms  # sums of the estimated Borda scores
        self.committed = None

    def choose(self, t):
        if self.committed is None:
            self.committed = self.clear_winner(t - 1)
        if self.committed is not None:
            return self.committed, self.committed
        x = pick(self.rng, range(self.K))
        y = pick(self.rng, [k for k in range(self.K) if k != x])
        return x, y

    def observe(self, t, first, second, first_won):
        if first_won and first != second:
            self.S[first] += self.K

    def clear_winner(self, t):
        """Arm whose lower bound after ``t`` rounds is above all other upper bounds, or None."""
        if t == 0:
            return None
        c = self.recommend()
        others = [i for i in range(self.K) if i != c]
        width = self.width(t)
        return c if all(self.S[c] / t - width > self.S[i] / t + width for i in others) else None

    def width(self, t):
        """Half of the width of a confidence interval after ``t`` rounds."""
        return 2 * math.sqrt(self.K / t * math.log(2 * self.K * self.T / self.delta))

    def recommend(self):
        """Arm of the highest sum; the lowest index among equals."""
        return self.S.index(max(self.S))


WINNER_TAKES_ALL = np.array([[0.5, 1.0, 1.0], [0.0, 0.5, 0.5], [0.0, 0.5, 0.5]])
"""It settles here within the horizon."""

ORACLES = {"bcb": Transcription(BCB, matrices={"winner takes all": WINNER_TAKES_ALL})}
