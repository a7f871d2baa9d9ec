"""Evidence on the sign of one gap: E_ij is a mixture of likelihood ratios against p_ij >= 1/2."""

import math
from functools import lru_cache

from scipy import special

NOTHING = -math.inf


@lru_cache(100_000)
def log_total(wins, losses):
    """ln G, with G = 2^(n+1) B(a, b) / pi, a = wins + 1/2, b = losses + 1/2: the evidence of both signs together."""
    a, b = wins + 0.5, losses + 0.5
    return (wins + losses + 1) * math.log(2) + math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b) - math.log(math.pi)


@lru_cache(100_000)
def log_evidence(wins, losses):
    """ln E of ``wins`` and ``losses``, where E = G I_{1/2}(a, b); for wins < losses what the other sign leaves of G."""
    total = log_total(wins, losses)
    if wins < losses:
        return total + math.log1p(-math.exp(log_evidence(losses, wins) - total))
    a, b = wins + 0.5, losses + 0.5
    below = float(special.betainc(a, b, 0.5))
    return total + math.log(below) if below > 1e-280 else math.log(series(a, b) / (math.pi * a))


def series(a, b):
    """E pi a of ``a`` >= ``b``: sum_k prod_{m < k} (a + b + m) / (2 (a + 1 + m)), for I too small for a float."""
    term, added, m = 1.0, 1.0, 0
    while term > 1e-18 * added:
        term *= (a + b + m) / (2 * (a + 1 + m))
        added += term
        m += 1
    return added


def log_ratio(wins, losses):
    """The same by the likelihood ratio: 1 before any duel, exp(n d(ph, 1/2)) / (2 sqrt n) where ph < 1/2, else 0."""
    n = wins + losses
    if n == 0:
        return 0.0
    if wins >= losses:
        return NOTHING
    p = wins / n
    divergence = math.log(2) + (1 - p) * math.log(1 - p) + (p * math.log(p) if wins else 0.0)
    return n * divergence - math.log(2 * math.sqrt(n))


def log_product(W, i, evidence=log_evidence):
    """ln M_i = sum over j of ln(1 - rho + rho E_ij), rho = 1 / (K - 1)."""
    rho = 1 / (len(W) - 1)
    return sum(
        log_sum(math.log(1 - rho) if rho < 1 else NOTHING, math.log(rho) + evidence(int(W[i, j]), int(W[j, i])))
        for j in range(len(W))
        if j != i
    )


def log_sum(x, y):
    """ln(e^x + e^y)."""
    high, low = max(x, y), min(x, y)
    return high if low == NOTHING else high + math.log1p(math.exp(low - high))
