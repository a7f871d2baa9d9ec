"""Batched elimination: all pairs of the arms that are left duel equally often, in few batches that grow.

After batch r every pair of active arms has dueled m_r times, m_r = max(m_{r-1} + 1, floor(T^(r/B))) with m_0 = 0. Then
all arms a leave together for which an active b has W_ba / m_r - 1/2 > sqrt(ln((K - 1) B / delta) / (2 m_r)). The answer
is the arm that is left; where none is, that there is no Condorcet winner; and after B batches the active arm that has
won most duels with active arms, without a promise.

Assumes a Condorcet winner, which leaves with probability ``delta`` at most. Uses the horizon, T. Where outcomes are
late, the arm recommended duels itself until all those of the batch are there.
"""

import math
from typing import NamedTuple

import numpy as np

from duelbench.algorithms.contract import NEVER, NO_WINNER, Algorithm, Parameter
from duelbench.algorithms.identification.parameters import DELTA
from duelbench.kernels.decorators import kernel
from duelbench.kernels.records import record


class State(NamedTuple):
    """Memory between rounds; arrays are updated in place."""

    wins: np.ndarray  # (K, K) int64. wins[i, j] = duels that arm i has won against arm j.
    arms: np.ndarray  # (K,) int64. The active arms in private order, and after them those that have left.
    sizes: np.ndarray  # (B,) int64. How often each pair has dueled after each batch: m_1, m_2, ...
    leaves: np.ndarray  # (K,) bool. Scratch: which active arms leave, by their place in ``arms``.
    progress: np.ndarray  # (1,) record of `start`
    log_term: float  # ln((K - 1) B / delta)


def start(n_arms, horizon, rng, standing, *, delta, batches):
    """State before round 1; draws the private order of the arms."""
    return State(
        wins=np.zeros((n_arms, n_arms), np.int64),
        arms=rng.permutation(n_arms),
        sizes=np.array(batch_sizes(horizon, batches)),
        leaves=np.zeros(n_arms, np.bool_),
        progress=record(
            n_active=n_arms,  # how many arms are active
            n_over=0,  # how many batches are over
            begins=1,  # the first round of the batch under way
            n_counted=0,  # how many of its outcomes have been counted
        ),
        log_term=math.log((n_arms - 1) * batches / delta),
    )


def batch_sizes(horizon, n_batches):
    """m_1, ..., m_B: how often each pair has dueled after each batch, in whole numbers throughout."""
    sizes = []
    last = 0
    for r in range(1, n_batches + 1):
        last = max(last + 1, _root(horizon**r, n_batches))
        sizes.append(last)
    return sizes


def _root(number, degree):
    """floor(number^(1 / degree)) for whole numbers from 1."""
    low, high = 1, 2 ** (number.bit_length() // degree + 1)  # number < high^degree
    while high - low > 1:
        middle = (low + high) // 2
        if middle**degree <= number:
            low = middle
        else:
            high = middle
    return low


@kernel
def select(state, t, rng):
    """The pair that the batch has in this round, for all its duels in the batch."""
    p = state.progress[0]
    if not _is_over(state) and _is_played(state, t) and p.n_counted == _n_pairs(state) * _duels_of_a_pair(state):
        _end_batch(state, t)
    if _is_over(state):
        last = recommend(state)
        return last, last, NEVER
    if _is_played(state, t):
        top = recommend(state)
        return top, top, 1
    duels = _duels_of_a_pair(state)
    i, j = _pair(state, (t - p.begins) // duels)
    return i, j, duels - (t - p.begins) % duels


@kernel
def _is_over(state):
    p = state.progress[0]
    return p.n_active <= 1 or p.n_over == state.sizes.size


@kernel
def _duels_of_a_pair(state):
    """How often each pair duels in the batch under way."""
    r = state.progress[0].n_over
    return state.sizes[r] - (state.sizes[r - 1] if r > 0 else 0)


@kernel
def _n_pairs(state):
    n_active = state.progress[0].n_active
    return n_active * (n_active - 1) // 2


@kernel
def _is_played(state, t):
    """Whether all duels of the batch were played before round t: without their number, which may be too large."""
    return (t - state.progress[0].begins) // _duels_of_a_pair(state) >= _n_pairs(state)


@kernel
def _pair(state, number):
    """The pair of active arms with this number, from 0."""
    first = 0
    left = number
    row = state.progress[0].n_active - 1
    while left >= row:
        left -= row
        row -= 1
        first += 1
    return state.arms[first], state.arms[first + 1 + left]


@kernel
def _end_batch(state, t):
    """All arms leave together that an active arm has surely beaten; the next batch begins in round t."""
    p = state.progress[0]
    for a in range(p.n_active):
        state.leaves[a] = _is_beaten(state, state.arms[a], state.sizes[p.n_over])
    kept = 0
    for a in range(p.n_active):
        if not state.leaves[a]:
            state.arms[a], state.arms[kept] = state.arms[kept], state.arms[a]
            kept += 1
    p.n_active = kept
    p.n_over += 1
    p.begins = t
    p.n_counted = 0


@kernel
def _is_beaten(state, a, m):
    radius = math.sqrt(state.log_term / (2.0 * m))
    for place in range(state.progress[0].n_active):
        b = state.arms[place]
        if b != a and state.wins[b, a] / m - 0.5 > radius:
            return True
    return False


@kernel
def update(state, first, second, first_wins, second_wins):
    """Count the outcomes."""
    state.wins[first, second] += first_wins
    state.wins[second, first] += second_wins
    state.progress[0].n_counted += first_wins + second_wins


@kernel
def recommend(state):
    """The active arm that has won the largest share of its duels with active arms; among all where none is active."""
    n_arms = state.progress[0].n_active if state.progress[0].n_active > 0 else state.arms.size
    best = -1
    highest = -1.0
    for a in state.arms[:n_arms]:
        won = 0
        lost = 0
        for b in state.arms[:n_arms]:
            won += state.wins[a, b]
            lost += state.wins[b, a]
        share = won / (won + lost) if won + lost > 0 else 0.5
        if share > highest:
            highest = share
            best = a
    return best


@kernel
def explored(state):
    """The arms that are active; 0 when the answer is known."""
    return 0 if _is_over(state) else state.progress[0].n_active


@kernel
def answer(state):
    """The arm that is left, or the best of several after the last batch; or that there is no Condorcet winner."""
    return recommend(state) if state.progress[0].n_active > 0 else NO_WINNER


BATCHED_ELIMINATION = Algorithm.of_module(
    __name__,
    id="batched-elimination",
    name="Batched elimination",
    assumes="condorcet",
    answers=("condorcet",),
    anytime=False,
    parameters={"delta": DELTA, "batches": Parameter(16, "how many batches at most", low=1, high=100)},
    reference="duelbench",
)
