"""Elimination in batches that grow geometrically."""

import itertools
import math

from .. import Case, Transcription
from ..matrices import total_order
from .framework import NO_WINNER, Identification


class BatchedElimination(Identification):
    """All pairs of active arms play equally often in a batch; who is surely beaten leaves between batches.

    Draws: ``permutation(K)``; the pairs of a batch are in the lexicographic order of the places of their arms in it.
    Recommended is the active arm that has won the largest share of its duels with active arms: after a batch, most.
    """

    def __init__(self, n_arms, horizon, rng, delta=0.05, batches=16):
        super().__init__(n_arms, rng)
        self.m = lengths(horizon, batches)
        self.log_term = math.log((n_arms - 1) * batches / delta)
        self.active = self.arms

    def _identify(self):
        before = 0
        for m in self.m:
            for i, j in itertools.combinations(self.active, 2):
                for _ in range(m - before):
                    yield i, j
            radius = math.sqrt(self.log_term / (2 * m))
            self.active = [
                a for a in self.active if not any(self.W[b, a] / m - 0.5 > radius for b in self.active if b != a)
            ]
            if len(self.active) <= 1:
                return self.active[0] if self.active else NO_WINNER
            before = m
        return self.estimate()

    def estimate(self):
        active = self.active or self.arms
        return self.first_best(active, lambda a: self.share_won(a, active))

    def share_won(self, a, active):
        wins, losses = (sum(int(W[a, b]) for b in active) for W in (self.W, self.W.T))
        return wins / (wins + losses) if wins + losses else 0.5


def lengths(T, B):
    """Duels of a pair after each of the ``B`` batches: m_r = max(m_{r-1} + 1, floor(T^(r/B)))."""
    m = []
    for r in range(1, B + 1):
        m.append(max((m[-1] if m else 0) + 1, root(T**r, B)))
    return m


def root(number, B):
    """The largest integer whose power B is at most ``number``."""
    x = round(number ** (1 / B)) if number < 10**300 else round(10 ** (math.log10(number) / B))
    while x**B > number:
        x -= 1
    while (x + 1) ** B <= number:
        x += 1
    return x


ORACLES = {
    "batched-elimination": Transcription(
        BatchedElimination,
        parameters={"batches": 8},
        cases=(Case({"certain, two arms": total_order(2, 1.0)}, {"batches": 100}),),
        draws_differ=True,
    ),
}
