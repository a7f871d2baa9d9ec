"""Wald's sequential probability ratio test of 1/2 + h against 1/2 - h: it ends when one arm leads by enough wins.

The likelihood ratio is ((1/2 + h) / (1/2 - h)) to the power of the lead, so that a lead is all there is to know.
"""

import math

from duelbench.kernels.comparators.running_test import FIRST, OPEN, SECOND
from duelbench.kernels.decorators import kernel


@kernel
def lead_needed(h, error):
    """The lead that ends the test: the smallest whole number above ln((1 - error) / error) / ln((1/2 + h) / (1/2 - h)).

    Where the arms are further apart than ``h``, the wrong one wins with a probability below ``error``.

    Examples
    --------
    h = 1/4, so that the ratio is 3 to the power of the lead: it exceeds (1 - 1/10) / (1/10) = 9 by a lead of 3, and 8
    by one of 2.

    >>> lead_needed(0.25, 0.0999), lead_needed(0.25, 1 / 9)
    (3, 2)
    """
    lead = math.log((1.0 - error) / error) / math.log((0.5 + h) / (0.5 - h))
    return math.floor(lead) + 1


@kernel
def winner(lead, n, wins):
    """FIRST or SECOND, the arm that leads by ``lead`` wins; OPEN before."""
    ahead = 2 * wins - n
    if abs(ahead) < lead:
        return OPEN
    return FIRST if ahead > 0 else SECOND


@kernel
def rounds_left(lead, n, wins):
    """The fewest further duels after which the test could end."""
    return lead - abs(2 * wins - n)
