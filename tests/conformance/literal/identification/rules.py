"""Rules that end the game of any sampler, by the wins that they have counted themselves."""

import math

import numpy as np

from .evidence import log_evidence, log_product
from .framework import NO_WINNER


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
