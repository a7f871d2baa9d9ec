"""The interval of the means that a Bernoulli divergence does not rule out."""

import math


def kl_upper(p, c):
    """U(p, c) = max{q in [p, 1] : d(p, q) <= c}."""
    return -math.expm1(-kl_upper_depth(p, c))


def kl_lower(p, c):
    """L(p, c) = min{q in [0, p] : d(p, q) <= c}, which is 1 - U(1 - p, c)."""
    return math.exp(-kl_upper_depth(1.0 - p, c))


def kl_upper_depth(p, c):
    """-ln(1 - U(p, c)), which still tells bounds apart that round to 1.

    With q = 1 - exp(-s), d(p, q) = p ln p + (1 - p) ln(1 - p) - p ln q + (1 - p) s is convex in s, and more
    than c where -p ln q is left out of it: Newton's steps from there descend to the root until they stall.
    """
    if p == 0.0:
        return c
    if p == 1.0:
        return math.inf
    nearest = -math.log1p(-p)  # q = p
    if c <= 0.0:
        return nearest
    entropy = -p * math.log(p) - (1.0 - p) * math.log1p(-p)
    s = (c + entropy) / (1.0 - p)
    while True:
        excess = (1.0 - p) * s - p * math.log(-math.expm1(-s)) - entropy - c
        lower = s - excess / ((1.0 - p) + p * math.exp(-s) / math.expm1(-s))
        if not nearest < lower < s:
            return s
        s = lower
