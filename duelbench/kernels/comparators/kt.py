"""kt: the first arm of which the duels show that it wins, by the evidence on the sign of the gap.

Ends once E >= 1 / x for one of the two signs (`duelbench.kernels.sign_evidence`). The arm that loses more often than
it wins is taken for the winner with probability x at most.
"""

from duelbench.kernels.comparators.running_test import FIRST, OPEN, SECOND
from duelbench.kernels.decorators import kernel
from duelbench.kernels.sign_evidence import log_evidence, losses_needed


@kernel
def winner(log_level, n, wins):
    """FIRST or SECOND; OPEN before the end. ``log_level`` is ln(1 / x).

    Examples
    --------
    1 / x = 2 = e^0.693: E = 1.64 after one win, and 2.77 after two.

    >>> [winner(0.6931, n, wins) for n, wins in ((1, 1), (2, 2), (2, 1), (2, 0))] == [OPEN, FIRST, OPEN, SECOND]
    True
    """
    if log_evidence(min(wins, n - wins), max(wins, n - wins)) < log_level:
        return OPEN
    return FIRST if 2 * wins > n else SECOND


@kernel
def rounds_left(log_level, n, wins):
    """The fewest further duels after which a test that is open may end; at least 1."""
    return max(1, losses_needed(min(wins, n - wins), max(wins, n - wins), log_level))
