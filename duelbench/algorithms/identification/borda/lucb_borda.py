"""LUCB-Borda: the two arms at the border of the k best duel random opponents, until their intervals part.

A sample of an arm is its duel with an opponent drawn from all others, and its score s_i the share of n_i that it has
won. After one sample of each arm, with the k arms of the highest scores on top::

    c = argmin of s_i - alpha(n_i) over the top,  u = argmax of s_i + alpha(n_i) over the rest,

it ends if s_c - alpha(n_c) >= s_u + alpha(n_u), and otherwise samples c, then u.

Assumes that the k-th and the next Borda score differ. Anytime.

References
----------
.. [1] R. Heckel, M. Simchowitz, K. Ramchandran, M. J. Wainwright, "Approximate Ranking from Pairwise Comparisons",
   AISTATS 2018.
"""

import math
from typing import NamedTuple

import numpy as np

from duelbench.algorithms.contract import NEVER, Algorithm
from duelbench.algorithms.identification.borda import scores as sampling
from duelbench.algorithms.identification.borda.active_ranking import K_BEST
from duelbench.algorithms.identification.borda.scores import Scores, log_term, refuses
from duelbench.algorithms.identification.parameters import DELTA
from duelbench.kernels.decorators import kernel
from duelbench.kernels.records import record

NO_ARM = -1


class State(NamedTuple):
    scores: Scores  # What samples say of each arm
    width: np.ndarray  # (K,) float64. alpha(n_i) of each arm; infinite before its first sample.
    ranked: np.ndarray  # (K,) int64. All arms, those ahead first, as they were when samples were chosen last.
    progress: np.ndarray  # (1,) record of `start`
    log_term: float  # Of the radius
    k: int  # How many arms are looked for


def start(n_arms, horizon, rng, standing, *, delta, k):
    """State before round 1; draws the private order of the arms."""
    scores = sampling.new_scores(n_arms, rng)
    return State(
        scores=scores,
        width=np.full(n_arms, math.inf),
        ranked=scores.order.copy(),
        progress=record(
            n_begun=0,  # how many arms were given their first sample
            next=NO_ARM,  # the arm to be sampled next
            is_over=False,  # whether the answer is known
        ),
        log_term=log_term(n_arms, delta),
        k=k,
    )


@kernel
def select(state, t, rng):
    """The arm to be sampled, and a random opponent: each arm once, then c and u in turns."""
    p = state.progress[0]
    arm = p.next
    p.next = NO_ARM
    if p.n_begun < state.width.size:
        arm = state.scores.order[p.n_begun]
        p.n_begun += 1
    elif arm == NO_ARM and not p.is_over:
        sampling.sort_arms(state.scores, state.ranked, state.ranked.size)
        c = _extreme(state, 0, state.k, -1.0)
        u = _extreme(state, state.k, state.ranked.size, 1.0)
        p.is_over = _end(state, c, -1.0) >= _end(state, u, 1.0)
        if not p.is_over:
            arm = c
            p.next = u
    if arm == NO_ARM:
        best = recommend(state)
        return best, best, NEVER
    return arm, sampling.draw_opponent(arm, state.width.size, rng), 1


@kernel
def _extreme(state, first, last, side):
    """Of these ranks the arm of the least low end, or of the highest high end; ties in private order."""
    best = state.ranked[first]
    for rank in range(first + 1, last):
        i = state.ranked[rank]
        end = side * _end(state, i, side)
        most = side * _end(state, best, side)
        if end > most or (end == most and state.scores.place[i] < state.scores.place[best]):
            best = i
    return best


@kernel
def _end(state, i, side):
    """The low end of the interval of arm i, or with ``side`` 1 the high end."""
    return state.scores.mean[i] + side * state.width[i]


@kernel
def update(state, first, second, first_wins, second_wins):
    """Count the outcomes, for the first arm only."""
    sampling.add_samples(state.scores, first, first_wins, second_wins)
    state.width[first] = sampling.radius(state.scores.samples[first], state.log_term)


@kernel
def recommend(state):
    """The arm of the highest score; ties in private order."""
    best = state.scores.order[0]
    for arm in state.scores.order:
        if sampling.is_ahead(state.scores, arm, best):
            best = arm
    return best


@kernel
def explored(state):
    """All arms; 0 when the answer is known."""
    return 0 if state.progress[0].is_over else state.width.size


@kernel
def rank(state, places):
    """0 for the k arms of the highest scores, 1 for the rest."""
    for i in range(places.size):
        ahead = 0
        for j in range(places.size):
            ahead += sampling.is_ahead(state.scores, j, i)
        places[i] = 0 if ahead < state.k else 1


LUCB_BORDA = Algorithm.of_module(
    __name__,
    "lucb-borda",
    "LUCB-Borda",
    "borda",
    "Heckel, Simchowitz, Ramchandran, Wainwright 2018",
    answers=("borda", "top-k by borda"),
    parameters={"delta": DELTA, "k": K_BEST},
    refuses=refuses,
)
