"""MultiSBM: Ailon, Karnin, Joachims, ICML 2014, Algorithm 3."""

from . import Transcription
from .common import Oracle, pick
from .machines import SBMUCB


class MultiSBM(Oracle):
    """MultiSBM with a SBM-UCB for every left arm.

    Draws: ``integers`` for y_0, and per round those of the machine that advances.
    """

    reads_self_duels = True

    def __init__(self, n_arms, horizon, rng, alpha=3.0):
        super().__init__(n_arms, rng)
        self.S = [SBMUCB(n_arms, rng, alpha) for _ in range(n_arms)]

    def choose(self, t):
        x = pick(self.rng, range(self.K)) if t == 1 else self.y  # x_t = y_{t-1}
        self.y = self.S[x].advance()
        return x, self.y

    def observe(self, t, first, second, first_won):
        self.S[first].feedback(not first_won)

    def recommend(self):
        """Arm that its own machine asked for most often, of equals most often on the right; the lowest index."""
        return max(range(self.K), key=lambda x: (self.S[x].plays[x], sum(S.plays[x] for S in self.S)))


ORACLES = {"multisbm": Transcription(MultiSBM, settles=False)}
