"""Efficient Copeland Winners RMED: Komiyama, Honda, Nakagawa, ICML 2016, Algorithm 1, equations (2)-(7)."""

import math

import numpy as np

from . import Case, Transcription
from .common import Oracle, add_up, empirical, kl_half
from .matrices import LOSES_TO_THE_WEAK


class ECWRMED(Oracle):
    """ECW-RMED.

    Draws at the start only: ``permutation`` of the pairs listed as (1, 0), (2, 0), (2, 1), (3, 0), ..., then
    ``permutation(K)`` of the arms, private orders. Pairs of two arms come by the one, then self pairs by the other,
    which also settles ties of arms.

    Line 15 as printed keeps self pairs out of LN, and (3) as printed fails once a pair is drawn too often:
    here LN takes self pairs, as the proofs do, and draws beyond 1 / d count as 1 / d.
    """

    def __init__(self, n_arms, horizon, rng, alpha=3.0, beta=0.01, forced="round", check="R", ties="private"):
        super().__init__(n_arms, rng)
        self.alpha, self.beta, self.forced = alpha, beta, forced
        self.confident = {"R": confident, "E": confident_by_the_efficient_set}[check]
        listed = [(i, j) for i in range(n_arms) for j in range(i)]
        if ties == "private":
            self.pairs = [listed[position] for position in rng.permutation(len(listed))]
            self.arms = [int(arm) for arm in rng.permutation(n_arms)]
        else:
            self.pairs, self.arms = listed, list(range(n_arms))
        self.LC, self.LR, self.LN = list(self.pairs), list(self.pairs), []  # line 2
        self.named = self.named_last = None

    def choose(self, t):
        self.in_loop = False
        self.named = self.named_last
        if self.forced == "round" or self.LR == self.LC:  # line 4
            p, N = empirical(self.W), self.W + self.W.T
            log_log = max(1.0, math.log(math.log(t))) if t >= 3 else 1.0
            for i, j in self.pairs:
                if N[i, j] < self.alpha * math.sqrt(math.log(t)) or abs(p[i, j] - 0.5) < self.beta / log_log:
                    return i, j
        self.in_loop = True
        return self.LR[0]  # lines 5-6

    def observe(self, t, first, second, first_won):
        super().observe(t, first, second, first_won)
        if not self.in_loop:
            return
        candidates = self._pairs_for_the_next_loop(t)  # lines 7-13
        self.named_last = candidates[-1][0]
        self.LR.remove((first, second))  # line 14
        self.LN += [pair for pair in candidates if pair not in self.LR and pair not in self.LN]  # line 15
        if not self.LR:  # lines 17-18
            private_order = self.pairs + [(i, i) for i in self.arms]
            self.LC = [pair for pair in private_order if pair in self.LN]
            self.LR, self.LN = list(self.LC), []

    def recommend(self):
        """The arm of the last self pair of line 9 or 12, if none has fewer superiors now; else the first such arm."""
        losses = superior_counts(empirical(self.W))
        winners = [i for i in self.arms if losses[i] == min(losses)]
        return self.named if self.named in winners else winners[0]

    def _pairs_for_the_next_loop(self, t):
        p, N, log_t = empirical(self.W), self.W + self.W.T, math.log(t)
        losses = superior_counts(p)
        winners = [i for i in self.arms if losses[i] == min(losses)]
        d = divergences(p)
        for i in winners:  # lines 8-9
            if self.confident(p, N * d, i, log_t):
                return [(i, i)]
        optima = {i: self._optimum(p, i) for i in winners}  # line 11
        best = self._cheapest(optima)
        e = optima[best][1]
        short = [(i, j) for i, j in self.pairs if e[i, j] > 0 and e[i, j] / d[i, j] * log_t > N[i, j]]
        return [*short, (best, best)]  # line 12

    def _optimum(self, p, i1):
        return efficient_optimum(p, i1, self.arms)

    def _cheapest(self, optima):
        return min(optima, key=lambda i: optima[i][0])


