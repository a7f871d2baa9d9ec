"""Beta posteriors of duel probabilities for Thompson samplers: the probability that a sample is above 1/2.

With theta_ij ~ Beta(W_ij + 1, W_ji + 1), P(theta_ij > 1/2) = P(Binomial(N_ij + 1, 1/2) <= W_ij). A duel changes this
probability by half the new value of binom(N_ij, W_ij) 2^-N_ij, which changes by a factor. Both are updated in O(1), and
computed again from time to time, so that no rounding errors accumulate.
"""

import math
from typing import NamedTuple

import numpy as np

from duelbench.bandits.kernels.decorators import compiled_once, kernel
from duelbench.bandits.kernels.log_gamma import log_gamma
from duelbench.bandits.kernels.records import FloatPerPair


class Posterior(NamedTuple):
    """The posteriors of all ordered pairs of arms; arrays are updated in place."""

    above: FloatPerPair  # above[i, j] = P(theta_ij > 1/2); 1/2 before the first duel.
    weight: FloatPerPair  # binom(N_ij, W_ij) 2^-N_ij; only entries i < j are used.


def new_posterior(n_arms: int) -> Posterior:
    """Return uniform priors, Beta(1, 1)."""
    return Posterior(np.full((n_arms, n_arms), 0.5), np.ones((n_arms, n_arms)))


@kernel
def observe(posterior, wins, first, second, first_wins, second_wins):
    """Update the posterior of a pair of different arms; ``wins`` are the counts before these duels.

    Examples
    --------
    One win: theta_01 ~ Beta(2, 1), whose mass above 1/2 is 3/4.

    >>> posterior = new_posterior(2)
    >>> observe(posterior, np.zeros((2, 2), np.int64), 0, 1, 1, 0)
    >>> posterior.above[0, 1], posterior.above[1, 0]
    (np.float64(0.75), np.float64(0.25))
    """
    above = posterior.above
    i = min(first, second)
    j = max(first, second)
    won = wins[first, second]
    lost = wins[second, first]
    if first_wins + second_wins > 64:
        _refresh(posterior, first, second, won + first_wins, lost + second_wins)
        return
    weight = posterior.weight[i, j]
    for k in range(first_wins + second_wins):
        if k < first_wins:
            won += 1
            weight *= (won + lost) / (2.0 * won)
            step = 0.5 * weight
        else:
            lost += 1
            weight *= (won + lost) / (2.0 * lost)
            step = -0.5 * weight
        # Rounding may exceed 0 or 1 by the last bit.
        above[first, second] = min(1.0, max(0.0, above[first, second] + step))
        above[second, first] = min(1.0, max(0.0, above[second, first] - step))
    posterior.weight[i, j] = weight
    interval = 64 if won + lost < 4096 else 1024  # the series is longer after many duels
    if (won + lost) % interval < first_wins + second_wins:
        _refresh(posterior, first, second, won, lost)


@kernel
def _refresh(posterior, first, second, won, lost):
    """Compute both entries of a pair from the counts: the smaller tail by its series, the other as its complement."""
    plays = won + lost
    weight = math.exp(log_gamma(plays + 1.0) - log_gamma(won + 1.0) - log_gamma(lost + 1.0) - plays * math.log(2.0))
    posterior.weight[min(first, second), max(first, second)] = weight
    fewer = min(won, lost)
    term = weight * (plays + 1) / (2.0 * (plays - fewer + 1))  # P(Binomial(plays + 1, 1/2) = fewer)
    tail = 0.0
    k = fewer
    while term > 1e-17 * tail and k >= 0:
        tail += term
        term *= k / (plays + 2.0 - k)
        k -= 1
    if won <= lost:
        posterior.above[first, second] = tail
        posterior.above[second, first] = 1.0 - tail
    else:
        posterior.above[second, first] = tail
        posterior.above[first, second] = 1.0 - tail


@compiled_once
def beta_above_half(a, b, rng):
    """Draw from Beta(a, b), given that the draw is above 1/2; exact for all whole a, b >= 1.

    It draws from Beta(a, b) until a draw is above 1/2. If 1/2 is in the tail, it rejects draws of the exponential that
    touches the density at 1/2. For draws without the condition, use `rng.beta(a, b)`.

    Examples
    --------
    >>> 0.5 < beta_above_half(1, 40, np.random.default_rng(0)) <= 1.0
    True
    """
    if a == 1 and b == 1:
        return 1.0 - 0.5 * rng.random()
    if a >= b or (b - a) * (b - a) <= a + b:
        while True:
            theta = rng.beta(a, b)
            if theta > 0.5:
                return theta
    rate = 2.0 * (b - a)
    cut = -math.expm1(-0.5 * rate)
    while True:
        y = -math.log1p(-cut * rng.random()) / rate  # theta = 1/2 + y
        if not 0.0 < y < 0.5:
            continue
        log_ratio = (a - 1) * math.log1p(2.0 * y) + (b - 1) * math.log1p(-2.0 * y) + rate * y
        if math.log1p(-rng.random()) <= log_ratio:
            return 0.5 + y


@kernel
def beta_beyond(posterior, wins, i, j, limit, log_up, log_down, rng):
    """Draw theta_ij, given that it is above 1/2; return 0.0 if the draw is not above ``limit``.

    It uses the exponential that touches the density at the limit, and returns -1.0 without a draw if the limit is too
    close to the mode. ``log_up`` is ln(2 limit), and ``log_down`` is ln(2 - 2 limit).
    """
    won = wins[i, j]
    lost = wins[j, i]
    rate = lost / (1.0 - limit) - won / limit
    weight = posterior.weight[min(i, j), max(i, j)]
    log_height = won * log_up + lost * log_down
    if rate <= 0.0 or weight < 1e-200 or log_height > 400.0:
        return -1.0
    mass = (won + lost + 1) * weight * math.exp(log_height) / (rate * posterior.above[i, j])
    if mass >= 1.0:
        return -1.0
    left = rng.random()
    if left >= mass:
        return 0.0
    y = -math.log(max(left, 1e-300) / mass) / rate
    if y >= 1.0 - limit:
        return 0.0
    log_ratio = won * math.log1p(y / limit) + lost * math.log1p(-y / (1.0 - limit)) + rate * y
    return limit + y if math.log1p(-rng.random()) <= log_ratio else 0.0
