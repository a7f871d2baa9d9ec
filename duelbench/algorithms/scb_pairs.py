"""Pairs of arms in an epoch of SCB: what is known of them, and how long one is sure to go on.

Both serve speed alone. Of many arms an epoch compares few pairs, and to forget all of them at its start would take
longer than it lasts: what is known of a pair is forgotten when the pair is met first in an epoch (`meet`), before it is
read or counted, so that nobody sees the difference. And a pair whose outcome is not certain yet need not be looked at
after each duel: `fewest_duels` bounds from below how many more it takes whatever they show, as the evidence that is
asked for never falls. So many rounds the decision stands; after each of them the answer would have been to go on.
"""

import math
from typing import NamedTuple

import numpy as np

from duelbench.kernels.decorators import kernel
from duelbench.kernels.win_counts import recount_beaten


class Pairs(NamedTuple):
    """Duels and verdicts; arrays are updated in place."""

    wins: np.ndarray  # (K, K) int64. wins[i, j] = duels arm i has won against arm j, in all epochs.
    beaten: np.ndarray  # (K,) int64. How many arms each arm beats in these duels.
    before: np.ndarray  # (K, K) int64. The part of them that does not count in this epoch.
    # (K, K) int64. 1 where i has been found to beat j in this epoch, -1 where to lose, 0 where that is open.
    verdict: np.ndarray
    # (K, K) int64. The epoch in which a pair was met last: to ``before`` and ``verdict`` of a pair that has not been
    # met in this epoch, `meet` has yet to be applied.
    latest: np.ndarray
    reuse_stats: bool  # Whether the duels of earlier epochs count


def new_pairs(n_arms, reuse_stats):
    """Before the first duel of epoch 0."""
    return Pairs(
        wins=np.zeros((n_arms, n_arms), np.int64),
        beaten=np.zeros(n_arms, np.int64),
        before=np.zeros((n_arms, n_arms), np.int64),
        verdict=np.zeros((n_arms, n_arms), np.int64),
        latest=np.zeros((n_arms, n_arms), np.int64),
        reuse_stats=reuse_stats,
    )


@kernel
def meet(pairs, i, j, epoch):
    """Forget the duels (unless they are reused) and the verdict of a pair, where it is met first in this epoch."""
    if pairs.latest[i, j] == epoch:
        return
    for a, b in ((i, j), (j, i)):
        pairs.latest[a, b] = epoch
        pairs.verdict[a, b] = 0
        if not pairs.reuse_stats:
            pairs.before[a, b] = pairs.wins[a, b]


@kernel
def won_and_lost(pairs, i, j):
    """Duels of this epoch that i has won against j, and lost; the pair has been met."""
    return pairs.wins[i, j] - pairs.before[i, j], pairs.wins[j, i] - pairs.before[j, i]


@kernel
def count(pairs, first, second, first_wins, second_wins, epoch):
    """Count outcomes. The pair is met before: outcomes may be delivered that were due in an earlier epoch."""
    meet(pairs, first, second, epoch)
    before = pairs.wins[first, second] - pairs.wins[second, first]
    pairs.wins[first, second] += first_wins
    pairs.wins[second, first] += second_wins
    after = pairs.wins[first, second] - pairs.wins[second, first]
    recount_beaten(pairs.beaten, first, second, before, after)


@kernel
def fewest_duels(lead, plays, missing):
    """A number of duels that n d(W / n, 1/2) needs at least to rise by more than ``missing`` >= 0 nats.

    It rises fastest if the arm that is ahead, by ``lead`` wins, wins them all. A win at the mean p then adds at most
    ln(2 p), which is at most ln 2 and at most 2 p - 1: m wins add no more than m (lead + m) / (plays + m).
    """
    half = 0.5 * (missing - lead)
    by_slope = half + math.sqrt(half * half + missing * plays)
    return max(1, int(max(by_slope, missing / math.log(2.0))))
