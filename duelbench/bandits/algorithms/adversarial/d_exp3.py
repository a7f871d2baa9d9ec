"""D-EXP3 and D-EXP3-HP: exponential weights for the Borda scores.

One vector of exponential weights chooses both arms; the first one's estimated Borda score grows if it wins.

Assumes nothing about the outcomes: regret against the arm with the best sum of Borda scores (``borda-static``) is
O((K ln K)^(1/3) T^(2/3)). Needs the horizon.

x and y are drawn independently from q_i = (1 - gamma) exp(eta S_i) / sum of exp(eta S_j) + gamma / K, and
S_x += 1 / (K q_x q_y) if x wins; if x = y, by a fair coin. The variant ``hp``, with a bound that holds with high
probability, adds beta / q_i to every S_i in each round. Late outcomes of several duels of a pair are spread evenly over
their 1 / (K q_x q_y).

References
----------
.. [1] A. Saha, T. Koren, Y. Mansour, "Adversarial Dueling Bandits", ICML 2021: D-EXP3, and its form for high
   probability, as in the library duelpy.
"""

import math
from typing import NamedTuple

import numpy as np

from duelbench.bandits.algorithms.adversarial.weights import Weights, add, draw, follow, new_weights, scale
from duelbench.bandits.algorithms.contract import Algorithm, Parameter
from duelbench.bandits.kernels.decorators import kernel


class State(NamedTuple):
    weights: Weights  # one player, with L_i = eta S_i
    steps: np.ndarray  # (K, K) float64. Sums of eta / (K q_x q_y) over all duels without an outcome so far.
    eta: float
    bonus: float  # eta beta in the variant hp, otherwise 0


def start(n_arms, horizon, rng, standing):
    """Return the state before round 1 of D-EXP3."""
    eta = (math.log(n_arms) / (horizon * math.sqrt(n_arms))) ** (2 / 3)
    gamma = min(1.0, math.sqrt(eta * n_arms))
    return State(new_weights(1, n_arms, gamma), np.zeros((n_arms, n_arms)), eta, 0.0)


def start_hp(n_arms, horizon, rng, standing, *, delta):
    """Return the state before round 1 of D-EXP3-HP."""
    state = start(n_arms, horizon, rng, standing)
    beta = math.sqrt(math.log(n_arms / delta) / (n_arms * horizon))
    return state._replace(bonus=state.eta * beta)


@kernel
def select(state, t, rng):
    """Return the pair (x, y) for round ``t``, both drawn from q."""
    weights = state.weights
    relative = weights.relative[0]
    n_arms = relative.size
    factor = scale(weights, 0, weights.gamma)
    floor = weights.gamma / n_arms
    x = draw(relative, factor, floor, rng)
    y = draw(relative, factor, floor, rng)
    q_x = factor * relative[x] + floor
    q_y = factor * relative[y] + floor
    state.steps[x, y] += state.eta / (n_arms * q_x * q_y)
    if state.bonus > 0:
        for i in range(n_arms):
            weights.logarithms[0, i] += state.bonus / (factor * relative[i] + floor)
        follow(weights, 0)
    return x, y, 1


@kernel
def update(state, first, second, first_wins, second_wins):
    """Add the wins of the first arm to its S."""
    if first_wins > 0:
        share = first_wins / (first_wins + second_wins)
        add(state.weights, 0, first, share * state.steps[first, second])
    state.steps[first, second] = 0.0


@kernel
def recommend(state):
    """Return the arm of the largest S (lowest index on ties)."""
    return np.argmax(state.weights.logarithms[0])


D_EXP3 = Algorithm.of_module(
    __name__,
    "d-exp3",
    "D-EXP3",
    "nothing",
    "Saha, Koren, Mansour 2021, D-EXP3",
    anytime=False,
    reads_self_duels=True,
    tells_together=True,
    look=("green", "dash-dot-dot", "d"),
    source="program",
)

D_EXP3_HP = Algorithm.of_module(
    __name__,
    "d-exp3-hp",
    "D-EXP3-HP",
    "nothing",
    "Saha, Koren, Mansour 2021, D-EXP3 with high probability, as in duelpy",
    anytime=False,
    parameters={
        "delta": Parameter(
            0.1, "probability with which the bound may fail", low=0.0, high=1.0, low_open=True, high_open=True
        )
    },
    start=start_hp,
    reads_self_duels=True,
    tells_together=True,
    look=("olive", "long", "h"),
    source="program",
)
