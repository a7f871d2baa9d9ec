"""Borda reduction (BR) and successive elimination with comparison sparsity (SECS), for the Borda winner.

In every turn t one opponent I is drawn from all arms, and every active arm j but I itself duels it; Z_jI counts how
often j has won. With s_j = K / (K - 1) times the duels that j has won, divided by t, and ph_ji = (K / t) Z_ji, both
without bias, all arms j leave together for which an active arm i has

2. s_i > s_j + K / (K - 1) sqrt(2 ln(4 K t^2 / delta) / t), or
1. t > T0 and 2 (ph_ij - 1/2) + (the sum of ph_io - ph_jo over o in O) > const (k + 1) C_t,

O being the k arms o, neither i nor j, with the largest abs(ph_io - ph_jo), C_t = sqrt(2 K L / t) + 2 K L / (3 t) and
L = ln(4 K^2 t^2 / delta). One active arm is the answer. BR leaves out the first condition: T0 is infinite.

Both assume a single Borda winner, and SECS that arms differ against few opponents. Condition 1 is tested only where it
could hold: a turn raises 2 Z_ij and the sum of absolute values by 2 at most.

References
----------
.. [1] K. Jamieson, S. Katariya, A. Deshpande, R. Nowak, "Sparse Dueling Bandits", AISTATS 2015, Algorithm 1.
"""

import math
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from duelbench.algorithms.contract import NEVER, Algorithm, Parameter
from duelbench.algorithms.identification.parameters import DELTA
from duelbench.kernels.decorators import kernel
from duelbench.kernels.records import BoolPerArm, IntPerArm, IntPerPair, record, with_zeros
from duelbench.kernels.sampling import draw_index

NO_ARM = -1


class State(NamedTuple):
    Z: IntPerPair  # Z[j, i] = duels that arm j has won when arm i was the opponent.
    won: IntPerArm  # The sums of its rows.
    order: np.ndarray  # (K,) int64. The private order of the arms.
    is_active: np.ndarray  # (K,) bool
    leaves: BoolPerArm  # Scratch: which arms leave after the turn.
    is_taken: BoolPerArm  # Scratch: which arms are in O.
    test_again: IntPerPair  # The first turn in which arm i could make arm j leave by condition 1.
    progress: np.ndarray  # (1,) record of `start`
    delta: float  # A third of the theorem's probability of a wrong answer
    k: int  # The size of O: K - 2 at most
    no_sooner: int  # T0
    const: float  # Of condition 1


def start_br(n_arms, horizon, rng, standing, *, delta):
    """State of BR before round 1; draws the private order of the arms."""
    return start(n_arms, horizon, rng, standing, delta=delta, k=0, t0=NEVER, const=1.0)


def start(n_arms, horizon, rng, standing, *, delta, k, t0, const):
    """State of SECS before round 1; draws the private order of the arms."""
    return with_zeros(
        State,
        n_arms,
        order=rng.permutation(n_arms),
        is_active=np.ones(n_arms, np.bool_),
        progress=record(
            n_active=n_arms,  # how many arms are active
            turn=0,  # t
            opponent=NO_ARM,
            place=n_arms,  # in private order, from which the turn goes on
            n_duels=0,  # how many duels there were
            n_seen=0,  # how many of their outcomes have arrived
            next_test=0,  # the least entry of ``test_again`` for active arms
        ),
        delta=delta,
        k=min(k, n_arms - 2),
        no_sooner=t0,
        const=const,
    )


@kernel
def select(state, t, rng):
    """The next active arm that duels the opponent of the turn; after the last, arms leave, and the next turn begins."""
    p = state.progress[0]
    arm = _next_in_turn(state)
    if arm == NO_ARM and p.n_seen < p.n_duels:
        top = recommend(state)
        return top, top, 1
    if arm == NO_ARM:
        if p.turn > 0 and p.n_active > 1:
            _eliminate(state)
        if p.n_active == 1:
            top = recommend(state)
            return top, top, NEVER
        p.turn += 1
        p.opponent = draw_index(state.order.size, rng)
        p.place = 0
        arm = _next_in_turn(state)
    p.n_duels += 1
    return arm, p.opponent, 1


@kernel
def _next_in_turn(state):
    """The next active arm in private order that is not the opponent; NO_ARM after the last."""
    p = state.progress[0]
    while p.place < state.order.size:
        arm = state.order[p.place]
        p.place += 1
        if state.is_active[arm] and arm != p.opponent:
            return arm
    return NO_ARM


