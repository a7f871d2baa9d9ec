"""Dueling-EXP3 for Borda regret: Saha, Koren, Mansour, ICML 2021, after somebody else's program of it."""

import math

from . import Transcription
from .common import Oracle, draw, mixed_softmax


class DEXP3(Oracle):
    """D-EXP3.

    Draws per round: ``random()`` for x and ``random()`` for y, each the arm at which the probabilities, added up by
    increasing index, exceed it.
    """

    reads_self_duels = True

    def __init__(self, n_arms, horizon, rng):
        super().__init__(n_arms, rng)
        K, T = n_arms, horizon
        self.eta = (math.log(K) / (T * math.sqrt(K))) ** (2 / 3)
        self.gamma = min(1.0, math.sqrt(self.eta * K))
        self.S = [0.0] * n_arms  # sums of the estimated Borda scores

    def choose(self, t):
        self.q = mixed_softmax([self.eta * s for s in self.S], self.gamma)
        return draw(self.rng, self.q), draw(self.rng, self.q)

    def observe(self, t, first, second, first_won):
        """Only the first arm is credited, with a coin's outcome if it met itself."""
        o = 1.0 if first_won else 0.0
        self.S[first] += o / (self.K * self.q[first] * self.q[second])

    def recommend(self):
        """Arm of the highest sum; the lowest index among equals."""
        return self.S.index(max(self.S))


class DEXP3HP(DEXP3):
    """D-EXP3 with a bonus of ``beta`` / q_i for every arm in every round, for regret with probability 1 - ``delta``."""

    def __init__(self, n_arms, horizon, rng, delta=0.1):
        super().__init__(n_arms, horizon, rng)
        self.beta = math.sqrt(math.log(n_arms / delta) / (n_arms * horizon))

    def observe(self, t, first, second, first_won):
        self.S = [s + self.beta / q for s, q in zip(self.S, self.q, strict=True)]
        super().observe(t, first, second, first_won)


ORACLES = {
    "d-exp3": Transcription(DEXP3, settles=False),
    "d-exp3-hp": Transcription(DEXP3HP, settles=False),
}
