"""LUCB-Borda: two arms on either side of the k-th place duel random opponents, until their intervals are apart.

A sample of an arm is a duel with an opponent drawn from all others; its score s_i is the share of its n_i samples
that it has won. After one sample of each arm, with the k arms of the highest scores called the top::

    c = argmin of s_i - alpha(n_i) over the top,  u = argmax of s_i + alpha(n_i) over the rest,

it ends if s_c - alpha(n_c) >= s_u + alpha(n_u), and otherwise samples c, then u.

Assumes that the k-th and the next Borda score differ. Anytime.

References
----------
.. [1] R. Heckel, M. Simchowitz, K. Ramchandran, M. J. Wainwright, "Approximate Ranking from Pairwise Comparisons",
   AISTATS 2018, Algorithm 1 (Hamming-LUCB) with h = 0.
"""

import math
from typing import NamedTuple

import numpy as np

from duelbench.bandits.algorithms.contract import NEVER, Algorithm, Parameter
from duelbench.bandits.algorithms.stopping.rule import DELTA
from duelbench.bandits.kernels.decorators import kernel
from duelbench.bandits.kernels.records import record
from duelbench.bandits.kernels.sampling import draw_index

NO_ARM = -1


class State(NamedTuple):
    # (K,) int64. How many duels with a random opponent each arm has won, and how many it has played.
    wins: np.ndarray
    samples: np.ndarray
    mean: np.ndarray  # (K,) float64. wins / samples; 1/2 before the first sample.
    width: np.ndarray  # (K,) float64. alpha(n_i) of each arm; infinite before its first sample.
    order: np.ndarray  # (K,) int64. The private order of the arms, in which ties are broken.
    place: np.ndarray  # (K,) int64. The place of each arm in `order`.
    ranked: np.ndarray  # (K,) int64. All arms, the highest score first, as last sorted by `_sort`.
    progress: np.ndarray  # (1,) record of `start`
    log_term: float  # Of the radius
    k: int  # The number of arms to find


def start(n_arms, horizon, rng, standing, *, delta, k):
    """Return the state before round 1, with a random private order of the arms."""
    order = rng.permutation(n_arms)
    return State(
        wins=np.zeros(n_arms, np.int64),
        samples=np.zeros(n_arms, np.int64),
        mean=np.full(n_arms, 0.5),
        width=np.full(n_arms, math.inf),
        order=order,
        place=np.argsort(order),
        ranked=order.copy(),
        progress=record(
            n_begun=0,  # the number of arms whose first sample was chosen
            next=NO_ARM,  # the arm to be sampled next
            is_over=False,  # whether the answer is known
        ),
        log_term=_log_term_of(n_arms, delta),
        k=k,
    )


@kernel
def select(state, t, rng):
    """Return the arm to be sampled, and a random opponent: each arm once, then c and u in turn."""
    p = state.progress[0]
    arm = p.next
    p.next = NO_ARM
    if p.n_begun < state.width.size:
        arm = state.order[p.n_begun]
        p.n_begun += 1
    elif arm == NO_ARM and not p.is_over:
        _sort(state)
        c = _extreme(state, 0, state.k, -1.0)
        u = _extreme(state, state.k, state.ranked.size, 1.0)
        p.is_over = _end(state, c, -1.0) >= _end(state, u, 1.0)
        if not p.is_over:
            arm = c
            p.next = u
    if arm == NO_ARM:
        best = recommend(state)
        return best, best, NEVER
    opponent = draw_index(state.width.size - 1, rng)
    return arm, opponent + (opponent >= arm), 1


@kernel
def _sort(state):
    """Sort `ranked` in place, by insertion: it is still nearly sorted from the last time."""
    for k in range(1, state.ranked.size):
        arm = state.ranked[k]
        at = k
        while at > 0 and _is_ahead(state, arm, state.ranked[at - 1]):
            state.ranked[at] = state.ranked[at - 1]
            at -= 1
        state.ranked[at] = arm


@kernel
def _is_ahead(state, i, j):
    """Return whether arm i has a higher score than arm j; ties in private order."""
    if state.mean[i] != state.mean[j]:
        return state.mean[i] > state.mean[j]
    return state.place[i] < state.place[j]


@kernel
def _extreme(state, first, last, side):
    """Return, among the arms ranked ``first`` to ``last`` - 1, the one with the most extreme end of its interval.

    This is the lowest low end (``side`` -1) or the highest high end (``side`` 1); ties in private order.
    """
    best = state.ranked[first]
    for rank in range(first + 1, last):
        i = state.ranked[rank]
        end = side * _end(state, i, side)
        most = side * _end(state, best, side)
        if end > most or (end == most and state.place[i] < state.place[best]):
            best = i
    return best


@kernel
def _end(state, i, side):
    """Return the low end of the interval of arm i, or with ``side`` 1 the high end."""
    return state.mean[i] + side * state.width[i]


@kernel
def update(state, first, second, first_wins, second_wins):
    """Count the outcomes, for the first arm only."""
    state.wins[first] += first_wins
    state.samples[first] += first_wins + second_wins
    state.mean[first] = state.wins[first] / state.samples[first]
    state.width[first] = _radius(state.samples[first], state.log_term)


def _log_term_of(n_arms, delta):
    """Return the part of beta(n) that does not depend on n: ln(K / delta) + 3/4 ln ln(K / delta)."""
    return math.log(n_arms / delta) + 0.75 * math.log(math.log(n_arms / delta))


@kernel
def _radius(samples, log_term):
    """Return alpha(n) = sqrt(beta(n) / (2n)), beta(n) = ``log_term`` + 3/2 ln(1 + ln(n/2)); infinite for n = 0."""
    if samples == 0:
        return math.inf
    return math.sqrt((log_term + 1.5 * math.log(1.0 + math.log(0.5 * samples))) / (2.0 * samples))


@kernel
def recommend(state):
    """Return the arm of the highest score; ties in private order."""
    best = state.order[0]
    for arm in state.order:
        if _is_ahead(state, arm, best):
            best = arm
    return best


@kernel
def explored(state):
    """Return the number of arms; 0 once the answer is known."""
    return 0 if state.progress[0].is_over else state.width.size


@kernel
def rank(state, places):
    """Fill in 0 for the k arms of the highest scores, 1 for all others."""
    for i in range(places.size):
        ahead = 0
        for j in range(places.size):
            ahead += _is_ahead(state, j, i)
        places[i] = 0 if ahead < state.k else 1


def refuses(n_arms, horizon, *, delta, k):
    """Return why it cannot find the k best, or None."""
    if k >= n_arms:
        return f"k must be from 1 to {n_arms - 1}, got {k}"
    if _log_term_of(n_arms, delta) + 1.5 * math.log(1.0 - math.log(2.0)) < 0.0:
        return f"delta = {delta:g} is too large for its confidence intervals of {n_arms} arms; 0.4 is small enough"
    return None


LUCB_BORDA = Algorithm.of_module(
    __name__,
    "lucb-borda",
    "LUCB-Borda",
    "borda",
    "Heckel, Simchowitz, Ramchandran, Wainwright 2018, Algorithm 1 with h = 0",
    answers=("borda", "top-k by borda"),
    parameters={
        "delta": DELTA,
        "k": Parameter(1, "how many arms are looked for, those with the highest Borda scores", low=1),
    },
    refuses=refuses,
    look=("orange", "dash-dot-dot", "s"),
    source="paper",
)
