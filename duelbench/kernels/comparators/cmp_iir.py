"""The comparison of IIR: the larger share of wins after as many duels as its gap needs, up to a longest length.

By a published program of Ren, Liu and Shroff (NeurIPS 2019). With q the share of wins and b the radius of
`anytime_radius`: ends as soon as |q - 1/2| > b, or after ceil(ln(2 / y) / (2 e^2)) duels.
"""

import math

from duelbench.kernels.comparators.anytime_radius import is_above, wins_needed
from duelbench.kernels.comparators.running_test import FIRST, MIDDLE, OPEN, SECOND
from duelbench.kernels.decorators import kernel


@kernel
def longest(e, y):
    """The number of duels after which the test ends."""
    return math.ceil(math.log(2.0 / y) / (2.0 * e * e))


@kernel
def winner(e, y, n, wins):
    """FIRST, SECOND, or MIDDLE where both have won equally often at the end; OPEN before it.

    From a gap of ``e`` on it is right with probability 1 - ``y``.

    Examples
    --------
    ln(2 / y) / (2 e^2) = 2 ln 2 = 1.39: it ends after two duels.

    >>> [winner(0.5, 1.0, n, wins) for n, wins in ((1, 1), (2, 2), (2, 0), (2, 1))] == [OPEN, FIRST, SECOND, MIDDLE]
    True
    """
    if n == 0 or (n < longest(e, y) and not is_above(0.5, y, n, max(wins, n - wins))):
        return OPEN
    if 2 * wins == n:
        return MIDDLE
    return FIRST if 2 * wins > n else SECOND


@kernel
def rounds_left(e, y, n, wins):
    """The fewest further duels after which a test that is open may end; at least 1."""
    return max(1, wins_needed(0.5, y, n, max(wins, n - wins), longest(e, y) - n))