@kernel
def _eliminate(state):
    """All arms leave together that an active arm surpasses by one of the conditions."""
    p = state.progress[0]
    best = recommend(state)
    n_arms = state.order.size
    radius = n_arms / (n_arms - 1.0) * math.sqrt(2.0 * math.log(4.0 * n_arms * p.turn * p.turn / state.delta) / p.turn)
    highest = _score(state, best)
    for j in range(state.order.size):
        state.leaves[j] = state.is_active[j] and highest > _score(state, j) + radius
    if p.turn > state.no_sooner and p.turn >= p.next_test:
        _test_sparsely(state)
    n_left = 0
    for j in range(state.order.size):
        n_left += state.is_active[j] and not state.leaves[j]
    if n_left == 0:
        state.leaves[best] = False
    for j in range(state.order.size):
        if state.leaves[j]:
            state.is_active[j] = False
            p.n_active -= 1


@kernel
def _score(state, j):
    """s_j."""
    n_arms = state.order.size
    return n_arms / (n_arms - 1.0) * state.won[j] / state.progress[0].turn


@kernel
def _test_sparsely(state):
    """Mark the arms that leave by condition 1, of the pairs for which it could hold."""
    p = state.progress[0]
    n_arms = state.order.size
    per_turn = 2.0 * n_arms * math.log(4.0 * n_arms * n_arms * p.turn * p.turn / state.delta) / p.turn
    level = state.const * (state.k + 1) * (math.sqrt(per_turn) + per_turn / 3.0)  # const (k + 1) C_t
    threshold = p.turn / n_arms * (1.0 + level)
    p.next_test = NEVER
    for i in range(n_arms):
        for j in range(n_arms):
            if i != j and state.is_active[i] and state.is_active[j]:
                if state.test_again[i, j] <= p.turn:
                    signed, absolute = _sum_over_O(state, i, j)
                    short = threshold - (2 * state.Z[i, j] + absolute)
                    state.test_again[i, j] = p.turn + max(1, int(0.5 * short))
                    if 2 * state.Z[i, j] + signed > threshold:
                        state.leaves[j] = True
                p.next_test = min(p.next_test, state.test_again[i, j])


@kernel
def _sum_over_O(state, i, j):
    """The sum of Z_io - Z_jo over O, and that of their absolute values."""
    state.is_taken[:] = False
    signed = 0
    absolute = 0
    for _ in range(state.k):
        o = _most_different(state, i, j)
        state.is_taken[o] = True
        signed += _lead(state, i, j, o)
        absolute += abs(_lead(state, i, j, o))
    return signed, absolute


@kernel
def _most_different(state, i, j):
    """The arm, not yet in O, against which arms i and j differ most; ties in private order."""
    most = NO_ARM
    for o in state.order:
        if o in (i, j) or state.is_taken[o]:
            continue
        if most == NO_ARM or abs(_lead(state, i, j, o)) > abs(_lead(state, i, j, most)):
            most = o
    return most


@kernel
def _lead(state, i, j, o):
    return state.Z[i, o] - state.Z[j, o]


@kernel
def update(state, first, second, first_wins, second_wins):
    """Count the outcomes, for the first arm only."""
    state.Z[first, second] += first_wins
    state.won[first] += first_wins
    state.progress[0].n_seen += first_wins + second_wins


@kernel
def recommend(state):
    """The active arm that has won most duels; ties in private order."""
    best = NO_ARM
    for arm in state.order:
        if state.is_active[arm] and (best == NO_ARM or state.won[arm] > state.won[best]):
            best = arm
    return best


@kernel
def explored(state):
    """The arms that are active; 0 when one is left."""
    n_active = state.progress[0].n_active
    return n_active if n_active > 1 else 0


BR = Algorithm.of_module(
    __name__,
    "br",
    "BR",
    "borda",
    "Jamieson, Katariya, Deshpande, Nowak 2015, Algorithm 1 without its first condition",
    answers=("borda",),
    parameters={
        "delta": replace(DELTA, description="a third of the probability of a wrong answer that the theorem allows")
    },
)

SECS = Algorithm.of_module(
    __name__,
    "secs",
    "SECS",
    "borda",
    "Jamieson, Katariya, Deshpande, Nowak 2015, Algorithm 1",
    answers=("borda",),
    parameters={
        "delta": replace(
            DELTA,
            description="a third of the probability of a wrong answer that the theorem allows with const = 6; nothing"
            " is proved for less",
        ),
        "k": Parameter(5, "how many other arms two arms are compared by; all of them if there are fewer", low=0),
        "t0": Parameter(0, "condition 1 is tested after more than this many turns", low=0),
        "const": Parameter(
            0.5, "factor of the threshold of condition 1; the paper's theorem has 6", low=0.0, low_open=True
        ),
    },
)
