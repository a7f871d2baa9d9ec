"""A fixed number of duels: who wins most of them."""

from duelbench.kernels.comparators.running_test import FIRST, OPEN, SECOND
from duelbench.kernels.decorators import kernel


@kernel
def enough_wins(most, curtail):
    """With how many wins a test of ``most`` duels ends early: with more than half of them, where it may ``curtail``."""
    return most // 2 + 1 if curtail else most


@kernel
def winner(most, enough, n, wins):
    """FIRST or SECOND, the arm that has won more duels, FIRST where both have half of them; OPEN before the end.

    The test ends after ``most`` duels, or with ``enough`` wins of one arm.

    Examples
    --------
    >>> [winner(4, 4, 4, wins) for wins in range(5)], winner(4, 4, 3, 3), winner(4, 3, 3, 3)
    ([-1, -1, 1, 1, 1], 0, 1)
    """
    if n < most and max(wins, n - wins) < enough:
        return OPEN
    return FIRST if 2 * wins >= n else SECOND


@kernel
def rounds_left(most, enough, n, wins):
    """The fewest further duels after which the test could end."""
    return min(most - n, enough - max(wins, n - wins))
