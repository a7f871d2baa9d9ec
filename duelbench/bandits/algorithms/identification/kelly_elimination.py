"""Kelly elimination: duels the pair with the largest expected gain of bets against arms that are not the winner.

For each arm i, a gambler bets that i is not the Condorcet winner. A duel of i multiplies the gambler's wealth M_i by
1 + stake if i loses and by 1 - stake if it wins; arm i is out forever once M_i >= 1 / delta.

Stakes and pairs follow from a belief about f_ij = 1 - 2 p_ij: it is a_j - a_i + e_ij, with strengths a of the arms and
a deviation e of each pair. Both have normal distributions with the standard deviations of one of `MODELS`, which the
outcomes tell. A duel only changes the strengths of its two arms, and with them the belief about their pairs.

Assumes a Condorcet winner. Exact: the answer is wrong with probability at most ``delta``, whatever the belief, as M of
the Condorcet winner is a supermartingale that starts at 1. Anytime.
"""

import math
from typing import NamedTuple

import numpy as np

from duelbench.bandits.algorithms.contract import NEVER, NO_WINNER, Algorithm
from duelbench.bandits.algorithms.stopping.e_bets import DENSITY_AT_0, EPSILON, MAX_STAKE, pay, settle
from duelbench.bandits.algorithms.stopping.e_condorcet import answer as arm_left
from duelbench.bandits.algorithms.stopping.e_condorcet import is_decided, n_left
from duelbench.bandits.algorithms.stopping.rule import DELTA
from duelbench.bandits.kernels.decorators import kernel

MODELS = (
    (0.0, 0.58),
    (0.0, 0.33),
    (0.0, 0.17),
    (0.0, 0.09),
    (0.25, 0.5),
    (0.25, 0.25),
    (0.12, 0.12),
    (0.06, 0.06),
    (0.03, 0.03),
)
"""Standard deviations of the strengths and of the deviations of pairs."""

BOLDNESS = 0.5
"""The gain includes this many standard deviations of f, beside f itself."""

LEAST_WEIGHT = 1e-3
"""Models that are less likely than the likeliest by this factor are ignored."""

LEAST_PROBABILITY = 1e-15
"""The least probability that an arm is ahead of another one."""

LEAST_WORTH = 1.5
"""One more than the duels that the belief in advance is worth at least."""

WIDEST = 0.95
"""The largest absolute value of f_ij by strengths alone."""


class State(NamedTuple):
    """Memory between rounds, by places in the private order; arrays are updated in place. S = number of models."""

    order: np.ndarray  # (K,) int64. The arm of each place.
    place: np.ndarray  # (K,) int64. The place of each arm.
    wins: np.ndarray  # (K, K) float64. wins[i, j] = duels that arm i has won against arm j.
    log_wealth: np.ndarray  # (K,) float64. ln M_i.
    is_in: np.ndarray  # (K,) bool. Whether each arm may still be the answer.
    log_level: float  # ln(1 / delta)
    models: np.ndarray  # (S, 2) float64. `MODELS`, squared.
    log_likelihood: np.ndarray  # (S,) float64. ln of the probabilities with which a model foretold the outcomes.
    weight: np.ndarray  # (S,) float64. Probability of each model.
    strength: np.ndarray  # (S, K) float64. a_i.
    precision: np.ndarray  # (S, K) float64. 1 / variance of a_i.
    log_ahead: np.ndarray  # (K, K) float64. ln 2 P(f_ji > 0), that i is ahead of j; 0 on the diagonal.
    log_probability: (
        np.ndarray
    )  # (K,) float64. Sums of its rows: ln of the probability of being the winner, up to a constant.
    gain: np.ndarray  # (K, K) float64, symmetric. The expected gain of a duel.
    best: np.ndarray  # (K,) int64. The opponent with the largest gain, the earliest on ties.
    most: np.ndarray  # (K,) float64. This gain.


def start(n_arms, horizon, rng, standing, *, delta):
    """Return the state before round 1, with a random private order of the arms."""
    order = rng.permutation(n_arms)
    models = np.array(MODELS) ** 2
    n_models = len(MODELS)
    with np.errstate(divide="ignore"):
        precision = np.repeat(1.0 / models[:, :1], n_arms, axis=1)
    state = State(
        order=order,
        place=np.argsort(order),
        wins=np.zeros((n_arms, n_arms)),
        log_wealth=np.zeros(n_arms),
        is_in=np.ones(n_arms, np.bool_),
        log_level=-math.log(delta),
        models=models,
        log_likelihood=np.zeros(n_models),
        weight=np.full(n_models, 1.0 / n_models),
        strength=np.zeros((n_models, n_arms)),
        precision=precision,
        log_ahead=np.zeros((n_arms, n_arms)),
        log_probability=np.zeros(n_arms),
        gain=np.full((n_arms, n_arms), -1.0),
        best=np.zeros(n_arms, np.int64),
        most=np.zeros(n_arms),
    )
    for i in range(n_arms):
        for j in range(i + 1, n_arms):
            _update_gain(state, i, j)
    for i in range(n_arms):
        state.best[i] = np.argmax(state.gain[i])
        state.most[i] = state.gain[i, state.best[i]]
    return state


