"""MergeRUCB: Zoghi, Whiteson, de Rijke, WSDM 2015, Algorithm 1."""

import numpy as np

from . import Case, Transcription
from .common import Oracle, pick, upper_bounds
from .matrices import MANY_ARMS, total_order


class Merging(Oracle):
    """Arms in batches that are merged as arms drop out: what MergeRUCB and MergeDTS share.

    Draws: ``permutation(K)`` at the start, whose consecutive pieces are the batches. For each sorting of the
    batches, ``integers`` among the smallest ones that are left, in the order of the list, for each next one.
    """

    def __init__(self, n_arms, rng, alpha, C, batch_size, margin=0):
        super().__init__(n_arms, rng)
        self.alpha = alpha
        self.C = C
        self.batch_size = batch_size
        self.margin = margin  # of the merge test: arms <= K / 2^S + margin
        order = [int(arm) for arm in rng.permutation(n_arms)]
        self.batches = [set(order[k : k + batch_size]) for k in range(0, n_arms, batch_size)]
        self.S = 1

    def observe(self, t, first, second, first_won):
        super().observe(t, first, second, first_won)
        survivors = sum(len(batch) for batch in self.batches)
        if len(self.batches) > 1 and survivors <= self.K / 2**self.S + self.margin:  # step 5
            self.merge()

    def recommend(self):
        """Of the arms that are left, the one ahead of the most others in the counts; the lowest index among equals."""
        left = sorted(set().union(*self.batches))
        return max(left, key=lambda i: sum(1 for j in range(self.K) if self.W[i, j] > self.W[j, i]))

    def merge(self):
        self._join_small_with_large()
        if len(self.batches) > 1 and min(map(len, self.batches)) <= self.batch_size / 2:
            self._join_small_with_large()
        self.S += 1

    def _join_small_with_large(self):
        """The new list has the batches in the order in which they are made; one left in the middle is last."""
        unsorted, line = list(self.batches), []
        while unsorted:
            size = min(map(len, unsorted))
            line.append(pick(self.rng, [batch for batch in unsorted if len(batch) == size]))
            unsorted.remove(line[-1])
        self.batches = []
        while len(line) > 1:
            smallest, largest = line[0], line.pop()
            if len(smallest) + len(largest) > 1.5 * self.batch_size:
                self.batches.append(largest)
            else:
                self.batches.append(line.pop(0) | largest)
        self.batches += line

    def bounds(self, t):
        """u_ij = W_ij / N_ij + sqrt(alpha ln(t + C) / N_ij), with x / 0 := 1 and u_ii = 1/2."""
        return upper_bounds(self.W, t + self.C, self.alpha)

    def remove_one_by_one(self, batch, u):
        """Drop a random one of the beaten arms, while there are any."""
        while losers := beaten(batch, u):
            batch.remove(pick(self.rng, losers))


def beaten(batch, u):
    """The arms i of ``batch`` with u_ij < 1/2 for some j of it, increasing."""
    return [i for i in sorted(batch) if any(u[i, j] < 0.5 for j in batch)]


class MergeRUCB(Merging):
    """MergeRUCB.

    Draws besides those of `Merging`, per round: only if all arms of the batch are beaten, ``integers`` among
    the beaten ones for each one to drop; ``integers`` on the batch for c; ``integers`` among the tied
    challengers. Arms are listed by increasing index. Batches are merged at the end of the round.
    """

    def __init__(self, n_arms, horizon, rng, alpha=1.01, batch_size=4, delta=0.01, lerot_compat=False):
        C = ((4 * alpha - 1) * n_arms**2 / ((2 * alpha - 1) * delta)) ** (1 / (2 * alpha - 1))
        super().__init__(n_arms, rng, alpha, C, batch_size, margin=int(lerot_compat))
        if lerot_compat:
            self.W += 1 - np.eye(n_arms, dtype=np.int64)

    def choose(self, t):
        u = self.bounds(t)
        m = t % len(self.batches)  # step 1
        while True:
            if all(len(batch) == 1 for batch in self.batches):
                if len(self.batches) == 1:
                    (a,) = self.batches[0]
                    return a, a
                self.merge()  # no batch can duel, and step 5 comes after a duel only
                m = t % len(self.batches)
            while len(self.batches[m]) == 1:
                m = (m + 1) % len(self.batches)
            batch = self.batches[m]
            self._remove_the_beaten(batch, u)  # step 2
            if len(batch) > 1:
                break
            m = (m + 1) % len(self.batches)  # step 3

        c = pick(self.rng, sorted(batch))  # step 4
        highest = max(u[j, c] for j in batch if j != c)
        return c, pick(self.rng, [j for j in sorted(batch) if j != c and u[j, c] == highest])

    def _remove_the_beaten(self, batch, u):
        losers = beaten(batch, u)
        if len(losers) == len(batch):  # they beat each other in a circle
            self.remove_one_by_one(batch, u)
        else:
            batch -= set(losers)


ORACLES = {
    "mergerucb": Transcription(
        MergeRUCB,
        matrices=MANY_ARMS,
        cases=(
            Case({f"certain, {n} arms": total_order(n, 1.0) for n in (8, 14)}, {"batch_size": 2}),
            Case({"certain, eleven arms": total_order(11, 1.0)}, horizon=3000),
        ),
    ),
}
