"""The program (2) of Komiyama, Honda and Nakagawa (2016) written down as it is printed: slowly, and without tricks.

Only what every constraint needs is shared with nothing: superiors, inferiors, regret and divergence are computed here.
Arms are 0-based.
"""

import math
from itertools import combinations

import numpy as np
from scipy.optimize import linprog


def divergence(p: float) -> float:
    """d(p, 1/2)."""
    return sum(q * math.log(2 * q) for q in (p, 1 - p) if q > 0)


class Instance:
    """Superiors S, inferiors I, L, the sorted L, and the cost r / d of each pair, 0 for ties."""

    def __init__(self, P):
        self.arms = arms = range(len(P))
        self.S = [{j for j in arms if P[i][j] < 0.5} for i in arms]
        self.I = [{j for j in arms if P[i][j] > 0.5} for i in arms]
        self.L = [len(superiors) for superiors in self.S]
        self.L1, self.L2 = sorted(self.L)[:2]
        self.winners = [i for i in arms if self.L[i] == self.L1]
        self.pairs = list(combinations(arms, 2))
        self.cost = {}
        for i, j in self.pairs:
            regret = (self.L[i] + self.L[j] - 2 * self.L1) / (2 * (len(P) - 1))
            self.cost[i, j] = 0.0 if P[i][j] == 0.5 else regret / divergence(P[i][j])

    @property
    def levels(self):
        return range(max(0, self.L1 - 1), self.L2 + 1)

    def constraints(self, i1):
        """Every constraint of (2) as the frozenset P_IS of its pairs, none twice."""
        found = set()
        for i2 in set(self.arms) - {i1}:
            for level in self.levels:
                for inferiors in combinations(sorted(self.I[i1]), level + 1 - self.L1):
                    size = max(0, self.L[i2] - level - (i2 in inferiors))
                    for superiors in combinations(sorted(self.S[i2] - {i1}), size):
                        found.add(frozenset(pairs_of(i1, inferiors) | pairs_of(i2, superiors)))
        return found

    def efficient_constraints(self, i1):
        """Every constraint of (4) and (5)."""
        found = {frozenset(pairs_of(i1, [j])) for j in self.I[i1]}
        for i2 in set(self.arms) - {i1}:
            for superiors in combinations(sorted(self.S[i2] - {i1}), self.L[i2] - self.L[i1] + 1):
                found.add(frozenset(pairs_of(i2, superiors)))
        return found


def pairs_of(i, others):
    return {(min(i, j), max(i, j)) for j in others}


def least_cost(instance, constraints):
    """The linear program with these constraints: its value, and the weights by pair."""
    number = {pair: k for k, pair in enumerate(instance.pairs)}
    cost = np.array([instance.cost[pair] for pair in instance.pairs])
    if not constraints:
        return 0.0, dict.fromkeys(instance.pairs, 0.0)
    rows = np.zeros((len(constraints), len(cost)))
    for row, pairs in enumerate(constraints):
        rows[row, [number[pair] for pair in pairs]] = -1
    scale = cost.max() or 1.0
    result = linprog(cost / scale, A_ub=rows, b_ub=-np.ones(len(rows)), bounds=(0, 1), method="highs")
    assert result.success
    return result.fun * scale, dict(zip(instance.pairs, result.x, strict=True))
