"""The radius around a share of wins that comparators with a longest length use.

b(n, x) = sqrt(ln(pi^2 n^2 / (3 x)) / (2 n)): by Hoeffding's inequality and a sum over n the share leaves the radius
around its mean after any number of duels with probability x at most, since sum 2 * 3 x / (pi^2 n^2) = x.
"""

import math

from duelbench.kernels.decorators import kernel


@kernel
def is_above(level, x, n, wins):
    """Whether the share of wins is above ``level`` by more than b(n, x), which falls with every duel up to x = 0.44.

    Examples
    --------
    b(n, x)^2 = (1 + ln n) / n for this x: 17 straight wins are above 1/2, and 6 are not.

    >>> x = math.pi**2 / 3 / math.e**2
    >>> is_above(0.5, x, 6, 6), is_above(0.5, x, 17, 17)
    (False, True)
    """
    return wins / n - math.sqrt(math.log(math.pi**2 / 3.0 * n * n / x) / (2.0 * n)) > level


@kernel
def wins_needed(level, x, n, wins, most):
    """The fewest further duels, all won, after which `is_above` holds; ``most`` if these are not enough."""
    if most <= 1 or not is_above(level, x, n + most, wins + most):
        return most
    too_few = 0
    enough = most
    while enough - too_few > 1:
        middle = (too_few + enough) // 2
        if is_above(level, x, n + middle, wins + middle):
            enough = middle
        else:
            too_few = middle
    return enough
