"""The evidence from the duels so far about each pair of arms, in the terms of CW-RMED and ECW-RMED.

By the empirical preferences, the superiors S_i of an arm i are the arms that beat it, its inferiors I_i are the arms
that it beats, and L_i = |S_i|.
"""

from typing import NamedTuple

import numpy as np

from duelbench.bandits.kernels.decorators import inlined
from duelbench.bandits.kernels.divergence import kl_to_half
from duelbench.bandits.kernels.records import FloatPerPair, IntPerArm, IntPerPair, record, with_zeros

TINY = 1e-300  # The least divergence: costs are divided by it, and an even pair has 0.


class Evidence(NamedTuple):
    """The evidence about each pair of arms; arrays are updated in place."""

    wins: IntPerPair  # wins[i, j] = duels arm i has won against arm j.
    ahead: IntPerPair  # 1 if i beats j empirically, -1 if j beats i, 0 if neither does.
    losses: IntPerArm  # L_i.
    divergence: FloatPerPair  # d(p, 1/2), p being the empirical preference of the arm ahead; symmetric.
    weight: FloatPerPair  # Duels times divergence; symmetric.
    by_weight: np.ndarray  # (K, K - 1) int64. The other arms of each row in increasing order of weight.
    version: np.ndarray  # (1,) record: ``duels`` is raised by every update, ``signs`` by those that change `ahead`.


def new_evidence(n_arms: int) -> Evidence:
    """Return the evidence before the first duel: every pair is at 1/2."""
    others = [[j for j in range(n_arms) if j != i] for i in range(n_arms)]
    return with_zeros(
        Evidence,
        n_arms,
        divergence=np.full((n_arms, n_arms), TINY),
        by_weight=np.array(others, np.int64),
        version=record(duels=0, signs=0),
    )


@inlined
def add_duels(evidence, first, second, first_wins, second_wins):
    """Count the outcomes of duels between two different arms."""
    wins = evidence.wins
    signs = evidence.ahead
    losses = evidence.losses
    weight = evidence.weight
    wins[first, second] += first_wins
    wins[second, first] += second_wins
    won = wins[first, second]
    lost = wins[second, first]
    ahead = 1 if won > lost else (-1 if won < lost else 0)
    before = signs[first, second]
    if ahead != before:
        signs[first, second] = ahead
        signs[second, first] = -ahead
        losses[first] += int(ahead < 0) - int(before < 0)
        losses[second] += int(ahead > 0) - int(before > 0)
        evidence.version[0].signs += 1
    divergence = kl_to_half(max(won, lost) / (won + lost))
    weighed = weight[first, second]
    evidence.divergence[first, second] = evidence.divergence[second, first] = max(divergence, TINY)
    weight[first, second] = weight[second, first] = (won + lost) * divergence
    _reorder(evidence.by_weight[first], weight[first], second, weighed)
    _reorder(evidence.by_weight[second], weight[second], first, weighed)
    evidence.version[0].duels += 1


@inlined
def _reorder(row, weight, j, before):
    """Move arm j to its place in a row of `by_weight`, after its weight has changed from ``before``."""
    k = 0
    above = row.size - 1
    while k < above:  # halving, to the first arm of that weight or more
        middle = (k + above) // 2
        if row[middle] != j and weight[row[middle]] < before:
            k = middle + 1
        else:
            above = middle
    while row[k] != j:
        k += 1
    while k > 0 and weight[row[k - 1]] > weight[j]:
        row[k] = row[k - 1]
        k -= 1
    while k < row.size - 1 and weight[row[k + 1]] < weight[j]:
        row[k] = row[k + 1]
        k += 1
    row[k] = j


@inlined
def two_least(losses):
    """Return L_(1) and L_(2), the two smallest entries (equal if two arms share the smallest)."""
    least = min(losses[0], losses[1])
    second = max(losses[0], losses[1])
    for i in range(2, losses.size):
        second = min(second, max(least, losses[i]))
        least = min(least, losses[i])
    return least, second
