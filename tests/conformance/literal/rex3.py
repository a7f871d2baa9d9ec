"""REX3, Relative Exponential-weight Algorithm for Exploration and Exploitation: Gajane, Urvoy, Clerot, ICML 2015."""

import math

from . import Case, Transcription
from .common import Oracle, draw, mixed_softmax
from .matrices import MATRICES


class REX3(Oracle):
    """REX3, Algorithm 1.

    Draws per round: ``random()`` for a and ``random()`` for b, each the arm at which the probabilities, added up by
    increasing index, exceed it.

    ``gamma`` is that of equation 6 with G_max = ``g`` T unless given; with ``anytime`` it is that of round t in place
    of T in every round (section 5.2).
    """

    def __init__(self, n_arms, horizon, rng, gamma=None, g=0.5, anytime=False):
        super().__init__(n_arms, rng)
        self.T = horizon
        self.gamma = gamma
        self.g = g
        self.anytime = anytime
        self.L = [0.0] * n_arms  # logarithms of the weights

    def choose(self, t):
        self.p = mixed_softmax(self.L, self.rate(t))
        return draw(self.rng, self.p), draw(self.rng, self.p)

    def observe(self, t, first, second, first_won):
        if first == second:
            return
        psi = 1.0 if first_won else -1.0
        self.L[first] += self.rate(t) / self.K * psi / (2 * self.p[first])
        self.L[second] -= self.rate(t) / self.K * psi / (2 * self.p[second])

    def rate(self, t):
        """The gamma of round ``t``."""
        if self.gamma is not None:
            return self.gamma
        rounds = t if self.anytime else self.T
        return min(0.5, math.sqrt(self.K * math.log(self.K) / (math.e * self.g * rounds)))

    def recommend(self):
        """Arm of the highest weight; the lowest index among equals."""
        return self.L.index(max(self.L))


ORACLES = {
    "rex3": Transcription(REX3, standing=False, cases=(Case(MATRICES, {"anytime": True}),), draws_differ=True),
}
