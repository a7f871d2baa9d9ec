"""A confidence interval round the share q of wins, valid after every duel.

With probability ``delta`` at most the radius c(n) = sqrt(ln(4 n^2 / delta) / (2 n)) is ever too small; a test ends when
q is further than c(n) - ``slack`` from 1/2 + ``middle``, or after ``most`` duels. Two tests of the literature have this
form: `better_up_to` and `between` give their parameters.
"""

import math

from duelbench.kernels.comparators.running_test import FIRST, OPEN, SECOND
from duelbench.kernels.decorators import kernel
from duelbench.kernels.never import NEVER

LONG = float(NEVER)  # More duels than any run has.


@kernel
def better_up_to(epsilon, delta):
    """The parameters of the test for the better arm: the wrong one wins with probability ``delta`` at most.

    Where the arms are closer than ``epsilon``, either may win. It has the first n above ln(2 / delta) / (2 epsilon^2)
    duels at most.
    """
    duels = math.log(2.0 / delta) / (2.0 * epsilon * epsilon)
    return 0.0, epsilon, math.log(4.0 / delta), math.floor(min(duels, LONG)) + 1


@kernel
def between(low, high, delta):
    """The parameters of the test that separates gaps from ``high`` on from gaps up to ``low``, but for ``delta``.

    In between, either arm may win. It has the first n from 2 ln(2 / delta) / (high - low)^2 duels on at most.
    """
    width = high - low
    duels = 2.0 * math.log(2.0 / delta) / (width * width)
    return 0.5 * (low + high), 0.0, math.log(4.0 / delta), math.ceil(min(duels, LONG))


@kernel
def winner(middle, slack, level, most, n, wins):
    """FIRST where the first arm's gap exceeds ``middle``, else SECOND; OPEN before the end. ``level`` is ln(4 / delta).

    Examples
    --------
    delta = 4 / e^8, so that c(n)^2 = (8 + 2 ln n) / (2n), which falls below 1/4 at n = 30.

    >>> [winner(0.0, 0.0, 8.0, 1000, n, n) for n in (29, 30)], winner(0.0, 0.0, 8.0, 1000, 30, 0)
    ([0, 1], -1)
    >>> winner(0.0, 0.0, 8.0, 5, 5, 3), winner(0.25, 0.0, 8.0, 5, 5, 3)
    (1, -1)
    """
    if n == 0:
        return OPEN
    ahead = wins / n - 0.5 - middle
    if n < most and abs(ahead) <= math.sqrt((level + 2.0 * math.log(n)) / (2.0 * n)) - slack:
        return OPEN
    return FIRST if ahead > 0.0 else SECOND


@kernel
def rounds_left(middle, slack, level, most, n, wins):
    """The fewest further duels after which the test could end: no outcomes end it sooner than wins or losses alone."""
    too_few = 0
    enough = most - n
    while enough - too_few > 1:
        more = too_few + (enough - too_few) // 2
        won = winner(middle, slack, level, most, n + more, wins + more)
        lost = winner(middle, slack, level, most, n + more, wins)
        if won == OPEN and lost == OPEN:
            too_few = more
        else:
            enough = more
    return enough
