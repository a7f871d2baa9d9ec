"""Seq-Eliminate and Opt-Maximize: Falahatgar, Hao, Orlitsky, Pichapati, Ravindrakumar, NeurIPS 2017."""

import math

from .. import Case, Transcription
from ..matrices import total_order
from .comparators import FIRST, cmp2
from .framework import Identification, shuffled


class SeqEliminate(Identification):
    """One arm after the other challenges the incumbent.

    Draws: ``permutation(K)``, whose first arm is the first incumbent. Recommended is the incumbent, or the
    challenger while it leads.
    """

    def __init__(self, n_arms, horizon, rng, epsilon=0.05, delta=0.05):
        super().__init__(n_arms, rng)
        self.epsilon, self.delta = epsilon, delta
        self.incumbent = self.arms[0]

    def _identify(self):
        return (yield from self.seq_eliminate(self.arms, self.epsilon, self.delta))

    def seq_eliminate(self, arms, epsilon, delta):
        """Of ``arms``, in a random order, one that is within ``epsilon`` of the best."""
        test_of_pair = cmp2(0, epsilon, delta / len(arms))
        self.incumbent = arms[0]
        for c in arms[1:]:
            if (yield from self.compare(c, self.incumbent, test_of_pair)) == FIRST:
                self.incumbent = c
        return self.incumbent

    def estimate(self):
        return self.unless_led(self.incumbent)


class OptMaximize(SeqEliminate):
    """A good anchor from a sample of the arms; what it surely beats is dropped, and the rest challenges it.

    Draws: ``permutation(K)``, the private order, whose first arms are the sample; `shuffled` of the arms in private
    order before step 4, and again of these and then the anchor before a final Seq-Eliminate.
    """

    def _identify(self):
        K, epsilon, delta = self.K, self.epsilon, self.delta
        if delta <= 1 / K:  # step 1
            return (yield from super()._identify())
        n = min(K, math.ceil(math.sqrt(6 * K * math.log(K))) + 1)
        sample = self.arms[: min(K, math.ceil(K / n * math.log(8 / delta)))]
        a = yield from self.seq_eliminate(sample, epsilon / 3, delta / 8)  # step 2
        S = self.arms
        for t in range(1, math.floor(math.log2(K)) ** 2):  # step 3
            if len(S) <= 2 * n:
                break
            test_of_pair = cmp2(epsilon / 3, 2 * epsilon / 3, delta / 4 / 2 ** (t + 1))
            kept = []
            for e in S:
                if e == a or (yield from self.compare(e, a, test_of_pair)) == FIRST:
                    kept.append(e)
            S = kept
        test_of_pair = cmp2(2 * epsilon / 3, epsilon, delta / (4 * K))  # step 4
        others = shuffled(self.rng, [arm for arm in S if arm != a])
        for e in others:
            if (yield from self.compare(e, a, test_of_pair)) == FIRST:
                return (yield from self.seq_eliminate(shuffled(self.rng, [*others, a]), epsilon, delta / 4))
        return a


ORACLES = {
    "seq-eliminate": Transcription(SeqEliminate, parameters={"epsilon": 0.3, "delta": 0.3}, draws_differ=True),
    # Only of many arms are some dropped before the anchor is checked.
    "opt-maximize": Transcription(
        OptMaximize,
        parameters={"epsilon": 0.5, "delta": 0.9},
        matrices={"order of 128": total_order(128, 0.95)},
        cases=(Case({"certain, 128 arms": total_order(128, 1.0)}, {"epsilon": 0.5, "delta": 0.9}, horizon=5000),),
        draws_differ=True,
    ),
}
