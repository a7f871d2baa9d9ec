"""REX3: Relative Exponential-weight algorithm for Exploration and Exploitation.

One vector of exponential weights chooses both arms; the winner's weight grows as much as the loser's shrinks.

Assumes nothing about the outcomes; its bound, 2 sqrt(K T ln K e g), concerns utilities. Needs the horizon, unless you
set ``anytime`` or ``gamma``.

p_i = (1 - gamma) w_i / sum of w_j + gamma / K; a and b are drawn independently from p. If they differ, psi = 1 if a
wins, otherwise -1: w_a is multiplied by exp((gamma / K) psi / (2 p_a)), w_b by exp(-(gamma / K) psi / (2 p_b)).

If gamma is fixed, nothing changes until two different arms duel. With s the sum of p_i^2, floor(ln u / ln s) rounds
come before, u being uniform, and arm i has p_i^2 / s of them. Then a is arm i with probability p_i (1 - p_i) / (1 - s),
and b is arm j with p_j / (1 - p_a). Rounds cut short without new outcomes go on to their planned end.

References
----------
.. [1] P. Gajane, T. Urvoy, F. Clérot, "A Relative Exponential Weighing Algorithm for Adversarial Utility-based Dueling
   Bandits", ICML 2015, Algorithm 1, equation (6) and section 5.2.
"""

import math
from typing import NamedTuple

import numpy as np

from duelbench.bandits.algorithms.adversarial.weights import Weights, add, draw, new_weights, scale
from duelbench.bandits.algorithms.contract import NEVER, SEVERAL, Algorithm, Parameter
from duelbench.bandits.kernels.decorators import kernel

SAME = 1e-15  # if different arms are less likely than this, they count as impossible


class State(NamedTuple):
    weights: Weights  # one player; its gamma is that of all rounds, or 0 if gamma changes from round to round
    # (2, K, K) float64. For each pair (a, b), the sum of (gamma / K) / (2 p_a), and of (gamma / K) / (2 p_b), over
    # all rounds without an outcome so far.
    steps: np.ndarray
    differ_at: np.ndarray  # (1,) int64. The next round in which the arms differ, or the last planned; 0 after updates.
    alike: np.ndarray  # (2,) float64. In the rounds before: (p_i - gamma / K) / w_i, and s.
    ratio: float  # K ln K / (e g): in round t of the anytime variant gamma is min(1/2, sqrt(ratio / t))
    standing: bool  # Whether decisions may hold for many rounds


def fixed_rate(n_arms, horizon, g):
    """Return gamma = min(1/2, sqrt(K ln K / (e g T)))."""
    return min(0.5, math.sqrt(n_arms * math.log(n_arms) / (math.e * g * horizon)))


def start(n_arms, horizon, rng, standing, *, g, gamma, anytime):
    """Return the state before round 1."""
    moves = anytime and gamma is None
    rate = 0.0 if moves else fixed_rate(n_arms, horizon, g) if gamma is None else gamma
    return State(
        weights=new_weights(1, n_arms, rate),
        steps=np.zeros((2, n_arms, n_arms)),
        differ_at=np.zeros(1, np.int64),
        alike=np.zeros(2),
        ratio=n_arms * math.log(n_arms) / (math.e * g),
        standing=standing and not moves,
    )


@kernel
def select(state, t, rng):
    """Return the pair (a, b) for round ``t``, or (SEVERAL, SEVERAL) for the rounds in which an arm duels itself."""
    relative = state.weights.relative[0]
    gamma = state.weights.gamma
    if gamma == 0.0:
        gamma = min(0.5, math.sqrt(state.ratio / t))
    factor = scale(state.weights, 0, gamma)
    floor = gamma / relative.size
    if not state.standing:
        a = draw(relative, factor, floor, rng)
        b = draw(relative, factor, floor, rng)
    else:
        if t > state.differ_at[0]:
            state.alike[0] = factor
            state.alike[1] = _probability_alike(relative, factor, floor)
            state.differ_at[0] = t + _rounds_alike(state.alike[1], rng)
        if t < state.differ_at[0]:
            return SEVERAL, SEVERAL, state.differ_at[0] - t
        a = _first_of_different(relative, factor, floor, rng)
        b = _second_of_different(relative, factor, floor, a, rng)
    if a != b:
        state.steps[0, a, b] += 0.5 * floor / (factor * relative[a] + floor)
        state.steps[1, a, b] += 0.5 * floor / (factor * relative[b] + floor)
    return a, b, 1


