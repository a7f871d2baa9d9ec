"""Relative Upper Confidence Bound: Zoghi, Whiteson, Munos, de Rijke, ICML 2014, Algorithm 1."""

from . import Case, Transcription
from .common import Oracle, challenger, pick, upper_bounds
from .matrices import MATRICES


class RUCB(Oracle):
    """RUCB.

    Draws per round, each only where more than one outcome is possible: ``integers`` for c when C is empty
    (all arms), or ``random() < 0.5`` for the champion and then ``integers`` on C without it, or ``integers``
    on C when there is no champion; then ``integers`` among the tied challengers. Candidates are listed by
    increasing index.

    ``variant="arxiv"`` is the first version of the paper: no champion, c uniform on C. With ``ties="lowest"`` ties
    among challengers go to the lowest index.
    """

    def __init__(self, n_arms, horizon, rng, alpha=0.51, variant="icml", ties="random", unplayed_ucb=2.0):
        super().__init__(n_arms, rng)  # line 1: W <- 0
        self.alpha = alpha
        self.variant = variant
        self.ties = ties
        self.unplayed_ucb = unplayed_ucb
        self.B = None  # line 2: the hypothesised winner, at most one arm

    def choose(self, t):
        arms = range(self.K)
        u = upper_bounds(self.W, t, self.alpha, self.unplayed_ucb)  # lines 4-5
        C = [c for c in arms if all(u[c, j] >= 0.5 for j in arms)]  # line 6
        c = self._champion(C)
        if self.ties == "lowest":
            return c, max(arms, key=lambda j: u[j, c])
        return c, challenger(u, c, arms, self.rng)  # line 13: argmax_j u_jc, c itself included

    def _champion(self, C):
        """Lines 7 to 12."""
        if self.B not in C:  # line 8: B <- B and C
            self.B = None
        if not C:  # line 7
            return pick(self.rng, range(self.K))
        if self.variant == "arxiv":
            return pick(self.rng, C)
        if len(C) == 1:  # line 9
            self.B = C[0]
            return self.B
        if self.B is None:
            return pick(self.rng, C)
        if self.rng.random() < 0.5:  # line 11
            return self.B
        return pick(self.rng, [c for c in C if c != self.B])


ORACLES = {"rucb": Transcription(RUCB, cases=(Case(MATRICES, {"ties": "lowest"}),))}
