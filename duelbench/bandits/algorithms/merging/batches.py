"""Batches of arms that merge as arms are eliminated: the common part of MergeRUCB and MergeDTS.

Batches have about p arms; S is the stage. Arms of a batch are in increasing order, so that "the first of them"
means the lowest index. The bounds are u_ij = W_ij / N_ij + sqrt(alpha ln(t + C) / N_ij), or 2 if i and j never dueled.
"""

import math
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from duelbench.bandits.kernels.confidence_bounds import upper_bound
from duelbench.bandits.kernels.decorators import kernel, not_inlined
from duelbench.bandits.kernels.records import BoolPerArm, IntPerArm
from duelbench.bandits.kernels.sampling import draw_index

NONE = -1
UNPLAYED = 2.0  # u_ij of a pair that never dueled: x / 0 := 1.


class Batches(NamedTuple):
    """The arms that are left; arrays are updated in place."""

    arms: IntPerArm  # Batch after batch, each in increasing order.
    begin: np.ndarray  # (n + 1,) int64, for n batches at first. Batch m is arms[begin[m]:begin[m + 1]].
    n_batches: np.ndarray  # (1,) int64
    stage: np.ndarray  # (1,) int64. S.
    # Scratch: ``arms`` and ``begin`` after a merge.
    new_arms: np.ndarray
    new_begin: np.ndarray
    rank: np.ndarray  # (n,) int64. Scratch: batches in order of size.
    beaten: BoolPerArm  # Scratch, by place in a batch: arms to be eliminated.
    size: int  # p
    surplus: int  # Batches merge when K / 2^S + surplus arms are left


def new_batches(order, size, surplus):
    """Divide ``order`` into consecutive batches of ``size`` arms; the last can be smaller."""
    n_arms = order.size
    begin = np.append(np.arange(0, n_arms, size), n_arms)
    pieces = [np.sort(order[a:b]) for a, b in pairwise(begin)]
    return Batches(
        arms=np.concatenate(pieces),
        begin=begin,
        n_batches=np.array([begin.size - 1]),
        stage=np.array([1]),
        new_arms=np.zeros(n_arms, np.int64),
        new_begin=np.zeros(begin.size, np.int64),
        rank=np.zeros(begin.size - 1, np.int64),
        beaten=np.zeros(n_arms, np.bool_),
        size=size,
        surplus=surplus,
    )


@kernel
def recommend(state):
    """Return the arm, among those that are left, that beats most arms empirically (lowest index on ties)."""
    batches = state.batches
    wins = state.wins
    best = NONE
    best_score = -1
    for k in range(batches.begin[batches.n_batches[0]]):
        i = batches.arms[k]
        score = 0
        for j in range(wins.shape[0]):
            score += wins[i, j] > wins[j, i]
        if score > best_score or (score == best_score and i < best):
            best = i
            best_score = score
    return best


@kernel
def log_shifted(t, log_offset):
    """Return ln(t + C), for any C >= 1, however large."""
    return log_offset + math.log1p(t * math.exp(-log_offset))


@kernel
def size_of(batches, m):
    """Return the number of arms of batch m."""
    return batches.begin[m + 1] - batches.begin[m]


@kernel
def eliminate(batches, m, wins, alpha, log_t, one_by_one, rng):
    """Remove from batch m the arms i with u_ij < 1/2 for some j of the batch, all of them at once.

    If this would empty the batch, or with ``one_by_one``, remove one of them at random, and repeat. ``log_t`` is
    ln(t + C).
    """
    while True:
        count = _mark_beaten(batches, m, wins, alpha, log_t)
        if count == 0:
            return
        one_by_one = one_by_one or count == size_of(batches, m)
        skip = draw_index(count, rng) if one_by_one else 0
        for k in range(size_of(batches, m) - 1, -1, -1):
            if batches.beaten[k]:
                count -= 1
                if not one_by_one or count == skip:
                    _remove(batches, m, k)


