"""Self-Sparring with independent Beta posteriors: Sui, Zhuang, Burdick, Yue, UAI 2017, with two arms per round."""

from . import Transcription
from .common import Oracle


class SelfSparring(Oracle):
    """IndSelfSparring.

    Draws per round: ``beta(S_i + 1, F_i + 1)`` by increasing i for the first arm, and again for the second.

    ``eta`` is the learning rate; without ``self_update`` a duel of an arm with itself is forgotten.
    """

    reads_self_duels = True

    def __init__(self, n_arms, horizon, rng, eta=1.0, self_update=True):
        super().__init__(n_arms, rng)
        self.eta = eta
        self.self_update = self_update
        self.S = [0.0] * n_arms
        self.F = [0.0] * n_arms

    def choose(self, t):
        first = self.sample()
        second = self.sample()
        return first, second

    def observe(self, t, first, second, first_won):
        if first == second and not self.self_update:
            return
        winner, loser = (first, second) if first_won else (second, first)
        self.S[winner] += self.eta
        self.F[loser] += self.eta

    def sample(self):
        theta = [self.rng.beta(s + 1.0, f + 1.0) for s, f in zip(self.S, self.F, strict=True)]
        return theta.index(max(theta))

    def recommend(self):
        """Arm with the highest posterior mean; the lowest index among equals."""
        means = [(s + 1.0) / (s + f + 2.0) for s, f in zip(self.S, self.F, strict=True)]
        return means.index(max(means))


ORACLES = {"self-sparring": Transcription(SelfSparring, settles=False)}
