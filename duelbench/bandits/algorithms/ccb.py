"""Copeland Confidence Bound (CCB).

Duels an arm that may be a Copeland winner against the arm that is most likely to discredit it.

Assumes only that no two arms are evenly matched. Anytime.

References
----------
.. [1] M. Zoghi, Z. Karnin, S. Whiteson, M. de Rijke, "Copeland Dueling Bandits", NIPS 2015, Algorithm 1.
"""

import math
from typing import NamedTuple

import numpy as np

from duelbench.bandits.algorithms.contract import NEVER, SEVERAL, Algorithm, Parameter
from duelbench.bandits.kernels import confidence_bounds
from duelbench.bandits.kernels.confidence_bounds import Bounds, list_most_optimistic
from duelbench.bandits.kernels.decorators import inlined, kernel, not_inlined
from duelbench.bandits.kernels.records import BoolPerArm, BoolPerPair, IntPerArm, record, with_zeros
from duelbench.bandits.kernels.sampling import draw_index, draw_member
from duelbench.bandits.kernels.win_counts import copeland_leader


class State(NamedTuple):
    """Memory between rounds; arrays are updated in place. The sets depend on the bounds through ``below`` alone."""

    bounds: Bounds  # wins, and the rounds at which bounds reach 1/2. K - 1 - n_below[i] is the optimistic score of i.
    below: BoolPerPair  # below[i, j] = u_ij < 1/2: arm i surely loses to arm j.
    decided: BoolPerPair  # Whether i surely loses to j, or j to i, or i = j.
    n_beaten: IntPerArm  # Column sums of below: the number of arms that i surely beats, its pessimistic score.
    shortlist: BoolPerArm  # The set B.
    superiors: BoolPerPair  # superiors[i, j]: arm j is in the set B^i, believed to beat arm i.
    n_superiors: IntPerArm  # Sizes of the sets B^i.
    n_open: IntPerArm  # The number of j in B^i with u_ij >= 1/2: beliefs that have become doubtful.
    contenders: IntPerArm  # The set C of line 8 in increasing order; the first n_contenders count.
    favourites: IntPerArm  # B & C; the first n_favourites count.
    memo: np.ndarray  # (1,) record of `start`
    unplayed: float  # u_ij of a pair that never dueled
    standing: bool  # Whether decisions of several arms may hold for many rounds


def start(n_arms, horizon, rng, standing, *, alpha, unplayed):
    """Return the state before round 1 (lines 1-4): every arm may be a winner, and none is believed to beat another."""
    return with_zeros(
        State,
        n_arms,
        bounds=confidence_bounds.new_bounds(n_arms, alpha),
        decided=np.eye(n_arms, dtype=np.bool_),
        shortlist=np.ones(n_arms, np.bool_),
        contenders=np.arange(n_arms),
        favourites=np.arange(n_arms),
        memo=record(
            n_updates=0,  # calls of `update` since the last round
            first=0,  # the pair of the first of these calls
            second=0,
            open_pairs=0,  # the sum of n_open, the size of the set of line 10
            losses=n_arms,  # L_C: the estimated number of arms that beat a Copeland winner
            disproved=False,  # whether some arm of some B^i has turned out to lose to i
            unfinished=False,  # whether line 9 must be applied again although no bound changed
            settled=False,  # whether decisions hold until a bound reaches 1/2: see `_is_settled`
            n_contenders=n_arms,
            n_favourites=n_arms,
        ),
        unplayed=unplayed,
        standing=standing,
    )


@kernel
def select(state, t, rng):
    """Return the pair (c, d) for round ``t``.

    If no arm of C has an opponent left, this is the duel of c with itself, for many rounds.
    """
    bounds = state.bounds
    if _advance(state, t) or state.memo[0].unfinished:  # lines 6-7
        _revise(state, rng)  # lines 8-9
    if state.memo[0].settled:
        c = state.contenders[0] if state.memo[0].n_contenders == 1 else SEVERAL
        return c, c, bounds.event[0] - t
    if state.memo[0].open_pairs > 0 and rng.random() < 0.25:  # line 10
        i, j = _open_pair(state.superiors, state.below, state.n_open, state.memo[0].open_pairs, rng)
        return i, j, 1
    arms = state.contenders
    n = state.memo[0].n_contenders
    if 0 < state.memo[0].n_favourites < n and rng.random() < 2 / 3:  # line 11
        arms = state.favourites
        n = state.memo[0].n_favourites
    c = arms[draw_index(n, rng)]  # line 12
    count = _challengers(state, c, t, rng)  # line 13
    return c, bounds.tied[draw_index(count, rng)] if count > 0 else c, 1


