"""Interleaved Filter (IF1 and IF2).

An incumbent duels each of its rivals in turn; rivals that surely lose to it leave, and a rival that surely beats it
takes its place. Once no rival is left, the incumbent plays all later rounds.

Assumes a total order with strong stochastic transitivity and the stochastic triangle inequality. Needs the horizon.

References
----------
.. [1] Y. Yue, J. Broder, R. Kleinberg, T. Joachims, "The K-armed dueling bandits problem", Journal of Computer and
   System Sciences 78(5), 2012 (COLT 2009): IF1 and IF2. Sources differ in the radius.
"""

import math
from typing import NamedTuple

import numpy as np

from duelbench.bandits.algorithms.contract import NEVER, Algorithm, Parameter
from duelbench.bandits.kernels.decorators import kernel, plain
from duelbench.bandits.kernels.records import BoolPerArm, IntPerArm, with_zeros
from duelbench.bandits.kernels.sampling import draw_index, draw_member


class State(NamedTuple):
    incumbent: np.ndarray  # (1,) int64. The arm b^ of [1]_.
    rivals: np.ndarray  # (K,) int64. The set W in increasing order; the first ``n_rivals`` entries count.
    n_rivals: np.ndarray  # (1,) int64. The size of W.
    next_rival: np.ndarray  # (1,) int64. Place in W of the next rival of the sweep.
    surest: BoolPerArm  # Scratch: the rivals that beat the incumbent most surely.
    plays: IntPerArm  # plays[b] = duels of the current incumbent with arm b.
    wins: IntPerArm  # How many of them the incumbent has won.
    certainty: float  # 16 ln(1 / delta): see `settled`
    prunes: bool  # Whether a new incumbent also drops the rivals that were behind the old one (IF2)


def start(n_arms, horizon, rng, standing, *, variant):
    """Return the state before round 1: delta = 1 / (T K^2), b^ a random arm, W all others."""
    incumbent = plain(draw_index)(n_arms, rng)
    rivals = np.zeros(n_arms, np.int64)
    rivals[:-1] = np.delete(np.arange(n_arms), incumbent)
    return with_zeros(
        State,
        n_arms,
        incumbent=np.array([incumbent]),
        rivals=rivals,
        n_rivals=np.array([n_arms - 1]),
        next_rival=np.array([0]),
        certainty=16 * math.log(horizon * n_arms**2),
        prunes=variant == "if2",
    )


@kernel
def select(state, t, rng):
    """Return the pair (b^, b) for round ``t``, b from one end of W to the other, and the filter after each sweep."""
    n_rivals, next_rival = state.n_rivals, state.next_rival
    if next_rival[0] == n_rivals[0]:
        _filter(state, rng)
        next_rival[0] = 0
    incumbent = state.incumbent[0]
    if n_rivals[0] == 0:
        return incumbent, incumbent, NEVER
    b = state.rivals[next_rival[0]]
    next_rival[0] += 1
    if n_rivals[0] == 1:
        return incumbent, b, undecided_rounds(state.wins[b], state.plays[b], state.certainty)
    return incumbent, b, 1


@kernel
def update(state, first, second, first_wins, second_wins):
    """Count duels of the incumbent; late outcomes of a former one are forgotten with it."""
    if first == state.incumbent[0]:
        state.wins[second] += first_wins
        state.plays[second] += first_wins + second_wins


@kernel
def recommend(state):
    """Return the incumbent."""
    return state.incumbent[0]


@kernel
def explored(state):
    """Return the arms still in play: the incumbent and its rivals."""
    return state.n_rivals[0] + 1


@kernel
def settled(wins, plays, certainty):
    """Return 1 if the incumbent surely beats the rival, P - c > 1/2; -1 if it surely loses, P + c < 1/2; else 0.

    Both sides are multiplied by 2 plays and squared: P = wins / plays, c = sqrt(4 ln(1 / delta) / plays).
    """
    lead = 2 * wins - plays
    if lead * lead <= certainty * plays:
        return 0
    return 1 if lead > 0 else -1


@kernel
def undecided_rounds(wins, plays, certainty):
    """Return the first m with (|2 wins - plays| + m)^2 > certainty (plays + m), less 1 against rounding: 1 or more."""
    half = certainty / 2 - abs(2 * wins - plays)
    return max(1, int(half + math.sqrt(certainty * (certainty / 4 + plays - abs(2 * wins - plays)))) - 1)


@kernel
def _filter(state, rng):
    """After a sweep, drop rivals that surely lose from W, and make one that surely wins the incumbent."""
    rivals = state.rivals
    kept = 0
    lowest = math.inf
    for a in range(state.n_rivals[0]):
        b = rivals[a]
        sure = settled(state.wins[b], state.plays[b], state.certainty)
        if sure > 0:
            continue
        rivals[kept] = b
        kept += 1
        if sure < 0:
            lowest = min(lowest, state.wins[b] / state.plays[b])
    state.n_rivals[0] = kept
    if lowest < math.inf:
        state.surest[:] = False
        for a in range(kept):
            b = rivals[a]
            is_sure = settled(state.wins[b], state.plays[b], state.certainty) < 0
            state.surest[b] = is_sure and state.wins[b] / state.plays[b] == lowest
        _replace_incumbent(state, draw_member(state.surest, state.surest.sum(), rng))


@kernel
def _replace_incumbent(state, strongest):
    """b^ <- ``strongest``, W <- W \\ {b^}; IF2 drops all rivals with P > 1/2 as well. Counts restart at 0."""
    rivals = state.rivals
    kept = 0
    for a in range(state.n_rivals[0]):
        b = rivals[a]
        if b != strongest and not (state.prunes and 2 * state.wins[b] > state.plays[b]):
            rivals[kept] = b
            kept += 1
    state.n_rivals[0] = kept
    state.incumbent[0] = strongest
    for b in range(rivals.size):
        state.wins[b] = 0
        state.plays[b] = 0


INTERLEAVED_FILTER = Algorithm.of_module(
    __name__,
    "interleaved-filter",
    "Interleaved Filter",
    "total order",
    "Yue, Broder, Kleinberg, Joachims 2012, IF1 and IF2",
    answers=("condorcet",),
    anytime=False,
    parameters={
        "variant": Parameter("if2", "if2, or if1: no pruning when the incumbent changes", choices=("if1", "if2")),
    },
    look=("pink", "long", ">"),
    source="description",
)
