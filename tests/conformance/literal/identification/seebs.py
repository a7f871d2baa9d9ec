"""SEEBS: Ren, Liu, Shroff, ICML 2020."""

import math

from .. import Case, Transcription
from ..matrices import CLEAR, STEEP
from .comparators import FIRST, SECOND, place
from .framework import Identification, shuffled


class SEEBS(Identification):
    """Ever finer knock-outs find an arm to which all others are compared; those that are surely worse leave.

    Draws: ``permutation(K)``, the private order; then, per round of a knock-out, `shuffled` of the arms left, and for
    each of its pairs ``random() < 0.5`` for the first to be v'. Recommended is the last knock-out's arm.
    """

    def __init__(self, n_arms, horizon, rng, delta=0.05):
        super().__init__(n_arms, rng)
        self.delta = delta
        self.v = self.arms[0]

    def _identify(self):
        R, t = self.arms, 1
        while len(R) > 1:
            al, dl = 2.0**-t, 6 * self.delta / (math.pi * t) ** 2
            self.v = v = yield from self._knock_out(R, al / 3, 2 * dl / 3)
            test_of_pair = place(al / 3, 0, al / 3, dl / 3)
            kept = []
            for i in R:
                if i == v or (yield from self.compare(i, v, test_of_pair)) != SECOND:
                    kept.append(i)
            R = kept
            t += 1
        return R[0]

    def _knock_out(self, arms, e, x):
        """TKS."""
        left, s = list(arms), 1
        while len(left) > 1:
            x_s, e_s = 6 * x / (math.pi * s) ** 2, e * 0.8**s / 4
            test_of_pair = place(e_s / 2, 0, 0, x_s / 2)
            order = shuffled(self.rng, left)
            winners = []
            for first, second in zip(order[::2], order[1::2], strict=False):
                v, i = (first, second) if self.rng.random() < 0.5 else (second, first)
                winners.append(i if (yield from self.compare(i, v, test_of_pair)) == FIRST else v)
            left = winners + order[len(order) - len(order) % 2 :]
            s += 1
        return left[0]

    def estimate(self):
        return self.v


ORACLES = {
    "seebs": Transcription(SEEBS, matrices={**STEEP, **CLEAR}, cases=(Case(CLEAR, horizon=2500),), draws_differ=True),
}
