"""ANACONDA: Kleine Buening and Saha, AISTATS 2023, Algorithms 1 and 2."""

import math

import numpy as np

from . import Case, Transcription
from .common import Oracle, pick
from .matrices import CYCLIC, reversed_after


class Level:
    """Arms ``A`` that are played in rounds ``start`` to ``end`` while no later level is open."""

    def __init__(self, start, end, n_arms):
        self.start = start
        self.end = end
        self.A = list(range(n_arms))


class ANACONDA(Oracle):
    """ANACONDA with the windows of `starts`; the paper takes all of them.

    Draws per round t of an episode that began in t_l: ``random()`` for j = 1 to ceil(log2 T), unless t = t_l, each of
    which asks for a replay of 2^j rounds; then, where the open level has several arms, ``integers`` for the first arm
    and ``integers`` for the second, by increasing index.
    """

    def __init__(self, n_arms, horizon, rng, C=0.2, rho=0.1):
        super().__init__(n_arms, rng)
        self.T = horizon
        self.const = C
        self.rho = rho
        self.J = (horizon - 1).bit_length()  # ceil(log2 T)
        self._new_episode(1)

    def _new_episode(self, t):
        self.t_l = t
        self.levels = [Level(t, math.inf, self.K)]
        self.G = [np.zeros((self.K, self.K), np.int64)]  # G[u]: after u rounds of the episode

    @property
    def A_good(self):
        """Arms of the level that began with the episode."""
        return self.levels[0].A

    def choose(self, t):
        while self.levels[-1].end < t:
            self.levels.pop()
        if t > self.t_l:
            self._replay(t)
        A = self.levels[-1].A
        return pick(self.rng, A), pick(self.rng, A)

    def _replay(self, t):
        """Open a level for the longest of the replays that are asked for in round ``t``."""
        asked = [j for j in range(1, self.J + 1) if self.rng.random() < self.rho / math.sqrt(2**j * (t - self.t_l))]
        if not asked:
            return
        m = 2 ** max(asked)
        while self.levels[-1].end <= t + m:
            self.levels.pop()
        self.levels.append(Level(t, t + m, self.K))

    def observe(self, t, first, second, first_won):
        G = self.G[-1].copy()
        self.G.append(G)
        if first_won and first != second:
            G[first, second] += len(self.levels[-1].A) ** 2
        self.leader = max(self.A_good, key=lambda i: G[i].sum())
        if first_won and first != second:
            self._eliminate(first, second)  # no other pair can have come above the threshold
        if not self.A_good:
            self._new_episode(t + 1)

    def _eliminate(self, a, b):
        """Remove b from each level that had begun by the start of a window that is against it; the first always had.

        A level that began after u rounds of the episode has start - t_l = u.
        """
        for u in self.starts():
            if self.evidence(a, b, u) > self.threshold(len(self.G) - 1 - u):
                for level in self.levels:
                    if level.start - self.t_l <= u and b in level.A:
                        level.A.remove(b)

    def starts(self):
        """Rounds u of the episode before each window that ends now: for each j the last two multiples of 2^j."""
        e = len(self.G) - 1
        chosen = set()
        for j in range(self.J + 1):
            last = (e - 1) // 2**j * 2**j
            chosen |= {last, last - 2**j}
        return sorted(u for u in chosen if u >= 0)

    def evidence(self, a, b, u):
        """Sum over the window that begins after round ``u`` of what estimates P(a beats b) - 1/2."""
        n = len(self.G) - 1 - u
        return self.G[-1][a, b] - self.G[u][a, b] - n / 2

    def threshold(self, n):
        """What the evidence of a window of ``n`` rounds must exceed."""
        return self.const * math.log(self.T) * self.K * math.sqrt(max(n, self.K**2))

    def recommend(self):
        """Good arm of the largest row sum of G, the lowest index among equals; the last round's test is yet to come."""
        return self.leader


ORACLES = {
    # With its default nobody is eliminated.
    "anaconda": Transcription(
        ANACONDA,
        standing=False,
        parameters={"C": 0.02},
        cases=(
            Case(reversed_after(400), {"C": 0.02}),
            Case({"cyclic": CYCLIC}, {"C": 0.02, "rho": 1.0}, horizon=3000),
        ),
        draws_differ=True,
        settles=False,
    ),
}
