"""Winner Stays (WS-W and WS-S).

Every duel moves a point from the loser to the winner. The two arms with most points duel; on ties, arms of the latest
duel go first. So the winner stays, and meets all other arms before any of them comes back.

Assume a Condorcet winner, better a total order. Anytime. WS-W aims at weak regret: it never settles on one arm. WS-S
aims at strong regret: after each round over all arms it plays the winner against itself, longer each time.

Notation of [1]_: C_i = wins minus losses of arm i.

References
----------
.. [1] B. Chen, P. Frazier, "Dueling Bandits with Weak Regret", ICML 2017, Algorithms 1 and 2. The paper was not
   read; the rules come from descriptions and public programs.
"""

import math
from typing import NamedTuple

import numpy as np

from duelbench.bandits.algorithms.contract import NEVER, Algorithm, Parameter
from duelbench.bandits.kernels.decorators import kernel
from duelbench.bandits.kernels.records import BoolPerArm, IntPerArm, with_zeros
from duelbench.bandits.kernels.sampling import draw_member, highest

NO_ARM = -1


class State(NamedTuple):
    """Memory between rounds; arrays are updated in place."""

    points: IntPerArm  # C_i.
    last: np.ndarray  # (2,) int64. The latest pair of WS-W, i_(t-1) and j_(t-1); NO_ARM before.
    tied: BoolPerArm  # Scratch: arms to choose from.
    lap: np.ndarray  # (1,) int64. WS-S: the round l over the arms.
    exploit_end: np.ndarray  # (1,) int64. WS-S: the last round of the current or latest exploitation.
    beta: float  # WS-S: exploitation l lasts floor(beta^l) rounds; 0 for WS-W


def start(n_arms, horizon, rng, standing, *, beta_ws=0.0):
    """Return the state of WS-W before round 1, or of WS-S if ``beta_ws`` is positive."""
    return with_zeros(
        State, n_arms, last=np.array([NO_ARM, NO_ARM]), lap=np.array([1]), exploit_end=np.array([0]), beta=beta_ws
    )


@kernel
def restart(state, rng):
    """Reset the state to that before round 1."""
    state.points[:] = 0
    state.last[:] = NO_ARM
    state.lap[0] = 1
    state.exploit_end[0] = 0


@kernel
def select(state, t, rng):
    """Return WS-W's pair for round ``t``, or in an exploitation of WS-S the survivor against itself until its end."""
    if state.beta > 0.0:
        exploiting = t <= state.exploit_end[0]
        if not exploiting and _is_round_over(state.points, state.lap[0]):
            is_endless = state.lap[0] * math.log(state.beta) > math.log(NEVER)
            state.exploit_end[0] = t - 1 + (NEVER if is_endless else int(math.pow(state.beta, float(state.lap[0]))))
            state.lap[0] += 1
            exploiting = True
        if exploiting:
            survivor = highest(state.points)
            return survivor, survivor, state.exploit_end[0] - t + 1
    i = _preferred(state, NO_ARM, rng)
    j = _preferred(state, i, rng)
    state.last[0] = i
    state.last[1] = j
    rounds = _fewest_duels(state.points, i, j)
    if state.beta > 0.0:
        rounds = min(rounds, state.points[j] + state.lap[0])  # the end of round l, which WS-W does not notice
    return i, j, rounds


@kernel
def update(state, first, second, first_wins, second_wins):
    """Add a point to C of the winner, and subtract one from C of the loser, for each duel."""
    lead = first_wins - second_wins
    state.points[first] += lead
    state.points[second] -= lead


@kernel
def recommend(state):
    """Return the arm with most points (lowest index on ties)."""
    return highest(state.points)


@kernel
def _preferred(state, excluded, rng):
    """Return an arm k != ``excluded`` with most points: on ties i_(t-1), else j_(t-1), else a random one."""
    points = state.points
    most = -NEVER
    count = 0
    for k in range(points.size):
        if k != excluded and points[k] > most:
            most = points[k]
            count = 0
        count += k != excluded and points[k] == most
    for arm in state.last:
        if arm != NO_ARM and arm != excluded and points[arm] == most:
            return arm
    for k in range(points.size):
        state.tied[k] = k != excluded and points[k] == most
    return draw_member(state.tied, count, rng)


@kernel
def _fewest_duels(points, i, j):
    """Return the fewest duels of (i, j), with C_i >= C_j, after which j can pass i or fall behind another arm."""
    rounds = (points[i] - points[j]) // 2 + 1
    for k in range(points.size):
        if k != i and k != j:
            rounds = min(rounds, points[j] - points[k] + 1)
    return rounds


@kernel
def _is_round_over(points, lap):
    """Return whether round l over the arms is over: all arms but one have lost l points."""
    remaining = 0
    for k in range(points.size):
        remaining += points[k] > -lap
    return remaining == 1


WS_W = Algorithm.of_module(
    __name__,
    "ws-w",
    "WS-W",
    "condorcet",
    "Chen, Frazier 2017, Algorithm 1",
    look=("green", "solid", "X"),
    source="description",
)

WS_S = Algorithm.of_module(
    __name__,
    "ws-s",
    "WS-S",
    "condorcet",
    "Chen, Frazier 2017, Algorithm 2",
    parameters={
        "beta_ws": Parameter(
            1.1,
            "growth of the exploitations; theory wants less than p / (1 - p), with p of the closest pair",
            low=1.0,
            low_open=True,
        )
    },
    look=("grey", "solid", "p"),
    source="description",
)
