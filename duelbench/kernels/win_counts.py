"""Counts of wins, and who beats most arms by them."""

from duelbench.kernels.decorators import inlined, kernel


@kernel
def copeland_leader(wins):
    """The arm that beats most arms in the counts (lowest index on ties); what most algorithms recommend.

    Examples
    --------
    >>> import numpy as np
    >>> copeland_leader(np.array([[0, 1, 0], [2, 0, 3], [0, 1, 0]]))
    1
    """
    best = 0
    best_score = -1
    for i in range(wins.shape[0]):
        score = 0
        for j in range(wins.shape[0]):
            if wins[i, j] > wins[j, i]:
                score += 1
        if score > best_score:
            best = i
            best_score = score
    return best


@inlined
def recount_beaten(beaten, first, second, before, after):
    """Update how many arms each arm beats, ``first`` leading ``second`` by ``before``, then by ``after``."""
    beaten[first] += int(after > 0) - int(before > 0)
    beaten[second] += int(after < 0) - int(before < 0)
