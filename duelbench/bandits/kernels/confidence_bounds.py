"""Confidence bounds of the RUCB family, and the rounds in which they cross 1/2."""

import math
from typing import NamedTuple

import numpy as np

from duelbench.bandits.kernels.decorators import inlined, kernel
from duelbench.bandits.kernels.never import NEVER
from duelbench.bandits.kernels.records import BoolPerArm, FloatPerPair, IntPerArm, IntPerPair, with_zeros
from duelbench.bandits.kernels.sampling import draw_index
from duelbench.bandits.kernels.threshold_rounds import round_at

MANY = 16  # From this many arms on, it is faster to compute all bounds than only the necessary ones.
MARGIN = 1e-9  # Bounds that differ by more are in the right order: rounding errors are far smaller.


@kernel
def upper_bound(wins, plays, alpha, log_t, unplayed):
    """Return the upper confidence bound of the RUCB family: wins / plays + sqrt(alpha ln t / plays).

    Parameters
    ----------
    wins, plays : int
        The wins of an arm against another one, and the duels of the two.
    alpha, log_t : float
        The exploration rate, and ln t.
    unplayed : float
        The bound of a pair that never dueled; the papers' convention x / 0 := 1 gives 2.

    Examples
    --------
    >>> upper_bound(1, 4, 0.25, 4.0, 2.0)
    0.75
    """
    if plays == 0:
        return unplayed
    return wins / plays + math.sqrt(alpha * log_t / plays)


@kernel
def crossing_round(wins, plays, alpha):
    """Return the first round t >= 1 with an `upper_bound` of at least 1/2, if the pair does not duel until then.

    That is t = exp(plays (1/2 - wins / plays)^2 / alpha), checked with `upper_bound` if it is close to a whole number;
    NEVER if the bound stays below 1/2. The pair must have dueled.

    Examples
    --------
    >>> crossing_round(5, 10, 0.51), crossing_round(0, 2, 0.5)  # exp(2 / 4 / 0.5) = 2.718...
    (1, 3)
    """
    if 2 * wins >= plays or alpha == math.inf:
        return 1
    gap = 0.5 - wins / plays
    t, sure = round_at(plays * gap * gap / alpha)
    if sure:
        return t
    while t > 1 and upper_bound(wins, plays, alpha, math.log(t - 1), 2.0) >= 0.5:
        t -= 1
    while upper_bound(wins, plays, alpha, math.log(t), 2.0) < 0.5:
        t += 1
    return t


class Bounds(NamedTuple):
    """Which upper bounds u_ij are below 1/2; arrays are updated in place.

    A bound grows with ln t: between duels of its pair it can only reach 1/2, in a round known in advance.
    """

    wins: IntPerPair  # wins[i, j] = duels arm i has won against arm j.
    plays: FloatPerPair  # Duels of i and j.
    # lost[i, j] = share of its duels with arm j that arm i has lost: with this and ``plays``, the
    # bounds u_ji of all arms j against one arm i are computed from one row.
    lost: FloatPerPair
    crossing: IntPerPair  # First round at which u_ij >= 1/2, as long as i and j do not duel; 1 on the diagonal.
    n_below: IntPerArm  # The number of arms j with u_ij < 1/2 in the current round: i surely does not beat them.
    row_event: IntPerArm  # n_below of the row does not change before this round.
    event: np.ndarray  # (1,) int64. The earliest of row_event.
    now: np.ndarray  # (1,) int64. The current round, as of the latest `advance`.
    version: np.ndarray  # (1,) int64. Increased by every update, and whenever ``n_below`` may have changed.
    # (K,) float64, (K,) int64. Scratch: bounds u_jc of all arms j against one arm c; the same memory.
    u: np.ndarray
    u_bits: np.ndarray
    barred: BoolPerArm  # Arms that `list_most_optimistic` leaves out; false between its calls.
    tied: np.ndarray  # (K + 1,) int64. Scratch: arms of the largest bound.
    alpha: float  # Exploration rate


def new_bounds(n_arms: int, alpha: float) -> Bounds:
    """Return the bounds before the first duel: none is below 1/2."""
    u = np.zeros(n_arms)
    return with_zeros(
        Bounds,
        n_arms,
        crossing=np.ones((n_arms, n_arms), np.int64),
        row_event=np.full(n_arms, NEVER),
        event=np.array([NEVER]),
        now=np.zeros(1, np.int64),
        version=np.zeros(1, np.int64),
        u=u,
        u_bits=u.view(np.int64),
        tied=np.zeros(n_arms + 1, np.int64),
        alpha=alpha,
    )


@kernel
def clear(bounds):
    """Reset the bounds to those before the first duel."""
    bounds.wins[:, :] = 0
    bounds.plays[:, :] = 0.0
    bounds.lost[:, :] = 0.0
    bounds.crossing[:, :] = 1
    bounds.n_below[:] = 0
    bounds.row_event[:] = NEVER
    bounds.event[0] = NEVER
    bounds.now[0] = 0
    bounds.version[0] += 1


@kernel
def add_duels(bounds, first, second, first_wins, second_wins):
    """Count the outcomes of duels between two different arms.

    Examples
    --------
    >>> bounds = new_bounds(2, 0.5)
    >>> advance(bounds, 1)
    >>> add_duels(bounds, 0, 1, 0, 2)  # u_01 = sqrt(ln t / 4) reaches 1/2 at t = e
    >>> bounds.n_below.tolist(), bounds.event.tolist()
    ([1, 0], [3])
    """
    was_first = bounds.crossing[first, second]
    was_second = bounds.crossing[second, first]
    count_duels(bounds, first, second, first_wins, second_wins)
    _count_below(bounds, first, was_first, bounds.crossing[first, second])
    _count_below(bounds, second, was_second, bounds.crossing[second, first])
    bounds.version[0] += 1


