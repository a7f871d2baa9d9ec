"""Search for the least number that is enough: first by doubling, then by bisection."""

from duelbench.bandits.kernels.decorators import kernel
from duelbench.bandits.kernels.never import NEVER

LARGEST = NEVER // 4  # If this many are too few, no number is enough.


@kernel
def to_try(too_few, enough):
    """Return the number to try next; start with ``too_few`` = 0 and ``enough`` = NEVER.

    Examples
    --------
    The search for 5:

    >>> to_try(0, NEVER), to_try(1, NEVER), to_try(4, NEVER), to_try(4, 8), to_try(4, 6)
    (1, 2, 8, 6, 5)
    """
    return max(1, 2 * too_few) if enough == NEVER else (too_few + enough) // 2
