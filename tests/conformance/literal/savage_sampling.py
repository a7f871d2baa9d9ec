"""SAVAGE Sampling on a preference matrix: Urvoy et al., ICML 2013, Algorithms 1, 2 and 4, f = Copeland winner."""

from . import Transcription
from .generic_savage import GenericSamplingSAVAGE
from .matrices import STEEP
from .questions import CopelandWinner


class SamplingSAVAGE(GenericSamplingSAVAGE):
    """Duels of the pair i < j that is in turn, i first; the decision duels itself once exploration has ended.

    ``within`` is the feasible set: the box, or the points of it where some arm's Borda sum, its own 1/2 included,
    exceeds K / 2. Draws: those of `SampledIndependence`.
    """

    def __init__(self, n_arms, horizon, rng, within="box", **parameters):
        self.winner = CopelandWinner(n_arms)
        super().__init__(self.winner, len(self.winner.pairs), horizon, rng, **parameters)
        if within == "borda":
            self.sampled.feasible = self.someone_is_above_average

    def someone_is_above_average(self, x):
        sums = [0.5] * self.winner.n_arms
        for (i, j), p in zip(self.winner.pairs, x, strict=True):
            sums[i] += p
            sums[j] += 1 - p
        return max(sums) > self.winner.n_arms / 2

    def choose(self, t):
        pair = super().choose(t)
        return (self.recommend(),) * 2 if pair is None else self.winner.pairs[pair]

    def observe(self, t, first, second, first_won):
        if first_won is not None:
            super().observe(t, self.winner.pairs.index((first, second)), first_won)

    def recommend(self):
        return self.announce() if self.finals is None else self.finals[0]


ORACLES = {
    "savage-sampling": Transcription(
        SamplingSAVAGE, parameters={"test_every": 20, "simulations": 15, "moves": 5, "within": "borda"}, matrices=STEEP
    ),
}
