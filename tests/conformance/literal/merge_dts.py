"""MergeDTS: Li, Markov, de Rijke, Zoghi, ACM TOIS 2020, Algorithm 1."""

from . import Case, Transcription
from .common import pick, sampled_wins
from .matrices import MANY_ARMS, total_order
from .mergerucb import Merging


class MergeDTS(Merging):
    """MergeDTS.

    Draws besides those of `Merging`, per round, with the arms of the batch by increasing index:

    - ``integers`` among the beaten arms for each one to drop;
    - ``random() < P(theta_ij > 1/2)`` for i < j in order of (i, j), then ``integers`` among arms with equally
      many votes;
    - ``beta`` for each arm but c, unless there is one only, then ``integers`` among equal samples.

    Batches are merged at the end of the round.
    """

    def __init__(self, n_arms, horizon, rng, alpha=0.8**6, C=4e5, batch_size=16):
        super().__init__(n_arms, rng, alpha, C, batch_size)

    def choose(self, t):
        u = self.bounds(t)
        while True:
            m = t % len(self.batches)  # step 1
            batch = self.batches[m]
            self.remove_one_by_one(batch, u)  # step 2
            if len(batch) > 1:
                break
            if len(self.batches) == 1:
                (a,) = batch
                return a, a
            self.batches[(m + 1) % len(self.batches)] |= batch
            del self.batches[m]

        arms = sorted(batch)
        kappa = sampled_wins(self.W, arms, self.rng)  # step 3
        c = pick(self.rng, [i for i in arms if kappa[i] == max(kappa.values())])
        return c, self._weakest_opponent(c, [j for j in arms if j != c])

    def _weakest_opponent(self, c, arms):
        """Step 4."""
        if len(arms) == 1:
            return arms[0]
        phi = {j: self.rng.beta(self.W[j, c] + 1, self.W[c, j] + 1) for j in arms}
        return pick(self.rng, [j for j in arms if phi[j] == min(phi.values())])


ORACLES = {
    "merge-dts": Transcription(
        MergeDTS,
        standing=False,
        matrices=MANY_ARMS,
        cases=(
            Case({"order of eleven": total_order(11, 0.95)}, {"batch_size": 4}),
            Case({"order of twenty": total_order(20, 0.95)}),
        ),
    ),
}
