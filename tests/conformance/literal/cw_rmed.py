"""Copeland Winners RMED: Komiyama, Honda, Nakagawa, ICML 2016, Algorithm 1, equations (2) and (3)."""

import math
from fractions import Fraction
from itertools import combinations

import numpy as np

from . import Case, Transcription
from .common import add_up
from .ecw_rmed import ECWRMED, divergences, inferiors, superior_counts, superiors
from .matrices import certain_but, circle, total_order

UNIT = 2**52  # 1 / d(p, 1/2) > 1, so that UNIT / d is an integer without rounding it


class CWRMED(ECWRMED):
    """CW-RMED: lines 8 and 11 with the set (2), whose constraints are all listed; the rest is ECW-RMED's.

    The solution of line 11 is the one of fewest draws among those of least regret, and of several the first in
    the lexicographic order of e, read in the private order of the pairs; of the winners, the first in the order
    of arms, where only a relative gain of more than 1e-9 is one. Pairs that are even have e = 0.
    """

    def __init__(self, n_arms, horizon, rng, alpha=3.0, beta=0.01, forced="round", check="R"):
        super().__init__(n_arms, horizon, rng, alpha, beta, forced, check)
        if check == "R":
            self.confident = self._confident
        self.listed = {}  # by (signs, winner)
        self.evidence, self.optima = {}, {}  # by winner, until the next duel

    def observe(self, t, first, second, first_won):
        if first_won is not None:
            self.evidence, self.optima = {}, {}
        super().observe(t, first, second, first_won)

    def _constraints(self, p, i1):
        signs = np.sign(p - 0.5).tobytes()
        if (signs, i1) not in self.listed:
            sets = constraints(p, i1)
            self.listed[signs, i1] = sets, inequalities(sets, untied(p, self.pairs))
        return self.listed[signs, i1]

    def _confident(self, p, G, i1, log_t):
        if i1 not in self.evidence:
            self.evidence[i1] = least_evidence(self._constraints(p, i1)[0], G)
        return self.evidence[i1] >= log_t

    def _optimum(self, p, i1):
        if i1 not in self.optima:
            self.optima[i1] = optimum(p, i1, untied(p, self.pairs), *self._constraints(p, i1)[1])
        return self.optima[i1]

    def _cheapest(self, optima):
        best, *others = optima
        for i in others:
            if optima[i][0] < optima[best][0] * (1 - 1e-9):
                best = i
        return best


def untied(p, pairs):
    """Pairs that are not even."""
    return [(i, j) for i, j in pairs if p[i, j] != 0.5]


def constraints(p, i1):
    """All sets of pairs of (2) for winner ``i1``: (i1, i2) if I has it, the other pairs of I, and the pairs of S."""
    losses = superior_counts(p)
    L1, L2 = sorted(losses)[:2]
    sets = []
    for i2 in (i for i in range(len(p)) if i != i1):
        for level in range(max(0, L1 - 1), L2 + 1):  # l of (2)
            for chosen in combinations(inferiors(p, i1), level + 1 - L1):
                size_of_S = max(0, losses[i2] - level - (i2 in chosen))
                for S in combinations([j for j in superiors(p, i2) if j != i1], size_of_S):
                    both = [(i1, i2)] if i2 in chosen else []
                    sets.append((both, [(i1, j) for j in chosen if j != i2], [(i2, j) for j in S]))
    return sets


def least_evidence(sets, G):
    """Least sum over a constraint of the G_ij, for (3); each part from its smallest, as `ecw_rmed.confident` rounds."""
    G = G.tolist()

    def total(pairs):
        return add_up(sorted(G[i][j] for i, j in pairs))

    return min((total(both) + (total(others) + total(S)) for both, others, S in sets), default=math.inf)


