"""Evidence on the sign of a gap, valid after any number of duels.

For W wins in n duels of arm i against arm j, with a = W + 1/2 and b = n - W + 1/2::

    E = G I(a, b),   G = 2^(n+1) B(a, b) / pi,

where I is the regularised incomplete beta function at 1/2. E is the likelihood ratio of a mixture of all p < 1/2, with
the density Beta(1/2, 1/2), against p = 1/2. If p >= 1/2, the probability that E ever reaches 1 / x is at most x
(Ville's inequality).
"""

import math

from duelbench.bandits.kernels.decorators import kernel
from duelbench.bandits.kernels.divergence import kl_to_half
from duelbench.bandits.kernels.log_gamma import log_gamma
from duelbench.bandits.kernels.never import NEVER
from duelbench.bandits.kernels.searching import LARGEST, to_try

TINY = 1e-300
PRECISION = 1e-15
HALF_LOG_2_PI = 0.5 * math.log(2.0 * math.pi)
LARGE = 16.0  # From here on Stirling's series gives the logarithm of the gamma function to the last digits.


@kernel
def log_evidence(wins, losses):
    """Return ln E: how strongly an arm's wins and losses speak for p < 1/2, against p >= 1/2.

    If p >= 1/2, the probability that E ever reaches 1 / x is at most x, however long you look. It is not updated from
    duel to duel: the recurrence of I loses all digits to cancellation.

    Examples
    --------
    Before any duel E is 1. One duel, lost: E = 1 + 2 / pi; won: 1 - 2 / pi, since the mixture of both is 2.

    >>> round(math.exp(log_evidence(0, 1)) - 2 / math.pi, 12), round(math.exp(log_evidence(1, 0)) + 2 / math.pi, 12)
    (1.0, 1.0)
    """
    a = wins + 0.5
    b = losses + 0.5
    if wins == losses:
        return log_mixture(wins, losses) - math.log(2.0)
    if wins > losses:
        return math.log(beta_fraction(a, b, 0.5) / (math.pi * a))
    whole = log_mixture(wins, losses)
    return whole + math.log1p(-math.exp(math.log(beta_fraction(b, a, 0.5) / (math.pi * b)) - whole))


@kernel
def log_mixture(wins, losses):
    """Return ln G, the log of the sum of the evidence for p < 1/2 and for p > 1/2, by Stirling's series."""
    a = wins + 0.5
    b = losses + 0.5
    n = a + b
    rest = 0.5 * (math.log(n) - math.log(a) - math.log(b)) + HALF_LOG_2_PI - math.log(math.pi)
    return n * kl_to_half(a / n) + rest + stirling_error(a) + stirling_error(b) - stirling_error(n)


@kernel
def stirling_error(x):
    """Return ln gamma(x) minus (x - 1/2) ln x - x + ln(2 pi) / 2, for x >= 1/2."""
    if x < LARGE:
        return log_gamma(x) - (x - 0.5) * math.log(x) + x - HALF_LOG_2_PI
    square = x * x
    series = 1.0 / 1680.0 - 1.0 / (1188.0 * square)
    return (1.0 / 12.0 - (1.0 / 360.0 - (1.0 / 1260.0 - series / square) / square) / square) / x


@kernel
def beta_fraction(a, b, x):
    """Return a B(a, b) I_x(a, b) / (x^a (1 - x)^b), for x < (a + 1) / (a + b + 2), by the modified Lentz algorithm.

    At x = 1/2 it is pi a E.
    """
    c = 1.0
    d = 1.0 / max(1.0 - (a + b) * x / (a + 1.0), TINY)
    value = d
    m = 0
    step = 0.0
    while abs(step - 1.0) > PRECISION:
        m += 1
        even = m * (b - m) * x / ((a + 2 * m - 1.0) * (a + 2 * m))
        d = 1.0 / _not_zero(1.0 + even * d)
        c = _not_zero(1.0 + even / c)
        value *= d * c
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1.0))
        d = 1.0 / _not_zero(1.0 + odd * d)
        c = _not_zero(1.0 + odd / c)
        step = d * c
        value *= step
    return value


@kernel
def _not_zero(x):
    return x if abs(x) > TINY else TINY


@kernel
def losses_needed(wins, losses, log_level):
    """Return the fewest further losses in a row after which `log_evidence` is at least ``log_level``, or NEVER.

    Examples
    --------
    E = 8.62 after four losses in a row, and 15.64 after five.

    >>> losses_needed(0, 0, math.log(10.0)), losses_needed(0, 5, math.log(10.0))
    (5, 0)
    """
    if log_evidence(wins, losses) >= log_level:
        return 0
    too_few, enough = 0, NEVER
    while enough - too_few > 1 and too_few < LARGEST:
        m = to_try(too_few, enough)
        if log_evidence(wins, losses + m) < log_level:
            too_few = m
        else:
            enough = m
    return enough
