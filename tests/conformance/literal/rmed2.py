"""RMED2: Komiyama, Honda, Kashima, Nakagawa, COLT 2015, Algorithms 1 and 3, for any horizon."""

import math

from . import Transcription
from .common import Oracle, empirical, kl_half
from .rmed1 import RMED1


class RMED2(RMED1):
    """RMED2. The draw is that of `RMED1`; forced draws take the pairs as the initial phase does.

    ``floor`` is the least numerator of bh(l); None leaves the numerators as they are.
    """

    def __init__(self, n_arms, horizon, rng, alpha=3.0, floor=None, f_factor=0.3, f_exponent=1.01):
        super().__init__(n_arms, horizon, rng, f_factor, f_exponent)
        self.alpha = alpha
        self.floor = floor
        self.short = list(self.initial)  # pairs still to be looked at before the loop begins

    def choose(self, t):
        if t <= len(self.initial):  # initial phase: every pair once
            return self.initial[t - 1]
        N = self.W + self.W.T
        while self.short and not N[self.short[0]] < self.alpha * log_log(t):
            self.short.pop(0)
        if self.short:  # each pair in turn is drawn until N_ij >= alpha ln ln t
            return self.short[0]
        first, by_rmed1 = super().choose(t)
        p = empirical(self.W)
        divergence = self._divergences(p)
        best = min(self.order, key=lambda i: divergence[i])  # i*
        target = informative_opponent(first, best, p, self.order, self.floor)
        if is_worth_drawing(first, target, best, self.W, max(1.0, log_log(t))):
            return first, target
        return first, by_rmed1

    def observe(self, t, first, second, first_won):
        if t <= len(self.initial) or self.short:  # no step of a loop
            Oracle.observe(self, t, first, second, first_won)
            return
        ends_the_loop = len(self.LR) == 1
        super().observe(t, first, second, first_won)
        if ends_the_loop:
            self.short = list(self.initial)


def log_log(t):
    """ln ln t, which forces nothing before t = 3."""
    return math.log(math.log(t)) if t >= 3 else -math.inf


def informative_opponent(arm, best, p, order, floor=None):
    """bh(l) of ``arm`` l: the least (p_{i*,l} + p_{i*,j} - 1) / d+(p_lj, 1/2), ties by ``order``.

    Only the j with p_lj < 1/2 have a finite ratio. None when there are none.
    """

    def ratio(j):
        numerator = p[best, arm] + p[best, j] - 1.0
        if floor is not None:
            numerator = max(numerator, floor)
        divergence = kl_half(p[arm, j])
        return numerator / divergence if divergence > 0.0 else math.inf

    rivals = [j for j in order if j != arm and p[arm, j] < 0.5 and ratio(j) < math.inf]
    return min(rivals, key=ratio) if rivals else None


def is_worth_drawing(arm, target, best, W, log_log_t):
    """Step 2: bh(l) is in O_l, and N_{l,i*} >= N_{l,bh(l)} / ln ln t."""
    if target is None:
        return False
    N = W + W.T
    return empirical(W)[arm, target] <= 0.5 and N[arm, best] >= N[arm, target] / log_log_t


ORACLES = {"rmed2": Transcription(RMED2)}