def inequalities(sets, pairs):
    """Equation (2) as ``rows @ e >= limits``, one column for each of the ``pairs``: 0 <= e <= 1 and the ``sets``."""
    column = {frozenset(pair): position for position, pair in enumerate(pairs)}
    box = np.eye(len(pairs), dtype=np.int64)
    listed = np.zeros((len(sets), len(pairs)), np.int64)
    for row, parts in zip(listed, sets, strict=True):
        row[[column[frozenset(pair)] for part in parts for pair in part]] = 1
    limits = [0] * len(pairs) + [-1] * len(pairs) + [1] * len(sets)
    return np.vstack([box, -box, listed]), np.array(limits)


def optimum(p, i1, pairs, rows, limits):
    """C* of (2) for the winner ``i1``, regret per ln t, and the e_ij = q_ij d_ij that attain it; see `inequalities`."""
    n_arms, losses, d = len(p), superior_counts(p), divergences(p)
    draws = [int(UNIT / d[pair]) for pair in pairs]
    regrets = [(losses[i] + losses[j] - 2 * min(losses)) * q for (i, j), q in zip(pairs, draws, strict=True)]
    values, denominator = lexicographic_minimum(np.array([regrets, draws], object), rows, limits)
    e = np.zeros((n_arms, n_arms))
    for (i, j), value in zip(pairs, values[2:], strict=True):
        e[i, j] = e[j, i] = value / denominator
    return float(Fraction(values[0], denominator * UNIT * 2 * (n_arms - 1))), e


def lexicographic_minimum(objectives, rows, limits):
    """Lexicographic minimum of (objectives @ e, e) over rows @ e >= limits, exactly: the dual simplex algorithm.

    The objectives and e are affine in n variables >= 0, which are the n of e at first. The table has their
    coefficients, integers over a common denominator; its column 0 is where the variables are 0. Every other
    column is lexicographically positive, so that column 0 is the minimum once it satisfies all rows. Until
    then the slack of the row that fails most replaces the variable that keeps the columns positive.

    ``objectives`` are (m, n) Python integers, not negative, the last line positive; ``rows`` and ``limits`` are
    feasible, int64. Returns the m + n objectives and e times the denominator, and the denominator, which is positive.
    """
    n = objectives.shape[1]
    table = np.zeros((len(objectives) + n, 1 + n), object)
    table[:, 1:] = np.vstack([objectives, np.eye(n, dtype=object)])
    denominator = 1
    while True:
        e = table[len(objectives) :]
        slacks = rows @ e[:, 0].astype(np.int64) - limits * denominator
        worst = int(slacks.argmin())
        if slacks[worst] >= 0:
            return table[:, 0].tolist(), denominator
        slack = np.array(rows[worst].tolist(), object) @ e
        slack[0] = int(slacks[worst])
        columns = [column for column in range(1, 1 + n) if slack[column] > 0]
        for line in table:  # lexicographically least ratio; never a tie to the end, as the columns are independent
            ratios = {column: Fraction(line[column], slack[column]) for column in columns}
            columns = [column for column in columns if ratios[column] == min(ratios.values())]
            if len(columns) == 1:
                break
        (replaced,) = columns
        kept = table[:, replaced].copy()
        table = (slack[replaced] * table - np.outer(kept, slack)) // denominator  # leaves no remainder
        table[:, replaced] = kept
        denominator = slack[replaced]


EVEN_ODDS = {
    "certain circle": circle(5, 1.0),
    "certain circle of seven": circle(7, 1.0),
    "certain, five arms": total_order(5, 1.0),
    "circle": circle(5, 0.8),
    "five arms": total_order(5, 0.8),
    "losers in a circle": certain_but(5, {0: (1, 2, 3, 4), 1: (2, 3), 2: (3, 4), 3: (4,), 4: (1,)}, ()),
}
"""Where many proofs cost the same, as long as the pairs have dueled equally often."""

ORACLES = {"cw-rmed": Transcription(CWRMED, cases=(Case(EVEN_ODDS, {"alpha": 0.3, "beta": 0.0}, horizon=400),))}
