"""place: whether the first arm is above a band around 1/2, below it, or in between.

By a published program of Ren, Liu and Shroff (ICML 2020). With q the share of wins and b the radius of
`anytime_radius`: the first arm as soon as q - b > 1/2 + up, the second as soon as q + b < 1/2 - down; after
ceil(2 ln(4 / x) / e^2) duels whatever q is closest to, with e / 2 in the place of b.
"""

import math

from duelbench.kernels.comparators.anytime_radius import is_above, wins_needed
from duelbench.kernels.comparators.running_test import FIRST, MIDDLE, OPEN, SECOND
from duelbench.kernels.decorators import kernel


@kernel
def longest(e, x):
    """The number of duels after which the test ends."""
    return math.ceil(2.0 * math.log(4.0 / x) / (e * e))


@kernel
def winner(e, up, down, x, n, wins):
    """FIRST, SECOND or MIDDLE; OPEN before the end.

    Examples
    --------
    2 ln(4 / x) / e^2 = 8 ln 4 = 11.1: it ends after 12 duels. There q > 1/2 + e / 2 = 3/4 is up, and q < 1/4 down.

    >>> [winner(0.5, 0.0, 0.0, 1.0, 12, wins) for wins in (10, 9, 3, 2)] == [FIRST, MIDDLE, MIDDLE, SECOND]
    True
    """
    if n == 0:
        return OPEN
    if is_above(0.5 + up, x, n, wins):
        return FIRST
    if is_above(0.5 + down, x, n, n - wins):
        return SECOND
    if n < longest(e, x):
        return OPEN
    q = wins / n
    if q > 0.5 + e / 2.0 + up:
        return FIRST
    return SECOND if q < 0.5 - e / 2.0 - down else MIDDLE


@kernel
def rounds_left(e, up, down, x, n, wins):
    """The fewest further duels after which a test that is open may end; at least 1."""
    most = longest(e, x) - n
    most = wins_needed(0.5 + up, x, n, wins, most)
    return max(1, wins_needed(0.5 + down, x, n, n - wins, most))