@kernel
def self_duel_probability(state, arm):
    """Return the probability that an arm is the contender that duels itself, if several are settled."""
    n_below = state.bounds.n_below
    return 1.0 / state.memo[0].n_contenders if n_below[arm] == n_below[state.contenders[0]] else 0.0


@kernel
def _advance(state, t):
    """Lines 6-7: bring ``below`` and all counts to round ``t``; return whether some bound has crossed 1/2."""
    bounds = state.bounds
    memo = state.memo[0]
    crossed = False
    if memo.n_updates == 1:  # after one duel, only the bounds of its pair can have changed
        crossed = _update_below(state, memo.first, memo.second, t)
        crossed = _update_below(state, memo.second, memo.first, t) or crossed
    memo.n_updates = 0
    if t < bounds.event[0]:
        return crossed
    n_arms = bounds.n_below.size
    event = NEVER
    for i in range(n_arms):
        if t >= bounds.row_event[i]:
            bounds.row_event[i] = NEVER
            for j in range(n_arms):
                crossed = _update_below(state, i, j, t) or crossed
        event = min(event, bounds.row_event[i])
    bounds.event[0] = event
    return crossed


@inlined
def _update_below(state, i, j, t):
    """Bring ``below[i, j]`` to round ``t``; return whether u_ij has crossed 1/2."""
    bounds = state.bounds
    crossing = bounds.crossing[i, j]
    below = crossing > t
    if below:
        bounds.row_event[i] = min(bounds.row_event[i], crossing)
        bounds.event[0] = min(bounds.event[0], crossing)
    if below == state.below[i, j]:
        return False
    _cross(state, i, j, below)
    return True


@not_inlined
def _cross(state, i, j, below):
    """Update all counts after u_ij has fallen below 1/2 or risen to it, and record whether line 9A applies."""
    step = 1 if below else -1
    state.below[i, j] = below
    state.decided[i, j] = state.decided[j, i] = below or state.below[j, i]
    state.bounds.n_below[i] += step
    state.n_beaten[j] += step
    if state.superiors[i, j]:
        state.n_open[i] -= step
        state.memo[0].open_pairs -= step
    if below and state.superiors[j, i]:
        state.memo[0].disproved = True


@not_inlined
def _revise(state, rng):
    """Lines 8-9. With the same bounds, a second call changes nothing, unless B became empty and was refilled."""
    n_below = state.bounds.n_below
    n_arms = n_below.size
    fewest_losses = n_arms
    most_wins = 0
    for i in range(n_arms):
        fewest_losses = min(fewest_losses, n_below[i])
        most_wins = max(most_wins, state.n_beaten[i])
    if state.memo[0].disproved:
        _reset(state)  # 9A
        state.memo[0].disproved = False
    n_shortlisted = 0
    for i in range(n_arms):  # 9B
        if state.shortlist[i] and n_arms - 1 - n_below[i] < most_wins:
            state.shortlist[i] = False
            if state.n_superiors[i] != state.memo[0].losses + 1:  # B^i <- the arms that surely beat i
                _forget(state, i)
                for j in range(n_arms):
                    state.superiors[i, j] = state.below[i, j]
                state.n_superiors[i] = n_below[i]
        n_shortlisted += state.shortlist[i]
    state.memo[0].unfinished = n_shortlisted == 0
    if n_shortlisted == 0:
        _reset(state)
    _add_winners(state, fewest_losses, rng)  # 9C
    _list_contenders(state, fewest_losses)
    state.memo[0].settled = _is_settled(state)


@kernel
def _add_winners(state, losses, rng):
    """Line 9C: shortlist the arms of C whose score is certain, and limit all sets B^j by that score."""
    n_below = state.bounds.n_below
    n_arms = n_below.size
    first = True
    for i in range(n_arms):
        if n_below[i] != losses or n_below[i] + state.n_beaten[i] != n_arms - 1:
            continue
        state.shortlist[i] = True
        _forget(state, i)
        if first:  # L_C is the same for all arms of C, so the first arm resizes all B^j
            state.memo[0].losses = losses
            for j in range(n_arms):
                _resize(state, j, losses + 1, rng)
            first = False


