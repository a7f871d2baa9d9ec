"""POCOWISTA and TRA-POCOWISTA: Bengs et al., AISTATS 2024, arXiv 2310.00750, without a third outcome."""

import math

from .. import Case, Transcription
from ..common import pick
from ..matrices import CLEAR, IN_DOUBT, MATRICES, STEEP, total_order
from .comparators import FIRST, ppr
from .framework import Identification


class POCOWISTA(Identification):
    """Pairs are decided until one arm surely has the largest Copeland score.

    Draws: ``permutation(K)``, the private order; for each pair ``integers`` among the arms of largest po, and then
    among the arms of largest co that are not yet decided against it, both by increasing index.
    """

    def __init__(self, n_arms, horizon, rng, delta=0.05, categories=3):
        super().__init__(n_arms, rng)
        self.test_of_pair = ppr(self.error_of_a_pair(n_arms, delta) / (categories - 1))
        self.beats = set()  # (winner, loser)

    def error_of_a_pair(self, n_arms, delta):
        return delta / math.comb(n_arms, 2)

    def _identify(self):
        arms = range(self.K)
        while not (sure := [c for c in self.arms if self.is_sure(c)]):
            i = pick(self.rng, self._highest(arms, self.po))
            open_to_i = [j for j in arms if j != i and not self.is_decided(i, j)]
            j = pick(self.rng, self._highest(open_to_i, self.co))
            won = (yield from self.compare(i, j, self.test_of_pair)) == FIRST
            self.decide(*((i, j) if won else (j, i)))
        return sure[0]

    def _highest(self, arms, quality):
        return [arm for arm in arms if quality(arm) == max(map(quality, arms))]

    def is_sure(self, c):
        return all(self.co(c) >= self.po(k) for k in range(self.K) if k != c)

    def is_decided(self, i, j):
        return (i, j) in self.beats or (j, i) in self.beats

    def decide(self, winner, loser):
        self.beats.add((winner, loser))

    def co(self, arm):
        return sum(1 for winner, _ in self.beats if winner == arm)

    def po(self, arm):
        return self.K - 1 - sum(1 for _, loser in self.beats if loser == arm)

    def estimate(self):
        return self.first_best(self.arms, self.co)


class TransitivePOCOWISTA(POCOWISTA):
    """TRA-POCOWISTA: what follows from the pairs decided needs no duels."""

    def error_of_a_pair(self, n_arms, delta):
        return delta / (n_arms * math.log(n_arms))

    def decide(self, winner, loser):
        """The pair, and all that follows from it: never against a pair decided before, as those are closed too."""
        super().decide(winner, loser)
        better = {winner, *(arm for arm in range(self.K) if (arm, winner) in self.beats)}
        worse = {loser, *(arm for arm in range(self.K) if (loser, arm) in self.beats)}
        self.beats |= {(a, b) for a in better for b in worse}


ORACLES = {
    "pocowista": Transcription(
        POCOWISTA, cases=(Case({**CLEAR, **IN_DOUBT, **MATRICES}, {"delta": 0.5}),), draws_differ=True
    ),
    "tra-pocowista": Transcription(
        TransitivePOCOWISTA,
        matrices=STEEP,
        cases=(Case({"order of nine": total_order(9, 0.95), **CLEAR, **IN_DOUBT, **MATRICES}, {"delta": 0.5}),),
        draws_differ=True,
    ),
}
