"""Uniform: every pair in turn, permanently. What pure exploration must beat; `random` is its random counterpart."""

from typing import NamedTuple

import numpy as np

from duelbench.algorithms.contract import Algorithm
from duelbench.algorithms.exploration.parameter_sets import all_pairs
from duelbench.kernels.decorators import kernel
from duelbench.kernels.win_counts import copeland_leader


class State(NamedTuple):
    pairs: np.ndarray  # (K (K - 1) / 2, 2) int64. The pairs in private order.
    wins: np.ndarray  # (K, K) int64. wins[i, j] = duels that arm i has won against arm j.


def start(n_arms, horizon, rng, standing):
    """State before round 1; draws the private order of the pairs."""
    pairs = all_pairs(n_arms)
    return State(pairs[rng.permutation(len(pairs))], np.zeros((n_arms, n_arms), np.int64))


@kernel
def select(state, t, rng):
    """The pair whose turn it is."""
    turn = (t - 1) % state.pairs.shape[0]
    return state.pairs[turn, 0], state.pairs[turn, 1], 1


@kernel
def update(state, first, second, first_wins, second_wins):
    """Count the outcomes."""
    state.wins[first, second] += first_wins
    state.wins[second, first] += second_wins


@kernel
def recommend(state):
    """The empirical Copeland winner."""
    return copeland_leader(state.wins)


@kernel
def explored(state):
    """All pairs, always."""
    return state.pairs.shape[0]


UNIFORM = Algorithm.of_module(
    __name__,
    "uniform",
    "Uniform",
    "nothing",
    "baseline of Urvoy, Clerot, Feraud, Naamane 2013, section 5",
    answers=("copeland", "condorcet"),
)
