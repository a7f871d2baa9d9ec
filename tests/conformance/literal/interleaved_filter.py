"""Interleaved Filter: Yue, Broder, Kleinberg, Joachims, JCSS 2012: IF1, and IF2 with pruning."""

import math

from . import Case, Transcription
from .common import ExploreThenExploit, pick
from .matrices import CLEAR


class InterleavedFilter(ExploreThenExploit):
    """IF2, or IF1 with ``prune=False``.

    Draws: ``integers`` for the first incumbent; when several arms are tied for the surest win over the
    incumbent, ``integers`` among them, by increasing index.

    Arms duel with the incumbent only, and an incumbent that loses is gone for good. So a new one has no duels yet
    with the arms that remain, and the counts of pairs need no reset.
    """

    def __init__(self, n_arms, horizon, rng, prune=True):
        super().__init__(n_arms, rng)
        self.log_term = math.log(horizon * n_arms**2)  # ln(1 / delta)
        self.prune = prune
        self.incumbent = None

    def _explore(self):
        self.incumbent = pick(self.rng, range(self.K))
        self.active = [b for b in range(self.K) if b != self.incumbent]  # the paper's W
        while self.active:
            for b in self.active:
                yield self.incumbent, b
            P = {b: self.mean(b) for b in self.active}
            c = {b: self.radius(b) for b in self.active}
            self.active = [b for b in self.active if not P[b] - c[b] > 0.5]  # step 1
            winners = [b for b in self.active if P[b] + c[b] < 0.5]  # step 2
            if winners:
                if self.prune:
                    self.active = [b for b in self.active if not P[b] > 0.5]
                lowest = min(P[b] for b in winners)
                self.incumbent = pick(self.rng, [b for b in winners if P[b] == lowest])
                self.active.remove(self.incumbent)
        return self.incumbent

    def plays(self, b):
        return int(self.W[self.incumbent, b] + self.W[b, self.incumbent])

    def mean(self, b):
        """P_b, of the incumbent's wins over b."""
        return int(self.W[self.incumbent, b]) / self.plays(b)

    def radius(self, b):
        return math.sqrt(4.0 * self.log_term / self.plays(b))

    def estimate(self):
        return 0 if self.incumbent is None else self.incumbent


ORACLES = {
    "interleaved-filter": Transcription(InterleavedFilter, cases=(Case(CLEAR, horizon=2500),), draws_differ=True),
}
