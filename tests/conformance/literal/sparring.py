"""Sparring: Ailon, Karnin, Joachims, ICML 2014, Algorithm 4; for adversaries its section 6."""

from . import Case, Transcription
from .common import Oracle
from .machines import EXP3, EXP3IX, EXP3S, SBMUCB, BetaThompson
from .matrices import MATRICES


class Sparring(Oracle):
    """Sparring of two machines, ``"ucb"`` (SBM-UCB with ``alpha``) or ``"ts"`` (Thompson sampling).

    For adversaries: ``"exp3"`` (``gamma``), ``"exp3ix"`` (``eta``) and ``"exp3s"`` (``switches`` and ``gamma``).

    Draws per round: those of the left machine and then those of the right one.
    """

    reads_self_duels = True

    def __init__(self, n_arms, horizon, rng, machine="ucb", alpha=3.0, gamma=None, eta=None, switches=1):
        super().__init__(n_arms, rng)
        make = {
            "ucb": lambda: SBMUCB(n_arms, rng, alpha),
            "ts": lambda: BetaThompson(n_arms, rng),
            "exp3": lambda: EXP3(n_arms, horizon, rng, gamma),
            "exp3ix": lambda: EXP3IX(n_arms, horizon, rng, eta),
            "exp3s": lambda: EXP3S(n_arms, horizon, rng, switches, gamma),
        }[machine]
        self.left, self.right = make(), make()

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


ORACLES = {
    "sparring": Transcription(
        Sparring,
        cases=(
            Case(MATRICES, {"machine": "ts"}),
            Case(MATRICES, {"machine": "exp3"}),
            Case(MATRICES, {"machine": "exp3ix"}),
            Case(MATRICES, {"machine": "exp3s", "switches": 4}),
        ),
        settles=False,
    ),
}
