"""Borda winners by a common opponent: Jamieson, Katariya, Deshpande, Nowak, AISTATS 2015, Algorithm 1."""

import math

import numpy as np

from .. import Transcription
from ..common import pick
from ..matrices import STEEP
from .framework import Identification


class BR(Identification):
    """Borda reduction: all active arms meet the same random opponent, until one surely has the largest score.

    Draws: ``permutation(K)``, the order of the arms in a round of theirs; per such round ``integers`` among all K
    arms for the opponent. Recommended is the active arm with most wins.
    """

    t0 = math.inf

    def __init__(self, n_arms, horizon, rng, delta=0.05):
        super().__init__(n_arms, rng)
        self.delta = delta
        self.active = self.arms
        self.Z = np.zeros((n_arms, n_arms), np.int64)  # wins of j in the rounds with opponent I
        self.t = 0  # rounds of all active arms

    def _identify(self):
        while len(self.active) > 1:
            self.t += 1
            opponent = pick(self.rng, range(self.K))
            for j in self.active:
                if j != opponent:
                    yield j, opponent
            left = [j for j in self.active if not any(self.removes(i, j) for i in self.active if i != j)]
            self.active = left or [self.estimate()]  # nobody need be left, as (1) is no order: then the best one is
        return self.active[0]

    def observe(self, t, first, second, first_won):
        super().observe(t, first, second, first_won)
        if first != second:
            self.Z[first, second] += first_won

    def removes(self, i, j):
        if self.score(i) > self.score(j) + self.radius():
            return True  # (2)
        return self.t > self.t0 and self.comparison(i, j) > self.const * (self.k + 1) * self.C()  # (1)

    def score(self, j):
        return self.K / (self.K - 1) * int(self.Z[j].sum()) / self.t

    def radius(self):
        return self.K / (self.K - 1) * math.sqrt(2 * math.log(4 * self.K * self.t**2 / self.delta) / self.t)

    def estimate(self):
        return self.first_best(self.active, lambda j: int(self.Z[j].sum()))


class SECS(BR):
    """Successive elimination with comparison sparsity: besides, the k opponents that set two arms apart most decide."""

    def __init__(self, n_arms, horizon, rng, delta=0.05, k=None, t0=0, const=0.5):
        super().__init__(n_arms, horizon, rng, delta)
        self.k = min(5, n_arms - 2) if k is None else k
        self.t0, self.const = t0, const

    def C(self):
        K, t = self.K, self.t
        L = math.log(4 * K**2 * t**2 / self.delta)
        return math.sqrt(2 * K * L / t) + 2 * K * L / (3 * t)

    def comparison(self, i, j):
        """2 (ph_ij - 1/2) and the k largest differences |ph_io - ph_jo|, with their signs; ties in private order."""
        leads = [int(self.Z[i, o] - self.Z[j, o]) for o in self.arms if o not in (i, j)]
        return 2 * (self.p(i, j) - 0.5) + self.K / self.t * sum(sorted(leads, key=abs, reverse=True)[: self.k])

    def p(self, j, i):
        return self.K / self.t * int(self.Z[j, i])


ORACLES = {
    "br": Transcription(BR, parameters={"delta": 0.9}, matrices=STEEP),
    "secs": Transcription(SECS, parameters={"delta": 0.9, "k": 2, "const": 0.1}),
}
