"""doubling: stages of fixed length, each for half the gap of the one before, until one is clear.

By a published program of Haddenhorst, Bengs and Hullermeier (NeurIPS 2021). Stage s = 1, 2, ... has the gap
h = 2^(-s - 1) and T = ceil(8 ln(4 / g_s) / h^2) duels of its own, with g_s = 6 g / (pi s)^2, which add up to g. It ends
the test if |2 q - 1| > h for the share q of wins.
"""

import math

from duelbench.kernels.comparators.running_test import FIRST, MIDDLE, OPEN, SECOND
from duelbench.kernels.decorators import kernel


@kernel
def length(g, stage):
    """The number of duels of a stage, from 1."""
    h = 0.5 ** (stage + 1)
    return math.ceil(8.0 * math.log(4.0 * (math.pi * stage) ** 2 / (6.0 * g)) / (h * h))


@kernel
def winner(g, stage, n, wins):
    """FIRST or SECOND; MIDDLE where the next stage decides; OPEN before the end. n and ``wins`` are of this stage.

    Examples
    --------
    h = 1/4 and T = 8 ln 4 * 16 = 177.4 duels; 2 q - 1 > 1/4 means more than 111.25 wins.

    >>> g = math.pi**2 / 6
    >>> [winner(g, 1, 178, wins) for wins in (112, 111, 67, 66)] == [FIRST, MIDDLE, MIDDLE, SECOND]
    True
    """
    if n < length(g, stage):
        return OPEN
    lead = 2.0 * wins / n - 1.0
    if abs(lead) <= 0.5 ** (stage + 1):
        return MIDDLE
    return FIRST if lead > 0.0 else SECOND


@kernel
def rounds_left(g, stage, n, wins):
    """What is left of the stage; at least 1."""
    return max(1, length(g, stage) - n)
