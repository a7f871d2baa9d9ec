"""ppr: the test of the prior-posterior ratio, with a uniform prior of the probability that the first arm wins.

Ends once the posterior, Beta(wins + 1, losses + 1), has density x at most at 1/2; the density of the prior is 1. By the
published program of Bengs, Haddenhorst and Hullermeier (AISTATS 2024).
"""

import math

from duelbench.kernels.comparators.running_test import FIRST, OPEN, SECOND
from duelbench.kernels.decorators import kernel
from duelbench.kernels.never import NEVER
from duelbench.kernels.searching import LARGEST, to_try
from duelbench.kernels.sign_evidence import log_mixture


@kernel
def log_density(n, wins):
    """ln((n + 1) C(n, wins) / 2^n), the density of Beta(wins + 1, n - wins + 1) at 1/2."""
    return math.log(4.0 / math.pi) - log_mixture(wins + 0.5, n - wins + 0.5)


@kernel
def winner(log_level, n, wins):
    """FIRST or SECOND; OPEN before the end. ``log_level`` is ln x.

    Examples
    --------
    x = 0.8: the density is 1 after one duel, and 3 C(2, 2) / 4 after two straight wins.

    >>> log_level = math.log(0.8)
    >>> [winner(log_level, n, wins) for n, wins in ((1, 1), (2, 2), (2, 1), (2, 0))] == [OPEN, FIRST, OPEN, SECOND]
    True
    """
    if log_density(n, wins) > log_level:
        return OPEN
    return FIRST if 2 * wins > n else SECOND


@kernel
def rounds_left(log_level, n, wins):
    """The fewest further duels after which a test that is open may end, all won by the arm that leads; at least 1."""
    ahead = max(wins, n - wins)
    too_few, enough = 0, NEVER
    while enough - too_few > 1 and too_few < LARGEST:
        m = to_try(too_few, enough)
        if log_density(n + m, ahead + m) > log_level:
            too_few = m
        else:
            enough = m
    return enough
