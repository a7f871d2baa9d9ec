"""Scalable Copeland Bandits: Zoghi, Karnin, Whiteson, de Rijke, NIPS 2015, Algorithms 2, 3 and (by programs) 4."""

import itertools
import math

import numpy as np

from . import Transcription
from .common import Oracle, kl_half, pick
from .kl_bounds import kl_lower, kl_upper
from .matrices import CLEAR, STEEP, total_order
from .rmed2 import log_log


class OutOfBudget(Exception):
    """The epoch has no duel left."""


class SCB(Oracle):
    """SCB, with eps = 0.

    Draws: ``permutation(K)`` at the start, an order of the arms for ties among answers; then ``integers`` for
    each reward, on the arms other than i by increasing index (none for two arms). Each sweep takes the arms of
    A by increasing index, and no reward is drawn once the epoch's budget is used up.

    ``preset="wu"`` has the epochs and the widths of the program of Wu and Liu; its ``step`` is the number of
    duels of this epoch so far.
    """

    def __init__(self, n_arms, horizon, rng, preset="paper", reuse_stats=False):
        super().__init__(n_arms, rng)
        self.preset = preset
        self.reuse_stats = reuse_stats
        self.order = [int(arm) for arm in rng.permutation(n_arms)]
        self.all_wins = np.zeros((n_arms, n_arms), np.int64)
        self.answer = None
        self.duels = self._scb()

    def choose(self, t):
        return next(self.duels)  # what observe() has counted since is in W

    def observe(self, t, first, second, first_won):
        super().observe(t, first, second, first_won)
        if first_won is not None:
            winner, loser = (first, second) if first_won else (second, first)
            self.all_wins[winner, loser] += 1

    def recommend(self):
        """The latest answer; before the first, the arm ahead of most others in all epochs (lowest index)."""
        if self.answer is not None:
            return self.answer
        return int(np.argmax((self.all_wins > self.all_wins.T).sum(axis=1)))

    def _scb(self):
        """Algorithm 3: all duels, one after the other."""
        for r in itertools.count(1):
            self.T = 2 ** (2**r) if self.preset == "paper" else 1000 ** (2 ** (r - 1))
            self.delta = math.log(self.T) / self.T
            self.step = 0
            self.winner = {}  # resolved pairs i < j -> the arm found to win
            if not self.reuse_stats:
                self.W[:] = 0
            try:
                self.answer = found = yield from self._solve()
            except OutOfBudget:
                continue
            for _ in range(self.T - self.step):
                yield found, found

    def _reward(self, i):
        """Line 1 of Algorithm 2."""
        j = pick(self.rng, [j for j in range(self.K) if j != i])
        while not self._resolved(i, j):
            self.step += 1
            yield i, j
            if self.step == self.T:
                raise OutOfBudget
        return int(self._beats(i, j))

    def _resolved(self, i, j):
        """Whether the counts decide who wins, at a level of delta / K^2; an answer lasts for the epoch."""
        i, j = min(i, j), max(i, j)
        n = self.W[i, j] + self.W[j, i]
        if (i, j) not in self.winner and n > 0 and n * kl_half(self.W[i, j] / n) > self._evidence(n):
            self.winner[i, j] = i if self.W[i, j] > self.W[j, i] else j
        return (i, j) in self.winner

    def _beats(self, i, j):
        return self.winner[min(i, j), max(i, j)] == i

    def _evidence(self, n):
        if self.preset == "paper":
            return math.log(4 * n**2 * self.K**2 / self.delta)
        step = max(1, self.step)
        return 0.51 * (math.log(4 * step * self.K) + 2 * max(1.0, log_log(step)))

    def _width(self, n):
        """beta of Algorithm 4."""
        if self.preset == "paper":
            return max(0.0, math.log(4 * n * self.K / self.delta) + 2 * math.log(math.log(n)))
        return 0.51 * (math.log(4 * self.T * self.K) + 2 * max(1.0, log_log(self.step)))

    def _solve(self):
        """Algorithm 4 on the rewards of Algorithm 2, and the stopping rules (a), (b), (c)."""
        A = list(range(self.K))
        S = [0] * self.K
        for n in itertools.count(1):
            for i in A:
                S[i] += yield from self._reward(i)
            if n >= 2:
                hi = {i: kl_upper(S[i] / n, self._width(n) / n) for i in A}
                lo = {i: kl_lower(S[i] / n, self._width(n) / n) for i in A}
                A = [i for i in A if not hi[i] < max(lo.values())]
                top, bottom = max(hi[i] for i in A), max(lo[i] for i in A)
                if ratio(1 - bottom, 1 - top) <= 1 or len(A) == 1 or top - bottom < 1 / (self.K - 1):
                    return self._first_with_most(A, lo.__getitem__)  # (a), (b)
            if all(self._resolved(i, j) for i in A for j in range(self.K) if j != i):  # (c)
                return self._first_with_most(A, self._wins)

    def _wins(self, i):
        return sum(1 for j in range(self.K) if j != i and self._beats(i, j))

    def _first_with_most(self, A, merit):
        return max((i for i in self.order if i in A), key=merit)


def ratio(x, y):
    """x / y, with 0 / 0 := 1 and x / 0 := +inf."""
    if y == 0.0:
        return 1.0 if x == 0.0 else math.inf
    return x / y


ORACLES = {
    "scb": Transcription(
        SCB, matrices={**STEEP, **CLEAR, "certain, three arms": total_order(3, 1.0)}, draws_differ=True
    ),
}
