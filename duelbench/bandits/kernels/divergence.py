"""Kullback-Leibler divergence between Bernoulli distributions."""

import math

from duelbench.bandits.kernels.decorators import compiled_once, inlined, kernel


@compiled_once
def kl_to_half(p):
    """Return the Kullback-Leibler divergence d(p, 1/2) between Bernoulli distributions, in nats.

    It is precise to a few units in the last place. With x = 2 p - 1 it is ((1 + x) ln(1 + x) + (1 - x) ln(1 - x)) / 2;
    for x close to 0, the sum of x^(2 k) / (2 k (2 k - 1)).

    Examples
    --------
    >>> kl_to_half(0.5), kl_to_half(1.0) == math.log(2), kl_to_half(0.5 + 2.0**-40) == 2.0**-79
    (0.0, True, True)
    """
    x = 2.0 * p - 1.0
    if x <= -1.0 or x >= 1.0:
        return math.log(2.0)
    square = x * x
    if square > 0.25:
        return 0.5 * ((1.0 + x) * math.log(1.0 + x) + (1.0 - x) * math.log(1.0 - x))
    fourth = square * square
    eighth = fourth * fourth
    a = b = c = d = 0.0  # 24 terms in four parallel sums: no slower than two logarithms
    for k in range(21, 0, -4):
        a = a * eighth + 1.0 / (2 * k * (2 * k - 1))
        b = b * eighth + 1.0 / ((2 * k + 2) * (2 * k + 1))
        c = c * eighth + 1.0 / ((2 * k + 4) * (2 * k + 3))
        d = d * eighth + 1.0 / ((2 * k + 6) * (2 * k + 5))
    return square * ((a + b * square) + fourth * (c + d * square))


@inlined
def negative_entropy(p):
    """Return p ln p + (1 - p) ln(1 - p), with 0 ln 0 = 0, for `divergence_at` and `kl_ucb`."""
    if p <= 0.0 or p >= 1.0:
        return 0.0
    return p * math.log(p) + (1.0 - p) * math.log(1.0 - p)


@kernel
def kl(p, q):
    """Return the Kullback-Leibler divergence d(p, q) between Bernoulli distributions, in nats, for 0 < q < 1.

    Examples
    --------
    >>> kl(0.0, 0.75) == math.log(4), kl(0.3, 0.3)
    (True, 0.0)
    """
    return divergence_at(p, negative_entropy(p), -math.log1p(-q), math.log(q))


@kernel
def divergence_at(mean, negentropy, s, log_q):
    """Return the Kullback-Leibler divergence d(mean, q) for q = 1 - exp(-s), precisely even if q is close to 1."""
    return max(0.0, negentropy - mean * log_q + (1.0 - mean) * s)


@kernel
def kl_ucb(mean, negentropy, limit):
    """Return the KL-UCB index q = max{q : d(mean, q) <= limit} of Garivier and Cappe (COLT 2011), as s = -ln(1 - q).

    ``negentropy`` is the `negative_entropy` of the mean. The divergence is convex in s, so Newton's method
    approaches the root from above.

    Examples
    --------
    d(0, q) = -ln(1 - q) = s; d(1, 1) = 0; d(1/2, q) = 0 only for q = 1/2.

    >>> kl_ucb(0.0, 0.0, 3.0), kl_ucb(1.0, 0.0, 3.0), kl_ucb(0.5, -math.log(2), 0.0) == math.log(2)
    (3.0, inf, True)
    """
    if mean >= 1.0:
        return math.inf
    if mean <= 0.0:
        return limit
    least = -math.log1p(-mean)
    if limit <= 0.0:
        return least
    above = (limit - negentropy) / (1.0 - mean)
    s = min(above, least + math.sqrt(2.0 * limit * mean / (1.0 - mean)))
    for _ in range(60):
        q = -math.expm1(-s)
        slope = 1.0 - mean / q
        if slope <= 0.0:
            return s
        step = (negentropy - mean * math.log(q) + (1.0 - mean) * s - limit) / slope
        s = min(s - step, above)
        curvature = mean * (1.0 - q) / (q * q)
        if 0.5 * curvature * step * step <= slope * s * 1e-16:  # the remaining error
            return s
    return s


@kernel
def kl_upper(p, c):
    """Return U(p, c) = max{q in [p, 1] : d(p, q) <= c}, for p in [0, 1] and c >= 0 in nats.

    Examples
    --------
    >>> kl_upper(0.0, math.log(4)), kl_upper(1.0, 3.0), round(kl_upper(0.5, kl(0.5, 0.9)), 14)
    (0.75, 1.0, 0.9)
    """
    return -math.expm1(-kl_ucb(p, negative_entropy(p), c))


@kernel
def kl_lower(p, c):
    """Return L(p, c) = min{q in [0, p] : d(p, q) <= c} = 1 - U(1 - p, c), for p in [0, 1] and c >= 0 in nats.

    Examples
    --------
    >>> kl_lower(1.0, math.log(4)), kl_lower(0.0, 3.0)
    (0.25, 0.0)
    """
    return math.exp(-kl_ucb(1.0 - p, negative_entropy(1.0 - p), c))
