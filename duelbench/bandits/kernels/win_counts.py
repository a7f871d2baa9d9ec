"""Counts of wins, and the arm that beats most arms in them."""

from duelbench.bandits.kernels.decorators import compiled_once, inlined


@compiled_once
def copeland_leader(wins):
    """Return the arm that beats most arms empirically, the lowest index on ties; what most algorithms recommend.

    Parameters
    ----------
    wins : ndarray of int64, shape (K, K)
        ``wins[i, j]`` is how often arm i has won against arm j.

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
    """Update how many arms each arm beats after the lead of arm ``first`` over arm ``second`` has changed.

    Parameters
    ----------
    beaten : ndarray of int64, shape (K,)
        How many arms each arm beats; changed in place.
    first, second : int
    before, after : int or float
        The wins of ``first`` minus those of ``second``, before the change and after it.

    Examples
    --------
    Arm 0 was level with arm 1, and now leads by one win:

    >>> import numpy as np
    >>> beaten = np.array([0, 2, 1])
    >>> recount_beaten(beaten, 0, 1, 0, 1)
    >>> beaten.tolist()
    [1, 2, 1]
    """
    beaten[first] += int(after > 0) - int(before > 0)
    beaten[second] += int(after < 0) - int(before < 0)
