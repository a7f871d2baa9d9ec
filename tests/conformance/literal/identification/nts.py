"""Noisy Tournament Sampling: Haddenhorst, Bengs, Brandt, Hullermeier, UAI 2021, Algorithms 1, 3 and 6, but for (7)."""

import math

from .. import Transcription
from ..matrices import MANY_ARMS
from .framework import NO_WINNER, Identification


class NTS(Identification):
    """NTS with tests of ratio g = delta / K; an edge leads from the winner of a test to its loser.

    Draws: ``permutation(K)``, the order of the knock-out. Recommended is the unbeaten arm with most edges, and where
    all are beaten the arm with most edges.
    """

    def __init__(self, n_arms, horizon, rng, h, delta=0.05):
        super().__init__(n_arms, rng)
        self.h, self.g = h, delta / n_arms
        self.edges = set()  # (winner, loser)

    def _identify(self):
        K = self.K
        D = math.ceil(math.log2(K))
        early = 2 * (K - 2 ** (D - 1))
        left = (yield from self._round(self.arms[:early])) + self.arms[early:]
        while len(left) > 1 and self._found() is None:
            left = yield from self._round(left)
        candidate = left[0]
        for j in self.arms:
            if self._found() is not None:
                return self._found()
            if j != candidate and {(candidate, j), (j, candidate)}.isdisjoint(self.edges):
                yield from self._match(candidate, j)
        return self._found()

    def _round(self, arms):
        winners = []
        for first, second in zip(arms[::2], arms[1::2], strict=True):
            winners.append((yield from self._match(first, second)))
        return winners

    def _match(self, first, second):
        first_won = yield from self.compare(first, second, self._sprt)
        winner, loser = (first, second) if first_won else (second, first)
        self.edges.add((winner, loser))
        return winner

    def _sprt(self, n, wins):
        """Whether the first arm wins Wald's test; None before its end. The paper's (7) rounds x up."""
        x = math.log((1 - self.g) / self.g) / math.log((0.5 + self.h) / (0.5 - self.h))
        return 2 * wins > n if abs(2 * wins - n) > x else None

    def _found(self):
        """The arm with K - 1 edges from it, NO_WINNER if an edge leads to every arm, and None before either."""
        for arm in self.arms:
            if self.beaten_by(arm) == self.K - 1:
                return arm
        if all(self.is_beaten(arm) for arm in self.arms):
            return NO_WINNER
        return None

    def beaten_by(self, arm):
        return sum(1 for winner, _ in self.edges if winner == arm)

    def is_beaten(self, arm):
        return any(loser == arm for _, loser in self.edges)

    def estimate(self):
        return self.first_best(self.arms, lambda arm: (not self.is_beaten(arm), self.beaten_by(arm)))


ORACLES = {"nts": Transcription(NTS, parameters={"h": 0.1}, matrices=MANY_ARMS, draws_differ=True)}
