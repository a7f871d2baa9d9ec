"""DKWT for duels (Haddenhorst, Bengs, Hullermeier, NeurIPS 2021), and the same with tests by evidence."""

import itertools

from .. import Case, Transcription
from ..matrices import CLEAR, STEEP, total_order
from .comparators import FIRST, MIDDLE, doubling_stage, kt
from .framework import Identification


class DKWT(Identification):
    """The winner of each test meets the next arm.

    Draws: ``permutation(K)``, the order of the tests. Recommended is the winner of the last test.
    """

    def __init__(self, n_arms, horizon, rng, delta=0.05):
        super().__init__(n_arms, rng)
        self.delta = delta
        self.c = self.arms[0]

    def _identify(self):
        for j in self.arms[1:]:
            if (yield from self._test(self.c, j)) != FIRST:
                self.c = j
        return self.c

    def _test(self, c, j):
        g = self.delta / self.K
        for s in itertools.count(1):
            outcome = yield from self.compare(c, j, doubling_stage(g, s))
            if outcome != MIDDLE:
                return outcome

    def estimate(self):
        return self.c


class KTKnockout(DKWT):
    """kt-knockout: an arm that may be the best has at most K - 1 tests, which share delta."""

    def _test(self, c, j):
        return (yield from self.compare(c, j, kt(self.delta / (self.K - 1))))


ORACLES = {
    # Short stages.
    "dkwt": Transcription(
        DKWT,
        parameters={"delta": 0.9},
        matrices={**STEEP, **CLEAR},
        cases=(Case({"close": total_order(3, 0.59)}, {"delta": 0.9}, horizon=6000),),
        draws_differ=True,
    ),
    "kt-knockout": Transcription(KTKnockout, matrices={**STEEP, **CLEAR}, draws_differ=True),
}
