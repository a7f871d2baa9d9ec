"""Uniform exploration: Urvoy, Clerot, Feraud, Naamane, ICML 2013, section 5."""

from . import Transcription
from .common import Oracle


class Uniform(Oracle):
    """Every pair in turn.

    Draws: ``permutation(K (K - 1) / 2)`` once, the order of the pairs i < j listed in order of (i, j).
    """

    def __init__(self, n_arms, horizon, rng):
        super().__init__(n_arms, rng)
        pairs = [(i, j) for i in range(n_arms) for j in range(i + 1, n_arms)]
        self.order = [pairs[k] for k in rng.permutation(len(pairs))]

    def choose(self, t):
        return self.order[(t - 1) % len(self.order)]


ORACLES = {"uniform": Transcription(Uniform, settles=False)}
