"""Doubler: Ailon, Karnin, Joachims, ICML 2014, Algorithm 2."""

import itertools

from . import Transcription
from .common import Pseudocode, pick
from .machines import SBMUCB


class Doubler(Pseudocode):
    """Doubler with SBM-UCB.

    Draws: ``integers`` for the arm of the first list. Per round: ``integers`` for a place in the list, sorted by
    index and with every repetition, unless it has a single one; then those of the machine.
    """

    reads_self_duels = True
    L = ()

    def __init__(self, n_arms, horizon, rng, alpha=3.0):
        super().__init__(n_arms, rng)
        self.alpha = alpha

    def _duels(self):
        self.L = [pick(self.rng, range(self.K))]
        for i in itertools.count(1):
            self.S = SBMUCB(self.K, self.rng, self.alpha)  # reset(S)
            right = []
            for _ in range(2**i):
                x = pick(self.rng, self.L)
                y = self.S.advance()
                right.append(y)
                yield x, y
            self.L = sorted(right)

    def observe(self, t, first, second, first_won):
        self.S.feedback(not first_won)

    def recommend(self):
        """Most frequent arm of the list; the lowest index among equals."""
        return max(range(self.K), key=self.L.count)


ORACLES = {"doubler": Transcription(Doubler, settles=False)}
