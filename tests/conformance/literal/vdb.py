"""Versatile Dueling Bandits: Saha and Gaillard, ICML 2022, on Tsallis-INF of Zimmert and Seldin, JMLR 2021."""

import math

from . import Case, Transcription
from .common import Oracle, add_up, draw
from .matrices import MATRICES


class VDB(Oracle):
    """VDB, with the loss estimator ``"iw"`` (importance weighting) or ``"rv"`` (reduced variance).

    Draws per round: ``random()`` for the first arm and ``random()`` for the second, each the arm at which the
    weights, added up by increasing index, exceed the number (the last arm where rounding keeps them below it).

    ``single`` uses one vector of weights for both arms (Remark 2).
    """

    reads_self_duels = True

    def __init__(self, n_arms, horizon, rng, estimator="rv", single=False):
        super().__init__(n_arms, rng)
        self.estimator = estimator
        self.share = 0.5 if single else 1.0
        self.Lx = [0.0] * n_arms
        self.Ly = self.Lx if single else [0.0] * n_arms

    def choose(self, t):
        eta = self._rate(t)
        self.wx = tsallis_weights(self.Lx, eta)  # step 1
        self.wy = tsallis_weights(self.Ly, eta)
        return draw(self.rng, self.wx), draw(self.rng, self.wy)  # step 2

    def observe(self, t, first, second, first_won):
        if first != second:
            super().observe(t, first, second, first_won)
        o = 1.0 if first_won else 0.0
        self._charge(self.Lx, self.wx, first, 1.0 - o, t)  # step 3
        self._charge(self.Ly, self.wy, second, o, t)

    def recommend(self):
        """Arm of the least losses of both copies; the lowest index among equals."""
        return min(range(self.K), key=lambda i: self.Lx[i] + self.Ly[i])

    def _rate(self, t):
        return (2.0 if self.estimator == "iw" else 4.0) / math.sqrt(t)

    def _charge(self, L, w, played, loss, t):
        for k in range(self.K):
            b = 0.5 if self.estimator == "rv" and w[k] >= self._rate(t) ** 2 else 0.0
            L[k] += self.share * (b + ((loss - b) / w[k] if k == played else 0.0))


def tsallis_weights(L, eta):
    """w_i = 4 / (eta (L_i - x))^2 with the x < min L at which they add up to 1.

    The sum is convex and increasing in x, and at least 1 at min L - 2 / eta: Newton's steps from there descend
    to the root until they stall.
    """
    x = min(L) - 2.0 / eta
    while True:
        w = [4.0 / (eta * (loss - x)) ** 2 for loss in L]
        lower = x - (add_up(w) - 1.0) / (eta * add_up(weight**1.5 for weight in w))
        if not lower < x:
            return [weight / add_up(w) for weight in w]
        x = lower


ORACLES = {"vdb": Transcription(VDB, cases=(Case(MATRICES, {"estimator": "iw"}),), settles=False)}
