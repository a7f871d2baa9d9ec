"""RMED2FH: Komiyama, Honda, Kashima, Nakagawa, COLT 2015, Algorithms 1 and 3, for a fixed horizon."""

import math

from . import Transcription
from .common import empirical
from .rmed1 import RMED1
from .rmed2 import informative_opponent, is_worth_drawing, log_log


class RMED2FH(RMED1):
    """RMED2FH. The draw is that of `RMED1`; the initial phase draws a pair L times before it goes on to the next.

    ``floor`` is the least numerator of bh(i); None leaves the numerators as they are.
    """

    def __init__(self, n_arms, horizon, rng, alpha=3.0, floor=None, f_factor=0.3, f_exponent=1.01):
        super().__init__(n_arms, horizon, rng, f_factor, f_exponent)
        L = max(1, math.ceil(alpha * log_log(horizon))) if horizon >= 3 else 1
        self.initial = [pair for pair in self.initial for _ in range(L)]
        self.log_log_T = max(1.0, log_log(horizon))
        self.floor = floor

    def choose(self, t):
        first, by_rmed1 = super().choose(t)
        if t <= len(self.initial):
            return first, by_rmed1
        p = empirical(self.W)
        divergence = self._divergences(p)
        best = min(self.order, key=lambda i: divergence[i])  # i*
        if t == len(self.initial) + 1:  # bh(i) of every i, for good
            self.b = [informative_opponent(i, best, p, self.order, self.floor) for i in range(self.K)]
        if is_worth_drawing(first, self.b[first], best, self.W, self.log_log_T):
            return first, self.b[first]
        return first, by_rmed1


ORACLES = {"rmed2fh": Transcription(RMED2FH)}