@kernel
def _probability_alike(relative, factor, floor):
    """Return s, the sum of p_i^2."""
    total = 0.0
    for i in range(relative.size):
        p = factor * relative[i] + floor
        total += p * p
    return total


@kernel
def _rounds_alike(s, rng):
    """Return how many rounds come before the first with different arms: n with probability s^n (1 - s)."""
    u = 1.0 - rng.random()
    if u > s:
        return 0
    if 1.0 - s < SAME:
        return NEVER
    return int(math.log(u) / math.log(s))


@kernel
def _first_of_different(relative, factor, floor, rng):
    """Draw a, given that b differs: arm i with probability p_i (1 - p_i) / (1 - s)."""
    u = rng.random() * (1.0 - _probability_alike(relative, factor, floor))
    last = relative.size - 1
    total = 0.0
    for i in range(last):
        p = factor * relative[i] + floor
        total += p * (1.0 - p)
        if u < total:
            return i
    return last


@kernel
def _second_of_different(relative, factor, floor, a, rng):
    """Draw b, given a and that b differs: arm j with probability p_j / (1 - p_a)."""
    u = rng.random() * (1.0 - (factor * relative[a] + floor))
    last = relative.size - 1 if a < relative.size - 1 else relative.size - 2
    total = 0.0
    for j in range(last):
        if j != a:
            total += factor * relative[j] + floor
            if u < total:
                return j
    return last


@kernel
def self_duel_probability(state, arm):
    """Return p_a^2 / s: the probability of arm a, given that an arm duels itself."""
    relative = state.weights.relative[0]
    p = state.alike[0] * relative[arm] + state.weights.gamma / relative.size
    return p * p / state.alike[1]


@kernel
def update(state, first, second, first_wins, second_wins):
    """Add the mean of psi, times the steps, to L of the first arm, and subtract it from L of the second."""
    psi = (first_wins - second_wins) / (first_wins + second_wins)
    add(state.weights, 0, first, psi * state.steps[0, first, second])
    add(state.weights, 0, second, -psi * state.steps[1, first, second])
    state.steps[0, first, second] = 0.0
    state.steps[1, first, second] = 0.0
    state.differ_at[0] = 0  # p has changed: draw again how many rounds are alike


@kernel
def recommend(state):
    """Return the arm of the largest weight (lowest index on ties)."""
    return np.argmax(state.weights.logarithms[0])


def anytime_with(*, g, gamma, anytime):
    """Return whether it plays without the horizon: it needs the horizon to compute a fixed gamma."""
    return anytime or gamma is not None


REX3 = Algorithm.of_module(
    __name__,
    "rex3",
    "REX3",
    "nothing",
    "Gajane, Urvoy, Clérot 2015, Algorithm 1",
    anytime=False,
    parameters={
        "g": Parameter(
            0.5,
            "most utility that an arm may gather, as a share of the horizon: gamma = min(1/2, sqrt(K ln K / (e g T)))",
            low=0.0,
            high=1.0,
            low_open=True,
        ),
        "gamma": Parameter(None, "learning rate and share of uniform draws, instead", low=0.0, high=0.5, low_open=True),
        "anytime": Parameter(False, "whether gamma follows the round, t in the place of T"),
    },
    tells_together=True,
    look=("blue", "solid", "^"),
    source="paper",
)
