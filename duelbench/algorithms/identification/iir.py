"""IIR: the exact ranking, by insertion of one arm after another with a walk on a tree.

S holds the arms ranked so far, in increasing order; everybody beats position 0, and nobody position m + 1. An attempt
to insert arm i takes M steps on the binary tree over the places, from node (0, m + 1); node (l, r) has the middle
floor((l + r) / 2). From the root and from inner nodes the walk goes down to the half in which i belongs, from inner
nodes and leaves back up where i does not belong there; a leaf where it seems to belong counts.

Assumes a total order. Some arm is out of its place with probability ``delta`` at most. Anytime. The constants are in
docs/algorithms/iir.md.

References
----------
.. [1] W. Ren, J. Liu, N. Shroff, "On Sample Complexity Upper and Lower Bounds for Exact Ranking from Noisy
   Comparisons", NeurIPS 2019; program of the authors (WenboRen).
"""

import math
from typing import NamedTuple

import numpy as np

from duelbench.algorithms.contract import NEVER, Algorithm
from duelbench.algorithms.identification.parameters import DELTA
from duelbench.kernels.comparators import cmp_iir
from duelbench.kernels.comparators.running_test import FIRST, MIDDLE, OPEN, begin, count_duels, new_test
from duelbench.kernels.decorators import kernel
from duelbench.kernels.records import record

Q = 15.0 / 16.0
ERROR_AT_ROOT = 1.0 - Q
ERROR_AT_LEAF = 1.0 - math.sqrt(Q)
ERROR_INSIDE = 1.0 - Q ** (1.0 / 3.0)

LOWER, UPPER, BETWEEN = 0, 1, 2  # what the running comparison is with: l, r or the middle of the node


class State(NamedTuple):
    order: np.ndarray  # (K,) int64. The private order, in which arms are inserted.
    ranked: np.ndarray  # (K,) int64. S, in increasing order; the first ``n_ranked`` entries count.
    # (K + 1,) int64. The nodes (l, r) from the root to where the walk is.
    low: np.ndarray
    high: np.ndarray
    walk: np.ndarray  # (1,) record of `start`
    test: np.ndarray  # (1,) record. The running comparison; of the arm with itself where its answer is free.
    x: float  # Probability that one insertion goes wrong


def start(n_arms, horizon, rng, standing, *, delta):
    """State before round 1: the first arm is ranked; draws the private order of the arms."""
    order = rng.permutation(n_arms)
    return State(
        order=order,
        ranked=np.repeat(order[0], n_arms),
        low=np.zeros(n_arms + 1, np.int64),
        high=np.full(n_arms + 1, 2),
        walk=record(
            n_ranked=1,  # m
            attempt=1,  # t
            step=0,  # how many steps the attempt has taken
            count=0,  # of the leaf
            depth=0,  # of the node, 0 at the root
            question=BETWEEN,
        ),
        test=new_test(order[1], order[0]),
        x=delta / n_arms,
    )


@kernel
def select(state, t, rng):
    """The arm to be inserted and the arm it is compared with, until the comparison could end; at last the best arm."""
    walk = state.walk[0]
    running = state.test[0]
    while walk.n_ranked < state.order.size:
        position = _position(state)
        if position == 0 or position > walk.n_ranked:
            go_on(state, position == 0)
            continue
        e = 0.5 ** (walk.attempt + 1)
        won = cmp_iir.winner(e, _error(state), running.n, running.wins)
        if won == OPEN:
            return running.first, running.second, cmp_iir.rounds_left(e, _error(state), running.n, running.wins)
        go_on(state, won == FIRST or (won == MIDDLE and rng.random() < 0.5))
    best = recommend(state)
    return best, best, NEVER


@kernel
def _is_leaf(state):
    depth = state.walk[0].depth
    return state.high[depth] == state.low[depth] + 1


@kernel
def _middle(state):
    depth = state.walk[0].depth
    return (state.low[depth] + state.high[depth]) // 2


@kernel
def _position(state):
    """The position of S that the running comparison is with, from 1; 0 and m + 1 are free."""
    walk = state.walk[0]
    if walk.question == LOWER:
        return state.low[walk.depth]
    if walk.question == UPPER:
        return state.high[walk.depth]
    return _middle(state)


