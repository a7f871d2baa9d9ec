"""Knockout: Falahatgar, Orlitsky, Pichapati, Suresh, ICML 2017."""

from .. import Transcription
from ..matrices import STEEP
from .comparators import cmp1
from .framework import shuffled
from .select import KnockOut


class Knockout(KnockOut):
    """Knock-out in a fresh order each round, with tests that grow finer.

    Draws: ``permutation(K)``, the private order, in which ties are; then, before each round, `shuffled` of the arms
    left, the winners in the order of their matches.
    """

    def __init__(self, n_arms, horizon, rng, epsilon=0.05, delta=0.05, gamma=1.0):
        super().__init__(n_arms, rng)
        self.epsilon, self.delta, self.gamma = epsilon, delta, gamma

    def _identify(self):
        left, i = self.arms, 1
        while len(left) > 1:
            e = (2 ** (1 / 3) - 1) * self.epsilon / (self.gamma * 2 ** (i / 3))
            left = yield from self.knock_out(shuffled(self.rng, left), cmp1(e, self.delta / 2**i))
            i += 1
        return left[0]


ORACLES = {
    "knockout": Transcription(
        Knockout, parameters={"epsilon": 0.3, "delta": 0.3, "gamma": 1.2}, matrices=STEEP, draws_differ=True
    ),
}
