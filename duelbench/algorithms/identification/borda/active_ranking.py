"""Active ranking: every arm that may still belong to the k best or to the rest duels random opponents, in turn.

In every sweep each active arm i duels an opponent drawn from all other arms, active or not, and s_i is the share that
it has won. After a sweep, with n samples of each, s_(1) >= s_(2) >= ... the scores of active arms and k' places left
among the best::

    i is in  if s_i > s_(k'+1) + f alpha(n),
    i is out if s_i < s_(k') - f alpha(n),

both by the same scores. It ends when no place is left, or one for each active arm. Of late outcomes n is the least
number of samples that an active arm has.

Assumes that the k-th and the next Borda score differ. Anytime.

References
----------
.. [1] R. Heckel, N. B. Shah, K. Ramchandran, M. J. Wainwright, "Active Ranking from Pairwise Comparisons and When
   Parametric Assumptions Do Not Help", Annals of Statistics 2019.
"""

from typing import NamedTuple

import numpy as np

from duelbench.algorithms.contract import NEVER, Algorithm, Parameter
from duelbench.algorithms.identification.borda import scores as sampling
from duelbench.algorithms.identification.borda.scores import Scores, log_term, refuses
from duelbench.algorithms.identification.parameters import DELTA
from duelbench.kernels.decorators import kernel
from duelbench.kernels.records import record

ACTIVE, IN, OUT = 0, 1, -1
NO_ARM = -1


class State(NamedTuple):
    scores: Scores  # What samples say of each arm
    side: np.ndarray  # (K,) int64. ACTIVE, or IN or OUT of the k best.
    ranked: np.ndarray  # (K,) int64. The active arms at the last test, those ahead first: the first ``n_active``.
    progress: np.ndarray  # (1,) record of `start`
    log_term: float  # Of the radius
    factor: float  # f


def start(n_arms, horizon, rng, standing, *, delta, k, factor):
    """State before round 1; draws the private order of the arms."""
    scores = sampling.new_scores(n_arms, rng)
    return State(
        scores=scores,
        side=np.full(n_arms, ACTIVE),
        ranked=scores.order.copy(),
        progress=record(
            n_active=n_arms,  # how many arms are active
            places_left=k,  # how many of them belong to the k best
            turn=0,  # the place in private order from which the sweep goes on
        ),
        log_term=log_term(n_arms, delta),
        factor=factor,
    )


@kernel
def select(state, t, rng):
    """The next active arm of the sweep and a random opponent; after the last one, arms are tested."""
    arm = _next_in_sweep(state)
    if arm == NO_ARM:
        _test_arms(state)
        state.progress[0].turn = 0
        arm = _next_in_sweep(state)
    if arm == NO_ARM:
        best = recommend(state)
        return best, best, NEVER
    return arm, sampling.draw_opponent(arm, state.side.size, rng), 1


@kernel
def _next_in_sweep(state):
    """The next active arm in private order; NO_ARM where the sweep is over."""
    p = state.progress[0]
    for place in range(p.turn, state.side.size):
        arm = state.scores.order[place]
        if state.side[arm] == ACTIVE:
            p.turn = place + 1
            return arm
    return NO_ARM


@kernel
def _test_arms(state):
    """Which active arms are in, and which are out."""
    p = state.progress[0]
    if p.n_active == 0:
        return
    mean = state.scores.mean
    ranked = state.ranked
    sampling.sort_arms(state.scores, ranked, p.n_active)
    fewest = NEVER
    for k in range(p.n_active):
        fewest = min(fewest, state.scores.samples[ranked[k]])
    width = state.factor * sampling.radius(fewest, state.log_term)
    least_in = mean[ranked[p.places_left]] + width
    most_out = mean[ranked[p.places_left - 1]] - width
    kept = 0
    for k in range(p.n_active):
        arm = ranked[k]
        if mean[arm] > least_in:
            state.side[arm] = IN
            p.places_left -= 1
        elif mean[arm] < most_out:
            state.side[arm] = OUT
        else:
            ranked[kept] = arm
            kept += 1
    p.n_active = kept
    if p.places_left == 0 or p.places_left == kept:
        for k in range(kept):
            state.side[ranked[k]] = OUT if p.places_left == 0 else IN
        p.n_active = 0


@kernel
def update(state, first, second, first_wins, second_wins):
    """Count the outcomes, for the first arm only."""
    sampling.add_samples(state.scores, first, first_wins, second_wins)


@kernel
def recommend(state):
    """The arm of the highest score that is not out; ties in private order."""
    best = NO_ARM
    for arm in state.scores.order:
        if state.side[arm] != OUT and (best == NO_ARM or sampling.is_ahead(state.scores, arm, best)):
            best = arm
    return best


@kernel
def explored(state):
    """The arms that are neither in nor out; 0 when the answer is known."""
    return state.progress[0].n_active


@kernel
def rank(state, places):
    """0 for the arms that are in, and for active ones of the highest scores; 1 for the rest."""
    for i in range(places.size):
        ahead = 0
        for j in range(places.size):
            if state.side[j] == ACTIVE and sampling.is_ahead(state.scores, j, i):
                ahead += 1
        is_best = state.side[i] == ACTIVE and ahead < state.progress[0].places_left
        places[i] = 0 if state.side[i] == IN or is_best else 1


K_BEST = Parameter(1, "how many arms are looked for, those with the highest Borda scores", low=1)

ACTIVE_RANKING = Algorithm.of_module(
    __name__,
    "active-ranking",
    "Active ranking",
    "borda",
    "Heckel, Shah, Ramchandran, Wainwright 2019",
    answers=("borda", "top-k by borda"),
    parameters={
        "delta": DELTA,
        "k": K_BEST,
        "factor": Parameter(4.0, "radii that must lie between two scores", low=2.0),
    },
    refuses=refuses,
)
