"""DETECT: Kolpaczki, Bengs, Huellermeier 2022, after the authors' program."""

import math

from . import Case, Transcription
from .btw import BtW
from .common import Oracle, pick
from .matrices import CYCLIC, reversed_after
from .rucb import RUCB
from .window import Window, even_ceil
from .ws import WSS


class DETECT(Oracle):
    """A base finds the winner in ``T_base`` rounds; then it meets the others in turn until a window raises an alarm.

    Draws: those of the base, ``"btw"``, ``"rucb"`` of the arXiv kind or ``"ws-s"``, before the first round and again
    after each alarm; then the arms 0, 1, ... of ``btw`` are shuffled by ``integers``: arm k = K - 1, ..., 1 changes
    places with one of the first k + 1.
    """

    def __init__(self, n_arms, horizon, rng, base="btw", delta=0.3, p_min=0.55, form="short", alpha=0.51, beta_ws=1.1):
        super().__init__(n_arms, rng)
        K, T = n_arms, horizon
        self.make_base = {
            "btw": lambda order: BtW(K, T, rng, order),
            "rucb": lambda order: RUCB(K, T, rng, alpha, "arxiv"),
            "ws-s": lambda order: WSS(K, T, rng, beta_ws),
        }[base]
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
        self.draws_order = base == "btw"
        self._start(order=None)

    def _start(self, order):
        self.alarmed = False
        self.tau = 1
        self.base = self.make_base(order)
        self.best = None  # i*, once it is frozen
        self.windows = [Window(self.w, self.b) for _ in range(self.K)]

    def choose(self, t):
        if self.alarmed:
            self._start(self._shuffled() if self.draws_order else None)
        if self.tau <= self.T_base:
            return self.base.choose(self.tau)
        if self.best is None:
            self.best = self.base.recommend()
        others = [j for j in range(self.K) if j != self.best]
        return self.best, others[(self.tau - self.T_base - 1) % len(others)]

    def observe(self, t, first, second, first_won):
        if self.tau <= self.T_base:
            self.base.observe(self.tau, first, second, first_won)
        else:
            self.alarmed = self.windows[second].push(first_won)
        self.tau += 1

    def _shuffled(self):
        order = list(range(self.K))
        for k in range(self.K - 1, 0, -1):
            place = pick(self.rng, range(k + 1))
            order[place], order[k] = order[k], order[place]
        return order

    def recommend(self):
        """The frozen arm, and before there is one the base's."""
        return self.base.recommend() if self.best is None else self.best


ORACLES = {
    "detect": Transcription(
        DETECT,
        cases=(
            Case(reversed_after(400), {"delta": 0.9}),
            Case(reversed_after(600), {"delta": 0.9, "p_min": 0.9, "form": "long"}),
            Case({"cyclic": CYCLIC}, {"delta": 0.9, "p_min": 0.9, "form": "long"}, horizon=3000),
            Case({"cyclic": CYCLIC}, {"base": "rucb", "delta": 0.9}, horizon=3000),
            Case({"cyclic": CYCLIC}, {"base": "ws-s", "delta": 0.9}, horizon=3000),
        ),
        draws_differ=True,
        settles=False,
    ),
}
