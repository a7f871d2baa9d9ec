"""SAVAGE Sampling on a preference matrix: Urvoy et al., ICML 2013, Algorithms 1, 2 and 4, f = Copeland winner."""

from . import Transcription
from .generic_savage import GenericSamplingSAVAGE
from .matrices import STEEP
from .questions import CopelandWinner
from .savage import OfPairs


class SamplingSAVAGE(OfPairs, GenericSamplingSAVAGE):
    """``within`` is the feasible set: the box, or the points of it where some arm's Borda sum exceeds K / 2.

    An arm's own 1/2 is in its sum. Draws: those of `SampledIndependence`.
    """

    winner = CopelandWinner

    def __init__(self, n_arms, horizon, rng, within="box", **parameters):
        super().__init__(n_arms, horizon, rng, **parameters)
        if within == "borda":
            self.sampled_independence.feasible = self.someone_is_above_average

    def someone_is_above_average(self, x):
        sums = [0.5] * self.question.n_arms
        for (i, j), p in zip(self.question.pairs, x, strict=True):
            sums[i] += p
            sums[j] += 1 - p
        return max(sums) > self.question.n_arms / 2

    def answers(self):
        return self.finals


ORACLES = {
    "savage-sampling": Transcription(
        SamplingSAVAGE, parameters={"test_every": 20, "simulations": 15, "moves": 5, "within": "borda"}, matrices=STEEP
    ),
}
