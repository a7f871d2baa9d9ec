"""Sparring: Ailon, Karnin, Joachims, ICML 2014, Algorithm 3."""

from .common import Oracle
from .machines import SBMUCB, BetaThompson


class Sparring(Oracle):
    """Sparring of two machines, ``"ucb"`` (SBM-UCB with ``alpha``) or ``"ts"`` (Thompson sampling).

    Draws per round: those of the left machine and then those of the right one.
    """

    reads_self_duels = True

    def __init__(self, n_arms, horizon, rng, machine="ucb", alpha=3.0):
        super().__init__(n_arms, rng)
        self.left, self.right = (
            SBMUCB(n_arms, rng, alpha) if machine == "ucb" else BetaThompson(n_arms, rng) for _ in range(2)
        )

    def choose(self, t):
        x = self.left.advance()
        y = self.right.advance()
        return x, y

    def observe(self, t, first, second, first_won):
        self.left.feedback(first_won)
        self.right.feedback(not first_won)

    def recommend(self):
        """Arm with the most plays on both sides; the lowest index among equals."""
        plays = [left + right for left, right in zip(self.left.plays, self.right.plays, strict=True)]
        return plays.index(max(plays))
