"""Sup-KLUCB: Agrawal and Chaporkar, "KLUCB Approach to Copeland Bandits", Algorithm 1."""

import itertools
import math

from . import Transcription
from .common import Oracle, add_up, empirical, pick
from .kl_bounds import kl_upper_depth


class SupKLUCB(Oracle):
    """Sup-KLUCB, for the score ``"copeland"``, ``"condorcet"`` (the same) or ``"borda"``.

    Draws: ``permutation`` of the K (K + 1) / 2 pairs i <= j listed in order of (i, j), at the start; then per
    round ``integers`` among the pairs of equal index, in order of (i, j).

    With ``explore_floor`` > 0, the first pair of two arms, in the drawn order, that has been played fewer than
    ``explore_floor`` sqrt(ln n) times is played instead.
    """

    def __init__(self, n_arms, horizon, rng, score="copeland", c1=None, c2=None, explore_floor=0.0):
        super().__init__(n_arms, rng)
        self.score = score
        self.c1 = 2 / n_arms if c1 is None else c1
        self.c2 = 3 / n_arms + (40 / (n_arms - 2) ** 2 if n_arms > 2 else 0.0) if c2 is None else c2
        self.explore_floor = explore_floor
        self.pairs = list(itertools.combinations_with_replacement(range(n_arms), 2))
        self.order = [self.pairs[k] for k in rng.permutation(len(self.pairs))]
        self.self_duels = [0] * n_arms

    def choose(self, n):
        if n <= len(self.pairs):  # lines 2-5: every pair once
            return self.order[n - 1]
        for i, j in self.order:
            if i != j and self._plays(i, j) < self.explore_floor * math.sqrt(math.log(n)):
                return i, j
        sup = self.scores()  # line 7
        clock = math.log(n - len(self.pairs))
        level = self.c1 * clock + self.c2 * math.log(clock + 1)
        # Line 9, with the q of each pair told by -ln(1 - q): many are too near to 1 to differ as numbers.
        index = [kl_upper_depth(sup[i] * sup[j], level / self._plays(i, j)) for i, j in self.pairs]
        return pick(self.rng, [pair for k, pair in enumerate(self.pairs) if index[k] == max(index)])

    def observe(self, n, first, second, first_won):  # lines 10-11
        if first == second:
            self.self_duels[first] += 1
        else:
            super().observe(n, first, second, first_won)

    def recommend(self):
        sup = self.scores()
        return sup.index(max(sup))

    def scores(self):
        """Sup_i of every arm."""
        p = empirical(self.W)
        if self.score == "borda":
            return [add_up(p[i]) / self.K for i in range(self.K)]
        return [sum(1 for j in range(self.K) if p[i, j] > 0.5) / (self.K - 1) for i in range(self.K)]

    def _plays(self, i, j):
        return self.self_duels[i] if i == j else self.W[i, j] + self.W[j, i]


ORACLES = {"sup-klucb": Transcription(SupKLUCB)}
