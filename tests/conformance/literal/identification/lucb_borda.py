"""LUCB-Borda: Heckel, Simchowitz, Ramchandran, Wainwright, AISTATS 2018, Algorithm 1 with h = 0."""

import math

from .. import Case, Transcription
from ..common import pick
from ..matrices import CLEAR, STEEP
from .framework import Identification


class LUCBBorda(Identification):
    """One sample of an arm is its duel with a random other arm, and moves its score alone.

    Only the two arms at the border are sampled: the weakest within, and the strongest without. Draws:
    ``permutation(K)``, the order of the arms; per sample ``integers`` among the other arms, by increasing index.
    Recommended is the arm of the highest score.
    """

    def __init__(self, n_arms, horizon, rng, delta=0.05, k=1):
        super().__init__(n_arms, rng)
        self.delta, self.k = delta, k
        self.samples = dict.fromkeys(self.arms, 0)
        self.wins = dict.fromkeys(self.arms, 0)

    def _identify(self):
        for i in self.arms:
            yield from self.sample(i)
        while True:
            top = self.top()
            rest = [i for i in self.arms if i not in top]
            c = self.first_best(top, lambda i: self.al(i) - self.score(i))
            u = self.first_best(rest, lambda i: self.score(i) + self.al(i))
            if self.score(c) - self.al(c) >= self.score(u) + self.al(u):
                return top[0]
            yield from self.sample(c)
            yield from self.sample(u)

    def sample(self, i):
        yield i, pick(self.rng, [j for j in range(self.K) if j != i])

    def observe(self, t, first, second, first_won):
        super().observe(t, first, second, first_won)
        if self.answer is None:
            self.samples[first] += 1
            self.wins[first] += first_won

    def score(self, i):
        return self.wins[i] / self.samples[i] if self.samples[i] else 0.5

    def al(self, i):
        n, K, delta = self.samples[i], self.K, self.delta
        beta = math.log(K / delta) + 0.75 * math.log(math.log(K / delta)) + 1.5 * math.log(1 + math.log(n / 2))
        return math.sqrt(beta / (2 * n))

    def estimate(self):
        return self.first_best(self.arms, self.score)

    def top(self):
        """The k arms answered, in the order of their scores."""
        return sorted(self.arms, key=self.score, reverse=True)[: self.k]


ORACLES = {"lucb-borda": Transcription(LUCBBorda, matrices=STEEP, cases=(Case(CLEAR, {"k": 2}, horizon=2500),))}
