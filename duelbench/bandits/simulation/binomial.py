"""Draws how many of n duels are won, without drawing the duels one by one.

Numba's own `Generator.binomial` may never return in version 0.60, and draws other numbers than NumPy's up to version
0.66 at least. This function draws bit for bit the numbers of NumPy 2.0 to 2.4, compiled and interpreted, so that traces
do not depend on versions.

References
----------
.. [1] V. Kachitvichyanukul, B. W. Schmeiser, "Binomial random variate generation", Communications of the ACM 31, 1988,
   216-222: algorithm BTPE.
"""

import math

from duelbench.bandits.kernels.decorators import compiled_once, kernel

MOST_ADDED_UP = 30.0
"""The largest expected number of successes for which probabilities are added up one by one."""


@compiled_once
def draw_binomial(n, p, rng):
    """Draw how many of ``n`` >= 0 independent duels are won, each with probability ``p``.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(7)
    >>> draw_binomial(5, 0.0, rng), draw_binomial(5, 1.0, rng)
    (0, 5)
    """
    if n == 0 or p == 0.0:
        return 0
    rarer = p if p <= 0.5 else 1.0 - p
    count = _add_up(n, rarer, rng) if rarer * n <= MOST_ADDED_UP else _reject(n, rarer, rng)
    return count if p <= 0.5 else n - count


@kernel
def _add_up(n, p, rng):
    """Return the first count whose cumulative probability reaches a uniform number."""
    q = 1.0 - p
    none = math.exp(n * math.log(q))
    mean = n * p
    last = min(n, mean + 10.0 * math.sqrt(mean * q + 1.0))
    count = 0
    probability = none
    left = rng.random()
    while left > probability:
        count += 1
        if count > last:  # ten deviations away, or the sum stays below 1 by rounding: draw again
            count = 0
            probability = none
            left = rng.random()
        else:
            left -= probability
            probability = (n - count + 1) * p * probability / (count * q)
    return count


@kernel
def _reject(n, p, rng):
    """Draw a count by algorithm BTPE [1]_: from a triangle, parallelograms and exponential tails, by rejection."""
    q = 1.0 - p
    mean = n * p + p
    mode = math.floor(mean)
    width = math.floor(2.195 * math.sqrt(n * p * q) - 4.6 * q) + 0.5  # p1 of [1]
    middle = mode + 0.5
    left = middle - width
    right = middle + width
    height = 0.134 + 20.5 / (15.3 + mode)
    slope = (mean - left) / (mean - left * p)
    left_rate = slope * (1.0 + slope / 2.0)
    slope = (right - mean) / (right * q)
    right_rate = slope * (1.0 + slope / 2.0)
    parallelogram = width * (1.0 + 2.0 * height)
    left_tail = parallelogram + height / left_rate
    right_tail = left_tail + height / right_rate
    while True:
        u = rng.random() * right_tail
        v = rng.random()
        if u <= width:
            return math.floor(middle - width * v + u)
        if u <= parallelogram:
            x = left + (u - width) / height
            v = v * height + 1.0 - math.fabs(mode - x + 0.5) / width
            count = math.floor(x)
        elif v == 0.0:
            continue
        elif u <= left_tail:
            count = math.floor(left + math.log(v) / left_rate)
            v *= (u - parallelogram) * left_rate
        else:
            count = math.floor(right - math.log(v) / right_rate)
            v *= (u - left_tail) * right_rate
        if 0 <= count <= n and (v <= 0.0 or (v <= 1.0 and _is_accepted(count, v, n, p, mode))):
            return count


@kernel
def _is_accepted(count, v, n, p, mode):
    """Return whether ``v`` > 0 is at most the probability of ``count`` relative to that of the mode."""
    q = 1.0 - p
    variance = n * p * q
    away = abs(count - mode)
    if away <= 20 or away >= variance / 2.0 - 1.0:
        odds = p / q
        a = odds * (n + 1)
        ratio = 1.0
        for i in range(mode + 1, count + 1):
            ratio *= a / i - odds
        for i in range(count + 1, mode + 1):
            ratio /= a / i - odds
        return v <= ratio
    log_v = math.log(v)
    normal = -away * away / (2.0 * variance)
    off = away / variance * ((away * (away / 3.0 + 0.625) + 1.0 / 6.0) / variance + 0.5)
    if log_v < normal - off or log_v > normal + off:
        return log_v < normal
    return log_v <= (
        (mode + 0.5) * math.log((mode + 1) / (count + 1))
        + (n - mode + 0.5) * math.log((n + 1 - mode) / (n - count + 1))
        + (count - mode) * math.log((n - count + 1) * p / ((count + 1) * q))
        + _stirling(mode + 1)
        + _stirling(n + 1 - mode)
        + _stirling(count + 1)
        + _stirling(n - count + 1)
    )


@kernel
def _stirling(x):
    """Return the rest of Stirling's series as NumPy does: with 13680 for 13860, and added, not subtracted.

    It is used only for counts above 20, and changes their probability by a factor of at most 1 + 1 / (3 count).
    """
    square = float(x) * x
    return (13680.0 - (462.0 - (132.0 - (99.0 - 140.0 / square) / square) / square) / square) / x / 166320.0
