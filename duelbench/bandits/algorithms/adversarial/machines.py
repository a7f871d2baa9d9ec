"""Machines for adversarial rewards, to which Sparring reduces dueling bandits: Exp3, Exp3-IX and Exp3.S.

A machine draws an arm a from its probabilities p and observes its reward r, 0 or 1; only L_a changes
(`duelbench.bandits.algorithms.adversarial.weights`).

- ``exp3``: L_a += (gamma / K) r / p_a.
- ``exp3ix``: gamma = 0, L_a -= eta (1 - r) / (p_a + eta / 2).
- ``exp3s``: the weights w add up to 1. w_a is multiplied by exp((gamma / K) r / p_a), then e alpha / K is added to
  every w_i, rewarded or not, and all are divided by their sum. alpha = 1 / T.

Late rewards of several rounds of a pair are spread evenly over the 1 / p_a (or 1 / (p_a + eta / 2)) of these rounds.

References
----------
.. [1] P. Auer, N. Cesa-Bianchi, Y. Freund, R. Schapire, "The Nonstochastic Multiarmed Bandit Problem", SIAM Journal on
   Computing 32, 2002: Exp3 and Exp3.S.
.. [2] G. Neu, "Explore no more: Improved high-probability regret bounds for non-stochastic bandits", NeurIPS 2015:
   Exp3-IX.
"""

import math
from typing import NamedTuple

import numpy as np

from duelbench.bandits.algorithms.adversarial.weights import Weights, add, draw, new_weights, scale
from duelbench.bandits.algorithms.contract import Parameter
from duelbench.bandits.kernels.decorators import kernel

ADVERSARIAL = ("exp3", "exp3ix", "exp3s")

GAMMA = Parameter(
    None,
    "of exp3 and exp3s: share of uniform draws and learning rate; derived from the horizon unless given",
    low=0.0,
    high=1.0,
    low_open=True,
)
ETA = Parameter(None, "of exp3ix: learning rate; derived from the horizon unless given", low=0.0, low_open=True)
SWITCHES = Parameter(1, "of exp3s: in how many segments, between changes, the horizon may be divided", low=1)


class Players(NamedTuple):
    """Machines that choose the two arms of a duel; arrays are updated in place."""

    # Of both players. For Exp3.S, ``relative`` adds up to 1; ``logarithms`` are factors of w for the next round.
    weights: Weights
    # (2, K, K) float64. For each pair, the sum of rate / (p + implicit) of the player's arm over all rounds without an
    # outcome so far.
    steps: np.ndarray
    rate: float  # gamma / K or eta
    implicit: float  # eta / 2 or 0
    bonus: float  # e alpha / K of Exp3.S, otherwise 0
    by_loss: bool  # Whether losses count and not rewards


def exp3_rate(n_arms, horizon):
    """Return gamma of Exp3."""
    return min(1.0, math.sqrt(n_arms * math.log(n_arms) / ((math.e - 1) * horizon)))


def exp3ix_rate(n_arms, horizon):
    """Return eta of Exp3-IX."""
    return math.sqrt(2 * math.log(n_arms + 1) / (horizon * n_arms))


def exp3s_rate(n_arms, horizon, switches):
    """Return gamma of Exp3.S for ``switches`` segments."""
    expected = n_arms * (switches * math.log(n_arms * horizon) + math.e)
    return min(1.0, math.sqrt(expected / ((math.e - 1) * horizon)))


def new_players(machine, n_arms, horizon, gamma=None, eta=None, switches=1):
    """Return the machines before round 1, without arms if ``machine`` is not an adversarial one."""
    if machine not in ADVERSARIAL:
        return Players(new_weights(2, 0, 0.0), np.zeros((2, 0, 0)), 0.0, 0.0, 0.0, False)
    steps = np.zeros((2, n_arms, n_arms))
    if machine == "exp3ix":
        rate = exp3ix_rate(n_arms, horizon) if eta is None else eta
        return Players(new_weights(2, n_arms, 0.0), steps, rate, rate / 2, 0.0, True)
    if gamma is None:
        gamma = exp3_rate(n_arms, horizon) if machine == "exp3" else exp3s_rate(n_arms, horizon, switches)
    weights = new_weights(2, n_arms, gamma)
    bonus = 0.0
    if machine == "exp3s":
        weights.relative[:] = 1 / n_arms
        bonus = math.e / horizon / n_arms
    return Players(weights, steps, gamma / n_arms, 0.0, bonus, False)


def needs_horizon(machine, gamma, eta):
    """Return whether the machine needs the horizon."""
    return {"exp3": gamma is None, "exp3ix": eta is None, "exp3s": True}.get(machine, False)


@kernel
def choose_both(players, t, rng):
    """Draw the arms of both players in round ``t``, and record the steps of their outcomes."""
    weights = players.weights
    gamma = weights.gamma
    if players.bonus > 0 and t > 1:
        _share(players, 0)
        _share(players, 1)
    floor = gamma / weights.relative.shape[1]
    left, right = weights.relative[0], weights.relative[1]
    left_factor, right_factor = scale(weights, 0, gamma), scale(weights, 1, gamma)
    x = draw(left, left_factor, floor, rng)
    y = draw(right, right_factor, floor, rng)
    players.steps[0, x, y] += players.rate / (left_factor * left[x] + floor + players.implicit)
    players.steps[1, x, y] += players.rate / (right_factor * right[y] + floor + players.implicit)
    return x, y


@kernel
def _share(players, player):
    """Update the weights of Exp3.S after a round: apply the observed factors, add the bonus, and normalise."""
    exponents = players.weights.logarithms[player]
    relative = players.weights.relative[player]
    largest = 0.0
    for i in range(exponents.size):
        largest = max(largest, exponents[i])
    others = math.exp(-largest)  # all factors are divided by the largest, which many late rewards can make huge
    total = 0.0
    for i in range(exponents.size):
        factor = others if exponents[i] == 0.0 else math.exp(exponents[i] - largest)
        relative[i] = relative[i] * factor + players.bonus * others
        exponents[i] = 0.0
        total += relative[i]
    for i in range(exponents.size):
        relative[i] /= total


@kernel
def observe_both(players, x, y, left_wins, right_wins):
    """Observe the outcomes of duels of x, the left player's arm, and y."""
    duels = left_wins + right_wins
    _observe(players, 0, x, x, y, left_wins / duels)
    _observe(players, 1, y, x, y, right_wins / duels)


@kernel
def _observe(players, player, arm, x, y, reward):
    """Add the mean reward of the pair's outcomes, times the step, to L of the arm."""
    change = players.steps[player, x, y] * (reward - 1.0 if players.by_loss else reward)
    players.steps[player, x, y] = 0.0
    if players.bonus > 0:
        players.weights.logarithms[player, arm] += change
    elif change != 0.0:
        add(players.weights, player, arm, change)
