"""Uniform: every pair in turn, forever. The baseline of pure exploration; `random` is its random counterpart."""

from typing import NamedTuple

import numpy as np

from duelbench.bandits.algorithms.contract import Algorithm
from duelbench.bandits.algorithms.exploration.parameter_sets import all_pairs
from duelbench.bandits.kernels.decorators import kernel
from duelbench.bandits.kernels.win_counts import recount_beaten


class State(NamedTuple):
    pairs: np.ndarray  # (K (K - 1) / 2, 2) int64. The pairs in private order.
    lead: np.ndarray  # (K, K) int64. Duels that arm i has won against arm j, less those it has lost.
    beaten: np.ndarray  # (K,) int64. How many arms each arm is ahead of.
    leader: np.ndarray  # (1,) int64. The arm ahead of most, the lowest index on ties.


def start(n_arms, horizon, rng, standing):
    """Return the state before round 1, with a random private order of the pairs."""
    pairs = all_pairs(n_arms)
    return State(
        pairs=pairs[rng.permutation(len(pairs))],
        lead=np.zeros((n_arms, n_arms), np.int64),
        beaten=np.zeros(n_arms, np.int64),
        leader=np.zeros(1, np.int64),
    )


@kernel
def select(state, t, rng):
    """Return the pair whose turn it is."""
    turn = (t - 1) % state.pairs.shape[0]
    return state.pairs[turn, 0], state.pairs[turn, 1], 1


@kernel
def update(state, first, second, first_wins, second_wins):
    """Count the outcomes, and update the leader, which changes only if a lead starts or ends."""
    before = state.lead[first, second]
    after = before + first_wins - second_wins
    state.lead[first, second] = after
    state.lead[second, first] = -after
    if (before > 0) != (after > 0) or (before < 0) != (after < 0):
        recount_beaten(state.beaten, first, second, before, after)
        state.leader[0] = state.beaten.argmax()


@kernel
def recommend(state):
    """Return the empirical Copeland winner."""
    return state.leader[0]


@kernel
def explored(state):
    """Return all pairs, always."""
    return state.pairs.shape[0]


UNIFORM = Algorithm.of_module(
    __name__,
    "uniform",
    "Uniform",
    "nothing",
    "baseline of Urvoy, Clerot, Feraud, Naamane 2013, section 5",
    answers=("copeland", "condorcet"),
    look=("grey", "dotted", "s"),
    learns_from_any_pair=True,
    source="paper",
)