@kernel
def select(state, t, rng):
    """Return the pair with the largest expected gain."""
    if is_decided(state):
        last = recommend(state)
        return last, last, NEVER
    i = 0
    for k in range(1, state.order.size):
        if state.most[k] > state.most[i]:
            i = k
    return state.order[i], state.order[state.best[i]], 1


@kernel
def update(state, first, second, first_wins, second_wins):
    """Pay the gamblers of the two arms at the stakes before these duels, then update the belief."""
    i, j = state.place[first], state.place[second]
    stake_on_i, stake_on_j = stakes(state, i, j)
    pay(state, i, j, first_wins, second_wins, stake_on_i, stake_on_j)
    settle(state)
    for _ in range(first_wins):
        _count(state, i, j)
    for _ in range(second_wins):
        _count(state, j, i)
    _weigh(state)
    for s in range(state.weight.size):
        if state.models[s, 0] > 0.0:
            _estimate(state, s, i)
            _estimate(state, s, j)
    _update_gains(state, i, j)


@kernel
def recommend(state):
    """Return the arm most likely to be the winner, among those that are in, or if none is, among all."""
    best = -1
    is_any_in = state.is_in.any()
    for a in range(state.order.size):
        if (state.is_in[a] or not is_any_in) and (best < 0 or state.log_probability[a] > state.log_probability[best]):
            best = a
    return state.order[best]


@kernel
def explored(state):
    """Return the arms that may still be the answer; 0 when it is known."""
    return n_left(state)


@kernel
def answer(state):
    """Return the arm that is left, or that there is no Condorcet winner."""
    last = arm_left(state)
    return last if last == NO_WINNER else state.order[last]


@kernel
def stakes(state, i, j):
    """Return the stakes on a loss of i and on a loss of j: the expectations of f_ij if i, or j, is not the winner.

    A stake is at most what the wealth lacks of 1 / delta, and 0 if the arm is out.
    """
    mean, deviation = _moments(state, i, j)
    return _stake(state, i, j, mean, deviation), _stake(state, j, i, -mean, deviation)


@kernel
def _probability_without(state, j, i):
    """Return the probability that arm j is the winner if i is not; 0 if j is out."""
    if not state.is_in[j]:
        return 0.0
    total = 0.0
    for a in range(state.order.size):
        if state.is_in[a] and a != i:
            total += math.exp(min(state.log_probability[a] - state.log_probability[j], 700.0))
    return 1.0 / total


@kernel
def _largest(values):
    most = values[0]
    for value in values:
        most = max(most, value)
    return most


@kernel
def _stake(state, i, j, mean, deviation):
    if not state.is_in[i]:
        return 0.0
    probability, density = _above_zero(mean / deviation)
    if_j_wins = deviation * density / probability  # So much more is expected of f_ij then, as it is above 0
    expected = mean + _probability_without(state, j, i) * if_j_wins
    missing = math.exp(state.log_level - state.log_wealth[i]) * (1.0 + EPSILON) - 1.0
    return max(0.0, min(expected, missing, MAX_STAKE))


@kernel
def _above_zero(z):
    """Return the probability that a normal variable with mean z and deviation 1 is above 0, and its density at 0."""
    probability = 0.5 * math.erfc(-z / math.sqrt(2.0))
    probability = max(LEAST_PROBABILITY, min(1.0 - LEAST_PROBABILITY, probability))
    return probability, DENSITY_AT_0 * math.exp(-0.5 * z * z)


@kernel
def _moments(state, i, j):
    """Return mean and standard deviation of f_ij over all models."""
    n = state.wins[i, j] + state.wins[j, i]
    lead = state.wins[j, i] - state.wins[i, j]
    first = 0.0
    second = 0.0
    for s in range(state.weight.size):
        weight = state.weight[s]
        if weight > 0.0:
            strengths, deviations = state.models[s, 0], state.models[s, 1]
            a_i, a_j = state.strength[s, i], state.strength[s, j]
            mean, variance = _foretold(
                n, lead, strengths, deviations, a_i, a_j, state.precision[s, i], state.precision[s, j]
            )
            first += weight * mean
            second += weight * (variance + mean * mean)
    return first, math.sqrt(second - first * first)


@kernel
def _moments_in_model(state, s, i, j):
    """Return mean and variance of f_ij in a model."""
    return _foretold(
        state.wins[i, j] + state.wins[j, i],
        state.wins[j, i] - state.wins[i, j],
        state.models[s, 0],
        state.models[s, 1],
        state.strength[s, i],
        state.strength[s, j],
        state.precision[s, i],
        state.precision[s, j],
    )


