"""Relative Confidence Sampling: Zoghi, Whiteson, de Rijke, Munos, WSDM 2014."""

from . import Transcription
from .common import Oracle, challenger, pick, sampled_wins, upper_bounds


class RCS(Oracle):
    """RCS.

    Draws per round: ``random() < P(theta_ij > 1/2)`` for all i < j in order of (i, j); when no arm has all its
    signs above, ``integers`` among the arms that were champion least often; then ``integers`` among the tied
    challengers.

    ``chi`` says which rounds count as championships: ``"all"``, or ``"fallback"``, those without a sampled
    Condorcet winner.
    """

    def __init__(self, n_arms, horizon, rng, alpha=0.51, chi="all", unplayed_ucb=2.0):
        super().__init__(n_arms, rng)
        self.alpha = alpha
        self.counted = chi
        self.unplayed_ucb = unplayed_ucb
        self.chi = [0] * n_arms

    def choose(self, t):
        c = self._champion(sampled_wins(self.W, range(self.K), self.rng))  # step 1
        u = upper_bounds(self.W, t, self.alpha, self.unplayed_ucb)
        return c, challenger(u, c, range(self.K), self.rng)  # step 3: argmax_j u_jc, c itself included

    def _champion(self, wins):
        """Step 2."""
        for c in range(self.K):
            if wins[c] == self.K - 1:  # theta_cj > 1/2 for all j
                if self.counted == "all":
                    self.chi[c] += 1
                return c
        c = pick(self.rng, [i for i in range(self.K) if self.chi[i] == min(self.chi)])
        self.chi[c] += 1
        return c


ORACLES = {"rcs": Transcription(RCS, standing=False, draws_differ=True)}
