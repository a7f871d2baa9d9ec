"""Winner Stays: Chen and Frazier, ICML 2017: WS-W for weak and WS-S for strong regret."""

import math

from . import Case, Transcription
from .common import Oracle, pick
from .matrices import CLEAR, MATRICES


class WSW(Oracle):
    """WS-W, as defined.

    Draws per round: ``integers`` among the arms tied for i, and then among those tied for j, by increasing
    index; none where an arm of the pair before settles the tie.
    """

    def __init__(self, n_arms, horizon, rng):
        super().__init__(n_arms, rng)
        self.previous = ()  # i_{t-1}, j_{t-1}

    def choose(self, t):
        C = self.wins_minus_losses()
        i = self._highest(C, range(self.K))
        j = self._highest(C, [k for k in range(self.K) if k != i])
        self.previous = (i, j)
        return i, j

    def recommend(self):
        """Arm of the highest C; the lowest index among equals."""
        C = self.wins_minus_losses()
        return C.index(max(C))

    def wins_minus_losses(self):
        return (self.W.sum(axis=1) - self.W.sum(axis=0)).tolist()

    def _highest(self, C, arms):
        highest = max(C[k] for k in arms)
        ties = [k for k in arms if C[k] == highest]
        for arm in self.previous:
            if arm in ties:
                return arm
        return pick(self.rng, ties)


class WSS(WSW):
    """WS-S: round l of WS-W, then its winner against itself floor(beta_ws^l) times, for l = 1, 2, ...

    Draws as `WSW`, which does not notice that its winner was played in between.
    """

    def __init__(self, n_arms, horizon, rng, beta_ws=1.1):
        super().__init__(n_arms, horizon, rng)
        self.beta_ws = beta_ws
        self.l = 1
        self.to_exploit = 0

    def choose(self, t):
        C = self.wins_minus_losses()
        if sorted(C) == [-self.l] * (self.K - 1) + [(self.K - 1) * self.l]:  # round l is over
            self.to_exploit = math.floor(self.beta_ws**self.l)
            self.l += 1
        if self.to_exploit > 0:
            self.to_exploit -= 1
            Z = C.index(max(C))
            return Z, Z
        return super().choose(t)


ORACLES = {
    "ws-w": Transcription(WSW, draws_differ=True, settles=False),
    "ws-s": Transcription(
        WSS, matrices=CLEAR, cases=(Case({**CLEAR, **MATRICES}, {"beta_ws": 1.7}),), draws_differ=True
    ),
}
