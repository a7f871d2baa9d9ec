"""Evidence that a probability exceeds some p, and intervals for the probability, valid after any number of duels.

For W wins in n duels, with a = W + 1/2 and b = n - W + 1/2, the likelihood ratio of a mixture of all probabilities,
with the density Beta(1/2, 1/2), against p is M(p) = B(a, b) / (pi p^W (1 - p)^(n - W)). If p is the true probability,
M(p) ever reaches 1 / x with probability at most x. So all p with M(p) < 1 / x form an interval at level x. A mixture of
only the probabilities above p gives evidence against all others. Two shorter formulas for intervals come from [1]_,
with the constants of its polynomial stitching for s = 1.4, eta = 2, and from a union bound over all n.

References
----------
.. [1] S. Howard, A. Ramdas, J. McAuliffe, J. Sekhon, "Time-uniform, nonparametric, nonasymptotic confidence sequences",
   Annals of Statistics 2021; its authors' program confseq.
"""

import math

from duelbench.bandits.kernels.decorators import kernel
from duelbench.bandits.kernels.divergence import kl
from duelbench.bandits.kernels.never import NEVER
from duelbench.bandits.kernels.searching import LARGEST, to_try
from duelbench.bandits.kernels.sign_evidence import HALF_LOG_2_PI, PRECISION, beta_fraction, stirling_error

MIXTURE, STITCHED, UNION = range(3)  # The kinds of intervals.

HALVINGS = 60


@kernel
def log_mixture_at(wins, losses, p):
    """Return ln M(p), for 0 < p < 1.

    Examples
    --------
    After one win M is 1 / (2 p).

    >>> round(math.exp(log_mixture_at(1, 0, 0.25)), 12)
    2.0
    """
    a = wins + 0.5
    b = losses + 0.5
    n = a + b
    rest = 0.5 * (math.log(n) - math.log(a) - math.log(b)) + HALF_LOG_2_PI - math.log(math.pi)
    rest += stirling_error(a) + stirling_error(b) - stirling_error(n)
    return n * kl(a / n, p) + rest + 0.5 * math.log(p * (1.0 - p))


@kernel
def log_evidence_above(wins, losses, p):
    """Return the logarithm of the evidence that an arm wins with a probability above p, for 0 < p < 1.

    If it does not, the probability that the evidence ever reaches 1 / x is at most x, however long you look.

    Examples
    --------
    One win, p = 1/2: 1 + 2 / pi, like one loss in `duelbench.bandits.kernels.sign_evidence`.

    >>> round(math.exp(log_evidence_above(1, 0, 0.5)) - 2 / math.pi, 12)
    1.0
    """
    a = wins + 0.5
    b = losses + 0.5
    q = 1.0 - p
    share = 1.0 - 2.0 / math.pi * math.asin(math.sqrt(p))  # of Beta(1/2, 1/2) above p
    scale = 0.5 * math.log(p * q) - math.log(math.pi * share)
    if q * (a + b + 2.0) < b + 1.0:
        return scale + math.log(beta_fraction(b, a, q) / b)
    whole = log_mixture_at(wins, losses, p) - math.log(share)
    below = scale + math.log(beta_fraction(a, b, p) / a)
    return whole + math.log1p(-math.exp(min(below - whole, -PRECISION)))


@kernel
def wins_needed(wins, losses, p, log_level):
    """Return the fewest further wins in a row after which `log_evidence_above` is at least ``log_level``, or NEVER.

    Examples
    --------
    The evidence is 8.62 after four wins in a row, and 15.64 after five.

    >>> wins_needed(0, 0, 0.5, math.log(10.0)), wins_needed(5, 0, 0.5, math.log(10.0))
    (5, 0)
    """
    if log_evidence_above(wins, losses, p) >= log_level:
        return 0
    too_few, enough = 0, NEVER
    while enough - too_few > 1 and too_few < LARGEST:
        m = to_try(too_few, enough)
        if log_evidence_above(wins + m, losses, p) < log_level:
            too_few = m
        else:
            enough = m
    return enough


@kernel
def lower_end(wins, losses, log_inverse, kind):
    """Return the lower end of the interval of this ``kind`` at level x, with ``log_inverse`` = ln(1 / x).

    Examples
    --------
    UNION: sqrt((ln 4 + 2 ln n + ln(1 / x)) / (2 n)) below the mean, here 1/2 for x = 1 / e and n = 16.

    >>> round(0.75 - lower_end(12, 4, 8.0 - math.log(4.0) - 2.0 * math.log(16.0), UNION), 12)
    0.5
    """
    n = wins + losses
    if wins == 0:
        return 0.0
    mean = wins / n
    if kind == STITCHED:
        width = 0.85 * math.sqrt((math.log(math.log(2.0 * n)) + 0.72 * (math.log(10.4) + log_inverse)) / n)
        return max(0.0, mean - width)
    if kind == UNION:
        return max(0.0, mean - math.sqrt((math.log(4.0) + 2.0 * math.log(n) + log_inverse) / (2.0 * n)))
    low = 0.0
    high = mean
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        if middle <= 0.0 or log_mixture_at(wins, losses, middle) >= log_inverse:
            low = middle
        else:
            high = middle
    return low


@kernel
def upper_end(wins, losses, log_inverse, kind):
    """Return the upper end of the interval; see `lower_end`."""
    return 1.0 - lower_end(losses, wins, log_inverse, kind)
