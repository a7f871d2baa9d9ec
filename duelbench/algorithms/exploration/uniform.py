"""Uniform: every pair in turn, permanently. What pure exploration must beat; `random` is its random counterpart."""

from typing import NamedTuple

import numpy as np

from duelbench.algorithms.contract import Algorithm
from duelbench.algorithms.exploration.copeland_decisions import change_scores
from duelbench.kernels.decorators import kernel


class State(NamedTuple):
    pairs: np.ndarray  # (K (K - 1) / 2, 2) int64. The pairs in private order.
    lead: np.ndarray  # (K, K) int64. Duels that arm i has won against arm j, less those it has lost.
    score: np.ndarray  # (K,) int64. How many arms each arm is ahead of.
    leader: np.ndarray  # (1,) int64. The arm of the highest score, the lowest index on ties.


def start(n_arms, horizon, rng, standing):
    """State before round 1; draws the private order of the pairs."""
    pairs = np.column_stack(np.triu_indices(n_arms, 1))
    return State(
        pairs=pairs[rng.permutation(len(pairs))],
        lead=np.zeros((n_arms, n_arms), np.int64),
        score=np.zeros(n_arms, np.int64),
        leader=np.zeros(1, np.int64),
    )


@kernel
def select(state, t, rng):
    """The pair whose turn it is."""
    turn = (t - 1) % state.pairs.shape[0]
    return state.pairs[turn, 0], state.pairs[turn, 1], 1


@kernel
def update(state, first, second, first_wins, second_wins):
    """Count the outcomes; scores change only where a lead begins or ends."""
    before = state.lead[first, second]
    now = before + first_wins - second_wins
    state.lead[first, second] = now
    state.lead[second, first] = -now
    change_first = int(now > 0) - int(before > 0)
    change_second = int(now < 0) - int(before < 0)
    if change_first != 0 or change_second != 0:
        state.leader[0] = change_scores(state.score, state.leader[0], first, second, change_first, change_second)


@kernel
def recommend(state):
    """The empirical Copeland winner."""
    return state.leader[0]


@kernel
def explored(state):
    """All pairs, always."""
    return state.pairs.shape[0]


UNIFORM = Algorithm.of_module(
    __name__,
    id="uniform",
    name="Uniform",
    assumes="nothing",
    answers=("copeland", "condorcet"),
    anytime=True,
    parameters={},
    reference="baseline of Urvoy, Clerot, Feraud, Naamane 2013, section 5",
)