@kernel
def _foretold(n, lead, strengths, deviations, a_i, a_j, precision_i, precision_j):
    """Return mean and variance of f_ij by the strengths without the n duels of i and j, then updated by these.

    ``lead`` is how many more of them j has won than i; ``strengths`` and ``deviations`` are the model.
    """
    prior = 0.0
    variance = deviations
    if strengths > 0.0:
        if n > 0.0:
            known = n / (n * deviations + 1.0)  # of a_j - a_i by these duels, as a precision
            shown = lead / n
            total_i = a_i * precision_i - known * (a_j - shown)
            total_j = a_j * precision_j - known * (a_i + shown)
            precision_i -= known
            precision_j -= known
            prior = total_j / precision_j - total_i / precision_i
        else:
            prior = a_j - a_i
        prior = max(-WIDEST, min(WIDEST, prior))
        variance += (precision_i + precision_j) / (precision_i * precision_j)
    variance = min(variance, (1.0 - prior * prior) / LEAST_WORTH)
    if n == 0.0:
        return prior, variance
    worth = (1.0 - prior * prior) / variance - 1.0  # in duels
    mean = (lead + worth * prior) / (n + worth)
    return mean, (1.0 - mean * mean) / (n + worth + 1.0)


@kernel
def _count(state, winner, loser):
    for s in range(state.weight.size):
        mean, _ = _moments_in_model(state, s, loser, winner)
        state.log_likelihood[s] += math.log(0.5 * (1.0 + mean))
    state.wins[winner, loser] += 1.0


@kernel
def _weigh(state):
    """Update the probabilities of the models."""
    most = _largest(state.log_likelihood)
    total = 0.0
    for s in range(state.weight.size):
        ratio = math.exp(state.log_likelihood[s] - most)
        state.weight[s] = ratio if ratio >= LEAST_WEIGHT else 0.0
        total += state.weight[s]
    for s in range(state.weight.size):
        state.weight[s] /= total


@kernel
def _estimate(state, s, i):
    """Update the strength of an arm by all of its duels, with the current strengths of all others."""
    deviations = state.models[s, 1]
    total = 0.0
    precision = 1.0 / state.models[s, 0]
    for k in range(state.order.size):
        n = state.wins[i, k] + state.wins[k, i]
        if n > 0.0:
            known = n / (n * deviations + 1.0)
            total += known * (state.strength[s, k] - (state.wins[k, i] - state.wins[i, k]) / n)
            precision += known
    state.strength[s, i] = total / precision
    state.precision[s, i] = precision


@kernel
def _update_gain(state, i, j):
    """Update the expected gain of a duel of i and j, and which of them is ahead."""
    gain = 0.0
    if state.is_in[i] or state.is_in[j]:
        mean, deviation = _moments(state, i, j)
        z = mean / deviation
        probability, density = _above_zero(z)
        if state.is_in[i]:
            gain += _expected_gain(z, probability, density)
            log_ahead = math.log(2.0 * (1.0 - probability))
            state.log_probability[i] += log_ahead - state.log_ahead[i, j]
            state.log_ahead[i, j] = log_ahead
        if state.is_in[j]:
            gain += _expected_gain(-z, 1.0 - probability, density)
            log_ahead = math.log(2.0 * probability)
            state.log_probability[j] += log_ahead - state.log_ahead[j, i]
            state.log_ahead[j, i] = log_ahead
        gain *= deviation * deviation
    state.gain[i, j] = state.gain[j, i] = gain


@kernel
def _expected_gain(z, probability, density):
    """Return the expectation of (x + BOLDNESS)^2 over x > 0, for a normal x with mean z and deviation 1."""
    bold = z + BOLDNESS
    return (bold * bold + 1.0) * probability + (bold + BOLDNESS) * density


@kernel
def _update_gains(state, i, j):
    """Update the expected gains of all pairs of i and of j."""
    n_arms = state.order.size
    for k in range(n_arms):
        if k != i:
            _update_gain(state, i, k)
        if k != i and k != j:
            _update_gain(state, j, k)
    for k in range(n_arms):
        now = state.gain[k, state.best[k]]
        if k in (i, j) or now < state.most[k]:
            state.best[k] = np.argmax(state.gain[k])
        else:
            for a in (min(i, j), max(i, j)):
                if state.gain[k, a] > now or (state.gain[k, a] == now and a < state.best[k]):
                    state.best[k] = a
                    now = state.gain[k, a]
        state.most[k] = state.gain[k, state.best[k]]


KELLY_ELIMINATION = Algorithm.of_module(
    __name__,
    id="kelly-elimination",
    name="Kelly elimination",
    assumes="condorcet",
    answers=("condorcet",),
    anytime=True,
    parameters={"delta": DELTA},
    reference="duelbench",
    trace_version=2,
    look=("vermilion", "dash-dot-dot", "D"),
    source="own",
)
