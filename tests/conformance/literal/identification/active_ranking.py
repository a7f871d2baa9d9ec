"""Active ranking (Heckel, Shah, Ramchandran, Wainwright, Ann. Stat. 2019) and its LUCB form (AISTATS 2018), top k."""

import math

from .. import Case, Transcription
from ..common import pick
from ..matrices import CLEAR, STEEP
from .framework import Identification


class BordaSampling(Identification):
    """One sample of an arm is its duel with a random other arm, and moves its score alone.

    Draws: ``permutation(K)``, the order of the arms; per sample ``integers`` among the other arms, by increasing
    index. Recommended is the arm of the highest score, other than those that are out.
    """

    def __init__(self, n_arms, horizon, rng, delta=0.05, k=1):
        super().__init__(n_arms, rng)
        self.delta, self.k = delta, k
        self.outside = []
        self.samples = dict.fromkeys(self.arms, 0)
        self.wins = dict.fromkeys(self.arms, 0)

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

    def by_score(self, arms):
        return sorted((arm for arm in self.arms if arm in arms), key=self.score, reverse=True)

    def estimate(self):
        return self.first_best((arm for arm in self.arms if arm not in self.outside), self.score)

    def top(self):
        """The k arms answered, in the order of their scores."""
        return self.by_score(self.arms)[: self.k]


class ActiveRanking(BordaSampling):
    """Arms leave for the top or the rest as soon as they are separated from its border by f radii."""

    def __init__(self, n_arms, horizon, rng, factor=4.0, **parameters):
        super().__init__(n_arms, horizon, rng, **parameters)
        self.f = factor
        self.inside = []

    def _identify(self):
        active = self.arms
        while active:
            for i in active:
                yield from self.sample(i)
            places = self.k - len(self.inside)
            ranked = self.by_score(active)
            margin = self.f * self.al(active[0])
            into = [i for i in active if places == len(active) or self._is_in(i, ranked, places, margin)]
            out = [i for i in active if places == 0 or self._is_out(i, ranked, places, margin)]
            self.inside += into
            self.outside += out
            active = [i for i in active if i not in into and i not in out]
        return self.top()[0]

    def _is_in(self, i, ranked, places, margin):
        return places > 0 and self.score(i) > self.score(ranked[places]) + margin

    def _is_out(self, i, ranked, places, margin):
        return places < len(ranked) and self.score(i) < self.score(ranked[places - 1]) - margin

    def top(self):
        return self.by_score(self.inside)


class LUCBBorda(BordaSampling):
    """Only the two arms at the border are sampled: the weakest within, and the strongest without."""

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


ORACLES = {
    "active-ranking": Transcription(
        ActiveRanking,
        parameters={"factor": 2.0},
        matrices=STEEP,
        cases=(Case(CLEAR, {"factor": 2.0, "k": 2}, horizon=2500),),
    ),
    "lucb-borda": Transcription(LUCBBorda, matrices=STEEP),
}