@kernel
def _list_contenders(state, losses):
    """List C (line 8), and B & C (line 11)."""
    n_below = state.bounds.n_below
    n_contenders = 0
    n_favourites = 0
    for i in range(n_below.size):
        if n_below[i] == losses:
            state.contenders[n_contenders] = i
            n_contenders += 1
            if state.shortlist[i]:
                state.favourites[n_favourites] = i
                n_favourites += 1
    state.memo[0].n_contenders = n_contenders
    state.memo[0].n_favourites = n_favourites


@kernel
def _is_settled(state):
    """Return whether, up to the next event of the bounds, each round only draws the arm of C that duels itself.

    Line 10 then has no pair, and no arm of C has an opponent: all of C is in B, and line 11 draws nothing.
    """
    memo = state.memo[0]
    if memo.open_pairs > 0 or memo.unfinished or (memo.n_contenders > 1 and not state.standing):
        return False
    for k in range(memo.n_contenders):
        c = state.contenders[k]
        if state.bounds.n_below[c] + state.n_beaten[c] != state.shortlist.size - 1:
            return False
    return True


@kernel
def _reset(state):
    """Set B, L_C and all B^k to their values of lines 2-4."""
    state.shortlist[:] = True
    state.superiors[:, :] = False
    state.n_superiors[:] = 0
    state.n_open[:] = 0
    state.memo[0].open_pairs = 0
    state.memo[0].losses = state.shortlist.size


@kernel
def _forget(state, i):
    """B^i <- {}."""
    if state.n_superiors[i] > 0:
        state.superiors[i] = False
        state.n_superiors[i] = 0
        state.memo[0].open_pairs -= state.n_open[i]
        state.n_open[i] = 0


@kernel
def _resize(state, j, size, rng):
    """Empty B^j if it is smaller than ``size``; otherwise remove random arms until it has ``size``."""
    if state.n_superiors[j] < size:
        _forget(state, j)
    while state.n_superiors[j] > size:
        k = draw_member(state.superiors[j], state.n_superiors[j], rng)
        state.superiors[j, k] = False
        state.n_superiors[j] -= 1
        if not state.below[j, k]:
            state.n_open[j] -= 1
            state.memo[0].open_pairs -= 1


@not_inlined
def _open_pair(superiors, below, n_open, open_pairs, rng):
    """Line 10: draw (i, j) with j in B^i and 1/2 between l_ij and u_ij (line 9A ensures that l_ij <= 1/2)."""
    n_arms = n_open.size
    skip = draw_index(open_pairs, rng)
    for i in range(n_arms):
        if skip >= n_open[i]:
            skip -= n_open[i]
            continue
        for j in range(n_arms):
            if superiors[i, j] and not below[i, j]:
                if skip == 0:
                    return i, j
                skip -= 1
    return -1, -1


@kernel
def _challengers(state, c, t, rng):
    """Line 13: list the arms d != c of largest u_dc with l_dc <= 1/2 <= u_dc, in B^c or overall; return how many."""
    bounds = state.bounds
    n_arms = bounds.n_below.size
    if bounds.n_below[c] + state.n_beaten[c] == n_arms - 1:
        return 0
    only_superiors = state.n_open[c] > 0 and rng.random() < 0.5
    decided = state.decided[c]
    superiors = state.superiors[c]
    for d in range(n_arms):
        bounds.barred[d] = decided[d] or (only_superiors and not superiors[d])
    count, _ = list_most_optimistic(bounds, c, math.log(t), state.unplayed, 0.0)
    return count


@kernel
def update(state, first, second, first_wins, second_wins):
    """Line 14."""
    bounds = state.bounds
    memo = state.memo[0]
    confidence_bounds.count_duels(bounds, first, second, first_wins, second_wins)
    if memo.n_updates == 0:
        memo.first = first
        memo.second = second
    elif memo.n_updates > 0:  # several pairs: check the rows of all their arms
        for arm in (first, second, memo.first, memo.second):
            bounds.row_event[arm] = 0
        bounds.event[0] = 0
    memo.n_updates += 1


@kernel
def recommend(state):
    """Return the arm that beats most arms empirically."""
    return copeland_leader(state.bounds.wins)


PARAMETERS = {
    "alpha": Parameter(0.51, "exploration rate", low=0.0, low_open=True, proven_above=0.5),
    "unplayed": Parameter(2.0, "upper bound for a pair that never dueled; the papers' x/0 := 1 gives 2", low=1.0),
}

CCB = Algorithm.of_module(
    __name__,
    "ccb",
    "CCB",
    "copeland",
    "Zoghi, Karnin, Whiteson, de Rijke 2015, Algorithm 1",
    trace_version=2,
    look=("pink", "solid", "s"),
    learns_from_any_pair=True,
    source="paper",
)
