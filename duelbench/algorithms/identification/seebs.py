"""SEEBS: sequential elimination that finds a good arm first, and then drops all that are clearly worse.

R holds all arms, in private order. In stage t = 1, 2, ... a knock-out among R (TKS) finds an arm v that is about as
good as any; then every other arm of R meets v in the comparator `place`, and those that it puts down leave R. The last
arm in R is the answer. In level s of TKS the arms that are left, in random order, meet in neighbouring pairs; v', one
of the two at random, goes on unless `place` says that the other is up. An odd arm at the end passes.

Assumes a total order with strong stochastic transitivity and the stochastic triangle inequality. The answer is wrong
with probability ``delta`` at most. Anytime.

References
----------
.. [1] W. Ren, J. Liu, N. Shroff, "The Sample Complexity of Best-k Items Selection from Pairwise Comparisons", ICML
   2020; program of the authors (WenboRen).
"""

import math
from typing import NamedTuple

import numpy as np

from duelbench.algorithms.contract import NEVER, Algorithm
from duelbench.algorithms.identification.parameters import DELTA
from duelbench.kernels.comparators import place
from duelbench.kernels.comparators.running_test import FIRST, OPEN, SECOND, begin, count_duels, new_test
from duelbench.kernels.decorators import kernel
from duelbench.kernels.records import record
from duelbench.kernels.sampling import shuffle

SORTING_OUT = 0  # the ``level`` while the arms of R meet v


class State(NamedTuple):
    arms: np.ndarray  # (K,) int64. R in private order; the first ``n_in`` entries count.
    bracket: np.ndarray  # (K,) int64. The arms of the running level; the first ``n_kept`` have passed it.
    progress: np.ndarray  # (1,) record of `start`
    test: np.ndarray  # (1,) record. The running test, with v' or v as second arm; of v with itself between tests.
    delta: float


def start(n_arms, horizon, rng, standing, *, delta):
    """State before round 1: all arms have passed stage 0; draws their private order."""
    arms = rng.permutation(n_arms)
    return State(
        arms=arms,
        bracket=arms.copy(),
        progress=record(
            stage=0,  # t
            n_in=n_arms,  # how many arms are in R
            level=SORTING_OUT,  # s, or SORTING_OUT
            n_playing=0,  # how many arms the level began with
            position=n_arms,  # the place of the arm under test, the first of its pair
            n_kept=n_arms,  # how many arms of the level, or of R, have passed
            v=arms[0],
        ),
        test=new_test(arms[0], arms[0]),
        delta=delta,
    )


@kernel
def select(state, t, rng):
    """The pair under test, until the test could end; the last arm permanently."""
    test = state.test[0]
    now = state.progress[0]
    if test.first != test.second:
        e, down, error = terms(now.stage, now.level, state.delta)
        won = place.winner(e, 0.0, down, error, test.n, test.wins)
        if won != OPEN:
            _enter(state, won)
    while test.first == test.second and now.n_in > 1:
        _go_on(state, rng)
    if now.n_in == 1:
        return now.v, now.v, NEVER
    e, down, error = terms(now.stage, now.level, state.delta)
    return test.first, test.second, place.rounds_left(e, 0.0, down, error, test.n, test.wins)


@kernel
def _enter(state, won):
    """Record which arm passed the test that has ended."""
    running = state.test[0]
    now = state.progress[0]
    if now.level == SORTING_OUT:
        if won != SECOND:
            state.arms[now.n_kept] = running.first
            now.n_kept += 1
        now.position += 1
    else:
        state.bracket[now.n_kept] = running.first if won == FIRST else running.second
        now.n_kept += 1
        now.position += 2
    begin(state.test, now.v, now.v)


@kernel
def _go_on(state, rng):
    """Between tests: the next test begins, or the next level or stage."""
    now = state.progress[0]
    if now.level == SORTING_OUT:
        if now.position == now.n_in:
            now.n_in = now.n_kept
            now.stage += 1
            for k in range(now.n_in):
                state.bracket[k] = state.arms[k]
            _begin_level(state, rng)
        elif state.arms[now.position] == now.v:
            state.arms[now.n_kept] = now.v
            now.n_kept += 1
            now.position += 1
        else:
            begin(state.test, state.arms[now.position], now.v)
    elif now.position + 1 < now.n_playing:
        one = state.bracket[now.position]
        other = state.bracket[now.position + 1]
        if rng.random() < 0.5:
            begin(state.test, other, one)
        else:
            begin(state.test, one, other)
    else:
        if now.position < now.n_playing:
            state.bracket[now.n_kept] = state.bracket[now.position]
            now.n_kept += 1
        if now.n_kept > 1:
            _begin_level(state, rng)
        else:  # v is found, and meets the others
            now.v = state.bracket[0]
            now.level = SORTING_OUT
            now.position = 0
            now.n_kept = 0


@kernel
def _begin_level(state, rng):
    """Those that have passed, in random order."""
    now = state.progress[0]
    now.level += 1
    now.n_playing = now.n_kept
    now.position = 0
    now.n_kept = 0
    shuffle(state.bracket, now.n_playing, rng)


@kernel
def terms(stage, level, delta):
    """e, the lower end of the band, and the error probability of the running test: the parameters of `place` but up."""
    third = 0.5**stage / 3.0  # al / 3
    dl = 6.0 * delta / (math.pi * stage) ** 2
    if level == SORTING_OUT:
        return third, third, dl / 3.0
    error = 6.0 * (2.0 * dl / 3.0) / (math.pi * level) ** 2
    return third * 0.8**level / 8.0, 0.0, error / 2.0


@kernel
def recommend(state):
    """v; before there is one, the first arm in private order."""
    return state.progress[0].v


@kernel
def explored(state):
    """The arms in R; 0 when one is left."""
    n_in = state.progress[0].n_in
    return n_in if n_in > 1 else 0


SEEBS = Algorithm.of_module(
    __name__,
    "seebs",
    "SEEBS",
    "total order",
    "Ren, Liu, Shroff 2020, SEEBS (authors' program)",
    answers=("condorcet",),
    parameters={"delta": DELTA},
    update=count_duels,
)
