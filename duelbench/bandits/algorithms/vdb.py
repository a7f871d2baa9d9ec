"""Versatile Dueling Bandits (VDB).

Two players, each with its own Tsallis-INF bandit algorithm, choose the two arms; the loser of the duel suffers a loss.

Assumes a Condorcet winner for logarithmic regret; its regret of order sqrt(K T) holds for any outcomes. Anytime.

Notation of [1]_ and [2]_: each player keeps estimated cumulative losses L_i and plays arm i with the probability
w_i = 4 / (eta_t (L_i - x))^2, with x < min L such that they add up to 1. With importance weighting (``iw``), eta_t is
2 / sqrt(t), and only the played arm gets a loss, loss / w_i. With reduced variance (``rv``), eta_t is 4 / sqrt(t);
every arm gets b_i = 1/2 if w_i >= eta_t^2, and 0 otherwise, and the played arm gets (loss - b_i) / w_i in addition.

References
----------
.. [1] A. Saha, P. Gaillard, "Versatile Dueling Bandits: Best-of-both World Analyses for Learning from Relative
   Preferences", ICML 2022: VDB and Remark 2, by descriptions; only the abstract was read.
.. [2] J. Zimmert, Y. Seldin, "Tsallis-INF: An Optimal Algorithm for Stochastic and Adversarial Bandits", Journal of
   Machine Learning Research 22, 2021, Algorithm 1 and Theorem 1.
"""

import math
from typing import NamedTuple

import numpy as np

from duelbench.bandits.algorithms.contract import Algorithm, Parameter
from duelbench.bandits.kernels.decorators import kernel


class State(NamedTuple):
    """Memory between rounds; arrays are updated in place. Player 0 chooses the first arm, player 1 the second."""

    losses: np.ndarray  # (2, K) float64. L_i; with ``single``, only row 0 is used.
    weights: np.ndarray  # (2, K) float64. w_i of the current round.
    normaliser: np.ndarray  # (2,) float64. x of the current round.
    pending: np.ndarray  # (2, K) float64. The sum of b_i over all rounds without an outcome so far.
    # (2, K, K) float64. For each pair (i, j), the sum of 1 / w of the player's arm over these rounds.
    inverse: np.ndarray
    offset: np.ndarray  # (2, K, K) float64. The same sum of b / w.
    rate: float  # eta_t sqrt(t)
    reduced_variance: bool
    single: bool  # Whether one player chooses both arms


def start(n_arms, horizon, rng, standing, *, estimator, single):
    """Return the state before round 1."""
    return State(
        losses=np.zeros((2, n_arms)),
        weights=np.zeros((2, n_arms)),
        normaliser=np.full(2, -np.inf),
        pending=np.zeros((2, n_arms)),
        inverse=np.zeros((2, n_arms, n_arms)),
        offset=np.zeros((2, n_arms, n_arms)),
        rate=4.0 if estimator == "rv" else 2.0,
        reduced_variance=estimator == "rv",
        single=single,
    )


@kernel
def select(state, t, rng):
    """Draw the pair (i, j) for round ``t``, each arm from its player's w."""
    eta = state.rate / math.sqrt(t)
    second_player = 0 if state.single else 1
    for player in range(second_player + 1):
        state.normaliser[player] = tsallis_weights(
            state.losses[player], eta, state.normaliser[player], state.weights[player]
        )
    i = _draw(state.weights[0], rng)
    j = _draw(state.weights[second_player], rng)
    _expect(state, 0, 0, i, i, j, eta)
    _expect(state, 1, second_player, j, i, j, eta)
    return i, j, 1


@kernel
def update(state, first, second, first_wins, second_wins):
    """Add the loss estimates: the first player lost ``second_wins`` times, the second ``first_wins`` times."""
    duels = first_wins + second_wins
    _suffer(state, 0, first, first, second, second_wins / duels)
    _suffer(state, 1, second, first, second, first_wins / duels)


@kernel
def recommend(state):
    """Return the arm of least estimated loss (lowest index on ties)."""
    losses = state.losses
    best = 0
    for i in range(1, losses.shape[1]):
        if losses[0, i] + losses[1, i] < losses[0, best] + losses[1, best]:
            best = i
    return best


@kernel
def tsallis_weights(losses, eta, guess, weights):
    """Write w_i = 4 / (eta (L_i - x))^2, which add up to 1, to ``weights``; return x, found by Newton's method."""
    least = losses[0]
    for i in range(1, losses.size):
        least = min(least, losses[i])
    low = least - 2.0 * math.sqrt(losses.size) / eta
    high = least - 2.0 / eta
    x = min(max(guess, low), high)
    for step in range(100):
        total = 0.0
        slope = 0.0
        for i in range(losses.size):
            root = 2.0 / (eta * (losses[i] - x))
            weights[i] = root * root
            total += weights[i]
            slope += weights[i] * root
        better = min(x - (total - 1.0) / (eta * slope), high)
        if better == x or (step > 0 and better > x):
            break
        x = better
    for i in range(losses.size):
        weights[i] /= total
    return x


@kernel
def _draw(weights, rng):
    """Draw an arm with the probabilities ``weights``."""
    u = rng.random()
    last = weights.size - 1
    total = 0.0
    for i in range(last):
        total += weights[i]
        if u < total:
            return i
    return last


@kernel
def _expect(state, side, player, arm, i, j, eta):
    """Record the weights of this round's outcome: ``player`` chose ``arm`` on this side of (i, j)."""
    weights = state.weights[player]
    state.inverse[side, i, j] += 1.0 / weights[arm]
    if not state.reduced_variance:
        return
    for k in range(weights.size):
        if weights[k] >= eta * eta:
            state.pending[side, k] += 0.5
    if weights[arm] >= eta * eta:
        state.offset[side, i, j] += 0.5 / weights[arm]


@kernel
def _suffer(state, side, arm, i, j, loss):
    """Add the recorded weights of the pair (i, j) to L; ``loss`` is the mean loss of its duels."""
    player = 0 if state.single else side
    share = 0.5 if state.single else 1.0
    losses = state.losses[player]
    for k in range(losses.size):
        losses[k] += share * state.pending[side, k]
        state.pending[side, k] = 0.0
    losses[arm] += share * (loss * state.inverse[side, i, j] - state.offset[side, i, j])
    state.inverse[side, i, j] = 0.0
    state.offset[side, i, j] = 0.0


PARAMETERS = {
    "estimator": Parameter(
        "rv", "loss estimates: iw, importance-weighted, or rv, of reduced variance", choices=("iw", "rv")
    ),
    "single": Parameter(False, "whether one player chooses both arms"),
}

VDB = Algorithm.of_module(
    __name__,
    "vdb",
    "VDB",
    "condorcet",
    "Saha, Gaillard 2022, VDB",
    reads_self_duels=True,
    tells_together=True,
    look=("wine", "solid", "v"),
    source="description",
)