@kernel
def count_duels(bounds, first, second, first_wins, second_wins):
    """Do the part of `add_duels` that concerns only the pair: n_below and the events do not change."""
    wins = bounds.wins
    wins[first, second] += first_wins
    wins[second, first] += second_wins
    plays = wins[first, second] + wins[second, first]
    bounds.plays[first, second] = bounds.plays[second, first] = plays
    bounds.lost[first, second] = wins[second, first] / plays
    bounds.lost[second, first] = wins[first, second] / plays
    bounds.crossing[first, second] = crossing_round(wins[first, second], plays, bounds.alpha)
    bounds.crossing[second, first] = crossing_round(wins[second, first], plays, bounds.alpha)


@kernel
def _count_below(bounds, i, before, crossing):
    """Update the count and the events of row i after one of its crossings has changed from ``before``."""
    now = bounds.now[0]
    if before > now:
        bounds.n_below[i] -= 1
        if before == bounds.row_event[i]:  # the next event may be later now: look for it
            bounds.row_event[i] = 0
            bounds.event[0] = 0
    if crossing > now:
        bounds.n_below[i] += 1
        bounds.row_event[i] = min(bounds.row_event[i], crossing)
        bounds.event[0] = min(bounds.event[0], crossing)


@kernel
def advance(bounds, t):
    """Bring ``n_below`` to round ``t``; rounds never decrease."""
    bounds.now[0] = t
    if t < bounds.event[0]:
        return
    n_arms = bounds.wins.shape[0]
    event = NEVER
    for i in range(n_arms):
        if t >= bounds.row_event[i]:
            below = 0
            row_event = NEVER
            for j in range(n_arms):
                crossing = bounds.crossing[i, j]
                if crossing > t:
                    below += 1
                    row_event = min(row_event, crossing)
            bounds.n_below[i] = below
            bounds.row_event[i] = row_event
        event = min(event, bounds.row_event[i])
    bounds.event[0] = event
    bounds.version[0] += 1


@kernel
def is_below(crossing, i, j, t):
    """Return whether u_ij(t) < 1/2, that is l_ji(t) > 1/2: arm i surely does not beat arm j."""
    return crossing[i, j] > t


@kernel
def column_crossing(bounds, c):
    """Return the first round at which some other arm j has u_jc >= 1/2, as long as c duels nobody else."""
    first = NEVER
    for j in range(bounds.wins.shape[0]):
        if j != c:
            first = min(first, bounds.crossing[j, c])
    return first


@inlined
def list_most_optimistic(bounds, c, log_t, unplayed, least):
    """List the arms j of largest u_jc, except barred ones, in ``bounds.tied``; return their number and this bound.

    If the largest bound is less than ``least`` >= 0, return 0 and ``least``.
    """
    scale = bounds.alpha * log_t
    if bounds.u.size < MANY:
        return _list_among_few(bounds.lost[c], bounds.plays[c], bounds.barred, bounds.tied, scale, unplayed, least)
    _compute_all(bounds.lost[c], bounds.plays[c], bounds.barred, bounds.u, scale, unplayed)
    count = _list_largest(bounds.u_bits, bounds.tied)
    largest = bounds.u[bounds.tied[0]]
    return (count, largest) if largest >= least and largest > 0.0 else (0, least)


@inlined
def _list_among_few(lost, plays, barred, tied, scale, unplayed, largest):
    """Do what `list_most_optimistic` does, in one pass that skips bounds clearly below the largest so far."""
    count = 0
    for j in range(lost.size):
        room = largest - lost[j] - MARGIN
        if barred[j] or (room > 0.0 and room * room * plays[j] > scale):
            continue
        u = lost[j] + math.sqrt(scale / plays[j]) if plays[j] > 0.0 else unplayed
        if u > largest:
            largest = u
            count = 0
        if u == largest:
            tied[count] = j
            count += 1
    return count, largest


@kernel
def _compute_all(lost, plays, barred, u, scale, unplayed):
    """Compute all bounds, 0 for barred arms; without branches, so that the compiler uses vector instructions."""
    for j in range(u.size):
        played = lost[j] + math.sqrt(np.divide(scale, max(plays[j], 1.0)))
        bound = played if plays[j] > 0.0 else unplayed
        u[j] = 0.0 if barred[j] else bound


@kernel
def _list_largest(bits, tied):
    """List the places of the largest number >= 0, whose bits have the same order and allow vector instructions."""
    largest = bits[0]
    for j in range(1, bits.size):
        largest = max(largest, bits[j])
    count = 0
    for j in range(bits.size):
        tied[count] = j
        count += bits[j] == largest
    return count


@kernel
def most_optimistic(bounds, c, log_t, unplayed, rng):
    """Return the opponent d = argmax_j u_jc over all arms, c itself included with u_cc = 1/2.

    Ties are broken uniformly, but d = c only if no other arm attains the maximum (RUCB, line 13).
    """
    bounds.barred[c] = True
    count, _ = list_most_optimistic(bounds, c, log_t, unplayed, 0.5)
    bounds.barred[c] = False
    return bounds.tied[draw_index(count, rng)] if count > 0 else c