@kernel
def _mark_beaten(batches, m, wins, alpha, log_t):
    """Mark the arms of batch m that another arm of the batch surely beats; return the number of marks."""
    size = size_of(batches, m)
    begin = batches.begin[m]
    batches.beaten[:size] = False
    for a in range(size):
        i = batches.arms[begin + a]
        for b in range(a + 1, size):
            j = batches.arms[begin + b]
            plays = wins[i, j] + wins[j, i]
            if 2 * wins[i, j] < plays and upper_bound(wins[i, j], plays, alpha, log_t, UNPLAYED) < 0.5:
                batches.beaten[a] = True
            elif 2 * wins[j, i] < plays and upper_bound(wins[j, i], plays, alpha, log_t, UNPLAYED) < 0.5:
                batches.beaten[b] = True
    return batches.beaten[:size].sum()


@not_inlined
def _remove(batches, m, place):
    """Remove the arm at ``place`` from batch m."""
    n = batches.n_batches[0]
    for k in range(batches.begin[m] + place, batches.begin[n] - 1):
        batches.arms[k] = batches.arms[k + 1]
    for b in range(m + 1, n + 1):
        batches.begin[b] -= 1


@kernel
def merge_if_due(batches, n_arms, rng):
    """Merge if at most K / 2^S + surplus arms are left."""
    n = batches.n_batches[0]
    if n > 1 and batches.begin[n] <= n_arms / 2.0 ** batches.stage[0] + batches.surplus:
        merge(batches, rng)


@not_inlined
def merge(batches, rng):
    """Merge the batches, a second time if the smallest has at most p / 2 arms; S <- S + 1."""
    _pair_up(batches, rng)
    smallest = size_of(batches, 0)
    for m in range(1, batches.n_batches[0]):
        smallest = min(smallest, size_of(batches, m))
    if batches.n_batches[0] > 1 and 2 * smallest <= batches.size:
        _pair_up(batches, rng)
    batches.stage[0] += 1


@kernel
def _pair_up(batches, rng):
    """Join the smallest batch with the largest, and so on; a batch stays alone if the union would be too large."""
    _rank(batches, rng)
    new = 0
    low = 0
    high = batches.n_batches[0] - 1
    while low <= high:
        small = batches.rank[low]
        large = batches.rank[high]
        if low < high and 2 * (size_of(batches, small) + size_of(batches, large)) <= 3 * batches.size:
            _emit(batches, new, small, large)
            low += 1
        else:
            _emit(batches, new, large, NONE)
        high -= 1
        new += 1
    _adopt(batches, new)


@kernel
def _rank(batches, rng):
    """Sort the batches by size, those of equal size in random order."""
    n = batches.n_batches[0]
    rank = batches.rank
    for m in range(n):
        rank[m] = m
    for r in range(n):
        smallest = size_of(batches, rank[r])
        tied = 0
        for k in range(r, n):
            size = size_of(batches, rank[k])
            if size < smallest:
                smallest = size
                tied = 0
            tied += size == smallest
        skip = draw_index(tied, rng)
        k = r
        while size_of(batches, rank[k]) != smallest or skip > 0:
            skip -= size_of(batches, rank[k]) == smallest
            k += 1
        chosen = rank[k]
        for h in range(k, r, -1):  # keep the others in their order
            rank[h] = rank[h - 1]
        rank[r] = chosen


@kernel
def _emit(batches, new, a, b):
    """Store the union of batches a and b as batch ``new`` after the merge; batch a alone if b is NONE."""
    end = batches.new_begin[new]
    i = batches.begin[a]
    j = batches.begin[b] if b != NONE else 0
    last_j = batches.begin[b + 1] if b != NONE else 0
    while i < batches.begin[a + 1] or j < last_j:
        if j == last_j or (i < batches.begin[a + 1] and batches.arms[i] < batches.arms[j]):
            batches.new_arms[end] = batches.arms[i]
            i += 1
        else:
            batches.new_arms[end] = batches.arms[j]
            j += 1
        end += 1
    batches.new_begin[new + 1] = end


@kernel
def _adopt(batches, n):
    """Replace the batches by the n new batches."""
    for m in range(n + 1):
        batches.begin[m] = batches.new_begin[m]
    for k in range(batches.begin[n]):
        batches.arms[k] = batches.new_arms[k]
    batches.n_batches[0] = n


@not_inlined
def join_next(batches, m):
    """Join batch m with the next one, which for the last is the first; the union takes the place of the next."""
    n = batches.n_batches[0]
    after = (m + 1) % n
    new = 0
    for b in range(n):
        if b != m:
            _emit(batches, new, b, m if b == after else NONE)
            new += 1
    _adopt(batches, new)
