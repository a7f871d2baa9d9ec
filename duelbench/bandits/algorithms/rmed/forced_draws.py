"""Line 4 of CW-RMED and ECW-RMED: duel pairs with too few duels, or an empirical preference too close to 1/2.

The conditions are `is_too_rare` and `is_too_close`. Only marked pairs are checked: a pair is marked when it duels, and
in the round, known in advance, from which its number of duels is too small. The band around 1/2 narrows, so only a duel
can bring a pair into it. If line 4 does not require a marked pair when it is checked, it loses the mark.
"""

import math
from typing import NamedTuple

import numpy as np

from duelbench.bandits.algorithms.contract import NEVER
from duelbench.bandits.kernels.decorators import inlined, kernel, not_inlined
from duelbench.bandits.kernels.records import record
from duelbench.bandits.kernels.threshold_rounds import round_at

NO_PAIR = -1


class Forced(NamedTuple):
    """The pairs that line 4 may require; arrays are updated in place."""

    marked: np.ndarray  # (n_pairs,) bool
    agenda: np.ndarray  # (1,) record of `new_forced`
    alpha: float
    beta: float
    every_round: bool  # Whether line 4 applies in every round; if not, only before each pass


def new_forced(n_pairs: int, alpha: float, beta: float, every_round: bool) -> Forced:
    """Return the state of line 4 before the first duel: every pair is marked."""
    agenda = record(
        n_marked=n_pairs,
        front=0,  # the next pair to check; with `every_round`, no pair before it is marked
        due=NEVER,  # the first round in which an unmarked pair has too few duels
    )
    return Forced(np.ones(n_pairs, np.bool_), agenda, alpha, beta, every_round)


@inlined
def forced_pair(core, t, log_t):
    """Return the pair that line 4 requires in round ``t``, the first in private order, or NO_PAIR."""
    forced = core.forced
    if not forced.every_round and core.lists.place[0].cursor > 0:
        return NO_PAIR
    if t >= forced.agenda[0].due:
        _mark_overdue(core.evidence.wins, core.arms_of, forced, log_t)
    if forced.agenda[0].n_marked == 0 and forced.every_round:
        return NO_PAIR
    return _first_forced(core.evidence.wins, core.arms_of, forced, log_t)


@kernel
def _first_forced(wins, arms_of, forced, log_t):
    """Return the first marked pair that line 4 requires."""
    marked = forced.marked
    agenda = forced.agenda[0]
    pair = NO_PAIR
    k = agenda.front
    while agenda.n_marked > 0 and k < marked.size and pair == NO_PAIR:
        if marked[k]:
            won = wins[arms_of[k, 0], arms_of[k, 1]]
            plays = won + wins[arms_of[k, 1], arms_of[k, 0]]
            if is_too_rare(plays, forced.alpha, log_t) or is_too_close(won, plays, forced.beta, log_t):
                pair = k
            else:
                marked[k] = False
                agenda.n_marked -= 1
                agenda.due = min(agenda.due, overdue_round(plays, forced.alpha))
        k += 1
    if forced.every_round:
        agenda.front = k if pair == NO_PAIR else pair
    else:
        agenda.front = 0 if pair == NO_PAIR else pair + 1
    return pair


@inlined
def is_too_rare(plays, alpha, log_t):
    """Return whether N_ij < alpha sqrt(ln t) (line 4)."""
    return plays < alpha * math.sqrt(log_t)


@inlined
def is_too_close(won, plays, beta, log_t):
    """Return whether |p - 1/2| < beta / max(1, ln ln t) (line 4), with p = 1/2 before the first duel."""
    distance = abs(won / plays - 0.5) if plays > 0 else 0.0
    if distance >= beta:
        return False
    return log_t <= math.e or distance < beta / max(1.0, math.log(log_t))


@kernel
def overdue_round(plays, alpha):
    """Return the first round t with plays < alpha sqrt(ln t)."""
    ratio = plays / alpha
    t, sure = round_at(ratio * ratio)
    if sure:
        return t
    while t > 1 and is_too_rare(plays, alpha, math.log(t - 1)):
        t -= 1
    while not is_too_rare(plays, alpha, math.log(t)):
        t += 1
    return t


@inlined
def mark(forced, pair):
    """Mark a pair that line 4 may require."""
    if not forced.marked[pair]:
        forced.marked[pair] = True
        forced.agenda[0].n_marked += 1
    if forced.every_round:
        forced.agenda[0].front = min(forced.agenda[0].front, pair)


@not_inlined
def _mark_overdue(wins, arms_of, forced, log_t):
    """Mark all pairs that now have too few duels, and compute when the next pair will have too few."""
    forced.agenda[0].due = NEVER
    for k in range(forced.marked.size):
        if not forced.marked[k]:
            plays = wins[arms_of[k, 0], arms_of[k, 1]] + wins[arms_of[k, 1], arms_of[k, 0]]
            if is_too_rare(plays, forced.alpha, log_t):
                mark(forced, k)
            else:
                forced.agenda[0].due = min(forced.agenda[0].due, overdue_round(plays, forced.alpha))
