"""Outcomes that an algorithm is told later: they are added up by pairs until they are delivered."""

from typing import NamedTuple

import numpy as np

from duelbench.algorithms.dispatch import update
from duelbench.kernels.decorators import kernel, not_inlined_or_plain


class DelayedOutcomes(NamedTuple):
    """Outcomes that are held back; arrays are updated in place.

    wins : (K, K, 2) int64. For each ordered pair: wins of the first arm, wins of the second.
    pairs : (K * K, 2) int64. Pairs with outcomes held back, in the order in which they were first played.
    """

    wins: np.ndarray
    pairs: np.ndarray


def new_delayed_outcomes(n_arms: int, delay: int) -> DelayedOutcomes | None:
    """Nothing held back; None where nothing ever is, because feedback is at once."""
    if delay == 1:
        return None
    return DelayedOutcomes(np.zeros((n_arms, n_arms, 2), np.int64), np.zeros((n_arms * n_arms, 2), np.int64))


@kernel
def hold_back(delayed, n_waiting, first, second, first_wins, second_wins):
    """Keep outcomes for later, beside those of ``n_waiting`` pairs; returns how many pairs have outcomes waiting."""
    if delayed.wins[first, second, 0] + delayed.wins[first, second, 1] == 0:
        delayed.pairs[n_waiting, 0] = first
        delayed.pairs[n_waiting, 1] = second
        n_waiting += 1
    delayed.wins[first, second, 0] += first_wins
    delayed.wins[first, second, 1] += second_wins
    return n_waiting


@not_inlined_or_plain
def deliver(state, delayed, n_waiting):
    """Tell the algorithm the outcomes of all pairs that wait, in the order in which they were first played."""
    for k in range(n_waiting):
        first = delayed.pairs[k, 0]
        second = delayed.pairs[k, 1]
        update(state, first, second, delayed.wins[first, second, 0], delayed.wins[first, second, 1])
        delayed.wins[first, second] = 0
