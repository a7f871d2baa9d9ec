"""Samplers whose counts the rule e-condorcet ends: pairs in turn, and each loser against who beats it most clearly."""

import itertools
import math

import numpy as np

from .. import Transcription
from ..matrices import STEEP
from .evidence import log_evidence, log_product
from .framework import NO_WINNER, Identification


class ECondorcet:
    """The arms that may still be the Condorcet winner: i is out for ever once M_i >= 1 / delta."""

    def __init__(self, n_arms, delta, evidence=log_evidence):
        self.W = np.zeros((n_arms, n_arms), np.int64)
        self.delta, self.evidence = delta, evidence
        self.inside = set(range(n_arms))

    def count(self, first, second, first_won):
        winner, loser = (first, second) if first_won else (second, first)
        self.W[winner, loser] += 1
        self.inside -= {i for i in (first, second) if self.log_M(i) >= math.log(1 / self.delta)}

    def log_M(self, i):
        return log_product(self.W, i, self.evidence)

    def answer(self):
        """None, an arm, or NO_WINNER."""
        if len(self.inside) > 1:
            return None
        return next(iter(self.inside), NO_WINNER)


class EElimination(Identification):
    """e-elimination: pairs in turn, those with an arm that is out skipped.

    Draws: ``permutation(K)``; the pairs are in the lexicographic order of the places of their arms in it.
    Recommended is the arm of least M among those in.
    """

    def __init__(self, n_arms, horizon, rng, delta=0.05):
        super().__init__(n_arms, rng)
        self.rule = ECondorcet(n_arms, delta)

    def observe(self, t, first, second, first_won):
        super().observe(t, first, second, first_won)
        if first != second:
            self.rule.count(first, second, first_won)

    def _identify(self):
        for i, j in itertools.cycle(itertools.combinations(self.arms, 2)):
            if self.rule.answer() is not None:
                return self.rule.answer()
            if {i, j} <= self.rule.inside:
                yield i, j

    def leader(self):
        return self.first_best(self.rule.inside or self.arms, lambda i: -self.rule.log_M(i))

    def estimate(self):
        return self.leader()


class StrongestSuperior(EElimination):
    """The arms that are in, but for the leader, meet in turn the arm that is likeliest to beat them.

    Draws: ``permutation(K)``, the order of the turns; per duel ``beta(W_ij + 1/2, W_ji + 1/2)`` for each j but i, by
    increasing index.
    """

    def _identify(self):
        for i in itertools.cycle(self.arms):
            if self.rule.answer() is not None:
                return self.rule.answer()
            if i in self.rule.inside and i != self.leader():
                yield i, self._superior(i)

    def _superior(self, i):
        W = self.rule.W
        others = [j for j in range(self.K) if j != i]
        theta = [self.rng.beta(W[i, j] + 0.5, W[j, i] + 0.5) for j in others]
        return others[theta.index(min(theta))]


ORACLES = {
    "strongest-superior": Transcription(StrongestSuperior, matrices=STEEP),
    "e-elimination": Transcription(EElimination, draws_differ=True),
}
