"""DETECT: Kolpaczki, Bengs, Huellermeier 2022, after the authors' program."""

import math

from .btw import BtW
from .common import Oracle
from .window import Window, even_ceil


class DETECT(Oracle):
    """A base finds the winner in ``T_base`` rounds; then it meets the others in turn until a window raises an alarm.

    Draws: those of the base, before the first round and again after each alarm.
    ``base(n_arms, horizon, rng)`` makes one.
    """

    def __init__(self, n_arms, horizon, rng, delta=0.5, p_min=0.55, form="short", base=BtW):
        super().__init__(n_arms, rng)
        K, T = n_arms, horizon
        self.T = T
        self.make_base = base
        q = (2 * p_min - 1) ** 2
        if form == "short":
            Y = math.log(2 * T * (1 - math.exp(-q)) / math.exp(-(T ** (1 / 4) - K + 1) * q))
            self.T_base = math.isqrt(T)
            self.w = even_ceil(8 * Y / delta**2)
            self.b = math.sqrt(self.w * Y / 2)
        else:
            self.T_base = math.floor((math.log(T / ((1 - math.exp(-q)) * math.log(T))) / q + K - 1) ** 2)
            self.w = even_ceil((16 * math.log(T) + 6) / delta**2)
            self.b = math.sqrt(self.w * (math.log(T) + 3 / 8))
        self._restart()

    def _restart(self):
        self.tau = 1
        self.base = self.make_base(self.K, self.T, self.rng)
        self.best = None  # i*, once it is frozen
        self.windows = [Window(self.w, self.b) for _ in range(self.K)]

    def choose(self, t):
        if self.tau <= self.T_base:
            return self.base.choose(self.tau)
        if self.best is None:
            self.best = self.base.recommend()
        others = [j for j in range(self.K) if j != self.best]
        return self.best, others[(self.tau - self.T_base - 1) % len(others)]

    def observe(self, t, first, second, first_won):
        if self.tau <= self.T_base:
            self.base.observe(self.tau, first, second, first_won)
        elif self.windows[second].push(first_won):
            self._restart()
            return
        self.tau += 1

    def recommend(self):
        """The frozen arm, and before there is one the base's."""
        return self.base.recommend() if self.best is None else self.best