def superiors(p, i):
    """S_i = {j : p_ij < 1/2}, increasing."""
    return [j for j in range(len(p)) if p[i, j] < 0.5]


def inferiors(p, i):
    """I_i = {j : p_ij > 1/2}, increasing."""
    return [j for j in range(len(p)) if p[i, j] > 0.5]


def superior_counts(p):
    """L_i = |S_i| of every arm."""
    return [len(superiors(p, i)) for i in range(len(p))]


def divergences(p):
    """(K, K) of d(p_ij, 1/2), from the side of the arm that is ahead: (i, j) and (j, i) then round alike."""
    n_arms = len(p)
    return np.array([[kl_half(max(p[i, j], p[j, i])) for j in range(n_arms)] for i in range(n_arms)])


def confident(p, G, i1, log_t):
    """Test (3) with the set (2): the G_ij = N_ij d(ph_ij, 1/2) of each constraint add up to ln t at least."""
    losses = superior_counts(p)
    L1, L2 = sorted(losses)[:2]
    for i2 in (i for i in range(len(p)) if i != i1):
        others = [G[i1, j] for j in inferiors(p, i1) if j != i2]
        S = [G[i2, j] for j in superiors(p, i2) if j != i1]
        for level in range(max(0, L1 - 1), L2 + 1):  # l of (2)
            size_of_I = level + 1 - L1
            if least(others, size_of_I) + least(S, max(0, losses[i2] - level)) < log_t:
                return False
            if i2 in inferiors(p, i1) and size_of_I >= 1:
                rest = least(others, size_of_I - 1) + least(S, max(0, losses[i2] - level - 1))
                if G[i1, i2] + rest < log_t:
                    return False
    return True


def confident_by_the_efficient_set(p, G, i1, log_t):
    """Test (3) with the set of (4) and (5)."""
    losses = superior_counts(p)
    if any(G[i1, j] < log_t for j in inferiors(p, i1)):
        return False
    for i2 in (i for i in range(len(p)) if i != i1):
        S = [G[j, i2] for j in superiors(p, i2) if j != i1]
        if least(S, losses[i2] - losses[i1] + 1) < log_t:
            return False
    return True


def least(values, size):
    """Least sum of ``size`` of the values; infinite when there are not so many: no such constraint."""
    return add_up(sorted(values)[:size]) if size <= len(values) else math.inf


def efficient_optimum(p, i1, private_order):
    """Constant of (6) for the winner ``i1`` and the e_ij = q_ij d_ij of (7) that attain it, by the least best h."""
    n_arms = len(p)
    losses, d = superior_counts(p), divergences(p)
    c, e = np.zeros((n_arms, n_arms)), np.zeros((n_arms, n_arms))
    for i in range(n_arms):
        for j in superiors(p, i):
            regret = (losses[i] + losses[j] - 2 * min(losses)) / (2 * (n_arms - 1))
            c[i, j] = c[j, i] = regret / d[i, j]
    for j in inferiors(p, i1):  # (4)
        e[i1, j] = e[j, i1] = 1.0
    for i2 in (i for i in range(n_arms) if i != i1):
        S = [j for j in superiors(p, i2) if j != i1]
        S.sort(key=lambda j: (c[j, i2], private_order.index(j)))
        k = len(S) - (losses[i2] - losses[i1] + 1)
        if k < 0:  # (5) asks nothing: there is no such set
            continue
        values = {h: add_up(c[j, i2] for j in S[:h]) / (h - k) for h in range(k + 1, len(S) + 1)}
        h = min(values, key=values.__getitem__)
        for j in S[:h]:  # (7)
            e[j, i2] = e[i2, j] = 1.0 / (h - k)
    constant = add_up(c[i, j] * e[i, j] for i in range(n_arms) for j in range(i))
    return constant, e


ORACLES = {
    "ecw-rmed": Transcription(
        ECWRMED, cases=(Case({"loses to the weak": LOSES_TO_THE_WEAK}, {"alpha": 1.0}, horizon=700),)
    ),
}
