"""Winner Isolation With Recourse: Agarwal, Agarwal, Patil, ALT 2021, Algorithm 1."""

import math

from . import Case, Transcription
from .common import Oracle, add_up, draw, pick
from .matrices import CLEAR, CYCLIC


class WIWR(Oracle):
    """WIWR: all arms meet an anchor, which gives way to an arm that is ahead of it, in epochs of growing length.

    Draws: ``integers`` for the anchor among all arms, before the first round; per round ``random()`` for the first
    arm, at which the probabilities, added up by increasing index, exceed it.

    ``scale`` multiplies the paper's 2304 in lambda.
    """

    def __init__(self, n_arms, horizon, rng, delta=0.1, scale=1.0):
        super().__init__(n_arms, rng)
        K, T = n_arms, horizon
        self.lam = 2304 * scale * math.log(40 * K**2 / delta * math.log(T))
        self.D = [0.5] * K
        self.net = [[0] * K for _ in range(K)]  # wins minus losses since the first round
        self.v = pick(rng, range(K))
        self.m = 1
        self._begin_epoch()

    def _begin_epoch(self):
        K = self.K
        self.n = [self.lam / d**2 for d in self.D]
        self.N = add_up(self.n)
        self.left = math.ceil(self.N)
        self.anchored = [0] * K  # W_j: rounds in which j was the anchor
        self.r = [0.0] * K
        self.R = [[0] * K for _ in range(K)]

    def choose(self, t):
        return draw(self.rng, [n / self.N for n in self.n]), self.v

    def observe(self, t, first, second, first_won):
        u, v = first, second
        self.anchored[v] += 1
        if u == v:
            self.r[u] += 0.5
        else:
            z = 1 if first_won else 0
            self.net[u][v] += 2 * z - 1
            self.net[v][u] -= 2 * z - 1
            self.R[u][v] += z
            self.r[u] += z
            if self.net[u][v] > 0:
                self.v = u
        self.left -= 1
        if self.left == 0:
            self._end_epoch()

    def _end_epoch(self):
        floor = 2.0**-self.m
        self.D = [max(floor, 0.5 - q - d / 8) for q, d in zip(self.scores(), self.D, strict=True)]
        if min(self.D) > floor:
            self.D[self.D.index(min(self.D))] = floor
        self.m += 1
        self._begin_epoch()

    def scores(self):
        """q of all arms: against an arm that was the anchor for half of the epoch, or against all anchors."""
        arms = range(self.K)
        for j in arms:
            if self.anchored[j] >= self.N / 2:
                share = [self.R[i][j] * self.N / (self.anchored[j] * self.n[i]) for i in arms]
                return [0.5 if i == j else share[i] for i in arms]
        return [self.r[i] / self.n[i] for i in arms]

    def recommend(self):
        """The anchor."""
        return self.v


ORACLES = {
    # Several epochs.
    "wiwr": Transcription(
        WIWR,
        standing=False,
        parameters={"scale": 1 / 8000},
        matrices=CLEAR,
        cases=(Case({"cyclic": CYCLIC}, horizon=3000),),
        draws_differ=True,
        settles=False,
    ),
}
