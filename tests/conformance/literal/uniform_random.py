"""Random: both arms of every duel uniform on all arms."""

from . import Transcription
from .common import Oracle


class UniformRandom(Oracle):
    """Draws per round: ``integers(0, K)`` for the first arm, then ``integers(0, K)`` for the second."""

    def __init__(self, n_arms, horizon, rng):
        super().__init__(n_arms, rng)

    def choose(self, t):
        first = self.rng.integers(0, self.K)
        second = self.rng.integers(0, self.K)
        return first, second


ORACLES = {"random": Transcription(UniformRandom, draws_differ=True, settles=False)}
