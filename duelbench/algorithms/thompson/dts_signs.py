"""The first set of samples of D-TS, as far as it is drawn: on which sides of 1/2 they fall, and the votes.

`dts` draws the signs of all pairs that matter, `dts_standing` and `dts_many_arms` only those that may well decide the
vote. All three count them here.
"""

from typing import NamedTuple

import numpy as np

from duelbench.kernels.decorators import kernel


class Signs(NamedTuple):
    """Scratch of one round; arrays are updated in place."""

    votes: np.ndarray  # (K,) int64. For each arm i, how many of the samples theta_ij that are drawn are above 1/2.
    known: np.ndarray  # (K,) int64. 0, or for arms all of whose signs are drawn the greater, the earlier they were.
    above: np.ndarray  # (K, K) bool. theta_ij > 1/2, for one order of each pair, see `is_above`. Only kept for D-TS+.
    are_kept: bool  # D-TS+ asks for the signs of all pairs, also after the vote


def new_signs(n_arms: int, are_kept: bool) -> Signs:
    """Nothing is drawn."""
    return Signs(
        votes=np.zeros(n_arms, np.int64),
        known=np.zeros(n_arms, np.int64),
        above=np.zeros((n_arms, n_arms), np.bool_),
        are_kept=are_kept,
    )


@kernel
def count_vote(signs, i, j, wins):
    """Arm i's sample against arm j is above 1/2, or below."""
    signs.votes[i] += wins
    signs.votes[j] += not wins
    if signs.are_kept:
        signs.above[i, j] = wins


@kernel
def is_above(signs, i, j):
    """Whether theta_ij > 1/2, where i < j: kept for the arm whose signs were drawn first, or for the lower index.

    Examples
    --------
    >>> signs = new_signs(3, are_kept=True)
    >>> count_vote(signs, 2, 0, True)
    >>> signs.known[2] = 1
    >>> is_above(signs, 0, 2), signs.votes.tolist()
    (False, [0, 0, 1])
    """
    return signs.above[i, j] if signs.known[i] >= signs.known[j] else not signs.above[j, i]