@kernel
def _error(state):
    if state.walk[0].depth == 0:
        return ERROR_AT_ROOT
    return ERROR_AT_LEAF if _is_leaf(state) else ERROR_INSIDE


@kernel
def go_on(state, beaten):
    """Take the answer of the running comparison, whether its arm is beaten, and begin the next."""
    walk = state.walk[0]
    depth = walk.depth
    if walk.question == BETWEEN:  # down to the half in which the arm belongs
        middle = _middle(state)
        state.low[depth + 1] = middle if beaten else state.low[depth]
        state.high[depth + 1] = state.high[depth] if beaten else middle
        walk.depth += 1
        _end_step(state)
    elif walk.question == LOWER and beaten:
        _ask(state, UPPER)
    elif walk.question == LOWER or beaten:  # the arm does not belong here: the count falls, or back to the parent
        if walk.count > 0:
            walk.count -= 1
        else:
            walk.depth -= 1
        _end_step(state)
    elif not _is_leaf(state):
        _ask(state, BETWEEN)
    else:  # it seems to belong to this leaf
        walk.count += 1
        s = walk.step + 1
        spread = math.sqrt(0.5 * s * math.log(math.pi**2 * s * s / (3.0 * _x(state))))
        if walk.count > 1.0 + 0.5 * s + spread:
            _insert(state)
        else:
            _end_step(state)


@kernel
def _ask(state, question):
    """Begin a comparison at the node where the walk is."""
    walk = state.walk[0]
    walk.question = question
    i = state.order[walk.n_ranked]
    position = _position(state)
    is_free = position == 0 or position > walk.n_ranked
    begin(state.test, i, i if is_free else state.ranked[position - 1])


@kernel
def _end_step(state):
    """The next step, or the end of an attempt."""
    walk = state.walk[0]
    walk.step += 1
    steps = n_steps(walk.n_ranked, _x(state))
    if walk.step < steps:
        _ask(state, BETWEEN if walk.depth == 0 else LOWER)
    elif walk.count >= 1.0 + 5.0 * steps / 16.0:
        _insert(state)
    else:
        _begin_attempt(state, walk.attempt + 1)


@kernel
def _x(state):
    """x_t."""
    return 6.0 * state.x / (math.pi * state.walk[0].attempt) ** 2


@kernel
def n_steps(m, x):
    """M, the steps of an attempt to insert an arm among m with error probability ``x``."""
    h = 1
    while 2 ** (h - 1) < m + 1:
        h += 1
    return max(4 * h, math.ceil(512.0 * math.log(2.0 / x) / 25.0))


@kernel
def _insert(state):
    """Put the arm above l, and begin with the next."""
    walk = state.walk[0]
    place = state.low[walk.depth]
    for k in range(walk.n_ranked, place, -1):
        state.ranked[k] = state.ranked[k - 1]
    state.ranked[place] = state.order[walk.n_ranked]
    walk.n_ranked += 1
    if walk.n_ranked < state.order.size:
        _begin_attempt(state, 1)


@kernel
def _begin_attempt(state, attempt):
    """Go back to the root and forget everything."""
    walk = state.walk[0]
    walk.attempt = attempt
    walk.step = 0
    walk.count = 0
    walk.depth = 0
    state.high[0] = walk.n_ranked + 1
    _ask(state, BETWEEN)


@kernel
def recommend(state):
    """The best of the arms that are ranked."""
    return state.ranked[state.walk[0].n_ranked - 1]


@kernel
def explored(state):
    """The arms that have no place yet."""
    return state.order.size - state.walk[0].n_ranked


@kernel
def rank(state, places):
    """The places of the ranked arms, 0 the best; arms without one follow in private order."""
    n_ranked = state.walk[0].n_ranked
    for k in range(n_ranked):
        places[state.ranked[k]] = n_ranked - 1 - k
    for k in range(n_ranked, state.order.size):
        places[state.order[k]] = k


IIR = Algorithm.of_module(
    __name__,
    "iir",
    "IIR",
    "total order",
    "Ren, Liu, Shroff 2019, IIR (authors' program)",
    answers=("ranking", "condorcet"),
    parameters={"delta": DELTA},
    update=count_duels,
)
