"""Borda-Confidence-Bound (BCB): uniform duels until one arm surely has the best Borda score, then only that arm.

Assumes that one arm leads in Borda score by a fixed gap at every round. Needs the horizon.

x is uniform on all arms, y on all others, and S_x += K if x wins. With width = 2 sqrt((K / t) ln(2 K T / delta)), arm c
duels itself in all later rounds once S_c / t - width > S_i / t + width for all others.

References
----------
.. [1] A. Saha, T. Koren, Y. Mansour, "Adversarial Dueling Bandits", ICML 2021: Borda-Confidence-Bound for a fixed gap,
   as in the library duelpy.
"""

import math
from typing import NamedTuple

import numpy as np

from duelbench.bandits.algorithms.contract import NEVER, Algorithm, Parameter
from duelbench.bandits.kernels.decorators import kernel
from duelbench.bandits.kernels.sampling import draw_index

NO_ARM = -1


class State(NamedTuple):
    wins: np.ndarray  # (K,) int64. S_i / K: duels that arm i has won as the first arm.
    seen: np.ndarray  # (1,) int64. t: outcomes that have arrived.
    test_at: np.ndarray  # (1,) int64. With fewer outcomes no arm can be far enough ahead.
    settled: np.ndarray  # (1,) int64. c, or NO_ARM.
    spread: float  # 4 sqrt(K ln(2 K T / delta)): twice the width times sqrt(t)


def start(n_arms, horizon, rng, standing, *, delta):
    """Return the state before round 1."""
    return State(
        wins=np.zeros(n_arms, np.int64),
        seen=np.zeros(1, np.int64),
        test_at=np.ones(1, np.int64),
        settled=np.array([NO_ARM]),
        spread=4 * math.sqrt(n_arms * math.log(2 * n_arms * horizon / delta)),
    )


@kernel
def select(state, t, rng):
    """Return the pair (x, y) for round ``t``, uniform, or (c, c)."""
    if state.settled[0] == NO_ARM and state.seen[0] >= state.test_at[0]:
        _test(state)
    c = state.settled[0]
    if c != NO_ARM:
        return c, c, NEVER
    n_arms = state.wins.size
    x = draw_index(n_arms, rng)
    y = draw_index(n_arms - 1, rng)
    return x, y + 1 if y >= x else y, 1


@kernel
def _test(state):
    """Settle on the leader if it is more than two widths ahead; otherwise record when to test again."""
    n_arms = state.wins.size
    c = np.argmax(state.wins)
    second = -1
    for i in range(n_arms):
        if i != c:
            second = max(second, state.wins[i])
    ahead = n_arms * (state.wins[c] - second)  # S_c - S_i
    needed = state.spread * math.sqrt(state.seen[0])  # 2 t width, which only grows
    if ahead > needed:
        state.settled[0] = c
    else:
        state.test_at[0] = state.seen[0] + max(1, int((needed - ahead) / n_arms))  # no outcome adds more than K


@kernel
def update(state, first, second, first_wins, second_wins):
    """Count the wins of the first arm."""
    state.wins[first] += first_wins
    state.seen[0] += first_wins + second_wins


@kernel
def recommend(state):
    """Return the arm of the largest S (lowest index on ties)."""
    return np.argmax(state.wins)


BCB = Algorithm.of_module(
    __name__,
    "bcb",
    "BCB",
    "borda",
    "Saha, Koren, Mansour 2021, Borda-Confidence-Bound",
    anytime=False,
    parameters={
        "delta": Parameter(
            0.1,
            "probability with which it may settle for a wrong arm",
            low=0.0,
            high=1.0,
            low_open=True,
            high_open=True,
        )
    },
    look=("brown", "dash-dot-dot", "v"),
    source="program",
)
