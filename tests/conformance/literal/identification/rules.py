"""Rules that end the game of any sampler, by the wins that they have counted themselves."""

import itertools
import math

import numpy as np
from scipy import optimize

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


class Pairs:
    """i beats j is decided once E_ji >= C(K, 2) / delta; from what is decided follow winners, rankings and sets."""

    def __init__(self, n_arms, delta):
        self.W = np.zeros((n_arms, n_arms), np.int64)
        self.K = n_arms
        self.threshold = math.log(math.comb(n_arms, 2) / delta)
        self.beats = set()

    def count(self, first, second, first_won):
        winner, loser = (first, second) if first_won else (second, first)
        self.W[winner, loser] += 1
        if {(first, second), (second, first)} & self.beats:
            return
        for i, j in ((first, second), (second, first)):
            if log_evidence(int(self.W[j, i]), int(self.W[i, j])) >= self.threshold:
                self.beats.add((i, j))

    def lo(self, i):
        return sum(1 for j in range(self.K) if (i, j) in self.beats)

    def hi(self, i):
        return self.K - 1 - sum(1 for j in range(self.K) if (j, i) in self.beats)

    def copeland_winners(self, epsilon=0.0):
        """Arms that surely are, within ``epsilon`` of the largest score."""
        return [
            a
            for a in range(self.K)
            if self.lo(a) >= max(self.hi(i) for i in range(self.K) if i != a) - epsilon * (self.K - 1)
        ]

    def condorcet_winner(self):
        """An arm with K - 1 decided wins, NO_WINNER if all have a decided loss, None before either."""
        winner = next((i for i in range(self.K) if self.lo(i) == self.K - 1), None)
        if winner is None and all(self.hi(i) < self.K - 1 for i in range(self.K)):
            return NO_WINNER
        return winner

    def closure(self):
        """All that follows from the pairs decided, if the arms have an order."""
        beats = set(self.beats)
        for middle, first, last in itertools.product(range(self.K), repeat=3):
            if (first, middle) in beats and (middle, last) in beats:
                beats.add((first, last))
        return beats

    def ranking(self):
        """The arms, the best first, once the closure is total."""
        beats = self.closure()
        if any((i, j) not in beats and (j, i) not in beats for i, j in itertools.combinations(range(self.K), 2)):
            return None
        return sorted(range(self.K), key=lambda i: -sum((i, j) in beats for j in range(self.K)))

    def top(self, k):
        """The k arms that each beat all others, once there are such."""
        beats = self.closure()
        for inside in itertools.combinations(range(self.K), k):
            outside = set(range(self.K)) - set(inside)
            if all((i, j) in beats for i in inside for j in outside):
                return set(inside)
        return None


class PairsCopeland(Pairs):
    """Ends with an arm that surely has the largest Copeland score."""

    def answer(self):
        return next(iter(self.copeland_winners()), None)


class PairsRanking(Pairs):
    """Ends with a ranking; its first arm is the answer."""

    def answer(self):
        ranking = self.ranking()
        return None if ranking is None else ranking[0]


class PairsTop(Pairs):
    """Ends with the best ``k`` arms; the one that beats most others in the closure is the answer."""

    def __init__(self, n_arms, delta, k):
        super().__init__(n_arms, delta)
        self.k = k

    def answer(self):
        top = self.top(self.k)
        return None if top is None else max(sorted(top), key=lambda i: sum(1 for a, _ in self.closure() if a == i))


class Until:
    """Any transcription of a sampler, until ``rule`` answers; then what is answered, or recommended, duels itself."""

    def __init__(self, sampler, rule):
        self.sampler, self.rule = sampler, rule
        self.answer = None
        self.reads_self_duels = getattr(sampler, "reads_self_duels", False)

    def choose(self, t):
        if self.answer is None:
            self.answer = self.rule.answer()
        if self.answer is not None:
            return (self.recommend(),) * 2
        return self.sampler.choose(t)

    def observe(self, t, first, second, first_won):
        if self.answer is not None:
            return
        if first != second:
            self.rule.count(first, second, first_won)
        self.sampler.observe(t, first, second, first_won)

    def recommend(self):
        return self.sampler.recommend() if self.answer in (None, NO_WINNER) else self.answer


def mixture(wins, losses, x):
    """The p for which B(a, b) / (pi p^W (1-p)^L) < 1 / x: an interval at level ``x`` for all n together."""

    def excess(p):
        a, b = wins + 0.5, losses + 0.5
        log_beta = math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b)
        seen = (wins * math.log(p) if wins else 0.0) + (losses * math.log(1 - p) if losses else 0.0)
        return log_beta - math.log(math.pi) - seen + math.log(x)

    if wins + losses == 0:
        return 0.0, 1.0
    best = wins / (wins + losses)
    low = optimize.brentq(excess, 1e-300, best, xtol=1e-15) if wins else 0.0
    high = optimize.brentq(excess, best, 1 - 1e-16, xtol=1e-15) if losses else 1.0
    return low, high


def stitched(n, x):
    return 0.85 * math.sqrt((math.log(math.log(2 * n)) + 0.72 * math.log(10.4 / x)) / n)


def union(n, x):
    return math.sqrt(math.log(4 * n**2 / x) / (2 * n))
